// ChildMessage is the answer of a child process to its parent: an image, a precompiled callback, a kernel that is now
// in the cache, or an error.
//
// Parent and child are the same program, and messages are not written to disk, so the encoding needs no version number.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "core/image_data.hpp"
#include "graft/error.hpp"

namespace graft::cli {

// Describes a kernel that is in the cache now, because the child built the kernel or found it in the cache.
struct CachedKernel {
  std::string name;        // the name of the cache entry
  bool was_there = false;  // true if the cache already had the kernel, so nothing was built
  bool is_source = false;  // true if the callback is source, false if it is a callback binary
};

// The answer of a child. Exactly one member is set, or no member if the message could not be read.
struct ChildMessage {
  std::shared_ptr<const Image::Data> image = nullptr;  // the kernel that `graft __build` built
  std::optional<CachedKernel> kept = {};               // the kernel that `graft __warm` put into the cache
  std::optional<base::Bytes> precompiled = {};         // the bytes that `graft __precompile` made, or __state_object
  std::optional<Error> error = {};                     // the Error that the work threw
};

base::Bytes write_message(const ChildMessage& message);

// Decodes a message. Returns a message in which no member is set if the bytes are damaged, set several members, or
// describe a kernel that graft cannot have made (families/kernel_check.hpp). The parent must not trust a child, because
// the child links binaries that others compiled, and can die in the middle of a message.
ChildMessage read_message(std::span<const std::byte> bytes);

}  // namespace graft::cli
