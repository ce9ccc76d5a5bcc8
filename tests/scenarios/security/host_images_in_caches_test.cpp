// Tests that no cache or pack makes graft load code for the host. In version 0.1, a cache entry under the key of a GPU
// kernel could claim to be an image of the host route. `graft cache import` and `verify` accepted the entry, and
// Transform::load gave the image to dlopen, which runs the image's constructors.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "base/hash.hpp"
#include "cli/program.hpp"
#include "families/kept_kernels.hpp"
#include "format/cache_entry.hpp"
#include "format/cache_export.hpp"
#include "format/pack.hpp"
#include "graft/graft.hpp"
#include "support/packs.hpp"

namespace graft {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const char* const kSource = "__device__ float twice(float x) { return 2 * x; }";

class HostImagesInCaches : public testing::Test {
 protected:
  Image request() const {
    Engine engine(graft_.engine_options());
    return build(engine, kSource, Architecture(90));
  }

  // Returns the path of the cache's only entry, which is a valid entry for the request above.
  fs::path file() const {
    for (const auto& one : fs::recursive_directory_iterator(graft_.path("own-cache")))
      if (one.path().extension() == ".entry") return one.path();
    return {};
  }
  format::CacheEntry good() const {
    request();
    return std::get<format::CacheEntry>(families::read_cache_entry(base::as_bytes(base::read_file(file()).value())));
  }
  void plant(const format::CacheEntry& entry) const {
    ASSERT_TRUE(base::write_file(file(), format::write_cache_entry(entry)));
  }

  // The path of a file that the constructor of a shared object creates. Building the shared object creates the file
  // once, because graft then loads the object to read the signature.
  std::string trace() const { return graft_.path("it-ran"); }
  Image host_image() const {
    Options host;
    host.routes.required = Route::Host;
    Engine engine(graft_.engine_options());
    const std::string source = fmt::format(
        "extern \"C\" int creat(const char*, unsigned);\n"
        "static int planted = creat(\"{}\", 0600);\n"
        "__device__ float twice(float x) {{ return 2 * x; }}",
        trace());
    Image image = build(engine, Callback(source).with_entry("twice"), Architecture(90), host);
    EXPECT_TRUE(fs::remove(trace()));
    return image;
  }

  test::Program graft_;
};

struct Forgery {
  const char* name;
  std::function<void(format::CacheEntry&)> change;
};

// Entries that claim to be images of the host route. Each forgery is complete and has the right name and a correct
// checksum.
std::vector<Forgery> forgeries(const Image& host) {
  const auto put_host_image = [host](format::CacheEntry& entry) {
    entry.image.assign(host.bytes().begin(), host.bytes().end());
  };
  return {
      {"the host's report and image",
       [host, put_host_image](format::CacheEntry& entry) {
         entry.report = host.report();
         put_host_image(entry);
       }},
      {"the host's route for this architecture",
       [put_host_image](format::CacheEntry& entry) {
         entry.report.kernel.route = Route::Host;
         put_host_image(entry);
       }},
      {"the host's route and a cubin", [](format::CacheEntry& entry) { entry.report.kernel.route = Route::Host; }},
      {"the host's image", put_host_image},
      {"a report of another architecture",
       [](format::CacheEntry& entry) { entry.report.kernel.architecture = Architecture(80); }},
      {"a report of a feature set",
       [](format::CacheEntry& entry) { entry.report.kernel.architecture = Architecture(90, 'a'); }},
      {"no image", [](format::CacheEntry& entry) { entry.image.clear(); }},
      {"half a header", [](format::CacheEntry& entry) { entry.image.resize(19); }},
      {"PTX",
       [](format::CacheEntry& entry) {
         const auto text = base::as_bytes(".version 9.0\n.target sm_90\n.address_size 64\n");
         entry.image.assign(text.begin(), text.end());
       }},
      {"a fatbin",
       [](format::CacheEntry& entry) {
         const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba};
         std::ranges::transform(magic, entry.image.begin(), [](unsigned char c) { return std::byte{c}; });
       }},
  };
}

TEST_F(HostImagesInCaches, NoneIsFoundAndNothingIsLoaded) {
  const format::CacheEntry entry = good();
  const Image host = host_image();
  for (const Forgery& forgery : forgeries(host)) {
    SCOPED_TRACE(forgery.name);
    format::CacheEntry forged = entry;
    forgery.change(forged);
    plant(forged);
    Engine engine(graft_.engine_options());
    const Image image = build(engine, kSource, Architecture(90));
    EXPECT_FALSE(image.report().from_cache);
    EXPECT_EQ(image.report().kernel.route, Route::Program);
    EXPECT_EQ(engine.counters().rejected_entries, 1u);
    EXPECT_THAT(fmt::format("{}", fmt::join(image.report().notes, "\n")), HasSubstr(file().string() + " is damaged"));
    try {
      // Transform::load fails without a GPU. If graft took the forged image for an image of the host route, dlopen
      // would run the image's constructor before the failure.
      Transform::load(engine, image);
    } catch (const Error&) {
    }
    EXPECT_FALSE(fs::exists(trace()));
    EXPECT_TRUE(request().report().from_cache) << "the rebuilt entry must have replaced the forged one";
  }
}

TEST_F(HostImagesInCaches, NoneIsImported) {
  const format::CacheEntry entry = good();
  std::vector<base::Bytes> files = {format::write_cache_entry(entry)};
  const Image host = host_image();
  const std::vector<Forgery> all = forgeries(host);
  for (const Forgery& forgery : all) {
    format::CacheEntry forged = entry;
    forgery.change(forged);
    files.push_back(format::write_cache_entry(forged));
  }
  for (const char* key : {"", "no key", "architecture 5:sm_90", "source 1:x\n", "architecture 5:sm_80\n"}) {
    format::CacheEntry forged = entry;
    forged.key = key;
    files.push_back(format::write_cache_entry(forged));
  }
  graft_.write("forged.kernels", base::as_text(format::write_cache_export(files)));
  const test::Result imported = graft_.run("cache import forged.kernels", "GRAFT_CACHE_DIR=$PWD/there");
  EXPECT_EQ(imported.exit_code, 1);
  EXPECT_EQ(imported.out, "imported 1 kernel\n");
  EXPECT_THAT(imported.err,
              HasSubstr(fmt::format("not imported, because damaged or from another version of graft: {} kernels",
                                    files.size() - 1)));
  EXPECT_FALSE(fs::exists(trace()));
}

TEST_F(HostImagesInCaches, VerifyRemovesEach) {
  const format::CacheEntry entry = good();
  const Image host = host_image();
  for (const Forgery& forgery : forgeries(host)) {
    SCOPED_TRACE(forgery.name);
    request();
    format::CacheEntry forged = entry;
    forgery.change(forged);
    const fs::path at = file();
    plant(forged);
    EXPECT_EQ(graft_.run("cache verify").out, at.string() + ": it is damaged; removed\n");
    EXPECT_FALSE(fs::exists(at));
  }
  EXPECT_FALSE(fs::exists(trace()));
}

// graft gives a finished kernel in a pack to the driver, so the finished kernel must be a cubin.
TEST_F(HostImagesInCaches, NoPackHoldsAnObjectForTheHost) {
  const Image host = host_image();
  const base::Bytes whole = [&] {
    Engine engine(graft_.engine_options());
    return precompile(engine, kSource, {90}, PrecompileFormat::PackWithCubins);
  }();
  format::Outcome<format::Pack> read = families::read_pack(whole);
  ASSERT_TRUE(read);
  std::vector<format::PackPart>& parts = test::only_kernel(*read).parts;
  std::erase_if(parts, [](const format::PackPart& part) { return part.kind != format::PackPartKind::Cubin; });
  parts.at(0).bytes = host.bytes();
  const auto forged = families::write_pack(*read);
  ASSERT_TRUE(forged) << forged.error().message;
  Engine engine(graft_.engine_options());
  try {
    const Image image = build(engine, Callback::pack(*forged), Architecture(90));
    ADD_FAILURE() << "a kernel was built from a pack that contains an object for the host";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("its finished kernel for sm_90 is none: its image is not a complete cubin"));
  }
  EXPECT_FALSE(fs::exists(trace()));
}

}  // namespace
}  // namespace graft
