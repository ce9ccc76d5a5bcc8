// Writes and reads packs. The metadata is a record. The fields() templates list its fields once, for the writer and the
// reader. The reader checks the header, then the file's checksum, then the metadata, and last the position, padding and
// hash of each part.
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
#include "format/compressed_pack.hpp"
#include "format/framing.hpp"
#include "format/pack_header.hpp"
#include "format/pack_version_2.hpp"

namespace graft::format {

template <class Codec, base::Is<PartFacts> T>
void fields(Codec& codec, T& facts) {
  codec.choice(1, facts.route, Route::Indirect);
  codec.field(2, facts.tuning);
  codec.field(3, facts.resources);
  codec.field(4, facts.remaining_calls);
  codec.field(5, facts.cuda_helpers);
}

namespace {

constexpr std::size_t kMetadataSizeAt = 12;
constexpr std::uint32_t kOldestVersion = 2;

// Also bounds how many jobs, kernels and parts a reader makes. A callback takes 2 kB for two architectures, and a pack
// may have a thousand.
constexpr std::size_t kLargestMetadata = 3 << 20;
constexpr std::array<std::string_view, 8> kPartKinds = {"ltoir", "program",      "callback-ptx", "adapter-ptx",
                                                        "cubin", "kernel-ltoir", "slot-ltoir",   "constant-ltoir"};

// The metadata's description of a part.
struct PartRecord {
  std::optional<PackPartKind> kind = {};  // always set after reading: fields() refuses a record without a kind
  Architecture architecture = {};
  std::uint64_t size = 0;
  base::Hash128 hash = {};
  std::optional<PartFacts> facts = {};
  std::uint8_t coding = 0;  // may be a coding of a later graft
  base::Bytes details = {};
};

// The metadata of version 2 is one such record.
struct KernelRecord {
  PackedKernel kernel;  // with kernel.parts empty; `parts` describes the parts
  std::vector<PartRecord> parts;
};

struct JobRecord {
  std::string family;
  base::Bytes request;
  std::vector<KernelRecord> kernels;
  std::string name;
};

struct Metadata {
  std::vector<JobRecord> jobs;
};

template <class Codec, base::Is<PartRecord> T>
void fields(Codec& codec, T& part) {
  codec.choice(1, part.kind, PackPartKind::ConstantLtoIr);
  codec.field(2, part.architecture);
  codec.field(3, part.size);
  codec.field(4, part.hash.low);
  codec.field(5, part.hash.high);
  codec.field(6, part.facts);
  codec.field(7, part.coding);
  codec.later_field(8, part.details);
  if (!part.kind) return codec.refuse();
  // Refuse a part that contains a kernel but has no description of it: graft would launch the kernel with the default
  // tuning (threads per block, elements per thread), for which the kernel was not compiled.
  const bool may_have_kernel = *part.kind != PackPartKind::CallbackPtx && *part.kind <= PackPartKind::Cubin;
  const bool may_lack_kernel = *part.kind == PackPartKind::LtoIr || !may_have_kernel;
  if (part.facts ? !may_have_kernel : !may_lack_kernel) codec.refuse();
}

template <class Codec, base::Is<KernelRecord> T>
void fields(Codec& codec, T& record) {
  auto& kernel = record.kernel;
  codec.field(1, kernel.entry);
  codec.field(2, kernel.symbol);
  codec.field(3, kernel.spec);
  codec.field(4, kernel.line_info);
  codec.field(5, kernel.is_heavy);
  codec.field(6, kernel.has_long_math);
  codec.field(7, kernel.tools);
  codec.field(8, record.parts);
  codec.choice(9, kernel.standard, CppStandard::Cpp20);
  codec.field(10, kernel.thread_words);
  codec.later_field(11, kernel.details);
  if (kernel.standard != CppStandard::Cpp17 && kernel.standard != CppStandard::Cpp20) codec.refuse();
}

template <class Codec, base::Is<JobRecord> T>
void fields(Codec& codec, T& job) {
  codec.field(1, job.family);
  codec.field(2, job.request);
  codec.field(3, job.kernels);
  codec.later_field(4, job.name);
  if (job.kernels.empty()) codec.refuse();
}

template <class Codec, base::Is<Metadata> T>
void fields(Codec& codec, T& metadata) {
  codec.field(1, metadata.jobs);
  if (metadata.jobs.empty()) codec.refuse();
}

KernelRecord record_of(const PackedKernel& kernel) {
  KernelRecord record{kernel, {}};
  for (const PackPart& part : std::exchange(record.kernel.parts, {}))
    record.parts.push_back({part.kind, part.architecture, part.bytes.size(), base::hash(base::as_text(part.bytes)),
                            part.facts, static_cast<std::uint8_t>(part.coding), part.details});
  return record;
}

base::Bytes write_metadata(const Pack& pack) {
  Metadata metadata;
  for (const PackJob& job : pack.jobs) {
    JobRecord& record = metadata.jobs.emplace_back(JobRecord{job.family, job.request, {}, job.name});
    for (const PackedKernel& kernel : job.kernels) record.kernels.push_back(record_of(kernel));
  }
  return base::write_record(metadata);
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : view_(bytes) {}

  Outcome<Pack> read() {
    if (header() && checksum() && contents()) return std::move(pack_);
    return error_;
  }

 private:
  bool fail(Flaw flaw, std::string message, std::size_t offset) {
    error_ = {flaw, std::move(message), offset};
    return false;
  }
  bool passes(std::optional<FormatError> objection) {
    if (objection) error_ = std::move(*objection);
    return !objection;
  }

  bool header() {
    if (!view_.text().starts_with(kPackMagic)) return fail(Flaw::Unknown, "this is not a pack", 0);
    const auto version = view_.number<std::uint32_t>(kPackVersionAt);
    if (version && *version > kCompressedPackVersion)
      return fail(Flaw::Newer,
                  base::format("the pack has format version {}, but this graft reads only versions {} to {}", *version,
                               kOldestVersion, kCompressedPackVersion),
                  kPackVersionAt);
    if (version == kCompressedPackVersion)
      return fail(Flaw::Damaged, "a set of packs holds a compressed one", kPackVersionAt);
    if (version == 0u)
      return fail(Flaw::Damaged, "the pack has format version 0, which does not exist", kPackVersionAt);
    if (version && *version < kOldestVersion) return fail(Flaw::OfGraft01, "it was made by graft 0.1", kPackVersionAt);
    if (!passes(objection_to_size(view_, kPackMetadataAt))) return false;
    version_ = *version;
    metadata_size_ = view_.get<std::uint32_t>(kMetadataSizeAt);
    if (metadata_size_ > kLargestMetadata || !view_.has(kPackMetadataAt, metadata_size_ + kChecksumBytes))
      return fail(Flaw::Damaged, "the pack's header gives an impossible size of the metadata", kMetadataSizeAt);
    return true;
  }

  bool checksum() { return passes(objection_to_checksum(view_)); }

  bool contents() {
    Metadata metadata;
    if (version_ == 2) {
      KernelRecord kernel;
      if (!read_metadata(kernel)) return false;
      const std::string family = kernel.kernel.spec.family;
      metadata.jobs.push_back({family, {}, {std::move(kernel)}, {}});
    } else if (!read_metadata(metadata)) {
      return false;
    }
    at_ = kPackMetadataAt + metadata_size_;
    for (JobRecord& job : metadata.jobs) {
      PackJob& read =
          pack_.jobs.emplace_back(PackJob{std::move(job.family), std::move(job.request), {}, std::move(job.name)});
      for (KernelRecord& record : job.kernels) {
        read.kernels.push_back(std::move(record.kernel));
        for (PartRecord& part : record.parts)
          if (!read_part(part, read.kernels.back())) return false;
      }
    }
    const std::size_t end = view_.size() - kChecksumBytes;
    return at_ == end || fail(Flaw::Damaged, "the pack has extra bytes after its last part", at_);
  }

  template <class Record>
  bool read_metadata(Record& record) {
    auto read = base::examine_record<Record>(view_.bytes().subspan(kPackMetadataAt, metadata_size_));
    const auto* const fault = std::get_if<base::RecordFault>(&read);
    if (fault == nullptr) {
      record = std::move(*std::get_if<Record>(&read));
      return true;
    }
    return *fault == base::RecordFault::Newer
               ? fail(Flaw::Newer, "the pack's metadata has fields that this graft does not know", kPackMetadataAt)
               : fail(Flaw::Damaged, "the pack's metadata is malformed", kPackMetadataAt);
  }

  bool read_part(PartRecord& part, PackedKernel& kernel) {
    if (part.coding > static_cast<std::uint8_t>(Coding::None))
      return fail(Flaw::Newer,
                  base::format("a part of the pack has the coding {}, which this graft does not know", part.coding),
                  kPackMetadataAt);
    const std::size_t end = view_.size() - kChecksumBytes;
    const std::size_t begin = aligned(at_);
    if (begin > end || part.size > end - begin)
      return fail(Flaw::Damaged, "a part extends past the end of the pack", at_);
    if (!is_zero(view_.bytes().subspan(at_, begin - at_)))
      return fail(Flaw::Damaged, "the padding between the pack's parts is not zero", at_);
    const std::span<const std::byte> bytes = view_.bytes().subspan(begin, static_cast<std::size_t>(part.size));
    if (base::hash(base::as_text(bytes)) != part.hash)
      return fail(Flaw::Damaged, "a part does not have the hash that the pack's metadata gives", begin);
    at_ = begin + bytes.size();
    kernel.parts.push_back({.kind = *part.kind,
                            .architecture = part.architecture,
                            .bytes = bytes,
                            .facts = std::move(part.facts),
                            .details = std::move(part.details)});
    return true;
  }

  ByteView view_;
  std::uint32_t version_ = 0;
  std::size_t metadata_size_ = 0;
  std::size_t at_ = 0;  // where the next part begins, or the padding before it
  Pack pack_;
  FormatError error_;
};

// A set has the kernels of one job.
Outcome<Pack> read_set(std::span<const std::byte> bytes) {
  const auto packs = read_pack_set(bytes);
  if (!packs) return packs.error();
  PackJob job;
  for (const std::span<const std::byte> one : *packs) {
    Outcome<Pack> read = Reader(one).read();
    if (!read) return read;
    for (PackJob& part : read->jobs) std::ranges::move(part.kernels, std::back_inserter(job.kernels));
  }
  job.family = job.kernels.front().spec.family;
  Pack pack;
  pack.jobs.push_back(std::move(job));
  return pack;
}

Outcome<Pack> read_compressed(std::span<const std::byte> bytes) {
  Outcome<base::Bytes> plain = decompressed_pack(bytes);
  if (!plain) return plain.error();
  const auto owner = std::make_shared<const base::Bytes>(std::move(*plain));
  Outcome<Pack> pack = Reader(*owner).read();
  if (!pack) return pack;
  for (PackJob& job : pack->jobs)
    for (PackedKernel& kernel : job.kernels)
      for (PackPart& part : kernel.parts) part.owner = owner;
  return pack;
}

}  // namespace

std::string_view to_string(PackPartKind kind) noexcept {
  return kPartKinds[static_cast<std::size_t>(kind)];
}

KernelSpec spec_of(const PackedKernel& kernel, const PackPart& part) {
  KernelSpec spec = kernel.spec;
  spec.architecture = part.architecture;
  if (!part.facts) return spec;
  spec.route = part.facts->route;
  spec.tuning = part.facts->tuning;
  return spec;
}

bool is_pack(std::span<const std::byte> bytes) noexcept {
  return base::as_text(bytes).starts_with(kPackMagic) || is_pack_set(bytes);
}

Outcome<base::Bytes> write_pack(const Pack& pack) {
  const base::Bytes metadata = write_metadata(pack);
  if (metadata.size() > kLargestMetadata)
    return FormatError{Flaw::Unfit, base::format("the pack's metadata is larger than {} bytes", kLargestMetadata), 0};
  std::vector<std::span<const std::byte>> parts;
  for (const PackJob& job : pack.jobs)
    for (const PackedKernel& kernel : job.kernels)
      for (const PackPart& part : kernel.parts) parts.push_back(part.bytes);
  std::size_t whole = kPackMetadataAt + metadata.size();
  for (const std::span<const std::byte> part : parts) whole = aligned(whole) + part.size();
  whole += kChecksumBytes;

  base::LittleEndianWriter writer;
  writer.bytes(base::as_bytes(kPackMagic));
  writer.u32(kPackVersion);
  writer.u32(static_cast<std::uint32_t>(metadata.size()));
  writer.u64(whole);
  writer.bytes(metadata);
  for (const std::span<const std::byte> part : parts) {
    writer.bytes(base::Bytes(aligned(writer.written().size()) - writer.written().size()));
    writer.bytes(part);
  }
  append_checksum(writer);
  return writer.take();
}

Outcome<Pack> read_pack(std::span<const std::byte> bytes) {
  if (is_pack_set(bytes)) return read_set(bytes);
  return is_compressed_pack(bytes) ? read_compressed(bytes) : Reader(bytes).read();
}

}  // namespace graft::format
