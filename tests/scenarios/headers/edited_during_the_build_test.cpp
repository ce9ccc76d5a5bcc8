// Tests headers that change while a kernel is being built. In version 0.1, graft cached the kernel of the new header
// under the key of the old header. When the old header returned, graft used the wrong kernel.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "core/image_data.hpp"
#include "engine/cache_settings.hpp"
#include "engine/kernel_cache.hpp"
#include "routes/builder.hpp"
#include "support/compile.hpp"
#include "support/headers.hpp"

namespace graft {
namespace {

using test::HeaderFolder;
using test::sized_callback;
using test::value_of;

class EditedDuringTheBuild : public testing::Test {
 protected:
  // Builds with a separate cache folder on the same disk. Calls `before` just before the compile and `after` just after
  // the compile.
  Image build_with(
      const std::function<void()>& before, const std::function<void()>& after = [] {}) const {
    engine::LiveCounters counters;
    engine::CacheSettings settings;
    settings.policy = policy_;
    settings.store.folder = cache_.path() / "cache";
    const engine::Logger no_log({});
    engine::KernelCache cache(settings, test::toolbox(), counters, no_log);
    const Callback callback = source_;
    const engine::Request request = {callback, Architecture(90), options_};
    return Image::Data::image(cache.find_or_build(request, [&] {
      before();
      Image::Data image = routes::build_image(callback, request.architecture, options_, test::toolbox());
      after();
      return image;
    }));
  }
  Image build() const {
    return build_with([] {});
  }
  std::size_t entries() const {
    std::size_t found = 0;
    if (!std::filesystem::exists(cache_.path() / "cache")) return found;
    for (const auto& one : std::filesystem::recursive_directory_iterator(cache_.path() / "cache"))
      found += one.path().extension() == ".entry" ? 1 : 0;
    return found;
  }

  HeaderFolder headers_;
  std::string source_ = sized_callback("\"k.h\"");
  Options options_ = {.include_paths = {headers_.path("first"), headers_.path("second")}};
  CachePolicy policy_ = CachePolicy::ReadWrite;

 private:
  base::TemporaryFolder cache_;
};

TEST_F(EditedDuringTheBuild, AHeaderEditedBeforeTheCompileDoesNotPassForTheOldOne) {
  headers_.write_value("second/k.h", 3);
  test::let_headers_age();
  EXPECT_EQ(value_of(build_with([&] { headers_.write_value("second/k.h", 5); })), 5);
  headers_.write_value("second/k.h", 3);
  test::let_headers_age();
  EXPECT_EQ(value_of(build()), 3);
}

TEST_F(EditedDuringTheBuild, AHeaderThatHidesAnotherForTheCompileAloneIsNoticed) {
  headers_.make_folder("first");
  headers_.write_value("second/k.h", 3);
  test::let_headers_age();
  EXPECT_EQ(value_of(build_with([&] { headers_.write_value("first/k.h", 5); },
                                [&] { std::filesystem::remove(headers_.path("first/k.h")); })),
            5);
  test::let_headers_age();
  EXPECT_EQ(value_of(build()), 3);
}

TEST_F(EditedDuringTheBuild, AnEditThatIsTakenBackIsNoticed) {
  headers_.write_value("second/k.h", 3);
  test::let_headers_age();
  EXPECT_EQ(value_of(build_with([&] { headers_.write_value("second/k.h", 5); },
                                [&] { headers_.write_value("second/k.h", 3); })),
            5);
  test::let_headers_age();
  EXPECT_EQ(value_of(build()), 3);
}

TEST_F(EditedDuringTheBuild, ALinkThatIsSwitchedForTheCompileAloneIsNoticed) {
  headers_.write_value("one/k.h", 3);
  headers_.write_value("two/k.h", 5);
  headers_.link("second", "one");
  test::let_headers_age();
  EXPECT_EQ(value_of(build_with([&] { headers_.link("second", "two"); }, [&] { headers_.link("second", "one"); })), 5);
  test::let_headers_age();
  EXPECT_EQ(value_of(build()), 3);
}

TEST_F(EditedDuringTheBuild, AKernelOfAnEditedHeaderIsNotKeptAndSaysWhy) {
  headers_.write_value("second/k.h", 3);
  test::let_headers_age();
  const Image image = build_with([&] { headers_.write_value("second/k.h", 5); });
  ASSERT_EQ(image.report().notes.size(), 1u) << image.report().to_text();
  EXPECT_EQ(image.report().notes[0], "cache: the kernel is used for this call only and was not stored: the header " +
                                         headers_.path("second/k.h") + " changed while the kernel was built");
  EXPECT_EQ(entries(), 0u);
  test::let_headers_age();
  EXPECT_TRUE(build().report().notes.empty());
  EXPECT_EQ(entries(), 1u);
}

// A header that changes just before graft scans it has the same file time as a header that changes just after the scan,
// so graft must not cache the kernel. If this machine pauses for more than 20 ms between the write and the build, the
// file times differ and graft is right to cache the kernel. The test then tries again.
TEST_F(EditedDuringTheBuild, AKernelOfAHeaderThatWasJustWrittenIsNotKept) {
  bool is_kept = true;
  for (int value = 1; is_kept && value <= 100; ++value) {
    headers_.write_value("second/k.h", value);
    const Image image = build();
    EXPECT_EQ(value_of(image), value);
    is_kept = !Image::Data::of(image)->is_for_one_call;
  }
  EXPECT_FALSE(is_kept);
}

TEST_F(EditedDuringTheBuild, APolicyWithoutADiskIsWatchedToo) {
  policy_ = CachePolicy::MemoryOnly;
  headers_.write_value("second/k.h", 3);
  test::let_headers_age();
  EXPECT_TRUE(Image::Data::of(build_with([&] { headers_.write_value("second/k.h", 5); }))->is_for_one_call);
  test::let_headers_age();
  EXPECT_FALSE(Image::Data::of(build())->is_for_one_call);
}

// A folder of headers and an engine with a fake host compiler. When the test asks for an edit, the host compiler edits
// one header before it compiles.
class EditingCompiler {
 public:
  EditingCompiler() {
    headers_.write_value("inc/k.h", 3);
    headers_.write("compiler",
                   "#!/bin/sh\nfolder='" + headers_.path() +
                       "'\nif mv $folder/edit $folder/done 2>/dev/null; then cat $folder/done > $folder/inc/k.h; fi\n"
                       "exec c++ \"$@\"\n");
    std::filesystem::permissions(headers_.path("compiler"), std::filesystem::perms(0700));
    options_.include_paths = {headers_.path("inc")};
    options_.routes.required = Route::Host;
    EngineOptions how;
    how.cache.policy = CachePolicy::MemoryOnly;
    how.host_compiler = headers_.path("compiler");
    engine_.emplace(how);
    Transform::create(*engine_, "[](float x) { return x; }", options_);  // makes the engine search for its compiler now
    test::let_headers_age();
  }

  void edit(int value) const {
    headers_.write_value("inc/k.h", value);
    test::let_headers_age();
  }
  void edit_in_the_next_build(int value) const { headers_.write_value("edit", value); }
  std::string header() const { return headers_.path("inc/k.h"); }

  Transform create() { return Transform::create(*engine_, callback_, options_); }
  std::shared_future<Transform> create_async() { return Transform::create_async(*engine_, callback_, options_); }
  Counters counters() const { return engine_->counters(); }

 private:
  test::HeaderFolder headers_;
  const Callback callback_ = "#include \"k.h\"\n__device__ float f(float x) { return VALUE * x; }";
  Options options_;
  std::optional<Engine> engine_;
};

TEST_F(EditedDuringTheBuild, AnEngineDoesNotKeepATransformOfAnEditedHeader) {
  EditingCompiler host;
  host.edit_in_the_next_build(5);
  const Transform first = host.create();
  EXPECT_EQ(test::result_of_one(first), 5.0f);
  ASSERT_EQ(first.report().notes.size(), 1u);
  EXPECT_NE(first.report().notes[0].find(host.header()), std::string::npos) << first.report().notes[0];
  host.edit(7);
  const Transform second = host.create();
  EXPECT_EQ(test::result_of_one(second), 7.0f);
  EXPECT_TRUE(second.report().notes.empty());
  const std::uint64_t hits = host.counters().memory_hits;
  EXPECT_EQ(test::result_of_one(host.create()), 7.0f);
  EXPECT_EQ(host.counters().memory_hits, hits + 1);
}

TEST_F(EditedDuringTheBuild, ThreadsThatWaitedBuildForThemselves) {
  EditingCompiler host;
  host.edit_in_the_next_build(5);
  const std::uint64_t builds = host.counters().builds;
  std::vector<std::shared_future<Transform>> transforms;
  for (int i = 0; i < 4; ++i) transforms.push_back(host.create_async());
  int alone = 0;
  for (const auto& transform : transforms) {
    EXPECT_EQ(test::result_of_one(transform.get()), 5.0f);
    alone += Image::Data::of(transform.get().image())->is_for_one_call ? 1 : 0;
  }
  EXPECT_EQ(alone, 1);
  EXPECT_EQ(host.counters().builds, builds + 2);
}

}  // namespace
}  // namespace graft
