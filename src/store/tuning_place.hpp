// Where a cache has the files that `graft tune` wrote: <folder>/tuning/<GPU>.json (format::tuning_file_name). The rules
// of owner and mode are those of cache entries (folder.hpp): a file of another user, or one that others may write, is
// not read, and neither is one behind a symbolic link. A layer's may also belong to root.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "store/disk.hpp"
#include "store/store.hpp"

namespace graft::store {

inline constexpr const char* kTuningFolder = "tuning";

struct TuningText {
  std::string text;            // empty if no file can be used
  std::filesystem::path path;  // of the text
  // One line that says why a file was not used, and which one. Empty when nothing went wrong.
  std::string problem;
};

// Reads the file of this name in the user's own folder or, if there is none, in the first layer that has one. What was
// measured on this machine comes before what an administrator measured elsewhere.
TuningText find_tuning(const Settings& settings, const std::string& name, Disk& disk = real_disk());

// The files of all GPUs, for kernels that are made without one.
struct TuningNames {
  std::vector<std::string> names;     // sorted, each once; find_tuning() reads them
  std::vector<std::string> problems;  // a line for each folder that was not read, and why
};

// Lists the files in the user's own folder and in the layers.
TuningNames list_tunings(const Settings& settings, Disk& disk = real_disk());

// Writes the file into the user's own folder, in place of an earlier one. Readers see the old or the whole new file.
// Returns one line that says what went wrong; empty when nothing did.
std::string put_tuning(const std::filesystem::path& folder, const std::string& name, std::string_view text,
                       Disk& disk = real_disk());

}  // namespace graft::store
