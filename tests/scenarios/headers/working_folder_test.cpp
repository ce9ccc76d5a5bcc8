// Tests equal requests from different working folders. In version 0.1, if a process called chdir between two equal
// requests that depended on the working folder, through a relative include folder or through a header in the working
// folder, the second request got the kernel of the first request's folder.
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "graft/graft.hpp"
#include "support/headers.hpp"

namespace graft {
namespace {

namespace fs = std::filesystem;
using test::sized_callback;
using test::value_of;

// Two folders that contain different headers with the same name. The destructor restores the working folder.
class TwoFolders {
 public:
  TwoFolders() {
    headers_.write_value("one/k.h", 3);
    headers_.write_value("one/inc/n.h", 3);
    headers_.write_value("two/k.h", 5);
    headers_.write_value("two/inc/n.h", 5);
    test::let_headers_age();
  }
  ~TwoFolders() { fs::current_path(before_); }
  TwoFolders(const TwoFolders&) = delete;  // a copy would restore the working folder twice
  TwoFolders& operator=(const TwoFolders&) = delete;

  void enter(const std::string& name) const { fs::current_path(headers_.path(name)); }

 private:
  test::HeaderFolder headers_;
  fs::path before_ = fs::current_path();
};

EngineOptions in_memory() {
  EngineOptions options;
  options.cache.policy = CachePolicy::MemoryOnly;
  return options;
}

TEST(WorkingFolder, ARelativeIncludeFolderIsTheOneOfTheRequest) {
  const TwoFolders folders;
  Engine engine(in_memory());
  const Options options = {.include_paths = {"inc"}};
  folders.enter("one");
  EXPECT_EQ(value_of(build(engine, sized_callback("<n.h>"), Architecture(90), options)), 3);
  folders.enter("two");
  EXPECT_EQ(value_of(build(engine, sized_callback("<n.h>"), Architecture(90), options)), 5);
  folders.enter("one");
  build(engine, sized_callback("<n.h>"), Architecture(90), options);
  EXPECT_EQ(engine.counters().memory_hits, 1u) << "the first folder's kernel must still be in memory";
}

TEST(WorkingFolder, AHeaderInTheWorkingFolderIsTheOneOfTheRequest) {
  const TwoFolders folders;
  Engine engine(in_memory());
  folders.enter("one");
  EXPECT_EQ(value_of(build(engine, sized_callback("\"k.h\""), Architecture(90))), 3);
  folders.enter("two");
  EXPECT_EQ(value_of(build(engine, sized_callback("\"k.h\""), Architecture(90))), 5);
}

TEST(WorkingFolder, AHeaderInMemoryCanIncludeFromTheWorkingFolder) {
  const TwoFolders folders;
  Engine engine(in_memory());
  const Options options = {.headers = {{"top.h", "#include \"k.h\"\n"}}};
  folders.enter("one");
  EXPECT_EQ(value_of(build(engine, sized_callback("\"top.h\""), Architecture(90), options)), 3);
  folders.enter("two");
  EXPECT_EQ(value_of(build(engine, sized_callback("\"top.h\""), Architecture(90), options)), 5);
}

TEST(WorkingFolder, ATransformIsFoundByTheFolderOfItsRequest) {
  const TwoFolders folders;
  Engine engine(in_memory());
  const Callback callback = "#include <n.h>\n__device__ float f(float x) { return VALUE * x; }";
  Options options = {.include_paths = {"inc"}};
  options.routes.required = Route::Host;
  folders.enter("one");
  EXPECT_EQ(test::result_of_one(Transform::create(engine, callback, options)), 3.0f);
  folders.enter("two");
  EXPECT_EQ(test::result_of_one(Transform::create(engine, callback, options)), 5.0f);
}

TEST(WorkingFolder, AFolderIsTakenWhenTheRequestIsMade) {
  const TwoFolders folders;
  Engine engine(in_memory());
  const Callback callback = "#include <n.h>\n__device__ float f(float x) { return VALUE * x; }";
  Options options = {.include_paths = {"inc"}};
  options.routes.required = Route::Host;
  folders.enter("one");
  const std::shared_future<Transform> transform = Transform::create_async(engine, callback, options);
  folders.enter("two");
  EXPECT_EQ(test::result_of_one(transform.get()), 3.0f);
}

// If a callback includes no files, its kernel does not depend on the working folder and is found in memory in every
// working folder.
TEST(WorkingFolder, ACallbackWithoutIncludesIsOneKernelInAllFolders) {
  const TwoFolders folders;
  Engine engine(in_memory());
  folders.enter("one");
  build(engine, "[](float x) { return 2 * x; }", Architecture(90), {});
  folders.enter("two");
  build(engine, "[](float x) { return 2 * x; }", Architecture(90), {});
  EXPECT_EQ(engine.counters().memory_hits, 1u);
}

// Line tables contain the name of the working folder, which is removed here. The build must return a kernel or throw
// graft's own Error.
TEST(WorkingFolder, LineInfoInAFolderThatWasRemovedIsNoForeignError) {
  const TwoFolders folders;
  const base::TemporaryFolder scratch;
  EngineOptions engine_options;
  engine_options.cache.policy = CachePolicy::ReadWrite;
  engine_options.cache.folder = scratch.path() / "cache";
  Engine engine(std::move(engine_options));
  const fs::path gone = scratch.path() / "gone";
  fs::create_directory(gone);
  fs::current_path(gone);
  fs::remove(gone);
  Options options;
  options.line_info = true;
  try {
    const Image image = build(engine, "__device__ float f(float x) { return 5 * x; }", Architecture(90), options);
    EXPECT_FALSE(image.bytes().empty());
    EXPECT_EQ(engine.counters().bytes_written, 0u);
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty()) << error.what();
  }
}

}  // namespace
}  // namespace graft
