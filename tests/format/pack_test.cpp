#include "format/pack.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "format/samples.hpp"

namespace graft::format {
namespace {

const std::string kIr = "pretend that this is LTO-IR";
const std::string kPtx = ".version 9.0\n.target sm_75\n";

Pack example() {
  Pack pack;
  pack.entry = "math::axpy";
  pack.symbol = "_ZN4math4axpyEffRKNS_5ScaleE";
  pack.kernel = "graft_transform_math_axpy";
  const ElementType real{ElementKind::Float, 4, 4};
  pack.signature =
      Signature({Role::Output, real, "float"}, {{Role::Input, real, "float"},
                                                {Role::Input, real, "float"},
                                                {Role::State, {ElementKind::Class, 8, 4}, "const math::Scale&"},
                                                {Role::Index, {ElementKind::Class, 8, 8}, "graft::Index"}});
  pack.floating_point.contraction = false;
  pack.max_registers = 64;
  pack.line_info = true;
  pack.is_heavy = true;
  pack.has_long_math = true;
  pack.tools = {{"NVRTC", "13.0"}, {"graft", "0.1.0"}};
  pack.images = {
      {PackImageKind::LtoIr, {75}, base::as_bytes(kIr)},       {PackImageKind::LtoIr, {90, 'a'}, base::as_bytes(kIr)},
      {PackImageKind::Program, {75}, base::as_bytes(kPtx)},    {PackImageKind::CallbackPtx, {75}, base::as_bytes(kPtx)},
      {PackImageKind::AdapterPtx, {75}, base::as_bytes(kPtx)}, {PackImageKind::Cubin, {100, 'f'}, {}}};
  pack.images.back().kernel = {
      .route = Route::Ptx,
      .tuning = {.vector_width = 4, .vectors_per_thread = 2, .body = Body::Rolled, .few_tiles = 128},
      .resources = {40, 32, 8, 16, 48, 400},
      .remaining_calls = {"math::axpy"},
      .cuda_helpers = {"__internal_accurate_pow"}};
  return pack;
}

// A kernel with a tuning of its own in each of its fields.
Pack tuned_example() {
  Pack pack = example();
  PackKernel& kernel = pack.images.back().kernel;
  kernel.tuning.block_threads = 64;
  kernel.tuning.programmatic_launch = true;
  kernel.tuning.few_tiles = 0;
  kernel.tuning.single_below = 1u << 23;
  return pack;
}

std::string packed(const Pack& pack) {
  const auto bytes = write_pack(pack);
  if (!bytes) throw std::runtime_error(bytes.error().message);
  return std::string(base::as_text(*bytes));
}

void expect_equal(const PackKernel& read, const PackKernel& expected) {
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

void expect_equal(const Pack& read, const Pack& expected) {
  EXPECT_EQ(read.entry, expected.entry);
  EXPECT_EQ(read.symbol, expected.symbol);
  EXPECT_EQ(read.kernel, expected.kernel);
  EXPECT_EQ(read.signature.describe(), expected.signature.describe());
  EXPECT_EQ(read.signature, expected.signature);
  EXPECT_EQ(read.floating_point, expected.floating_point);
  EXPECT_EQ(read.max_registers, expected.max_registers);
  EXPECT_EQ(read.line_info, expected.line_info);
  EXPECT_EQ(read.is_heavy, expected.is_heavy);
  EXPECT_EQ(read.has_long_math, expected.has_long_math);
  EXPECT_EQ(read.tools, expected.tools);
  ASSERT_EQ(read.images.size(), expected.images.size());
  for (std::size_t i = 0; i < read.images.size(); ++i) {
    EXPECT_EQ(read.images[i].kind, expected.images[i].kind);
    EXPECT_EQ(read.images[i].architecture, expected.images[i].architecture);
    expect_equal(read.images[i].kernel, expected.images[i].kernel);
    EXPECT_EQ(base::as_text(read.images[i].bytes), base::as_text(expected.images[i].bytes));
  }
}

// The checksum made good again, so that what lies behind it is reached.
std::string resealed(std::string pack) {
  pack.resize(pack.size() - 16);
  const base::Hash128 checksum = base::hash(pack);
  for (const std::uint64_t half : {checksum.low, checksum.high})
    for (int i = 0; i < 8; ++i) pack += static_cast<char>(half >> (8 * i) & 0xff);
  return pack;
}

// A whole pack around this metadata and nothing else.
std::string around(const std::vector<std::uint8_t>& metadata) {
  std::string pack = packed(example()).substr(0, 12);
  const auto add = [&](std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) pack += static_cast<char>(value >> (8 * i) & 0xff);
  };
  add(metadata.size(), 4);
  add(24 + metadata.size() + 16, 8);
  pack.append(metadata.begin(), metadata.end());
  return resealed(pack + std::string(16, '\0'));
}

nlohmann::json metadata_of(const std::string& pack) {
  const auto size = static_cast<unsigned char>(pack[12]) + 256u * static_cast<unsigned char>(pack[13]);
  return nlohmann::json::from_cbor(pack.substr(24, size));
}

TEST(Pack, ComesBackAsItWas) {
  const std::string bytes = packed(example());
  EXPECT_TRUE(is_pack(base::as_bytes(bytes)));
  const auto read = read_pack(base::as_bytes(bytes));
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, example());
  for (const PackImage& image : read->images) EXPECT_TRUE(is_inside(base::as_text(image.bytes), bytes));
}

TEST(Pack, OfNothingComesBack) {
  Pack pack;
  pack.signature = Signature({Role::Output, {ElementKind::Bool, 1, 1}, "bool"}, {});
  const std::string bytes = packed(pack);
  const auto read = read_pack(base::as_bytes(bytes));
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, pack);
}

TEST(Pack, IsTheSameBytesEachTime) {
  EXPECT_EQ(packed(example()), packed(example()));
  Pack other = example();
  other.floating_point.contraction = true;
  EXPECT_NE(packed(other), packed(example()));
}

// A difference here is a change of the format: raise kPackVersion, keep this file and its test for reading, and add
// another for the new version.
TEST(Pack, OfVersion1IsWhatItWas) {
  const auto golden = base::read_file(GRAFT_SOURCE_DIR "/tests/format/golden/v1.graft");
  ASSERT_TRUE(golden);
  EXPECT_EQ(packed(example()), *golden);
  const auto read = read_pack(base::as_bytes(*golden));
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, example());
}

// What has its usual value is left out, so that older packs mean what they meant and no pack has two spellings.
TEST(Pack, TheTuningOfVersion1IsWhatItWas) {
  const std::string path = GRAFT_SOURCE_DIR "/tests/format/golden/v1_tuned.graft";
  const std::string bytes = packed(tuned_example());
  const bool asked = std::getenv("GRAFT_WRITE_GOLDEN") != nullptr;
  EXPECT_TRUE(!asked || base::write_file(path, base::as_bytes(bytes)));
  const auto golden = base::read_file(path);
  ASSERT_TRUE(golden);
  EXPECT_EQ(bytes, *golden);
  const auto read = read_pack(base::as_bytes(*golden));
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(*read, tuned_example());

  const nlohmann::json usual = metadata_of(packed(example()))["images"][5]["kernel"];
  const nlohmann::json tuned = metadata_of(bytes)["images"][5]["kernel"];
  EXPECT_EQ(tuned.size(), usual.size() + 4);
  EXPECT_EQ(tuned["block_threads"], 64);
  EXPECT_EQ(tuned["programmatic_launch"], true);
  EXPECT_EQ(tuned["few_tiles"], 0);
  EXPECT_EQ(tuned["single_below"], 8388608);
}

// Whole, and with a signature or a kernel that no callback has.
TEST(Pack, OfTheImpossibleIsRefusedWithItsReason) {
  struct Row {
    const char* message;
    void (*change)(Pack&);
  };
  const Row rows[] = {
      {"no callback has its signature: it has no output",
       [](Pack& p) {
         p.signature = Signature({Role::None, {}, "void"}, {});
       }},
      {"its cubin for sm_100f is no kernel: its vector width is 3",
       [](Pack& p) { p.images[5].kernel.tuning.vector_width = 3; }},
      {"its cubin for sm_100f is no kernel: it has 48 threads per block",
       [](Pack& p) { p.images[5].kernel.tuning.block_threads = 48; }},
      {"its adapter-ptx for sm_75 is no kernel: it has 0 vectors per thread",
       [](Pack& p) { p.images[4].kernel.tuning.vectors_per_thread = 0; }},
      {"its ltoir for sm_75 is no kernel: it uses 256 registers",
       [](Pack& p) { p.images[0].kernel.resources.registers = 256; }},
  };
  for (const Row& row : rows) {
    Pack pack = example();
    row.change(pack);
    const auto written = write_pack(pack);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message, fmt::format("this cannot be packed: {}", row.message));
  }
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
      {"", Flaw::Unknown, "this is no pack"},
      {"GRAFT", Flaw::Unknown, "this is no pack"},
      {with(6, '\n'), Flaw::Unknown, "this is no pack"},
      {with(8, 2), Flaw::Newer, "the pack has format version 2, and this graft reads up to 1"},
      {with(8, 0), Flaw::Damaged, "the pack has format version 0, which never was"},
      {whole.substr(0, 23), Flaw::Truncated, "the pack ends inside its header"},
      {whole.substr(0, 24), Flaw::Truncated, fmt::format("the pack ends after 24 of its {} bytes", whole.size())},
      {cut, Flaw::Truncated, fmt::format("the pack ends after {} of its {} bytes", cut.size(), whole.size())},
      {whole + "x", Flaw::Damaged, fmt::format("something follows the pack's {} bytes", whole.size())},
      {with(15, 127), Flaw::Damaged, "the pack's metadata has an impossible size"},
      {with(14, 15), Flaw::Damaged, "the pack's metadata has an impossible size"},
      {with(100, '\xff'), Flaw::Damaged, "the pack is damaged: its checksum does not match"},
      {resealed(with(24, '\xff')), Flaw::Damaged, "the pack's metadata is not what graft writes"},
      {resealed(with(whole.size() - 20, '\xff')), Flaw::Damaged, "something stands between the pack's images"},
      {resealed(with(whole.size() - 40, '\xff')), Flaw::Damaged, "the pack's metadata and its images disagree"},
  };
  for (const Row& row : rows) {
    const auto read = read_pack(base::as_bytes(row.bytes));
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
    EXPECT_FALSE(read_pack(base::as_bytes(bytes))) << i;
    EXPECT_FALSE(read_pack(base::as_bytes(whole.substr(0, i)))) << i;
  }
}

// With a checksum that fits: what a forger, or a faulty writer, could make.
TEST(Pack, MetadataIsReadWithCare) {
  const std::string whole = packed(example());
  using Change = std::function<void(nlohmann::json&)>;
  const Change changes[] = {
      [](auto& m) { m = nlohmann::json::array(); },
      [](auto& m) { m.erase("entry"); },
      [](auto& m) { m["entry"] = 7; },
      [](auto& m) { m["future"] = 7; },
      [](auto& m) { m["max_registers"] = 256; },
      [](auto& m) { m["max_registers"] = -1; },
      [](auto& m) { m["max_registers"] = 1e300; },
      [](auto& m) { m["line_info"] = 1; },
      [](auto& m) {
        m["result"] = nlohmann::json::array({0, 0, 4, 4, "float"});
      },
      [](auto& m) { m["result"][0] = 99; },
      [](auto& m) { m["result"][1] = 99; },
      [](auto& m) { m["result"][2] = 1ull << 40; },
      [](auto& m) { m["result"][3] = 3; },
      [](auto& m) { m["result"].push_back(1); },
      [](auto& m) { m["parameters"] = std::vector<nlohmann::json>(65, m["parameters"][0]); },
      [](auto& m) { m["parameters"] = nlohmann::json::object(); },
      [](auto& m) { m["tools"][0] = "NVRTC"; },
      [](auto& m) { m["images"][0]["kind"] = 5; },
      [](auto& m) { m["images"][0]["architecture"] = "sm_9"; },
      [](auto& m) { m["images"][0]["architecture"] = "sm_075"; },
      [](auto& m) { m["images"][0]["architecture"] = "compute_75"; },
      [](auto& m) { m["images"][0]["size"] = 1ull << 33; },
      [](auto& m) { m["images"][0]["size"] = 1000000; },
      [](auto& m) { m["images"][0]["size"] = 1; },
      [](auto& m) { m["images"][0]["xxh3"] = "00"; },
      [](auto& m) { m["images"] = std::vector<nlohmann::json>(2000, m["images"][5]); },
      [](auto& m) { m["floating_point"].erase("contraction"); },
      [](auto& m) { m["long_math"] = 1; },
      [](auto& m) { m["parameters"][0][0] = 5; },
      [](auto& m) { m["images"][0].erase("kernel"); },
      [](auto& m) { m["images"][0]["kernel"]["route"] = 4; },
      [](auto& m) { m["images"][0]["kernel"]["vector_width"] = 3; },
      [](auto& m) { m["images"][0]["kernel"]["vector_width"] = 0; },
      [](auto& m) { m["images"][0]["kernel"]["vectors_per_thread"] = 32; },
      [](auto& m) { m["images"][0]["kernel"]["body"] = 2; },
      [](auto& m) { m["images"][0]["kernel"]["block_threads"] = 256; },  // the usual value is left out
      [](auto& m) { m["images"][0]["kernel"]["block_threads"] = 0; },
      [](auto& m) { m["images"][0]["kernel"]["block_threads"] = 1u << 31; },
      [](auto& m) { m["images"][0]["kernel"]["block_threads"] = "64"; },
      [](auto& m) { m["images"][0]["kernel"]["programmatic_launch"] = 1; },
      [](auto& m) { m["images"][0]["kernel"]["programmatic_launch"] = false; },
      [](auto& m) { m["images"][0]["kernel"]["few_tiles"] = -1; },
      [](auto& m) { m["images"][0]["kernel"]["few_tiles"] = 128; },
      [](auto& m) { m["images"][0]["kernel"]["few_tiles"] = 1u << 30; },
      [](auto& m) { m["images"][0]["kernel"]["single_below"] = 0; },
      [](auto& m) { m["images"][0]["kernel"]["single_below"] = ~0ull; },
      [](auto& m) { m["images"][0]["kernel"]["registers"] = 256; },
      [](auto& m) {
        m["images"][0]["kernel"]["bytes"] = {1, 2};
      },
      [](auto& m) { m["images"][0]["kernel"]["calls"] = {7}; },
  };
  int number = 0;
  for (const Change& change : changes) {
    nlohmann::json metadata = metadata_of(whole);
    change(metadata);
    const std::vector<std::uint8_t> cbor = nlohmann::json::to_cbor(metadata);
    std::string bytes = around(cbor);
    const std::size_t old_images = 24 + nlohmann::json::to_cbor(metadata_of(whole)).size();
    const auto images = whole.substr((old_images + 15) / 16 * 16, whole.size() - (old_images + 15) / 16 * 16 - 16);
    std::string body = bytes.substr(0, bytes.size() - 16);
    body.resize((body.size() + 15) / 16 * 16);
    body += images;
    const std::uint64_t size = body.size() + 16;
    for (std::size_t i = 0; i < 8; ++i) body[16 + i] = static_cast<char>(size >> (8 * i) & 0xff);
    const auto read = read_pack(base::as_bytes(resealed(body + std::string(16, '\0'))));
    ASSERT_FALSE(read) << number;
    EXPECT_EQ(read.error().flaw, Flaw::Damaged) << number << read.error().message;
    ++number;
  }
}

TEST(Pack, DeepOrEndlessMetadataIsRefused) {
  const std::vector<std::uint8_t> shapes[] = {
      std::vector<std::uint8_t>(1000000, 0x81),                                  // arrays in arrays
      std::vector<std::uint8_t>(1000000, 0x9f),                                  // the same without a length
      {0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},                    // 2^64 - 1 elements
      {0x7b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},                    // a text of 2^63 - 1 bytes
      {0xbb, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x61, 0x61, 0x00},  // a map of 2^56 entries
      {},
      {0xa0, 0xa0},
  };
  for (const auto& shape : shapes) {
    const auto read = read_pack(base::as_bytes(around(shape)));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().message, "the pack's metadata is not what graft writes");
  }
}

TEST(Pack, WhatCouldNotBeReadIsNotWritten) {
  Pack pack = example();
  pack.max_registers = 1000;
  EXPECT_EQ(write_pack(pack).error().flaw, Flaw::Unfit);
  pack = example();
  pack.images.resize(2000);
  EXPECT_EQ(write_pack(pack).error().flaw, Flaw::Unfit);
  pack = example();
  pack.entry.resize(2 << 20);
  EXPECT_EQ(write_pack(pack).error().message, "the pack's metadata is larger than 1048576 bytes");
  pack = example();
  pack.images[0].architecture = {};
  EXPECT_EQ(write_pack(pack).error().flaw, Flaw::Unfit);
}

TEST(Pack, TakesDamageBehindItsChecksum) {
  read_damaged(packed(example()), [](const Guarded& bytes) {
    (void)read_pack(bytes.bytes());
    if (bytes.text().size() < 40) return;
    std::string body(bytes.text());
    for (std::size_t i = 0; i < 8; ++i) body[16 + i] = static_cast<char>(body.size() >> (8 * i) & 0xff);
    const Guarded sealed(resealed(body));
    const auto read = read_pack(sealed.bytes());
    if (!was_read(read)) return;
    for (const PackImage& image : read->images) EXPECT_TRUE(is_inside(base::as_text(image.bytes), sealed.text()));
  });
}

}  // namespace
}  // namespace graft::format
