// Tests headers that change while a kernel is being built. In version 0.1, graft cached the kernel of the new header
// under the key of the old header. When the old header returned, graft used the wrong kernel.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
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

namespace fs = std::filesystem;
using test::HeaderFolder;
using test::sized_callback;
using test::value_of;

class EditedDuringTheBuild : public testing::Test {
 protected:
  EditedDuringTheBuild() {
    headers_.make_folder("first");
    headers_.write_value("one/k.h", 3);
    headers_.write_value("two/k.h", 5);
    headers_.link("second", "one");
    headers_.write("top.h", "#include <k.h>\n");
  }

  // Builds with a cache folder of its own, and without a kernel in memory. Calls `edit` after the scan and just before
  // the compile.
  Image build_with(const std::function<void()>& edit) const {
    engine::LiveCounters counters;
    engine::CacheSettings settings;
    settings.policy = CachePolicy::ReadWrite;
    settings.store.folder = cache_.path() / "cache";
    const engine::Logger no_log({});
    engine::KernelCache cache(settings, test::toolbox(), counters, no_log);
    const Callback callback = source_;
    const engine::Request request = {callback, Architecture(90), options_};
    return Image::Data::image(cache.find_or_build(request, [&](const plan::HeaderScan* scan) {
      edit();
      return routes::build_image(callback, request.architecture, options_, test::toolbox(), scan);
    }));
  }
  Image build() const {
    return build_with([] {});
  }
  std::size_t entries() const {
    std::size_t found = 0;
    if (!fs::exists(cache_.path() / "cache")) return found;
    for (const auto& one : fs::recursive_directory_iterator(cache_.path() / "cache"))
      found += one.path().extension() == ".entry" ? 1 : 0;
    return found;
  }

  HeaderFolder headers_;
  std::string source_ = sized_callback("\"top.h\"");
  Options options_ = {.include_paths = {headers_.path("first"), headers_.path("second"), headers_.path()}};
  base::TemporaryFolder cache_;
};

// Each edit makes the value 5. Without the edit, it is 3.
TEST_F(EditedDuringTheBuild, TheKernelIsThatOfTheScannedHeaders) {
  struct Edit {
    const char* name;
    std::function<void()> edit;
    std::function<void()> take_back;
  };
  const Edit edits[] = {
      {"the header is written", [&] { headers_.write_value("one/k.h", 5); },
       [&] { headers_.write_value("one/k.h", 3); }},
      {"another header hides it", [&] { headers_.write_value("first/k.h", 5); },
       [&] { fs::remove(headers_.path("first/k.h")); }},
      {"another header stands beside the includer", [&] { headers_.write("top.h", "#include \"two/k.h\"\n"); },
       [&] { headers_.write("top.h", "#include <k.h>\n"); }},
      {"its folder is another one", [&] { headers_.link("second", "two"); }, [&] { headers_.link("second", "one"); }},
  };
  for (const Edit& one : edits) {
    SCOPED_TRACE(one.name);
    fs::remove_all(cache_.path() / "cache");
    EXPECT_EQ(value_of(build_with(one.edit)), 3);
    EXPECT_EQ(value_of(build()), 5) << "the edited header is another request";
    one.take_back();
    const Image image = build();
    EXPECT_EQ(value_of(image), 3);
    EXPECT_TRUE(image.report().from_cache);
  }
}

TEST_F(EditedDuringTheBuild, AHeaderThatWasRemovedIsCompiledAllTheSame) {
  const Image image = build_with([&] {
    fs::remove_all(headers_.path("one"));
    fs::remove(headers_.path("top.h"));
  });
  EXPECT_EQ(value_of(image), 3);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(EditedDuringTheBuild, AHeaderBesideTheCallbacksFileToo) {
  const Callback callback = Callback(sized_callback("\"k.h\"")).with_folder(headers_.path("one"));
  engine::LiveCounters counters;
  const engine::Logger no_log({});
  engine::CacheSettings settings;
  settings.policy = CachePolicy::MemoryOnly;
  engine::KernelCache cache(settings, test::toolbox(), counters, no_log);
  const Options options;
  const auto image = cache.find_or_build({callback, Architecture(90), options}, [&](const plan::HeaderScan* scan) {
    fs::remove(headers_.path("one/k.h"));
    return routes::build_image(callback, Architecture(90), options, test::toolbox(), scan);
  });
  EXPECT_EQ(value_of(Image::Data::image(image)), 3);
}

// A header that is found nowhere may be the toolkit's, and graft does not hash these.
TEST_F(EditedDuringTheBuild, AKernelWithAHeaderThatAppearedIsNotStored) {
  headers_.write("top.h", "#include <late.h>\n");
  const Image image = build_with([&] { headers_.write_value("first/late.h", 5); });
  EXPECT_EQ(value_of(image), 5);
  ASSERT_EQ(image.report().notes.size(), 1u) << image.report().to_text();
  EXPECT_EQ(image.report().notes[0], "cache: the kernel was not stored: the header " + headers_.path("first/late.h") +
                                         " appeared while the kernel was built");
  EXPECT_EQ(entries(), 0u);
}

// With a computed #include, NVRTC opens the headers itself.
TEST_F(EditedDuringTheBuild, WhatTheScanCannotReadIsBuiltAgain) {
  source_ = "#define TOP \"top.h\"\n" + sized_callback("TOP\n#include <k.h>");
  int builds = 0;
  const Image image = build_with([&] { headers_.write_value("one/k.h", builds++ == 0 ? 4 : 5); });
  EXPECT_EQ(builds, 3);
  EXPECT_EQ(value_of(image), 5);
  EXPECT_EQ(entries(), 0u);
  const Error error = test::error_of([&] { build_with([&] { headers_.write_value("one/k.h", 10 + builds++); }); });
  EXPECT_EQ(error.code(), ErrorCode::FileUnreadable) << error.what();
  EXPECT_EQ(builds, 6);
}

// A host compiler that edits a header before its first compile.
TEST_F(EditedDuringTheBuild, TheHostRouteBuildsAgain) {
  headers_.write("compiler", "#!/bin/sh\ncase \"$*\" in *--version*) ;; *)\n  mv '" + headers_.path("edit") + "' '" +
                                 headers_.path("one/k.h") + "' 2>/dev/null ;;\nesac\nexec c++ \"$@\"\n");
  fs::permissions(headers_.path("compiler"), fs::perms(0700));
  headers_.write_value("edit", 5);
  EngineOptions how;
  how.cache.policy = CachePolicy::MemoryOnly;
  how.host_compiler = headers_.path("compiler");
  Engine engine(how);
  options_.routes.required = Route::Host;
  const Callback callback = "#include \"top.h\"\n__device__ float f(float x) { return VALUE * x; }";
  const Transform transform = Transform::create(engine, callback, options_);
  const std::vector<float> in = {1};
  std::vector<float> out(1);
  transform.execute(graft::host, in, out);
  EXPECT_EQ(out[0], 5.0f);
  EXPECT_FALSE(fs::exists(headers_.path("edit")));
  Transform::create(engine, callback, options_);
  EXPECT_EQ(engine.counters().memory_hits, 1u);
}

}  // namespace
}  // namespace graft
