// Runs the building block (building_blocks/elementwise/transform.cu) on the CPU, so that each of its code paths is
// taken: with every vector width, with aligned and misaligned arrays, and with elements before the first tile (the
// head) and after the last tile. A tile is the run of elements that one thread block handles with several elements per
// thread. Mistakes at the edges of vectors and tiles show as wrong bytes or as sanitizer reports.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstring>
#include <limits>
#include <ostream>
#include <set>

#include "exact_array.hpp"
#include "scenario.hpp"

namespace blocks {

// GoogleTest calls this function to print a test parameter.
void PrintTo(const Subject* subject, std::ostream* stream) {
  *stream << subject->name;
}

namespace {

constexpr int kWidths[] = {1, 2, 4, 8, 16};
constexpr int kVectors[] = {1, 2, 4};

class EverySubject : public testing::TestWithParam<const Subject*> {};
INSTANTIATE_TEST_SUITE_P(Transform, EverySubject, testing::ValuesIn(subjects()),
                         [](const auto& named) { return named.param->name; });

// Returns counts around zero, one vector, one vector for every thread, one tile and two tiles.
std::set<std::size_t> edges(const Policy& policy) {
  const std::size_t width = static_cast<std::size_t>(policy.vector_width);
  std::set<std::size_t> counts = {0, 1};
  for (const std::size_t edge : {width, GRAFT_BLOCK_THREADS * width, tile_of(policy), 2 * tile_of(policy)})
    counts.insert({edge - 1, edge, edge + 1});
  counts.insert(tile_of(policy) + width + 1);
  return counts;
}

TEST_P(EverySubject, AdapterAnswersAreTheSignature) {
  const Subject& subject = *GetParam();
  const auto& inputs = subject.signature.inputs();
  const auto& outputs = subject.signature.outputs();
  ASSERT_EQ(subject.input_count(), static_cast<int>(inputs.size()));
  ASSERT_EQ(subject.output_count(), static_cast<int>(outputs.size()));
  for (int k = 0; k < subject.input_count(); ++k) {
    EXPECT_EQ(subject.input_size(k), static_cast<int>(inputs[static_cast<std::size_t>(k)].size));
    EXPECT_EQ(subject.input_alignment(k), static_cast<int>(inputs[static_cast<std::size_t>(k)].alignment));
  }
  for (int k = 0; k < subject.output_count(); ++k) {
    EXPECT_EQ(subject.output_size(k), static_cast<int>(outputs[static_cast<std::size_t>(k)].size));
    EXPECT_EQ(subject.output_alignment(k), static_cast<int>(outputs[static_cast<std::size_t>(k)].alignment));
  }
}

TEST_P(EverySubject, TailsOfEveryPolicy) {
  const Subject& subject = *GetParam();
  for (const int width : kWidths)
    for (const int vectors : kVectors) {
      // The policy never gives a thread more vectors than this.
      if (static_cast<std::size_t>(vectors) * subject.signature.outputs().size() > GRAFT_MAX_OUTPUT_VECTORS) continue;
      for (const std::size_t count : edges({width, vectors})) {
        const Scenario scenario{&subject, {width, vectors, GRAFT_BODY_VECTOR}, count, alike(subject, 0)};
        ASSERT_EQ(difference(scenario), "") << to_text(scenario);
      }
    }
}

TEST_P(EverySubject, RolledBody) {
  const Subject& subject = *GetParam();
  for (const int width : {1, 4})
    for (const std::size_t count : edges({width, 2})) {
      const Scenario scenario{&subject, {width, 2, GRAFT_BODY_ROLLED}, count, alike(subject, 1)};
      ASSERT_EQ(difference(scenario), "") << to_text(scenario);
    }
}

TEST_P(EverySubject, HeadsThatAlignAllArrays) {
  const Subject& subject = *GetParam();
  for (const int width : kWidths)
    for (std::size_t elements = 0; elements < 17; ++elements) {
      const Policy policy{width, 1, GRAFT_BODY_VECTOR};
      for (const std::size_t count : {std::size_t{1}, elements, tile_of(policy), tile_of(policy) + 17}) {
        const Scenario scenario{&subject, policy, count, alike(subject, elements)};
        ASSERT_EQ(difference(scenario), "") << to_text(scenario);
      }
    }
}

TEST_P(EverySubject, UnlikeAlignments) {
  const Subject& subject = *GetParam();
  std::vector<graft::ElementType> types = subject.signature.inputs();
  types.insert(types.end(), subject.signature.outputs().begin(), subject.signature.outputs().end());
  for (const int width : kWidths)
    for (std::size_t moved = 0; moved < types.size(); ++moved) {
      const Policy policy{width, 2, GRAFT_BODY_VECTOR};
      // Two tiles, as the head that aligns one of the arrays would leave less than a whole one of a single tile.
      Scenario scenario{&subject, policy, 2 * tile_of(policy) + 3, alike(subject, 0)};
      scenario.offsets[moved] += types[moved].alignment;
      ASSERT_EQ(difference(scenario), "") << to_text(scenario);
    }
}

TEST_P(EverySubject, InPlaceAndInAnyOrder) {
  const Subject& subject = *GetParam();
  for (const int width : kWidths)
    for (const Order order : {Order::Forwards, Order::Backwards})
      for (const std::size_t elements : {0, 1}) {
        const Policy policy{width, 1, GRAFT_BODY_VECTOR};
        const Scenario scenario{&subject, policy, 2 * tile_of(policy) + 5, alike(subject, elements), true, order};
        ASSERT_EQ(difference(scenario), "") << to_text(scenario);
      }
}

// A load callback reads its input array itself. For such an array, graft_input_size returns 0, and the building block
// must not access the array.
TEST(Transform, SkipsArraysThatTheCallbackMovesItself) {
  Subject ones = subject("relu");
  ones.input_size = [](int) { return 0; };
  ones.apply = [](const graft_share*, graft_share* outputs, int place, unsigned long long, const graft_launch*) {
    reinterpret_cast<float*>(outputs[0].words)[place] = 1;
    return 1u;
  };
  constexpr Policy policy{4, 1, GRAFT_BODY_VECTOR};
  const std::size_t count = tile_of(policy) + 3;
  const ExactArray nothing(0, 0);
  const ExactArray out(count * sizeof(float), 0);
  struct {
    graft_launch launch;
    void* arrays[2];
  } const parameter = {{count, 1, 0, 0, 0, nullptr, nullptr}, {nothing.data(), out.data()}};
  run_grid(ones, policy, &parameter.launch, 2, Order::Forwards);
  const Eigen::Map<const Eigen::ArrayXf> found(reinterpret_cast<const float*>(out.data()),
                                               static_cast<Eigen::Index>(count));
  EXPECT_TRUE((found == 1.0f).all());
}

// The array is a 4 GiB mapping of which only the ends are touched, so only the pages at the ends get memory.
TEST(Transform, CountsBeyond32Bits) {
  constexpr Policy policy{16, 1, GRAFT_BODY_VECTOR};
  const std::size_t count = (std::size_t{1} << 32) + tile_of(policy) + 5;
  void* const memory = mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::span<unsigned char> all(static_cast<unsigned char*>(memory), count);
  struct {
    graft_launch launch;
    void* arrays[2];
  } const parameter = {{count, static_cast<unsigned>(count / tile_of(policy)), 0, 0, 0, nullptr, nullptr},
                       {memory, memory}};

  const std::size_t last = count / tile_of(policy);
  run_block(subject("invert"), policy, &parameter.launch, static_cast<unsigned>(last - 1), Order::Forwards);
  run_block(subject("invert"), policy, &parameter.launch, static_cast<unsigned>(last), Order::Forwards);
  EXPECT_TRUE(std::ranges::all_of(all.last(tile_of(policy) + 5), [](unsigned char x) { return x == 255; }));
  EXPECT_TRUE(std::ranges::all_of(all.subspan((last - 2) * tile_of(policy), tile_of(policy)),
                                  [](unsigned char x) { return x == 0; }));
  EXPECT_TRUE(std::ranges::all_of(all.first(tile_of(policy)), [](unsigned char x) { return x == 0; }));
  munmap(memory, count);
}

// The count fills two tiles. A third thread block handles the head and the elements after the tiles.
TEST(Transform, EachElementIsHandledByOneThread) {
  constexpr Policy policy{4, 2, GRAFT_BODY_VECTOR};
  const std::size_t count = 3 + 2 * tile_of(policy) + 7;
  ExactArray numbers(count * sizeof(unsigned), 4);
  std::vector<int> writes(count, 0);
  struct {
    graft_launch launch;
    void* arrays[1];
  } const parameter = {{count, 2, 3, 0, 0, nullptr, nullptr}, {numbers.data()}};
  for (unsigned block = 0; block < 3; ++block) {
    numbers.fill(std::byte{0xff});
    run_block(subject("no_inputs"), policy, &parameter.launch, block, Order::Forwards);
    for (std::size_t i = 0; i < count; ++i) {
      unsigned value;
      std::memcpy(&value, numbers.data() + i * sizeof value, sizeof value);
      if (value != std::numeric_limits<unsigned>::max()) ++writes[i];
    }
  }
  EXPECT_TRUE(std::ranges::all_of(writes, [](int times) { return times == 1; }));
}

TEST(Transform, AgreesWithEigen) {
  const Eigen::Index count = 5000;
  const Eigen::ArrayXf in = Eigen::ArrayXf::Random(count) * 20;
  Eigen::ArrayXf out = Eigen::ArrayXf::Zero(count);
  struct {
    graft_launch launch;
    void* arrays[2];
  } const parameter = {{static_cast<unsigned long long>(count), 0, 0, 0, 0, nullptr, nullptr},
                       {const_cast<float*>(in.data()), out.data()}};
  const Policy policy{4, 1, GRAFT_BODY_VECTOR};
  run_grid(subject("relu"), policy, &parameter.launch, static_cast<unsigned>(count / 256 + 1), Order::Forwards);
  EXPECT_TRUE((out == (in > 8.0f).select(in, 0.0f)).all());
}

}  // namespace
}  // namespace blocks
