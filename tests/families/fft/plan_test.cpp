// Tests the planner: its plans for many lengths and architectures as text, limits that hold for every plan, and which
// lengths and choices it refuses.
#include "families/fft/plan.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <limits>
#include <sstream>

#include "families/fft/block_planner.hpp"
#include "families/fft/lengths.hpp"
#include "families/fft/request.hpp"
#include "support/errors.hpp"

namespace graft::families::fft {
namespace {

constexpr std::array kArchitectures = {75, 80, 86, 90, 100, 120};

// Change plans.txt when a change of the planner is intended. A failure prints the whole new text.
TEST(Plan, IsAsTheGoldenTextSays) {
  std::string text;
  for (const int architecture : {75, 90, 120}) {
    text += Architecture(architecture).sm() + "\n";
    for (const Precision precision : {Precision::Single, Precision::Double})
      for (const std::int64_t n :
           {1,    2,    7,    8,    16,   20,   32,    64,    100,    128,     243,     512,     1000,
            1024, 2000, 2048, 4096, 5005, 8192, 16384, 32768, 531441, 1000000, 4194304, 16777216})
        text += describe(make_plan(n, precision, Architecture(architecture))) + "\n";
  }
  text += "with an inverse, sm_90\n";
  for (const std::int64_t n : {1, 8, 16, 243, 1000, 4096, 8192})
    text += describe(make_plan_with_inverse(n, Precision::Single, 90).value()) + "\n";
  std::ifstream file(GRAFT_SOURCE_DIR "/tests/families/fft/plans.txt");
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str());
}

void expect_valid(const Plan& plan, Architecture architecture) {
  SCOPED_TRACE(architecture.sm() + ": " + describe(plan));
  std::int64_t length = 1;
  for (const Kernel& kernel : plan.kernels) {
    const graft_fft::BlockPlan& block = kernel.block;
    length *= block.length;
    EXPECT_EQ(std::int64_t{kernel.rows} * kernel.columns * block.length,
              plan.has_workspace() ? plan.length : block.length);
    EXPECT_LE(block.block_threads(), 1024);
    EXPECT_LE(block.points_of_thread(), 33);
    EXPECT_LE(kernel.shared_bytes, limits_of(architecture).shared_bytes_of_block);
    int done = 1;
    for (int i = 0; i < block.pass_count; ++i) {
      EXPECT_EQ(block.passes[i].done, done);
      done *= block.passes[i].radix;
    }
    EXPECT_EQ(done, block.length);
    EXPECT_EQ(kernel.block.turn.modulus > 0, kernel.out.is_workspace);
    EXPECT_EQ(kernel.in.is_workspace, &kernel != &plan.kernels.front());
    EXPECT_EQ(kernel.out.is_workspace, &kernel != &plan.kernels.back());
  }
  EXPECT_EQ(length, plan.length);
}

TEST(Plan, FitsTheHardware) {
  std::size_t count = 0;
  // Every length to 100, and then 250 lengths whose logarithms are evenly spread.
  for (std::int64_t n = 1; n < kLongestLength; n = *good_length_above(n < 100 ? n : n * 21 / 20)) {
    const Architecture architecture = kArchitectures[++count % kArchitectures.size()];
    expect_valid(make_plan(n, Precision::Single, architecture), architecture);
    expect_valid(make_plan(n, Precision::Double, architecture), architecture);
    if (n * 21 / 20 >= kLongestLength) break;
  }
  EXPECT_GT(count, 250);
}

TEST(Plan, IsOneKernelAsLongAsItsPointsFitIntoSharedMemory) {
  const auto kernels = [](std::int64_t n, Precision precision, int architecture) {
    return estimated_plan(n, precision, architecture).kernels.size();
  };
  for (const int architecture : {90, 100}) {
    EXPECT_EQ(kernels(16384, Precision::Single, architecture), 1);
    EXPECT_EQ(kernels(8192, Precision::Double, architecture), 1);
    EXPECT_EQ(kernels(16777216, Precision::Double, architecture), 2);
  }
  EXPECT_EQ(kernels(16384, Precision::Single, 75), 2);
  EXPECT_EQ(kernels(8192, Precision::Single, 75), 1);
  EXPECT_EQ(kernels(16777216, Precision::Double, 75), 3);
}

// Whether a prime factor from 17 on needs a butterfly so large that some long lengths do not fit into a thread block.
bool has_large_prime(std::int64_t length) {
  for (const int prime : {2, 3, 5, 7, 11, 13})
    while (length % prime == 0) length /= prime;
  return length > 1;
}

// What fft.hpp and docs/fft.md say about the lengths that take one kernel with a callback between.
TEST(PlanWithInverse, IsOneKernelUpToTheDocumentedLengths) {
  const auto is_one = [](std::int64_t n, Precision precision, int architecture) {
    const std::optional<Plan> plan = make_plan_with_inverse(n, precision, architecture);
    return plan && plan->kernels.size() == 1;
  };
  const auto expect_longest = [&](std::int64_t longest, Precision precision, int architecture) {
    EXPECT_TRUE(is_one(longest, precision, architecture)) << longest << " on " << architecture;
    for (std::int64_t n = *good_length_above(longest); n <= longest + longest / 8; n = *good_length_above(n))
      EXPECT_FALSE(is_one(n, precision, architecture)) << n << " on " << architecture;
  };
  for (const int architecture : {80, 86, 90, 120}) {
    expect_longest(16384, Precision::Single, architecture);
    expect_longest(10816, Precision::Double, architecture);
  }
  // The first length that takes several.
  const auto expect_first = [&](std::int64_t first, Precision precision, int architecture) {
    EXPECT_FALSE(is_one(first, precision, architecture)) << first << " on " << architecture;
    for (std::int64_t n = first * 15 / 16; (n = *good_length_above(n)) < first;)
      if (!has_large_prime(n)) {
        EXPECT_TRUE(is_one(n, precision, architecture)) << n << " on " << architecture;
      }
  };
  expect_first(14784, Precision::Single, 75);
  expect_first(7371, Precision::Double, 75);
  expect_first(9009, Precision::Double, 80);
  expect_first(9009, Precision::Double, 120);
  for (const int architecture : {75, 80})
    for (const auto& [first, precision] : {std::pair(10013, Precision::Single), std::pair(5797, Precision::Double)}) {
      EXPECT_FALSE(is_one(first, precision, architecture)) << first << " on " << architecture;
      for (std::int64_t n = first * 15 / 16; (n = *good_length_above(n)) < first;)
        if (has_large_prime(n)) {
          EXPECT_TRUE(is_one(n, precision, architecture)) << n << " on " << architecture;
        }
    }
  for (const char* page : {"/include/graft/fft.hpp", "/docs/fft.md"}) {
    std::stringstream text;
    text << std::ifstream(std::string(GRAFT_SOURCE_DIR) + page).rdbuf();
    for (const char* length : {"16384", "10816", "14784", "9009", "7371", "10013", "5797"})
      EXPECT_THAT(text.str(), ::testing::HasSubstr(length)) << page;
  }
}

// Lengths for which no pass divides its butterflies among a number of threads that a block can have.
TEST(Plan, EveryLengthThatFitsIsOneKernel) {
  for (const int architecture : {80, 90, 120})
    for (std::int64_t n = 8000; n < 16384;) {
      n = *good_length_above(n);
      if (n > 10000 && has_large_prime(n)) continue;
      const Plan plan = make_plan(n, Precision::Single, architecture);
      EXPECT_EQ(plan.kernels.size(), 1) << describe(plan);
      if (architecture == 80) expect_valid(plan, architecture);
    }
}

TEST(Plan, IsAKernelOfAClusterWhereThatIsFaster) {
  const auto kernel_of = [](const std::vector<std::int64_t>& shape, int architecture, Precision precision) {
    const std::optional<Plan> plan = make_plan_of_shape(shape, precision, Architecture(architecture), false);
    if (!plan || plan->kernels.size() != 1 || plan->is_in_block()) return 0;
    EXPECT_FALSE(plan->has_workspace());
    EXPECT_LE(plan->kernels[0].block_threads(), 512);
    EXPECT_LE(2 * (plan->kernels[0].shared_bytes + 1024), limits_of(Architecture(architecture)).shared_bytes_of_block);
    return plan->kernels[0].cluster.blocks;
  };
  EXPECT_EQ(kernel_of({256, 256}, 90, Precision::Single), 8);
  EXPECT_EQ(kernel_of({128, 256}, 100, Precision::Single), 8);
  EXPECT_EQ(kernel_of({128, 128}, 90, Precision::Double), 8);
  EXPECT_EQ(kernel_of({32768}, 90, Precision::Single), 8);
  for (const int architecture : {75, 80, 89, 120})
    EXPECT_EQ(kernel_of({256, 256}, architecture, Precision::Single), 0) << "no cluster was measured there";
  EXPECT_EQ(kernel_of({32768}, 90, Precision::Double), 0) << "it was slower";
  EXPECT_EQ(kernel_of({160, 320}, 90, Precision::Single), 0) << "its blocks have 20 and 40 FFTs";
  EXPECT_EQ(kernel_of({512, 512}, 90, Precision::Single), 0) << "a block would be alone";
  EXPECT_EQ(kernel_of({128, 128}, 90, Precision::Single), 0) << "it fits into a thread block";
}

// Neighbours of a batch are no neighbours of a cluster's FFTs.
TEST(Plan, ColumnsAreInOneBlock) {
  const auto is_in_block = [](const std::vector<std::int64_t>& shape, std::optional<Half> half) {
    const std::optional<Plan> plan = make_plan_of_columns(shape, Precision::Single, 90, false, half);
    EXPECT_TRUE(!plan || plan->is_in_block());
    return plan.has_value();
  };
  EXPECT_TRUE(is_in_block({48}, {}));
  EXPECT_TRUE(is_in_block({16, 1}, Half::Stored));
  EXPECT_FALSE(is_in_block({256, 256}, {}));
  EXPECT_FALSE(is_in_block({256, 256}, Half::Stored));
  EXPECT_FALSE(is_in_block({32768}, {}));
}

TEST(Plan, TakesTheChoicesOfItsCaller) {
  Choices choices;
  choices.factors = {64, 512};
  choices.radices = {{4, 16}, {8, 4, 16}};
  choices.threads = {16, 64};
  choices.ffts = {8, 4};
  choices.resident_blocks = {0, 3};
  const Plan plan = make_plan(32768, Precision::Single, 90, choices);
  ASSERT_EQ(plan.kernels.size(), 2);
  EXPECT_EQ(plan.kernels[0].block.passes[1].radix, 16);
  EXPECT_EQ(plan.kernels[0].block.threads, 16);
  EXPECT_EQ(plan.kernels[1].block.passes[2].radix, 16);
  EXPECT_EQ(plan.kernels[1].block.ffts, 4);
  EXPECT_THAT(describe(plan),
              ::testing::MatchesRegex("[^\n]*\n  4x16, 16 threads x 8 FFTs, 16 points per thread, waits [^\n]*\n"
                                      "  8x4x16, 64 threads x 4 FFTs, 16 points per thread, 3 blocks per "
                                      "multiprocessor, waits .*"));
}

TEST(Plan, IsMadeAgainFromItsChoices) {
  for (const std::int64_t n : {1, 8, 243, 2000, 16384, 131072, 16777216})
    for (const Precision precision : {Precision::Single, Precision::Double}) {
      const Plan plan = make_plan(n, precision, 90);
      EXPECT_EQ(describe(make_plan(n, precision, 90, choices_of(plan))), describe(plan));
    }
  const Choices choices = {.factors = {64, 512},
                           .radices = {{4, 16}, {8, 4, 16}},
                           .threads = {16, 64},
                           .ffts = {8, 4},
                           .resident_blocks = {0, 3}};
  EXPECT_EQ(choices_of(make_plan(32768, Precision::Single, 90, choices)), choices);
  const Plan with_inverse = estimated_plan_with_inverse(1000, Precision::Single, 90).value();
  EXPECT_EQ(choices_of(with_inverse), choices_of(estimated_plan(1000, Precision::Single, 90)));
}

TEST(Plan, RefusesImpossibleChoices) {
  const auto refused = [](std::int64_t n, const Choices& choices) {
    return test::error_of([&] { make_plan(n, Precision::Double, 90, choices); }).code();
  };
  Choices choices;
  choices.factors = {64, 511};
  EXPECT_EQ(refused(32768, choices), ErrorCode::InvalidArgument) << "their product is another length";
  choices = {};
  choices.factors = {65536, 2};
  EXPECT_EQ(refused(131072, choices), ErrorCode::InvalidArgument) << "too long for one kernel";
  choices = {};
  choices.radices = {{16, 16, 16}};
  choices.ffts = {8};
  EXPECT_EQ(refused(4096, choices), ErrorCode::InvalidArgument) << "8 FFTs do not fit into shared memory";
}

// The compiler ignores, with a warning, what no multiprocessor can hold: threads count in whole warps.
TEST(Plan, RefusesMoreBlocksThanAMultiprocessorHolds) {
  const auto is_refused = [](std::int64_t n, int threads, int ffts, int resident_blocks, int architecture) {
    const Choices choices = {.threads = {threads}, .ffts = {ffts}, .resident_blocks = {resident_blocks}};
    try {
      make_plan(n, Precision::Single, architecture, choices);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
      return true;
    }
    return false;
  };
  EXPECT_FALSE(is_refused(1000, 100, 2, 9, 90));
  EXPECT_TRUE(is_refused(1000, 100, 2, 10, 90)) << "10 times 7 warps, of which a multiprocessor holds 64";
  EXPECT_TRUE(is_refused(1000, 100, 2, 7, 120)) << "7 times 7 warps, of which a multiprocessor holds 48";
  EXPECT_FALSE(is_refused(64, 8, 4, 32, 90));
  EXPECT_TRUE(is_refused(64, 8, 4, 33, 90));
  EXPECT_TRUE(is_refused(64, 8, 4, 17, 75));
  EXPECT_TRUE(is_refused(64, 8, 4, -1, 90));
}

TEST(Plan, MakesRoomForItsResidentBlocks) {
  const auto splits_complex = [](int resident_blocks) {
    const Choices choices = {.radices = {{16, 16, 16}}, .threads = {256}, .resident_blocks = {resident_blocks}};
    return make_plan(4096, Precision::Double, 90, choices).kernels[0].block.splits_complex;
  };
  EXPECT_FALSE(splits_complex(3));  // 3 * 68 KiB
  EXPECT_TRUE(splits_complex(4));   // 4 * 34 KiB; the multiprocessor has 228 KiB
}

TEST(Lengths, AreProductsOfSmallPrimes) {
  EXPECT_FALSE(is_good_length(0));
  EXPECT_FALSE(is_good_length(-8));
  EXPECT_FALSE(is_good_length(37));
  EXPECT_FALSE(is_good_length(kLongestLength * 2));
  for (const std::int64_t n : {1, 2, 13, 17 * 19 * 23 * 29 * 31, 14480427, 16777216})
    EXPECT_TRUE(is_good_length(n)) << n;
  EXPECT_EQ(other_factor(74 * 41), 37 * 41);
}

TEST(Lengths, HaveNeighboursAsFarAsNumbersGo) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(good_length_below(kLongestLength + 1), kLongestLength);
  EXPECT_EQ(good_length_above(kLongestLength - 1), kLongestLength);
  for (const std::int64_t n : {kLeast, kLeast + 1, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}}) {
    EXPECT_EQ(good_length_below(n), std::nullopt) << n;
    EXPECT_EQ(good_length_above(n), n < 1 ? 1 : 2) << n;
  }
  for (const std::int64_t n : {kLongestLength, kLongestLength + 1, kMost - 1, kMost})
    EXPECT_EQ(good_length_above(n), std::nullopt) << n;
  for (const std::int64_t n : {kMost - 1, kMost}) EXPECT_EQ(good_length_below(n), kLongestLength) << n;
}

TEST(Lengths, OtherLengthsAreRefusedWithTheNearestGoodOnes) {
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{4096}, kLongestLength}) check_length_with_between(n);
  const auto expect_refusal = [](std::int64_t n, const char* why, const char* remedy) {
    const Error error = test::error_of([&] { check_length_with_between(n); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(error.what(), ::testing::HasSubstr(why));
    EXPECT_THAT(error.what(), ::testing::HasSubstr(remedy));
  };
  expect_refusal(74, "74 has the prime factor 37", "such as 72 or 75.");
  expect_refusal(1369 * 2, "2738 has the prime factor 37", "such as 2737 or 2744.");
  expect_refusal(1009, "1009 has the prime factor 1009", "such as 1008 or 1012.");
  expect_refusal(0, "at least one point", "such as 1.");
  expect_refusal(-7, "at least one point", "such as 1.");
  expect_refusal(200000000, "the longest one has 134217728", "such as 134217728.");
}

// The kept plans of a length do not depend on which of them was asked for first.
TEST(Plan, OfArraysOfHalvesIsTheEstimate) {
  KernelRequest plain;
  plain.length = 2048;
  plain.architecture = 90;
  KernelRequest of_halves = plain;
  of_halves.storage_in = Storage::F16;
  const Plan estimate = estimated_plan(2048, Precision::Single, 90), measured = make_plan(2048, Precision::Single, 90);
  ASSERT_NE(describe(estimate), describe(measured));
  for (const bool halves_are_first : {false, true}) {
    plain.length = of_halves.length = halves_are_first ? 128 : 2048;
    const auto one = plan_of(halves_are_first ? of_halves : plain),
               other = plan_of(halves_are_first ? plain : of_halves);
    EXPECT_EQ(describe(halves_are_first ? *one : *other),
              describe(estimated_plan(plain.length, Precision::Single, 90)));
    EXPECT_EQ(describe(halves_are_first ? *other : *one), describe(make_plan(plain.length, Precision::Single, 90)));
  }
}

// From these lengths on, real FFTs take three kernels.
TEST(Plan, OfLongRealFfts) {
  const auto kernels = [](std::int64_t length, bool is_inverse) {
    return make_plan_of_long_real(length, Precision::Single, 90, is_inverse).value().kernels.size();
  };
  EXPECT_EQ(kernels(1 << 20, false), 2U);
  EXPECT_EQ(kernels(1 << 21, false), 3U);
  EXPECT_EQ(kernels(1 << 24, true), 2U);
  EXPECT_EQ(kernels(1 << 25, true), 3U);
  EXPECT_EQ(kernels(1 << 27, false), 3U);
}

// A record may name any extents.
TEST(Lengths, OfShapesInRecordsAreBounded) {
  const std::vector<std::int64_t> most = {kMostPointsOfShape, 1, 1}, more = {kMostPointsOfShape, 2, 1},
                                  wraps(3, kMostPointsOfShape), negative = {-2, -2};
  EXPECT_EQ(points_of_possible_shape(most), kMostPointsOfShape);
  for (const std::vector<std::int64_t>& shape : {more, wraps, negative}) EXPECT_EQ(points_of_possible_shape(shape), 0);
  KernelRequest request, read_request;
  request.length = 0;
  request.shape = wraps;
  request.is_real = true;
  EXPECT_EQ(read(write(static_cast<const FftRequest&>(request)), static_cast<FftRequest&>(read_request)),
            "its shape is that of no FFT");
}

TEST(Lengths, OfConvolutionsAreRefusedOnlyAboveTheLongest) {
  for (const std::int64_t n : {std::int64_t{37}, std::int64_t{1009}, kLongestConvolution - 1, kLongestLength})
    check_length(n);
  const Error error = test::error_of([] { check_length(37 << 17); });
  EXPECT_THAT(error.what(), ::testing::HasSubstr("4849664 has the prime factor 37, and the longest FFT with one above "
                                                 "31 has 2097152 points"));
  EXPECT_THAT(test::error_of([] { check_length(0); }).what(), ::testing::HasSubstr("at least one point"));
  for (std::int64_t n = 37; n < 100000; n += n / 16) {
    EXPECT_TRUE(is_good_length(convolution_length(n))) << n;
    EXPECT_GE(convolution_length(n), 2 * n - 1);
    EXPECT_LE(convolution_length(n), 3 * n) << n;
  }
}

TEST(Lengths, HaveGoodNeighbours) {
  EXPECT_EQ(good_length_below(37), 36);
  EXPECT_EQ(good_length_above(37), 38);
  EXPECT_EQ(good_length_below(1), std::nullopt);
  EXPECT_EQ(good_length_above(-5), 1);
  EXPECT_EQ(good_length_above(kLongestLength), std::nullopt);
  EXPECT_EQ(good_length_below(kLongestLength * 5), kLongestLength);
}

}  // namespace
}  // namespace graft::families::fft
