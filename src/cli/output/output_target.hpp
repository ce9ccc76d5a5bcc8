// Finds out what an output path refers to after symbolic links are followed. If the path refers to a regular file,
// new_file.cpp replaces the file. If it refers to a device, a FIFO or an open descriptor, new_file.cpp opens the path
// and writes to it.
#pragma once

#include <filesystem>
#include <string>

namespace graft::cli {

struct OutputTarget {
  enum class Kind {
    File,        // a regular file `folder` / `name`, which may not exist yet
    Special,     // a device, a FIFO or a socket, which is opened and written
    Descriptor,  // an open file of this process: /dev/stdout, /dev/fd/7
  };
  Kind kind = Kind::File;
  std::filesystem::path folder;  // canonical: absolute and without symbolic links
  std::string name;              // the file's name in `folder`; not a symbolic link
  int descriptor = -1;           // the descriptor's number, for Kind::Descriptor

  std::filesystem::path path() const { return folder / name; }
};

// Follows symbolic links. The file to which the path leads need not exist yet. Throws std::system_error if the folder
// does not exist, the links form a loop, or the path is a folder.
OutputTarget find_output_target(const std::filesystem::path& path);

// Returns whether a write to `path` goes to this process's standard output.
bool is_standard_output(const std::filesystem::path& path);

}  // namespace graft::cli
