// Tests packs (.graft files). A pack must be read back as it was written, and damaged or forged packs must be refused.
// Many tests change one value in a pack's metadata and recompute the checksum, so that the reader has to judge the
// value itself.
#include "format/pack.hpp"
#include "families/kept_kernels.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "base/hash.hpp"
#include "base/record.hpp"
#include "families/elementwise/policy.hpp"
#include "format/samples.hpp"
#include "fuzz/sealed.hpp"
#include "support/packs.hpp"
#include "support/records.hpp"

namespace graft::format {
namespace {

using namespace test::records;
using test::only_kernel;
using test::pack_of;

const std::string kIr = "pretend that this is LTO-IR";
const std::string kPtx = ".version 9.0\n.target sm_75\n";

// Returns a kernel in which every field that has a default differs from that default. The last part's tuning sets all
// decisions (vector width, threads per block, ...).
PackedKernel example() {
  PackedKernel kernel;
  kernel.entry = "math::axpy";
  kernel.symbol = "_ZN4math4axpyEffRKNS_5ScaleE";
  kernel.spec.name = "graft_transform_math_axpy";
  const ElementType real{ElementKind::Float, 4, 4};
  kernel.spec.signature =
      Signature({Role::Output, real, "float"}, {{Role::Input, real, "float"},
                                                {Role::Input, real, "float"},
                                                {Role::State, {ElementKind::Class, 8, 4}, "const math::Scale&"},
                                                {Role::Index, {ElementKind::Class, 8, 8}, "graft::Index"}});
  kernel.spec.floating_point = {.fast_math = true,
                                .contraction = false,
                                .flush_to_zero = true,
                                .precise_division = false,
                                .precise_square_root = false};
  kernel.spec.max_registers = 64;
  kernel.spec.shared_bytes = 4096;
  kernel.standard = CppStandard::Cpp20;
  kernel.thread_words = {"__syncthreads", "threadIdx"};
  kernel.line_info = true;
  kernel.is_heavy = true;
  kernel.has_long_math = true;
  kernel.tools = {{"NVRTC", "13.0"}, {"graft", "0.1.0"}};
  const PartFacts program = {.route = Route::Program, .tuning = Tuning({{"vector_width", 4}})};
  const PartFacts adapter = {.route = Route::Ptx, .tuning = Tuning({{"vector_width", 2}, {"block_threads", 128}})};
  const PartFacts finished = {.route = Route::Ptx,
                              .tuning = Tuning({{"vector_width", 4},
                                                {"vectors_per_thread", 2},
                                                {"body", static_cast<int>(Body::Rolled)},
                                                {"block_threads", 64},
                                                {"programmatic_launch", 1},
                                                {"few_tiles", 12},
                                                {"single_below", 1 << 23}}),
                              .resources = {40, 32, 8, 16, 48, 400},
                              .remaining_calls = {"math::axpy"},
                              .cuda_helpers = {"__internal_accurate_pow"}};
  kernel.parts = {{PackPartKind::LtoIr, {75}, base::as_bytes(kIr)},
                  {PackPartKind::LtoIr, {90, 'a'}, base::as_bytes(kIr)},
                  {PackPartKind::Program, {75}, base::as_bytes(kPtx), program},
                  {PackPartKind::CallbackPtx, {75}, base::as_bytes(kPtx)},
                  {PackPartKind::AdapterPtx, {75}, base::as_bytes(kPtx), adapter},
                  {PackPartKind::Cubin, {100, 'f'}, {}, finished}};
  return kernel;
}

std::string packed(const Pack& pack) {
  const auto bytes = families::write_pack(pack);
  if (!bytes) throw std::runtime_error(bytes.error().message);
  return std::string(base::as_text(*bytes));
}

std::string packed(const PackedKernel& kernel) {
  return packed(pack_of(kernel));
}

void expect_equal(const PartFacts& read, const PartFacts& expected) {
  EXPECT_EQ(read.route, expected.route);
  EXPECT_EQ(read.tuning, expected.tuning);
  EXPECT_EQ(read.resources.registers, expected.resources.registers);
  EXPECT_EQ(read.resources.stack_bytes, expected.resources.stack_bytes);
  EXPECT_EQ(read.resources.spill_store_bytes, expected.resources.spill_store_bytes);
  EXPECT_EQ(read.resources.spill_load_bytes, expected.resources.spill_load_bytes);
  EXPECT_EQ(read.resources.local_bytes, expected.resources.local_bytes);
  EXPECT_EQ(read.resources.constant_bytes, expected.resources.constant_bytes);
  EXPECT_EQ(read.remaining_calls, expected.remaining_calls);
  EXPECT_EQ(read.cuda_helpers, expected.cuda_helpers);
}

void expect_equal(const PackedKernel& read, const PackedKernel& expected) {
  EXPECT_EQ(read.entry, expected.entry);
  EXPECT_EQ(read.symbol, expected.symbol);
  EXPECT_EQ(read.spec, expected.spec);
  EXPECT_EQ(read.spec.signature.describe(), expected.spec.signature.describe())
      << "the spellings of the types must also be equal";
  EXPECT_EQ(read.standard, expected.standard);
  EXPECT_EQ(read.line_info, expected.line_info);
  EXPECT_EQ(read.thread_words, expected.thread_words);
  EXPECT_EQ(read.is_heavy, expected.is_heavy);
  EXPECT_EQ(read.has_long_math, expected.has_long_math);
  EXPECT_EQ(read.tools, expected.tools);
  ASSERT_EQ(read.parts.size(), expected.parts.size());
  for (std::size_t i = 0; i < read.parts.size(); ++i) {
    EXPECT_EQ(read.parts[i].kind, expected.parts[i].kind);
    EXPECT_EQ(read.parts[i].architecture, expected.parts[i].architecture);
    ASSERT_EQ(read.parts[i].facts.has_value(), expected.parts[i].facts.has_value());
    if (read.parts[i].facts) expect_equal(*read.parts[i].facts, *expected.parts[i].facts);
    EXPECT_EQ(read.parts[i].coding, expected.parts[i].coding);
    EXPECT_EQ(base::as_text(read.parts[i].bytes), base::as_text(expected.parts[i].bytes));
  }
}

void expect_equal(const Pack& read, const Pack& expected) {
  ASSERT_EQ(read.jobs.size(), expected.jobs.size());
  for (std::size_t i = 0; i < read.jobs.size(); ++i) {
    EXPECT_EQ(read.jobs[i].family, expected.jobs[i].family);
    EXPECT_EQ(read.jobs[i].request, expected.jobs[i].request);
    EXPECT_EQ(read.jobs[i].name, expected.jobs[i].name);
    ASSERT_EQ(read.jobs[i].kernels.size(), expected.jobs[i].kernels.size());
    for (std::size_t k = 0; k < read.jobs[i].kernels.size(); ++k)
      expect_equal(read.jobs[i].kernels[k], expected.jobs[i].kernels[k]);
  }
}

// Replaces the checksum by the correct one, so that the reader goes on to the changed bytes.
std::string resealed(std::string pack) {
  pack.resize(pack.size() - 16);
  const base::Hash128 checksum = base::hash(pack);
  for (const std::uint64_t half : {checksum.low, checksum.high})
    for (int i = 0; i < 8; ++i) pack += static_cast<char>(half >> (8 * i) & 0xff);
  return pack;
}

// ---- the metadata of a pack ----

constexpr std::size_t kChecksum = 16;

std::string metadata_of(const std::string& pack) {
  return pack.substr(kPackMetadataAt, number_at(pack, 12, 4));
}

// Builds a complete pack with this metadata and a correct checksum, as a forger or a faulty writer could.
std::string around(std::string_view metadata, std::string_view images = {}) {
  return std::string(base::as_text(fuzz::pack_around(base::as_bytes(metadata), base::as_bytes(images))));
}

// Returns the example pack with changed metadata, followed by the unchanged images.
std::string changed(const Change& change) {
  const std::string whole = packed(example());
  std::string metadata = metadata_of(whole);
  const std::size_t images = (kPackMetadataAt + metadata.size() + 15) / 16 * 16;
  change(metadata);
  return around(metadata, std::string_view(whole).substr(images, whole.size() - images - kChecksum));
}

// Paths to values in the metadata, which is a record of nested records. The numbers are the field tags that pack.cpp
// and core/fields.hpp write.
const Path kJobs = kRecord / field(1);
const Path kJob = kJobs / item(0);
const Path kKernels = kJob / field(3);
const Path kKernel = kKernels / item(0);
const Path kSpec = kKernel / field(3);
const Path kSignature = kSpec / field(5);
const Path kResult = kSignature / field(1);
const Path kParameters = kSignature / field(2);
const Path kTools = kKernel / field(7);
const Path kParts = kKernel / field(8);
const Path kLtoIr = kParts / item(0);
const Path kCubin = kParts / item(5);
const Path kFacts = kCubin / field(6);
const Path kDecisions = kFacts / field(2) / field(1);
const Path kRegisters = kFacts / field(3) / field(1);

Change decide(std::size_t decision, std::uint64_t value) {
  return set(kDecisions / item(decision) / field(2), number(value));
}

TEST(Pack, ComesBackAsItWas) {
  const std::string bytes = packed(example());
  EXPECT_TRUE(is_pack(base::as_bytes(bytes)));
  const auto read = families::read_pack(base::as_bytes(bytes));
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, pack_of(example()));
  for (const PackPart& part : only_kernel(*read).parts) EXPECT_TRUE(is_inside(base::as_text(part.bytes), bytes));
}

TEST(Pack, OfNothingComesBack) {
  PackedKernel kernel;
  kernel.spec.signature = Signature({Role::Output, {ElementKind::Bool, 1, 1}, "bool"}, {});
  const std::string bytes = packed(kernel);
  const auto read = families::read_pack(base::as_bytes(bytes));
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, pack_of(kernel));
}

TEST(Pack, IsTheSameBytesEachTime) {
  EXPECT_EQ(packed(example()), packed(example()));
  PackedKernel other = example();
  other.spec.floating_point.contraction = true;
  EXPECT_NE(packed(other), packed(example()));
}

// Every tuning decision in the example must be one that this version of graft knows, or the tests below would not test
// known decisions. (A decision that a later version adds is absent from the example and has its default value there, so
// the bytes of the example stay the same.)
TEST(Pack, TheExampleHasNoUnknownDecision) {
  const Tuning tuning = example().parts.back().facts->tuning;
  for (const Tuning::Decision& decision : tuning.decisions()) {
    bool is_known = false;
    elementwise::Policy::visit_decisions(
        [&](const char* name, auto, elementwise::Policy::For) { is_known = is_known || name == decision.name; });
    EXPECT_TRUE(is_known) << decision.name;
  }
}

Pack golden(const std::string& name, std::string& bytes) {
  bytes = base::read_file(GRAFT_SOURCE_DIR "/tests/format/golden/" + name).value();
  const auto read = families::read_pack(base::as_bytes(bytes));
  if (!read) throw std::runtime_error(read.error().message);
  return *read;
}

// Writes two jobs. The second one has two kernels, which differ.
Pack two_jobs() {
  Pack pack = pack_of(example());
  PackJob job = pack.jobs.front();
  job.kernels.push_back(example());
  job.kernels[1].spec.compiler_options = {"--diag-suppress=177", "--disable-warnings"};
  job.kernels[1].parts[0].facts = PartFacts{.tuning = Tuning({{"vector_width", 2}})};
  job.kernels[1].parts.resize(3);
  pack.jobs.push_back(std::move(job));
  return pack;
}

// Writes three callbacks: two with names of their own, of which one is the instance of a template.
Pack three_callbacks() {
  Pack pack;
  for (const char* name : {"gamma", "", "scale of floats"}) {
    PackJob job = pack_of(example()).jobs.front();
    job.name = name;
    job.kernels[0].parts.resize(1);
    pack.jobs.push_back(std::move(job));
  }
  pack.jobs[2].kernels[0].entry = "scale<float>";
  return pack;
}

// This test fails when graft writes other bytes than those of the golden files. If a field was added on purpose (which
// needs a new tag but no new format version), keep the old golden files, add a test that graft can still read them, and
// create new golden files beside them with GRAFT_WRITE_GOLDEN=1 format_test --gtest_filter=Pack.*Golden*
TEST(Pack, IsThatOfTheGoldenFile) {
  EXPECT_EQ(kPackVersion, 3u);
  for (const auto& [name, pack] : {std::pair("pack_3.graft", pack_of(example())),
                                   {"pack_3_jobs.graft", two_jobs()},
                                   {"pack_3_names.graft", three_callbacks()}}) {
    const std::string written = packed(pack);
    const bool asked = std::getenv("GRAFT_WRITE_GOLDEN") != nullptr;
    EXPECT_TRUE(!asked || base::write_file(std::string(GRAFT_SOURCE_DIR "/tests/format/golden/") + name,
                                           base::as_bytes(written)));
    std::string bytes;
    expect_equal(golden(name, bytes), pack);
    EXPECT_TRUE(bytes == written) << "the format changed: " << name;
  }
}

// The field compiler_options was added to version 2, so pack_2.graft lacks it.
TEST(Pack, OfVersion2IsRead) {
  std::string bytes;
  PackedKernel expected = example();
  expect_equal(golden("pack_2.graft", bytes), pack_of(expected));
  expected.spec.compiler_options = {"--diag-suppress=177", "--disable-warnings"};
  expect_equal(golden("pack_2_options.graft", bytes), pack_of(expected));
}

// The kernels of a set are those of one job, whose request and theirs were among the numbers of their tunings. The
// program graft wrote the file: precompile --fft 2 --arch 75.
TEST(Pack, SetsOfVersion2AreRead) {
  std::string bytes;
  const Pack pack = golden("pack_2_set.graft", bytes);
  ASSERT_EQ(pack.jobs.size(), 1u);
  EXPECT_EQ(pack.jobs[0].family, "fft");
  EXPECT_FALSE(pack.jobs[0].request.empty());
  ASSERT_EQ(pack.jobs[0].kernels.size(), 2u);
  for (const PackedKernel& kernel : pack.jobs[0].kernels) {
    EXPECT_FALSE(kernel.spec.request.empty());
    EXPECT_EQ(kernel.spec.tuning, Tuning());
    EXPECT_EQ(kernel.spec.signature.text(), "float2(float2)");
    ASSERT_EQ(kernel.parts.size(), 2u);
    EXPECT_EQ(kernel.parts[0].kind, PackPartKind::LtoIr);
    EXPECT_EQ(kernel.parts[1].kind, PackPartKind::Program);
    EXPECT_EQ(kernel.parts[1].facts->tuning, Tuning());
    for (const PackPart& part : kernel.parts) EXPECT_TRUE(is_inside(base::as_text(part.bytes), bytes));
  }
  const auto again = families::write_pack(pack);
  ASSERT_TRUE(again) << again.error().message;
  const auto read = families::read_pack(*again);
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, pack);
}

TEST(Pack, HasSeveralJobsOfSeveralKernels) {
  const std::string bytes = packed(two_jobs());
  const auto read = families::read_pack(base::as_bytes(bytes));
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, two_jobs());
}

TEST(Pack, OfVersion1IsRefusedByName) {
  for (const char* name : {"v1.graft", "v1_tuned.graft"}) {
    const auto golden = base::read_file(std::string(GRAFT_SOURCE_DIR "/tests/format/golden/") + name);
    ASSERT_TRUE(golden) << name;
    EXPECT_TRUE(is_pack(base::as_bytes(*golden)));
    const auto read = families::read_pack(base::as_bytes(*golden));
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().flaw, Flaw::OfGraft01);
    EXPECT_EQ(read.error().message, "it was made by graft 0.1");
  }
}

// These packs have a correct checksum, but no callback can have their signature or kernel.
TEST(Pack, OfTheImpossibleIsRefusedWithItsReason) {
  struct Row {
    const char* message;
    void (*change)(PackedKernel&);
  };
  const Row rows[] = {
      {"no callback can have its signature: it has no parameters and no result",
       [](PackedKernel& k) {
         k.spec.signature = Signature({Role::None, {}, "void"}, {});
       }},
      {"its register limit is 256", [](PackedKernel& k) { k.spec.max_registers = 256; }},
      {"it has compiler options that graft never passes",
       [](PackedKernel& k) { k.spec.compiler_options = {"-I/etc"}; }},
      {"it has 49153 bytes of shared memory", [](PackedKernel& k) { k.spec.shared_bytes = 49'153; }},
      {"this version of graft does not have its kernel family", [](PackedKernel& k) { k.spec.family = "reduction"; }},
      {"its ltoir image has no architecture", [](PackedKernel& k) { k.parts[1].architecture = {}; }},
      {"its cubin image for sm_100f is not a possible kernel: its vector width is 3",
       [](PackedKernel& k) { k.parts[5].facts->tuning.set("vector_width", 3); }},
      {"its cubin image for sm_100f is not a possible kernel: it has 48 threads per block",
       [](PackedKernel& k) { k.parts[5].facts->tuning.set("block_threads", 48); }},
      {"its cubin image for sm_100f is not a possible kernel: its body is 256",
       [](PackedKernel& k) { k.parts[5].facts->tuning.set("body", 256); }},
      {"its cubin image for sm_100f is not a possible kernel: its tuning has an unknown or repeated decision",
       [](PackedKernel& k) { k.parts[5].facts->tuning.set("color", 3); }},
      {"its cubin image for sm_100f is not a possible kernel: its tuning has an unknown or repeated decision",
       [](PackedKernel& k) {
         k.parts[5].facts->tuning = Tuning({{"vector_width", 4}, {"vector_width", 4}});
       }},
      {"its adapter-ptx image for sm_75 is not a possible kernel: it has 0 vectors per thread",
       [](PackedKernel& k) { k.parts[4].facts->tuning.set("vectors_per_thread", 0); }},
      {"its program image for sm_75 is not a possible kernel: it uses 256 registers",
       [](PackedKernel& k) { k.parts[2].facts->resources.registers = 256; }},
  };
  for (const Row& row : rows) {
    PackedKernel kernel = example();
    row.change(kernel);
    const auto written = families::write_pack(pack_of(kernel));
    ASSERT_FALSE(written) << row.message;
    EXPECT_EQ(written.error().message, fmt::format("the pack would be invalid: {}", row.message));
  }
}

// Each kernel must be one of its job.
TEST(Pack, OfStrangersIsRefused) {
  const auto message = [](const std::function<void(PackJob&)>& change) {
    Pack pack = pack_of(example());
    change(pack.jobs[0]);
    const auto written = families::write_pack(pack);
    return written ? "" : written.error().message;
  };
  EXPECT_EQ(message([](PackJob& job) { job.family = "fft"; }),
            "the pack would be invalid: a kernel of the family elementwise is in a job of the family fft");
  EXPECT_EQ(message([](PackJob& job) { job.request = {std::byte{1}}; }),
            "the pack would be invalid: graft_transform_math_axpy does not belong to its job");
  EXPECT_EQ(message([](PackJob& job) { job.kernels.clear(); }),
            "the pack would be invalid: the pack's metadata is malformed");
}

// A later version of graft may compress parts.
TEST(Pack, WithAnUnknownCodingIsNewer) {
  const auto read = families::read_pack(base::as_bytes(changed(set(kLtoIr / field(7), number(1)))));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().flaw, Flaw::Newer);
  EXPECT_EQ(read.error().message, "a part of the pack has the coding 1, which this graft does not know");
}

// LTO-IR that was compiled for exactly one kernel says so, even if graft chose no tuning for this kernel.
TEST(Pack, LtoIrMayHoldAKernelWithoutTuning) {
  PackedKernel kernel = example();
  kernel.parts[0].facts.emplace();
  const std::string bytes = packed(kernel);
  EXPECT_TRUE(only_kernel(*families::read_pack(base::as_bytes(bytes))).parts[0].facts);
}

TEST(Pack, IsRefusedWithItsReason) {
  const std::string whole = packed(example());
  const auto with = [&](std::size_t offset, char value) {
    std::string bytes = whole;
    bytes[offset] = value;
    return bytes;
  };
  struct Row {
    std::string bytes;
    Flaw flaw;
    std::string message;
  };
  const std::string cut = whole.substr(0, whole.size() - 1);
  const Row rows[] = {
      {"", Flaw::Unknown, "this is not a pack"},
      {"GRAFT", Flaw::Unknown, "this is not a pack"},
      {with(6, '\n'), Flaw::Unknown, "this is not a pack"},
      {with(8, 5), Flaw::Newer, "the pack has format version 5, but this graft reads only versions 2 to 4"},
      {with(11, 1), Flaw::Newer, "the pack has format version 16777219, but this graft reads only versions 2 to 4"},
      {with(8, 1), Flaw::OfGraft01, "it was made by graft 0.1"},
      {with(8, 0), Flaw::Damaged, "the pack has format version 0, which does not exist"},
      {whole.substr(0, 23), Flaw::Truncated, "the pack ends inside its header"},
      {whole.substr(0, 24), Flaw::Truncated, fmt::format("the pack is cut off after 24 of {} bytes", whole.size())},
      {cut, Flaw::Truncated, fmt::format("the pack is cut off after {} of {} bytes", cut.size(), whole.size())},
      {whole + "x", Flaw::Damaged, fmt::format("the file has more than the pack's {} bytes", whole.size())},
      {with(15, 127), Flaw::Damaged, "the pack's header gives an impossible size of the metadata"},
      {with(14, 17), Flaw::Damaged, "the pack's header gives an impossible size of the metadata"},
      {with(100, '\xff'), Flaw::Damaged, "the pack is damaged: its checksum does not match"},
      {resealed(with(kPackMetadataAt, '\xff')), Flaw::Damaged, "the pack's metadata is malformed"},
      {resealed(with(whole.size() - 20, '\xff')), Flaw::Damaged, "the padding between the pack's parts is not zero"},
      {resealed(with(whole.size() - 40, '\xff')), Flaw::Damaged,
       "a part does not have the hash that the pack's metadata gives"},
  };
  for (const Row& row : rows) {
    const auto read = families::read_pack(base::as_bytes(row.bytes));
    ASSERT_FALSE(read) << row.message;
    EXPECT_EQ(read.error().message, row.message);
    EXPECT_EQ(read.error().flaw, row.flaw) << row.message;
  }
}

TEST(Pack, EachByteThatChangesIsNoticed) {
  const std::string whole = packed(example());
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] = static_cast<char>(bytes[i] ^ (1 << i % 8));
    EXPECT_FALSE(families::read_pack(base::as_bytes(bytes))) << i;
    EXPECT_FALSE(families::read_pack(base::as_bytes(whole.substr(0, i)))) << i;
  }
}

// Appends bytes after the last field of the metadata.
Change trailing(std::string more) {
  return change_at(kRecord, [more = std::move(more)](Pieces&, auto one) { one->value += more; });
}

// Sets the number of parts by repeating the last part, which has no bytes.
Change images(std::size_t count) {
  return change_at(kCubin, [count](Pieces& pieces, auto) { pieces.resize(count, Piece(pieces.back())); });
}

struct ChangeRow {
  const char* what;
  Change change;
};

TEST(Pack, MetadataIsReadWithCare) {
  const std::string negative = number(~std::uint64_t{0});
  const ChangeRow rows[] = {
      // Each of these changes makes a mistake in the fields of a record.
      {"no fields", set(kRecord, "")},
      {"tag 0", append(kRecord, Shape::Record, {0, ""})},
      {"a field twice", twice(kKernel / field(1))},
      {"the last field twice", twice(kParts)},
      {"a field of all kernels twice", twice(kSpec / field(8))},
      {"a field of a kernel twice", twice(kFacts / field(1))},
      {"fields out of order", change_at(kKernel / field(1), [](Pieces&, auto one) { std::swap(one[0], one[1]); })},
      {"a field behind one that is skipped", change_at(kKernel / field(2),
                                                       [](Pieces& pieces, auto one) {
                                                         pieces.insert(one, {base::kMaySkip, ""});
                                                       })},
      {"fields to be skipped out of order",
       trailing(joined({{base::kMaySkip + 1, ""}, {base::kMaySkip, ""}}, Shape::Record))},
      // These sizes do not fit the bytes that they describe.
      {"the whole is one byte longer", [](std::string& m) { m += '\0'; }},
      {"the whole is one byte shorter", [](std::string& m) { m.pop_back(); }},
      {"a size that is one too large", [](std::string& m) { ++m[6]; }},
      {"a size that is one too small", [](std::string& m) { --m[6]; }},
      {"a size of 2^32 - 1", [](std::string& m) { m.replace(6, 4, "\xff\xff\xff\xff"); }},
      {"half a tag", trailing("\x9")},
      {"half a size", trailing(std::string("\0\x80\0\0\0", 5))},
      {"a field to be skipped that ends behind its record", trailing(std::string("\0\x80\2\0\0\0x", 7))},
      {"a number of 7 bytes", set(kSpec / field(8), std::string(7, '\0'))},
      {"a number of 9 bytes", set(kSpec / field(8), std::string(9, '\0'))},
      {"a number of no bytes", set(kSpec / field(8), "")},
      {"a text for a record", set(kSpec, "axpy")},
      {"a text for a list", set(kTools, "NVRTC")},
      {"a number for a list", set(kParts, number(1))},
      {"an item that ends behind its list", set(kFacts / field(4), little_endian(5, 4) + "axpy")},
      // These numbers are outside the ranges of their fields.
      {"line info 2", set(kKernel / field(4), number(2))},
      {"heavy 2", set(kKernel / field(5), number(2))},
      {"long math 256", set(kKernel / field(6), number(256))},
      {"standard C++16", set(kKernel / field(9), number(16))},
      {"49153 bytes of shared memory", set(kSpec / field(9), number(49'153))},
      {"contraction -1", set(kSpec / field(7) / field(2), negative)},
      {"256 registers for all kernels", set(kSpec / field(8), number(256))},
      {"-1 registers for all kernels", set(kSpec / field(8), negative)},
      {"2^32 registers for all kernels", set(kSpec / field(8), number(std::uint64_t{1} << 32))},
      // No callback can have these signatures.
      {"no signature", drop(kSignature)},
      {"no result", drop(kResult)},
      {"an input as result", set(kResult / field(1), number(0))},
      {"role 99", set(kResult / field(1), number(99))},
      {"role 5", set(kParameters / item(0) / field(1), number(5))},
      {"kind 9", set(kResult / field(2), number(9))},
      {"an element of 2^40 bytes", set(kResult / field(3), number(std::uint64_t{1} << 40))},
      {"an element of no bytes", set(kResult / field(3), number(0))},
      {"alignment 3", set(kResult / field(4), number(3))},
      {"65 parameters", [](std::string& m) {
         for (int i = 0; i < 61; ++i) twice(kParameters / item(3))(m);
       }},
      {"two states", twice(kParameters / item(2))},
      // These changes make a mistake in the description of an image.
      {"no images", drop(kParts)},
      {"one image fewer", drop(kParts / item(4))},
      {"coding 256", set(kLtoIr / field(7), number(256))},
      // These packs have no kernel.
      {"no jobs", drop(kJobs)},
      {"an empty list of jobs", set(kJobs, "")},
      {"no kernels", drop(kKernels)},
      {"an empty list of kernels", set(kKernels, "")},
      {"a kernel of another family", set(kJob / field(1), "fft")},
      {"a kernel of another job", set(kJob / field(2), "request")},
      {"a kernel twice, but its images once", twice(kKernel)},
      {"a job twice, but its images once", twice(kJob)},
      {"kind 5 of an image", set(kCubin / field(1), number(5))},
      {"no kind of a kernel", drop(kCubin / field(1))},
      {"no architecture", drop(kLtoIr / field(2))},
      {"architecture 0", set(kLtoIr / field(2) / field(1), number(0))},
      {"architecture 10000", set(kLtoIr / field(2) / field(1), number(10'000))},
      {"suffix x", set(kLtoIr / field(2) / field(2), number('x'))},
      {"suffix a and 256", set(kLtoIr / field(2) / field(2), number('a' + 256))},
      {"no size", drop(kLtoIr / field(3))},
      {"size 1", set(kLtoIr / field(3), number(1))},
      {"size 1000000", set(kLtoIr / field(3), number(1'000'000))},
      {"size 2^33", set(kLtoIr / field(3), number(std::uint64_t{1} << 33))},
      {"size 2^64 - 1", set(kLtoIr / field(3), negative)},
      {"another hash", set(kLtoIr / field(4), number(0))},
      {"half a hash", drop(kCubin / field(5))},
      // These changes make a mistake in the kernel that belongs to an image.
      {"a cubin without its kernel", drop(kFacts)},
      {"a program without its kernel", drop(kParts / item(2) / field(6))},
      {"an adapter without its kernel", drop(kParts / item(4) / field(6))},
      {"a callback's PTX with a kernel", append(kParts / item(3), Shape::Record, {6, ""})},
      {"the host route", set(kFacts / field(1), number(4))},
      {"route 5", set(kFacts / field(1), number(5))},
      {"256 registers", set(kRegisters, number(256))},
      {"-1 registers", set(kRegisters, negative)},
      // These tuning decisions have names or values that graft never writes.
      {"width 0", decide(0, 0)},
      {"width 3", decide(0, 3)},
      {"width 32", decide(0, 32)},
      {"width 2^32 + 4", decide(0, (std::uint64_t{1} << 32) + 4)},
      {"no vectors", decide(1, 0)},
      {"32 vectors", decide(1, 32)},
      {"body 2", decide(2, 2)},
      {"body 257", decide(2, 257)},
      {"0 threads", decide(3, 0)},
      {"48 threads", decide(3, 48)},
      {"2^31 threads", decide(3, std::uint64_t{1} << 31)},
      {"programmatic launch 2", decide(4, 2)},
      {"few tiles below none", decide(5, ~std::uint64_t{0})},
      {"2^30 tiles are few", decide(5, 1u << 30)},
      {"2^63 - 1 tiles are few", decide(5, ~std::uint64_t{0} >> 1)},
      {"single_below 2^63 - 1", decide(6, ~std::uint64_t{0} >> 1)},
      {"an unknown decision", set(kDecisions / item(5) / field(1), "few_tile")},
      {"a decision without a name", drop(kDecisions / item(0) / field(1))},
      {"a decision twice", twice(kDecisions / item(0))},
      {"a decision under another's name", set(kDecisions / item(1) / field(1), "vector_width")},
  };
  ASSERT_EQ(changed([](std::string&) {}), packed(example()));
  EXPECT_TRUE(families::read_pack(base::as_bytes(changed(images(1024)))));
  for (const ChangeRow& row : rows) {
    const auto read = families::read_pack(base::as_bytes(changed(row.change)));
    ASSERT_FALSE(read) << row.what;
    EXPECT_EQ(read.error().flaw, Flaw::Damaged) << row.what << ": " << read.error().message;
  }
}

// These fields were added by a later version of graft, and an earlier version must not ignore them.
TEST(Pack, FieldsOfALaterGraftMakeItANewerOneAndNoDamage) {
  const ChangeRow rows[] = {
      {"of the pack", append(kRecord, Shape::Record, {2, number(7)})},
      {"of a job", append(kJob, Shape::Record, {5, ""})},
      {"of a kernel", append(kKernel, Shape::Record, {12, number(7)})},
      {"of a spec", append(kSpec, Shape::Record, {13, ""})},
      {"of a part", append(kLtoIr, Shape::Record, {9, ""})},
      {"of a part's facts", append(kFacts, Shape::Record, {6, ""})},
      {"of a decision", append(kDecisions / item(0), Shape::Record, {3, ""})},
      {"the last such tag", append(kRecord, Shape::Record, {base::kMaySkip - 1, ""})},
  };
  for (const ChangeRow& row : rows) {
    const auto read = families::read_pack(base::as_bytes(changed(row.change)));
    ASSERT_FALSE(read) << row.what;
    EXPECT_EQ(read.error().flaw, Flaw::Newer) << row.what;
    EXPECT_EQ(read.error().message, "the pack's metadata has fields that this graft does not know") << row.what;
  }
}

// These fields were added by a later version of graft, and an earlier version may ignore them.
TEST(Pack, FieldsThatMayBeSkippedAreSkipped) {
  const Path records[] = {
      kRecord,           kJob,   kKernel, kSpec,  kSignature,        kResult,           kTools / item(0),
      kLtoIr / field(2), kLtoIr, kCubin,  kFacts, kFacts / field(2), kFacts / field(3), kDecisions / item(0)};
  for (const Path& path : records) {
    const std::string bytes = changed([&](std::string& metadata) {
      for (const std::uint16_t tag : {base::kMaySkip, std::uint16_t{0xffff}})
        append(path, Shape::Record, {tag, "of a later version"})(metadata);
    });
    const auto read = families::read_pack(base::as_bytes(bytes));
    ASSERT_TRUE(read) << read.error().message;
    expect_equal(*read, pack_of(example()));
  }
}

TEST(Pack, FieldsThatAreNotThereHaveTheirUsualValues) {
  const std::string bytes = changed([](std::string& metadata) {
    for (const Path& path : {kKernel / field(1), kKernel / field(5), kSpec / field(8), kDecisions / item(6),
                             kFacts / field(3), kFacts / field(5), kLtoIr / field(7), kJob / field(2)})
      drop(path)(metadata);
  });
  PackedKernel expected = example();
  expected.entry = "";
  expected.is_heavy = false;
  expected.spec.max_registers = 0;
  PartFacts& facts = *expected.parts[5].facts;
  std::vector<Tuning::Decision> decisions = facts.tuning.decisions();
  decisions.pop_back();
  facts.tuning = Tuning(decisions);
  facts.resources = {};
  facts.cuda_helpers.clear();
  const auto read = families::read_pack(base::as_bytes(bytes));
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, pack_of(expected));
}

TEST(Pack, DeepOrEndlessMetadataIsRefused) {
  constexpr std::size_t kLong = 1'000'000;
  const auto of_kernel = [](std::uint16_t tag, const std::string& value) {
    const std::string kernel = sized(joined({{tag, value}}, Shape::Record));
    return sized(joined({{1, sized(joined({{3, kernel}}, Shape::Record))}}, Shape::Record));
  };
  const std::string shapes[] = {
      nested(Shape::List, kLong / 4),
      sized(nested(Shape::List, kLong / 4)),
      sized(nested(Shape::Record, kLong / 6, 3)),
      sized(nested(Shape::Record, kLong / 6, 8)),
      sized(joined({{1, nested(Shape::List, kLong / 4)}}, Shape::Record)),
      sized(joined({{1, std::string(kLong, '\0')}}, Shape::Record)),  // 250,000 jobs
      of_kernel(3, joined({{5, nested(Shape::Record, kLong / 6, 1)}}, Shape::Record)),
      of_kernel(8, nested(Shape::List, kLong / 4)),
      of_kernel(8, std::string(kLong, '\0')),  // 250,000 images
      std::string(kLong, '\xff'),
      std::string(kLong, '\0'),
      sized(std::string(kLong, '\xff')),
      sized(std::string(kLong, '\0')),
      little_endian(0xffff'ffff, 4),
      sized(little_endian(1, 2) + little_endian(0xffff'ffff, 4)),
      sized(little_endian(8, 2) + sized(little_endian(0xffff'ffff, 4))),
      "",
      std::string(3, '\0'),
      sized("") + sized(""),
  };
  for (const std::string& shape : shapes) {
    const auto read = families::read_pack(base::as_bytes(around(shape)));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message, "the pack's metadata is malformed");
  }
}

TEST(Pack, WhatCouldNotBeReadIsNotWritten) {
  const auto written = [](const std::function<void(PackedKernel&)>& change) {
    PackedKernel kernel = example();
    change(kernel);
    return families::write_pack(pack_of(kernel));
  };
  EXPECT_EQ(written([](PackedKernel& kernel) { kernel.spec.max_registers = 1000; }).error().flaw, Flaw::Unfit);
  EXPECT_EQ(written([](PackedKernel& kernel) { kernel.parts.resize(60'000); }).error().flaw, Flaw::Unfit);
  EXPECT_EQ(written([](PackedKernel& kernel) { kernel.entry.resize(4 << 20); }).error().message,
            "the pack's metadata is larger than 3145728 bytes");
  EXPECT_EQ(written([](PackedKernel& kernel) { kernel.parts[0].architecture = {}; }).error().flaw, Flaw::Unfit);
  EXPECT_EQ(families::write_pack(Pack()).error().flaw, Flaw::Unfit);
}

TEST(Pack, TakesDamageBehindItsChecksum) {
  read_damaged(packed(example()), [](const Guarded& bytes) {
    (void)families::read_pack(bytes.bytes());
    if (bytes.text().size() < 40) return;
    std::string body(bytes.text());
    for (std::size_t i = 0; i < 8; ++i) body[16 + i] = static_cast<char>(body.size() >> (8 * i) & 0xff);
    const Guarded sealed(resealed(body));
    const auto read = families::read_pack(sealed.bytes());
    if (!was_read(read)) return;
    for (const PackPart& part : only_kernel(*read).parts)
      EXPECT_TRUE(is_inside(base::as_text(part.bytes), sealed.text()));
  });
}

}  // namespace
}  // namespace graft::format
