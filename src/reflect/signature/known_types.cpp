// This file has tables of aliases and of CUDA's vector types. The functions here read function types such as
// "float(float)" with these tables and with the table of named element types (core/named_elements.hpp).
#include "reflect/signature/known_types.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "contract.h"
#include "core/element_spelling.hpp"
#include "core/named_elements.hpp"
#include "format/mangled.hpp"
#include "reflect/signature/declaration.hpp"
#include "reflect/signature/probe.hpp"

namespace graft::reflect {
namespace {

// Aliases, and the names to which NVRTC resolves the aliases in a text that includes graft/device.h.
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"int8_t", "signed char"},    {"int16_t", "short"},
    {"int32_t", "int"},           {"int64_t", "long long"},
    {"uint8_t", "unsigned char"}, {"uint16_t", "unsigned short"},
    {"uint32_t", "unsigned int"}, {"uint64_t", "unsigned long long"},
    {"half", "__half"},           {"nv_bfloat16", "__nv_bfloat16"}};

std::string_view unaliased(std::string_view name) {
  for (const auto& [alias, meant] : kAliases)
    if (alias == name) return meant;
  return name;
}

// Sizes in bytes of the elements of CUDA's vector types. Each name is a vector type's name without its number: "float"
// of "float4".
constexpr std::pair<std::string_view, std::uint32_t> kVectorElements[] = {
    {"char", 1}, {"uchar", 1}, {"short", 2},  {"ushort", 2},   {"int", 4},
    {"uint", 4}, {"float", 4}, {"double", 8}, {"longlong", 8}, {"ulonglong", 8}};

// Returns the element type of a vector type such as "float3" or "float4". Vector types of two or four members are
// aligned to their size, up to 16 bytes; the others are aligned to their element's size.
std::optional<ElementType> vector_type(std::string_view name) {
  if (name.empty() || name.back() < '1' || name.back() > '4') return std::nullopt;
  const auto members = static_cast<std::uint32_t>(name.back() - '0');
  for (const auto& [element, size] : kVectorElements)
    if (name.substr(0, name.size() - 1) == element)
      return ElementType{ElementKind::Class, size * members, members % 2 == 0 ? std::min(size * members, 16u) : size};
  return std::nullopt;
}

// Returns N of "graft::Position<N>", or 0 for another type.
int coordinates_of_position(std::string_view name) {
  constexpr std::string_view kFront = "graft::Position<";
  if (!name.starts_with(kFront) || !name.ends_with('>') || name.size() != kFront.size() + 2) return 0;
  const int coordinates = name[kFront.size()] - '0';
  return coordinates >= 1 && coordinates <= GRAFT_MAX_COORDINATES ? coordinates : 0;
}

// Reads the parameters of one signature, whose types may be among `structs`.
class Reader {
 public:
  explicit Reader(const std::map<std::string_view, ElementType>& structs) : structs_(structs) {}

  std::optional<ElementType> type(std::string_view name) const {
    if (const auto found = structs_.find(name); found != structs_.end()) return found->second;
    return known_type(name);
  }

  std::optional<Parameter> parameter(const std::string& spelling) const {
    std::string_view name = spelling;
    const bool is_in_out = name.starts_with(kInOutSpelling) || (name.ends_with("&&") && !name.starts_with("const "));
    if (is_in_out) return in_out(element_spelling(name));
    const bool is_reference = name.ends_with('&');
    if (is_reference) name.remove_suffix(1);
    const bool is_const = name.starts_with("const ");
    if (is_const) name.remove_prefix(6);
    if (name == "graft::Index" && !is_reference) return Parameter{Role::Index, {ElementKind::Class, 8, 8}, spelling};
    if (const int coordinates = is_reference ? 0 : coordinates_of_position(name); coordinates > 0) {
      const auto bytes = static_cast<std::uint32_t>(coordinates) * 4;
      return Parameter{Role::Position, {ElementKind::Class, bytes, 4}, spelling};
    }
    name = unaliased(name);
    const std::optional<ElementType> known = type(name);
    if (!known) return std::nullopt;
    const Role role = !is_reference ? Role::Input : is_const ? Role::State : Role::Output;
    if (known->size > (role == Role::State ? GRAFT_MAX_STATE_BYTES : GRAFT_MAX_ELEMENT_BYTES)) return std::nullopt;
    return Parameter{role, *known, base::format("{}{}{}", is_const ? "const " : "", name, is_reference ? "&" : "")};
  }

 private:
  // Returns an in-out parameter, `graft::InOut<T>` or `T&&`, whose element has the type T.
  std::optional<Parameter> in_out(std::string_view element) const {
    element = unaliased(element);
    const std::optional<ElementType> known = element.starts_with("const ") ? std::nullopt : type(element);
    if (!known || known->size > GRAFT_MAX_ELEMENT_BYTES) return std::nullopt;
    return Parameter{Role::InOut, *known, base::format("{}{}>", kInOutSpelling, element)};
  }

  const std::map<std::string_view, ElementType>& structs_;
};

}  // namespace

std::optional<ElementType> known_type(std::string_view spelled) {
  const std::string_view name = unaliased(spelled);
  if (const std::optional<ElementType> known = element_in_cpp(name)) return known;
  return vector_type(name);
}

bool goes_by_pointer(const Parameter& parameter) {
  static constexpr std::array<std::string_view, 4> kNames = {"__half2", "half2", "__nv_bfloat162", "nv_bfloat162"};
  std::string_view type = parameter.spelling;
  if (type.starts_with("const ")) type.remove_prefix(6);  // `parameter` may be the result, whose type may be const
  return parameter.type.kind == ElementKind::Class && std::ranges::find(kNames, type) != kNames.end();
}

std::optional<Signature> known_signature(std::string_view function_type,
                                         const std::map<std::string_view, ElementType>& structs) {
  const Reader reader(structs);
  std::vector<std::string> types = spellings(function_type);
  if (function_type.find('(') == std::string_view::npos || types.empty()) return std::nullopt;
  types[0] = unaliased(format::canonical_type(types[0]));
  Parameter result{Role::None, {}, types[0]};
  if (types[0] == "graft::Store") {
    result = {Role::Store, element_type<Store>(), types[0]};
  } else if (types[0] != "void") {
    const std::optional<ElementType> known = reader.type(types[0]);
    if (!known || known->size > GRAFT_MAX_ELEMENT_BYTES) return std::nullopt;
    result = {Role::Output, *known, types[0]};
  }
  std::vector<Parameter> parameters;
  for (std::size_t i = 1; i < types.size(); ++i) {
    std::optional<Parameter> parameter = reader.parameter(format::canonical_type(types[i]));
    if (!parameter) parameter = reader.parameter(format::canonical_type(west_const(parameter_type(types[i]))));
    if (!parameter) return std::nullopt;
    parameters.push_back(std::move(*parameter));
  }
  Signature signature(std::move(result), std::move(parameters));
  const bool does_nothing = signature.outputs().empty() && (signature.parameters().empty() || signature.is_selective());
  if (does_nothing || signature.outputs().size() > GRAFT_MAX_OUTPUTS ||
      signature.inputs().size() + signature.in_outs().size() > GRAFT_MAX_INPUTS)
    return std::nullopt;
  if (std::ranges::count(signature.parameters(), Role::State, &Parameter::role) > 1) return std::nullopt;
  return signature;
}

}  // namespace graft::reflect
