// A launch's parameter: where things stand, which elements are peeled, how many blocks run.
#include <gtest/gtest.h>

#include <cstring>
#include <ostream>
#include <random>
#include <vector>

#include "launch/shapes.hpp"

namespace graft::test {
namespace {

struct Packed {
  explicit Packed(const launch::LaunchShape& shape, const launch::Arguments& arguments) {
    std::memset(bytes, 0xee, sizeof bytes);
    grid = launch::pack(shape, arguments, arguments.outputs[0].count, bytes);
    std::memcpy(&launch, bytes, sizeof launch);
  }
  void* pointer(std::size_t i) const {
    void* found = nullptr;
    std::memcpy(&found, bytes + sizeof(graft_launch) + i * sizeof found, sizeof found);
    return found;
  }

  alignas(launch::kMaxStateAlignment) std::byte bytes[launch::kMaxParameterBytes + 64];
  graft_launch launch;
  unsigned grid = 0;
};

TEST(LaunchPack, PutsPointersAndStateInTheirPlaces) {
  struct alignas(16) State {
    int values[4];
  };
  const launch::LaunchShape shape = shape_of<float(float, int, double&, const State&)>();
  const std::vector<Array> inputs = {array_at<float>(0x1000, 10), array_at<int>(0x2000, 10)};
  const std::vector<Array> outputs = {array_at<float>(0x3000, 10), array_at<double>(0x4000, 10)};
  const State state = {{1, 2, 3, 4}};
  const Packed packed(shape, {inputs, outputs, &state, element_type<State>()});
  EXPECT_EQ(packed.launch.count, 10u);
  EXPECT_EQ(packed.launch.load_info, nullptr);
  EXPECT_EQ(packed.launch.store_info, nullptr);
  EXPECT_EQ(packed.pointer(0), inputs[0].pointer);
  EXPECT_EQ(packed.pointer(1), inputs[1].pointer);
  EXPECT_EQ(packed.pointer(2), outputs[0].pointer);
  EXPECT_EQ(packed.pointer(3), outputs[1].pointer);
  EXPECT_EQ(std::memcmp(packed.bytes + shape.state_offset, &state, sizeof state), 0);
  for (std::size_t i = shape.parameter_bytes; i < sizeof packed.bytes; ++i)
    ASSERT_EQ(packed.bytes[i], std::byte{0xee}) << "byte " << i << " lies behind the parameter";
}

// ---- the head ----

struct Head {
  const char* name;
  int width;
  std::uintptr_t input;
  std::uintptr_t output;
  std::size_t count;
  unsigned head;
  bool is_aligned;
};

void PrintTo(const Head& head, std::ostream* out) {
  *out << head.name;
}

class LaunchHead : public testing::TestWithParam<Head> {};

TEST_P(LaunchHead, OfFloats) {
  const Head& expected = GetParam();
  const std::vector<Array> inputs = {array_at<float>(expected.input, expected.count)};
  const std::vector<Array> outputs = {array_at<float>(expected.output, expected.count)};
  const Packed packed(shape_of<float(float)>(expected.width), {inputs, outputs, nullptr, {}});
  EXPECT_EQ(packed.launch.head, expected.head);
  EXPECT_EQ(packed.launch.aligned, expected.is_aligned);
}

INSTANTIATE_TEST_SUITE_P(Cases, LaunchHead,
                         testing::Values(Head{"Aligned", 4, 0x1000, 0x2000, 100, 0, true},
                                         Head{"AlikeBy1", 4, 0x1004, 0x2004, 100, 3, true},
                                         Head{"AlikeBy2", 4, 0x1008, 0x2008, 100, 2, true},
                                         Head{"AlikeBy3", 4, 0x100c, 0x200c, 100, 1, true},
                                         Head{"Unlike", 4, 0x1004, 0x2008, 100, 0, false},
                                         Head{"OneAligned", 4, 0x1000, 0x2004, 100, 0, false},
                                         Head{"WidthOneNeedsNoMore", 1, 0x1004, 0x2008, 100, 0, true},
                                         Head{"WidthTwoNeeds8Bytes", 2, 0x1008, 0x2000, 100, 0, true},
                                         Head{"WidthTwoUnlike", 2, 0x1004, 0x2008, 100, 0, false},
                                         Head{"NothingBehindTheHead", 4, 0x1004, 0x2004, 3, 0, false},
                                         Head{"OneBehindTheHead", 4, 0x1004, 0x2004, 4, 3, true}),
                         name_of_row<Head>);

struct Rgb {
  unsigned char r, g, b;
};

// The definition, word by word: the first element at which each array's share may move in its widest words.
bool is_aligned_at(unsigned head, const launch::LaunchShape& shape, const std::vector<Array>& arrays) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const std::size_t size = shape.arrays[i].type.size;
    std::size_t word = 16;
    while (size * shape.vector_width % word != 0) word /= 2;
    if ((reinterpret_cast<std::uintptr_t>(arrays[i].pointer) + head * size) % word != 0) return false;
  }
  return true;
}

template <class A, class B, class C>
void expect_heads_as_defined() {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const int width = 1 << random() % 5;
    const launch::LaunchShape shape = shape_of<C(A, B)>(width);
    const auto some = [&](std::size_t alignment) { return 0x10000 + random() % 64 / alignment * alignment; };
    const std::vector<Array> inputs = {array_at<A>(some(alignof(A)), 1000), array_at<B>(some(alignof(B)), 1000)};
    const std::vector<Array> outputs = {array_at<C>(some(alignof(C)), 1000)};
    const std::vector<Array> all = {inputs[0], inputs[1], outputs[0]};
    const Packed packed(shape, {inputs, outputs, nullptr, {}});
    unsigned head = 0;
    while (head < shape.vector_width && !is_aligned_at(head, shape, all)) ++head;
    ASSERT_EQ(packed.launch.aligned, head < shape.vector_width);
    ASSERT_EQ(packed.launch.head, head < shape.vector_width ? head : 0);
  }
}

TEST(LaunchHead, IsTheFirstAtWhichAllAreAligned) {
  expect_heads_as_defined<float, float, float>();
  expect_heads_as_defined<unsigned char, unsigned char, unsigned char>();
  expect_heads_as_defined<unsigned char, short, double>();
  expect_heads_as_defined<Rgb, Rgb, unsigned char>();
  expect_heads_as_defined<double, double, float>();
}

// ---- the grid ----

struct Grid {
  int width;
  int vectors;
  std::uintptr_t address;
  std::size_t count;
  unsigned blocks;
};

TEST(LaunchGrid, HasATileForEveryElementBehindTheHead) {
  const std::vector<Grid> table = {
      {4, 1, 0x1000, 1, 1},
      {4, 1, 0x1000, 1024, 1},
      {4, 1, 0x1000, 1025, 2},
      {4, 2, 0x1000, 2048, 1},
      {4, 2, 0x1000, 2049, 2},
      {1, 1, 0x1000, 257, 2},
      {4, 1, 0x1004, 1027, 1},
      {4, 1, 0x1004, 1028, 2},
      {4, 1, 0x1004, 2, 1},
      {16, 4, 0x1000, 16385, 2},
      {4, 1, 0x1000, 1ull << 40, 1u << 30},
  };
  for (const Grid& row : table) {
    const std::vector<Array> inputs = {array_at<float>(row.address, row.count)};
    const Packed packed(shape_of<float(float)>(row.width, row.vectors), {inputs, inputs, nullptr, {}});
    EXPECT_EQ(packed.grid, row.blocks) << row.count << " elements, " << row.width << " by " << row.vectors << " wide";
  }
}

}  // namespace
}  // namespace graft::test
