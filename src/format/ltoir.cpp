// Reads the LTO-IR header and maps its versions to CUDA releases. A new release of CUDA needs a new row in kReleases.
#include "format/ltoir.hpp"

#include <cstdint>

#include "base/format.hpp"
#include "format/byte_view.hpp"

namespace graft::format {
namespace {

constexpr std::uint32_t kMagic = 0x7f4e43ed;
constexpr std::size_t kHeader = 24;
constexpr std::uint16_t kArchitectureTag = 1;
constexpr std::uint16_t kSpecificTag = 0x20;

struct Release {
  Version container;
  Version nvvm;
  Version cuda;
};

// Each row has a container version, an NVVM IR version, and the release of CUDA whose NVRTC writes these two versions.
constexpr Release kReleases[] = {
    {{1, 0x39}, {2, 0x33}, {12, 0}}, {{1, 0x3d}, {2, 0x47}, {12, 4}}, {{1, 0x40}, {2, 0x59}, {12, 8}},
    {{1, 0x40}, {2, 0x5d}, {12, 9}}, {{1, 0x41}, {2, 0x62}, {13, 0}}, {{1, 0x42}, {2, 0x6b}, {13, 1}},
    {{1, 0x42}, {2, 0x72}, {13, 2}}, {{1, 0x43}, {2, 0x73}, {13, 3}}, {{1, 0x43}, {2, 0x78}, {13, 4}},
    {{1, 0x43}, {2, 0x83}, {13, 5}},
};

Version version(ByteView view, std::size_t offset) {
  return {view.get<std::uint8_t>(offset), view.get<std::uint8_t>(offset + 1)};
}

}  // namespace

bool is_ltoir(std::span<const std::byte> bytes) noexcept {
  return ByteView(bytes).number<std::uint32_t>(0) == kMagic;
}

Outcome<LtoIr> read_ltoir(std::span<const std::byte> bytes) {
  const ByteView view(bytes);
  if (!is_ltoir(bytes)) return FormatError{Flaw::Unknown, "this is not LTO-IR", 0};
  if (!view.has(0, kHeader)) return FormatError{Flaw::Truncated, "the LTO-IR ends inside its header", view.size()};
  LtoIr found;
  found.container = version(view, 4);
  found.nvvm = version(view, 6);
  const std::size_t begin = view.get<std::uint16_t>(12);
  const std::size_t end = view.get<std::uint32_t>(16);
  if (begin < kHeader || end < begin)
    return FormatError{Flaw::Damaged, "the LTO-IR's header contains sizes that contradict each other", 12};
  if (!view.has(begin, end - begin))
    return FormatError{Flaw::Truncated, "the LTO-IR ends inside its header", view.size()};
  for (std::size_t at = begin; end - at >= 4; at += 4) {
    const auto tag = view.get<std::uint16_t>(at);
    const auto value = view.get<std::uint16_t>(at + 2);
    if (tag == 0) break;
    if (tag == kArchitectureTag) found.architecture.number = value / 10;
    if (tag == kSpecificTag && value == 1) found.architecture.suffix = 'a';
  }
  if (found.architecture.number == 0)
    return FormatError{Flaw::Damaged, "the LTO-IR's header names no architecture", begin};
  return found;
}

Version LtoIr::producer() const {
  Version known = kReleases[0].cuda;
  for (const Release& release : kReleases)
    if (release.nvvm <= nvvm) known = release.cuda;
  return known;
}

Version oldest_producer(const Version& container) {
  const Release* known = &kReleases[0];
  for (const Release& release : kReleases)
    if (known->container < release.container && release.container <= container) known = &release;
  return known->cuda;
}

}  // namespace graft::format
