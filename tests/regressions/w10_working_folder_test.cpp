// W10: a request that means the working folder (a relative include folder, or a header that lies there), and chdir
// between two such requests: the second got the kernel of the first one's folder.
#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "graft/graft.hpp"
#include "support/headers.hpp"

namespace graft {
namespace {

namespace fs = std::filesystem;
using test::sized_callback;
using test::value_of;

class W10 : public testing::Test {
 protected:
  W10() {
    headers_.write_value("one/k.h", 3);
    headers_.write_value("one/inc/n.h", 3);
    headers_.write_value("two/k.h", 5);
    headers_.write_value("two/inc/n.h", 5);
    test::let_headers_age();
  }
  ~W10() override { fs::current_path(before_); }

  void enter(const std::string& name) const { fs::current_path(headers_.path(name)); }

  static EngineOptions in_memory() {
    EngineOptions options;
    options.cache.policy = CachePolicy::MemoryOnly;
    return options;
  }

  test::HeaderFolder headers_;

 private:
  fs::path before_ = fs::current_path();
};

TEST_F(W10, ARelativeIncludeFolderIsTheOneOfTheRequest) {
  Engine engine(in_memory());
  const Options options = {.include_paths = {"inc"}};
  enter("one");
  EXPECT_EQ(value_of(build(engine, sized_callback("<n.h>"), Architecture(90), options)), 3);
  enter("two");
  EXPECT_EQ(value_of(build(engine, sized_callback("<n.h>"), Architecture(90), options)), 5);
  enter("one");
  build(engine, sized_callback("<n.h>"), Architecture(90), options);
  EXPECT_EQ(engine.counters().memory_hits, 1u) << "the first folder's kernel is still there";
}

TEST_F(W10, AHeaderInTheWorkingFolderIsTheOneOfTheRequest) {
  Engine engine(in_memory());
  enter("one");
  EXPECT_EQ(value_of(build(engine, sized_callback("\"k.h\""), Architecture(90))), 3);
  enter("two");
  EXPECT_EQ(value_of(build(engine, sized_callback("\"k.h\""), Architecture(90))), 5);
}

TEST_F(W10, AHeaderInMemoryCanIncludeFromTheWorkingFolder) {
  Engine engine(in_memory());
  const Options options = {.headers = {{"top.h", "#include \"k.h\"\n"}}};
  enter("one");
  EXPECT_EQ(value_of(build(engine, sized_callback("\"top.h\""), Architecture(90), options)), 3);
  enter("two");
  EXPECT_EQ(value_of(build(engine, sized_callback("\"top.h\""), Architecture(90), options)), 5);
}

float run(const Transform& transform) {
  const std::vector<float> in = {1};
  std::vector<float> out(1);
  transform.execute(graft::host, in, out);
  return out[0];
}

TEST_F(W10, ATransformIsFoundByTheFolderOfItsRequest) {
  Engine engine(in_memory());
  const Callback callback = "#include <n.h>\n__device__ float f(float x) { return VALUE * x; }";
  Options options = {.include_paths = {"inc"}};
  options.routes.required = Route::Host;
  enter("one");
  EXPECT_EQ(run(Transform::create(engine, callback, options)), 3.0f);
  enter("two");
  EXPECT_EQ(run(Transform::create(engine, callback, options)), 5.0f);
}

TEST_F(W10, AFolderIsTakenWhenTheRequestIsMade) {
  Engine engine(in_memory());
  const Callback callback = "#include <n.h>\n__device__ float f(float x) { return VALUE * x; }";
  Options options = {.include_paths = {"inc"}};
  options.routes.required = Route::Host;
  enter("one");
  const std::shared_future<Transform> transform = Transform::create_async(engine, callback, options);
  enter("two");
  EXPECT_EQ(run(transform.get()), 3.0f);
}

// What needs no folder is found in memory wherever the process is.
TEST_F(W10, ACallbackWithoutIncludesIsOneKernelInAllFolders) {
  Engine engine(in_memory());
  enter("one");
  build(engine, "[](float x) { return 2 * x; }", Architecture(90), {});
  enter("two");
  build(engine, "[](float x) { return 2 * x; }", Architecture(90), {});
  EXPECT_EQ(engine.counters().memory_hits, 1u);
}

}  // namespace
}  // namespace graft
