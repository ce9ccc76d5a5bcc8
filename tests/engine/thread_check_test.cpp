// Tests that callbacks which depend on the threads of a kernel are refused or noted. In version 0.1, graft silently
// accepted callbacks that synchronise, ask for their thread index, use shared memory, or exchange values with their
// warp. Which elements a thread, a warp or a block handles differs between kernels, so graft refuses such a callback by
// the word and its place, unless Options::allow_thread_words is set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.hpp"
#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Options allowing(Options options = {}) {
  options.allow_thread_words = true;
  return options;
}

// The notes of a kernel that may use thread words.
std::vector<std::string> notes(const Callback& callback, const Options& options = {}) {
  return build(callback, Architecture(90), allowing(options)).report().notes;
}

Error refusal(const Callback& callback, const Options& options = {}) {
  return error_of([&] { build(callback, Architecture(90), options); });
}

void expect_refusal(const Callback& callback, const std::string& word, const Options& options = {}) {
  const Error error = refusal(callback, options);
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
  EXPECT_THAT(error.message(), HasSubstr("`" + word + "` in a callback")) << error.what();
  EXPECT_THAT(error.remedy(), HasSubstr("Options::allow_thread_words")) << error.what();
}

void expect_no_word(const Callback& callback, const Options& options = {}) {
  EXPECT_THAT(build(callback, Architecture(90), options).report().notes, Not(Contains(HasSubstr(" in a callback"))));
}

struct Row {
  const char* word;
  const char* statement;
  const char* remedy;
};

constexpr Row kRows[] = {
    {"__syncthreads", "__syncthreads();", "two transforms"},
    {"__syncthreads_count", "x += __syncthreads_count(x > 0);", "two transforms"},
    {"__syncthreads_and", "x += __syncthreads_and(x > 0);", "two transforms"},
    {"__syncthreads_or", "x += __syncthreads_or(x > 0);", "two transforms"},
    {"__syncwarp", "__syncwarp();", "two transforms"},
    {"threadIdx", "x += threadIdx.x;", "graft::Index"},
    {"blockIdx", "x += blockIdx.x;", "graft::Index"},
    {"blockDim", "x += blockDim.x;", "graft::Index"},
    {"gridDim", "x += gridDim.x;", "graft::Index"},
    {"warpSize", "x += warpSize;", "graft::Index"},
    {"__shared__", "__shared__ volatile float s[256]; s[0] = x; x = s[1];", "state"},
    {"__shfl_sync", "x = __shfl_sync(~0u, x, 0);", "atomics"},
    {"__shfl_up_sync", "x = __shfl_up_sync(~0u, x, 1);", "atomics"},
    {"__shfl_xor_sync", "x = __shfl_xor_sync(~0u, x, 1);", "atomics"},
    {"__shfl_down_sync", "x = __shfl_down_sync(~0u, x, 1);", "atomics"},
    {"__ballot_sync", "x = __ballot_sync(~0u, x > 0);", "atomics"},
    {"__any_sync", "x = __any_sync(~0u, x > 0);", "atomics"},
    {"__all_sync", "x = __all_sync(~0u, x > 0);", "atomics"},
    {"__activemask", "x = __activemask();", "atomics"},
    {"__match_any_sync", "x = __match_any_sync(~0u, 1u);", "atomics"},
    {"__match_all_sync", "int p; x = __match_all_sync(~0u, 1u, &p);", "atomics"},
    {"__reduce_add_sync", "x = __reduce_add_sync(~0u, 1u);", "atomics"},
    {"%tid.x", "int t; asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(t)); x += t;", "graft::Index"},
    {"%laneid", "int t; asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(t)); x += t;", "graft::Index"},
    {"bar.sync", "asm volatile(\"bar.sync 0;\");", "two transforms"},
    {"bar.warp.sync", "asm volatile(\"bar.warp.sync 0xffffffff;\");", "two transforms"},
    {"activemask.b32", "unsigned m; asm volatile(\"activemask.b32 %0;\" : \"=r\"(m)); x += m;", "atomics"},
};

std::string with(const Row& row) {
  return std::string("__device__ float f(float x) {\n  ") + row.statement + "\n  return x;\n}";
}

TEST(ThreadCheck, EachSuchWordIsRefusedWithItsPlaceAndARemedy) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.word);
    const Error error = refusal(with(row));
    expect_refusal(with(row), row.word);
    EXPECT_THAT(error.message(), HasSubstr("callback.cu(2): "));
    EXPECT_THAT(error.remedy(), HasSubstr(row.remedy));
    ASSERT_FALSE(error.diagnostics().empty());
    const Diagnostic& found = error.diagnostics()[0];
    EXPECT_EQ(found.file, "callback.cu");
    EXPECT_EQ(found.line, 2);
    EXPECT_GT(found.column, 2);
    EXPECT_THAT(found.text, HasSubstr(row.word));
  }
}

TEST(ThreadCheck, TheOptionAllowsEachAndTheReportNotesIt) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.word);
    EXPECT_THAT(notes(with(row)), Contains(AllOf(HasSubstr(std::string("`") + row.word + "` in a callback"),
                                                 HasSubstr("routes"), HasSubstr("end of an array"))));
  }
}

TEST(ThreadCheck, AllWordsAreNamedOnce) {
  const Callback callback =
      "__device__ float f(float x) {\n  __syncthreads();\n  __syncthreads();\n  return x + threadIdx.x + "
      "threadIdx.y;\n}";
  const Error error = refusal(callback);
  ASSERT_EQ(error.diagnostics().size(), 2u) << error.what();
  EXPECT_EQ(error.diagnostics()[0].line, 2);
  EXPECT_EQ(error.diagnostics()[1].line, 4);
  EXPECT_EQ(error.diagnostics()[1].column, 14);
  EXPECT_THAT(error.message(), HasSubstr("callback.cu(4): `threadIdx`"));
  std::vector<std::string> found = notes(callback);
  std::erase_if(found, [](const std::string& note) { return note.find(" in a callback") == std::string::npos; });
  EXPECT_EQ(found.size(), 2u);
}

TEST(ThreadCheck, EveryRouteRefuses) {
  const Callback callback = "__device__ float f(float x) { return x + threadIdx.x; }";
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    expect_refusal(callback, "threadIdx", by(route));
    EXPECT_THAT(notes(callback, by(route)), Contains(HasSubstr("`threadIdx` in a callback")));
  }
  const Error on_host = error_of([&] { Transform::create(callback, by(Route::Host)); });
  EXPECT_EQ(on_host.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(on_host.message(), HasSubstr("`threadIdx` in a callback"));
  // With the option, the host's compiler says what it does not know.
  const Error allowed = error_of([&] { Transform::create(callback, allowing(by(Route::Host))); });
  EXPECT_EQ(allowed.code(), ErrorCode::CompileFailed);
}

// tests/reflect/callback/thread_words_test.cpp tests which words of a text count.
TEST(ThreadCheck, ReadsEntriesAndParts) {
  const Callback g = "__device__ float g(float x) { return x; }";
  expect_refusal(g.with_entry("[](float x) { return g(x) + threadIdx.x; }"), "threadIdx");
  const Callback f = "__device__ float f(float x) { __syncwarp(); return x; }";
  expect_refusal(chain(g, f), "__syncwarp");
}

TEST(ThreadCheck, CorrectProgramsAreNotRefused) {
  const char* texts[] = {
      "__global__ void k(float* p) { __shared__ float s[32]; s[threadIdx.x] = p[blockIdx.x]; __syncthreads(); }\n"
      "__device__ float f(float x) { return x; }",
      "__device__ float f(float x) { const int size = 64; return x * size; /* threadIdx */ }",
  };
  for (const char* text : texts) {
    SCOPED_TRACE(text);
    expect_no_word(Callback(text).with_entry("f"));
  }
}

TEST(ThreadCheck, AWordThatTheTextDeclaresIsNoted) {
  for (const char* text : {"__device__ float f(float x) { const int blockDim = 64; return x * blockDim; }",
                           "struct Launch { int gridDim, blockDim; };\n"
                           "__device__ float f(float x, const Launch& l) { return x + l.gridDim * l.blockDim; }"})
    EXPECT_THAT(build(Callback(text), Architecture(90)).report().notes,
                Contains(HasSubstr("`blockDim` in a callback")));
}

TEST(ThreadCheck, WithoutSpecifiersToo) {
  Options options;
  options.compiler_options = {"--device-as-default-execution-space"};
  expect_refusal("float f(float x) { __syncthreads(); return x; }", "__syncthreads", options);
  options.compiler_options = {"-default-device"};
  expect_refusal("float f(float x) { return x + threadIdx.x; }", "threadIdx", options);
}

TEST(ThreadCheck, HeadersMayUseThreads) {
  Options options;
  options.headers = {{"mine.h", "__device__ inline int lane() { return threadIdx.x & 31; }\n"}};
  expect_no_word("#include \"mine.h\"\n__device__ float f(float x) { return x; }", options);
  expect_no_word("#include <cooperative_groups.h>\n__device__ float f(float x) { return x; }");
  expect_no_word(
      "#include <curand_kernel.h>\n__device__ float f(float x, graft::Index i) {\n  curandStatePhilox4_32_10_t s;\n"
      "  curand_init(7, i, 0, &s);\n  return x + curand_uniform(&s);\n}");
}

// The text does not show which branch is compiled, so graft does not refuse the word, and notes it.
TEST(ThreadCheck, InABranchThatGraftCannotDecideTheWordIsNoted) {
  const Callback callback =
      "__device__ float f(float x) {\n#ifdef USE_THREADS\n  x += threadIdx.x;\n#endif\n  return x;\n}";
  EXPECT_THAT(build(callback, Architecture(90)).report().notes, Contains(HasSubstr("`threadIdx` in a callback")));
}

// A load callback gets the thread block's shared memory and needs threadIdx to find its part of it. Barriers stay
// refused: some threads have no element.
TEST(ThreadCheck, LoadAndStoreCallbacksMayAddressTheirSharedMemory) {
  const std::string load =
      "__device__ float l(void* d, unsigned long long i, void*, void* shared) {\n"
      "  static_cast<float*>(shared)[threadIdx.x] = ((float*)d)[i];\n";
  Options options;
  options.shared_bytes = 4096;
  const Callback op = "__device__ float f(float x) { return x; }";
  EXPECT_THAT(build(Stages{.load = load + "  return static_cast<float*>(shared)[threadIdx.x];\n}", .op = op},
                    Architecture(90), options)
                  .report()
                  .notes,
              Contains(HasSubstr("`threadIdx` in a callback")));
  const std::string assembly =
      "__device__ float l(void* d, unsigned long long i, void*, void* shared) {\n"
      "  unsigned t, n;\n  asm(\"mov.u32 %0, %%tid.x;\" : \"=r\"(t));\n  asm(\"mov.u32 %0, %%ntid.x;\" : \"=r\"(n));\n"
      "  static_cast<float*>(shared)[t % n] = ((float*)d)[i];\n  return static_cast<float*>(shared)[t % n];\n}";
  EXPECT_FALSE(build(Stages{.load = assembly, .op = op}, Architecture(90), options).bytes().empty());
  expect_refusal(Stages{.load = load + "  __syncthreads();\n  return 0;\n}", .op = op}, "__syncthreads", options);
  expect_refusal(
      Stages{.load = load + "  return 0;\n}", .op = "__device__ float f(float x) { return x + threadIdx.x; }"},
      "threadIdx", options);
  expect_no_word(Stages{.load = "__device__ float l(void* d, unsigned long long i, void*, void* shared) {\n"
                                "  return ((float*)d)[i] + (shared == nullptr);\n}"},
                 options);
}

TEST(ThreadCheck, NoCacheServesARequestWithoutTheOption) {
  const base::TemporaryFolder folder;
  EngineOptions how;
  how.cache.policy = CachePolicy::ReadWrite;
  how.cache.folder = folder.path() / "cache";
  how.cache.layers.emplace();
  const Callback callback = "__device__ float f(float x) { return x + threadIdx.x; }";
  Engine engine(how);
  const auto build_with = [&](Engine& one, const Options& options) {
    return build(one, callback, Architecture(90), options);
  };
  build_with(engine, allowing());
  EXPECT_EQ(error_of([&] { build_with(engine, {}); }).code(), ErrorCode::InvalidArgument);
  build_with(engine, allowing());  // in memory
  EXPECT_EQ(engine.counters().builds, 1u);
  EXPECT_EQ(engine.counters().memory_hits, 1u);
  EXPECT_EQ(error_of([&] { build_with(engine, {}); }).code(), ErrorCode::InvalidArgument);

  Engine other(how);
  EXPECT_EQ(error_of([&] { build_with(other, {}); }).code(), ErrorCode::InvalidArgument);
  EXPECT_TRUE(build_with(other, allowing()).report().from_cache);
  EXPECT_EQ(error_of([&] { build_with(other, {}); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(other.counters().builds, 0u);
}

// The option changes no kernel, so requests with and without it share the entry on disk.
TEST(ThreadCheck, TheOptionAloneMakesNoOtherKernel) {
  const base::TemporaryFolder folder;
  EngineOptions how;
  how.cache.policy = CachePolicy::ReadWrite;
  how.cache.folder = folder.path() / "cache";
  how.cache.layers.emplace();
  const Callback callback = "__device__ float f(float x) { return 2 * x; }";
  Engine engine(how);
  build(engine, callback, Architecture(90));
  EXPECT_TRUE(build(engine, callback, Architecture(90), allowing()).report().from_cache);
}

TEST(ThreadCheck, APackIsRefusedWhenItIsMadeAndNotesItsWords) {
  const Callback callback = "__device__ float f(float x) { __syncthreads(); return x + threadIdx.x; }";
  for (const PrecompileFormat format : {PrecompileFormat::Pack, PrecompileFormat::PackWithCubins}) {
    SCOPED_TRACE(name(format));
    const Error error = error_of([&] { callback.precompile({90}, format); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(error.message(), HasSubstr("`__syncthreads` in a callback"));
    const Callback pack = Callback::pack(callback.precompile({90}, format, allowing()));
    const std::vector<std::string> found = build(pack, Architecture(90)).report().notes;
    for (const char* word : {"__syncthreads", "threadIdx"})
      EXPECT_THAT(found, Contains(HasSubstr(std::string("`") + word + "` in a callback")));
  }
}

// These formats are for kernels of other programs, whose threads graft does not know.
TEST(ThreadCheck, CodeForOtherKernelsIsNotRefused) {
  const Callback callback = "__device__ float f(float x) { __syncthreads(); return x + threadIdx.x; }";
  for (const PrecompileFormat format : {PrecompileFormat::LtoIr, PrecompileFormat::Ptx, PrecompileFormat::Cubin})
    EXPECT_FALSE(callback.precompile({90}, format).empty()) << name(format);
}

TEST(ThreadCheck, PtxIsRefusedToo) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.word);
    if (std::string(row.word) == "warpSize") continue;  // a number in PTX
    const std::string text = with(row);
    const std::vector<std::byte> bytes = Callback(text).with_entry("f").precompile({90}, PrecompileFormat::Ptx);
    const Callback ptx = Callback::ptx(std::string(base::as_text(bytes)), "f.ptx").with_signature("float f(float)");
    const Error error = refusal(ptx);
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
    EXPECT_THAT(error.message(), HasSubstr("f.ptx("));
    EXPECT_THAT(error.message(), HasSubstr("` in a callback"));
    EXPECT_FALSE(build(ptx, Architecture(90), allowing()).bytes().empty());
  }
}

TEST(ThreadCheck, OtherFunctionsOfThePtxMayUseThreads) {
  const auto ptx_of = [](const std::string& body) {
    const std::string text =
        "extern \"C\" __global__ void k(float* p) { p[threadIdx.x] = 0; __syncthreads(); }\n"
        "extern \"C\" __device__ __noinline__ int lane() { return threadIdx.x; }\n"
        "extern \"C\" __device__ float f(float x) { return x" +
        body + "; }";
    const std::vector<std::byte> bytes = Callback(text).with_entry("f").precompile({90}, PrecompileFormat::Ptx);
    return Callback::ptx(std::string(base::as_text(bytes)), "f.ptx").with_signature("extern \"C\" float f(float)");
  };
  EXPECT_EQ(build(ptx_of(" + 1"), Architecture(90)).report().kernel.route, Route::Ptx);
  expect_refusal(ptx_of(" + lane()"), "%tid.x");
}

// `gain` is not in the name of gainControlAll, whose mangled name contains "14gainControlAll".
TEST(ThreadCheck, AFunctionOfASimilarNameMayUseThreadsInPtx) {
  const std::string text =
      "__device__ float gainControlAll(float x) { return x + threadIdx.x; }\n"
      "namespace gains { __device__ float m4gain(float x) { return x + blockIdx.x; } }\n"
      "__device__ float gain(float x, float y) { return x + y; }";
  const std::vector<std::byte> bytes = Callback(text).with_entry("gain").precompile({90}, PrecompileFormat::Ptx);
  const Callback ptx =
      Callback::ptx(std::string(base::as_text(bytes)), "f.ptx").with_signature("float gain(float, float)");
  EXPECT_FALSE(build(ptx, Architecture(90)).bytes().empty());
}

}  // namespace
}  // namespace graft::test
