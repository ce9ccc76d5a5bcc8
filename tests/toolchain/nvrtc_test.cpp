// Tests compiles with NVRTC: outputs, options, errors, and libraries that cannot be used.
#include "toolchain/nvrtc.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "toolchain/fixtures.hpp"

namespace graft::toolchain {
namespace {
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

NvrtcProgram program(std::string source, NvrtcOutput output, std::vector<std::string> options) {
  NvrtcProgram made;
  made.source = std::move(source);
  made.name = "callback.cu";
  made.options = std::move(options);
  made.output = output;
  return made;
}

constexpr const char* kKernel = R"(extern "C" __global__ void k(float* p) { p[threadIdx.x] *= 2.0f; })";

TEST(Nvrtc, TellsVersionPathAndArchitectures) {
  EXPECT_GE(real_nvrtc().version().major, 12);
  EXPECT_TRUE(std::filesystem::exists(real_nvrtc().path()));
  EXPECT_THAT(real_nvrtc().architectures(), AllOf(Contains(75), Contains(90)));
}

TEST(Nvrtc, CompilesToLtoIr) {
  const NvrtcResult result = real_nvrtc().compile(program(kKernel, NvrtcOutput::LtoIr, {"-arch=compute_90", "-dlto"}));
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_GT(result.code.size(), 100u);
  EXPECT_EQ(result.log, "");
}

TEST(Nvrtc, CompilesToPtxWithoutATerminatingZero) {
  const NvrtcResult result = real_nvrtc().compile(program(kKernel, NvrtcOutput::Ptx, {"-arch=compute_90"}));
  ASSERT_TRUE(result.ok) << result.log;
  const std::string_view ptx = base::as_text(result.code);
  EXPECT_THAT(ptx, AllOf(HasSubstr(".target sm_90"), HasSubstr(".entry k(")));
  EXPECT_EQ(ptx.find('\0'), ptx.npos);
}

TEST(Nvrtc, CompilesToACubin) {
  const NvrtcResult result = real_nvrtc().compile(program(kKernel, NvrtcOutput::Cubin, {"-arch=sm_90"}));
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_EQ(base::as_text(result.code).substr(1, 3), "ELF");
}

TEST(Nvrtc, AFailureHasALogAndNothingElse) {
  NvrtcProgram broken = program("int ok;\n__device__ int f() { return tyop; }", NvrtcOutput::Ptx, {"-arch=compute_90"});
  broken.name_expressions = {"ok"};
  const NvrtcResult result = real_nvrtc().compile(broken);
  EXPECT_FALSE(result.ok);
  EXPECT_TRUE(result.code.empty());
  EXPECT_TRUE(result.lowered_names.empty());
  EXPECT_THAT(result.log, AllOf(HasSubstr("callback.cu(2)"), HasSubstr("tyop")));
  EXPECT_EQ(result.log.find('\0'), std::string::npos);
}

TEST(Nvrtc, WarningsAreKeptWhenItSucceeds) {
  const NvrtcResult result = real_nvrtc().compile(
      program("__device__ int f() { int unused; return 1; }", NvrtcOutput::Ptx, {"-arch=compute_90"}));
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_THAT(result.log, AllOf(HasSubstr("warning"), HasSubstr("unused")));
}

TEST(Nvrtc, AnUnknownOptionIsNamed) {
  const NvrtcResult result = real_nvrtc().compile(program(kKernel, NvrtcOutput::Ptx, {"-no-such-option"}));
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.log, AllOf(HasSubstr("no-such-option"), HasSubstr("NVRTC_ERROR_INVALID_OPTION")));
}

TEST(Nvrtc, CodeThatTheOptionsDoNotMakeIsAnError) {
  for (const NvrtcOutput output : {NvrtcOutput::Cubin, NvrtcOutput::LtoIr}) {
    const NvrtcResult result = real_nvrtc().compile(program(kKernel, output, {"-arch=compute_90"}));
    EXPECT_FALSE(result.ok);
    EXPECT_TRUE(result.code.empty());
    EXPECT_THAT(result.log, HasSubstr("nvrtcGet"));
  }
}

TEST(Nvrtc, LoweredNamesComeInTheOrderAsked) {
  NvrtcProgram named = program("namespace n { template <class T> __global__ void k(T*) {} } __constant__ int c;",
                               NvrtcOutput::Ptx, {"-arch=compute_90"});
  named.name_expressions = {"n::k<float>", "&c", "n::k<int>"};
  const NvrtcResult result = real_nvrtc().compile(named);
  ASSERT_TRUE(result.ok) << result.log;
  EXPECT_THAT(result.lowered_names, ElementsAre("_ZN1n1kIfEEvPT_", "c", "_ZN1n1kIiEEvPT_"));
}

TEST(Nvrtc, HeadersAreFoundInMemory) {
  NvrtcProgram including =
      program("#include <a/seven.h>\n__device__ int f() { return SEVEN; }", NvrtcOutput::Ptx, {"-arch=compute_90"});
  // The header's name is a part of this text, so no zero byte follows the name. NVRTC takes C strings, so graft must
  // pass a copy of the name that ends with a zero byte.
  const std::string names = "a/seven.h, and more";
  including.headers = {{std::string_view(names).substr(0, 9), "#define SEVEN 7"}};
  const NvrtcResult result = real_nvrtc().compile(including);
  EXPECT_TRUE(result.ok) << result.log;
}

TEST(Nvrtc, ItsCacheIsOffWhereItHasOne) {
  using Options = std::vector<std::string>;
  const std::vector<std::pair<Version, Options>> rows = {
      {{12, 0}, {"-arch=sm_90", "-ftz=true"}},
      {{12, 8}, {"-arch=sm_90", "-ftz=true"}},
      {{12, 9}, {"-arch=sm_90", "-ftz=true", "-no-cache"}},
      {{12, 10}, {"-arch=sm_90", "-ftz=true", "-no-cache"}},
      {{13, 0}, {"-arch=sm_90", "-ftz=true", "-no-cache"}},
      {{14, 2}, {"-arch=sm_90", "-ftz=true", "-no-cache"}},
  };
  for (const auto& [version, options] : rows)
    EXPECT_EQ(nvrtc_options({"-arch=sm_90", "-ftz=true"}, version), options) << version.text();
  EXPECT_EQ(nvrtc_options({}, {11, 8}), Options());
}

TEST(Nvrtc, AnUnusableLibraryIsAReason) {
  std::string why;
  EXPECT_FALSE(Nvrtc::open("/no/such/libnvrtc.so.13", why));
  EXPECT_THAT(why, HasSubstr("/no/such/libnvrtc.so.13"));

  const base::TemporaryFolder folder;
  make_library(folder.path() / "libnvrtc.so.13", "int nothing;");
  EXPECT_FALSE(Nvrtc::open(folder.path() / "libnvrtc.so.13", why));
  EXPECT_EQ(why, (folder.path() / "libnvrtc.so.13").string() + " has no function nvrtcVersion");
}

// Returns the source of a library of this version that exports NVRTC's functions.
std::string fake_nvrtc(const std::string& major = "99", const std::string& minor = "7") {
  std::string source = R"(extern "C" int nvrtcVersion(int* major, int* minor) { *major = )" + major +
                       "; *minor = " + minor + "; return 0; }";
  for (const char* name :
       {"GetErrorString", "GetNumSupportedArchs", "GetSupportedArchs", "CreateProgram", "DestroyProgram",
        "AddNameExpression", "GetLoweredName", "CompileProgram", "GetProgramLogSize", "GetProgramLog", "GetLTOIRSize",
        "GetLTOIR", "GetPTXSize", "GetPTX", "GetCUBINSize", "GetCUBIN"})
    source += std::string("\nextern \"C\" int nvrtc") + name + "() { return 1; }";
  return source;
}

TEST(Nvrtc, AVersionThatGraftCannotUseIsRefused) {
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "libnvrtc.so.12";
  make_library(file, fake_nvrtc("12", "3"));
  std::string why;
  EXPECT_FALSE(Nvrtc::open(file, why));
  EXPECT_EQ(why, file.string() + " is NVRTC 12.3, and graft needs NVRTC 12.4 or newer");
}

TEST(Nvrtc, MissingBuiltinsAreSaidWhenItIsOpened) {
  const base::TemporaryFolder folder;
  make_library(folder.path() / "libnvrtc.so.13", fake_nvrtc());
  std::string why;
  EXPECT_FALSE(Nvrtc::open(folder.path() / "libnvrtc.so.13", why));
  EXPECT_THAT(why,
              AllOf(HasSubstr("cannot be used without its builtins library"), HasSubstr("libnvrtc-builtins.so.99.7")));

  make_library(folder.path() / "libnvrtc-builtins.so.99.7", "int nothing;");
  const auto nvrtc = Nvrtc::open(folder.path() / "libnvrtc.so.13", why);
  ASSERT_TRUE(nvrtc) << why;
  EXPECT_EQ(nvrtc->version().text(), "99.7");
  EXPECT_EQ(why, "");
}

TEST(Nvrtc, ThreadsCompileSideBySide) {
  std::vector<NvrtcResult> results(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < results.size(); ++i)
    threads.emplace_back([&, i] {
      const std::string source = "extern \"C\" __device__ int f" + std::to_string(i) + "() { return 1; }";
      for (int round = 0; round < 5; ++round)
        results[i] = real_nvrtc().compile(program(source, NvrtcOutput::Ptx, {"-arch=compute_90", "-rdc=true"}));
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(results[i].ok) << results[i].log;
    EXPECT_THAT(base::as_text(results[i].code), HasSubstr(" f" + std::to_string(i) + "("));
  }
}

}  // namespace
}  // namespace graft::toolchain
