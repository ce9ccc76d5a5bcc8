// Tests the choice of a kernel's tuning with tables. The element sizes of the arrays determine the vector width, the
// vectors per thread and the stated reason.
#include "families/elementwise/policy.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/errors.hpp"

namespace graft::elementwise {
namespace {

// Returns a signature of class types with these sizes. The first output is the result.
Signature signature_of_sizes(const std::vector<unsigned>& inputs, const std::vector<unsigned>& outputs) {
  std::vector<Parameter> parameters;
  for (const unsigned size : inputs) parameters.push_back({Role::Input, {ElementKind::Class, size, 1}});
  for (std::size_t i = 1; i < outputs.size(); ++i)
    parameters.push_back({Role::Output, {ElementKind::Class, outputs[i], 1}});
  return Signature({Role::Output, {ElementKind::Class, outputs.at(0), 1}}, std::move(parameters));
}

// The threads of a selective callback store at most 16 bytes of each output, or one larger element, because they do not
// store through shared memory.
TEST(Policy, OfSelectiveCallbacksIsNoWiderThanOneWordOfEachOutput) {
  const auto width_for = [](const std::vector<unsigned>& inputs, const std::vector<unsigned>& outputs) {
    std::vector<Parameter> parameters;
    for (const unsigned size : inputs) parameters.push_back({Role::Input, {ElementKind::Class, size, 1}});
    for (const unsigned size : outputs) parameters.push_back({Role::Output, {ElementKind::Class, size, 1}});
    const Parameter store{Role::Store, {ElementKind::Class, 1, 1}};
    return choose_policy(Signature(store, std::move(parameters)), Architecture(90), {}).vector_width;
  };
  EXPECT_EQ(width_for({4}, {4}), 1);
  EXPECT_EQ(width_for({4, 1}, {4}), 1);  // values and a mask of bytes
  EXPECT_EQ(width_for({1}, {1}), 16);
  EXPECT_EQ(width_for({4}, {1}), 16);
  EXPECT_EQ(width_for({1}, {1, 8}), 2);
  EXPECT_EQ(width_for({3}, {3}), 4);
  EXPECT_EQ(width_for({12}, {12}), 1);
  EXPECT_EQ(width_for({32}, {32}), 1);
}

// The stores of neighbouring threads to single elements of 4 bytes and more are one request to memory.
TEST(Policy, OfSelectiveCallbacksStoresWideElementsOneByOne) {
  const auto tuning_for = [](const Signature& signature) {
    const Policy policy = choose_policy(signature, Architecture(90), {});
    return std::pair(policy.vector_width, policy.vectors_per_thread);
  };
  EXPECT_EQ(tuning_for(Signature::of<Store(float, float&)>()), std::pair(1, 4));
  EXPECT_EQ(tuning_for(Signature::of<Store(float, double&)>()), std::pair(1, 2));
  EXPECT_EQ(tuning_for(Signature::of<Store(float, float&, double&)>()), std::pair(1, 2));
  EXPECT_EQ(tuning_for(Signature::of<Store(float, float&, Bit&)>()), std::pair(1, 4));
  EXPECT_EQ(tuning_for(Signature::of<Store(float, float&, short&)>()), std::pair(4, 1));
  EXPECT_EQ(tuning_for(Signature::of<Store(float, float&, float&, float&, float&, float&)>()), std::pair(1, 2));
}

TEST(Policy, IgnoresBitArraysForTheWidth) {
  const auto tuning_for = [](const Signature& signature) {
    const Policy policy = choose_policy(signature, Architecture(90), {});
    return std::pair(policy.vector_width, policy.vectors_per_thread);
  };
  EXPECT_EQ(tuning_for(Signature::of<float(float, Bit)>()), std::pair(4, 1));
  EXPECT_EQ(tuning_for(Signature::of<Bit(float, Bit)>()), std::pair(4, 2));
  EXPECT_EQ(tuning_for(Signature::of<Bit(double, Bit, double&)>()), std::pair(2, 2));
  EXPECT_EQ(tuning_for(Signature::of<Bit(signed char, Bit)>()), std::pair(16, 2));
  EXPECT_EQ(tuning_for(Signature::of<Bit(Bit, Bit)>()), std::pair(16, 4));
  EXPECT_EQ(tuning_for(Signature::of<void(Bit&, Bit&, Bit&, Bit&, Bit&, Bit&, Bit&, Bit&)>()), std::pair(16, 2));
}

struct Row {
  std::vector<unsigned> inputs;
  std::vector<unsigned> outputs;
  int width;
  std::string reason;
};

const std::string kWide = "every array moves in 16-byte words";

TEST(Policy, FollowsFromTheSizes) {
  const std::vector<Row> rows = {
      {{1}, {1}, 16, kWide},
      {{2}, {2}, 8, kWide},
      {{4}, {4}, 4, kWide},
      {{8}, {8}, 2, kWide},
      {{16}, {16}, 1, kWide},
      {{32}, {32}, 1, kWide},
      {{}, {4}, 4, kWide},
      {{4, 4, 4, 4, 4, 4, 4, 4}, {4}, 4, kWide},
      {{3}, {1}, 16, kWide},   // RGB to gray
      {{12}, {12}, 4, kWide},  // float3
      {{4, 8, 4}, {4, 8}, 4, kWide},
      {{5}, {5}, 16, kWide},
      {{7}, {7}, 16, kWide},
      {{1}, {8}, 16, kWide},
      {{8, 8}, {1}, 8, "a vector width of 16 would hold 272 bytes per thread, more than 256"},
      {{32}, {1}, 4, "a vector width of 16 would hold 528 bytes per thread, more than 256"},
      {{16, 16, 16, 16, 16, 16, 16, 16},
       {1},
       1,
       "a vector width of 16 would hold 2064 bytes per thread, more than 256"},
      {{32, 32, 32, 32, 32, 32, 32, 32}, {32, 32, 32, 32}, 1, kWide},
      {{31}, {31}, 4, "a vector width of 16 would hold 992 bytes per thread, more than 256"},
      // 16 bytes of each array, and more than 256 bytes in all
      {std::vector<unsigned>(12, 4), std::vector<unsigned>(6, 4), 4, kWide},
      {std::vector<unsigned>(16, 8), std::vector<unsigned>(8, 8), 2, kWide},
      {std::vector<unsigned>(16, 4), std::vector<unsigned>(8, 8), 2,
       "a vector width of 4 would hold 512 bytes per thread, more than 384"},
  };
  for (const Row& row : rows) {
    const Signature signature = signature_of_sizes(row.inputs, row.outputs);
    const Policy policy = choose_policy(signature, Architecture(90), {});
    EXPECT_EQ(policy.vector_width, row.width) << signature.describe();
    EXPECT_TRUE(policy.reason.starts_with(row.reason)) << policy.reason << signature.describe();
    EXPECT_EQ(policy.vectors_per_thread, row.inputs.empty() ? 2 : 1);
    EXPECT_EQ(choose_policy(signature, Architecture(80), {}).vectors_per_thread, 1);
    EXPECT_TRUE(policy.programmatic_launch);
    EXPECT_FALSE(choose_policy(signature, Architecture(89), {}).programmatic_launch);
    EXPECT_EQ(policy.body, Body::Vector);
  }
}

TEST(Policy, GivesLongMathMoreVectors) {
  struct LongRow {
    std::vector<unsigned> inputs;
    std::vector<unsigned> outputs;
    int vectors;
  };
  const std::vector<LongRow> rows = {
      {{2}, {2}, 4}, {{4}, {4}, 2}, {{1}, {1}, 1}, {{8}, {8}, 1}, {{4, 4}, {4}, 1}, {{4}, {4, 4}, 1}, {{4}, {2}, 1},
  };
  for (const LongRow& row : rows) {
    const Signature signature = signature_of_sizes(row.inputs, row.outputs);
    const Policy policy = choose_policy(signature, Architecture(90), {}, true);
    EXPECT_EQ(policy.vectors_per_thread, row.vectors) << signature.describe();
    EXPECT_EQ(policy.reason.find("long math functions") != std::string::npos, row.vectors > 1);
    EXPECT_EQ(choose_policy(signature, Architecture(90), {.vectors_per_thread = 1}, true).vectors_per_thread, 1);
  }
}

TEST(Policy, SeesThatInOutArraysAreRead) {
  const Policy light = choose_policy(Signature::of<void(InOut<float>)>(), Architecture(90), {});
  EXPECT_EQ(light.vectors_per_thread, 1);
  EXPECT_EQ(light.few_tiles, kFewTiles);
  const Policy heavy = choose_policy(Signature::of<void(InOut<float>)>(), Architecture(90), {}, true);
  EXPECT_EQ(heavy.vectors_per_thread,
            choose_policy(Signature::of<float(float)>(), Architecture(90), {}, true).vectors_per_thread);
}

TEST(Policy, IsTheSameForEveryArchitecture) {
  const Signature signature = Signature::of<float(float, double)>();
  for (const int number : {75, 80, 86, 90, 100, 120})
    EXPECT_EQ(choose_policy(signature, Architecture(number), {}).vector_width, 4) << number;
}

TEST(Policy, CountsNeitherStateNorIndex) {
  EXPECT_EQ(bytes_per_thread(Signature::of<float(float, Index, const double&)>(), 4), 32);
  EXPECT_EQ(bytes_per_thread(Signature::of<void(double, float&)>(), 2), 24);
}

TEST(Policy, IsWhatTheCallerAsksFor) {
  const Signature signature = Signature::of<float(float)>();
  for (const int width : {1, 2, 4, 8, 16}) {
    const Policy policy = choose_policy(signature, Architecture(90), {.vector_width = width});
    EXPECT_EQ(policy.vector_width, width);
    EXPECT_EQ(policy.reason, "set by Options::policy");
  }
  for (const int vectors : {1, 2, 4}) {
    const Policy policy = choose_policy(signature, Architecture(90), {.vectors_per_thread = vectors});
    EXPECT_EQ(policy.vectors_per_thread, vectors);
    EXPECT_EQ(policy.vector_width, 4);
  }
  const Policy rolled = choose_policy(signature, Architecture(90), {.body = Body::Rolled});
  EXPECT_EQ(rolled.body, Body::Rolled);
  EXPECT_EQ(rolled.vector_width, 1);
  for (const int threads : {64, 128, 256})
    EXPECT_EQ(choose_policy(signature, Architecture(90), {.block_threads = threads}).block_threads, threads);
  EXPECT_TRUE(choose_policy(signature, Architecture(90), {.programmatic_launch = true}).programmatic_launch);
}

// By default, launches with few elements use another number of threads per block than launches with many elements. If
// the caller set the number of threads per block, every launch uses the caller's number.
TEST(Policy, BlocksThatAreAskedForHoldForEveryNumberOfElements) {
  const Signature gelu = signature_of_sizes({4}, {4});
  const Policy usual = choose_policy(gelu, Architecture(90), {}, true);
  EXPECT_GT(usual.single_below, 0u);
  const Policy asked = choose_policy(gelu, Architecture(90), {.block_threads = 64}, true);
  EXPECT_EQ(asked.block_threads, 64);
  EXPECT_EQ(asked.single_below, 0u);
  EXPECT_EQ(launched(usual, {.block_threads = 64}).single_below, 0u);
  EXPECT_EQ(launched(usual, {}).single_below, usual.single_below);
}

// A tile is the run of elements that one thread block handles with several elements per thread. A launch that would
// have at most `few_tiles` tiles gives each thread one element instead. Callbacks without inputs, and callbacks whose
// arrays all hold integers of one or two bytes, are faster with tiles, so their `few_tiles` is 0. A callback without
// inputs that uses long math functions is an exception.
TEST(Policy, LightCallbacksHaveTilesForFewElements) {
  const auto few_tiles = [](const Signature& signature, bool long_math = false) {
    return choose_policy(signature, Architecture(90), {}, long_math).few_tiles;
  };
  EXPECT_EQ(few_tiles(Signature::of<std::int8_t(std::int8_t, std::int8_t)>()), 0);
  EXPECT_EQ(few_tiles(Signature::of<std::uint16_t(std::uint8_t)>()), 0);
  EXPECT_EQ(few_tiles(Signature::of<float(Index)>()), 0);
  EXPECT_EQ(few_tiles(Signature::of<float(float)>()), kFewTiles);
  EXPECT_EQ(few_tiles(Signature::of<std::int32_t(std::int16_t)>()), kFewTiles);
  EXPECT_EQ(few_tiles(Signature::of<bool(std::int16_t)>()), kFewTiles);
  EXPECT_EQ(few_tiles(Signature::of<float(Index)>(), true), kFewTiles);
}

TEST(Policy, RefusesWhatNoKernelCanHave) {
  struct Refused {
    PolicyOverrides overrides;
    std::string message;
    std::string allowed;
  };
  const std::vector<Refused> rows = {
      {{.vector_width = 0}, "Options::policy.vector_width is 0", "1, 2, 4, 8, 16"},
      {{.vector_width = 3}, "Options::policy.vector_width is 3", "1, 2, 4, 8, 16"},
      {{.vector_width = -4}, "Options::policy.vector_width is -4", "1, 2, 4, 8, 16"},
      {{.vector_width = 32}, "Options::policy.vector_width is 32", "1, 2, 4, 8, 16"},
      {{.vectors_per_thread = 0}, "Options::policy.vectors_per_thread is 0", "1, 2, 4"},
      {{.vectors_per_thread = 3}, "Options::policy.vectors_per_thread is 3", "1, 2, 4"},
      {{.vectors_per_thread = 8}, "Options::policy.vectors_per_thread is 8", "1, 2, 4"},
  };
  for (const Refused& row : rows) {
    const Error error =
        test::error_of([&] { choose_policy(Signature::of<float(float)>(), Architecture(90), row.overrides); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error.message(), row.message);
    EXPECT_EQ(error.remedy(), "Use one of " + row.allowed + ", or leave it unset.");
  }
}

TEST(Policy, LimitsTheVectorsOfManyOutputs) {
  const Signature eight = signature_of_sizes({4}, std::vector<unsigned>(8, 4));
  EXPECT_EQ(choose_policy(eight, Architecture(90), {.vectors_per_thread = 2}).vectors_per_thread, 2);
  const Error error = test::error_of([&] { choose_policy(eight, Architecture(90), {.vectors_per_thread = 4}); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.message(),
            "Options::policy.vectors_per_thread is 4: a thread would handle more than 16 vectors of 8 outputs");
  // A kernel of the indirect route has four elements per thread, one after the other.
  KernelSpec kernel;
  kernel.signature = eight;
  kernel.tuning = tuning_of(indirect_policy());
  std::string why;
  EXPECT_TRUE(policy_of(kernel, why)) << why;
  kernel.tuning.set("body", static_cast<std::int64_t>(Body::Vector));
  EXPECT_FALSE(policy_of(kernel, why));
  EXPECT_EQ(why, "it has 4 vectors per thread of 8 outputs");
}

}  // namespace
}  // namespace graft::elementwise
