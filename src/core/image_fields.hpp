// The record fields (base/record.hpp) of a built kernel. A child process that builds a kernel sends these fields to its
// parent process.
#pragma once

#include "base/record.hpp"
#include "core/fields.hpp"
#include "core/image_data.hpp"

namespace graft {

template <class Codec, base::Is<Image::Data> T>
void fields(Codec& codec, T& image) {
  codec.field(1, image.report);
  codec.field(2, image.bytes);
  codec.field(3, image.is_from_disk);
  codec.field(4, image.is_for_one_call);
  codec.field(5, image.depends_on_tools);
  // The record of the report does not contain from_cache.
  if constexpr (Codec::kReads) image.report.from_cache = image.is_from_disk;
}

}  // namespace graft
