// ChildMessage is the answer of a child process to its parent: an image, a precompiled callback, a kernel that is now
// in the cache, or an error.
//
// Parent and child are the same program and no message reaches a disk, so the encoding has no version.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "core/image_data.hpp"
#include "graft/error.hpp"

namespace graft::cli {

// A kernel that is in the cache now, because the child built it or found it there.
struct Kept {
  std::string name;        // the name of the cache entry
  bool was_there = false;  // the cache already had the kernel, so nothing was built
  bool is_source = false;  // the callback is source, not a binary compiled elsewhere
};

// Exactly one member is set, or none if the message could not be read.
struct ChildMessage {
  std::shared_ptr<const Image::Data> image = nullptr;
  std::optional<Kept> kept = {};
  std::optional<base::Bytes> precompiled = {};
  std::optional<Error> error = {};
};

base::Bytes write_message(const ChildMessage& message);

// Returns a message without a member if the bytes are damaged, set several members, or describe an impossible kernel.
// The parent must not trust a child, because the child links binaries that others compiled, and can die in the middle
// of a message.
ChildMessage read_message(std::span<const std::byte> bytes);

}  // namespace graft::cli
