// A built kernel as graft's own parts pass it on: the inside of an Image.
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "graft/image.hpp"

namespace graft {

struct Image::Data {
  base::Bytes bytes;
  Report report;
  bool is_for_one_call = false;   // a header changed meanwhile: no other request may get it
  bool is_from_disk = false;      // it was read, and not built
  bool depends_on_tools = false;  // other tools would have allowed a route that comes first

  // What it is; the rest of the report is for people.
  const KernelSpec& kernel() const noexcept { return report.kernel; }

  // Shared by an image and its copies; never null.
  static const std::shared_ptr<const Data>& of(const Image& image) noexcept { return image.data_; }
  static Image image(std::shared_ptr<const Data> data) { return Image(std::move(data)); }
};

}  // namespace graft
