// A search first looks for the name in the files' bytes, so that it reads the functions of one file and not of all.
#include "reflect/callback/ready_made.hpp"

#include <algorithm>

#include "reflect/callback/scan.hpp"

namespace graft::reflect {

std::vector<base::EmbeddedFile> ready_made_files() {
  std::vector<base::EmbeddedFile> files;
  for (const base::EmbeddedFile& file : base::embedded_files())
    if (file.name.starts_with(kReadyMadeFolder)) files.push_back(file);
  return files;
}

bool is_ready_made(std::string_view text) {
  return std::ranges::any_of(ready_made_files(), [&](const base::EmbeddedFile& file) { return file.text == text; });
}

std::vector<std::string> ready_made_names(std::string_view text) {
  std::vector<std::string> names;
  for (const FunctionFound& function : scan(Text(text)).functions) {
    if (!function.is_device || !function.name.starts_with(kReadyMadeNamespace)) continue;
    std::string name = function.name.substr(kReadyMadeNamespace.size());
    const bool is_own = name.find(':') == name.npos;
    if (is_own && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

base::EmbeddedFile ready_made_file(std::string_view name) {
  for (const base::EmbeddedFile& file : ready_made_files()) {
    if (file.text.find(name) == file.text.npos) continue;
    const std::vector<std::string> names = ready_made_names(file.text);
    if (std::ranges::find(names, name) != names.end()) return file;
  }
  return {};
}

std::vector<std::string> near_ready_made(std::string_view wanted) {
  constexpr std::size_t kLeastPart = 3;
  constexpr std::size_t kLongestName = 100;  // a longer text is no misspelt name, and comparing it would take long
  constexpr std::size_t kMostShown = 8;
  if (wanted.size() > kLongestName) return {};
  std::vector<std::string> all;
  for (const base::EmbeddedFile& file : ready_made_files())
    for (std::string& name : ready_made_names(file.text)) all.push_back(std::move(name));
  std::vector<std::string> near;
  if (std::string best = nearest(wanted, all); !best.empty()) near.push_back(std::move(best));
  for (const std::string& name : all) {
    const bool is_part = (wanted.size() >= kLeastPart && name.find(wanted) != name.npos) ||
                         (name.size() >= kLeastPart && wanted.find(name) != wanted.npos);
    const bool is_new = std::ranges::find(near, name) == near.end();
    if (is_part && is_new && near.size() < kMostShown) near.push_back(name);
  }
  return near;
}

}  // namespace graft::reflect
