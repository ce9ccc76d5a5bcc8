// C15: `#include "x.h"` in a callback file was looked for in the working folder only, and not beside the file, as a
// compiler does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/files.hpp"
#include "cli/program.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr Route kGpuRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};

// graft does not store a kernel whose headers changed less than 20 ms before the build.
void settle() {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
  settle();
}

std::string function(const std::string& name, const std::string& factor) {
  return "__device__ inline float " + name + "(float x) { return " + factor + " * x; }\n";
}

class C15 : public testing::Test {
 protected:
  C15() {
    write(at("callbacks/f.cu"), "// A callback.\n#include \"x.h\"\n__device__ float f(float x) { return times(x); }\n");
    write(at("callbacks/x.h"), "#pragma once\n#include \"inner/y.h\"\n");
    write(at("callbacks/inner/y.h"), "#include \"z.h\"\n");
    write(at("callbacks/inner/z.h"), function("times", "3"));
  }
  fs::path at(const std::string& name) const { return folder_.path() / name; }
  Callback callback() const { return Callback::file(at("callbacks/f.cu")); }
  EngineOptions cached() const {
    EngineOptions options;
    options.cache.policy = CachePolicy::ReadWrite;
    options.cache.folder = at("cache");
    options.cache.layers.emplace();
    return options;
  }
  static float on_host(const Callback& callback, const Options& options = by(Route::Host)) {
    const std::vector<float> in = {2};
    std::vector<float> out(1);
    Transform::create(callback, options).execute(host, in, out);
    return out[0];
  }

 private:
  base::TemporaryFolder folder_;
};

TEST_F(C15, AreFoundOnEveryRoute) {
  for (const Route route : kGpuRoutes)
    EXPECT_EQ(build(callback(), Architecture(90), by(route)).signature().text(), "float(float)") << name(route);
  EXPECT_EQ(on_host(callback()), 6.0f);
}

TEST_F(C15, InPacksOtherFormatsAndChains) {
  for (const PrecompileFormat format : {PrecompileFormat::Pack, PrecompileFormat::LtoIr, PrecompileFormat::Ptx})
    EXPECT_FALSE(callback().precompile({90}, format).empty()) << name(format);
  write(at("others/g.cu"), "#include \"x.h\"\n__device__ float g(float x) { return add(x); }\n");
  write(at("others/x.h"), "__device__ inline float add(float x) { return x + 1; }\n");
  const Callback both = chain(callback(), Callback::file(at("others/g.cu")));
  for (const Route route : kGpuRoutes)
    EXPECT_EQ(build(both, Architecture(90), by(route)).signature().text(), "float(float)") << name(route);
  EXPECT_EQ(on_host(both), 7.0f);
}

TEST_F(C15, ArePartOfTheKey) {
  Engine engine(cached());
  const Image first = build(engine, callback(), Architecture(90));
  Engine second(cached());
  EXPECT_TRUE(build(second, callback(), Architecture(90)).report().from_cache);
  write(at("callbacks/inner/z.h"), function("times", "5"));
  Engine third(cached());
  const Image changed = build(third, callback(), Architecture(90));
  EXPECT_FALSE(changed.report().from_cache);
  EXPECT_NE(base::as_text(changed.bytes()), base::as_text(first.bytes()));
}

// The key has no paths: the same files in another folder are the same request.
TEST_F(C15, AnotherFolderWithEqualFilesSharesTheEntry) {
  Engine engine(cached());
  build(engine, callback(), Architecture(90));
  fs::copy(at("callbacks"), at("copy"), fs::copy_options::recursive);
  settle();
  Engine other(cached());
  EXPECT_TRUE(build(other, Callback::file(at("copy/f.cu")), Architecture(90)).report().from_cache);
}

// Two files with equal text and different neighbours are different requests, in memory too.
TEST_F(C15, EqualTextsInTwoFoldersAreTwoCallbacks) {
  fs::copy(at("callbacks"), at("copy"), fs::copy_options::recursive);
  settle();
  write(at("copy/inner/z.h"), function("times", "5"));
  const Callback here = callback();
  const Callback there = Callback::source(here.text(), here.name()).with_folder(at("copy"));
  EXPECT_FALSE(here == there);
  EXPECT_EQ(on_host(here), 6.0f);
  EXPECT_EQ(on_host(there), 10.0f);
}

TEST_F(C15, HeadersInMemoryAndAngledIncludesTakeNoNeighbour) {
  Options options = by(Route::Host);
  options.headers = {{"x.h", function("times", "7")}};
  EXPECT_EQ(on_host(callback(), options), 14.0f);
  EXPECT_FALSE(build(callback(), Architecture(90), {.headers = options.headers}).bytes().empty());
  write(at("callbacks/angled.cu"), "#include <x.h>\n__device__ float f(float x) { return times(x); }\n");
  EXPECT_EQ(error_of([&] { build(Callback::file(at("callbacks/angled.cu")), Architecture(90)); }).code(),
            ErrorCode::CompileFailed);
}

TEST_F(C15, AMistakeInTheFileKeepsItsLine) {
  write(at("callbacks/f.cu"), "#include \"x.h\"\n\n__device__ float f(float x) { return absent(x); }\n");
  const Error error = error_of([&] { build(callback(), Architecture(90)); });
  ASSERT_FALSE(error.diagnostics().empty()) << error.what();
  EXPECT_EQ(error.diagnostics()[0].file, at("callbacks/f.cu").string());
  EXPECT_EQ(error.diagnostics()[0].line, 3);
}

TEST_F(C15, TheClosedModeRefusesTheInclude) {
  Options options;
  options.closed.emplace();
  EXPECT_THAT(error_of([&] { build(callback(), Architecture(90), options); }).message(), HasSubstr("closed mode"));
}

TEST_F(C15, TextHasNoneUnlessAFolderIsGiven) {
  const Callback text = Callback::source(callback().text(), at("callbacks/f.cu").string());
  EXPECT_EQ(text.folder(), "");
  EXPECT_EQ(error_of([&] { build(text, Architecture(90)); }).code(), ErrorCode::CompileFailed);
  EXPECT_EQ(on_host(text.with_folder(at("callbacks"))), 6.0f);
}

TEST_F(C15, TheProgramFindsThem) {
  const Program graft;
  fs::create_directories(graft.path("sub"));
  graft.write("sub/f.cu", "#include \"x.h\"\n__device__ float f(float x) { return times(x); }\n");
  graft.write("sub/x.h", function("times", "3"));
  for (const char* command :
       {"inspect sub/f.cu --arch 90", "inspect sub/f.cu --route host", "precompile sub/f.cu --arch 75 -o f.graft"}) {
    const Result run = graft.run(command);
    EXPECT_EQ(run.exit_code, 0) << command << "\n" << run.err;
  }
}

}  // namespace
}  // namespace graft::test
