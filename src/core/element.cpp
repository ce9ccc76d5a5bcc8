// Converts element types to text ("float", "complex<double>"), and the names of element types ("f32", "float", "c128")
// to element types.
#include "graft/element.hpp"

#include <bit>
#include <limits>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/shown_piece.hpp"
#include "core/fail.hpp"
#include "core/named_elements.hpp"

namespace graft {
namespace {

// NumPy's names, where they are others than the short and the long ones.
constexpr std::pair<std::string_view, std::string_view> kNumpyNames[] = {
    {"bool_", "bool"}, {"float16", "f16"},   {"float32", "f32"},     {"float64", "f64"},
    {"single", "f32"}, {"complex64", "c64"}, {"complex128", "c128"},
};

// Lists all element types for an error message: "bool, i8 (int8), ..., enum64".
std::string all_names() {
  std::vector<std::string> names;
  for (const NamedElement& element : kNamedElements) {
    const std::string written = to_string(element.type);
    names.push_back(written == element.name ? written : base::format("{} ({})", element.name, written));
  }
  return base::join(names, ", ");
}

std::string floating_name(std::uint32_t size) {
  return size == 2 ? "half" : size == 4 ? "float" : size == 8 ? "double" : base::format("float{}", 8 * size);
}

}  // namespace

std::optional<ElementType> element_named(std::string_view name) {
  for (const auto& [in_numpy, short_name] : kNumpyNames)
    if (name == in_numpy) name = short_name;
  for (const NamedElement& element : kNamedElements)
    if (name == element.name || name == to_string(element.type)) return element.type;
  return std::nullopt;
}

ElementType ElementType::named(std::string_view name) {
  if (const std::optional<ElementType> named = element_named(name)) return *named;
  refuse(base::format("`{}` is not an element type; the element types are: {}", base::shortened(name), all_names()),
         "Use one of these names, or describe a struct by its layout: ElementType::structure(size, alignment).");
}

ElementType ElementType::structure(std::size_t size, std::size_t alignment) {
  const bool is_possible = size > 0 && size <= std::numeric_limits<std::uint32_t>::max() &&
                           std::has_single_bit(alignment) && size % alignment == 0;
  if (!is_possible)
    refuse(base::format("no struct has a size of {} bytes and an alignment of {}", size, alignment),
           "Pass sizeof and alignof of the struct: the alignment is a power of two, and the size is a multiple of it.");
  return {ElementKind::Class, static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(alignment)};
}

std::string to_string(const ElementType& type) {
  switch (type.kind) {
    case ElementKind::Bool:
      return "bool";
    case ElementKind::Signed:
      return base::format("int{}", 8 * type.size);
    case ElementKind::Unsigned:
      return base::format("uint{}", 8 * type.size);
    case ElementKind::Float:
      return floating_name(type.size);
    case ElementKind::Opaque:
      return "anything";
    case ElementKind::Bfloat:
      return "bfloat16";
    case ElementKind::Complex:
      return base::format("complex<{}>", floating_name(type.size / 2));
    case ElementKind::Enum:
      return base::format("enum{}", 8 * type.size);
    case ElementKind::Bit:
      return "bit";
    case ElementKind::Class:
      break;
  }
  return base::format("{}-byte class aligned to {}", type.size, type.alignment);
}

}  // namespace graft
