// Where the bytes of an output file go: what the user's name stands for when symbolic links are followed.
#pragma once

#include <filesystem>
#include <string>

namespace graft::cli {

struct OutputTarget {
  enum class Kind {
    File,        // a regular file, or nothing yet: `folder` / `name`
    Special,     // a device, a FIFO, a socket: to be opened as it is
    Descriptor,  // a file that this process has open already: /dev/stdout, /dev/fd/7
  };
  Kind kind = Kind::File;
  std::filesystem::path folder;  // without links
  std::string name;              // in the folder; of no link
  int descriptor = -1;

  std::filesystem::path path() const { return folder / name; }
};

// Follows symbolic links to what they mean, which need not exist yet. Throws std::system_error: no such folder, a loop
// of links, a folder in place of a file.
OutputTarget find_output_target(const std::filesystem::path& path);

// Whether what is written to `path` goes to standard output.
bool is_standard_output(const std::filesystem::path& path);

}  // namespace graft::cli
