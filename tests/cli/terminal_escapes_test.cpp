// Tests that no text from a file or from the command line controls the terminal. In version 0.1, `graft inspect`
// printed strings from packs, cache entries, archives and names unchanged. Escape sequences reached the terminal, and a
// name with a line end produced a line that looked like graft's own output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/npy_files.hpp"
#include "cli/program.hpp"
#include "families/kept_kernels.hpp"
#include "format/pack.hpp"
#include "graft/graft.hpp"
#include "store/entries.hpp"
#include "store/maintenance.hpp"
#include "support/packs.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;

// This string contains an escape sequence that sets the terminal's title, one that sets a colour, the C1 control
// character CSI as one byte and as UTF-8, a line end, BEL, BS, DEL, and two bidirectional controls.
constexpr const char* kNasty =
    "\x1b]0;owned\x07\x1b[31m\x9b"
    "1m\xc2\x9b"
    "1m\nforged line\r\b\x7f\xe2\x80\xae\xe2\x81\xa6.";

bool has_any(const std::string& text, const std::string& lead, int first, int last) {
  for (int c = first; c <= last; ++c)
    if (text.find(lead + static_cast<char>(c)) != text.npos) return true;
  return false;
}

void expect_fit_for_a_terminal(const std::string& text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) {
      ADD_FAILURE() << "byte " << int{byte} << " in " << json(text).dump(-1, ' ', true, json::error_handler_t::replace);
      break;
    }
  }
  EXPECT_NO_THROW((void)json(text).dump()) << "invalid UTF-8";
  EXPECT_FALSE(has_any(text, "\xc2", 0x80, 0x9f)) << "C1";
  EXPECT_FALSE(has_any(text, "\xe2\x80", 0xaa, 0xae)) << "bidirectional embedding or override";
  EXPECT_FALSE(has_any(text, "\xe2\x81", 0xa6, 0xa9)) << "bidirectional isolate";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_FALSE(line.starts_with("forged")) << text;
}

void expect_fit_for_a_terminal(const Result& run) {
  expect_fit_for_a_terminal(run.out);
  expect_fit_for_a_terminal(run.err);
  EXPECT_THAT(run.exit_code, testing::AnyOf(0, 1, 2));
}

class TerminalEscapes : public testing::Test {
 protected:
  TerminalEscapes() {
    graft.write("gain.cu", "__device__ float gain(float x) { return 3 * x; }\n");
    graft.write("a.npy", npy("'<f4'", "(3,)", raw<float>({1, 2, 3})));
  }
  // Runs a command line once for text output and once for JSON output, which must be pure ASCII, and checks that both
  // outputs are harmless for a terminal.
  void check(const std::string& words) const {
    SCOPED_TRACE(words);
    expect_fit_for_a_terminal(graft.run(words));
    const Result object = graft.run(words + " --json");
    expect_fit_for_a_terminal(object);
    for (const char c : object.out) ASSERT_LT(static_cast<unsigned char>(c), 0x7f);
  }

  Program graft;
};

TEST_F(TerminalEscapes, EveryTextOfAPack) {
  const base::Bytes code(100, std::byte{7});
  using Spoil = std::function<void(format::PackedKernel&)>;
  const ElementType type{ElementKind::Float, 4, 4};
  const Spoil spoils[] = {
      [](format::PackedKernel& kernel) { kernel.entry = kNasty; },
      [](format::PackedKernel& kernel) { kernel.symbol = kNasty; },
      [](format::PackedKernel& kernel) { kernel.spec.name = kNasty; },
      [](format::PackedKernel& kernel) {
        kernel.tools = {{kNasty, "13.0"}};
      },
      [](format::PackedKernel& kernel) {
        kernel.tools = {{"NVRTC", kNasty}};
      },
      [&](format::PackedKernel& kernel) {
        kernel.spec.signature = Signature({Role::Output, type, kNasty}, {{Role::Input, type, "float"}});
      },
      [&](format::PackedKernel& kernel) {
        kernel.spec.signature = Signature({Role::Output, type, "float"}, {{Role::Input, type, kNasty}});
      },
      [](format::PackedKernel& kernel) { kernel.parts[1].facts->remaining_calls = {kNasty}; },
      [](format::PackedKernel& kernel) { kernel.parts[1].facts->cuda_helpers = {kNasty}; },
  };
  int number = 0;
  for (const Spoil& spoil : spoils) {
    SCOPED_TRACE(number++);
    format::PackedKernel kernel = relu_kernel(code);
    spoil(kernel);
    const auto bytes = families::write_pack(test::pack_of(kernel));
    ASSERT_TRUE(bytes);
    graft.write("p.graft", base::as_text(*bytes));
    check("inspect p.graft");
    check("inspect p.graft --arch 90");
    check("inspect p.graft --arch 90 --entry other");
    check("apply p.graft --route host --in a.npy --out c.npy");
    check("cache explain p.graft --arch 90");
    check("precompile p.graft --arch 90 -o x");
  }
}

// Returns an archive with one member. A member's header consists of the member's name, 48 columns that graft ignores,
// the member's size, and two bytes that end the header.
std::string archive_of(std::string name, const std::string& member) {
  std::string names = name + "/\n";
  if (names.size() % 2 != 0) names += '\n';
  const auto header = [](std::string title, std::size_t size) {
    title.resize(48, ' ');
    std::string digits = std::to_string(size);
    digits.resize(10, ' ');
    return title + digits + "`\n";
  };
  return "!<arch>\n" + header("//", names.size()) + names + header("/0", member.size()) + member;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

TEST_F(TerminalEscapes, MembersSymbolsAndFunctionsOfCompiledFiles) {
  std::string nasty = replaced(kNasty, "\n", "\x85");  // a line end would end the member's name, so it is replaced
  const std::string symbol(nasty.size(), 'q');
  const Callback callback = Callback::source("extern \"C\" __device__ float " + symbol + "(float x) { return x; }");
  const auto compiled = [&](PrecompileFormat format) {
    return std::string(base::as_text(callback.precompile({Architecture(75)}, format)));
  };
  const std::string cubin = compiled(PrecompileFormat::Cubin);
  graft.write("member.a", archive_of(nasty, cubin));
  for (const std::string name : {kNasty, nasty.c_str()})
    graft.write("symbol" + std::to_string(name == nasty) + ".cubin",
                replaced(cubin, symbol, name.substr(0, symbol.size())));
  graft.write("f.ptx", replaced(compiled(PrecompileFormat::Ptx), symbol, nasty));
  graft.write("g.ptx", replaced(compiled(PrecompileFormat::Ptx), "//", "//" + nasty));
  for (const char* file : {"member.a", "symbol0.cubin", "symbol1.cubin", "f.ptx", "g.ptx"}) {
    check(std::string("inspect ") + file);
    check(std::string("inspect ") + file + " --arch 90 --signature 'float f(float)'");
    check(std::string("inspect ") + file + " --arch 90 --signature 'extern \"C\" float f(float)' --entry g");
  }
  EXPECT_THAT(graft.run("inspect member.a").out, HasSubstr("in \\x1b]0;owned"));
}

TEST_F(TerminalEscapes, NamesAndTextsOfSources) {
  const std::string name = kNasty + std::string(".cu");
  const std::string quoted = "'" + name + "'";
  graft.write(name, "__device__ float f(float x) { return x; }\n");
  graft.write("bad.cu", std::string("#error \"") + replaced(kNasty, "\n", "") +
                            "\"\n__device__ float f(float x) { return x; }\n");
  EXPECT_THAT(graft.run("inspect " + quoted).out, HasSubstr("\\nforged line"));
  for (const std::string& words :
       {"inspect " + quoted, "inspect " + quoted + " --arch 90", "inspect missing" + quoted,
        std::string("inspect bad.cu"), "inspect bad.cu --arch 90 --entry " + quoted,
        "inspect gain.cu --signature " + quoted, "cache explain --arch 90 " + quoted,
        "cache explain --arch 90 gain.cu -D A=" + quoted, "precompile --arch 90 " + quoted + " -o " + quoted,
        "apply gain.cu --route host --in a.npy --out " + quoted,
        "apply gain.cu --route host --out c.npy --in " + quoted})
    check(words);
}

TEST_F(TerminalEscapes, WordsOfTheCommandLineAndTheEnvironment) {
  const std::string quoted = std::string("'") + kNasty + "'";
  for (const std::string& words :
       {quoted, "--" + quoted, "inspect gain.cu --arch " + quoted, "inspect gain.cu --route " + quoted,
        "inspect gain.cu --std " + quoted, "apply gain.cu --in a.npy --out c.npy --route host --state " + quoted,
        "apply '__device__ float f(float x, const float& s) { return s; }' --in a.npy --out c.npy --route host "
        "--state " +
            quoted,
        "cache list --name " + quoted, "cache list --route " + quoted, "cache prune --older-than " + quoted,
        "cache import " + quoted, "warm " + quoted, "cache export --callback " + quoted + " " + quoted})
    check(words);
  for (const char* variable :
       {"GRAFT_CACHE_DIR", "GRAFT_CACHE_PATH", "GRAFT_CUDA_PATH", "GRAFT_CXX", "GRAFT_CACHE", "GRAFT_CACHE_MAX_BYTES"})
    for (const char* words : {"doctor", "cache dir", "cache list", "cache stats", "inspect gain.cu --arch 90",
                              "inspect gain.cu --route host"}) {
      SCOPED_TRACE(std::string(variable) + " " + words);
      expect_fit_for_a_terminal(graft.run(words, std::string(variable) + "=/x" + quoted));
    }
  graft.write("list.txt",
              std::string("gain.cu --arch ") + replaced(kNasty, "\n", "") + "\n'" + kNasty + "(' --arch 90\n");
  check("warm list.txt");
  graft.write("strange.npy", npy("'<f4'", "(3,)", raw<float>({1, 2, 3})));
  graft.write("strange.npy", replaced(graft.read("strange.npy"), "<f4",
                                      "<\x1b"
                                      "4"));
  check("apply gain.cu --route host --in strange.npy --out c.npy");
  graft.write("fields.npy",
              npy(std::string("[('") + replaced(kNasty, "\n", "") + "', '<f8')]", "(3,)", raw<double>({1, 2, 3})));
  check("apply gain.cu --route host --in fields.npy --out c.npy");
}

TEST_F(TerminalEscapes, EveryTextOfACacheEntry) {
  store::Store store({.folder = graft.path("own-cache"), .layers = {}});
  using Spoil = std::function<void(format::CacheEntry&)>;
  const ElementType type{ElementKind::Float, 4, 4};
  const Spoil spoils[] = {
      [](format::CacheEntry& entry) { entry.report.kernel.name = kNasty; },
      [&](format::CacheEntry& entry) {
        entry.report.kernel.signature = Signature({Role::Output, type, kNasty}, {});
      },
      [](format::CacheEntry& entry) { entry.report.toolkit = kNasty; },
      [](format::CacheEntry& entry) {
        entry.report.versions = {{kNasty, kNasty}};
      },
      [](format::CacheEntry& entry) { entry.report.notes = {kNasty}; },
      [](format::CacheEntry& entry) { entry.report.policy_reason = kNasty; },
      [](format::CacheEntry& entry) { entry.report.remaining_calls = {kNasty}; },
      [](format::CacheEntry& entry) { entry.report.cuda_helpers = {kNasty}; },
      [](format::CacheEntry& entry) {
        entry.report.routes_not_taken = {{Route::Ptx, kNasty}};
      },
      [](format::CacheEntry& entry) {
        entry.report.steps = {{kNasty, 1.0}};
      },
      [](format::CacheEntry& entry) { entry.report.compiler_log = kNasty; },
      [](format::CacheEntry& entry) { entry.report.linker_log = kNasty; },
      [](format::CacheEntry& entry) { entry.tools = kNasty; },
  };
  ASSERT_EQ(graft.run("inspect gain.cu --arch 90").exit_code, 0);
  std::vector<std::string> problems;
  const std::vector<store::EntryInfo> entries = store::list_entries(store, problems);
  ASSERT_EQ(entries.size(), 1u);
  int number = 0;
  for (const Spoil& spoil : spoils) {
    SCOPED_TRACE(number++);
    // The cache gets two entries: `inspect` finds the first, and only listings show the second.
    format::CacheEntry hit = store::entry_of(0);
    hit.key = entries[0].entry->key;
    hit.report.kernel.architecture = entries[0].entry->report.kernel.architecture;
    spoil(hit);
    hit.image = test::cubin(0, hit.report.kernel);
    ASSERT_EQ(store.put(hit).problem, "");
    for (const char* words : {"cache list", "cache stats", "cache explain gain.cu --arch 90",
                              "cache explain gain.cu --arch 80", "cache verify", "inspect gain.cu --arch 90"})
      check(words);
  }
  format::CacheEntry strange = store::entry_of(1);
  format::KeyWriter key;
  key.add("architecture", strange.report.kernel.architecture.sm());
  key.add("number", std::string(kNasty));
  strange.key = key.take();
  ASSERT_EQ(store.put(strange).problem, "");
  graft.write(std::string("own-cache/v3/") + kNasty + ".entry", "x");
  for (const std::string words : {"cache list", "cache verify", "cache stats"}) check(words);
  check("cache explain gain.cu --arch 90 --name " + base::hash(strange.key).hex());
}

// Text without control characters is printed unchanged, in any language.
TEST_F(TerminalEscapes, TextsOfAnyLanguageStayReadable) {
  graft.write("größe \xe6\x97\xa5\xe6\x9c\xac.cu", "__device__ float f(float x) { return x; }\n");
  EXPECT_THAT(graft.run("inspect 'größe \xe6\x97\xa5\xe6\x9c\xac.cu'").out,
              testing::StartsWith("größe \xe6\x97\xa5\xe6\x9c\xac.cu: CUDA C++ source"));
  EXPECT_THAT(graft.run("inspect 'größe \xe6\x97\xa5\xe6\x9c\xac.cu' --json").out, HasSubstr("gr\\u00f6\\u00dfe"));
}

}  // namespace
}  // namespace graft::test
