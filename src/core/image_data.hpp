// Image::Data is the immutable content that all copies of an Image share. Inside graft, a built kernel is passed from
// function to function as an Image::Data.
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "graft/image.hpp"

namespace graft {

struct Image::Data {
  base::Bytes bytes;
  Report report;
  // A header changed during the build, so the image is given only to the request that built it.
  bool is_for_one_call = false;
  // The image was read from the cache on disk.
  bool is_from_disk = false;
  // Other tools might have allowed a route that graft prefers to the chosen one.
  bool depends_on_tools = false;

  // The kernel's description. Code may use this part of the report only; the other parts are for people to read.
  const KernelSpec& kernel() const noexcept { return report.kernel; }

  // The data that `image` shares with its copies. Never null.
  static const std::shared_ptr<const Data>& of(const Image& image) noexcept { return image.data_; }
  static Image image(std::shared_ptr<const Data> data) { return Image(std::move(data)); }
};

}  // namespace graft
