// Attacks graft with names that have a meaning for a shell, a terminal, printf, JSON, a compiler's command line or a
// file system. The names reach graft through command line arguments, files, packs and cache entries. graft must treat
// them as names without any other meaning.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/npy_files.hpp"
#include "families/kept_kernels.hpp"
#include "format/pack.hpp"
#include "graft/graft.hpp"
#include "scenarios/attacks/sandbox.hpp"
#include "store/entries.hpp"
#include "store/maintenance.hpp"
#include "support/packs.hpp"

namespace graft::attacks {
namespace {

const std::vector<std::string>& nasty_names() {
  static const std::vector<std::string> all = {
      "it's",
      "a\"b",
      "two\nlines",
      "\r\x1b[2Jcleared",
      "\x1b]0;title\x07",
      "\xc2\x9b"
      "31m",
      "\xe2\x80\xae"
      "reversed",
      "\xff\xfe no UTF-8 \xc3",
      "%s%n%d%%{}",
      "{0}{}{{",
      "../../pwned",
      "/pwned-by-graft",
      "$(touch ../pwned)",
      "`touch ../pwned`",
      "; touch ../pwned;",
      "-include../pwned",
      "--help",
      "@list.txt",
      "*?[a-z]",
      "back\\slash\\",
      "a,b=c:d",
      "}\", \"code\": \"forged",
      "*/ #error closed",
      " ",
      ".",
      "..",
      std::string(300, 'n'),
      std::string(5000, 'n'),
  };
  return all;
}

bool is_path_elsewhere(const std::string& name) {
  return name.starts_with("/") || name.starts_with("..");
}

class Injections : public Sandbox {
 protected:
  void SetUp() override { before_ = neighbours(); }
  void TearDown() override {
    EXPECT_EQ(neighbours(), before_) << "a file was created outside the folder `work`";
    EXPECT_FALSE(fs::exists(path("pwned")));
    EXPECT_FALSE(fs::exists("/pwned-by-graft"));
    print_counts();
  }

 private:
  std::set<std::string> before_;
};

TEST_F(Injections, WordsOfTheCommandLine) {
  for (const std::string& name : nasty_names()) {
    const std::string word = quoted(name);
    for (const std::string& words :
         {"inspect " + word, "inspect gain.cu --json --signature=" + word, "inspect gain.cu --json --std=" + word,
          "inspect gain.cu --arch=" + word, "inspect gain.cu --json --arch 90 -D " + word,
          "cache list --json --name=" + word, "cache list --json --arch=" + word,
          "cache explain gain.cu --arch 90 --json --name=" + word, "cache export --json --name=" + word + " out",
          "cache export --json --callback=" + word + " out", "cache import -- " + word,
          "cache prune --json --max-bytes=" + word, "cache prune --json --older-than=" + word, "warm -- " + word,
          word + " gain.cu"})
      attack(words);
  }
}

TEST_F(Injections, EntriesDefinesAndFoldersOfACompilation) {
  for (const std::string& name : nasty_names()) {
    if (name.size() > 1000 && !is_long()) continue;
    const std::string word = quoted(name);
    for (const std::string& words :
         {"inspect gain.cu --arch 90 --json --entry=" + word,
          "inspect gain.cu --arch 90 --json -D " + quoted("A=" + name), "inspect gain.cu --arch 90 --json -I " + word})
      attack(words);
  }
}

TEST_F(Injections, NamesOfOutputFiles) {
  for (const std::string& name : nasty_names()) {
    if (is_path_elsewhere(name) || name == ".") continue;  // a user may name a file in another folder
    const test::Result result = attack("cache export --json --all -- " + quoted(name));
    const bool is_there = name.size() <= 255 && fs::exists(path(name));
    EXPECT_EQ(result.exit_code == 0, is_there) << name << result.err;
    EXPECT_TRUE(!is_there || attack("cache import --json -- " + quoted(name)).exit_code == 0) << name;
  }
}

TEST_F(Injections, NamesOfSources) {
  fs::create_directory(path("out"));
  std::vector<std::string> names;
  std::string words = "precompile --json --arch 75 -o out -- gain.cu";
  for (const std::string& name : nasty_names()) {
    if (name.size() > 200 || name.find('/') != name.npos || name == "." || name == "..") continue;
    names.push_back(name);
    write(name + ".cu", "__device__ float gain(float x) { return 3 * x; }\n");
    EXPECT_EQ(attack("inspect --json -- " + quoted(name + ".cu")).exit_code, 0) << name;
    words += " " + quoted(name + ".cu");
  }
  EXPECT_EQ(attack(words).exit_code, 0);
  for (const std::string& name : names) EXPECT_TRUE(fs::exists(path("out/" + name + ".graft"))) << name;
}

// Changes every name in a pack and recomputes the checksums.
TEST_F(Injections, NamesInPacks) {
  ASSERT_EQ(run("precompile gain.cu --arch 75 -o good.graft").exit_code, 0);
  const std::string good = graft_.read("work/good.graft");
  const ElementType type{ElementKind::Float, 4, 4};
  for (const std::string& name : nasty_names()) {
    const std::function<void(format::PackedKernel&)> spoils[] = {
        [&](format::PackedKernel& kernel) { kernel.entry = name; },
        [&](format::PackedKernel& kernel) { kernel.symbol = name; },
        [&](format::PackedKernel& kernel) { kernel.spec.name = name; },
        [&](format::PackedKernel& kernel) {
          kernel.tools = {{name, name}};
        },
        [&](format::PackedKernel& kernel) {
          kernel.spec.signature = Signature({Role::Output, type, name}, {{Role::Input, type, name}});
        }};
    for (const auto& spoil : spoils) {
      auto pack = families::read_pack(base::as_bytes(good));
      ASSERT_TRUE(pack);
      spoil(test::only_kernel(*pack));
      const auto bytes = families::write_pack(*pack);
      if (!bytes) continue;  // write_pack has refused the name
      write("bad.graft", base::as_text(*bytes));
      attack("inspect bad.graft --json");
      if (is_long()) attack("inspect bad.graft --json --arch 90");
    }
  }
}

TEST_F(Injections, TextsInCacheEntries) {
  store::Store store({.folder = graft_.path("own-cache"), .layers = {}});
  int number = 0;
  for (const std::string& name : nasty_names()) {
    format::CacheEntry entry = store::entry_of(number++);
    entry.report.kernel.name = name;
    entry.report.toolkit = name;
    entry.report.notes = {name};
    entry.report.versions = {{name, name}};
    entry.tools = name;
    store.put(entry);  // the store may refuse the entry
    attack("cache list --json");
    attack("cache list");
    attack("cache explain gain.cu --arch 90 --json");
  }
}

TEST_F(Injections, LinesOfLists) {
  std::string list;
  for (const std::string& name : nasty_names()) list += "gain.cu --arch 90 --entry " + name + "\n" + name + "\n";
  write("bad.txt", list);
  attack("warm bad.txt --json");
  attack("warm bad.txt");
}

// Builds with a header of this name and returns whether graft refused the name. The host route writes the header to a
// file for the host compiler, so the name could lead to a file in another folder.
bool try_header(Engine& engine, const std::string& header, Route route) {
  Options options;
  options.headers = {{header, "#define FACTOR 3\n"}};
  options.routes.required = route;
  try {
    (void)build(engine, "__device__ float gain(float x) { return 2 * x; }", Architecture(90), options);
    return false;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.message()), "");
    return true;
  }
}

TEST_F(Injections, NamesOfHeaders) {
  EngineOptions engine_options;
  engine_options.cache.policy = CachePolicy::Off;
  Engine engine(engine_options);
  std::vector<std::string> headers;
  for (std::size_t i = 0; i < nasty_names().size(); ++i) {
    const std::string& name = nasty_names()[i];
    headers.insert(headers.end(), {"../" + name, "folder/../../" + name});
    if (i % 4 == 0 || is_long())
      headers.insert(headers.end(),
                     {name, name + "/x.h"});  // a short run tries few, as most of them compile, which is slow
  }
  for (const std::string& header : headers) {
    refused_ += try_header(engine, header, Route::Host) ? 1 : 0;
    if (is_long()) (void)try_header(engine, header, Route::Lto);
    ++runs_;
  }
  EXPECT_FALSE(fs::exists(base::TemporaryFolder::parent() / "pwned"));
  EXPECT_GT(refused_, 10);
}

}  // namespace
}  // namespace graft::attacks
