// What a child tells its parent: an image, or an error. It never reaches a disk, so it has no version.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "graft/error.hpp"
#include "graft/image.hpp"

namespace graft::cli {

struct ChildMessage {
  std::shared_ptr<const Image::Data> image;  // or
  std::optional<Error> error;
};

base::Bytes write_message(const ChildMessage& message);

// Neither image nor error for bytes that are no message: a child can end in the middle of one.
ChildMessage read_message(std::span<const std::byte> bytes);

}  // namespace graft::cli
