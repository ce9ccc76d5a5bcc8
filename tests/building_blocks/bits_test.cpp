// Runs the building block with bit arrays on the CPU and compares all words, also the bits around an output's elements.
// A GPU is needed to see that real warps do the same (tests/gpu/bits_test.cpp); here every tuning is tried with every
// way in which the threads of a warp may come together.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "bits_on_host.hpp"
#include "families/elementwise/arguments.hpp"
#include "families/elementwise/launch_geometry.hpp"
#include "graft/report.hpp"

namespace blocks {
namespace {

using graft::ArrayRef;
using graft::bits;

struct Words {
  std::size_t offset;
  std::vector<std::uint32_t> now, expected;

  Words(std::size_t from, std::size_t count, std::mt19937& random) : offset(from), now((from + count + 31) / 32 + 1) {
    for (std::uint32_t& word : now) word = static_cast<std::uint32_t>(random());
    expected = now;
  }
  bool operator[](std::size_t i) const { return (expected[(offset + i) / 32] >> ((offset + i) % 32) & 1) != 0; }
  void set(std::size_t i, bool value) {
    const std::uint32_t bit = std::uint32_t{1} << ((offset + i) % 32);
    std::uint32_t& word = expected[(offset + i) / 32];
    word = value ? word | bit : word & ~bit;
  }
  auto part(std::size_t count) { return bits(now.data(), offset, count); }
};

struct Tuning {
  Policy policy;
  Convergence convergence;
};

std::vector<Tuning> tunings() {
  std::vector<Tuning> all;
  for (const int width : {1, 2, 4, 8, 16})
    for (const int vectors : {1, 2, 4})
      for (const unsigned threads : {64u, 256u})
        all.push_back({{width, vectors, GRAFT_BODY_VECTOR, threads}, static_cast<Convergence>(all.size() % 3)});
  for (const Convergence convergence : {Convergence::Together, Convergence::InHalves, Convergence::Alone})
    all.push_back({{1, 1, GRAFT_BODY_ROLLED, GRAFT_BLOCK_THREADS}, convergence});
  return all;
}

void run(const std::string& name, const Tuning& tuning, const std::vector<ArrayRef>& inputs,
         const std::vector<ArrayRef>& outputs) {
  const Subject& its = subject(name);
  graft::Report report;
  report.kernel.name = name;
  report.kernel.signature = its.signature;
  report.kernel.tuning.set("vector_width", tuning.policy.vector_width);
  report.kernel.tuning.set("vectors_per_thread", tuning.policy.vectors_per_thread);
  report.kernel.tuning.set("block_threads", static_cast<int>(tuning.policy.threads));
  report.kernel.tuning.set("body", tuning.policy.body);
  const graft::elementwise::LaunchGeometry geometry = graft::elementwise::make_geometry(report.kernel);
  const graft::families::Arguments arguments{inputs, outputs, nullptr, {}};
  alignas(graft::families::kParameterAlignment) std::byte parameter[graft::families::kMostParameterBytes];
  const std::size_t count = graft::elementwise::check(geometry, arguments);
  const unsigned blocks = graft::elementwise::lay_out_arguments(geometry, arguments, count, parameter).blocks;
  run_bits(its, tuning.policy, reinterpret_cast<const graft_launch*>(parameter), blocks, tuning.convergence);
}

// Calls `check` for every tuning, with counts around the sizes of tiles and offsets that do and do not meet.
template <class Check>
void for_each_case(Check check) {
  for (const Tuning& tuning : tunings()) {
    const std::size_t tile = std::size_t{tuning.policy.threads} *
                             static_cast<std::size_t>(tuning.policy.vector_width * tuning.policy.vectors_per_thread);
    for (const std::size_t count : {std::size_t{1}, std::size_t{37}, tile, 2 * tile + 31, 2 * tile + 64})
      for (const std::size_t offset : {0, 5, 31, 32}) {
        SCOPED_TRACE(fmt::format("width {}, {} vectors, {} threads, body {}, convergence {}; {} elements, offset {}",
                                 tuning.policy.vector_width, tuning.policy.vectors_per_thread, tuning.policy.threads,
                                 tuning.policy.body, static_cast<int>(tuning.convergence), count, offset));
        check(tuning, count, offset);
        if (testing::Test::HasFailure()) return;
      }
  }
}

std::vector<float> numbers(std::size_t count, std::mt19937& random) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(static_cast<std::int32_t>(random()) % 100);
  return values;
}

TEST(BitsOnHost, MasksBesideNumbers) {
  std::mt19937 random(1);
  for_each_case([&](const Tuning& tuning, std::size_t count, std::size_t offset) {
    // Slices of aligned arrays: element 0 is `offset` elements behind an aligned one, in all arrays.
    alignas(16) static float x_memory[100'000], y_memory[100'000];
    float* const x = x_memory + offset % 4;
    float* const y = y_memory + offset % 4;
    const std::vector<float> given = numbers(count, random);
    std::ranges::copy(given, x);
    Words valid(offset + 3, count, random), result(offset, count, random);
    std::uint64_t zeros = 7, expected_zeros = 7;
    run("masked", tuning, {ArrayRef(x, count, graft::element_type<float>()), valid.part(count)},
        {result.part(count).count_zeros(&zeros), ArrayRef(y, count, graft::element_type<float>())});
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_valid = valid[i] && given[i] > 0;
      result.set(i, is_valid);
      expected_zeros += is_valid ? 0 : 1;
      ASSERT_EQ(y[i], 2 * given[i]) << i;
    }
    EXPECT_EQ(result.now, result.expected);
    EXPECT_EQ(valid.now, valid.expected);
    EXPECT_EQ(zeros, expected_zeros);
  });
}

TEST(BitsOnHost, OnlyMasksInPlaceAndCleared) {
  std::mt19937 random(2);
  for_each_case([&](const Tuning& tuning, std::size_t count, std::size_t offset) {
    Words a(offset, count, random), b(offset + 11, count, random), result(0, count, random);
    run("both", tuning, {a.part(count), b.part(count)}, {bits(result.now.data(), count)});
    for (std::size_t i = 0; i < count; ++i) result.set(i, a[i] && b[i]);
    if (count % 32 != 0) result.expected[count / 32] &= (1u << (count % 32)) - 1;
    EXPECT_EQ(result.now, result.expected);
    run("both", tuning, {a.part(count), b.part(count)}, {a.part(count)});
    for (std::size_t i = 0; i < count; ++i) a.set(i, a[i] && b[i]);
    EXPECT_EQ(a.now, a.expected);
    run("flip_thirds", tuning, {}, {b.part(count)});
    for (std::size_t i = 0; i < count; i += 3) b.set(i, !b[i]);
    EXPECT_EQ(b.now, b.expected);
  });
}

TEST(BitsOnHost, SomeAreLeftAlone) {
  std::mt19937 random(3);
  for_each_case([&](const Tuning& tuning, std::size_t count, std::size_t offset) {
    Words stored(offset + 1, count, random), mask(offset, count, random);
    for (std::size_t i = 0; i < stored.now.size(); i += 2) stored.now[i] = stored.expected[i] = 0xffffffff;
    std::vector<float> y(count, -1);
    std::uint64_t zeros = 0, expected_zeros = 0;
    run("keep_masked", tuning, {stored.part(count)},
        {ArrayRef(y.data(), count, graft::element_type<float>()), mask.part(count).count_zeros(&zeros)});
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(y[i], stored[i] ? static_cast<float>(i) : -1) << i;
      if (!stored[i]) continue;
      mask.set(i, i % 5 == 0);
      expected_zeros += i % 5 == 0 ? 0 : 1;
    }
    EXPECT_EQ(mask.now, mask.expected);
    EXPECT_EQ(zeros, expected_zeros);
  });
}

}  // namespace
}  // namespace blocks
