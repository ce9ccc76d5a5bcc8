// Element types as text.
#include "graft/element.hpp"

#include <fmt/format.h>

namespace graft {
namespace {

std::string floating_name(std::uint32_t size) {
  return size == 2 ? "half" : size == 4 ? "float" : size == 8 ? "double" : fmt::format("float{}", 8 * size);
}

}  // namespace

std::string to_string(const ElementType& type) {
  switch (type.kind) {
    case ElementKind::Bool:
      return "bool";
    case ElementKind::Signed:
      return fmt::format("int{}", 8 * type.size);
    case ElementKind::Unsigned:
      return fmt::format("uint{}", 8 * type.size);
    case ElementKind::Float:
      return floating_name(type.size);
    case ElementKind::Opaque:
      return "anything";
    case ElementKind::Bfloat:
      return "bfloat16";
    case ElementKind::Complex:
      return fmt::format("complex<{}>", floating_name(type.size / 2));
    case ElementKind::Enum:
      return fmt::format("enum{}", 8 * type.size);
    case ElementKind::Class:
      break;
  }
  return fmt::format("{}-byte class aligned to {}", type.size, type.alignment);
}

}  // namespace graft
