// Fuzzes the reader of packs. The target reads each input in five ways: unchanged, with corrected size and checksum
// (which a fuzzer cannot guess), as the metadata of packs of both versions without images, compressed, and as the frame
// in a compressed pack.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/hash.hpp"
#include "families/kept_kernels.hpp"
#include "format/compressed.hpp"
#include "format/compressed_pack.hpp"
#include "format/pack.hpp"
#include "format/pack_version_2.hpp"
#include "fuzz/sealed.hpp"

namespace {

using namespace graft::format;
namespace families = graft::families;

void put(std::string& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}

bool is_same(const PackedKernel& a, const PackedKernel& b) {
  const auto is_same_part = [&](const PackPart& x, const PackPart& y) {
    return x.kind == y.kind && spec_of(a, x) == spec_of(b, y) && x.facts.has_value() == y.facts.has_value() &&
           x.details == y.details && graft::base::as_text(x.bytes) == graft::base::as_text(y.bytes);
  };
  return a.entry == b.entry && a.symbol == b.symbol && a.spec == b.spec && a.tools == b.tools &&
         a.details == b.details && std::ranges::equal(a.parts, b.parts, is_same_part);
}

bool is_same(const Pack& a, const Pack& b) {
  return std::ranges::equal(a.jobs, b.jobs, [](const PackJob& x, const PackJob& y) {
    return x.family == y.family && x.request == y.request && x.name == y.name &&
           std::ranges::equal(x.kernels, y.kernels, [](const auto& k, const auto& l) { return is_same(k, l); });
  });
}

// Reads a pack, writes it, and reads the result again. The second read must give the same pack, and a second write must
// give the same bytes as the first. The first write may change bytes, because the input may omit fields or contain
// fields that readers skip. The first write may also fail, because the metadata with all fields present can exceed its
// size limit.
void read(const std::string& bytes) {
  const auto pack = families::read_pack(graft::base::as_bytes(bytes));
  if (!pack) return;
  const auto written = families::write_pack(*pack);
  if (!written) {
    if (written.error().message.starts_with("the pack's metadata is larger than")) return;
    std::abort();
  }
  const auto again = families::read_pack(*written);
  if (!again || !is_same(*again, *pack)) std::abort();
  const auto rewritten = families::write_pack(*again);
  if (!rewritten || *rewritten != *written) std::abort();
}

// Reads the input as the frame of a compressed pack, for the size of the content that the frame states, and for others.
void read_as_frame(std::span<const std::byte> frame) {
  const std::uint64_t stated = graft::fuzz::stated_size(frame);
  for (const std::uint64_t size : {stated, stated + 1, kMostTimes * frame.size()}) {
    read(std::string(graft::base::as_text(graft::fuzz::pack_around_frame(frame, size))));
    const auto content = decompressed(frame, size);
    if (content && content->size() != size) std::abort();
  }
}

// A compressed pack must be read as the pack in it.
void read_compressed(std::span<const std::byte> plain) {
  const graft::base::Bytes pack(plain.begin(), plain.end());
  const graft::base::Bytes file = compressed_pack(pack);
  if (file.size() > pack.size()) std::abort();
  if (!is_compressed_pack(file)) return;
  if (is_compressed_pack(pack)) return;
  const auto content = decompressed_pack(file);
  if (!content || *content != pack) std::abort();
  const auto stored = families::read_pack(pack), read = families::read_pack(file);
  if (static_cast<bool>(stored) != static_cast<bool>(read) || (read && !is_same(*read, *stored))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kSmallest = 40;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  for (const std::uint32_t version : {2u, kPackVersion})
    read(std::string(graft::base::as_text(graft::fuzz::pack_around(graft::base::as_bytes(bytes), {}, version))));
  read_as_frame(graft::base::as_bytes(bytes));
  read_compressed(graft::base::as_bytes(bytes));
  if (size < kSmallest) return 0;
  if (!is_pack_set(graft::base::as_bytes(bytes))) put(bytes, 16, size);
  const graft::base::Hash128 checksum = graft::base::hash(std::string_view(bytes).substr(0, size - 16));
  put(bytes, size - 16, checksum.low);
  put(bytes, size - 8, checksum.high);
  read(bytes);
  read_compressed(graft::base::as_bytes(bytes));
  return 0;
}
