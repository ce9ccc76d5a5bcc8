#include "core/memory_headers.hpp"

#include <filesystem>

namespace graft {

const Header* header_beside(const std::vector<Header>& headers, std::string_view includer, std::string_view name) {
  namespace fs = std::filesystem;
  const fs::path wanted = (fs::path(includer).parent_path() / name).lexically_normal();
  const std::string file = wanted.filename().string();
  const Header* found = nullptr;
  for (const Header& header : headers) {
    const bool can_be_spelled = header.name.find_first_of("\"\n\r") == header.name.npos;
    if (!can_be_spelled || !header.name.ends_with(file)) continue;
    if (fs::path(header.name).lexically_normal() != wanted) continue;
    // Two spellings of one path are two headers. The choice does not depend on the order of the headers.
    if (found == nullptr || header.name < found->name) found = &header;
  }
  return found != nullptr && found->name != name ? found : nullptr;
}

}  // namespace graft
