// Tests links with nvJitLink: outputs, options, errors, and libraries that cannot be used.
#include "toolchain/nvjitlink.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "toolchain/fixtures.hpp"

namespace graft::toolchain {
namespace {
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

base::Bytes compile(const std::string& source, NvrtcOutput output) {
  NvrtcProgram program;
  program.source = source;
  program.output = output;
  program.options = {"-arch=compute_90", output == NvrtcOutput::LtoIr ? "-dlto" : "-rdc=true"};
  const NvrtcResult result = real_nvrtc().compile(program);
  EXPECT_TRUE(result.ok) << result.log;
  return result.code;
}

constexpr const char* kCaller =
    R"(extern "C" __device__ float f(float); extern "C" __global__ void k(float* p) { *p = f(*p); })";
constexpr const char* kCallee = R"(extern "C" __device__ float f(float x) { return x * 3.0f; })";

struct Pair {
  explicit Pair(NvrtcOutput output)
      : kind(output == NvrtcOutput::LtoIr ? LinkInputKind::LtoIr : LinkInputKind::Ptx),
        caller(compile(kCaller, output)),
        callee(compile(kCallee, output)) {}
  std::vector<LinkInput> inputs() const { return {{kind, caller, "caller"}, {kind, callee, "callee"}}; }
  LinkInputKind kind;
  base::Bytes caller;
  base::Bytes callee;
};

const std::vector<std::string> kLto = {"-arch=sm_90", "-lto"};

TEST(NvJitLink, TellsVersionAndPath) {
  EXPECT_GE(real_nvjitlink().version().major, 12);
  EXPECT_TRUE(std::filesystem::exists(real_nvjitlink().path()));
}

TEST(NvJitLink, LinksLtoIrToACubin) {
  const Pair pair(NvrtcOutput::LtoIr);
  const LinkResult result = real_nvjitlink().link({pair.inputs(), kLto, LinkOutput::Cubin});
  ASSERT_TRUE(result.ok) << result.failure << result.error_log;
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.error_log, "");
  EXPECT_EQ(base::as_text(result.code).substr(1, 3), "ELF");
}

TEST(NvJitLink, VerboseFillsTheInfoLog) {
  const Pair pair(NvrtcOutput::LtoIr);
  EXPECT_THAT(real_nvjitlink().link({pair.inputs(), kLto, LinkOutput::Cubin}).info_log, Not(HasSubstr("registers")));
  const LinkResult result =
      real_nvjitlink().link({pair.inputs(), {"-arch=sm_90", "-lto", "-verbose"}, LinkOutput::Cubin});
  EXPECT_THAT(result.info_log, AllOf(HasSubstr("registers"), HasSubstr("'k'")));
  EXPECT_EQ(result.info_log.find('\0'), std::string::npos);
}

TEST(NvJitLink, LinksLtoIrToPtxWithTheCalleeInlined) {
  const Pair pair(NvrtcOutput::LtoIr);
  const LinkResult result = real_nvjitlink().link({pair.inputs(), kLto, LinkOutput::Ptx});
  ASSERT_TRUE(result.ok) << result.failure << result.error_log;
  const std::string_view ptx = base::as_text(result.code);
  EXPECT_THAT(ptx, AllOf(HasSubstr(".entry k("), HasSubstr("mul.f32"), Not(HasSubstr("call"))));
  EXPECT_EQ(ptx.find('\0'), ptx.npos);
}

TEST(NvJitLink, LinksPtxThatNoZeroFollows) {
  const Pair pair(NvrtcOutput::Ptx);
  base::Bytes padded = pair.callee;
  const auto rubbish = base::as_bytes("}}} rubbish");
  padded.insert(padded.end(), rubbish.begin(), rubbish.end());
  std::vector<LinkInput> inputs = pair.inputs();
  inputs[1].bytes = std::span(padded).first(pair.callee.size());
  const LinkResult result = real_nvjitlink().link({inputs, {"-arch=sm_90"}, LinkOutput::Cubin});
  EXPECT_TRUE(result.ok) << result.failure << result.error_log;
}

TEST(NvJitLink, AnUndefinedFunctionIsAnErrorWhateverIsMade) {
  struct Case {
    NvrtcOutput input;
    LinkOutput output;
    std::vector<std::string> options;
    const char* failure;
  };
  const std::vector<Case> cases = {
      {NvrtcOutput::LtoIr, LinkOutput::Cubin, kLto, "nvJitLinkComplete: NVJITLINK_ERROR_PTX_COMPILE"},
      {NvrtcOutput::LtoIr, LinkOutput::Ptx, kLto, "undefined function 'f' in the linked PTX"},
      {NvrtcOutput::Ptx, LinkOutput::Cubin, {"-arch=sm_90"}, "nvJitLinkComplete: NVJITLINK_ERROR_INTERNAL"},
  };
  for (const Case& c : cases) {
    const Pair pair(c.input);
    const LinkResult result = real_nvjitlink().link({{pair.inputs()[0]}, c.options, c.output});
    EXPECT_FALSE(result.ok);
    EXPECT_EQ(result.failure, c.failure);
    EXPECT_THAT(result.failure + result.error_log, HasSubstr("'f'"));
    EXPECT_THAT(result.code, IsEmpty());
  }
}

TEST(NvJitLink, WhatTheDriverDefinesIsNotUndefined) {
  const base::Bytes code = compile(R"(extern "C" int printf(const char*, ...);
                                      extern "C" __global__ void k(int* p) { printf("%d", *p); })",
                                   NvrtcOutput::LtoIr);
  const LinkResult result = real_nvjitlink().link({{{LinkInputKind::LtoIr, code, "printing"}}, kLto, LinkOutput::Ptx});
  EXPECT_TRUE(result.ok) << result.failure << result.error_log;
  EXPECT_THAT(base::as_text(result.code), HasSubstr(".extern .func"));
}

TEST(NvJitLink, InputThatIsNoCodeNamesTheCallAndTheInput) {
  const Pair pair(NvrtcOutput::LtoIr);
  std::vector<LinkInput> inputs = pair.inputs();
  inputs[0].bytes = base::as_bytes("this is not LTO-IR, but long enough to be looked at by the linker");
  const LinkResult result = real_nvjitlink().link({inputs, kLto, LinkOutput::Cubin});
  // Although the first input is invalid, nvJitLinkComplete succeeds with a cubin made from the second input alone.
  // graft must report the error of the first input.
  EXPECT_FALSE(result.ok);
  // The end of the error's name depends on nvJitLink's version.
  EXPECT_THAT(result.failure, HasSubstr("nvJitLinkAddData(caller): NVJITLINK_ERROR_IN"));
  EXPECT_THAT(result.error_log, Not(IsEmpty()));
  EXPECT_THAT(result.code, IsEmpty());
}

TEST(NvJitLink, TruncatedLtoIrIsAnError) {
  const Pair pair(NvrtcOutput::LtoIr);
  std::vector<LinkInput> inputs = pair.inputs();
  inputs[0].bytes = inputs[0].bytes.first(100);
  const LinkResult result = real_nvjitlink().link({inputs, kLto, LinkOutput::Cubin});
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.failure, HasSubstr("NVJITLINK_ERROR_NVVM_COMPILE"));
  EXPECT_THAT(result.error_log, Not(IsEmpty()));
}

TEST(NvJitLink, OptionsThatItRefusesAreExplained) {
  const LinkResult unknown = real_nvjitlink().link({{}, {"-arch=sm_90", "-nonsense"}, LinkOutput::Cubin});
  EXPECT_EQ(unknown.failure, "nvJitLinkCreate: NVJITLINK_ERROR_UNRECOGNIZED_OPTION");
  EXPECT_THAT(unknown.error_log, HasSubstr("-nonsense"));
  const LinkResult missing = real_nvjitlink().link({{}, {"-lto"}, LinkOutput::Cubin});
  EXPECT_EQ(missing.failure, "nvJitLinkCreate: NVJITLINK_ERROR_MISSING_ARCH");
}

// Returns the source of a linker of version 13.`minor`, whose functions have this prefix and suffix in their names and
// return `status`.
std::string fake_linker(int minor, const std::string& prefix, const std::string& suffix, int status, int major = 13) {
  std::string source =
      "extern \"C\" int nvJitLinkVersion(unsigned* major, unsigned* minor) { *major = " + std::to_string(major) +
      "; *minor = " + std::to_string(minor) + "; return 0; }\n";
  for (const char* name :
       {"Create", "Destroy", "AddData", "Complete", "GetLinkedCubinSize", "GetLinkedCubin", "GetLinkedPtxSize",
        "GetLinkedPtx", "GetErrorLogSize", "GetErrorLog", "GetInfoLogSize", "GetInfoLog"})
    source += "extern \"C\" int " + prefix + "nvJitLink" + name + suffix + "(void**) { return " +
              std::to_string(status) + "; }\n";
  return source;
}

TEST(NvJitLink, FunctionsAreFoundUnderTheirNewestName) {
  struct Case {
    const char* text;
    std::string library;
    const char* failure;
  };
  const std::vector<Case> cases = {
      {"its own minor version", fake_linker(5, "__", "_13_5", 3), "nvJitLinkCreate: NVJITLINK_ERROR_INVALID_INPUT"},
      {"an older one", fake_linker(9, "__", "_13_2", 6), "nvJitLinkCreate: NVJITLINK_ERROR_INTERNAL"},
      {"none", fake_linker(5, "", "", 7), "nvJitLinkCreate: NVJITLINK_ERROR_THREADPOOL"},
      {"an error that the header lacks", fake_linker(5, "", "", 99),
       "nvJitLinkCreate: an error that this version of graft does not know"},
  };
  const base::TemporaryFolder folder;
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto file = folder.path() / (std::to_string(&c - cases.data()) + ".so");
    make_library(file, c.library);
    std::string why;
    const auto linker = NvJitLink::open(file, why);
    ASSERT_TRUE(linker) << why;
    EXPECT_EQ(linker->link({}).failure, c.failure);
  }
}

TEST(NvJitLink, ItsCacheIsOffWhereThatCanBeSaid) {
  using Options = std::vector<std::string>;
  struct Row {
    Version version;
    LinkOutput output;
    Options options;
  };
  const std::vector<Row> rows = {
      {{12, 0}, LinkOutput::Cubin, {"-arch=sm_90", "-lto"}},
      {{12, 4}, LinkOutput::Cubin, {"-arch=sm_90", "-lto"}},
      {{12, 4}, LinkOutput::Ptx, {"-arch=sm_90", "-lto", "-ptx"}},
      {{12, 5}, LinkOutput::Cubin, {"-arch=sm_90", "-lto", "-no-cache"}},
      {{12, 9}, LinkOutput::Ptx, {"-arch=sm_90", "-lto", "-no-cache", "-ptx"}},
      {{13, 0}, LinkOutput::Cubin, {"-arch=sm_90", "-lto", "-no-cache"}},
  };
  for (const Row& row : rows)
    EXPECT_EQ(nvjitlink_options({"-arch=sm_90", "-lto"}, row.output, row.version), row.options) << row.version.text();
}

TEST(NvJitLink, AnUnusableLibraryIsAReason) {
  std::string why;
  EXPECT_FALSE(NvJitLink::open("/no/such/libnvJitLink.so.13", why));
  EXPECT_THAT(why, HasSubstr("/no/such/libnvJitLink.so.13"));

  const base::TemporaryFolder folder;
  make_library(folder.path() / "empty.so", "int nothing;");
  EXPECT_FALSE(NvJitLink::open(folder.path() / "empty.so", why));
  EXPECT_THAT(why, HasSubstr("does not report its version"));
  EXPECT_THAT(why, HasSubstr("graft needs nvJitLink 12.4 or newer"));

  make_library(folder.path() / "older.so", fake_linker(3, "__", "_12_3", 0, 12));
  EXPECT_FALSE(NvJitLink::open(folder.path() / "older.so", why));
  EXPECT_EQ(why, (folder.path() / "older.so").string() + " is nvJitLink 12.3, and graft needs nvJitLink 12.4 or newer");

  make_library(folder.path() / "newer.so", fake_linker(2, "__", "_13_3", 0));
  EXPECT_FALSE(NvJitLink::open(folder.path() / "newer.so", why));
  EXPECT_THAT(why, HasSubstr("has no function nvJitLinkCreate"));
}

TEST(NvJitLink, ThreadsCompileAndLinkSideBySide) {
  const Pair reference(NvrtcOutput::LtoIr);
  const LinkResult expected = real_nvjitlink().link({reference.inputs(), kLto, LinkOutput::Ptx});
  ASSERT_TRUE(expected.ok) << expected.failure;
  std::vector<LinkResult> results(8);
  std::vector<std::thread> threads;
  for (LinkResult& result : results)
    threads.emplace_back([&] {
      const Pair pair(NvrtcOutput::LtoIr);
      result = real_nvjitlink().link({pair.inputs(), kLto, LinkOutput::Ptx});
    });
  for (std::thread& thread : threads) thread.join();
  for (const LinkResult& result : results) {
    EXPECT_TRUE(result.ok) << result.failure << result.error_log;
    EXPECT_EQ(base::as_text(result.code), base::as_text(expected.code));
  }
}

}  // namespace
}  // namespace graft::toolchain
