// Tests reductions that were made ahead of time, and baked states, on a GPU: they have the bits of create.
#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <span>
#include <string>
#include <vector>

#include "gpu/c_reduce.h"
#include "gpu/device.hpp"
#include "gpu/reductions.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

class GpuReduceAhead : public Gpu {};

struct Both {
  float factor;
  double divisor;
};

const ReduceCallbacks kWeighted = {
    .map = "__device__ float scale(short x, const float& a) { return a * x; }",
    .combine = "__device__ float add(float a, float b) { return a + b / 3; }",
    .finish = "__device__ double divide(float sum, const double& d) { return sum / d; }"};

std::vector<short> numbers(std::size_t count) {
  std::vector<short> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<short>(i * 37 % 1009);
  return x;
}

constexpr std::size_t kRows = 300, kColumns = 1000;

// A sum of all, of each row, of each column, and of segments.
std::vector<double> results_of(Reduce& reduce, const StateRef& state, bool has_all) {
  const DeviceArray<short> x{numbers(kRows * kColumns)};
  const DeviceArray<double> all{std::vector<double>(1)}, rows{std::vector<double>(kRows)};
  const DeviceArray<double> columns{std::vector<double>(kColumns)};
  reduce.execute(nullptr, x, all, state);
  std::vector<double> results = all.host();
  if (!has_all) return results;
  const auto matrix = view(x.data(), {kRows, kColumns});
  reduce.execute(nullptr, matrix, view(rows.data(), {kRows, 1}), state);
  reduce.execute(nullptr, matrix, view(columns.data(), {1, kColumns}), state);
  const DeviceArray<int> offsets{std::vector<int>{0, 1, 500, 300000}};
  const DeviceArray<double> segments{std::vector<double>(3)};
  reduce.execute_segments(nullptr, x, offsets, segments, state);
  for (const DeviceArray<double>* const more : {&rows, &columns, &segments})
    for (const double one : more->host()) results.push_back(one);
  return results;
}

TEST_F(GpuReduceAhead, LoadedReductionsHaveTheBitsOfCreate) {
  const Both state{0.5F, 3};
  Options all = without_contraction();
  all.any_shape = true;
  Reduce made = Reduce::create(kWeighted, all);
  made.prepare_segments();
  const std::vector<double> expected = results_of(made, state, true);
  const Architecture here = made.report().kernel.architecture;
  EXPECT_EQ(expected.size(), 1 + kRows + kColumns + 3);
  const auto older = precompile(kWeighted, {75}, PrecompileFormat::Pack, all);
  for (const Route route : {Route::Lto, Route::Program}) {
    SCOPED_TRACE(name(route));
    Reduce loaded = Reduce::load(older, without_contraction(route));
    EXPECT_EQ(loaded.report().kernel.route, route);
    EXPECT_TRUE(loaded.report().inlined());
    EXPECT_EQ(results_of(loaded, state, true), expected);
  }
  Options calls = without_contraction(Route::Ptx);
  calls.any_shape = true;
  Reduce called = Reduce::create(kWeighted, calls);
  EXPECT_FALSE(called.report().inlined());
  called.prepare_segments();
  EXPECT_EQ(results_of(called, state, true), expected);
  std::vector<Reduce> others = {Reduce::load(precompile(kWeighted, {75, here}, PrecompileFormat::PackWithCubins, all)),
                                Reduce::load(build(kWeighted, here, all)), Reduce::create_async(kWeighted, all).get()};
  others.back().prepare_segments();
  for (std::size_t i = 0; i < others.size(); ++i) EXPECT_EQ(results_of(others[i], state, true), expected) << i;
  Reduce first = Reduce::load(precompile(kWeighted, {here}, PrecompileFormat::Pack, without_contraction()));
  EXPECT_EQ(results_of(first, state, false), std::vector<double>{expected[0]});
  EXPECT_EQ(error_of([&] { first.prepare_segments(); }).message(),
            "the reduction was loaded without the kernel `short_segments`");
  const DeviceArray<short> x{numbers(kRows * kColumns)};
  const DeviceArray<double> rows{std::vector<double>(kRows)};
  EXPECT_EQ(error_of([&] {
              first.prepare_shapes(view(x.data(), {kRows, kColumns}), view(rows.data(), {kRows, 1}));
            }).code(),
            ErrorCode::InvalidArgument);
}

TEST_F(GpuReduceAhead, TheCInterfaceMakesThem) {
  constexpr std::size_t kCount = 3'000'000, kOf = 2000;
  std::vector<float> values(kCount);
  for (std::size_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i % 97) / 7;
  const DeviceArray<float> x{values}, partials{std::vector<float>(1024)}, out{std::vector<float>(kOf + 4)};
  const DeviceArray<long long> offsets{std::vector<long long>{0, 3, kCount}};
  const char* const failure =
      reduce_from_c("75", nullptr, x.data(), kCount, 3, kOf, partials.data(), offsets.data(), out.data());
  ASSERT_EQ(failure, nullptr) << failure;
  const Reduce sum = Reduce::create({.combine = "__device__ float add(float a, float b) { return a + b; }"},
                                    {.routes = {.required = Route::Host}});
  const auto sum_of = [&](std::size_t begin, std::size_t end) {
    float made = 0;
    sum.execute(host, std::span(values).subspan(begin, end - begin), {&made, 1});
    return made;
  };
  const std::vector<float> found = out.host();
  EXPECT_EQ(found[0], sum_of(0, kCount));
  EXPECT_EQ(found[1], found[0]);
  for (std::size_t row = 0; row < kOf; ++row) ASSERT_EQ(found[2 + row], sum_of(100 * row, 100 * row + 100)) << row;
  EXPECT_EQ(found[2 + kOf], sum_of(0, 3));
  EXPECT_NEAR(found[3 + kOf], sum_of(3, kCount), 1e-4 * found[0]);  // one chunk, in another order
}

TEST_F(GpuReduceAhead, BakedStatesHaveTheBitsOfGivenOnes) {
  const Both state{0.5F, 3};
  Options all = without_contraction();
  all.any_shape = true;
  Reduce given = Reduce::create(kWeighted, all);
  Reduce baked = Reduce::create(kWeighted, Options(all).bake(state));
  Reduce packed = Reduce::load(precompile(kWeighted, {75}, PrecompileFormat::Pack, Options(all).bake(state)));
  given.prepare_segments();
  baked.prepare_segments();
  const std::vector<double> expected = results_of(given, state, true);
  EXPECT_EQ(results_of(baked, {}, true), expected);
  EXPECT_EQ(results_of(packed, {}, true), expected);
}

}  // namespace
}  // namespace graft::test
