// Tests headers that lie beside the file that includes them. In version 0.1, `#include "x.h"` in a callback file was
// looked for in the working folder only, and not beside the file, as a compiler does. A header in memory found the
// header beside it on the host route only.
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
#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

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

class HeadersBesideTheFile : public testing::Test {
 protected:
  HeadersBesideTheFile() {
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

TEST_F(HeadersBesideTheFile, AreFoundOnEveryRoute) {
  for (const Route route : kGpuRoutes)
    EXPECT_EQ(build(callback(), Architecture(90), by(route)).signature().text(), "float(float)") << name(route);
  EXPECT_EQ(on_host(callback()), 6.0f);
}

TEST_F(HeadersBesideTheFile, InPacksOtherFormatsAndChains) {
  for (const PrecompileFormat format : {PrecompileFormat::Pack, PrecompileFormat::LtoIr, PrecompileFormat::Ptx})
    EXPECT_FALSE(callback().precompile({90}, format).empty()) << name(format);
  write(at("others/g.cu"), "#include \"x.h\"\n__device__ float g(float x) { return add(x); }\n");
  write(at("others/x.h"), "__device__ inline float add(float x) { return x + 1; }\n");
  const Callback both = chain(callback(), Callback::file(at("others/g.cu")));
  for (const Route route : kGpuRoutes)
    EXPECT_EQ(build(both, Architecture(90), by(route)).signature().text(), "float(float)") << name(route);
  EXPECT_EQ(on_host(both), 7.0f);
}

TEST_F(HeadersBesideTheFile, ArePartOfTheKey) {
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
TEST_F(HeadersBesideTheFile, AnotherFolderWithEqualFilesSharesTheEntry) {
  Engine engine(cached());
  build(engine, callback(), Architecture(90));
  fs::copy(at("callbacks"), at("copy"), fs::copy_options::recursive);
  settle();
  Engine other(cached());
  EXPECT_TRUE(build(other, Callback::file(at("copy/f.cu")), Architecture(90)).report().from_cache);
}

// Two files with equal text and different neighbours are different requests, in memory too.
TEST_F(HeadersBesideTheFile, EqualTextsInTwoFoldersAreTwoCallbacks) {
  fs::copy(at("callbacks"), at("copy"), fs::copy_options::recursive);
  settle();
  write(at("copy/inner/z.h"), function("times", "5"));
  const Callback here = callback();
  const Callback there = Callback::source(here.text(), here.name()).with_folder(at("copy"));
  EXPECT_FALSE(here == there);
  EXPECT_EQ(on_host(here), 6.0f);
  EXPECT_EQ(on_host(there), 10.0f);
}

TEST_F(HeadersBesideTheFile, HeadersInMemoryAndAngledIncludesTakeNoNeighbour) {
  Options options = by(Route::Host);
  options.headers = {{"x.h", function("times", "7")}};
  EXPECT_EQ(on_host(callback(), options), 14.0f);
  EXPECT_FALSE(build(callback(), Architecture(90), {.headers = options.headers}).bytes().empty());
  write(at("callbacks/angled.cu"), "#include <x.h>\n__device__ float f(float x) { return times(x); }\n");
  EXPECT_EQ(error_of([&] { build(Callback::file(at("callbacks/angled.cu")), Architecture(90)); }).code(),
            ErrorCode::CompileFailed);
}

// In the working folder too, the header beside the file is another one than the header that text without a folder
// includes: for text, NVRTC takes graft's own math.h, which it has in memory.
TEST_F(HeadersBesideTheFile, AHeaderNamedLikeAStandardOneIsAnotherRequestOnDisk) {
  write(at("callbacks/f.cu"), "#include \"math.h\"\n__device__ float f(float x) { return sqrtf(x) * FACTOR; }\n");
  Options options;
  options.defines = {{"FACTOR", "2"}};
  write(at("callbacks/math.h"), "#undef FACTOR\n#define FACTOR 3\n");
  const fs::path before = fs::current_path();
  fs::current_path(at("callbacks"));
  const Callback file = callback();
  const Callback text = Callback::source(file.text(), file.name());
  Engine engine(cached());
  const Image of_file = build(engine, file, Architecture(90), options);
  Engine second(cached());
  const Image of_text = build(second, text, Architecture(90), options);
  fs::current_path(before);
  EXPECT_FALSE(of_text.report().from_cache);
  EXPECT_NE(base::as_text(of_text.bytes()), base::as_text(of_file.bytes()));
}

TEST_F(HeadersBesideTheFile, HasIncludeFindsThem) {
  const char* text =
      "#if __has_include(\"x.h\") && !__has_include(\"absent.h\")\n#include \"x.h\"\n#else\n"
      "__device__ double times(float);\n#endif\n__device__ auto f(float x) { return times(x); }\n";
  write(at("callbacks/f.cu"), text);
  for (const Route route : kGpuRoutes)
    EXPECT_EQ(build(callback(), Architecture(90), by(route)).signature().text(), "float(float)") << name(route);
  EXPECT_EQ(on_host(callback()), 6.0f);
}

TEST_F(HeadersBesideTheFile, TheNameIsReplacedWhereItStands) {
  for (const char* line :
       {"/* \"x.h\" */ #include \"x.h\" // \"x.h\"", "#include \\\n\"x.h\"", "#inc\\\nlude \"x\\\n.h\""}) {
    SCOPED_TRACE(line);
    write(at("callbacks/f.cu"), std::string(line) + "\n__device__ float f(float x) { return times(x); }\n");
    EXPECT_EQ(build(callback(), Architecture(90)).signature().text(), "float(float)");
    EXPECT_EQ(on_host(callback()), 6.0f);
  }
  write(at("callbacks/f.cu"), "#include \"x\\\n.h\"\n__device__ float f(float x) { return absent(x); }\n");
  const Error error = error_of([&] { build(callback(), Architecture(90)); });
  ASSERT_FALSE(error.diagnostics().empty()) << error.what();
  EXPECT_EQ(error.diagnostics()[0].line, 3);
}

// A header in memory finds the header beside it, as a file does.
TEST_F(HeadersBesideTheFile, HeadersInMemoryHaveNeighboursToo) {
  const Callback text = "#include \"a/x.h\"\n__device__ auto f(float x) { return times(x); }";
  Options options;
  options.headers = {{"a/x.h", "#include \"k.h\"\n"},
                     {"a/k.h", "#if __has_include(\"../b/z.h\")\n#include \"../b/z.h\"\n#endif\n"},
                     {"k.h", "__device__ inline double times(double x) { return x; }\n"},
                     {"b/z.h", function("times", "3")}};
  for (const Route route : kGpuRoutes) {
    options.routes = by(route).routes;
    EXPECT_EQ(build(text, Architecture(90), options).signature().text(), "float(float)") << name(route);
  }
  options.routes = by(Route::Host).routes;
  EXPECT_EQ(on_host(text, options), 6.0f);
}

TEST_F(HeadersBesideTheFile, NeighboursInMemoryArePartOfTheKey) {
  const Callback text = "#include \"a/x.h\"\n__device__ float f(float x) { return times(x); }";
  Options options;
  options.headers = {{"a/x.h", "#include \"k.h\"\n"}, {"a/k.h", function("times", "3")}};
  Engine engine(cached());
  const Image first = build(engine, text, Architecture(90), options);
  Engine second(cached());
  EXPECT_TRUE(build(second, text, Architecture(90), options).report().from_cache);
  options.headers[1].text = function("times", "5");
  Engine third(cached());
  const Image changed = build(third, text, Architecture(90), options);
  EXPECT_FALSE(changed.report().from_cache);
  EXPECT_NE(base::as_text(changed.bytes()), base::as_text(first.bytes()));
}

TEST_F(HeadersBesideTheFile, AMistakeInTheFileKeepsItsLine) {
  write(at("callbacks/f.cu"), "#include \"x.h\"\n\n__device__ float f(float x) { return absent(x); }\n");
  const Error error = error_of([&] { build(callback(), Architecture(90)); });
  ASSERT_FALSE(error.diagnostics().empty()) << error.what();
  EXPECT_EQ(error.diagnostics()[0].file, at("callbacks/f.cu").string());
  EXPECT_EQ(error.diagnostics()[0].line, 3);
}

TEST_F(HeadersBesideTheFile, TheClosedModeRefusesTheInclude) {
  Options options;
  options.closed.emplace();
  EXPECT_THAT(error_of([&] { build(callback(), Architecture(90), options); }).message(), HasSubstr("closed mode"));
}

TEST_F(HeadersBesideTheFile, TextHasNoneUnlessAFolderIsGiven) {
  const Callback text = Callback::source(callback().text(), at("callbacks/f.cu").string());
  EXPECT_EQ(text.folder(), "");
  EXPECT_EQ(error_of([&] { build(text, Architecture(90)); }).code(), ErrorCode::CompileFailed);
  EXPECT_EQ(on_host(text.with_folder(at("callbacks"))), 6.0f);
}

TEST_F(HeadersBesideTheFile, TheProgramFindsThem) {
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
