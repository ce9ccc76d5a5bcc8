// Image::Data is the immutable content that all copies of an Image share. Inside graft, a built kernel is passed from
// function to function as an Image::Data.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "graft/image.hpp"

namespace graft {

struct Image::Data {
  base::Bytes bytes;
  Report report;
  // True if graft read the image from the cache on disk instead of building the kernel.
  bool is_from_disk = false;
  // Whether the build keeps the PTX of which it makes the kernel, and that PTX, a text for each module: for people to
  // read (routes::kernel_ptx). Empty if the kernel was not made of PTX.
  bool keeps_ptx = false;
  std::vector<std::string> ptx = {};
  // True if this machine lacks tools (for example a newer linker) with which graft might have built the kernel by
  // another route, one that it prefers. The cache entry is then used only as long as the same tools are installed.
  bool depends_on_tools = false;

  // Says why the kernel must not be stored on disk or put into a pack: the linker may not have optimised it
  // (compile/optimiser_check.hpp). Empty if it may be stored. The answer takes some milliseconds. Null if the kernel
  // needs no such check, for example because another process built it.
  std::function<std::string()> objection_to_storing = {};

  // Returns the kernel's description. Code may depend on this part of the report only, because the other parts are for
  // people to read.
  const KernelSpec& kernel() const noexcept { return report.kernel; }

  // The data that `image` shares with its copies. Never null.
  static const std::shared_ptr<const Data>& of(const Image& image) noexcept { return image.data_; }
  static Image image(std::shared_ptr<const Data> data) { return Image(std::move(data)); }
};

}  // namespace graft
