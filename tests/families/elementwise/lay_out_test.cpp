// Tests the numbers that graft computes for one launch: the offsets of pointers and state in the kernel parameter, the
// number of elements before the first tile (the head), and the number of thread blocks. Wrong numbers would make
// elements be skipped, handled twice, or accessed misaligned.
#include <gtest/gtest.h>

#include <cstring>
#include <ostream>
#include <random>
#include <vector>

#include "families/elementwise/geometries.hpp"

namespace graft::test {
namespace {

struct Packed {
  explicit Packed(const elementwise::LaunchGeometry& geometry, const families::Arguments& arguments) {
    std::memset(bytes, 0xee, sizeof bytes);
    grid = elementwise::lay_out_arguments(geometry, arguments, arguments.outputs[0].count, bytes).blocks;
    std::memcpy(&launch, bytes, sizeof launch);
  }
  void* pointer(std::size_t i) const {
    void* found = nullptr;
    std::memcpy(&found, bytes + sizeof(graft_launch) + i * sizeof found, sizeof found);
    return found;
  }

  alignas(families::kParameterAlignment) std::byte bytes[families::kMostParameterBytes + 64];
  graft_launch launch;
  unsigned grid = 0;
};

TEST(LaunchPack, PutsPointersAndStateInTheirPlaces) {
  struct alignas(16) State {
    int values[4];
  };
  const elementwise::LaunchGeometry geometry = geometry_of<float(float, int, double&, const State&)>();
  const std::vector<ArrayRef> inputs = {array_at<float>(0x1000, 10), array_at<int>(0x2000, 10)};
  const std::vector<ArrayRef> outputs = {array_at<float>(0x3000, 10), array_at<double>(0x4000, 10)};
  const State state = {{1, 2, 3, 4}};
  const Packed packed(geometry, {inputs, outputs, &state, element_type<State>()});
  EXPECT_EQ(packed.launch.count, 10u);
  EXPECT_EQ(packed.launch.load_info, nullptr);
  EXPECT_EQ(packed.launch.store_info, nullptr);
  EXPECT_EQ(packed.pointer(0), inputs[0].pointer);
  EXPECT_EQ(packed.pointer(1), inputs[1].pointer);
  EXPECT_EQ(packed.pointer(2), outputs[0].pointer);
  EXPECT_EQ(packed.pointer(3), outputs[1].pointer);
  EXPECT_EQ(std::memcmp(packed.bytes + geometry.state_offset, &state, sizeof state), 0);
  for (std::size_t i = geometry.parameter_bytes; i < sizeof packed.bytes; ++i)
    ASSERT_EQ(packed.bytes[i], std::byte{0xee}) << "byte " << i << " lies behind the parameter";
}

TEST(LaunchPack, PutsPointersOfInOutArraysBehindThoseOfTheInputs) {
  const elementwise::LaunchGeometry geometry = geometry_of<float(InOut<double>, float, InOut<int>)>();
  const std::vector<ArrayRef> inputs = {array_at<float>(0x1000, 10)};
  const std::vector<ArrayRef> outputs = {array_at<float>(0x2000, 10), array_at<double>(0x3000, 10),
                                         array_at<int>(0x4000, 10)};
  EXPECT_EQ(elementwise::check(geometry, {inputs, outputs, nullptr, {}}), 10u);
  const Packed packed(geometry, {inputs, outputs, nullptr, {}});
  const std::uintptr_t expected[] = {0x1000, 0x3000, 0x4000, 0x2000, 0x3000, 0x4000};
  for (std::size_t i = 0; i < std::size(expected); ++i)
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(packed.pointer(i)), expected[i]) << i;
  EXPECT_EQ(geometry.parameter_bytes, sizeof(graft_launch) + 6 * sizeof(void*));
}

// ---- the head, which is the elements before the first tile ----

struct Head {
  const char* name;
  int width;               // the vector width, in elements
  std::uintptr_t input;    // the address of the input array
  std::uintptr_t output;   // the address of the output array
  std::size_t count;       // the number of elements
  unsigned head;           // expected: the elements before the first tile
  unsigned tiles;          // expected: the number of tiles
  bool is_unlike = false;  // expected: whether graft treats the arrays as differently aligned
};

void PrintTo(const Head& head, std::ostream* out) {
  *out << head.name;
}

class LaunchHead : public testing::TestWithParam<Head> {};

TEST_P(LaunchHead, OfFloats) {
  const Head& expected = GetParam();
  const std::vector<ArrayRef> inputs = {array_at<float>(expected.input, expected.count)};
  const std::vector<ArrayRef> outputs = {array_at<float>(expected.output, expected.count)};
  const Packed packed(geometry_of<float(float)>(expected.width), {inputs, outputs, nullptr, {}});
  EXPECT_EQ(packed.launch.head, expected.head);
  EXPECT_EQ(packed.launch.tiles, expected.tiles);
  EXPECT_EQ(packed.launch.differently_aligned, expected.is_unlike);
}

// With 4 elements per thread, a tile has 1024 elements. If the arrays are differently aligned, at least 4 elements
// (GRAFT_ALIGNMENT_MARGIN) lie before the first tile and after the last tile.
INSTANTIATE_TEST_SUITE_P(Cases, LaunchHead,
                         testing::Values(Head{"Aligned", 4, 0x1000, 0x2000, 1024, 0, 1},
                                         Head{"OneTooFew", 4, 0x1000, 0x2000, 1023, 0, 0},
                                         Head{"AlikeBy1", 4, 0x1004, 0x2004, 1027, 3, 1},
                                         Head{"AlikeBy2", 4, 0x1008, 0x2008, 5000, 2, 4},
                                         Head{"AlikeBy3", 4, 0x100c, 0x200c, 1025, 1, 1},
                                         Head{"AlikeAndTooFew", 4, 0x1004, 0x2004, 1026, 0, 0},
                                         Head{"Unlike", 4, 0x1004, 0x2008, 1034, 6, 1, true},
                                         Head{"UnlikeWithoutTheMargin", 4, 0x1004, 0x2008, 1033, 0, 0, true},
                                         Head{"OneAligned", 4, 0x1000, 0x2004, 1035, 7, 1, true},
                                         Head{"OutputAligned", 4, 0x1004, 0x2000, 1032, 4, 1, true},
                                         Head{"WidthOneNeedsNoMore", 1, 0x1004, 0x2008, 256, 0, 1},
                                         Head{"WidthTwoNeeds8Bytes", 2, 0x1008, 0x2000, 512, 0, 1},
                                         Head{"WidthTwoUnlike", 2, 0x1004, 0x2008, 520, 4, 1, true},
                                         Head{"NothingBehindTheHead", 4, 0x1004, 0x2004, 3, 0, 0}),
                         name_of_row<Head>);

TEST(LaunchHead, OfARolledBodyIsNone) {
  Report report;
  report.kernel.signature = Signature::of<float(float)>();
  report.kernel.tuning.set("body", static_cast<int>(Body::Rolled));
  const std::vector<ArrayRef> inputs = {array_at<float>(0x1004, 5000)};
  const Packed packed(elementwise::make_geometry(report.kernel), {inputs, inputs, nullptr, {}});
  EXPECT_EQ(packed.launch.tiles, 0u);
  EXPECT_EQ(packed.launch.head, 0u);
  EXPECT_EQ(packed.grid, 20u);
}

struct Rgb {
  unsigned char r, g, b;
};

// Returns whether array i fits the definition of the head: after `head` elements, the array's address is a multiple of
// the largest word size that divides the number of bytes which one thread handles.
bool is_aligned_at(unsigned head, const elementwise::LaunchGeometry& geometry, const std::vector<ArrayRef>& arrays,
                   std::size_t i) {
  const std::size_t size = geometry.arrays[i].type.size;
  std::size_t word = 16;
  while (size * geometry.width % word != 0) word /= 2;
  return (reinterpret_cast<std::uintptr_t>(arrays[i].pointer) + head * size) % word == 0;
}

// Returns the first position in [head, head + width) for which `is_right` holds, or head + width if no position does.
template <class Condition>
unsigned first_from(unsigned head, unsigned width, Condition is_right) {
  for (unsigned at = head; at < head + width; ++at)
    if (is_right(at)) return at;
  return head + width;
}

template <class A, class B, class C>
void expect_heads_as_defined() {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const unsigned width = 1u << random() % 5;
    const elementwise::LaunchGeometry geometry = geometry_of<C(A, B)>(static_cast<int>(width));
    const auto some = [&](std::size_t alignment) { return 0x10000 + random() % 64 / alignment * alignment; };
    const std::vector<ArrayRef> inputs = {array_at<A>(some(alignof(A)), 10'000), array_at<B>(some(alignof(B)), 10'000)};
    const std::vector<ArrayRef> outputs = {array_at<C>(some(alignof(C)), 10'000)};
    const std::vector<ArrayRef> all = {inputs[0], inputs[1], outputs[0]};
    const Packed packed(geometry, {inputs, outputs, nullptr, {}});
    const auto aligned = [&](unsigned at, std::size_t i) { return is_aligned_at(at, geometry, all, i); };
    const unsigned alike =
        first_from(0, width, [&](unsigned at) { return aligned(at, 0) && aligned(at, 1) && aligned(at, 2); });
    const unsigned differently_aligned =
        first_from(GRAFT_ALIGNMENT_MARGIN, width, [&](unsigned at) { return aligned(at, 2); });
    const bool is_alike = alike < width;
    const bool is_possible = is_alike || differently_aligned < GRAFT_ALIGNMENT_MARGIN + width;
    ASSERT_EQ(packed.launch.tiles > 0, is_possible);
    ASSERT_EQ(packed.launch.head, !is_possible ? 0 : is_alike ? alike : differently_aligned);
    ASSERT_EQ(packed.launch.differently_aligned, !is_alike && is_possible);
    const std::size_t behind = 10'000 - packed.launch.head - (std::size_t{packed.launch.tiles} << geometry.tile_bits);
    ASSERT_GE(behind, packed.launch.differently_aligned ? std::size_t{GRAFT_ALIGNMENT_MARGIN} : 0);
  }
}

TEST(LaunchHead, IsTheFirstAtWhichAllAreAligned) {
  expect_heads_as_defined<float, float, float>();
  expect_heads_as_defined<unsigned char, unsigned char, unsigned char>();
  expect_heads_as_defined<unsigned char, short, double>();
  expect_heads_as_defined<Rgb, Rgb, unsigned char>();
  expect_heads_as_defined<double, double, float>();
}

// ---- the grid, which is the number of thread blocks ----

struct Grid {
  int width;
  int vectors;
  std::uintptr_t address;
  std::size_t count;
  unsigned blocks;
};

TEST(LaunchGrid, HasABlockForEachTileAndAThreadForEachOtherElement) {
  const std::vector<Grid> table = {
      {4, 1, 0x1000, 1, 1},    {4, 1, 0x1000, 1024, 1}, {4, 1, 0x1000, 1025, 2},   {4, 1, 0x1000, 2047, 5},
      {4, 2, 0x1000, 2048, 1}, {4, 2, 0x1000, 2049, 2}, {1, 1, 0x1000, 257, 2},    {4, 1, 0x1004, 1027, 2},
      {4, 1, 0x1004, 1028, 2}, {4, 1, 0x1004, 2, 1},    {16, 4, 0x1000, 16385, 2}, {4, 1, 0x1000, 1ull << 40, 1u << 30},
  };
  for (const Grid& row : table) {
    const std::vector<ArrayRef> inputs = {array_at<float>(row.address, row.count)};
    const Packed packed(geometry_of<float(float)>(row.width, row.vectors), {inputs, inputs, nullptr, {}});
    EXPECT_EQ(packed.grid, row.blocks) << row.count << " elements, " << row.width << " by " << row.vectors << " wide";
  }
}

}  // namespace
}  // namespace graft::test
