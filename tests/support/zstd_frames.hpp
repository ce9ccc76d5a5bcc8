// Frames of zstd that a reader must refuse, although zstd itself takes some of them (format/compressed.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "format/compressed.hpp"

namespace graft::test {

inline base::Bytes bytes_of(std::initializer_list<unsigned> values) {
  base::Bytes bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

inline base::Bytes joined(std::span<const std::byte> first, std::span<const std::byte> second) {
  base::Bytes both(first.begin(), first.end());
  both.insert(both.end(), second.begin(), second.end());
  return both;
}

// A frame of blocks of zeros that says that its content has 1 MiB: 4 bytes for each 128 KiB.
inline base::Bytes bomb() {
  base::Bytes frame = bytes_of({0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0x10, 0});
  for (int left = 8; left-- > 0;) {
    const base::Bytes block = bytes_of({left == 0 ? 0x03u : 0x02u, 0, 0x10, 0});
    frame.insert(frame.end(), block.begin(), block.end());
  }
  return frame;
}

// Returns frames in place of `frame`, whose content is `content`, each with what is wrong with it.
inline std::vector<std::pair<std::string, base::Bytes>> wrong_frames(const base::Bytes& frame,
                                                                     const base::Bytes& content) {
  const base::Bytes skipped = bytes_of({0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4});
  base::Bytes shorter_content(content.begin(), content.end() - 1);
  base::Bytes with_dictionary = frame;
  with_dictionary[4] |= std::byte{1};
  with_dictionary.insert(with_dictionary.begin() + 5, std::byte{9});  // the dictionary's number
  base::Bytes without_size = frame;
  without_size[4] = std::byte{0};
  return {
      {"no frame", {}},
      {"a byte behind the frame", joined(frame, bytes_of({0}))},
      {"the magic number of another frame behind the frame", joined(frame, bytes_of({0x28, 0xb5, 0x2f, 0xfd}))},
      {"a frame that zstd skips behind the frame", joined(frame, skipped)},
      {"a frame that zstd skips before the frame", joined(skipped, frame)},
      {"a frame that zstd skips", skipped},
      {"two frames", joined(frame, frame)},
      {"the frame without its last byte", base::Bytes(frame.begin(), frame.end() - 1)},
      {"half of the frame", base::Bytes(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(frame.size() / 2))},
      {"another content", format::compressed(shorter_content, format::Effort::Quick).value()},
      {"a dictionary is needed", with_dictionary},
      {"the frame does not say its size", without_size},
      {"a bomb", bomb()},
      {"a format of zstd 0.7", joined(bytes_of({0x27}), std::span(frame).subspan(1))}};
}

}  // namespace graft::test
