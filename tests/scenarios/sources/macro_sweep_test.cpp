// Tests that no macro of the user's meets a word of graft's. In version 0.1, #define lines in a text changed graft's
// own code behind the text: `#define inputs 3` broke the adapter of a struct, `#define x 3` the program route.
//
// The tests define, all at once, some 400 everyday names and every identifier of graft's own device code and generated
// programs. They find the identifiers themselves, so a new one is part of the sweep. If a build fails, a search by
// halving finds the names that are guilty.
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "scenarios/sources/macro_names.hpp"
#include "support/compile.hpp"
#include "support/rotation.hpp"
#include "support/routes.hpp"
#include "support/sweep.hpp"
#include "toolchain/host_compiler.hpp"

namespace graft::test {
namespace {

// The values of the macros: a number, nothing, and tokens that are no C++ wherever they stand.
constexpr const char* kValues[] = {"3", "", ") @ ] 0x;"};

struct SweptText {
  const char* text;
  const char* entry = "zzf";
};

// Callbacks of every kind of signature. Each macro is defined behind the text, so the text may use any name.
constexpr SweptText kTexts[] = {
    {"__device__ float zzf(float x) { return x > 0 ? x : 0; }"},
    {"__device__ float zzf(float x, unsigned char w, const double& t) { return t * x + w; }"},
    {"struct P { float a; char b; };\n__device__ P zzf(P p, float& w, const P& t) { w = t.a; return p; }"},
    {"struct V { double a[4]; };\n__device__ double zzf(V v, graft::Index i) { return v.a[i % 4]; }"},
    {"__device__ double zzf(__half x, __nv_bfloat16 y) { return __half2float(x) + __bfloat162float(y); }"},
    {"__device__ half2 zzf(half2 x, float3 y) { return x; }"},
    {"__device__ void zzf(float2 x, double2& y, bool& z, long long& w) { y = {}; z = true; w = 4; }"},
    {"__device__ bool zzf(float2 x, float2 y) { return x.x < y.y; }"},
    {"__device__ graft::complex<float> zzf(graft::complex<float> z) { return z * z; }"},
    {"enum class E : short { a, b };\n__device__ E zzf(E e, signed char x) { return x ? e : E::a; }"},
    {"__device__ float zzf(float a, float b, float c, float d, float e, float f, float g, float h) { return a + h; }"},
    {"struct S { int n; __device__ float operator()(float x, graft::Index i) const { return n * x + i; } };", "S{4}"},
    {"namespace m { template <class T> __device__ T zzf(T x) { return x + T(1); } }", "m::zzf<double>"},
    {"__device__ float zzf(float x) { return x; }\n__device__ float max(float x) { return x; }", "max"},
    {"__device__ graft::Bit zzf(float x, graft::Bit b, float& y) { y = x; return b && x > 0; }"},
    {"__device__ graft::Store zzf(float x, graft::InOut<graft::Bit> b, float& y) { y = x; return graft::Store(b); }"},
    {"__device__ graft::Store zzf(graft::InOut<short> x, double3 y, double3& z) { z = y; return graft::Store(x > 0); "
     "}"},
};

// Defines the names behind the text, except those of the entry: graft's code has to name the callback.
Callback callback_of(const SweptText& swept, const std::vector<std::string>& names, const std::string& value) {
  const std::vector<std::string> own = words_in(swept.entry);
  std::string text = std::string(swept.text) + '\n';
  for (const std::string& name : names)
    if (std::ranges::find(own, name) == own.end()) text += "#define " + name + " " + value + "\n";
  return Callback(text).with_entry(swept.entry);
}

// Returns programs that graft writes for the callbacks above.
std::vector<std::string> generated_programs() {
  std::vector<std::string> programs;
  for (const Route route : kAllRoutes)
    for (std::size_t i = static_cast<std::size_t>(route); i < std::size(kTexts); i += 5)
      programs.push_back(build(callback_of(kTexts[i], {}, ""), Architecture(90), by(route)).report().source);
  return programs;
}

const std::vector<std::string>& names() {
  static const std::vector<std::string> all = sweep_names(generated_programs());
  return all;
}

std::string why_not(const Callback& callback, const Options& options) {
  try {
    build(callback, Architecture(90), options);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

// Expects that `why`, the reason why a build with these macros fails, is empty. If not, searches for the guilty names.
template <class Why>
void expect_built(const std::vector<std::string>& macros, Why why) {
  const std::string failure = why(macros);
  if (failure.empty()) return;
  const auto fails = [&](const std::vector<std::string>& some) { return !why(some).empty(); };
  const std::vector<std::string> guilty = guilty_names(macros, fails);
  ADD_FAILURE() << fmt::format("macros that meet graft's code: {}\n{}", fmt::join(guilty, ", "),
                               guilty.empty() ? failure : why({guilty.front()}));
}

class MacroSweep : public testing::TestWithParam<Route> {};

TEST_P(MacroSweep, MacrosBehindTheTextMeetNoWordOfGraft) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  for (std::size_t value = 0; value < std::size(kValues); ++value)
    for (std::size_t i = 0; i < std::size(kTexts); ++i) {
      if (!is_turn_of(static_cast<std::size_t>(GetParam()) % 3, i, 3)) continue;
      if (value > 0 && i % 5 != (value + static_cast<std::size_t>(GetParam())) % 5) continue;
      SCOPED_TRACE(testing::Message() << "value '" << kValues[value] << "', " << rotation_text() << ": "
                                      << kTexts[i].text);
      expect_built(names(), [&](const std::vector<std::string>& macros) {
        return why_not(callback_of(kTexts[i], macros, kValues[value]), by(GetParam()));
      });
    }
}

// The same for Options::defines, which come before the text: without the words that the text itself uses.
TEST_P(MacroSweep, DefinesMeetNoWordOfGraft) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  for (std::size_t i = 0; i < std::size(kTexts); ++i) {
    if (!is_turn_of(static_cast<std::size_t>(GetParam()), i, 6)) continue;
    SCOPED_TRACE(kTexts[i].text);
    const std::vector<std::string> own = words_in(kTexts[i].text);
    expect_built(names(), [&](const std::vector<std::string>& macros) {
      Options options = by(GetParam());
      for (const std::string& macro : macros)
        if (std::ranges::find(own, macro) == own.end()) options.defines.push_back({macro, kValues[2]});
      return why_not(callback_of(kTexts[i], {}, ""), options);
    });
  }
}

TEST_P(MacroSweep, MacrosOfOnePartOfAChainMeetNoWordOfGraft) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  expect_built(names(), [&](const std::vector<std::string>& macros) {
    const Callback scale = callback_of(kTexts[1], macros, kValues[2]);
    return why_not(chain(scale, callback_of(kTexts[0], macros, "3"), kTexts[0].text), by(GetParam()));
  });
}

INSTANTIATE_TEST_SUITE_P(Routes, MacroSweep, testing::ValuesIn(kAllRoutes),
                         [](const auto& route) { return std::string(name(route.param)); });

TEST(MacroSweepNames, TheSweepHasTheNamesOfGraftAndOfUsers) {
  const std::set<std::string> everyday(everyday_names().begin(), everyday_names().end());
  EXPECT_GE(everyday.size(), 300u);
  const std::set<std::string> all(names().begin(), names().end());
  for (const char* name : {
           "N", "EPS", "likely",        // everyday names
           "input_sizes", "run",        // of adapter.h and compose.h
           "load_shifted", "state_at",  // of tile.cu and adapter.h
           "store_one"                  // of bits.h
       })
    EXPECT_TRUE(all.contains(name)) << name;
}

// ---- headers that the text includes behind the macros ----

std::vector<std::string> standard_headers() {
  std::vector<std::string> headers;
  for (const auto& entry : std::filesystem::directory_iterator(GRAFT_SOURCE_DIR "/building_blocks/std"))
    headers.push_back(entry.path().filename().string());
  std::ranges::sort(headers);
  return headers;
}

// The names of the standard library, which no program may define in front of its headers.
std::set<std::string> names_of_the_standard_headers() {
  std::set<std::string> words;
  for (const std::string& header : standard_headers()) {
    const auto text = base::read_file(GRAFT_SOURCE_DIR "/building_blocks/std/" + header);
    for (const std::string& word : words_in(text.value())) words.insert(word);
  }
  return words;
}

// graft's standard headers use no names but those of the standard and names that begin with graft_. So macros in front
// of an #include meet them only where they would meet every standard library.
TEST(MacroSweepNames, TheStandardHeadersAcceptEveryOtherMacro) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  const std::set<std::string> standard = names_of_the_standard_headers();
  const std::vector<std::string> own = words_in(kTexts[0].text);
  std::string text;
  for (const std::string& header : standard_headers()) text += "#include <" + header + ">\n";
  text += kTexts[0].text;
  for (const Route route : {Route::Lto, Route::Program})
    expect_built(names(), [&](const std::vector<std::string>& macros) {
      Options options = by(route);
      for (const std::string& macro : macros)
        if (!standard.contains(macro) && std::ranges::find(own, macro) == own.end())
          options.defines.push_back({macro, kValues[2]});
      return why_not(text, options);
    });
}

TEST(MacroSweepNames, TheStandardHeadersHaveOnlyNamesOfTheStandard) {
  std::string why;
  const auto compiler = toolchain::HostCompiler::find({}, why);
  ASSERT_NE(compiler, nullptr) << why;
  std::string source;
  for (const std::string& header : standard_headers()) source += "#include <" + header + ">\n";
  const std::string cuda = "-I" + toolbox().toolkit().include_folder().string();  // for <cufft.h> and its kind
  const toolchain::HostCompilation preprocessed = compiler->compile({source, {}, {"-E", "-dD", "-std=c++20", cuda}});
  ASSERT_TRUE(preprocessed.ok) << preprocessed.log;
  const std::vector<std::string> words = words_in(base::as_text(preprocessed.object));
  const std::set<std::string> of_compiler(words.begin(), words.end());
  // Words of the preprocessor, the suffixes of numbers, the parameter of the macro assert, which no other macro
  // changes, and CUDA's functions that the standard headers call.
  const std::set<std::string> allowed = {"NDEBUG", "defined", "once", "LL", "ULL", "condition", "norm3d", "norm3df"};
  for (const std::string& word : names_of_the_standard_headers()) {
    if (word.starts_with("graft") || word.starts_with("GRAFT") || word.find("__") != std::string::npos) continue;
    EXPECT_TRUE(of_compiler.contains(word) || allowed.contains(word)) << word;
  }
}

// ---- names that cannot be macros in any program ----

TEST(MacroSweepNames, ReservedNamesBreakProgramsWithoutGraft) {
  const compile::OpenTools tools = compile::open_tools({}, toolbox());
  std::string why;
  const auto compiler = toolchain::HostCompiler::find({}, why);
  ASSERT_NE(compiler, nullptr) << why;
  const auto nvrtc_accepts = [&](const std::string& define) {
    toolchain::NvrtcProgram program;
    program.source = define +
                     "__constant__ int c;\n__device__ int d;\n__host__ __device__ int f() { return d; }\n"
                     "extern \"C\" __global__ void k() { d = f() + c; }\n";
    program.name = "plain.cu";
    program.options = {"--gpu-architecture=compute_75"};
    program.output = toolchain::NvrtcOutput::Ptx;
    return tools.nvrtc->compile(program).ok;
  };
  const auto compiler_accepts = [&](const std::string& define) {
    return compiler->compile({define + "#include <cmath>\nfloat f(float x) { return std::sin(x); }\n", {}, {}}).ok;
  };
  ASSERT_TRUE(nvrtc_accepts("") && compiler_accepts(""));
  for (const std::string& name : reserved_names()) {
    const std::string define = "#define " + name + " 3\n";
    EXPECT_FALSE(nvrtc_accepts(define) && compiler_accepts(define)) << name;
  }
}

}  // namespace
}  // namespace graft::test
