// Entries of a cache as a person names and sees them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "store/maintenance.hpp"

namespace CLI {
class App;
}

namespace graft::cli {

// store::list_entries, with a word on the terminal while it lasts: it reads every file.
std::vector<store::EntryInfo> read_entries(const store::Store& store, std::vector<std::string>& problems);

// "relu": the kernel's name without what graft puts in front of every one.
std::string callback_name(const store::EntryInfo& info);

// Enough of an entry's name to tell it from others.
std::string short_name(const store::EntryInfo& info);

// One line, without its end; and the same for programs. Damaged entries too.
std::string line_of(const store::EntryInfo& info);
nlohmann::json json_of(const store::EntryInfo& info);

// Which entries are meant: those that fit one word of each kind that was given.
struct EntryFilter {
  std::vector<std::string> names;  // what an entry's name begins with
  std::vector<std::string> callbacks;
  std::vector<std::string> architectures;  // 90, sm_90a; or several with commas
  std::vector<std::string> routes;

  bool is_empty() const noexcept {
    return names.empty() && callbacks.empty() && architectures.empty() && routes.empty();
  }
  // Damaged entries fit an empty filter only. Throws Error(InvalidArgument) for what is no architecture.
  bool matches(const store::EntryInfo& info) const;
  std::vector<store::EntryInfo> of(std::vector<store::EntryInfo> entries) const;
};

// --name, --callback, --arch, --route. `filter` must outlive the command.
void add_filter_options(CLI::App& command, EntryFilter& filter);

}  // namespace graft::cli
