// Reads a file with a callback or with the code of kernels, and tells what it is.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "format/file_kind.hpp"
#include "graft/callback.hpp"

namespace graft {

struct CallbackFile {
  std::string bytes;
  format::FileKind kind;
  Form form;
};

// Throws Error: FileUnreadable, ImageRefused.
// `noun` is what messages call the file: "callback".
CallbackFile read_callback_file(const std::filesystem::path& path, std::string_view noun);

}  // namespace graft
