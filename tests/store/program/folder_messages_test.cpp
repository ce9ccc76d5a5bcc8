// Tests what graft says about an unusable cache folder, and how the folder's path may be written. The cache folder
// contains a folder for graft's format version, now `v3`. In version 0.1, if the version's folder was unusable, graft's
// note blamed the cache folder. A cache folder that was a symbolic link was refused when its path was written as "link"
// but followed when its path was written as "link/".
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "cli/program.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CacheFolderMessages : public testing::Test {
 protected:
  fs::path folder() const { return graft_.path("own-cache"); }

  Report request(const std::string& own, const std::vector<fs::path>& layers = {}) const {
    EngineOptions options;
    options.cache.policy = CachePolicy::ReadWrite;
    options.cache.folder = own;
    options.cache.layers = layers;
    Engine engine(options);
    return build(engine, "__device__ float twice(float x) { return 2 * x; }", Architecture(90)).report();
  }
  static std::string notes(const Report& report) { return fmt::format("{}", fmt::join(report.notes, "\n")); }

  Program graft_;
};

struct Trouble {
  const char* name;
  std::function<void(const fs::path& v1)> make;
  const char* words;
};

TEST_F(CacheFolderMessages, NotesNameTheVersionsFolderWhereThatIsTheProblem) {
  const Trouble troubles[] = {
      {"open to others", [](const fs::path& v1) { fs::permissions(v1, fs::perms(0777)); },
       "can be written by other users"},
      {"a link",
       [this](const fs::path& v1) {
         fs::rename(v1, graft_.path("elsewhere"));
         fs::create_symlink("../elsewhere", v1);
       },
       "is a symbolic link"},
      {"a file",
       [](const fs::path& v1) {
         fs::remove_all(v1);
         std::ofstream(v1) << "x";
       },
       "cannot be opened: Not a directory"},
  };
  for (const Trouble& trouble : troubles) {
    SCOPED_TRACE(trouble.name);
    fs::remove_all(folder());
    fs::remove_all(graft_.path("elsewhere"));
    request(folder());
    trouble.make(folder() / "v3");
    const std::string expected = fmt::format("{} {}", (folder() / "v3").string(), trouble.words);
    EXPECT_THAT(notes(request(folder())), HasSubstr(expected));
    EXPECT_THAT(notes(request(graft_.path("other"), {folder()})), HasSubstr(expected))
        << "with this folder as a layer of the cache";
    EXPECT_THAT(graft_.run("cache list").err, HasSubstr(expected));
    EXPECT_THAT(graft_.run("doctor").out, HasSubstr(expected));
    EXPECT_THAT(graft_.run("cache clear").err, HasSubstr(expected));
  }
}

TEST_F(CacheFolderMessages, NotesNameTheFolderWhereThatIsTheProblem) {
  request(folder());
  fs::permissions(folder(), fs::perms(0777));
  EXPECT_THAT(notes(request(folder())), HasSubstr(folder().string() + " can be written by other users"));
}

// If the last component of the cache path is a symbolic link, graft refuses the path, however the path ends.
TEST_F(CacheFolderMessages, ALinkIsRefusedHoweverItsPathEnds) {
  request(graft_.path("real"));
  fs::create_symlink("real", graft_.path("link"));
  const std::string link = graft_.path("link");
  for (const char* end : {"", "/", "//", "/.", "/./", "/.//./"}) {
    SCOPED_TRACE(end);
    const Report report = request(link + end);
    EXPECT_FALSE(report.from_cache);
    EXPECT_THAT(notes(report), HasSubstr(link + " is a symbolic link"));
    const Report layered = request(graft_.path("other") + end, {link + end});
    EXPECT_THAT(notes(layered), HasSubstr(link + " is a symbolic link")) << "with this folder as a layer of the cache";
    const std::string environment = fmt::format("GRAFT_CACHE_DIR={}{}", link, end);
    for (const char* words : {"cache list", "cache clear", "cache stats", "cache verify"}) {
      const Result result = graft_.run(words, environment);
      EXPECT_EQ(result.exit_code, 1) << words << result.out;
      EXPECT_THAT(result.err, HasSubstr(link + " is a symbolic link")) << words;
    }
  }
  EXPECT_TRUE(request(graft_.path("real")).from_cache) << "`cache clear` must not follow the link";
}

// Different spellings of the path of one cache folder must find the same kernels and appear as the same path in
// messages.
TEST_F(CacheFolderMessages, AFolderIsUsedHoweverItsPathEnds) {
  request(folder());
  for (const char* end : {"/", "//", "/.", "/./"}) {
    SCOPED_TRACE(end);
    EXPECT_TRUE(request(folder().string() + end).from_cache);
    const std::string environment = fmt::format("GRAFT_CACHE_DIR={}{}", folder().string(), end);
    EXPECT_THAT(graft_.run("cache stats", environment).out, HasSubstr("own-cache: 1 kernel, "));
    EXPECT_EQ(graft_.run("cache dir", environment).out, folder().string() + "\n");
  }
}

// Symbolic links in earlier components of the path are followed, because the system or the user chose them.
TEST_F(CacheFolderMessages, LinksOnTheWayAreFollowed) {
  fs::create_directory(graft_.path("real"));
  fs::create_symlink("real", graft_.path("link"));
  request(graft_.path("link/cache"));
  EXPECT_TRUE(request(graft_.path("real/cache/")).from_cache);
}

}  // namespace
}  // namespace graft::test
