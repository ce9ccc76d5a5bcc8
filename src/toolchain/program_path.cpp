// absolute_entries() splits PATH at its colons and drops each entry that does not begin with a slash. safe_path() and
// find_program() use the entries that remain, or "/usr/bin:/bin" if no entry remains.
#include "toolchain/program_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "base/format.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSystemPath = "/usr/bin:/bin";

std::vector<std::string> entries_of(std::string_view path) {
  std::vector<std::string> entries;
  if (path.empty()) return entries;
  for (std::size_t colon = path.find(':'); colon != std::string_view::npos; colon = path.find(':')) {
    entries.emplace_back(path.substr(0, colon));
    path.remove_prefix(colon + 1);
  }
  entries.emplace_back(path);
  return entries;
}

bool is_absolute(const std::string& entry) {
  return entry.starts_with('/');
}

std::vector<std::string> absolute_entries(std::string_view path) {
  std::vector<std::string> entries = entries_of(path);
  std::erase_if(entries, [](const std::string& entry) { return !is_absolute(entry); });
  return entries.empty() ? entries_of(kSystemPath) : entries;
}

}  // namespace

std::string safe_path(std::string_view path) {
  return base::format("{}", base::join(absolute_entries(path), ":"));
}

std::vector<std::string> left_out_of(std::string_view path) {
  std::vector<std::string> entries = entries_of(path);
  std::erase_if(entries, is_absolute);
  return entries;
}

fs::path find_program(const std::string& name, std::string_view path) {
  for (const std::string& folder : absolute_entries(path))
    if (fs::path file = fs::path(folder) / name; is_program(file)) return file;
  return {};
}

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

}  // namespace graft::toolchain
