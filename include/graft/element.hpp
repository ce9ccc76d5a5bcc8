// An ElementType describes an array element by its kind, size and alignment. Before each launch, execute compares the
// element types of its arrays with those of the callback's parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include <graft/cpp20.hpp>
#include <graft/export.hpp>

struct __half;
struct __half2;
struct __nv_bfloat16;
struct __nv_bfloat162;
struct float2;
struct double2;

namespace graft {

struct Bit;

// Do not change the numbers, because they are compiled into the device code by which the compiler reports a callback's
// signature (the probe in building_blocks/adapter.h).
enum class ElementKind : std::uint8_t {
  Class = 0,  // a struct, union or vector type: compared by size
  Bool = 1,
  Signed = 2,    // signed integers of every size
  Unsigned = 3,  // unsigned integers and characters of every size
  Float = 4,     // half (2 bytes), float (4), double (8)
  Bfloat = 5,    // bfloat16
  Complex = 6,   // float2, double2 and every complex<T>
  Enum = 7,      // enums of either sign: for an enum without a fixed type, compilers choose different signs
  Opaque = 8,    // an array that a load or store callback accesses; accepts any element type and has size 0
  Bit = 9,       // an element of a bit array: one bit in the array, one byte (graft::Bit) in the callback
};

// The kind, size and alignment of an element. Sizes and alignments are in bytes. element_type<T>() returns the
// ElementType of a C++ type. The static functions here make an ElementType from values known only at run time, and need
// no CUDA header.
struct ElementType {
  ElementKind kind = ElementKind::Class;
  std::uint32_t size = 0;
  std::uint32_t alignment = 1;

  // Makes the type from its name, in the short form or in the form that to_string returns:
  //
  //     bool    i8 i16 i32 i64            u8 u16 u32 u64              f16  bf16     f32   f64
  //     bool    int8 int16 int32 int64    uint8 uint16 uint32 uint64  half bfloat16 float double
  //     c32 c64 c128 (complex<half>, complex<float>, complex<double>: real and imaginary part side by side)
  //     enum8 enum16 enum32 enum64
  //     bit (an element of a bit array)
  //
  // Throws Error(InvalidArgument) for any other name; the message lists the valid ones.
  GRAFT_API static ElementType named(std::string_view name);

  // Makes the type of a struct, a union or a vector type (float3, half2) from its size and alignment in bytes. Throws
  // Error(InvalidArgument) unless the alignment is a power of two and the size is a multiple of it.
  GRAFT_API static ElementType structure(std::size_t size, std::size_t alignment);

  bool operator==(const ElementType&) const = default;
};

// Whether an array of `given` elements can be passed for a parameter of type `wanted`. Kind and size must be equal.
// Alignments are not compared, because classes of the same members have different ones: a struct of two shorts is
// aligned to 2 bytes, and short2 to 4. execute checks the alignment of the pointer instead. An enum and an integer of
// equal size are interchangeable.
constexpr bool interchangeable(const ElementType& given, const ElementType& wanted) noexcept {
  constexpr auto is_integer = [](ElementKind kind) {
    return kind == ElementKind::Signed || kind == ElementKind::Unsigned || kind == ElementKind::Enum;
  };
  if (wanted.kind == ElementKind::Opaque) return true;
  if (given.size != wanted.size) return false;
  if (given.kind == ElementKind::Enum || wanted.kind == ElementKind::Enum)
    return is_integer(given.kind) && is_integer(wanted.kind);
  return given.kind == wanted.kind;
}

// Returns the type as messages and reports show it: "float", "uint8", "complex<float>", "12-byte class aligned to 4".
GRAFT_API std::string to_string(const ElementType& type);

namespace detail {

template <class T>
concept ComplexLike = requires(const T& z) {
  z.real();
  z.imag();
}
&&sizeof(T) == 2 * sizeof(std::declval<const T&>().real());

// With -std=c++20 instead of -std=gnu++20, std::is_integral is false for 128-bit integers.
#ifdef __SIZEOF_INT128__
__extension__ using Int128 = __int128;
__extension__ using UnsignedInt128 = unsigned __int128;
#else
struct Int128;
struct UnsignedInt128;
#endif

template <class T>
constexpr ElementKind kind_of() {
  if constexpr (std::is_same_v<T, ::graft::Bit>) return ElementKind::Bit;
  else if constexpr (std::is_enum_v<T>) return ElementKind::Enum;
  else if constexpr (std::is_same_v<T, bool>) return ElementKind::Bool;
  else if constexpr (std::is_same_v<T, Int128>) return ElementKind::Signed;
  else if constexpr (std::is_same_v<T, UnsignedInt128>) return ElementKind::Unsigned;
  else if constexpr (std::is_integral_v<T>) return std::is_signed_v<T> ? ElementKind::Signed : ElementKind::Unsigned;
  else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, ::__half>)
    return ElementKind::Float;
  else if constexpr (std::is_same_v<T, ::__nv_bfloat16>) return ElementKind::Bfloat;
  else if constexpr (std::is_same_v<T, ::float2> || std::is_same_v<T, ::double2> || ComplexLike<T>)
    return ElementKind::Complex;
  else return ElementKind::Class;
}

}  // namespace detail

// The ElementType of a C++ type. T must be trivially copyable. __half2 and __nv_bfloat162 are allowed too, although
// CUDA gives them copy functions of their own.
template <class T>
constexpr ElementType element_type() {
  using Bare = std::remove_cv_t<T>;
  static_assert(
      std::is_trivially_copyable_v<Bare> || std::is_same_v<Bare, ::__half2> || std::is_same_v<Bare, ::__nv_bfloat162>,
      "graft: elements and state must be trivially copyable");
  return {detail::kind_of<Bare>(), sizeof(Bare), alignof(Bare)};
}

}  // namespace graft
