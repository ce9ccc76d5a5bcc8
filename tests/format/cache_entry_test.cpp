// Tests cache entries. An entry must be read back as it was written, and no other bytes may be accepted as an entry.
#include "format/cache_entry.hpp"
#include "families/kept_kernels.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <random>
#include <utility>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "format/cache_export.hpp"
#include "support/changed_entries.hpp"
#include "support/cubins.hpp"
#include "support/reports.hpp"
#include "support/zstd_frames.hpp"

namespace graft::format {
namespace {

CacheEntry example_of(const base::Bytes& image) {
  CacheEntry entry;
  entry.key = "architecture 6:sm_90a\nsource 4:x\ny\n\n";
  entry.report = test::full_report();
  entry.tools = "/opt/cuda/libnvJitLink.so.13 1234 5678";
  entry.image = image;
  for (int i = 0; i < 1000; ++i) entry.image.push_back(static_cast<std::byte>(i * 7));
  return entry;
}

CacheEntry example() {
  return example_of(test::cubin(0));
}

// Returns the entry of cache_entry_3_options.bin and cache_entry_2_options.bin. Its image is a bare ELF header, which
// no kernel has: this image shows how the format stores the bytes of any image.
CacheEntry golden_example_with_options() {
  return example_of(test::lone_header());
}

// Returns the entry of cache_entry_3.bin and cache_entry_2.bin. When the latter was made, entries had no compiler
// options.
CacheEntry golden_example() {
  CacheEntry entry = golden_example_with_options();
  entry.report.kernel.compiler_options.clear();
  return entry;
}

std::string accept_any(const Report&) {
  return {};
}

bool is_entry(std::span<const std::byte> file) {
  return std::holds_alternative<CacheEntry>(families::read_cache_entry(file));
}

using test::seal;

void write_when_asked(const std::string& path, const base::Bytes& file) {
  const bool asked = std::getenv("GRAFT_WRITE_GOLDEN") != nullptr;
  EXPECT_TRUE(!asked || base::write_file(path, file));
}

void expect_read(const std::variant<CacheEntry, EntryFault>& read, const CacheEntry& expected) {
  ASSERT_TRUE(std::holds_alternative<CacheEntry>(read));
  const CacheEntry& entry = std::get<CacheEntry>(read);
  EXPECT_EQ(entry.key, expected.key);
  EXPECT_EQ(entry.tools, expected.tools);
  EXPECT_EQ(entry.image, expected.image);
  EXPECT_EQ(entry.report.to_json(), expected.report.to_json());
}

TEST(CacheEntryFormat, ComesBack) {
  for (const Coding coding : {Coding::None, Coding::Zstd}) {
    const base::Bytes file = write_cache_entry(example(), coding);
    expect_read(families::read_cache_entry(file), example());
    EXPECT_EQ(std::get<std::string_view>(read_cache_entry_key(file)), example().key);
  }
}

std::string golden_file(const std::string& name) {
  return GRAFT_SOURCE_DIR "/tests/format/golden/" + name;
}

std::optional<std::string> golden_bytes(const std::string& name) {
  const auto golden = base::read_file(golden_file(name));
  return golden ? std::optional(*golden) : std::nullopt;
}

// This test fails when graft writes other bytes than those of the golden files. If a field was added on purpose (which
// needs a new tag but no new format version), keep the old golden file, add a test that graft can still read it, and
// create a new golden file beside it with GRAFT_WRITE_GOLDEN=1 format_test --gtest_filter=*Golden*
TEST(CacheEntryFormat, IsThatOfTheGoldenFiles) {
  EXPECT_EQ(kCacheEntryVersion, 3u);
  const std::pair<const char*, CacheEntry> rows[] = {{"cache_entry_3.bin", golden_example()},
                                                     {"cache_entry_3_options.bin", golden_example_with_options()},
                                                     {"cache_entry_3_kernel.bin", example()}};
  for (const auto& [name, entry] : rows) {
    const base::Bytes file = write_cache_entry(entry, Coding::None);
    write_when_asked(golden_file(name), file);
    const auto golden = golden_bytes(name);
    ASSERT_TRUE(golden) << name;
    EXPECT_TRUE(*golden == base::as_text(file)) << "the format changed: " << name;
    expect_read(read_cache_entry(base::as_bytes(*golden), accept_any), entry);
  }
}

// Another version of zstd may write another frame, so the bytes are not compared.
TEST(CacheEntryFormat, ACompressedGoldenFileIsRead) {
  if (has_zstd() && std::getenv("GRAFT_WRITE_GOLDEN") != nullptr)
    write_when_asked(golden_file("cache_entry_3_zstd.bin"), write_cache_entry(example()));
  const auto golden = golden_bytes("cache_entry_3_zstd.bin");
  ASSERT_TRUE(golden);
  if (has_zstd()) expect_read(families::read_cache_entry(base::as_bytes(*golden)), example());
  const WithoutZstd without;
  EXPECT_EQ(std::get<EntryFault>(families::read_cache_entry(base::as_bytes(*golden))), EntryFault::Compressed);
}

TEST(CacheEntryFormat, ThoseOfVersion2AreRead) {
  const std::pair<const char*, CacheEntry> rows[] = {{"cache_entry_2.bin", golden_example()},
                                                     {"cache_entry_2_options.bin", golden_example_with_options()},
                                                     {"cache_entry_2_kernel.bin", example()}};
  for (const auto& [name, entry] : rows) {
    const auto golden = golden_bytes(name);
    ASSERT_TRUE(golden) << name;
    expect_read(read_cache_entry(base::as_bytes(*golden), accept_any), entry);
    EXPECT_EQ(std::get<std::string_view>(read_cache_entry_key(base::as_bytes(*golden))), entry.key);
    base::Bytes coded(base::as_bytes(*golden).begin(), base::as_bytes(*golden).end());
    coded[12] = std::byte{1};  // version 2 had 0 in the place of the coding
    seal(coded);
    EXPECT_EQ(std::get<EntryFault>(read_cache_entry(coded, accept_any)), EntryFault::Damaged);
  }
}

TEST(CacheEntryFormat, ThatOfGraft01IsNamed) {
  for (const char* name : {"cache_entry_1.bin", "cache_entry_1_cubin.bin"}) {
    const auto golden = base::read_file(golden_file(name));
    ASSERT_TRUE(golden) << name;
    const auto read = families::read_cache_entry(base::as_bytes(*golden));
    ASSERT_TRUE(std::holds_alternative<EntryFault>(read)) << name;
    EXPECT_EQ(std::get<EntryFault>(read), EntryFault::OfGraft01) << name;
  }
  const auto golden = base::read_file(golden_file("cache_export_1.bin"));
  ASSERT_TRUE(golden);
  const auto read = read_cache_export(base::as_bytes(*golden));
  ASSERT_TRUE(std::holds_alternative<EntryFault>(read));
  EXPECT_EQ(std::get<EntryFault>(read), EntryFault::OfGraft01);
}

// Returns a cubin of the entry's kernel with a change.
template <class Change>
base::Bytes cubin_like(const CacheEntry& entry, Change change) {
  KernelSpec kernel = entry.report.kernel;
  change(kernel);
  return test::cubin(0, kernel);
}

// The place of st_other of the kernel's symbol in test::cubin.
constexpr std::size_t kMarkOfKernel =
    sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr) + sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_other);

// These entries have correct checksums, but their kernel contradicts the key or is not a valid kernel.
TEST(CacheEntryFormat, AKernelThatDoesNotFitItsKeyIsDamage) {
  struct Row {
    const char* why;
    void (*change)(CacheEntry&);
  };
  const Row rows[] = {
      {"it is a kernel of the host route", [](CacheEntry& e) { e.report.kernel.route = Route::Host; }},
      {"its image is not a complete cubin", [](CacheEntry& e) { e.image.clear(); }},
      {"its image is not a complete cubin", [](CacheEntry& e) { e.image.resize(test::cubin(0).size() - 1); }},
      {"its image does not contain graft_transform_scale", [](CacheEntry& e) { e.image = test::lone_header({90}); }},
      {"its image does not contain graft_transform_scale",
       [](CacheEntry& e) { e.image = cubin_like(e, [](KernelSpec& kernel) { kernel.name = "graft_transform"; }); }},
      {"its image does not contain graft_transform_scale",
       [](CacheEntry& e) { e.image[kMarkOfKernel] = std::byte{0}; }},  // a function that is no kernel
      {"its image is for sm_80, but the kernel is for sm_90a",
       [](CacheEntry& e) { e.image = cubin_like(e, [](KernelSpec& kernel) { kernel.architecture = {80}; }); }},
      {"its image is not linked", [](CacheEntry& e) { e.image[16] = std::byte{ET_REL}; }},
      {"its image is not a complete cubin", [](CacheEntry& e) { e.image[18] = std::byte{62}; }},  // ELF machine x86-64
      {"its image is not a complete cubin", [](CacheEntry& e) { e.image[0] = std::byte{0x7e}; }},
      {"its image is not a complete cubin", [](CacheEntry& e) { e.image[4] = std::byte{1}; }},  // ELF class 32-bit
      {"its kernel is for sm_90, but its key names another",
       [](CacheEntry& e) { e.report.kernel.architecture = {90}; }},
      {"its key names no architecture", [](CacheEntry& e) { e.key = "source 1:x\n"; }},
      {"its key names no architecture", [](CacheEntry& e) { e.key = "no key"; }},
      {"its key names no architecture", [](CacheEntry& e) { e.key += "x"; }},
      {"its key names no architecture", [](CacheEntry& e) { e.key += "architecture 6:sm_90a\n"; }},
      {"its vector width is 5", [](CacheEntry& e) { e.report.kernel.tuning.set("vector_width", 5); }},
      {"no callback can have its signature", [](CacheEntry& e) { e.report.kernel.signature = {}; }},
  };
  EXPECT_EQ(families::objection_to(example()), "");
  for (const Row& row : rows) {
    CacheEntry entry = example();
    row.change(entry);
    EXPECT_TRUE(families::objection_to(entry).starts_with(row.why)) << row.why << ": " << families::objection_to(entry);
    EXPECT_FALSE(is_entry(write_cache_entry(entry))) << row.why;
  }
}

TEST(CacheEntryFormat, EveryCutIsDamage) {
  for (const Coding coding : {Coding::None, Coding::Zstd}) {
    const base::Bytes file = write_cache_entry(example(), coding);
    for (std::size_t size = 0; size < file.size(); ++size) EXPECT_FALSE(is_entry(std::span(file).first(size))) << size;
    base::Bytes longer = file;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(is_entry(longer));
  }
}

TEST(CacheEntryFormat, EveryFlippedBitIsDamage) {
  base::Bytes file = write_cache_entry(example());
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    const std::byte mask{static_cast<unsigned char>(1u << bit % 8)};
    file[bit / 8] ^= mask;
    EXPECT_FALSE(is_entry(file)) << bit;
    file[bit / 8] ^= mask;
  }
  EXPECT_TRUE(is_entry(file));
}

// These entries have random lengths, reports and frames, but a correct checksum.
TEST(CacheEntryFormat, ForgedEntriesAreRefusedOrRead) {
  std::mt19937 random(1);
  for (const Coding coding : {Coding::None, Coding::Zstd}) {
    const base::Bytes file = write_cache_entry(example(), coding);
    const std::size_t changed = std::min<std::size_t>(file.size() - 16, 900);
    for (int round = 0; round < 20'000; ++round) {
      base::Bytes forged = file;
      const std::size_t changes = 1 + random() % 4;
      for (std::size_t i = 0; i < changes; ++i) forged[random() % changed] = static_cast<std::byte>(random());
      seal(forged);
      (void)families::read_cache_entry(forged);  // may be refused or read; the sanitizers check the accesses
    }
    for (std::size_t at = 16; at < 40; ++at) {  // the bytes of the length fields
      base::Bytes forged = file;
      forged[at] ^= std::byte{0x80};
      seal(forged);
      EXPECT_FALSE(is_entry(forged)) << at;
    }
  }
}

// Returns the compressed entry with another frame and, if `size` is given, another size of meta. The checksum is
// correct.
base::Bytes with_frame(std::span<const std::byte> frame, std::optional<std::uint64_t> size = {}) {
  base::Bytes file = write_cache_entry(example());
  file.resize(40 + example().key.size());
  file.insert(file.end(), frame.begin(), frame.end());
  file.resize(file.size() + 16);
  for (std::size_t i = 0; size && i < 8; ++i) file[24 + i] = static_cast<std::byte>(*size >> (8 * i));
  seal(file);
  return file;
}

TEST(CacheEntryFormat, FramesAreNotTrusted) {
  if (!has_zstd()) return;
  const base::Bytes stored = write_cache_entry(example(), Coding::None);
  const std::size_t begin = 40 + example().key.size();
  const base::Bytes content(stored.begin() + static_cast<std::ptrdiff_t>(begin), stored.end() - 16);
  const base::Bytes frame = compressed(content, Effort::Quick).value();
  EXPECT_EQ(with_frame(frame), write_cache_entry(example()));
  for (const auto& [why, wrong] : test::wrong_frames(frame, content))
    EXPECT_EQ(std::get<EntryFault>(families::read_cache_entry(with_frame(wrong))), EntryFault::Damaged) << why;
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 20, std::uint64_t{1} << 27,
                                   kLargestContent, kLargestContent + 1, std::uint64_t{1} << 63, ~std::uint64_t{0}})
    EXPECT_EQ(std::get<EntryFault>(families::read_cache_entry(with_frame(frame, size))), EntryFault::Damaged) << size;
}

// A build without zstd must keep such an entry for the builds that can read it, but not one that nobody can read.
TEST(CacheEntryFormat, WithoutZstdCompressedEntriesAreNoDamage) {
  if (!has_zstd()) return;
  const base::Bytes file = write_cache_entry(example());
  ASSERT_LT(file.size(), write_cache_entry(example(), Coding::None).size());
  const base::Bytes impossible = with_frame(std::span(file).subspan(40 + example().key.size(), 100), 1 << 20);
  const WithoutZstd without;
  EXPECT_EQ(std::get<EntryFault>(families::read_cache_entry(file)), EntryFault::Compressed);
  EXPECT_EQ(std::get<std::string_view>(read_cache_entry_key(file)), example().key);
  EXPECT_EQ(std::get<EntryFault>(families::read_cache_entry(impossible)), EntryFault::Damaged);
  base::Bytes damaged = file;
  damaged[damaged.size() - 20] ^= std::byte{1};
  EXPECT_EQ(std::get<EntryFault>(families::read_cache_entry(damaged)), EntryFault::Damaged);
  EXPECT_EQ(write_cache_entry(example()), write_cache_entry(example(), Coding::None));
}

TEST(CacheEntryFormat, AnUnknownCodingIsAnotherVersion) {
  base::Bytes file = write_cache_entry(example());
  file[12] = std::byte{2};
  EXPECT_EQ(std::get<EntryFault>(families::read_cache_entry(file)), EntryFault::Damaged);
  seal(file);
  EXPECT_EQ(std::get<EntryFault>(families::read_cache_entry(file)), EntryFault::OtherVersion);
}

TEST(CacheEntryFormat, OtherVersionsAreNamed) {
  base::Bytes file = write_cache_entry(example());
  file[8] = std::byte{4};
  seal(file);
  const auto read = families::read_cache_entry(file);
  ASSERT_TRUE(std::holds_alternative<EntryFault>(read));
  EXPECT_EQ(std::get<EntryFault>(read), EntryFault::OtherVersion);
}

// A later version of graft added a field to the report, or to an object in it, and the checksum is correct. The reader
// must say that the entry has another version, and not that the entry is damaged.
TEST(CacheEntryFormat, FieldsOfALaterGraftAreAnotherVersionAndNoDamage) {
  using namespace test::records;
  for (const Path& path : {kRecord, kRecord / field(1), kRecord / field(1) / field(5), kRecord / field(4)}) {
    const base::Bytes file = test::with_changed_report(write_cache_entry(example(), Coding::None),
                                                       append(path, Shape::Record, {0x7000, number(7)}));
    const auto read = families::read_cache_entry(file);
    ASSERT_TRUE(std::holds_alternative<EntryFault>(read));
    EXPECT_EQ(std::get<EntryFault>(read), EntryFault::OtherVersion);
    EXPECT_EQ(std::get<std::string_view>(read_cache_entry_key(file)), example().key);
    base::Bytes damaged = file;
    damaged[damaged.size() - 20] ^= std::byte{1};
    EXPECT_EQ(std::get<EntryFault>(families::read_cache_entry(damaged)), EntryFault::Damaged);
  }
}

TEST(CacheExportFormat, ComesBack) {
  const std::vector<base::Bytes> entries = {write_cache_entry(example()), {}, write_cache_entry({"k", {}, "", {}})};
  const base::Bytes file = write_cache_export(entries);
  const auto read = read_cache_export(file);
  ASSERT_TRUE((std::holds_alternative<std::vector<std::span<const std::byte>>>(read)));
  const auto& views = std::get<std::vector<std::span<const std::byte>>>(read);
  ASSERT_EQ(views.size(), entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i)
    EXPECT_EQ(base::Bytes(views[i].begin(), views[i].end()), entries[i]) << i;
  EXPECT_TRUE(std::get<0>(read_cache_export(write_cache_export({}))).empty());
}

// The entry in cache_export_2.bin has version 2.
TEST(CacheExportFormat, IsThatOfTheGoldenFile) {
  const base::Bytes file = write_cache_export({write_cache_entry(golden_example(), Coding::None), {}});
  write_when_asked(golden_file("cache_export_2_entry_3.bin"), file);
  EXPECT_EQ(kCacheExportVersion, 2u);
  const auto golden = golden_bytes("cache_export_2_entry_3.bin");
  ASSERT_TRUE(golden);
  EXPECT_TRUE(*golden == base::as_text(file)) << "the format changed";
  for (const char* name : {"cache_export_2.bin", "cache_export_2_entry_3.bin"}) {
    const auto bytes = golden_bytes(name);
    ASSERT_TRUE(bytes) << name;
    const auto read = read_cache_export(base::as_bytes(*bytes));
    ASSERT_EQ(read.index(), 0u) << name;
    expect_read(read_cache_entry(std::get<0>(read).at(0), accept_any), golden_example());
  }
}

TEST(CacheExportFormat, EveryCutAndFlipIsDamage) {
  base::Bytes file = write_cache_export({write_cache_entry({"k", {}, "", {}}), {}});
  const auto is_export = [](std::span<const std::byte> bytes) { return read_cache_export(bytes).index() == 0; };
  for (std::size_t size = 0; size < file.size(); ++size) EXPECT_FALSE(is_export(std::span(file).first(size))) << size;
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    const std::byte mask{static_cast<unsigned char>(1u << bit % 8)};
    file[bit / 8] ^= mask;
    EXPECT_FALSE(is_export(file)) << bit;
    file[bit / 8] ^= mask;
  }
  base::Bytes forged = file;
  forged[12] = std::byte{200};  // the count claims more entries than the file has
  seal(forged);
  EXPECT_FALSE(is_export(forged));
}

}  // namespace
}  // namespace graft::format
