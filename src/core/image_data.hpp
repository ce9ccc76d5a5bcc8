// Image::Data: the immutable content that all copies of an Image share, and the form in which graft's own code passes a
// built kernel on.
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "graft/image.hpp"

namespace graft {

struct Image::Data {
  base::Bytes bytes;
  Report report;
  bool is_for_one_call = false;   // a header changed during the build, so no other request may get this image
  bool is_from_disk = false;      // read from the cache and not built
  bool depends_on_tools = false;  // with other tools, a route that is tried earlier might have been possible

  // The kernel's description. The rest of the report is for people: no code decides by it.
  const KernelSpec& kernel() const noexcept { return report.kernel; }

  // The data that an image shares with its copies; never null.
  static const std::shared_ptr<const Data>& of(const Image& image) noexcept { return image.data_; }
  static Image image(std::shared_ptr<const Data> data) { return Image(std::move(data)); }
};

}  // namespace graft
