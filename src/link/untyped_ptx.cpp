#include "link/untyped_ptx.hpp"

namespace graft::link {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

bool is_number(std::string_view type) {
  return (type[1] == 'f' || type[1] == 's' || type[1] == 'u') && (type.ends_with("32") || type.ends_with("64"));
}

// Whether the parameter is a kernel's pointer, which is declared as `.param .u64 .ptr .global .align 16 p`. Such
// parameters are not rewritten, because PTX allows .ptr only behind a numeric type.
bool is_pointer(std::string_view ptx, std::size_t behind_type) {
  const std::size_t next = ptx.find_first_not_of(kSpaces, behind_type);
  return next != std::string_view::npos && ptx.substr(next).starts_with(".ptr");
}

}  // namespace

std::optional<std::string> with_untyped_parameters(std::string_view ptx) {
  constexpr std::string_view kParameter = ".param";
  constexpr std::size_t kTypeSize = 4;  // bytes of a type such as ".f32"
  std::optional<std::string> text;
  for (std::size_t at = ptx.find(kParameter); at != std::string_view::npos; at = ptx.find(kParameter, at + 1)) {
    const std::size_t type = ptx.find_first_not_of(kSpaces, at + kParameter.size());
    // An instruction such as ld.param.f32, where no space separates .param and the type.
    if (type == std::string_view::npos || type == at + kParameter.size()) continue;
    const std::size_t behind = type + kTypeSize;
    if (behind >= ptx.size() || kSpaces.find(ptx[behind]) == std::string_view::npos) continue;
    if (ptx[type] != '.' || !is_number(ptx.substr(type, kTypeSize)) || is_pointer(ptx, behind)) continue;
    if (!text) text.emplace(ptx);
    (*text)[type + 1] = 'b';
  }
  return text;
}

}  // namespace graft::link
