// What graft says about callbacks that cuFFT takes and graft does not, and about callbacks that are almost cuFFT's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

enum class At { Load, Between, Store };

Error error_at(At place, const Callback& callback, const Options& options = {}) {
  FftCallbacks callbacks;
  (place == At::Load ? callbacks.load : place == At::Between ? callbacks.between : callbacks.store) = callback;
  return error_of([&] { build({.length = 16}, callbacks, 90, options); });
}

struct AlmostCufft {
  At place;
  const char* declaration;
  const char* difference;
};

// clang-format off
const AlmostCufft kAlmost[] = {
    {At::Load, "float2 f(const float2*, size_t, void*, void*)", "its `data` is float2 const* and not void*"},
    {At::Load, "float2 f(const void*, size_t, void*, void*)", "its `data` is void const* and not void*"},
    {At::Load, "float2 f(void*, int, void*, void*)", "its `offset` is int and not size_t"},
    {At::Load, "float2 f(void*, unsigned, void*, void*)", "its `offset` is unsigned int and not size_t"},
    {At::Load, "float2 f(void*, long long, void*, void*)", "its `offset` is long long and not size_t"},
    {At::Load, "float2 f(void*, graft::Index, void*, void*)", "its `offset` is graft::Index and not size_t"},
    {At::Load, "float2 f(void*, size_t, void*)", "it has no `shared`"},
    {At::Load, "float2 f(void*, size_t)", "it has no `caller_info` and it has no `shared`"},
    {At::Load, "float2 f(float2*, int, void*)",
     "its `data` is float2* and not void*, its `offset` is int and not size_t, and it has no `shared`"},
    {At::Load, "float2 f(void*, size_t, void*, void*, void*)", "it has 5 parameters and not 4"},
    {At::Load, "float2 f(void*, size_t, void*, int)", "its `shared` is int and not void*"},
    {At::Load, "void f(void*, size_t, void*, void*)", "it returns void"},
    {At::Store, "float2 f(void*, size_t, float2, void*, void*)", "it returns float2 and not void"},
    {At::Store, "void f(void*, size_t, const float2&, void*, void*)", "its `element` is const float2& and not a value"},
    {At::Store, "void f(float*, unsigned long long, float2, void*, void*)", "its `data` is float* and not void*"},
    {At::Store, "void f(void*, size_t, float2)", "it has no `caller_info` and it has no `shared`"},
};
// clang-format on

std::string definition(const std::string& declaration) {
  const bool returns = !declaration.starts_with("void");
  return "__device__ " + declaration + (returns ? " { return {}; }" : " {}");
}

TEST(AlmostCufft, TheErrorSaysWhatDiffers) {
  for (const AlmostCufft& row : kAlmost) {
    SCOPED_TRACE(row.declaration);
    const Error error = error_at(row.place, definition(row.declaration));
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter);
    EXPECT_THAT(error.message(),
                HasSubstr("almost a cuFFT load or store callback, but " + std::string(row.difference)));
    EXPECT_THAT(error.remedy(), HasSubstr("T f(void* data, size_t offset, void* caller_info, void* shared)"));
  }
}

TEST(AlmostCufft, OnTheHostAndInStagesToo) {
  Options options;
  options.routes.required = Route::Host;
  const std::string text = definition("float2 f(void*, int, void*, void*)");
  const std::string words = "its `offset` is int and not size_t";
  EXPECT_THAT(error_of([&] { Fft::create({.length = 16}, {.load = text}, options); }).message(), HasSubstr(words));
  EXPECT_THAT(error_of([&] { Transform::create(Stages{.load = text}, options); }).message(), HasSubstr(words));
  EXPECT_THAT(error_of([&] { build(Stages{.load = text}, 90); }).message(), HasSubstr(words));
  EXPECT_THAT(
      error_of([&] { build(Stages{.store = definition("void f(void*, int, float, void*, void*)")}, 90); }).message(),
      HasSubstr(words));
  EXPECT_THAT(error_of([&] { build(text, 90); }).message(), HasSubstr(words));
}

// Callbacks of graft's shape that are refused for a pointer hear nothing of cuFFT.
TEST(AlmostCufft, IsNoOtherCallbackWithAPointer) {
  for (const char* declaration : {"float f(float*, int)", "float f(float, void*)", "float f(const float*)"}) {
    const Error error = error_of([&] { build(definition(declaration), 90); });
    EXPECT_THAT(error.message(), HasSubstr("is a pointer or an array")) << declaration;
  }
}

TEST(RefusedInFfts, BetweenHasNoShapeOfCuffts) {
  const Error error = error_at(At::Between, definition("float2 f(void*, size_t, void*, void*)"));
  EXPECT_THAT(error.message(), HasSubstr("belongs to a cuFFT load or store callback"));
  EXPECT_THAT(error.remedy(), HasSubstr("graft::FftCallbacks"));
}

TEST(RefusedInFfts, PacksAreNoCallbacksOfFfts) {
  const Callback pack =
      Callback::pack(Callback("__device__ float2 f(float2 z) { return z; }").precompile({90}), "f.graft");
  for (const At place : {At::Load, At::Between, At::Store}) {
    const Error error = error_at(place, pack);
    EXPECT_EQ(error.message(), "f.graft is a pack, and a pack cannot be the callback of an FFT");
    EXPECT_THAT(error.remedy(), HasSubstr("graft::Fft::load"));
  }
}

TEST(RefusedInFfts, StagesAreNoCallbacksOfFfts) {
  const Callback stages = Stages{.load = definition("float2 f(void*, size_t, void*, void*)")};
  EXPECT_THAT(error_at(At::Load, stages).remedy(), HasSubstr("graft::FftCallbacks"));
}

TEST(RefusedInFfts, NamesOfFftsHaveNoStages) {
  const Error error = error_at(At::Store, Callback::source("__device__ float f(float x) { return x; }", "real.cu"));
  EXPECT_THAT(error.message(), testing::StartsWith("callbacks of real.cu (f in real.cu)"));
}

// An FFT of real numbers is none of graft's, so the callbacks of one do not fit.
TEST(RefusedInFfts, CallbacksOfRealFfts) {
  const Error load =
      error_at(At::Load, "#include <cufftXt.h>\n" + definition("cufftReal f(void*, size_t, void*, void*)") +
                             "\n__device__ cufftCallbackLoadR d_f = f;\n");
  EXPECT_THAT(load.message(), HasSubstr("does not return a point of the FFT"));
  const Error store =
      error_at(At::Store, "#include <cufftXt.h>\n" + definition("void f(void*, size_t, cufftReal, void*, void*)") +
                              "\n__device__ cufftCallbackStoreR d_f = f;\n");
  EXPECT_THAT(store.message(), HasSubstr("does not take a point of the FFT"));
}

// cuFFT's types of functions have a size_t, and a pointer to another function is no value of theirs.
TEST(RefusedInFfts, APointerToAFunctionOfAnotherOffset) {
  for (const Route route : {Route::Lto, Route::Host}) {
    Options options;
    options.routes.required = route;
    const Error error = error_at(At::Store,
                                 "#include <cufftXt.h>\n" +
                                     definition("void f(void*, unsigned long long, cufftComplex, void*, void*)") +
                                     "\n__device__ cufftCallbackStoreC d_f = f;\n",
                                 options);
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << name(route);
    EXPECT_THAT(error.remedy(), HasSubstr("with `size_t offset`, or leave the pointer out")) << name(route);
  }
}

TEST(RefusedInFfts, ThreadsOnTheHost) {
  Options options;
  options.routes.required = Route::Host;
  const Error error = error_at(At::Load, "__device__ float2 f(float2 z) { z.x *= threadIdx.x; return z; }", options);
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_THAT(error.remedy(), HasSubstr("Add a parameter of type graft::Index"));
}

TEST(RefusedInFfts, AStateToBakeWithoutCallbacks) {
  Options options;
  options.bake(2.0F);
  const auto message = [&] { return error_of([&] { build(FftPlan{.length = 16}, {}, 90, options); }).message(); };
  EXPECT_EQ(message(), "the callbacks of an FFT cannot have a baked state");
  options.routes.required = Route::Host;
  EXPECT_EQ(message(), "there is no callback whose state could be baked");
}

TEST(RefusedInFfts, APackForGpusOnTheHost) {
  Options options;
  options.routes.required = Route::Host;
  const std::vector<std::byte> pack = precompile(FftPlan{.length = 16}, {}, {90});
  const Error error = error_of([&] { Fft::load(pack, 0, options); });
  EXPECT_EQ(error.code(), ErrorCode::ImageRefused);
  EXPECT_THAT(error.message(), HasSubstr("not made for the host"));
  EXPECT_THAT(error.remedy(), HasSubstr("Create it from its callbacks"));
}

TEST(RefusedInFfts, BarriersInCallbacks) {
  const char* const text =
      "__device__ float2 f(void* data, size_t offset, void*, void* shared) {\n"
      "  ((float2*)shared)[threadIdx.x] = ((float2*)data)[offset];\n  __syncthreads();\n"
      "  return ((float2*)shared)[threadIdx.x ^ 1]; }";
  const Error error = error_at(At::Load, text);
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.message(), HasSubstr("`__syncthreads` in a callback"));
}

}  // namespace
}  // namespace graft::test
