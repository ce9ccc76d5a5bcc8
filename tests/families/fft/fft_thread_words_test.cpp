// Tests that callbacks of an FFT may not ask which thread calls them, as callbacks of transforms may not. Which thread
// handles which point depends on the plan. Only callbacks of cuFFT's shape may address their thread's part of the
// shared memory that they get.
#include <string>

#include "base/files.hpp"
#include "families/fft/fft_test.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr FftPlan kPlan = {.length = 64, .directions = FftDirections::Forward};

Options by(Route route) {
  Options options;
  options.routes.required = route;
  return options;
}

void expect_refusal(const FftCallbacks& callbacks, const std::string& word) {
  for (const Route route : {Route::Lto, Route::Program}) {
    SCOPED_TRACE(word + " " + std::string(name(route)));
    const Error error = error_of([&] { build(kPlan, callbacks, Architecture(90), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
    EXPECT_THAT(error.message(), HasSubstr("`" + word + "` in a callback")) << error.what();
    EXPECT_THAT(error.remedy(), HasSubstr("graft::Index")) << error.what();
  }
}

TEST(FftThreadWords, InCallbacksOfGraftsShapeAreRefused) {
  const std::string uses[] = {"threadIdx", "blockDim"};
  for (const std::string& word : uses) {
    const std::string change = "z.x += " + word + ".x; return z; }";
    expect_refusal({.load = "__device__ float2 f(float2 z) { " + change}, word);
    expect_refusal({.store = "__device__ float2 f(float2 z) { " + change}, word);
    expect_refusal({.between = "__device__ float2 f(float2 z) { " + change}, word);
    expect_refusal({.load = "[](float2 z) { " + change}, word);
    expect_refusal({.load = "struct S { float a; }; __device__ float2 f(float2 z, const S& s) { z.y *= s.a; " + change},
                   word);
    expect_refusal({.store = chain("[](float2 z) { " + change, "[](float2 z) { return z.x; }")}, word);
  }
  expect_refusal({.load = "__device__ float2 f(float2 z) {\n"
                          "  unsigned t; asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(t)); z.x += t; return z; }"},
                 "%tid.x");
}

constexpr const char* kCufftLoad =
    "__device__ float2 load(void* data, unsigned long long offset, void*, void* shared) {\n"
    "  float2* mine = (float2*)shared + threadIdx.x; *mine = ((float2*)data)[offset]; return *mine; }";
constexpr const char* kCufftStore =
    "__device__ void store(void* data, unsigned long long offset, float2 z, void*, void* shared) {\n"
    "  float2* mine = (float2*)shared + threadIdx.x; *mine = z; ((float2*)data)[offset] = *mine; }";
constexpr const char* kThreadsStore = "__device__ float2 f(float2 z) { z.x += threadIdx.x; return z; }";

TEST(FftThreadWords, OfSharedMemoryAreForCallbacksOfCufftsShape) {
  Options options;
  options.shared_bytes = 8192;
  EXPECT_EQ(build(kPlan, {.load = kCufftLoad, .store = kCufftStore}, Architecture(90), options).size(), 1U);
  // The shape of one callback does not excuse the other.
  expect_refusal({.load = kCufftLoad, .store = kThreadsStore}, "threadIdx");
  expect_refusal({.load = kThreadsStore, .store = kCufftStore}, "threadIdx");
}

TEST(FftThreadWords, AreRefusedInPacksToo) {
  EXPECT_THAT(error_of([&] { precompile(kPlan, {.store = kThreadsStore}, {90}); }).message(),
              HasSubstr("`threadIdx` in a callback"));
}

// Options::allow_thread_words allows them, and the kernel that it stores on disk serves no other request.
TEST(FftThreadWords, AreAllowedByAnOption) {
  const base::TemporaryFolder folder;
  Options allowing;
  allowing.allow_thread_words = true;
  for (int i = 0; i < 2; ++i) {
    Engine engine({.cache = {.policy = CachePolicy::ReadWrite, .folder = folder.path()}});
    EXPECT_EQ(build(engine, kPlan, {.load = kThreadsStore}, Architecture(90), allowing).front().report().from_cache,
              i == 1);
    EXPECT_THAT(error_of([&] { build(engine, kPlan, {.load = kThreadsStore}, Architecture(90)); }).message(),
                HasSubstr("`threadIdx` in a callback"));
  }
}

}  // namespace
}  // namespace graft::test
