// Encodes a ChildMessage as a record (base/record.hpp), and decodes it. read_message also makes the checks that must
// succeed before a parent uses a message.
#include "cli/child/child_message.hpp"

#include <utility>

#include "base/record.hpp"
#include "core/error_record.hpp"
#include "core/fields.hpp"
#include "core/image_data.hpp"
#include "families/kernel_check.hpp"

namespace graft::cli {
namespace {

// A ChildMessage holds its image by a shared pointer. The encoded message contains the Image::Data to which the shared
// pointer points.
template <class Codec, base::Is<ChildMessage> T>
void image_field(Codec& codec, std::uint16_t tag, T& message) {
  if constexpr (Codec::kReads) {
    std::optional<Image::Data> image;
    codec.field(tag, image);
    if (image && codec.good()) message.image = std::make_shared<const Image::Data>(std::move(*image));
  } else if (message.image) {
    codec.field(tag, *message.image);
  }
}

bool is_possible_kernel(const Image::Data& image) {
  return families::objection_to(image.report).empty() &&
         (image.report.kernel.route == Route::Host ||
          families::objection_to_image(image.report.kernel, image.bytes).empty());
}

}  // namespace

template <class Codec, base::Is<CachedKernel> T>
void fields(Codec& codec, T& kept) {
  codec.field(1, kept.name);
  codec.field(2, kept.was_there);
  codec.field(3, kept.is_source);
}

template <class Codec, base::Is<ChildMessage> T>
void fields(Codec& codec, T& message) {
  image_field(codec, 1, message);
  codec.field(2, message.kept);
  codec.field(3, message.precompiled);
  error_field(codec, 4, message.error);
}

base::Bytes write_message(const ChildMessage& message) {
  return base::write_record(message);
}

ChildMessage read_message(std::span<const std::byte> bytes) {
  std::optional<ChildMessage> message = base::read_record<ChildMessage>(bytes);
  if (!message) return {};
  const int things = (message->image != nullptr) + message->kept.has_value() + message->precompiled.has_value() +
                     message->error.has_value();
  const bool is_good = things == 1 && (!message->image || is_possible_kernel(*message->image));
  return is_good ? std::move(*message) : ChildMessage{};
}

}  // namespace graft::cli
