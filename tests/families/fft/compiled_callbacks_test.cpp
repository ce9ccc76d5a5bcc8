// FFTs take callbacks in every compiled form: LTO-IR, as cuFFT takes them, is inlined; PTX and machine code are called.
#include <deque>

#include <gtest/gtest.h>

#include "graft/graft.hpp"

namespace graft::test {
namespace {

constexpr const char* kLoad =
    "__device__ float2 load_iq(void* data, unsigned long long offset, void* info, void*) {\n"
    "  const char2 z = ((const char2*)data)[offset]; return make_float2(z.x, z.y); }";
constexpr const char* kLoadSignature = "float2 load_iq(void*, unsigned long long, void*, void*)";
constexpr const char* kStore =
    "__device__ void store_power(void* data, unsigned long long offset, float2 z, void* info, void*) {\n"
    "  ((float*)data)[offset] = z.x * z.x + z.y * z.y; }";
constexpr const char* kStoreSignature = "void store_power(void*, unsigned long long, float2, void*, void*)";
constexpr const char* kWindow =
    "__device__ float2 windowed(short a, float w, const float& gain, graft::Index i) {\n"
    "  return make_float2(a * w * gain, i & 1 ? 1.0f : 0.0f); }";
constexpr const char* kWindowSignature = "float2 windowed(short, float, const float&, graft::Index)";
constexpr const char* kKeep =
    "__device__ graft::Store keep(float2 z, float limit, float& out) { out = z.x; return graft::Store(z.x > limit); "
    "}";
constexpr const char* kKeepSignature = "graft::Store keep(float2, float, float&)";
constexpr const char* kTurn = "__device__ float2 turn(float2 z, graft::Index k) { return make_float2(-z.y, z.x * k); }";
constexpr const char* kTurnSignature = "float2 turn(float2, graft::Index)";

// The callback compiled for sm_90.
Callback compiled(const char* text, const char* signature, PrecompileFormat format) {
  static std::deque<std::vector<std::byte>> all;
  all.push_back(Callback(text).precompile({Architecture(90)}, format));
  switch (format) {
    case PrecompileFormat::LtoIr:
      return Callback::ltoir(all.back()).with_signature(signature);
    case PrecompileFormat::Ptx:
      return Callback::ptx(std::string(reinterpret_cast<const char*>(all.back().data()), all.back().size()))
          .with_signature(signature);
    case PrecompileFormat::Cubin:
      return Callback::object(all.back()).with_signature(signature);
    default:
      return Callback::fatbin(all.back()).with_signature(signature);
  }
}

std::vector<Report> reports_of(const FftPlan& plan, const FftCallbacks& callbacks, const Options& options = {}) {
  std::vector<Report> reports;
  for (const Image& image : build(plan, callbacks, Architecture(90), options)) reports.push_back(image.report());
  return reports;
}

TEST(FftCompiledCallbacks, OfLtoIrAreInlined) {
  constexpr PrecompileFormat kFormat = PrecompileFormat::LtoIr;
  for (const Report& report : reports_of({.length = 256}, {.load = compiled(kLoad, kLoadSignature, kFormat),
                                                          .store = compiled(kStore, kStoreSignature, kFormat)})) {
    EXPECT_EQ(report.kernel.route, Route::Lto);
    EXPECT_EQ(report.remaining_calls, std::vector<std::string>());
    EXPECT_EQ(report.resources.local_bytes, 0);
  }
}

TEST(FftCompiledCallbacks, OfPtxAndMachineCodeAreCalled) {
  for (const PrecompileFormat format : {PrecompileFormat::Ptx, PrecompileFormat::Cubin}) {
    for (const Report& report : reports_of({.length = 256}, {.load = compiled(kLoad, kLoadSignature, format),
                                                            .store = compiled(kStore, kStoreSignature, format)})) {
      EXPECT_EQ(report.kernel.route, Route::Ptx);
      EXPECT_EQ(report.remaining_calls.size(), 2U);
    }
    for (const std::int64_t length : {256, 100'000})
      for (const Report& report : reports_of({.length = length}, {.load = compiled(kWindow, kWindowSignature, format),
                                                                 .between = compiled(kTurn, kTurnSignature, format),
                                                                 .store = compiled(kKeep, kKeepSignature, format)})) {
        EXPECT_EQ(report.kernel.route, Route::Ptx);
        EXPECT_FALSE(report.remaining_calls.empty());
      }
  }
}

TEST(FftCompiledCallbacks, SourceTakesThePtxRouteToo) {
  Options options;
  options.routes.required = Route::Ptx;
  for (const Report& report : reports_of({.length = 256}, {.load = kLoad, .store = kKeep}, options))
    EXPECT_EQ(report.kernel.route, Route::Ptx);
  for (const Report& report : reports_of({.length = 16}, {}, options)) EXPECT_EQ(report.kernel.route, Route::Ptx);
  for (const Report& report :
       reports_of({.length = 64}, {.load = compiled(kLoad, kLoadSignature, PrecompileFormat::Ptx), .store = kStore}))
    EXPECT_EQ(report.kernel.route, Route::Ptx);
}

}  // namespace
}  // namespace graft::test
