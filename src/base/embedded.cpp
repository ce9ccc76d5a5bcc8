#include "base/embedded.hpp"

#include <algorithm>

namespace graft::base {

std::string_view embedded_file(std::string_view name) {
  const std::span<const EmbeddedFile> files = embedded_files();
  const auto at =
      std::lower_bound(files.begin(), files.end(), name,
                       [](const EmbeddedFile& file, std::string_view wanted) { return file.name < wanted; });
  return at != files.end() && at->name == name ? at->text : std::string_view();
}

}  // namespace graft::base
