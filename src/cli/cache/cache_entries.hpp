// Says how the `graft cache` commands name and print a cache entry, and holds the options --name, --callback, --arch
// and --route, by which a user selects entries.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "store/maintenance.hpp"

namespace CLI {
class App;
}

namespace graft::cli {

// Calls store::list_entries. Shows a progress line on the terminal meanwhile, because the call reads every file.
std::vector<store::EntryInfo> read_entries(const store::Store& store, std::vector<std::string>& problems);

// Returns the kernel's name without the prefix that graft gives to every kernel: "relu" of "graft_transform_relu".
std::string callback_name(const store::EntryInfo& info);

// Returns the first 12 characters of an entry's name, which are enough to tell entries apart.
std::string short_name(const store::EntryInfo& info);

// line_of describes an entry in one line without a line end. json_of gives the same facts as JSON. Both functions
// accept damaged entries.
std::string line_of(const store::EntryInfo& info);
nlohmann::json json_of(const store::EntryInfo& info);

// Selects entries. For each option that the user gave, an entry must have one of the given values. An option that the
// user did not give matches every entry.
struct EntryFilter {
  std::vector<std::string> names;  // prefixes of an entry's name
  std::vector<std::string> callbacks;
  std::vector<std::string> architectures;  // each element has one or more architectures, separated by commas: 90,sm_90a
  std::vector<std::string> routes;

  bool is_empty() const noexcept {
    return names.empty() && callbacks.empty() && architectures.empty() && routes.empty();
  }
  // A damaged entry matches only an empty filter. Throws Error(InvalidArgument) for an invalid architecture.
  bool matches(const store::EntryInfo& info) const;
  std::vector<store::EntryInfo> of(std::vector<store::EntryInfo> entries) const;
};

// Adds --name, --callback, --arch and --route to a command. `filter` must outlive the command.
void add_filter_options(CLI::App& command, EntryFilter& filter);

}  // namespace graft::cli
