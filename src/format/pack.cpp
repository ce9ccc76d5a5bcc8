// Writes and reads packs. The metadata is a record. The fields() templates list its fields once, for the writer and the
// reader. The reader checks the header, then the file's checksum, then the metadata, then the position, padding and
// hash of each image, and last calls the KernelCheck (format/outcome.hpp), which refuses kernels that graft could not
// have made. write_pack reads its own result back, so it never returns a file that read_pack refuses.
#include "format/pack.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "base/hash.hpp"
#include "base/little_endian.hpp"
#include "base/record.hpp"
#include "core/fields.hpp"
#include "format/byte_view.hpp"

namespace graft::format {

template <class Codec, base::Is<PackKernel> T>
void fields(Codec& codec, T& kernel) {
  codec.choice(1, kernel.route, Route::Indirect);
  codec.field(2, kernel.tuning);
  codec.field(3, kernel.resources);
  codec.field(4, kernel.remaining_calls);
  codec.field(5, kernel.cuda_helpers);
}

namespace {

constexpr std::string_view kMagic = "\x89GRAFT\r\n";
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kMetadataSizeAt = 12;
constexpr std::size_t kWholeSizeAt = 16;
constexpr std::size_t kHeader = 24;
constexpr std::size_t kChecksum = 16;
constexpr std::size_t kImageAlignment = 16;

constexpr std::size_t kLargestMetadata = 1 << 20;
constexpr std::size_t kMostImages = 1024;
constexpr std::array<std::string_view, 5> kImageKinds = {"ltoir", "program", "callback-ptx", "adapter-ptx", "cubin"};

bool holds(PackPartKind kind, const Tuning& tuning) {
  return kind == PackPartKind::Program || kind == PackPartKind::AdapterPtx || kind == PackPartKind::Cubin ||
         (kind == PackPartKind::LtoIr && tuning != Tuning());
}

// The metadata's description of one image.
struct Listed {
  std::optional<PackPartKind> kind = {};  // always set after reading: fields() refuses a record without a kind
  Architecture architecture = {};
  std::uint64_t size = 0;
  base::Hash128 hash = {};
  std::optional<PackKernel> kernel = {};
};

struct Metadata {
  Pack pack;  // with pack.images empty; Metadata::images describes the images
  std::vector<Listed> images;
};

template <class Codec, base::Is<Listed> T>
void fields(Codec& codec, T& listed) {
  codec.choice(1, listed.kind, PackPartKind::Cubin);
  codec.field(2, listed.architecture);
  codec.field(3, listed.size);
  codec.field(4, listed.hash.low);
  codec.field(5, listed.hash.high);
  codec.field(6, listed.kernel);
  // Refuse an image that contains a kernel but has no description of it: graft would launch the kernel with the default
  // tuning (threads per block, elements per thread), for which the kernel was not compiled.
  const Tuning tuning = listed.kernel ? listed.kernel->tuning : Tuning();
  if (!listed.kind || listed.kernel.has_value() != holds(*listed.kind, tuning)) codec.refuse();
}

template <class Codec, base::Is<Metadata> T>
void fields(Codec& codec, T& metadata) {
  codec.field(1, metadata.pack.entry);
  codec.field(2, metadata.pack.symbol);
  codec.field(3, metadata.pack.kernel);
  codec.field(4, metadata.pack.line_info);
  codec.field(5, metadata.pack.is_heavy);
  codec.field(6, metadata.pack.has_long_math);
  codec.field(7, metadata.pack.tools);
  codec.field(8, metadata.images);
  codec.choice(9, metadata.pack.standard, CppStandard::Cpp20);
  codec.field(10, metadata.pack.thread_words);
  if (metadata.pack.standard != CppStandard::Cpp17 && metadata.pack.standard != CppStandard::Cpp20) codec.refuse();
}

base::Bytes write_metadata(const Pack& pack) {
  Metadata metadata{pack, {}};
  for (const PackPart& image : pack.images) {
    Listed listed{image.kind, image.architecture, image.bytes.size(), base::hash(base::as_text(image.bytes))};
    if (holds_kernel(image)) listed.kernel = image.kernel;
    metadata.images.push_back(std::move(listed));
  }
  return base::write_record(metadata);
}

std::size_t aligned(std::size_t size) {
  return (size + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
}

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, KernelCheck* objection) : view_(bytes), objection_(objection) {}

  Outcome<Pack> read() {
    if (header() && checksum() && contents()) return std::move(pack_);
    return error_;
  }

 private:
  bool fail(Flaw flaw, std::string message, std::size_t offset) {
    error_ = {flaw, std::move(message), offset};
    return false;
  }

  bool header() {
    if (!is_pack(view_.bytes())) return fail(Flaw::Unknown, "this is not a pack", 0);
    const auto version = view_.number<std::uint32_t>(kVersionAt);
    if (version && *version > kPackVersion)
      return fail(
          Flaw::Newer,
          base::format("the pack has format version {}, but this graft reads only version {}", *version, kPackVersion),
          kVersionAt);
    if (version == 0u) return fail(Flaw::Damaged, "the pack has format version 0, which does not exist", kVersionAt);
    if (version && *version < kPackVersion) return fail(Flaw::OfGraft01, "it was made by graft 0.1", kVersionAt);
    if (!view_.has(0, kHeader)) return fail(Flaw::Truncated, "the pack ends inside its header", view_.size());
    const auto whole = view_.get<std::uint64_t>(kWholeSizeAt);
    if (whole > view_.size())
      return fail(Flaw::Truncated, base::format("the pack is cut off after {} of {} bytes", view_.size(), whole),
                  view_.size());
    if (whole < view_.size())
      return fail(Flaw::Damaged, base::format("the file has more than the pack's {} bytes", whole),
                  static_cast<std::size_t>(whole));
    metadata_size_ = view_.get<std::uint32_t>(kMetadataSizeAt);
    if (metadata_size_ > kLargestMetadata || !view_.has(kHeader, metadata_size_ + kChecksum))
      return fail(Flaw::Damaged, "the pack's header gives an impossible size of the metadata", kMetadataSizeAt);
    return true;
  }

  bool checksum() {
    const std::size_t end = view_.size() - kChecksum;
    const base::Hash128 found = base::hash(view_.text().substr(0, end));
    if (found.low == view_.get<std::uint64_t>(end) && found.high == view_.get<std::uint64_t>(end + 8)) return true;
    return fail(Flaw::Damaged, "the pack is damaged: its checksum does not match", end);
  }

  bool contents() {
    auto read = base::examine_record<Metadata>(view_.bytes().subspan(kHeader, metadata_size_));
    const auto* const fault = std::get_if<base::RecordFault>(&read);
    if (fault != nullptr && *fault == base::RecordFault::Newer)
      return fail(Flaw::Newer, "the pack's metadata has fields that this graft does not know", kHeader);
    Metadata* const metadata = std::get_if<Metadata>(&read);
    if (metadata == nullptr || metadata->images.size() > kMostImages)
      return fail(Flaw::Damaged, "the pack's metadata is malformed", kHeader);
    pack_ = std::move(metadata->pack);
    return images(metadata->images) && is_possible();
  }

  bool is_possible() {
    Report common;
    common.kernel = pack_.kernel;
    if (std::string why = objection_(common); !why.empty()) return fail(Flaw::Damaged, std::move(why), kHeader);
    for (const PackPart& image : pack_.images) {
      if (image.architecture.number == 0)
        return fail(Flaw::Damaged, base::format("its {} image has no architecture", to_string(image.kind)), kHeader);
      if (!holds_kernel(image)) continue;
      Report report;  // the report that a launch of this image would use
      report.kernel = kernel_of(pack_, image);
      report.resources = image.kernel.resources;
      if (const std::string why = objection_(report); !why.empty())
        return fail(Flaw::Damaged,
                    base::format("its {} image for {} is not a possible kernel: {}", to_string(image.kind),
                                 image.architecture.sm(), why),
                    kHeader);
    }
    return true;
  }

  bool images(std::vector<Listed>& listed) {
    const std::size_t end = view_.size() - kChecksum;
    std::size_t at = kHeader + metadata_size_;
    for (Listed& one : listed) {
      const std::size_t begin = aligned(at);
      if (begin > end || one.size > end - begin)
        return fail(Flaw::Damaged, "an image extends past the end of the pack", at);
      if (!is_zero(at, begin)) return fail(Flaw::Damaged, "the padding between the pack's images is not zero", at);
      const std::span<const std::byte> bytes = view_.bytes().subspan(begin, static_cast<std::size_t>(one.size));
      if (base::hash(base::as_text(bytes)) != one.hash)
        return fail(Flaw::Damaged, "an image does not have the hash that the pack's metadata gives", begin);
      at = begin + bytes.size();
      pack_.images.push_back({*one.kind, one.architecture, bytes, std::move(one.kernel).value_or(PackKernel())});
    }
    return at == end || fail(Flaw::Damaged, "the pack has extra bytes after its last image", at);
  }

  bool is_zero(std::size_t begin, std::size_t end) const {
    return std::ranges::all_of(view_.bytes().subspan(begin, end - begin),
                               [](std::byte b) { return b == std::byte{0}; });
  }

  ByteView view_;
  KernelCheck* objection_;
  std::size_t metadata_size_ = 0;
  Pack pack_;
  FormatError error_;
};

}  // namespace

std::string_view to_string(PackPartKind kind) noexcept {
  return kImageKinds[static_cast<std::size_t>(kind)];
}

bool holds_kernel(const PackPart& image) noexcept {
  return holds(image.kind, image.kernel.tuning);
}

KernelSpec kernel_of(const Pack& pack, const PackPart& image) {
  KernelSpec kernel = pack.kernel;
  kernel.route = image.kernel.route;
  kernel.architecture = image.architecture;
  kernel.tuning = image.kernel.tuning;
  return kernel;
}

bool is_pack(std::span<const std::byte> bytes) noexcept {
  return base::as_text(bytes).starts_with(kMagic);
}

Outcome<base::Bytes> write_pack(const Pack& pack, KernelCheck* objection) {
  const base::Bytes meta = write_metadata(pack);
  if (meta.size() > kLargestMetadata)
    return FormatError{Flaw::Unfit, base::format("the pack's metadata is larger than {} bytes", kLargestMetadata), 0};
  std::size_t whole = kHeader + meta.size();
  for (const PackPart& image : pack.images) whole = aligned(whole) + image.bytes.size();
  whole += kChecksum;

  base::LittleEndianWriter writer;
  writer.bytes(base::as_bytes(kMagic));
  writer.u32(kPackVersion);
  writer.u32(static_cast<std::uint32_t>(meta.size()));
  writer.u64(whole);
  writer.bytes(meta);
  for (const PackPart& image : pack.images) {
    writer.bytes(base::Bytes(aligned(writer.written().size()) - writer.written().size()));
    writer.bytes(image.bytes);
  }
  const base::Hash128 checksum = base::hash(base::as_text(writer.written()));
  writer.u64(checksum.low);
  writer.u64(checksum.high);
  base::Bytes bytes = writer.take();
  // Only read_pack() has the rules for a valid pack, so read the result back to check it.
  const Outcome<Pack> again = read_pack(bytes, objection);
  if (!again) return FormatError{Flaw::Unfit, "the pack would be invalid: " + again.error().message, 0};
  return bytes;
}

Outcome<Pack> read_pack(std::span<const std::byte> bytes, KernelCheck* objection) {
  return Reader(bytes, objection).read();
}

}  // namespace graft::format
