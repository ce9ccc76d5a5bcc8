// The types of a formula's values, and the rules by which two of them become one.
//
// A literal has no type of its own: it is a weak integer (2), a weak floating-point number (0.5) or a weak complex
// number (complex(0, 1)), which takes the type of the value that it meets. All other types are those of arrays. f16 and
// bf16 are types of memory: between loads and stores, values of these types are computed as f32.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "graft/element.hpp"

namespace graft::formulas {

enum class Type : std::uint8_t {
  WeakInteger,
  WeakFloat,
  WeakComplex,
  Bool,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  Bf16,
  F32,
  F64,
  C64,
  C128,
};

constexpr bool is_weak(Type type) noexcept {
  return type <= Type::WeakComplex;
}
constexpr bool is_integer(Type type) noexcept {
  return type >= Type::I8 && type <= Type::U64;
}
constexpr bool is_signed(Type type) noexcept {
  return type >= Type::I8 && type <= Type::I64;
}
constexpr bool is_floating(Type type) noexcept {
  return type >= Type::F16 && type <= Type::F64;
}
constexpr bool is_complex(Type type) noexcept {
  return type == Type::C64 || type == Type::C128 || type == Type::WeakComplex;
}
// The size in bits of an integer.
constexpr int bits_of(Type type) noexcept {
  return 8 << ((static_cast<int>(type) - static_cast<int>(Type::I8)) % 4);
}
// The type of the real and imaginary parts, and every other type itself.
constexpr Type real_of(Type type) noexcept {
  return type == Type::C64           ? Type::F32
         : type == Type::C128        ? Type::F64
         : type == Type::WeakComplex ? Type::WeakFloat
                                     : type;
}
constexpr Type complex_of(Type floating) noexcept {
  return floating == Type::WeakFloat ? Type::WeakComplex : floating == Type::F64 ? Type::C128 : Type::C64;
}
// The type in which the values of a type are computed: f32 for f16 and bf16.
constexpr Type computed_as(Type type) noexcept {
  return type == Type::F16 || type == Type::Bf16 ? Type::F32 : type;
}

// Returns the type of an array's elements; nothing for types with which formulas do not compute.
std::optional<Type> type_of(const ElementType& element);

// The types that arrays and values can have, in the order of the enumerators, from Bool to C128.
std::span<const Type> value_types();

// The short name, which is also that of the cast: "f32". Weak types: "an integer", "a number", "a complex
// number".
std::string_view name(Type type);
// The type of this name, short, long or NumPy's: F64 of "f64", "double" and "float64".
std::optional<Type> type_named(std::string_view name);
// The name in C++: "float", "graft::complex<float>", "__half".
std::string_view in_cpp(Type type);
// The name in C++ of the unsigned type in which integers are computed: overflow of signed integers is undefined in C++,
// and smaller ones than int become int.
std::string_view unsigned_in_cpp(Type integer);

// The type that two values take when they stand for the same thing, as the branches of a condition do: of bool and bool
// bool. The result is weak if both are, or if one is and the other is bool.
Type common(Type a, Type b);
// The type of a + b: as `common`, but bool counts in i32, beside bool and beside a weak integer.
Type sum(Type a, Type b);
// The type that any number of values take, whose order does not matter: that of the floating-point and complex numbers
// among them; if there are none, of the integers; then of bool; and with this one what `common` says of the weak ones.
// At least one value.
Type common_of(std::span<const Type> types);
// The type in which an integer becomes a floating-point number where nothing else says so, as in i / j and sqrt(i): f32
// for integers of up to 16 bits and bool, f64 for others, and weak for weak ones. Other types are their own.
Type floating_of(Type type);

// The table of sums in docs/formulas.md, which `graft inspect` prints.
std::string table_of_sums();

}  // namespace graft::formulas
