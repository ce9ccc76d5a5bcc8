// Tests of sentence 23 of docs/security.md: the child process that compiles is bounded in time, memory and the length
// of its texts, and an Error names the bound or the signal that ended the child.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <string>
#include <utility>

#include "base/memory_file.hpp"
#include "engine/child_message.hpp"
#include "engine/closed_child.hpp"
#include "scenarios/security/closed.hpp"
#include "toolchain/timed_process.hpp"

namespace graft::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

// This source instantiates 2^28 class templates. A compiler would need hours and all of the machine's memory.
constexpr const char* kBomb =
    "template <int D, unsigned N> struct T { static constexpr unsigned v = T<D - 1, 2 * N>::v + T<D - 1, 2 * N + "
    "1>::v; "
    "};\n"
    "template <unsigned N> struct T<0, N> { static constexpr unsigned v = N; };\n"
    "__device__ float f(float x) { return x + T<28, 1>::v; }";

TEST(Security, S23_TheTimeOfACompileIsBounded) {
  const auto begin = Clock::now();
  const Error error = error_of_closed(kBomb, closed({.time = 1500ms, .memory = 8ull << 30}));
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_THAT(error.message(), HasSubstr("took longer than Closed::time allows, 1500 ms"));
  EXPECT_LT(Clock::now() - begin, 30s);
}

// The copy of nvJitLink would be larger than the files that the child may write.
TEST(Security, S23_TheChildNeedsNoLinkerOfItsOwn) {
  ASSERT_EQ(setenv("GRAFT_PRIVATE_LINKER", "1", 1), 0);
  Engine engine(no_cache());
  Options options = closed({});
  options.routes.required = Route::Lto;
  EXPECT_NO_THROW(build(engine, kFormula, kArchitecture, options));
}

TEST(Security, S23_CodeThatIsTooLargeIsReportedAsSuch) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve more address space than any limit allows";
#endif
  const Error error =
      error_of_closed("__device__ char big[66 << 20] = {1}; __device__ float f(float x) { return x + big[(int)x]; }",
                      closed({.time = 120s, .memory = 16ull << 30}));
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_THAT(error.message(), HasSubstr("larger than 64 MiB"));
}

TEST(Security, S23_TheLeastMemoryIsEnoughForACallbackOfOneLine) {
  Engine engine(no_cache());
  EXPECT_FALSE(build(engine, kFormula, kArchitecture, closed({.memory = 512ull << 20})).bytes().empty());
}

TEST(Security, S23_TheMemoryOfACompileIsBounded) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve more address space than any limit allows";
#endif
  const Error error = error_of_closed(kBomb, closed({.time = 120s, .memory = 512ull << 20}));
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_THAT(error.message(), HasSubstr("needs more memory than Closed::memory allows, 512 MiB"));
}

// The compiler fails at one large allocation, long before its memory reaches the bound.
TEST(Security, S23_AnAllocationAboveTheBoundIsNoCrash) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve more address space than any limit allows";
#endif
  const Error error =
      error_of_closed("__device__ char big[1ull << 33] = {1}; __device__ float f(float x) { return x + big[0]; }",
                      closed({.time = 120s}));
  EXPECT_THAT(error.message(), HasSubstr("needs more memory than Closed::memory allows, 2048 MiB"));
}

// The formula needs 500 bytes, but the name of its state has megabytes.
TEST(Security, S23_NamesOfTypesAreBounded) {
  std::string nest = "template <class A, class B> struct P {}; using T0 = int;\n";
  for (int level = 1; level <= 18; ++level) {
    const std::string below = "T" + std::to_string(level - 1);
    nest += "using T" + std::to_string(level) + " = P<" + below + ", " + below + ">; ";
  }
  const Error state = error_of_closed(nest + "__device__ float f(float x, const T18& s) { return x; }");
  EXPECT_EQ(state.code(), ErrorCode::UnsupportedParameter);
  EXPECT_THAT(state.message(), HasSubstr("the names of the types in the signature of "));
  EXPECT_LT(std::string(state.what()).size(), 2'000u);

  const Error wrong = error_of_closed(nest + "__device__ float f(float x) { T18 t; return t; }");
  EXPECT_EQ(wrong.code(), ErrorCode::CompileFailed);
  EXPECT_THAT(wrong.log(), HasSubstr("bytes left out"));
  EXPECT_LT(std::string(wrong.what()).size(), 600'000u);
  for (const Diagnostic& diagnostic : wrong.diagnostics()) EXPECT_LT(diagnostic.text.size(), 5'000u);

  Engine engine(no_cache());
  Options options = closed();
  options.entry = "f";
  const Image called = build(engine,
                             nest +
                                 "__device__ __noinline__ float g(float x, T16*) { return x * sinf(x) + 1; }\n"
                                 "__device__ float f(float x) { return x > 4 ? g(x, nullptr) + g(2 * x, nullptr) : "
                                 "1; }",
                             kArchitecture, options);
  ASSERT_FALSE(called.report().remaining_calls.empty());
  for (const std::string& name : called.report().remaining_calls) EXPECT_LT(name.size(), 70'000u);
  EXPECT_LT(called.report().linker_log.size() + called.report().compiler_log.size(), 600'000u);
}

TEST(Security, S23_ACrashIsAnErrorThatNamesTheSignal) {
  using Case = std::pair<std::string, const char*>;
  for (const auto& [signal, words] :
       {Case("SEGV", "signal 11 (SIGSEGV)"), Case("ABRT", "signal 6 (SIGABRT)"), Case("KILL", "signal 9 (SIGKILL)")}) {
    const Double crash("echo last words >&2; kill -" + signal + " $$");
    const Error error = error_of_closed(kFormula, closed(), crash.engine());
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
    EXPECT_THAT(error.message(), HasSubstr(words));
    EXPECT_THAT(error.log(), HasSubstr("last words"));
  }
}

// The child runs here as its parent runs it, but nobody kills it when the elapsed time is over.
TEST(Security, S23_TheSystemBoundsTheProcessorsTime) {
  engine::Question question{.step = {kBomb}, .closed = engine::Question::Closed{}};
  question.options = closed({.time = 1000ms, .memory = 8ull << 30});
  question.options.max_registers = 128;
  question.architecture = kArchitecture;
  const base::MemoryFile asked("question", engine::write_question(question));
  const base::MemoryFile answered("answer");
  const toolchain::ProcessResult result = toolchain::run_process(
      {GRAFT_PROGRAM, engine::kClosedCommand}, {}, {.time = 120s}, {asked.descriptor(), answered.descriptor()});
  EXPECT_EQ(result.signal, SIGXCPU) << result.output;
}

// The limit of this shell makes the child's processor time end before the elapsed time of the request does.
TEST(Security, S23_TheProcessorsTimeIsTheSameBound) {
  const Double spent("ulimit -t 2; exec " GRAFT_PROGRAM " \"$@\"");
  EXPECT_THAT(error_of_closed(kBomb, closed({.time = 120s, .memory = 8ull << 30}), spent.engine()).message(),
              HasSubstr("longer than Closed::time"));
}

}  // namespace
}  // namespace graft::test
