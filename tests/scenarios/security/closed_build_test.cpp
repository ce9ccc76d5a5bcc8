// Tests of sentences 22, 23 and 25 of docs/security.md. In the closed mode, a child process builds the kernel, with
// limits on time, memory and registers.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "base/descriptor.hpp"
#include "base/memory_file.hpp"
#include "cli/npy_files.hpp"
#include "cli/program.hpp"
#include "core/image_data.hpp"
#include "engine/closed_child.hpp"
#include "engine/closed_message.hpp"
#include "plan/key.hpp"
#include "scenarios/security/closed.hpp"
#include "store/folder.hpp"
#include "support/spy_nvrtc.hpp"
#include "toolchain/process.hpp"

namespace graft::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using Clock = std::chrono::steady_clock;

// This source instantiates 2^28 class templates. A compiler would need hours and all of the machine's memory.
constexpr const char* kBomb =
    "template <int D, unsigned N> struct T { static constexpr unsigned v = T<D - 1, 2 * N>::v + T<D - 1, 2 * N + "
    "1>::v; "
    "};\n"
    "template <unsigned N> struct T<0, N> { static constexpr unsigned v = N; };\n"
    "__device__ float f(float x) { return x + T<28, 1>::v; }";

// Returns a source that needs many registers because it has 64 values in use at the same time.
std::string hungry() {
  std::string text =
      "__device__ float f(float x) {\n  float a[64];\n  for (int i = 0; i < 64; ++i) a[i] = x * (i + 1);\n";
  text += "  for (int k = 0; k < 32; ++k)\n    for (int i = 0; i < 64; ++i) a[i] = sinf(a[i]) + a[(i * 7 + 3) % 64];\n";
  return text + "  float s = 0;\n  for (int i = 0; i < 64; ++i) s += a[i];\n  return s;\n}";
}

bool is_equal(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

// This code is the example that docs/security.md shows.
TEST(Security, S22_TheExampleOfThePage) {
  Engine engine(no_cache());
  const std::string formula = hungry();
  // [closed]
  graft::Options options;
  options.closed = graft::Closed{.max_registers = 64, .time = 5s, .memory = 2ull << 30};
  const graft::Image image = graft::build(engine, formula, graft::Architecture(90), options);  // create takes it too
  // [/closed]
  EXPECT_LE(image.report().resources.registers, 64);
}

TEST(Security, S22_RegistersAreBounded) {
  Engine engine(no_cache());
  for (const int most : {32, 64}) {
    const Image image = build(engine, hungry(), kArchitecture, closed({.max_registers = most}));
    EXPECT_LE(image.report().resources.registers, most);
    EXPECT_GT(image.report().resources.registers, 16);
  }
  Options lower = closed({.max_registers = 64});
  lower.max_registers = 32;
  EXPECT_LE(build(engine, hungry(), kArchitecture, lower).report().resources.registers, 32);
  lower.max_registers = 16;
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    lower.routes.required = route;
    EXPECT_LE(build(engine, hungry(), kArchitecture, lower).report().resources.registers, 24) << name(route);
  }
  lower.routes.required.reset();
  lower.max_registers = 200;
  EXPECT_LE(build(engine, hungry(), kArchitecture, lower).report().resources.registers, 64);
}

TEST(Security, S22_BoundsHaveAMeaning) {
  const auto refused = [](const Closed& bounds) {
    const Error error = error_of_closed(kFormula, closed(bounds));
    return error.code() == ErrorCode::InvalidArgument ? error.message() : error.what();
  };
  EXPECT_THAT(refused({.max_registers = 23}), HasSubstr("Closed::max_registers is 23"));
  EXPECT_THAT(refused({.max_registers = 256}), HasSubstr("Closed::max_registers is 256"));
  EXPECT_THAT(refused({.time = 0ms}), HasSubstr("Closed::time is 0 ms"));
  EXPECT_THAT(refused({.time = 2h}), HasSubstr("Closed::time"));
  EXPECT_THAT(refused({.memory = 1 << 20}), HasSubstr("Closed::memory is 1048576 bytes"));
}

// The child process must make the same bytes as a build in this process, for every kind of request that a message can
// carry.
TEST(Security, S23_AChildMakesTheSameKernel) {
  Engine engine(no_cache());
  const auto expect_same = [&](const Callback& callback, Options options) {
    const Image in_child = build(engine, callback, kArchitecture, options);
    options.max_registers = options.closed->max_registers;
    options.closed.reset();
    const Image here = build(engine, callback, kArchitecture, options);
    EXPECT_TRUE(is_equal(in_child.bytes(), here.bytes())) << callback.name();
    EXPECT_EQ(in_child.signature(), here.signature());
    EXPECT_EQ(in_child.report().kernel.name, here.report().kernel.name);
    EXPECT_EQ(in_child.report().source, here.report().source);
    EXPECT_EQ(in_child.report().kernel.route, here.report().kernel.route);
  };
  expect_same(kFormula, closed());
  expect_same(Callback("template <class T> __device__ T f(T x) { return x; } __device__ int g(int x) { return x; }")
                  .with_entry("f<float>"),
              closed());
  expect_same(Callback("__device__ float f(float x) { return x; } __device__ int f(int x) { return x; }")
                  .with_signature(Signature::of<int(int)>()),
              closed());
  expect_same(chain(kFormula, Callback::source("[](float x) { return x + 1; }", "two.cu")), closed());
  expect_same(Stages{.load = "__device__ float l(void* p, unsigned long long i, void*, void*) "
                             "{ return static_cast<float*>(p)[i]; }",
                     .op = kFormula},
              closed());
  Options options = closed({.max_registers = 40});
  options.defines = {{"GAIN", "2.5f"}, {"TWICE(x)", "(2 * x)"}};
  options.standard = CppStandard::Cpp20;
  options.floating_point.contraction = false;
  options.line_info = true;
  options.policy.vector_width = 2;
  options.policy.body = Body::Vector;
  options.policy.programmatic_launch = false;
  options.routes.required = Route::Program;
  options.bake(7.0f);
  expect_same("__device__ float f(float x, const float& a) { return TWICE(x) * GAIN + a; }", options);
}

TEST(Security, S23_PacksAreMadeInAChildToo) {
  Engine engine(no_cache());
  const auto pack = precompile(engine, kFormula, {75, 90}, PrecompileFormat::PackWithCubins, closed());
  EXPECT_FALSE(build(engine, Callback::pack(pack), kArchitecture).bytes().empty());
  EXPECT_FALSE(precompile(engine, kFormula, {90}, PrecompileFormat::LtoIr, closed()).empty());
}

TEST(Security, S23_ErrorsOfTheCompilerArriveAsTheyWere) {
  const Error error = error_of_closed("__device__ float f(float x) { return y; }");
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_THAT(error.message(), HasSubstr("callback.cu does not compile: line 1"));
  EXPECT_THAT(error.log(), HasSubstr("\"y\" is undefined"));
  EXPECT_FALSE(error.versions().empty());
}

TEST(Security, S23_TheTimeOfACompileIsBounded) {
  const auto begin = Clock::now();
  const Error error = error_of_closed(kBomb, closed({.time = 1500ms, .memory = 8ull << 30}));
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_THAT(error.message(), HasSubstr("took longer than Closed::time allows, 1500 ms"));
  EXPECT_LT(Clock::now() - begin, 30s);
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
  engine::ClosedQuestion question{.callback = kBomb};
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

// Whether the process does work. A process that was killed and that nobody has reaped yet is a zombie (state Z).
bool runs(const std::string& process) {
  const std::string state = base::read_file("/proc/" + process + "/stat").value_or("");
  return !state.empty() && state.find(") Z") == state.npos;
}

// graft must kill the child process and every process of its group.
TEST(Security, S23_AChildThatHangsIsKilled) {
  const base::TemporaryFolder folder;
  const std::string file = (folder.path() / "started").string();
  const Double hang("sleep 1000 & echo $! $$ >" + file + "; sleep 1000");
  const auto begin = Clock::now();
  const Error error = error_of_closed(kFormula, closed({.time = 500ms}), hang.engine());
  EXPECT_THAT(error.message(), HasSubstr("500 ms"));
  EXPECT_LT(Clock::now() - begin, 30s);
  std::istringstream started(base::read_file(file).value_or(""));
  std::string background, child;
  ASSERT_TRUE(started >> background >> child);
  while (runs(background) && Clock::now() - begin < 30s) std::this_thread::sleep_for(10ms);
  EXPECT_FALSE(runs(background));
  EXPECT_FALSE(runs(child));
}

TEST(Security, S23_TheChildHasNoOtherFilesAndNoInput) {
  const base::TemporaryFolder folder;
  const Double spy("ls -l /proc/self/fd >" + (folder.path() / "files").string() + "; exit 3");
  const int secret = ::open("/etc/hostname", 0);
  error_of_closed(kFormula, closed(), spy.engine());
  ::close(secret);
  const std::string files = base::read_file(folder.path() / "files").value_or("");
  EXPECT_THAT(files, HasSubstr("0 -> /dev/null"));
  EXPECT_THAT(files, HasSubstr("3 -> /memfd:graft question"));
  EXPECT_THAT(files, HasSubstr("4 -> /memfd:graft answer"));
  EXPECT_EQ(files.find("/etc/"), files.npos);
}

// A process that has left the child's group, by setsid, would outlive the child. The spy is NVRTC with code that tries to
// start processes, as a formula that exploits the compiler could.
TEST(Security, S23_TheChildStartsNoProcess) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "LeakSanitizer starts a process, so the child of such a build may start processes";
#endif
  const SpyToolkit spy;
  EngineOptions options = no_cache();
  options.cuda_path = spy.path();
  Engine engine(options);
  const std::string here = spy.escapes_of([&] { build(engine, kFormula, kArchitecture); });
  EXPECT_THAT(here, HasSubstr("fork: started\nclone: started\n")) << "a build in this process may start processes";
  EXPECT_THAT(here, HasSubstr("execve: No such file or directory\nthread: started\n"));
  const std::string in_child = spy.escapes_of([&] { build(engine, kFormula, kArchitecture, closed()); });
  EXPECT_THAT(in_child, HasSubstr("fork: Operation not permitted\nclone: Operation not permitted\n"));
  EXPECT_THAT(in_child, HasSubstr("execve: Operation not permitted\nthread: started\n"));
  EXPECT_THAT(in_child, Not(HasSubstr("k: started")));
}

// Sees whether a file or folder was opened since construction.
class Watch {
 public:
  explicit Watch(const std::vector<std::filesystem::path>& paths)
      : inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    for (const std::filesystem::path& path : paths)
      EXPECT_GE(::inotify_add_watch(inotify_.get(), path.c_str(), IN_OPEN | IN_ACCESS | IN_CREATE), 0) << path;
  }
  bool saw() {
    alignas(inotify_event) char events[4096];
    return ::read(inotify_.get(), events, sizeof events) > 0;
  }

 private:
  base::Descriptor inotify_;
};

// The child gets an environment that names a cache and, in the loader's path, a file with the driver's name.
TEST(Security, S23_TheChildOpensNoCacheAndNoDriver) {
  const base::TemporaryFolder folder;
  const std::filesystem::path cache = folder.path() / "cache", libraries = folder.path() / "libraries";
  std::filesystem::create_directory(libraries);
  ASSERT_TRUE(base::write_file(libraries / "libcuda.so.1", base::as_bytes("no library")));
  const std::string with = "export GRAFT_CACHE= GRAFT_CACHE_DIR=" + cache.string() +
                           " LD_LIBRARY_PATH=" + libraries.string() + ":\"$LD_LIBRARY_PATH\"; exec " GRAFT_PROGRAM;
  const auto run_open = [&] {
    return toolchain::run_process({"/bin/sh", "-c", with + " inspect --arch 90 '" + kFormula + "'"}).output;
  };
  EXPECT_THAT(run_open(), HasSubstr("NVRTC"));  // fills the cache
  Watch cache_watch({cache, cache / store::version_folder()}), driver_watch({libraries / "libcuda.so.1"});
  EXPECT_THAT(run_open(), HasSubstr("from the cache"));
  EXPECT_TRUE(cache_watch.saw()) << "an open build opens the cache";
  EXPECT_TRUE(driver_watch.saw()) << "an open build looks for the driver";

  const Double in_child(with + " \"$@\"");
  Engine engine(in_child.engine());
  EXPECT_FALSE(build(engine, kFormula, kArchitecture, closed()).bytes().empty());
  EXPECT_FALSE(cache_watch.saw());
  EXPECT_FALSE(driver_watch.saw());
}

TEST(Security, S23_AnotherProgramIsRefused) {
  const auto expect = [](const std::string& script, const char* words) {
    const Error error = error_of_closed(kFormula, closed(), Double(script).engine());
    EXPECT_EQ(error.code(), ErrorCode::ToolMissing) << error.what();
    EXPECT_THAT(error.message(), HasSubstr(words));
  };
  expect("exit 2", "is not the program `graft` of this library's build");
  expect("exit 0", "it exited with 0 and left no answer");
  // A record of 7 bytes whose field 1 has one byte. It is the message of a child process that belongs to the build "x".
  expect(R"(printf '\007\000\000\000\001\000\001\000\000\000x' >&4)", "it is of the build x");

  EngineOptions missing = no_cache();
  missing.program = "/nonexistent/graft";
  const Error error = error_of_closed(kFormula, closed(), missing);
  EXPECT_EQ(error.code(), ErrorCode::ToolMissing);
  EXPECT_THAT(error.message(), HasSubstr("EngineOptions::program is /nonexistent/graft"));
}

TEST(Security, S23_TheProgramIsFoundByTheEnvironmentToo) {
  const auto with_variable = [](const char* value) {
    ::setenv("GRAFT_PROGRAM", value, 1);
    const Error error = error_of_closed(kFormula);
    ::unsetenv("GRAFT_PROGRAM");
    return error.message();
  };
  EXPECT_THAT(with_variable("/nonexistent/graft"), HasSubstr("GRAFT_PROGRAM is /nonexistent/graft"));
  EXPECT_THAT(with_variable("graft"), HasSubstr("relative path, which graft ignores"));
}

// Whatever message the child process sends, graft accepts at most a kernel for the requested architecture and its
// limits.
TEST(Security, S23_AnAnswerIsReadAsBytesOfAnybody) {
  const base::TemporaryFolder folder;
  const auto answered = [&](const base::Bytes& answer) {
    const std::filesystem::path file = folder.path() / "answer";
    EXPECT_TRUE(base::write_file(file, answer));
    const Error error = error_of_closed(kFormula, closed(), Double("cat " + file.string() + " >&4").engine());
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
    return error.message();
  };
  Engine engine(no_cache());
  const Image::Data good = *Image::Data::of(build(engine, kFormula, kArchitecture, closed()));
  engine::ClosedAnswer answer{.image = good};
  const base::Bytes whole = engine::write_answer(answer);
  EXPECT_THAT(answered({whole.begin(), whole.end() - 1}), HasSubstr("cannot be read"));
  EXPECT_THAT(answered(base::Bytes(100, std::byte{0x81})), HasSubstr("cannot be read"));

  answer.image->report.kernel.route = Route::Host;
  EXPECT_THAT(answered(engine::write_answer(answer)), HasSubstr("is not a kernel for sm_90"));
  answer.image = good;
  answer.image->report.kernel.architecture = Architecture(80);
  EXPECT_THAT(answered(engine::write_answer(answer)), HasSubstr("is not a kernel for sm_90"));
  answer.image = good;
  answer.image->bytes.assign(500, std::byte{1});
  EXPECT_THAT(answered(engine::write_answer(answer)), HasSubstr("holds no machine code for sm_90"));
  answer.image = good;
  answer.image->report.resources.registers = 200;
  EXPECT_THAT(answered(engine::write_answer(answer)), HasSubstr("a kernel of 200 registers, but 128 are allowed"));
  answer.image = good;
  answer.image->is_from_disk = true;
  EXPECT_THAT(answered(engine::write_answer(answer)), HasSubstr("is a kernel from a cache"));
  answer.image = good;
  Parameter named = good.kernel().signature.parameters().front();
  named.spelling = std::string(100'000, 'a');
  answer.image->report.kernel.signature = Signature(good.kernel().signature.result(), {named});
  EXPECT_THAT(answered(engine::write_answer(answer)), HasSubstr("its types have names of 100005 bytes"));
  EXPECT_THAT(answered(engine::write_answer({.precompiled = base::Bytes(3)})), HasSubstr("holds no kernel"));
}

// The message of precompile when the child answers with these bytes, or "" if it takes them.
std::string message_of_precompile(const base::Bytes& bytes, PrecompileFormat format, Architecture architecture,
                                  int max_registers = 128) {
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "answer";
  EXPECT_TRUE(base::write_file(file, engine::write_answer({.precompiled = bytes})));
  const Double child("cat " + file.string() + " >&4");
  Engine engine(child.engine());
  try {
    EXPECT_EQ(precompile(engine, kFormula, {architecture}, format, closed({.max_registers = max_registers})), bytes);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
    return error.message();
  }
  return "";
}

TEST(Security, S23_WhatPrecompileReturnsIsReadAsBytesOfAnybody) {
  struct Row {
    PrecompileFormat format;
    const char* words;
  };
  Engine engine(no_cache());
  for (const auto& [format, words] :
       {Row{PrecompileFormat::Pack, "holds no pack"}, Row{PrecompileFormat::PackWithCubins, "holds no pack"},
        Row{PrecompileFormat::LtoIr, "holds no LTO-IR for sm_90"}, Row{PrecompileFormat::Fatbin, "holds no fatbin"},
        Row{PrecompileFormat::Ptx, "holds no PTX for sm_90"},
        Row{PrecompileFormat::Cubin, "holds no machine code for sm_90"}}) {
    SCOPED_TRACE(name(format));
    const base::Bytes good = precompile(engine, kFormula, {kArchitecture}, format, closed());
    EXPECT_EQ(message_of_precompile(good, format, kArchitecture), "");
    const auto nonsense = base::as_bytes("XXXXXXX");
    EXPECT_THAT(message_of_precompile({nonsense.begin(), nonsense.end()}, format, kArchitecture), HasSubstr(words));
    EXPECT_THAT(message_of_precompile({}, format, kArchitecture), HasSubstr("the answer of the child process"));
    EXPECT_THAT(message_of_precompile(good, format, Architecture(80)), HasSubstr("sm_"));
  }
  const base::Bytes pack = precompile(engine, kFormula, {kArchitecture}, PrecompileFormat::PackWithCubins, closed());
  EXPECT_THAT(message_of_precompile(pack, PrecompileFormat::PackWithCubins, kArchitecture, 64),
              HasSubstr("kernels have no bound on registers"));
}

// If the request contains a value that a message cannot express, graft must refuse the request. The child must not
// guess the value.
TEST(Security, S23_ValuesThatThereAreNotAreRefused) {
  Options options = closed();
  options.policy.body = static_cast<Body>(2);
  const Error error = error_of_closed(kFormula, options);
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
  EXPECT_THAT(error.message(), HasSubstr("has an unknown value"));
}

TEST(Security, S25_AKernelInACacheIsTakenAfterTheSameChecks) {
  const base::TemporaryFolder folder;
  EngineOptions options;
  options.cache.policy = CachePolicy::ReadWrite;
  options.cache.folder = folder.path() / "cache";
  options.cache.layers.emplace();
  // These requests are built outside the closed mode, with the register limit that the closed mode sets by default.
  Options open;
  open.max_registers = Closed{}.max_registers;
  const std::string text = std::string(kFormula) + " // #";
  for (const std::string& one : {std::string(kFormula), text}) {
    Engine engine(options);
    build(engine, one, kArchitecture, open);
  }
  options.program = "/nonexistent/graft";
  options.cuda_path = "/nonexistent/cuda";
  Engine engine(options);
  EXPECT_TRUE(build(engine, kFormula, kArchitecture, closed()).report().from_cache);
  EXPECT_EQ(engine.counters().disk_hits, 1u);
  EXPECT_THAT(error_of([&] { build(engine, text, kArchitecture, closed()); }).message(),
              HasSubstr("refused in the closed mode"));
  EXPECT_EQ(engine.counters().disk_hits, 1u);
  EXPECT_TRUE(build(engine, text, kArchitecture, open).report().from_cache);
}

TEST(Security, S25_TheKeyOnDiskIsThatOfAnOpenRequest) {
  const Callback callback = kFormula;
  Options open;
  open.max_registers = 128;
  Options in_closed_mode = open;
  in_closed_mode.closed.emplace();
  const auto disk = [&](const Options& options) { return plan::disk_key(callback, kArchitecture, options, {}).text; };
  EXPECT_EQ(disk(in_closed_mode), disk(open));
  // The two requests have different keys in memory. With equal keys they would share one build, and the limits of one
  // request could end the build of the other.
  const auto memory = [&](const Options& options) { return plan::request_key(callback, kArchitecture, options); };
  EXPECT_NE(memory(in_closed_mode), memory(open));
  EXPECT_NE(plan::options_key(in_closed_mode), plan::options_key(open));
  Options longer = in_closed_mode;
  longer.closed->time += 1ms;
  EXPECT_NE(memory(longer), memory(in_closed_mode));
}

TEST(Security, S25_BuildsOfTheClosedModeAreKept) {
  const base::TemporaryFolder folder;
  EngineOptions options;
  options.cache.policy = CachePolicy::ReadWrite;
  options.cache.folder = folder.path() / "cache";
  options.cache.layers.emplace();
  {
    Engine first(options);
    build(first, kFormula, kArchitecture, closed());
  }
  Engine engine(options);
  EXPECT_TRUE(build(engine, kFormula, kArchitecture, closed()).report().from_cache);
  EXPECT_FALSE(build(engine, kFormula, kArchitecture, closed({.max_registers = 32})).report().from_cache);
  build(engine, kFormula, kArchitecture, closed());
  EXPECT_EQ(engine.counters().memory_hits, 1u);
}

TEST(Security, S19_TheProgramHasTheModeToo) {
  const Program graft;
  graft.write("good.cu", kFormula);
  graft.write("bad.cu", std::string("#include \"/etc/passwd\"\n") + kFormula);
  graft.write("in.npy", npy("'<f4'", "(1,)", raw<float>({1})));
  EXPECT_EQ(graft.run("inspect good.cu --arch 90 --closed").exit_code, 0);
  for (const std::string command :
       {"inspect bad.cu --arch 90 --closed", "inspect good.cu --route host --closed",
        "inspect good.cu --arch 90 -I . --closed", "precompile bad.cu --arch 90 -o bad.graft --closed",
        "apply good.cu --route host --closed -i in.npy -o out.npy"}) {
    const Result result = graft.run(command);
    EXPECT_EQ(result.exit_code, 1) << command;
    EXPECT_THAT(result.err, HasSubstr("closed mode")) << command;
  }
  graft.write("list", "good.cu --arch 90 --closed\n");
  EXPECT_EQ(graft.run("warm list").exit_code, 0);
  EXPECT_THAT(graft.run("cache explain good.cu --arch 90 --closed").out, HasSubstr("is the kernel of this request"));
}

}  // namespace
}  // namespace graft::test
