// What the functions that compile ahead of time take and return, in C++'s types.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "c/handles.hpp"

namespace graft::c {

// These throw Error(InvalidArgument).
std::vector<Architecture> architectures_of(const char* const* names, std::size_t count);
// `names` may be null, and each of them.
std::vector<PackEntry> entries_of(const graft_callback* const* callbacks, const char* const* names, std::size_t count);
PrecompileFormat format_of(graft_format format);

std::string text_of(const std::vector<std::byte>& bytes);

}  // namespace graft::c
