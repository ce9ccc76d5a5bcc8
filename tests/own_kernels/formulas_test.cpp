// Tests formulas as callbacks of own kernels: on every route, in packs, with parameters as the state of a slot, and
// refused where their types are not the slot's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graft/graft.hpp"
#include "graft/kernel.hpp"
#include "support/errors.hpp"

namespace graft {
namespace {

using testing::HasSubstr;

KernelCode kernel() {
  return KernelCode::source(R"(
struct Metric { float delta; double weight; };
__device__ float metric(float a, float b, const Metric& state);
__device__ bool keep(float distance, int id);
extern "C" __global__ void nearest(const float* x, const float* y, float* out, int n, Metric state) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    const float distance = metric(x[i], y[threadIdx.x], state);
    if (keep(distance, i)) sum += distance;
  }
  out[threadIdx.x] = sum;
}
)",
                            "nearest.cu");
}

const char* const kMetric = "f32 a, b; f32 delta, f64 weight => abs(a - b) < delta ? f32(weight * (a - b)^2) : delta";
const char* const kKeep = "f32 distance, i32 id => distance > 0.5 && id % 2 == 0";

KernelCallbacks formulas() {
  return {{{"metric", formula(kMetric)}, {"keep", formula(kKeep)}}};
}

// The same callbacks in C++.
KernelCallbacks written() {
  return {{{"metric",
            "struct Metric { float delta; double weight; };\n"
            "__device__ float m(float a, float b, const Metric& s) {\n"
            "  return fabsf(a - b) < s.delta ? float(s.weight * ((a - b) * (a - b))) : s.delta; }"},
           {"keep", "__device__ bool k(float distance, int id) { return distance > 0.5f && id % 2 == 0; }"}}};
}

TEST(FormulasInKernels, FillSlotsOnEveryRoute) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
    Options options;
    options.routes.required = route;
    const Image image = build(kernel(), formulas(), 90, options);
    const Image expected = build(kernel(), written(), 90, options);
    EXPECT_EQ(image.report().kernel.route, route);
    ASSERT_EQ(image.report().slots.size(), 2u);
    for (const Report::Slot& slot : image.report().slots)
      EXPECT_EQ(slot.how, route == Route::Ptx ? "called" : "inlined") << image.report().to_text();
    EXPECT_EQ(image.report().resources.local_bytes, expected.report().resources.local_bytes);
  }
}

// A kernel that keeps states of several callbacks compares their sizes with its room.
TEST(FormulasInKernels, SayWhatStateTheyExpect) {
  const Report::Slot slot = build(kernel(), formulas(), 90).report().slots.at(0);
  EXPECT_EQ(slot.state_bytes, 16u);
  EXPECT_EQ(slot.state_alignment, 8u);
  EXPECT_EQ(Parameters("f32 delta, f64 weight").state().type.size, 16u);
  EXPECT_EQ(build(kernel(), formulas(), 90).report().slots.at(1).state_bytes, 0u);
}

TEST(FormulasInKernels, AreInPacks) {
  const KernelCode packed = KernelCode::pack(kernel().precompile({80}));
  const Image image = build(packed, formulas(), 90);
  EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
  KernelCallbacks ahead;
  for (const SlotCallback& one : formulas().slots)
    ahead.slots.push_back({one.slot, Callback::pack(kernel().precompile_for(one, {80}))});
  const Image linked = build(packed, ahead, 90);
  EXPECT_TRUE(linked.report().inlined()) << linked.report().to_text();
  EXPECT_EQ(linked.report().resources.registers, image.report().resources.registers);
}

TEST(FormulasInKernels, OfOtherTypesAreRefused) {
  const auto message = [](const char* metric) {
    KernelCallbacks callbacks = formulas();
    callbacks.slots[0].callback = formula(metric);
    const Error error = test::error_of([&] { build(kernel(), callbacks, 90); });
    EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
    return error.message();
  };
  EXPECT_THAT(message("f32 a => a"), HasSubstr("metric"));
  EXPECT_THAT(message("f32 a, b; f64 u, v, w => a - b + f32(u + v + w)"), HasSubstr("state"));  // larger than Metric
  EXPECT_THAT(message("f64 a, b; f32 delta, f64 weight => a - b + delta"), HasSubstr("metric"));
}

}  // namespace
}  // namespace graft
