// Writes and reads cache entries. Reading has two steps. First split() checks magic, version, sizes and checksum and
// divides the file into key and content. Then unpack() decompresses the content, decodes the report and checks that the
// kernel fits the key.
#include "format/cache_entry.hpp"

#include <optional>
#include <utility>

#include "base/format.hpp"
#include "base/little_endian.hpp"
#include "base/record.hpp"
#include "core/fields.hpp"
#include "core/version.hpp"
#include "format/elf.hpp"
#include "format/framing.hpp"
#include "format/key_fields.hpp"

namespace graft::format {
namespace {

constexpr std::string_view kMagic = "GRAFTENT";
constexpr std::size_t kHeaderBytes = 40;
constexpr std::uint32_t kVersionWithoutCoding = 2;

// The record in an entry's `meta` part. It contains the report's fields and two fields of the entry: `build`, the build
// of graft that made the kernel, and `recipe`, a hash of everything that graft itself adds to the kernel
// (routes/recipe.hpp). A version of graft that does not know `build` and `recipe` may skip both fields (kMaySkip).
struct KeptReport {
  Report report;
  std::string build;
  std::string recipe;
};

template <class Codec, base::Is<KeptReport> T>
void fields(Codec& codec, T& kept) {
  fields(codec, kept.report);
  constexpr std::uint16_t kBuild = base::kMaySkip | 1;
  constexpr std::uint16_t kRecipe = base::kMaySkip | 2;
  if (Codec::kReads || !kept.build.empty()) codec.field(kBuild, kept.build);
  if (Codec::kReads || !kept.recipe.empty()) codec.field(kRecipe, kept.recipe);
}

struct Parts {
  std::span<const std::byte> key;
  std::span<const std::byte> content;  // meta and image, or the frame that contains both
  std::uint64_t meta_size = 0;
  std::uint64_t image_size = 0;
  bool is_compressed = false;
};

// The sizes are those of the content before compression, so they exceed the file's size in a compressed entry. The
// limit keeps their sum from overflowing.
bool have_possible_sizes(const Parts& parts) {
  if (parts.meta_size > kLargestContent || parts.image_size > kLargestContent) return false;
  return parts.is_compressed || parts.meta_size + parts.image_size == parts.content.size();
}

std::variant<Parts, EntryFault> split(std::span<const std::byte> file) {
  if (file.size() < kHeaderBytes + kChecksumBytes || !base::as_text(file).starts_with(kMagic))
    return EntryFault::Damaged;
  base::LittleEndianReader header(file.subspan(kMagic.size()));
  const std::uint32_t version = header.u32();
  if (version != kVersionWithoutCoding)
    if (const std::optional<EntryFault> fault = fault_of_version(version, kCacheEntryVersion)) return *fault;
  const std::uint32_t coding = header.u32();
  const std::uint64_t key_size = header.u64();
  const std::span<const std::byte> rest = file.subspan(kHeaderBytes, file.size() - kHeaderBytes - kChecksumBytes);
  if (key_size > rest.size()) return EntryFault::Damaged;
  Parts parts{.key = rest.first(static_cast<std::size_t>(key_size)),
              .content = rest.subspan(static_cast<std::size_t>(key_size)),
              .meta_size = header.u64(),
              .image_size = header.u64(),
              .is_compressed = coding != static_cast<std::uint32_t>(Coding::None)};
  if (version == kVersionWithoutCoding && parts.is_compressed) return EntryFault::Damaged;
  if (!have_possible_sizes(parts) || !has_checksum(file)) return EntryFault::Damaged;
  // A later graft may add codings to this version.
  if (coding > static_cast<std::uint32_t>(Coding::Zstd)) return EntryFault::OtherVersion;
  return parts;
}

// Returns the reason why these parts cannot form a valid entry; empty if they can. Host images are refused for
// security: graft never writes a host image to the cache, so an entry with one is forged, and dlopen would run the
// image's initialisers.
std::string objection_to_entry(std::string_view key, const Report& report, std::span<const std::byte> image,
                               KernelCheck* objection) {
  if (std::string why = objection(report); !why.empty()) return why;
  if (report.kernel.route == Route::Host)
    return "it is a kernel of the host route, which graft never writes to the cache";
  const std::optional<std::string_view> architecture = find_field(key, "architecture");
  if (!architecture) return "its key names no architecture";
  if (*architecture != report.kernel.architecture.sm())
    return base::format("its kernel is for {}, but its key names another architecture",
                        report.kernel.architecture.sm());
  return is_whole_cubin(image) ? "" : "its image is not a complete cubin";
}

// Decodes the content: the size of the report, the report, the state of the tools, and the image.
std::variant<CacheEntry, EntryFault> decode(std::span<const std::byte> key, std::span<const std::byte> meta,
                                            std::span<const std::byte> image, KernelCheck* objection) {
  constexpr std::size_t kSizeBytes = 8;
  if (meta.size() < kSizeBytes) return EntryFault::Damaged;
  const std::uint64_t size = base::LittleEndianReader(meta).u64();
  const std::span<const std::byte> rest = meta.subspan(kSizeBytes);
  if (size > rest.size()) return EntryFault::Damaged;
  auto read = base::examine_record<KeptReport>(rest.first(static_cast<std::size_t>(size)));
  if (const auto* fault = std::get_if<base::RecordFault>(&read))
    return *fault == base::RecordFault::Newer ? EntryFault::OtherVersion : EntryFault::Damaged;
  KeptReport* const kept = std::get_if<KeptReport>(&read);
  if (!objection_to_entry(base::as_text(key), kept->report, image, objection).empty())
    return kept->build.empty() || kept->build == this_build() ? EntryFault::Damaged : EntryFault::OtherVersion;
  return CacheEntry{std::string(base::as_text(key)),
                    std::move(kept->report),
                    std::string(base::as_text(rest.subspan(static_cast<std::size_t>(size)))),
                    base::Bytes(image.begin(), image.end()),
                    std::move(kept->build),
                    std::move(kept->recipe)};
}

std::variant<CacheEntry, EntryFault> unpack(const Parts& parts, KernelCheck* objection) {
  const auto meta_size = static_cast<std::size_t>(parts.meta_size);
  if (!parts.is_compressed)
    return decode(parts.key, parts.content.first(meta_size), parts.content.subspan(meta_size), objection);
  const Outcome<base::Bytes> content = decompressed(parts.content, parts.meta_size + parts.image_size);
  if (!content) return content.error().flaw == Flaw::Compressed ? EntryFault::Compressed : EntryFault::Damaged;
  const std::span<const std::byte> both = *content;
  return decode(parts.key, both.first(meta_size), both.subspan(meta_size), objection);
}

base::Bytes write_meta(const CacheEntry& entry) {
  const base::Bytes report = base::write_record(KeptReport{entry.report, entry.build, entry.recipe});
  base::LittleEndianWriter meta;
  meta.u64(report.size());
  meta.bytes(report);
  meta.bytes(base::as_bytes(entry.tools));
  return meta.take();
}

}  // namespace

std::optional<EntryFault> fault_of_version(std::uint32_t version, std::uint32_t own) {
  if (version == own) return std::nullopt;
  return version == 1 ? EntryFault::OfGraft01 : EntryFault::OtherVersion;
}

std::string objection_to(const CacheEntry& entry, KernelCheck* objection) {
  return objection_to_entry(entry.key, entry.report, entry.image, objection);
}

base::Bytes write_cache_entry(const CacheEntry& entry, Coding coding) {
  base::Bytes content = write_meta(entry);
  const std::size_t meta_size = content.size();
  content.insert(content.end(), entry.image.begin(), entry.image.end());
  std::optional<base::Bytes> frame;
  if (coding == Coding::Zstd) frame = compressed(content, Effort::Quick);
  base::LittleEndianWriter file;
  file.bytes(base::as_bytes(kMagic));
  file.u32(kCacheEntryVersion);
  file.u32(static_cast<std::uint32_t>(frame ? Coding::Zstd : Coding::None));
  file.u64(entry.key.size());
  file.u64(meta_size);
  file.u64(entry.image.size());
  file.bytes(base::as_bytes(entry.key));
  file.bytes(frame ? *frame : content);
  append_checksum(file);
  return file.take();
}

std::variant<CacheEntry, EntryFault> read_cache_entry(std::span<const std::byte> file, KernelCheck* objection) {
  const auto parts = split(file);
  if (const auto* fault = std::get_if<EntryFault>(&parts)) return *fault;
  return unpack(std::get<Parts>(parts), objection);
}

std::variant<std::string_view, EntryFault> read_cache_entry_key(std::span<const std::byte> file) {
  const auto parts = split(file);
  if (const auto* fault = std::get_if<EntryFault>(&parts)) return *fault;
  return base::as_text(std::get<Parts>(parts).key);
}

}  // namespace graft::format
