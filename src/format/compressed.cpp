#include "format/compressed.hpp"

#include <atomic>

#include "base/format.hpp"
#include "format/byte_view.hpp"

#ifdef GRAFT_HAS_ZSTD
#include <zstd.h>
#endif

namespace graft::format {
namespace {

std::atomic<int> hidden{0};  // how many WithoutZstd exist

FormatError damaged(const char* message) {
  return {Flaw::Damaged, message, 0};
}

#ifdef GRAFT_HAS_ZSTD

constexpr bool kHasZstd = true;

// Level 6 takes 0.3 ms for an entry of 50 kB, and its frame is a tenth smaller than that of level 3, which takes 0.08
// ms; compiling the kernel took 50 ms or more. For packs, level 19 takes 6 ms (relu) to 40 ms (gelu for halves), and
// level 22 makes no smaller frames. The frames of all levels are decompressed equally fast. Measured with zstd 1.5.4.
constexpr int level_of(Effort effort) {
  return effort == Effort::Quick ? 6 : 19;
}

std::optional<base::Bytes> compress(std::span<const std::byte> content, Effort effort) {
  base::Bytes frame(ZSTD_compressBound(content.size()));
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), content.data(), content.size(), level_of(effort));
  if (ZSTD_isError(size) != 0) return std::nullopt;  // zstd found no memory
  frame.resize(size);
  return frame;
}

bool is_one_frame(std::span<const std::byte> bytes) {
  return ByteView(bytes).number<std::uint32_t>(0) == ZSTD_MAGICNUMBER &&
         ZSTD_findFrameCompressedSize(bytes.data(), bytes.size()) == bytes.size();
}

Outcome<base::Bytes> decompress(std::span<const std::byte> frame, std::size_t size) {
  if (!is_one_frame(frame)) return damaged("the compressed content is not one frame of zstd");
  if (ZSTD_getDictID_fromFrame(frame.data(), frame.size()) != 0)
    return damaged("the compressed content needs a dictionary");
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size)
    return damaged("the compressed content has another size than the file says");
  base::Bytes content(size);
  // zstd returns the size of the content, or a number above any size after an error.
  if (ZSTD_decompress(content.data(), content.size(), frame.data(), frame.size()) != size)
    return damaged("the compressed content is damaged");
  return content;
}

#else

constexpr bool kHasZstd = false;

std::optional<base::Bytes> compress(std::span<const std::byte>, Effort) {
  return std::nullopt;
}

Outcome<base::Bytes> decompress(std::span<const std::byte>, std::size_t) {
  return damaged("");  // never called
}

#endif

bool has_possible_size(std::span<const std::byte> frame, std::uint64_t size) {
  return size != 0 && size <= kLargestContent && size / kMostTimes <= frame.size();
}

}  // namespace

WithoutZstd::WithoutZstd() noexcept {
  ++hidden;
}
WithoutZstd::~WithoutZstd() {
  --hidden;
}

bool has_zstd() noexcept {
  return kHasZstd && hidden == 0;
}

std::optional<base::Bytes> compressed(std::span<const std::byte> content, Effort effort) {
  if (!has_zstd() || content.size() > kLargestContent) return std::nullopt;
  std::optional<base::Bytes> frame = compress(content, effort);
  if (!frame || frame->size() >= content.size() || !has_possible_size(*frame, content.size())) return std::nullopt;
  return frame;
}

Outcome<base::Bytes> decompressed(std::span<const std::byte> frame, std::uint64_t size) {
  if (!has_possible_size(frame, size)) return damaged("the file gives an impossible size of its compressed content");
  if (!has_zstd()) return FormatError{Flaw::Compressed, base::format("it {}", kNeedsZstd), 0};
  return decompress(frame, static_cast<std::size_t>(size));
}

}  // namespace graft::format
