#include "graft/image.hpp"

#include "core/image_data.hpp"

namespace graft {

std::span<const std::byte> Image::bytes() const noexcept {
  return data_->bytes;
}

const Report& Image::report() const noexcept {
  return data_->report;
}

const Signature& Image::signature() const noexcept {
  return data_->kernel().signature;
}

}  // namespace graft
