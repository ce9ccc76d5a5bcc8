// Tests that different requests have different keys on disk, or none. In version 0.1, different requests had the same
// key on disk, for three reasons. graft sorted defines by their text, although F and F(x) define the same macro. A
// paste operator can assemble __FILE__, and the scan missed that. A header that the scan could not read was left out of
// the key.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/engine_impl.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/headers.hpp"

namespace graft {
namespace {

namespace fs = std::filesystem;
const std::string kPlain = "__device__ float f(float x) { return x; }\n";

plan::DiskKey key_of(const std::string& source, const Options& options = {}) {
  EngineOptions how;
  how.cache.policy = CachePolicy::MemoryOnly;
  Engine engine(how);
  return Engine::Impl::of(engine)->cache().key_of({{source}, Architecture(90), options});
}

std::vector<std::string> reasons(const std::string& source, const Options& options = {}) {
  return key_of(source, options).memory_only;
}

TEST(EqualKeys, TheOrderOfDefinesCountsWhereOneMacroHasTwo) {
  const auto text = [](std::vector<Define> defines) { return key_of(kPlain, {.defines = std::move(defines)}).text; };
  EXPECT_NE(text({{"F", "1"}, {"F(x)", "2"}}), text({{"F(x)", "2"}, {"F", "1"}}));
  EXPECT_NE(text({{"F(x)", "1"}, {"F(y)", "2"}}), text({{"F(y)", "2"}, {"F(x)", "1"}}));
  EXPECT_NE(text({{"A=1//", "1"}, {"A", "2"}}), text({{"A", "2"}, {"A=1//", "1"}}));
  EXPECT_EQ(text({{"A", "1"}, {"B", "2"}}), text({{"B", "2"}, {"A", "1"}}));
}

TEST(EqualKeys, ADefineIsAName) {
  for (const char* name : {"@file", "A=1//", "A B", "1A", "A(x", "A(x) ", "A (x)", "A(1)", "A(x,)", "A(x y)", "-DA",
                           "A\n", "A(...,x)", "(x)", "A(x)(y)", "\"A\"", "A,B"}) {
    const Error error = test::error_of([&] { build(kPlain, Architecture(90), {.defines = {{name, "1"}}}); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << name;
    EXPECT_NE(error.message().find("Options::defines"), std::string::npos) << error.what();
  }
  for (const char* name : {"A", "_a1", "F()", "F(x)", "F( x , y )", "F(...)", "F(x, ...)", "F(args...)"})
    EXPECT_NO_THROW(build(kPlain, Architecture(90), {.defines = {{name, "1"}}})) << name;
}

TEST(EqualKeys, ADefinesValueIsOneWholeLine) {
  for (const std::string value : {"1\n#define B 2", "1\r2", "/* open", "\"open", "'o", "1 \\", "1 \\ ", "R\"(open",
                                  "L\"open", "1 ?\?/", "\"a\" \"b", "1\v\n"}) {
    const Error error = test::error_of([&] { build(kPlain, Architecture(90), {.defines = {{"A", value}}}); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << value;
    EXPECT_NE(error.message().find("Options::defines"), std::string::npos) << error.what();
  }
  for (const char* value :
       {"", "1", "x + \"y\"", "'c'", "/* whole */ 1", "R\"(whole)\"", "a ## b", "1 // rest", "\"\\\"\"", "\"//\""})
    EXPECT_NO_THROW(build(kPlain, Architecture(90), {.defines = {{"A", value}}})) << value;
}

TEST(EqualKeys, ANameThatIsPastedCounts) {
  test::HeaderFolder headers;
  headers.write("paste.h", "#define PASTE(a, b) a##b\n");
  headers.write("piece.h", "#define PIECE LE__\n");
  const Options folder = {.include_paths = {headers.path()}};
  const auto use = [](const std::string& what) { return "const char* name() { return " + what + "; }\n" + kPlain; };

  EXPECT_FALSE(reasons("#define P(a, b) a##b\n" + use("P(__FI, LE__)")).empty());
  EXPECT_FALSE(reasons("#define P(a, b) a%:%:b\n" + use("P(__FI, LE__)")).empty());
  EXPECT_FALSE(reasons("#define P(a, b) a # \\\n# b\n" + use("P(__FI, LE__)")).empty() &&
               reasons("#define P(a, b) a #\\\n# b\n" + use("P(__FI, LE__)")).empty());
  EXPECT_FALSE(reasons("#define P(a) __##a##__\n" + use("P(FILE)")).empty());
  EXPECT_FALSE(reasons("#define P(a, b) a##b\n" + use("P(__TI, ME__)")).empty());
  EXPECT_FALSE(reasons("#define P(a, b) a##b\n" + use("P(__DATE, __)")).empty());
  EXPECT_FALSE(reasons("#define P(a, b) a##b\n" + use("P(ass, ert)(1)")).empty());
  EXPECT_FALSE(reasons("#include \"paste.h\"\n" + use("PASTE(__FI, LE__)"), folder).empty());
  EXPECT_FALSE(reasons("#include \"paste.h\"\n#include \"piece.h\"\n" + use("PASTE(__FI, PIECE)"), folder).empty());
  EXPECT_FALSE(reasons(use("P(__FI, LE__)"), {.defines = {{"P(a, b)", "a##b"}}}).empty());
  EXPECT_FALSE(reasons("#define P(a, b) a##b\n" + use("P(__FI, PIECE)"), {.defines = {{"PIECE", "LE__"}}}).empty());
  EXPECT_FALSE(
      reasons("#include \"p.h\"\n" + use("P(__FI, LE__)"), {.headers = {{"p.h", "#define P(a, b) a##b\n"}}}).empty());
  // A macro in a toolkit header may contain a paste operator too.
  EXPECT_FALSE(reasons("#include <cuda/std/array>\n" + use("_SOME_CONCAT(__FI, LE__)")).empty());

  // Without a paste operator, or without both halves of the name, the source cannot assemble __FILE__.
  EXPECT_TRUE(reasons(use("P(__FI, LE__)")).empty());
  EXPECT_TRUE(reasons("#define P(a, b) a##b\n" + use("P(x, y)")).empty());
  EXPECT_TRUE(reasons("#define P(a, b) a##b\n" + use("P(__LI, NE__)")).empty());
  EXPECT_TRUE(reasons("#define P(a, b) a##b // \"__FI\" \"LE__\"\n" + use("\"__FI\" \"LE__\"")).empty());
}

TEST(EqualKeys, OtherWaysToReadAFileCount) {
  EXPECT_FALSE(reasons("const char text[] = {\n#embed \"k.h\"\n};\n" + kPlain).empty());
  EXPECT_FALSE(reasons("import \"k.h\";\n" + kPlain).empty());
  EXPECT_FALSE(reasons("export import <k.h>;\n" + kPlain).empty());
  EXPECT_FALSE(reasons("#if __has_embed(\"k.h\")\n#endif\n" + kPlain).empty());
  EXPECT_TRUE(reasons("__device__ float f(float import) { return\n import * 2; }\n").empty());
}

// Compilers disagree on where these lines or strings end, so the scan cannot know whether they contain #include
// directives. These kernels must stay out of the disk cache.
TEST(EqualKeys, DoubtfulLinesStayInMemory) {
  EXPECT_FALSE(reasons("// c \\ \n#include \"k.h\"\n" + kPlain).empty());
  EXPECT_FALSE(reasons("// c\r#include \"k.h\"\n" + kPlain).empty());
  EXPECT_FALSE(reasons("// c ?\?/\n#include \"k.h\"\n" + kPlain).empty());
  EXPECT_FALSE(
      reasons("constexpr const char* s = R\"x( )\\\nx\" ; R\"y( \n)x\";\n#include \"k.h\"\n" + kPlain).empty());
  EXPECT_TRUE(reasons("#define A \\\r\n 1\r\n" + kPlain).empty());
  EXPECT_TRUE(reasons("#define A \\\n 1\n" + kPlain).empty());
  EXPECT_TRUE(reasons("constexpr const char* s = R\"x( )x\";\n" + kPlain).empty());
}

TEST(EqualKeys, AHeaderThatCannotBeReadKeepsTheRequestInMemory) {
  test::HeaderFolder headers;
  headers.make_folder("first");
  const std::string file = headers.path("first/k.h");
  headers.write_value("second/k.h", 3);
  const std::string source = test::sized_callback("\"k.h\"");
  const auto why = [&] {
    const std::vector<std::string> all =
        reasons(source, {.include_paths = {headers.path("first"), headers.path("second")}});
    std::string text;
    for (const std::string& one : all) text += one;
    fs::remove_all(file);
    return text;
  };
  EXPECT_EQ(why(), "");
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_NE(why().find(file), std::string::npos);
  fs::create_symlink("k.h", file);
  EXPECT_NE(why().find(file), std::string::npos);
  fs::create_symlink("/dev/null", file);
  EXPECT_NE(why().find(file), std::string::npos);
  headers.write("first/k.h", "");
  fs::resize_file(file, (std::uintmax_t{64} << 20) + 1);
  EXPECT_NE(why().find(file), std::string::npos);
  headers.write("first/k.h", std::string("int a;\0\n", 8));
  EXPECT_NE(why(), "");
  // No compiler includes a folder or a dangling link as a header, even if its name is the header's name.
  fs::create_directory(file);
  EXPECT_EQ(why(), "");
  fs::create_symlink("nowhere", file);
  EXPECT_EQ(why(), "");
}

TEST(EqualKeys, ASocketKeepsTheRequestInMemory) {
  test::HeaderFolder headers;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string file = headers.path("k.h");
  ASSERT_LT(file.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, file.c_str(), file.size() + 1);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_FALSE(reasons(test::sized_callback("\"k.h\""), {.include_paths = {headers.path()}}).empty());
  ::close(descriptor);
}

// graft identifies the toolkit's own headers by the toolkit's version and does not read them.
TEST(EqualKeys, ANamedToolkitFolderCountsByItsIdentity) {
  const compile::Toolbox tools({}, {}, 0);
  const std::string include = tools.toolkit().include_folder().string();
  ASSERT_FALSE(include.empty()) << "the toolkit has no headers";
  for (const std::string& folder : {include, include + "/.", include + "/cccl"}) {
    const plan::DiskKey key =
        key_of("#include <cuda_fp16.h>\n#include <cuda/std/array>\n" + kPlain, {.include_paths = {folder}});
    EXPECT_TRUE(key.memory_only.empty()) << folder;
    EXPECT_LT(key.text.size(), 2000u) << folder << ": " << key.text;
    EXPECT_NE(key.text.find("toolkit"), std::string::npos) << folder << ": " << key.text;
  }
}

}  // namespace
}  // namespace graft
