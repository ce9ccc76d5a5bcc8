// The ready-made callbacks, whose files (callbacks/*.cuh) are embedded in the library as "graft/callbacks/image.cuh". A
// callback's text includes such a file by this name, on every route:
//
//     #include <graft/callbacks/image.cuh>
//
// This file finds the functions in them by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/embedded.hpp"

namespace graft::reflect {

inline constexpr std::string_view kReadyMadeFolder = "graft/callbacks/";
inline constexpr std::string_view kReadyMadeNamespace = "graft::callbacks::";

std::vector<base::EmbeddedFile> ready_made_files();

// Whether the text is that of one of the files, and nothing else.
bool is_ready_made(std::string_view text);

// Returns the names of a file's callbacks, without the namespace: "hann" of windows.cuh. Functions of a namespace
// `detail` are left out.
std::vector<std::string> ready_made_names(std::string_view text);

// Returns the file that defines the callback. The name is without namespace and template arguments. Returns a file
// without a name if there is none.
base::EmbeddedFile ready_made_file(std::string_view name);

// Returns names of ready-made callbacks of which `wanted` may be a misspelling or a part, at most eight. May be empty.
std::vector<std::string> near_ready_made(std::string_view wanted);

}  // namespace graft::reflect
