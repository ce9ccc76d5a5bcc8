// Tests chains with many states. In version 0.1, graft accepted a chain with five or more states, but the kernel of the
// chain read the states through a null pointer, and the host route crashed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "contract.h"
#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

// Part k of a chain computes 2 * x + (the sum of the elements of its state). The states of the parts differ in size and
// alignment.
struct Three {
  float v[3];
};
struct alignas(16) Four {
  float v[4];
};
struct Five {
  unsigned char v[5];
};

constexpr const char* kParts[8] = {
    "__device__ float p0(float x, const signed char& s) { return 2 * x + s; }",
    "__device__ float p1(float x, const double& s) { return 2 * x + s; }",
    "__device__ float p2(float x, const short& s) { return 2 * x + s; }",
    "struct S { float v[3]; };\n__device__ float p3(float x, const S& s) { return 2 * x + s.v[0] + s.v[1] + s.v[2]; }",
    "__device__ float p4(float x, const int& s) { return 2 * x + s; }",
    "struct alignas(16) S { float v[4]; };\n"
    "__device__ float p5(float x, const S& s) { return 2 * x + s.v[0] + s.v[1] + s.v[2] + s.v[3]; }",
    "struct S { unsigned char v[5]; };\n__device__ float p6(float x, const S& s) { return 2 * x + s.v[0] + s.v[4]; }",
    "__device__ float p7(float x, const long long& s) { return 2 * x + s; }",
};
constexpr float kSums[8] = {1, 2, 3, 4 + 5 + 6, 7, 8 + 9 + 10 + 11, 12 + 16, 17};

struct All5 {
  std::int8_t a = 1;
  double b = 2;
  short c = 3;
  Three d = {{4, 5, 6}};
  int e = 7;
};
struct All6 {
  std::int8_t a = 1;
  double b = 2;
  short c = 3;
  Three d = {{4, 5, 6}};
  int e = 7;
  Four f = {{8, 9, 10, 11}};
};
struct All7 {
  std::int8_t a = 1;
  double b = 2;
  short c = 3;
  Three d = {{4, 5, 6}};
  int e = 7;
  Four f = {{8, 9, 10, 11}};
  Five g = {{12, 13, 14, 15, 16}};
};
struct All8 {
  std::int8_t a = 1;
  double b = 2;
  short c = 3;
  Three d = {{4, 5, 6}};
  int e = 7;
  Four f = {{8, 9, 10, 11}};
  Five g = {{12, 13, 14, 15, 16}};
  long long h = 17;
};

std::vector<Callback> parts(std::size_t count) {
  std::vector<Callback> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(Callback::source(kParts[i], "p" + std::to_string(i) + ".cu"));
  return all;
}

std::vector<float> expected(const std::vector<float>& x, std::size_t count) {
  std::vector<float> out = x;
  for (float& value : out)
    for (std::size_t i = 0; i < count; ++i) value = 2 * value + kSums[i];
  return out;
}

template <class State>
void expect_result_on_host(const Callback& callback, std::size_t count) {
  const std::vector<float> x = {0, 1, -2.5f};
  std::vector<float> out(x.size());
  Transform::create(callback, by(Route::Host)).execute(host, x, out, State{});
  EXPECT_EQ(out, expected(x, count));
}

TEST(StatesOfChains, FiveToEightStatesOfAChainAreAllGiven) {
  expect_result_on_host<All5>(chain(parts(5)), 5);
  expect_result_on_host<All6>(chain(parts(6)), 6);
  expect_result_on_host<All7>(chain(parts(7)), 7);
  expect_result_on_host<All8>(chain(parts(8)), 8);
}

TEST(StatesOfChains, StatesOfNestedChainsAndOfStagesAreAllGiven) {
  const std::vector<Callback> p = parts(6);
  expect_result_on_host<All6>(chain(chain(p[0], p[1]), chain(p[2], chain(p[3], p[4])), p[5]), 6);

  const Callback load =
      "__device__ float load(void* data, unsigned long long i, void*, void*) { return ((short*)data)[i]; }";
  const Callback store =
      "__device__ void store(void* data, unsigned long long i, float x, void*, void*) { ((double*)data)[i] = x; }";
  const std::vector<short> x = {3, -4};
  std::vector<double> out(2);
  Transform::create(Stages{.load = load, .op = chain(parts(5)), .store = store}, by(Route::Host))
      .execute(host, x, out, All5{});
  const std::vector<float> wanted = expected({3, -4}, 5);
  EXPECT_EQ(out, std::vector<double>(wanted.begin(), wanted.end()));
}

TEST(StatesOfChains, OnePartManyTimesHasAStateForEachTime) {
  const Callback add = "__device__ float add(float x, const float& by) { return 3 * x + by; }";
  struct Six {
    float by[6];
  };
  const std::vector<float> x = {1};
  std::vector<float> out(1);
  Transform::create(chain(add, add, add, add, add, add), by(Route::Host))
      .execute(host, x, out, Six{{1, 2, 3, 4, 5, 6}});
  float wanted = 1;
  for (int i = 1; i <= 6; ++i) wanted = 3 * wanted + static_cast<float>(i);
  EXPECT_EQ(out[0], wanted);
}

template <class State>
void expect_layout_on_gpu(std::size_t count) {
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(testing::Message() << name(route) << ", " << count << " states");
    const Report report = build(chain(parts(count)), Architecture(90), by(route)).report();
    ASSERT_TRUE(report.kernel.signature.state().has_value()) << report.kernel.signature.describe();
    EXPECT_EQ(report.kernel.signature.state()->size, sizeof(State));
    EXPECT_EQ(report.kernel.signature.state()->alignment, alignof(State));
    if (route == Route::Lto || route == Route::Program) {
      EXPECT_EQ(report.resources.local_bytes, 0u);
    }
  }
}

TEST(StatesOfChains, StatesLieLikeMembersOfOneStructOnEveryGpuRoute) {
  expect_layout_on_gpu<All5>(5);
  expect_layout_on_gpu<All6>(6);
  expect_layout_on_gpu<All8>(8);
}

// Checks that the linked kernel reads each state of a chain at its own offset in the kernel's parameter.
TEST(StatesOfChains, TheKernelReadsEachStateAtItsPlace) {
  const std::string ptx = lto_kernel_ptx(chain(parts(8)), Architecture(90));
  std::vector<std::size_t> read;
  const std::regex load(R"(ld\.param\S*\s+[^\[]*\[[A-Za-z0-9_%]+\+(\d+)\])");
  for (std::sregex_iterator it(ptx.begin(), ptx.end(), load); it != std::sregex_iterator(); ++it)
    read.push_back(std::stoul((*it)[1]));
  const std::size_t head = (sizeof(graft_launch) + 2 * sizeof(void*) + 15) / 16 * 16;
  for (const std::size_t offset : {offsetof(All8, a), offsetof(All8, b), offsetof(All8, c), offsetof(All8, d),
                                   offsetof(All8, e), offsetof(All8, f), offsetof(All8, g), offsetof(All8, h)})
    EXPECT_NE(std::ranges::find(read, head + offset), read.end())
        << "the kernel does not read the state at offset " << offset;
}

TEST(StatesOfChains, StatesThatAreTooLargeTogetherAreRefused) {
  std::vector<Callback> large;
  for (int i = 0; i < 5; ++i)
    large.emplace_back("struct S { char v[500]; }; __device__ float f(float x, const S& s) { return x + s.v[7]; }");
  for (const Route route : {Route::Lto, Route::Host}) {
    const Error error = error_of([&] { build(chain(large), Architecture(90), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << error.what();
    EXPECT_NE(error.message().find("the states of the parts are larger than 2048 bytes together"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace graft::test
