#include "formula/cuda_names.hpp"

#include <algorithm>
#include <iterator>

#include "base/format.hpp"
#include "formula/functions.hpp"
#include "formula/is_among.hpp"
#include "formula/token.hpp"

namespace graft::formulas {
namespace {

constexpr std::string_view kPrefix = "__";

// Behind the letter of a type: __fadd_rn of float and __dadd_rn of double.
constexpr std::string_view kOfBothTypes[] = {"add", "div", "mul", "rcp", "rsqrt", "sqrt", "sub"};

struct TypeOfCuda {
  std::string_view word;  // as in __float2int_rn
  std::string_view type;
  bool is_integer;
};
constexpr TypeOfCuda kTypesOfCuda[] = {
    {"bfloat16", "bf16", false}, {"char", "i8", true},  {"double", "f64", false}, {"float", "f32", false},
    {"half", "f16", false},      {"int", "i32", true},  {"ll", "i64", true},      {"short", "i16", true},
    {"uchar", "u8", true},       {"uint", "u32", true}, {"ull", "u64", true},     {"ushort", "u16", true},
};

const TypeOfCuda* find_type(std::string_view word) {
  const auto* const found = std::ranges::find(kTypesOfCuda, word, &TypeOfCuda::word);
  return found == std::end(kTypesOfCuda) ? nullptr : &*found;
}

// Casts to integers go in the direction of zero, and those to floating-point numbers to the nearest one.
std::string conversion(std::string_view name) {
  const std::size_t two = name.find('2');
  if (two == name.npos) return {};
  const std::size_t end = std::min(name.find("_r", two), name.size());
  const std::string_view rounding = name.substr(end);
  const TypeOfCuda* const from = find_type(name.substr(0, two));
  const TypeOfCuda* const to = find_type(name.substr(two + 1, end - two - 1));
  if (from == nullptr || to == nullptr) return {};
  if (!to->is_integer) return rounding.empty() || rounding == "_rn" ? base::format("{}(x)", to->type) : std::string();
  if (rounding == "_rn") return base::format("{}(rint(x))", to->type);
  if (rounding == "_rd") return base::format("{}(floor(x))", to->type);
  if (rounding == "_ru") return base::format("{}(ceil(x))", to->type);
  return base::format("{}(x)", to->type);
}

}  // namespace

bool is_intrinsic(std::string_view name) {
  return name.starts_with(kPrefix);
}

bool rounds_elsewhere(std::string_view name) {
  return is_intrinsic(name) && (name.ends_with("_rd") || name.ends_with("_ru") || name.ends_with("_rz"));
}

std::string_view plain_name(std::string_view name) {
  std::string_view plain = name;
  if (is_intrinsic(name)) {
    plain.remove_prefix(kPrefix.size());
    if (plain.ends_with("_rn")) plain.remove_suffix(3);
    const bool has_letter = plain.starts_with('f') || plain.starts_with('d');
    if (has_letter && is_among(kOfBothTypes, plain.substr(1))) return plain.substr(1);
  }
  if (plain.ends_with('f') && plain.size() > 1 && find_function(plain) == nullptr) plain.remove_suffix(1);
  return plain.size() == name.size() ? std::string_view() : plain;
}

std::string formula_of_intrinsic(std::string_view name) {
  if (!is_intrinsic(name)) return {};
  const NamedOperator* const named = find_operator(plain_name(name));
  return named == nullptr ? conversion(name.substr(kPrefix.size()))
                          : base::format("x {} y", symbol_text(named->symbol));
}

}  // namespace graft::formulas
