#include "formula/type.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/format.hpp"
#include "core/named_elements.hpp"

namespace graft::formulas {
namespace {

struct TypeNames {
  std::string_view name;
  std::string_view in_cpp;
};

// In the order of the enumerators of Type.
constexpr std::array kNames = {
    TypeNames{"an integer", "int"},
    TypeNames{"a number", "float"},
    TypeNames{"a complex number", "graft::complex<float>"},
    TypeNames{"bool", "bool"},
    TypeNames{"i8", "signed char"},
    TypeNames{"i16", "short"},
    TypeNames{"i32", "int"},
    TypeNames{"i64", "long long"},
    TypeNames{"u8", "unsigned char"},
    TypeNames{"u16", "unsigned short"},
    TypeNames{"u32", "unsigned int"},
    TypeNames{"u64", "unsigned long long"},
    TypeNames{"f16", "__half"},
    TypeNames{"bf16", "__nv_bfloat16"},
    TypeNames{"f32", "float"},
    TypeNames{"f64", "double"},
    TypeNames{"c64", "graft::complex<float>"},
    TypeNames{"c128", "graft::complex<double>"},
};

constexpr std::array kValueTypes = {Type::Bool, Type::I8,  Type::I16, Type::I32, Type::I64,
                                    Type::U8,   Type::U16, Type::U32, Type::U64, Type::F16,
                                    Type::Bf16, Type::F32, Type::F64, Type::C64, Type::C128};

// The integer type of this many bits, or f64 if there is none.
Type integer_of(int bits, bool with_sign) {
  for (const Type type : kValueTypes)
    if (is_integer(type) && bits_of(type) == bits && is_signed(type) == with_sign) return type;
  return Type::F64;
}

// As NumPy: the smallest type that holds the values of both, and f64 of u64 with a signed type.
Type common_integer(Type a, Type b) {
  if (is_signed(a) == is_signed(b)) return bits_of(a) > bits_of(b) ? a : b;
  const Type with_sign = is_signed(a) ? a : b;
  const Type without = is_signed(a) ? b : a;
  return bits_of(with_sign) > bits_of(without) ? with_sign : integer_of(2 * bits_of(without), true);
}

// The wider one; of f16 and bf16, neither of which holds the other's values, f32. The enumerators ascend with the
// width.
Type common_floating(Type a, Type b) {
  return a == b ? a : std::max({a, b, Type::F32});
}

// Of two real types, neither of them weak or bool.
Type common_real(Type a, Type b) {
  if (is_integer(a) && is_integer(b)) return common_integer(a, b);
  if (is_integer(a)) return b;
  return is_integer(b) ? a : common_floating(a, b);
}

// Of a weak type and another one: a literal takes the type that it meets.
Type common_weak(Type weak, Type other) {
  if (is_weak(other)) return std::max(weak, other);
  if (other == Type::Bool) return weak;
  if (weak == Type::WeakInteger) return other;
  return weak == Type::WeakFloat ? floating_of(other) : complex_of(real_of(floating_of(other)));
}

// Returns the entry for elements of 1, 2, 4 or 8 bytes.
std::optional<Type> of_size(std::uint32_t bytes, const std::array<std::optional<Type>, 4>& types) {
  return std::has_single_bit(bytes) && bytes <= 8 ? types[static_cast<std::size_t>(std::countr_zero(bytes))]
                                                  : std::nullopt;
}

}  // namespace

std::optional<Type> type_of(const ElementType& element) {
  switch (element.kind) {
    case ElementKind::Bool:
    case ElementKind::Bit:
      return Type::Bool;
    case ElementKind::Signed:
      return of_size(element.size, {Type::I8, Type::I16, Type::I32, Type::I64});
    case ElementKind::Unsigned:
      return of_size(element.size, {Type::U8, Type::U16, Type::U32, Type::U64});
    case ElementKind::Float:
      return of_size(element.size, {std::nullopt, Type::F16, Type::F32, Type::F64});
    case ElementKind::Bfloat:
      return of_size(element.size, {std::nullopt, Type::Bf16, std::nullopt, std::nullopt});
    case ElementKind::Complex:
      return of_size(element.size / 2, {std::nullopt, std::nullopt, Type::C64, Type::C128});
    default:
      return std::nullopt;
  }
}

std::span<const Type> value_types() {
  return kValueTypes;
}

std::string_view name(Type type) {
  return kNames[static_cast<std::size_t>(type)].name;
}

std::optional<Type> type_named(std::string_view wanted) {
  const std::optional<ElementType> element = element_named(wanted);
  if (!element || element->kind == ElementKind::Bit) return std::nullopt;
  return type_of(*element);
}

std::string_view in_cpp(Type type) {
  return kNames[static_cast<std::size_t>(type)].in_cpp;
}

std::string_view unsigned_in_cpp(Type integer) {
  return in_cpp(is_integer(integer) && bits_of(integer) == 64 ? Type::U64 : Type::U32);
}

Type common(Type a, Type b) {
  if (is_weak(a)) return common_weak(a, b);
  if (is_weak(b)) return common_weak(b, a);
  if (a == Type::Bool) return b;
  if (b == Type::Bool) return a;
  const Type real = common_real(real_of(a), real_of(b));
  return is_complex(a) || is_complex(b) ? complex_of(real) : real;
}

Type sum(Type a, Type b) {
  const Type both = common(a, b);
  const bool counts = a == Type::Bool || b == Type::Bool;
  return counts && (both == Type::Bool || both == Type::WeakInteger) ? Type::I32 : both;
}

Type common_of(std::span<const Type> types) {
  std::optional<Type> inexact;
  std::optional<Type> integer;
  std::optional<Type> boolean;
  std::optional<Type> weak;
  for (const Type type : types) {
    std::optional<Type>& both = is_weak(type)        ? weak
                                : is_integer(type)   ? integer
                                : type == Type::Bool ? boolean
                                                     : inexact;
    both = both ? common(*both, type) : type;
  }
  const std::optional<Type> strong = inexact ? inexact : integer ? integer : boolean;
  if (!strong) return weak.value();
  return weak ? common(*strong, *weak) : *strong;
}

Type floating_of(Type type) {
  if (type == Type::WeakInteger) return Type::WeakFloat;
  if (type == Type::Bool) return Type::F32;
  if (!is_integer(type)) return type;
  return bits_of(type) <= 16 ? Type::F32 : Type::F64;
}

std::string table_of_sums() {
  std::string table = "|  |";
  for (const Type column : kValueTypes) base::append(table, " {} |", name(column));
  table += "\n|---|";
  for (std::size_t i = 0; i < kValueTypes.size(); ++i) table += "---|";
  for (const Type row : kValueTypes) {
    base::append(table, "\n| **{}** |", name(row));
    for (const Type column : kValueTypes) base::append(table, " {} |", name(sum(row, column)));
  }
  return table + "\n";
}

}  // namespace graft::formulas
