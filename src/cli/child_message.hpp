// What a child tells its parent: an image, a precompiled callback, that it put a kernel into the cache, or an error. It
// never reaches a disk, so it has no version.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/bytes.hpp"
#include "core/image_data.hpp"
#include "graft/error.hpp"

namespace graft::cli {

// A kernel that is in the cache now.
struct Kept {
  std::string name;        // of its entry
  bool was_there = false;  // nothing had to be built
  bool is_source = false;  // and not something compiled elsewhere
};

// One of them.
struct ChildMessage {
  std::shared_ptr<const Image::Data> image = nullptr;
  std::optional<Kept> kept = {};
  std::optional<base::Bytes> precompiled = {};
  std::optional<Error> error = {};
};

base::Bytes write_message(const ChildMessage& message);

// None of them for bytes that are no message, that tell of several, or of an impossible kernel: a child links what
// others compiled, and can end in the middle of a message.
ChildMessage read_message(std::span<const std::byte> bytes);

}  // namespace graft::cli
