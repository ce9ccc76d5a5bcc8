// Element types as text.
#include "graft/element.hpp"
#include "base/format.hpp"

namespace graft {
namespace {

std::string floating_name(std::uint32_t size) {
  return size == 2 ? "half" : size == 4 ? "float" : size == 8 ? "double" : base::format("float{}", 8 * size);
}

}  // namespace

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
    case ElementKind::Class:
      break;
  }
  return base::format("{}-byte class aligned to {}", type.size, type.alignment);
}

}  // namespace graft
