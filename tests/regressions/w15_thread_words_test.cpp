// W15: graft silently accepted callbacks that synchronise, ask for their thread index, use shared memory, or exchange
// values with their warp. A callback may do none of these, because its results are wrong at the end of an array and on
// other routes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "scenarios/forms/forms.hpp"

namespace graft::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> notes(const Callback& callback, const Options& options = {}) {
  return build(callback, Architecture(90), options).report().notes;
}

struct Row {
  const char* word;
  const char* statement;
};

constexpr Row kRows[] = {
    {"__syncthreads", "__syncthreads();"},
    {"__syncthreads_count", "x += __syncthreads_count(x > 0);"},
    {"__syncthreads_and", "x += __syncthreads_and(x > 0);"},
    {"__syncthreads_or", "x += __syncthreads_or(x > 0);"},
    {"__syncwarp", "__syncwarp();"},
    {"threadIdx", "x += threadIdx.x;"},
    {"blockIdx", "x += blockIdx.x;"},
    {"blockDim", "x += blockDim.x;"},
    {"gridDim", "x += gridDim.x;"},
    {"__shared__", "__shared__ float s[256]; s[0] = x; x = s[0];"},
    {"__shfl_sync", "x = __shfl_sync(~0u, x, 0);"},
    {"__shfl_xor_sync", "x = __shfl_xor_sync(~0u, x, 1);"},
    {"__shfl_down_sync", "x = __shfl_down_sync(~0u, x, 1);"},
    {"__ballot_sync", "x = __ballot_sync(~0u, x > 0);"},
    {"__any_sync", "x = __any_sync(~0u, x > 0);"},
    {"__all_sync", "x = __all_sync(~0u, x > 0);"},
    {"__activemask", "x = __activemask();"},
    {"__match_any_sync", "x = __match_any_sync(~0u, 1u);"},
    {"__reduce_add_sync", "x = __reduce_add_sync(~0u, 1u);"},
};

TEST(W15, TheReportNotesEachSuchWord) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.word);
    const std::string text = std::string("__device__ float f(float x) { ") + row.statement + " return x; }";
    EXPECT_THAT(notes(text), Contains(AllOf(HasSubstr(std::string("`") + row.word + "` in a callback"),
                                            HasSubstr("routes"), HasSubstr("end of an array"))));
  }
}

TEST(W15, EachWordIsNotedOnce) {
  std::vector<std::string> found =
      notes("__device__ float f(float x) { __syncthreads(); __syncthreads(); return x + threadIdx.x + threadIdx.y; }");
  std::erase_if(found, [](const std::string& note) { return note.find(" in a callback") == std::string::npos; });
  EXPECT_EQ(found.size(), 2u);
}

TEST(W15, OnEveryRouteAndInMacrosLambdasEntriesAndParts) {
  const auto has = [](const char* word) { return Contains(HasSubstr(std::string("`") + word + "` in a callback")); };
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    EXPECT_THAT(notes("__device__ float f(float x) { return x + threadIdx.x; }", by(route)), has("threadIdx"));
  }
  EXPECT_THAT(notes("#define ME threadIdx.x\n__device__ float f(float x) { return x + ME; }"), has("threadIdx"));
  EXPECT_THAT(notes("[](float x) { return x + threadIdx.x; }"), has("threadIdx"));
  EXPECT_THAT(notes(Callback("__device__ float g(float x) { return x; }")
                        .with_entry("[](float x) { return g(x) + threadIdx.x; }")),
              has("threadIdx"));
  Options options;
  options.defines = {{"ME", "threadIdx.x"}};
  EXPECT_THAT(notes("__device__ float f(float x) { return x + ME; }", options), has("threadIdx"));
  const Callback plain = "__device__ float g(float x) { return x; }";
  const Callback noted = "__device__ float f(float x) { __syncwarp(); return x; }";
  EXPECT_THAT(notes(chain(plain, noted)), has("__syncwarp"));
  EXPECT_THAT(notes(Stages{.load = "__device__ float l(void* d, unsigned long long i, void*, void*) { __syncthreads(); "
                                   "return ((float*)d)[i]; }",
                           .op = chain(plain, plain)}),
              has("__syncthreads"));
}

TEST(W15, KernelsOfPacksHaveTheNotesOfTheirSource) {
  const Callback callback = "__device__ float f(float x) { __syncthreads(); return x + threadIdx.x; }";
  for (const PrecompileFormat format : {PrecompileFormat::Pack, PrecompileFormat::PackWithCubins}) {
    const std::vector<std::byte> bytes = callback.precompile({90}, format);
    const Callback pack = Callback::pack(bytes);
    for (const char* word : {"__syncthreads", "threadIdx"})
      EXPECT_THAT(notes(pack), Contains(HasSubstr(std::string("`") + word + "` in a callback"))) << name(format);
  }
}

TEST(W15, CooperativeGroupsAreNoted) {
  const Callback callback =
      "#include <cooperative_groups.h>\n"
      "__device__ float f(float x) { return x + cooperative_groups::this_thread_block().thread_rank(); }";
  EXPECT_THAT(notes(callback), Contains(HasSubstr("`cooperative_groups` in a callback")));
}

TEST(W15, WhatOnlyLooksLikeSuchAWordIsNotNoted) {
  const char* texts[] = {
      "__device__ float f(float x) { return x; /* __syncthreads() */ }  // threadIdx",
      "__device__ float f(float x) { if (x > 9) printf(\"threadIdx __shared__\\n\"); return x; }",
      "struct S { float threadIdx; };\n__device__ float f(float x, const S& s) { return x + s.threadIdx; }",
      "#if 0\n__device__ float g() { __syncthreads(); }\n#endif\n__device__ float f(float x) { return x; }",
      "__device__ float f(float my_threadIdx) { return my_threadIdx; }",
  };
  for (const char* text : texts) {
    SCOPED_TRACE(text);
    EXPECT_THAT(notes(Callback(text).with_entry("f")), Not(Contains(HasSubstr(" in a callback"))));
  }
}

TEST(W15, TheSharedPointerOfStagesIsNotNoted) {
  Options options;
  options.shared_bytes = 1024;
  const Callback load =
      "__device__ float l(void* d, unsigned long long i, void*, void* shared) {\n"
      "  return ((float*)d)[i] + (shared == nullptr);\n}";
  EXPECT_THAT(notes(Stages{.load = load}, options), Not(Contains(HasSubstr(" in a callback"))));
}

}  // namespace
}  // namespace graft::test
