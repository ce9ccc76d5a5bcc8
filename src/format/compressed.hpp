// Compresses what graft writes to disk, with zstd (https://github.com/facebook/zstd) if graft is built with it.
//
// Cache entries and packs are mostly text: the program of a kernel, and PTX. An entry with a program of 30 kB has 50 kB
// stored and 11 kB compressed, and a pack of gelu for halves 123 kB and 24 kB. A build without zstd writes both as they
// are, and refuses what is compressed by its name, Flaw::Compressed, and not as damaged.
//
// Frames come from anybody, so the reader believes nothing in them:
//
//   - The file that contains a frame also says the size of the content. The reader refuses a size above kLargestContent
//     or above kMostTimes the size of the frame before it allocates memory, and zstd writes at most that many bytes.
//   - The bytes must be exactly one frame of today's format, which states the same size and needs no dictionary. zstd
//     would also take several frames, frames that it skips, and frames of its old formats.
//
// The checksums of entries and packs cover the frame, so frames have no checksum of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "format/outcome.hpp"

namespace graft::format {

// How bytes are stored. The numbers are stored in files. Do not change the numbers.
enum class Coding : std::uint8_t {
  None = 0,  // unchanged
  Zstd = 1,  // one frame of zstd
};

// The largest content in bytes. The largest entry file that is read has as many (store.cpp). Entries have 10 to 75 kB,
// and a pack of four large kernels for two architectures has 0.4 MB.
inline constexpr std::uint64_t kLargestContent = std::uint64_t{256} << 20;

// How many times larger than its frame a content may be. Entries and packs are 2 to 7 times larger. What would be more
// than 64 times larger is stored, so that a small file never takes much memory.
inline constexpr std::uint64_t kMostTimes = 64;

enum class Effort : std::uint8_t {
  Quick,     // for a process that waits: 0.3 ms for an entry of 50 kB
  Thorough,  // for files that are made once: 40 ms for a pack of 123 kB, which becomes a tenth smaller than by Quick
};

// Returns the content as a frame. Returns nothing if the content must be stored: this build has no zstd, the frame
// would not be smaller, or the content exceeds a limit above.
std::optional<base::Bytes> compressed(std::span<const std::byte> content, Effort effort);

// Returns the content of a frame, which has `size` bytes. The error is Flaw::Compressed in a build without zstd, and
// Flaw::Damaged otherwise.
Outcome<base::Bytes> decompressed(std::span<const std::byte> frame, std::uint64_t size);

// While it exists, this process behaves as a build without zstd. For tests.
class WithoutZstd {
 public:
  WithoutZstd() noexcept;
  ~WithoutZstd();
  WithoutZstd(const WithoutZstd&) = delete;
  WithoutZstd& operator=(const WithoutZstd&) = delete;
};

// Whether this build has zstd.
bool has_zstd() noexcept;
// Of a file, if it has not.
inline constexpr const char* kNeedsZstd = "is compressed with zstd, which this build of graft does not have";

}  // namespace graft::format
