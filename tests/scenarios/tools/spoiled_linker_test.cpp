// A part of the process links with -O0, and nvJitLink then makes other code for the whole process. graft finds that
// out, says so, and stores no such kernel. A copy of nvJitLink of graft's own is not affected.
//
// NVRTC does the same after a compile with -G. graft then makes its kernels by NVRTC and nvJitLink.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "graft/graft.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/partial_toolkit.hpp"
#include "support/routes.hpp"
#include "toolchain/nvjitlink.hpp"
#include "toolchain/nvrtc.hpp"

namespace graft::test {
namespace {
namespace fs = std::filesystem;

constexpr const char* kRelu = "__device__ float relu(float x) { return x > 0 ? x : 0; }";
constexpr const char* kTwice = "__device__ float twice(float x) { return 2 * x; }";
constexpr const char* kThird = "__device__ float third(float x) { return x / 3; }";

// A toolkit, and the folder in which the embedded LTO-IR for its linker is.
struct OneLinker {
  const char* name;
  fs::path nvrtc;
  fs::path nvjitlink;
  const char* blocks;
};

std::vector<OneLinker> linkers() {
  const fs::path other = GRAFT_OTHER_TOOLKITS;
  const auto installations = toolchain::find_installations({}, toolchain::real_world());
  const toolchain::Installation own = *toolchain::choose_installation(installations, 0);
  std::vector<OneLinker> all = {{"own", own.nvrtc, own.nvjitlink, ""}};
  for (const OneLinker& one : {OneLinker{"12.4", "cuda12.4/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
                                         "cuda12.4/nvidia/nvjitlink/lib/libnvJitLink.so.12", "older/"},
                               OneLinker{"12.9", "cuda12/nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
                                         "cuda12/nvidia/nvjitlink/lib/libnvJitLink.so.12", "older/"},
                               OneLinker{"newest 13", "cuda13/nvidia/cu13/lib/libnvrtc.so.13",
                                         "cuda13/nvidia/cu13/lib/libnvJitLink.so.13", ""}})
    if (fs::exists(other / one.nvjitlink))
      all.push_back({one.name, other / one.nvrtc, other / one.nvjitlink, one.blocks});
  return all;
}

// What another part of the process does: it links something, without graft.
void link_without_optimising(const OneLinker& one, const std::string& option, Architecture architecture) {
  std::string why;
  const auto linker = toolchain::NvJitLink::open(one.nvjitlink, why);
  if (!linker) throw std::runtime_error(why);
  const std::string_view code = base::embedded_file(one.blocks + std::string("canary.ltoir"));
  if (code.empty()) throw std::runtime_error("no LTO-IR for this linker");
  const toolchain::LinkResult result = linker->link({{{toolchain::LinkInputKind::LtoIr, base::as_bytes(code), "other"}},
                                                     {"-arch=" + architecture.sm(), "-lto", option},
                                                     toolchain::LinkOutput::Cubin});
  if (!result.ok) throw std::runtime_error(result.failure + result.error_log);
}

bool says_that_it_is_slow(const Report& report) {
  return std::ranges::any_of(report.notes, [](const std::string& note) {
    return note.find("no longer optimises fully") != note.npos && note.find("-O0") != note.npos;
  });
}

// By default, NVRTC alone makes the kernel of a source.
Image linked(Engine& engine, const Callback& callback, Architecture architecture) {
  return build(engine, callback, architecture, by(Route::Lto));
}

// A cache, and engines that use it with one linker.
class Machine {
 public:
  explicit Machine(const OneLinker& one) : toolkit_(one.nvrtc, one.nvjitlink) {}

  EngineOptions options(Log log = {}) const {
    EngineOptions options;
    options.cuda_path = toolkit_.path();
    options.cache.policy = CachePolicy::ReadWrite;
    options.cache.folder = cache_.path();
    options.cache.layers.emplace();
    options.log = std::move(log);
    return options;
  }

  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(fs::recursive_directory_iterator(cache_.path()),
                              [](const fs::directory_entry& one) { return one.is_regular_file() && is_kernel(one); }));
  }

 private:
  // Also counts a kernel under a temporary name.
  static bool is_kernel(const fs::directory_entry& one) {
    return one.path().extension() == ".entry" || one.path().extension() == ".tmp";
  }

  PartialToolkit toolkit_;
  base::TemporaryFolder cache_;
};

// Runs the body for every linker, for both back ends of nvJitLink, each in a process of its own.
template <class Body>
void for_each_linker(Body body) {
  for (const OneLinker& one : linkers())
    for (const Architecture architecture : {Architecture(75), Architecture(90), Architecture(100)}) {
      if (std::string_view(one.name) == "12.4" && architecture > Architecture(90)) continue;
      SCOPED_TRACE(testing::Message() << one.name << ' ' << architecture.sm());
      EXPECT_EQ(in_own_process([&]() -> std::string { return body(one, architecture); }), "");
    }
}

TEST(SpoiledLinker, AnOrdinaryKernelIsStoredWithoutANote) {
  for_each_linker([](const OneLinker& one, Architecture architecture) -> std::string {
    const Machine machine(one);
    {
      Engine engine(machine.options());
      const Report report = linked(engine, kRelu, architecture).report();
      if (says_that_it_is_slow(report)) return report.to_text();
    }
    return machine.entries() == 1 ? "" : fmt::format("{} entries", machine.entries());
  });
}

TEST(SpoiledLinker, AKernelOfALinkerThatWasSpoiledBeforeIsNotStoredAndTheReportSaysWhy) {
  for (const std::string option : {"-O0", "-Xnvvm=-opt=0"})
    for_each_linker([&](const OneLinker& one, Architecture architecture) -> std::string {
      const Machine machine(one);
      link_without_optimising(one, option, architecture);
      {
        Engine engine(machine.options());
        const Report report = linked(engine, kRelu, architecture).report();
        if (!says_that_it_is_slow(report)) return report.to_text();
      }
      return machine.entries() == 0 ? "" : fmt::format("{} entries", machine.entries());
    });
}

TEST(SpoiledLinker, AKernelOfALinkerThatIsSpoiledLaterIsNotStored) {
  for_each_linker([](const OneLinker& one, Architecture architecture) -> std::string {
    const Machine machine(one);
    std::mutex mutex;
    std::vector<std::string> told;
    {
      Engine engine(machine.options([&](const LogEvent& event) {
        const std::lock_guard lock(mutex);
        if (event.kind == LogKind::CacheProblem) told.emplace_back(event.text);
      }));
      linked(engine, kRelu, architecture);
      if (engine.counters().bytes_written == 0) return "the first kernel was not stored";
      link_without_optimising(one, "-O0", architecture);
      linked(engine, kTwice, architecture);
      engine.counters();  // waits for the kernel to be examined
      if (!says_that_it_is_slow(linked(engine, kThird, architecture).report())) return "the third report says nothing";
    }
    if (told.size() != 2 || told[0].find("-O0") == std::string::npos) return fmt::format("{} problems", told.size());
    return machine.entries() == 1 ? "" : fmt::format("{} entries", machine.entries());
  });
}

// Without the copy, the kernels differ: otherwise this test would prove nothing.
TEST(SpoiledLinker, ACopyOfTheLinkerForGraftAloneMakesTheSameKernelsAsEver) {
  for_each_linker([](const OneLinker& one, Architecture architecture) -> std::string {
    const Machine machine(one);
    const auto bytes = [&]() -> std::vector<std::byte> {
      EngineOptions options = machine.options();
      options.cache.policy = CachePolicy::Off;
      Engine engine(options);
      const Image image = linked(engine, kRelu, architecture);
      return {image.bytes().begin(), image.bytes().end()};
    };
    const std::vector<std::byte> clean = bytes();
    link_without_optimising(one, "-O0", architecture);
    if (bytes() == clean) return "the linker is not spoiled";
    ::setenv("GRAFT_PRIVATE_LINKER", "1", 1);
    if (bytes() != clean) return "the copy makes another kernel";
    {
      Engine engine(machine.options());
      if (says_that_it_is_slow(linked(engine, kRelu, architecture).report())) return "a note";
    }
    return machine.entries() == 1 ? "" : fmt::format("{} entries", machine.entries());
  });
}

TEST(SpoiledLinker, NoPackGetsAKernelOfASpoiledLinker) {
  const std::string failure = in_own_process([]() -> std::string {
    const OneLinker one = linkers().front();
    const Machine machine(one);
    link_without_optimising(one, "-O0", 90);
    Engine engine(machine.options());
    if (precompile(engine, kRelu, {90}, PrecompileFormat::Pack).empty()) return "no pack";
    try {
      precompile(engine, kRelu, {90}, PrecompileFormat::PackWithCubins, by(Route::Lto));
    } catch (const Error& error) {
      const bool is_right =
          error.code() == ErrorCode::LinkFailed &&
          error.message().find("is not put into a pack: nvJitLink no longer optimises") != std::string::npos &&
          error.remedy().find("GRAFT_PRIVATE_LINKER") != std::string::npos;
      return is_right ? "" : error.what();
    }
    return "a pack with a spoiled kernel";
  });
  EXPECT_EQ(failure, "");
}

TEST(SpoiledLinker, AKernelFromAPackIsExaminedToo) {
  const std::string failure = in_own_process([]() -> std::string {
    const OneLinker one = linkers().front();
    const Machine machine(one);
    const Callback pack = Callback::pack(Callback(kRelu).precompile({75}));
    link_without_optimising(one, "-O0", 90);
    {
      Engine engine(machine.options());
      const Report report = build(engine, pack, Architecture(90)).report();
      if (report.kernel.route != Route::Lto || !says_that_it_is_slow(report)) return report.to_text();
    }
    return machine.entries() == 0 ? "" : "stored";
  });
  EXPECT_EQ(failure, "");
}

// ---- NVRTC ----

void compile_without_optimising(const OneLinker& one, const std::string& option, Architecture architecture) {
  std::string why;
  const auto compiler = toolchain::Nvrtc::open(one.nvrtc, why);
  if (!compiler) throw std::runtime_error(why);
  const toolchain::NvrtcResult result = compiler->compile({.source = "__global__ void other(float* x) { *x *= 2; }",
                                                           .name = "other.cu",
                                                           .headers = {},
                                                           .options = {"-arch=" + architecture.sm(), option},
                                                           .name_expressions = {},
                                                           .output = toolchain::NvrtcOutput::Cubin});
  if (!result.ok) throw std::runtime_error(result.log);
}

bool says_that_the_compiler_is_slow(const Report& report) {
  return std::ranges::any_of(report.notes,
                             [](const std::string& note) { return note.find("NVRTC no longer") != note.npos; });
}

TEST(SpoiledCompiler, AnOrdinaryKernelIsMadeByTheCompilerAlone) {
  for_each_linker([](const OneLinker& one, Architecture architecture) -> std::string {
    const Machine machine(one);
    {
      Engine engine(machine.options());
      const Report report = build(engine, kRelu, architecture).report();
      if (report.kernel.route != Route::Program || !report.notes.empty()) return report.to_text();
    }
    return machine.entries() == 1 ? "" : fmt::format("{} entries", machine.entries());
  });
}

TEST(SpoiledCompiler, KernelsAreLinkedInstead) {
  for_each_linker([](const OneLinker& one, Architecture architecture) -> std::string {
    const Machine machine(one);
    compile_without_optimising(one, "-G", architecture);
    {
      Engine engine(machine.options());
      const Report first = build(engine, kRelu, architecture).report();
      if (first.kernel.route != Route::Lto || !says_that_the_compiler_is_slow(first)) return first.to_text();
      const Report second = build(engine, kTwice, architecture).report();
      if (second.kernel.route != Route::Lto || !second.notes.empty()) return second.to_text();
      const auto compiles = std::ranges::count(second.steps, "compile", &Report::Step::name);
      if (compiles != 1) return fmt::format("{} compiles", compiles);
    }
    return machine.entries() == 2 ? "" : fmt::format("{} entries", machine.entries());
  });
}

TEST(SpoiledCompiler, AKernelOfItIsNotStoredAndTheReportSaysWhy) {
  for_each_linker([](const OneLinker& one, Architecture architecture) -> std::string {
    const Machine machine(one);
    compile_without_optimising(one, "-G", architecture);
    {
      Engine engine(machine.options());
      const Report report = build(engine, kRelu, architecture, by(Route::Program)).report();
      if (report.kernel.route != Route::Program || !says_that_the_compiler_is_slow(report)) return report.to_text();
    }
    return machine.entries() == 0 ? "" : fmt::format("{} entries", machine.entries());
  });
}

}  // namespace
}  // namespace graft::test
