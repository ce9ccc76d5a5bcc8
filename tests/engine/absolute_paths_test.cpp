// Tests that the paths of an engine keep their meaning when the working folder changes. In version 0.1, an engine with
// relative paths used a second cache after each chdir, found no toolkit, or ran another compiler.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "graft/graft.hpp"
#include "support/partial_toolkit.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;

std::string source(int factor) {
  return "__device__ float f(float x) { return " + std::to_string(factor) + " * x; }";
}

// Two working folders with the names `here` and `there`.
class Folders {
 public:
  Folders() {
    fs::create_directory(here());
    fs::create_directory(there());
  }
  fs::path here() const { return folder_.path() / "here"; }
  fs::path there() const { return folder_.path() / "there"; }

  // Makes an engine while here() is the working folder, changes to there(), and calls `use`. Returns a description of
  // what went wrong, or an empty string.
  template <class Use>
  std::string moved(const EngineOptions& options, Use use) const {
    return in_own_process([&]() -> std::string {
      fs::current_path(here());
      Engine engine(options);
      fs::current_path(there());
      return use(engine);
    });
  }

 private:
  base::TemporaryFolder folder_;
};

TEST(AbsolutePaths, TheCacheOfAnEngineStaysWhereItWas) {
  const Folders folders;
  const EngineOptions options{
      .cuda_path = {}, .host_compiler = {}, .cache = {.policy = CachePolicy::ReadWrite, .folder = "cache"}};
  EXPECT_EQ(folders.moved(options,
                          [](Engine& engine) -> std::string {
                            build(engine, source(2), Architecture(90));
                            return engine.counters().bytes_written > 0 ? "" : "no kernel was written to the cache";
                          }),
            "");
  EXPECT_TRUE(fs::exists(folders.here() / "cache"));
  EXPECT_FALSE(fs::exists(folders.there() / "cache"));

  fs::rename(folders.here() / "cache", folders.here() / "layer");
  const EngineOptions layered{
      .cuda_path = {},
      .host_compiler = {},
      .cache = {.policy = CachePolicy::ReadWrite, .folder = "empty", .layers = std::vector<fs::path>{"layer"}}};
  EXPECT_EQ(folders.moved(layered,
                          [](Engine& engine) -> std::string {
                            return build(engine, source(2), Architecture(90)).report().from_cache ? "" : "not found";
                          }),
            "");
}

TEST(AbsolutePaths, TheToolkitOfAnEngineStaysWhereItWas) {
  const Folders folders;
  const PartialToolkit toolkit(true, true);
  fs::create_directory_symlink(toolkit.path(), folders.here() / "toolkit");
  EXPECT_EQ(folders.moved({.cuda_path = "toolkit", .host_compiler = {}, .cache = {.policy = CachePolicy::Off}},
                          [](Engine& engine) -> std::string {
                            return build(engine, source(3), Architecture(90)).bytes().empty() ? "empty" : "";
                          }),
            "");
}

TEST(AbsolutePaths, TheHostCompilerOfAnEngineStaysWhereItWas) {
  const Folders folders;
  fs::create_directory(folders.here() / "bin");
  fs::create_symlink("/usr/bin/c++", folders.here() / "bin/c++");
  EXPECT_EQ(folders.moved({.cuda_path = {}, .host_compiler = "bin/c++", .cache = {.policy = CachePolicy::Off}},
                          [](Engine& engine) -> std::string {
                            Options options;
                            options.routes.required = Route::Host;
                            return build(engine, source(4), Architecture(90), options).bytes().empty() ? "empty" : "";
                          }),
            "");
}

// A compiler's name without a slash is no relative path: it is still searched in PATH.
TEST(AbsolutePaths, ANameOfACompilerIsNoPath) {
  const Folders folders;
  EXPECT_EQ(folders.moved({.cuda_path = {}, .host_compiler = "c++", .cache = {.policy = CachePolicy::Off}},
                          [](Engine& engine) -> std::string {
                            return engine.describe_tools().find("host compiler: /") != std::string::npos ? ""
                                                                                                         : "not found";
                          }),
            "");
}

}  // namespace
}  // namespace graft::test
