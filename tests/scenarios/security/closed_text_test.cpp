// Tests of sentences 19, 20, 21 and 24 of docs/security.md. These sentences state which requests the closed mode
// refuses before it compiles anything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "reflect/callback/closed_text.hpp"
#include "scenarios/security/closed.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

// Expects that graft refuses this source with an InvalidArgument error that names the forbidden characters and their
// position.
void expect_refused(const std::string& text, const std::string& what) {
  SCOPED_TRACE(text);
  const Error error = error_of_closed(text);
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
  EXPECT_THAT(error.message(), HasSubstr(what));
  EXPECT_THAT(error.message(), HasSubstr("refused in the closed mode"));
}

std::string with_line(const std::string& line) {
  return line + "\n" + kFormula;
}

TEST(Security, S19_TextWithADirectiveIsRefused) {
  expect_refused(with_line("#include \"/etc/passwd\""), "line 1, column 1: `#`");
  expect_refused(with_line("   #  define f"), "line 1, column 4: `#`");
  expect_refused(with_line("/* x */ #include </etc/passwd>"), "column 9: `#`");
  expect_refused(with_line("%:include \"/etc/passwd\""), "`%:`");
  expect_refused(with_line("%:%:"), "`%:`");
  expect_refused(with_line("?\?=include \"/etc/passwd\""), "`?\?=`");
  expect_refused(with_line("_Pragma(\"nv_diag_suppress 1\")"), "the word `_Pragma`");
  expect_refused(with_line("__pragma(once)"), "the word `__pragma`");
  expect_refused(std::string(kFormula) + "\n\n  #error", "line 3, column 3: `#`");
}

// They have directives, which graft wrote. The entry is still a text of anybody's.
TEST(Security, S19_TextsOfReadyMadeCallbacksAreTaken) {
  Engine engine(no_cache());
  const Callback relu = Callback::ready_made("relu<float>");
  const Image image =
      build(engine, chain(kFormula, relu, Callback::ready_made("dropout<float>")), kArchitecture, closed());
  EXPECT_FALSE(image.bytes().empty());
  expect_refused(relu.text() + " ", "`#`");
  const Error error = error_of_closed(Callback::ready_made("relu<float>; } asm(\"\"); void f() {"));
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.message(), HasSubstr("the entry of graft/callbacks/activations.cuh"));
}

TEST(Security, S19_DirectivesOfModulesAreRefused) {
  expect_refused(with_line("import \"/etc/passwd\";"), "the word `import`");
  expect_refused(with_line("export import <vector>;"), "column 8: the word `import`");
  expect_refused(with_line("module;"), "the word `module`");
}

TEST(Security, S19_WhatCouldHideADirectiveIsRefused) {
  expect_refused(with_line("%\\\n:include \"/etc/passwd\""), "a backslash at the end of a line");
  expect_refused(with_line("__as\\\nm__(\"exit;\");"), "a backslash at the end of a line");
  expect_refused(with_line("__as\\ \t\r\nm__(\"exit;\");"), "a backslash at the end of a line");
  expect_refused(std::string(kFormula) + "\\", "a backslash at the end of a line");
  expect_refused(with_line("__as?\?/\nm__(\"exit;\");"), "`?\?/`");
  expect_refused(with_line("__\\u0061sm__(\"exit;\");"), "a universal character name");
  expect_refused(with_line("__\\U00000061sm__(\"exit;\");"), "a universal character name");
  expect_refused(with_line("__\\N{LATIN SMALL LETTER A}sm__(\"exit;\");"), "a universal character name");
  expect_refused(std::string("i\0n\0", 4) + kFormula, "a zero byte");
}

// `#` is forbidden in comments and strings too. A scanner that skips comments and strings would have to agree with
// every compiler on where they end.
TEST(Security, S19_CommentsAndStringsCount) {
  expect_refused(with_line("// gain #2"), "`#`");
  expect_refused(with_line("const char* s = R\"(\n#include <x>)\";"), "line 2, column 1: `#`");
  expect_refused(with_line("R\"#( )#\""), "`#`");
  expect_refused(with_line("'\"' /* \" #include <x> */"), "`#`");
}

TEST(Security, S19_EntryAndDeclaredSignatureAreText) {
  const auto expect = [](const Callback& callback, const Options& options, const char* whose) {
    const Error error = error_of_closed(callback, options);
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(error.message(), HasSubstr(whose));
  };
  Options named = closed();
  named.entry = "twice\n#include </etc/passwd>\n";
  expect(kFormula, named, "Options::entry: line 2, column 1: `#`");
  expect(Callback(kFormula).with_entry("[](float x) { asm(\"\"); return x; }"), closed(), "the entry of callback.cu");
  expect(Callback(kFormula).with_signature("float(float)\n%:include <x>"), closed(), "the declared signature of");
  expect(chain(Callback(kFormula), Callback::source(with_line("#pragma once"), "second.cu")), closed(),
         "second.cu: line 1");
  expect(Stages{.load = Callback::source(with_line("#pragma once"), "load.cu")}, closed(), "load.cu: line 1");
}

TEST(Security, S19_AllCallsThatCompileRefuse) {
  Engine engine(no_cache());
  const std::string text = with_line("#define twice twice");
  const auto is_refused = [](const Error& error) { return error.code() == ErrorCode::InvalidArgument; };
  EXPECT_TRUE(is_refused(error_of([&] { build(engine, text, kArchitecture, closed()); })));
  EXPECT_TRUE(is_refused(error_of([&] { Transform::create(engine, text, closed()); })));
  EXPECT_TRUE(is_refused(error_of([&] { Transform::create_async(engine, text, closed()).get(); })));
  EXPECT_TRUE(
      is_refused(error_of([&] { precompile(engine, text, {kArchitecture}, PrecompileFormat::Pack, closed()); })));
  EXPECT_EQ(engine.counters().builds + engine.counters().failed_builds, 0u);
}

// NVRTC evaluates __has_include in the middle of an expression, too.
TEST(Security, S19_WordsThatTellWhetherAFileExistsAreRefused) {
  const std::string asks = "__device__ float f(float x) { return __has_include(\"/etc/shadow\") ? x : 2 * x; }";
  Engine engine(no_cache());
  EXPECT_FALSE(build(engine, asks, kArchitecture).bytes().empty())
      << "outside the closed mode, this source must compile";
  expect_refused(asks, "line 1, column 38: `__has_include`, which tells whether a file exists,");
  for (const std::string word : {"__has_include_next", "__has_include__", "__has_embed", "__has_embed_next"})
    expect_refused("__device__ float f(float x) { return " + word + "(\"a\"); }", "`" + word + "`");
  EXPECT_EQ(reflect::find_forbidden("int x__has_include = __has_builtin(__has_inclu) + has_embed;"), std::nullopt);
}

TEST(Security, S19_ARefusalHasADiagnosticAndAnEvent) {
  std::vector<std::string> events;
  EngineOptions engine_options = no_cache();
  engine_options.log = [&](const LogEvent& event) {
    EXPECT_EQ(event.kind, LogKind::BuildFailed);
    EXPECT_EQ(event.severity, LogSeverity::Warning);
    events.emplace_back(event.text);
  };
  Engine engine(engine_options);
  const auto expect_one = [&](const std::string& file, int line, int column, const auto& call) {
    events.clear();
    const Error error = error_of(call);
    const std::vector<Diagnostic> expected = {
        {file, line, column, Diagnostic::Severity::Error, "the word `asm` is refused in the closed mode"}};
    EXPECT_EQ(error.diagnostics(), expected) << error.what();
    EXPECT_THAT(events, testing::ElementsAre(HasSubstr("the word `asm` is refused in the closed mode")));
  };
  const Callback bad = Callback::source("\n__device__ float f(float x) { asm(\"exit;\"); return x; }", "bad.cu");
  const FftCallbacks hooks = {.load = "[](float2 z) { return z; }", .store = bad};
  expect_one("bad.cu", 2, 31, [&] { build(engine, bad, kArchitecture, closed()); });
  expect_one("bad.cu", 2, 31, [&] { Transform::create(engine, bad, closed()); });
  expect_one("bad.cu", 2, 31, [&] { Transform::create_async(engine, bad, closed()).get(); });
  expect_one("bad.cu", 2, 31, [&] { precompile(engine, bad, {kArchitecture}, PrecompileFormat::Pack, closed()); });
  expect_one("bad.cu", 2, 31, [&] { build(engine, {.length = 8}, hooks, kArchitecture, closed()); });
  expect_one("bad.cu", 2, 31, [&] { Fft::create(engine, {.length = 8}, hooks, closed()); });
  Options options = closed();
  options.entry = "f<asm>";
  expect_one("Options::entry", 1, 3, [&] { build(engine, kFormula, kArchitecture, options); });
}

// What the child process refuses is told as well, and so are thread words, which are refused before a build.
TEST(Security, S23_AFailureOfTheChildIsAnEvent) {
  std::vector<std::string> events;
  EngineOptions engine_options = no_cache();
  engine_options.log = [&](const LogEvent& event) { events.emplace_back(event.text); };
  Engine engine(engine_options);
  const char* const wrong = "__device__ float f(float x) { return y; }";
  error_of([&] { build(engine, wrong, kArchitecture, closed()); });
  EXPECT_THAT(events, testing::ElementsAre(HasSubstr("does not compile")));
  events.clear();
  error_of([&] { precompile(engine, wrong, {kArchitecture}, PrecompileFormat::Pack, closed()); });
  EXPECT_THAT(events, testing::ElementsAre(HasSubstr("does not compile")));
  events.clear();
  error_of(
      [&] { build(engine, "__device__ float f(float x) { __syncthreads(); return x; }", kArchitecture, closed()); });
  EXPECT_THAT(events, testing::ElementsAre(HasSubstr("`__syncthreads` in a callback")));
}

TEST(Security, S20_TheWordsForAssemblyAreRefused) {
  for (const std::string word : {"asm", "__asm", "__asm__", "_asm"}) {
    expect_refused("__device__ float f(float x) { " + word + "(\"exit;\"); return x; }",
                   "line 1, column 31: the word `" + word + "`");
    expect_refused("__device__ float f(float x) { " + word + " volatile(\"exit;\"); return x; }", "the word");
    expect_refused("__device__ float f(float) " + word + "(\"g\");", "the word");
  }
  expect_refused("__device__ float f(float x) { \\u0061sm(\"exit;\"); return x; }", "a universal character name");
  expect_refused("__device__ float f(float x) { as\\\nm(\"exit;\"); return x; }", "a backslash");
  // A macro could assemble the word `asm` from two parts, but its definition needs a directive, and the closed mode
  // refuses directives.
  expect_refused("#define A(x) x##sm\n__device__ float f(float x) { A(a)(\"exit;\"); return x; }", "`#`");
}

// NVRTC defines macros before it reads the source. Some of these macros join two words, so they could assemble the
// forbidden word `asm`.
TEST(Security, S20_TheCompilersOwnMacrosAreRefused) {
  const std::string paste = "__device__ float f(float x) { _NV_CONCAT_EVAL(as, m)(\"exit;\"); return x; }";
  Engine engine(no_cache());
  EXPECT_FALSE(build(engine, paste, kArchitecture).bytes().empty())
      << "outside the closed mode, this source must compile";
  expect_refused(paste, "column 31: `_NV_CONCAT_EVAL`, a name of the compiler's macros,");
  for (const std::string name :
       {"_NV_PASTE5", "__CUDA_ARCH_HAS_FEATURE__", "__CUDART_API_PTDS", "NV_IF_TARGET", "___A"})
    expect_refused("__device__ float f(float x) { return " + name + "(x); }", "`" + name + "`");
}

TEST(Security, S20_WordsThatOnlyContainThemAreGood) {
  const std::string good =
      "struct plasma_NV_A { float _a, __b, A_NV_, ___, _1A, N; };\n"
      "struct plasma { float asm_; float basm; float imports; };\n"
      "__device__ float f(float x) { const plasma __asm___{x, 1, 2}; int modules = 7 % 4; "
      "return __asm___.asm_ + modules + '\\n' + \"\\t\\\\\"[0]; }";
  EXPECT_EQ(reflect::find_forbidden(good), std::nullopt);
  Engine engine(no_cache());
  EXPECT_FALSE(build(engine, good, kArchitecture, closed()).bytes().empty());
}

TEST(Security, S21_TheHostRouteIsRefused) {
  Options options = closed();
  options.routes.required = Route::Host;
  const Error error = error_of_closed(kFormula, options);
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.message(), HasSubstr("the host route is refused"));

  options.closed.reset();
  Engine engine(no_cache());
  const Transform on_host = Transform::create(engine, kFormula, options);
  EXPECT_THAT(error_of([&] { Transform::load(engine, on_host.image(), closed()); }).message(),
              HasSubstr("the host route is refused"));
}

TEST(Security, S21_EveryFormButSourceIsRefused) {
  Engine engine(no_cache());
  const auto pack = precompile(engine, kFormula, {kArchitecture});
  const auto bytes = base::as_bytes("no matter");
  const Callback forms[] = {Callback::pack(pack),
                            Callback::ltoir(bytes),
                            Callback::fatbin(bytes),
                            Callback::ptx(".version 8.0"),
                            Callback::object(bytes),
                            Callback::nvvm("define"),
                            chain(kFormula, Callback::ptx(".version 8.0"))};
  for (const Callback& callback : forms) {
    const Error error = error_of_closed(callback);
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(error.message(), HasSubstr("the closed mode takes only source"));
  }
}

TEST(Security, S24_DefinesAreAllowedHeadersAndFoldersAreNot) {
  Options options = closed();
  options.defines = {{"GAIN", "3.0f"}, {"HALT", "asm(\"exit;\")"}};
  Engine engine(no_cache());
  EXPECT_FALSE(
      build(engine, "__device__ float f(float x) { if (x > 9) HALT; return GAIN * x; }", kArchitecture, options)
          .bytes()
          .empty());

  options = closed();
  options.headers = {{"a.h", "int a;"}};
  EXPECT_THAT(error_of_closed(kFormula, options).message(), HasSubstr("no headers and no include folders"));
  options = closed();
  options.include_paths = {"/usr/include"};
  EXPECT_THAT(error_of_closed(kFormula, options).message(), HasSubstr("no headers and no include folders"));
}

TEST(Security, S24_NoCompilerOptionNamesAFile) {
  Options options = closed();
  options.compiler_options = {"--diag-suppress=177"};
  Engine engine(no_cache());
  EXPECT_FALSE(build(engine, kFormula, kArchitecture, options).bytes().empty());
  for (const std::string option : {"-I/etc", "--include-path=/etc", "-include=/etc/passwd", "--pre-include=/etc/passwd",
                                   "--options-file=/etc/passwd", "--pch", "--use-pch=/tmp/x", "--create-pch=/tmp/x",
                                   "--pch-dir=/tmp", "--time=/tmp/x", "--fdevice-time-trace=/tmp/x"}) {
    options.compiler_options = {option};
    EXPECT_EQ(error_of_closed(kFormula, options).code(), ErrorCode::InvalidArgument) << option;
  }
}

}  // namespace
}  // namespace graft::test
