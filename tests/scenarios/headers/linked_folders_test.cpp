// Tests headers behind symbolic links and "..". In version 0.1, graft's scan for headers treated paths with symbolic
// links and ".." as text, but the compiler resolves paths through the file system. The scan then put another header
// into the key than the compiler read. After an edit of the header that the compiler read, the old kernel came back
// from the disk cache.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/files.hpp"
#include "graft/graft.hpp"
#include "support/compile.hpp"
#include "support/headers.hpp"

namespace graft {
namespace {

using test::HeaderFolder;
using test::sized_callback;
using test::value_of;

class LinkedFolders : public testing::Test {
 protected:
  EngineOptions engine_options() const {
    EngineOptions options;
    options.cache.policy = CachePolicy::ReadWrite;
    options.cache.folder = cache_.path() / "cache";
    options.cache.layers.emplace();
    return options;
  }
  // Builds with a new engine that has no kernel in memory.
  Image build_anew(const std::string& source, const Options& options = {}) const {
    Engine engine(engine_options());
    return build(engine, source, Architecture(90), options);
  }
  // Expects that graft finds the cached kernel while nothing changes, and that it builds a new kernel after `edit`.
  template <class Edit>
  void expect_seen(const std::string& source, const Options& options, int before, int after, Edit edit) const {
    EXPECT_EQ(value_of(build_anew(source, options)), before);
    const Image again = build_anew(source, options);
    EXPECT_EQ(value_of(again), before);
    EXPECT_TRUE(again.report().from_cache) << again.report().to_text();
    edit();
    const Image edited = build_anew(source, options);
    EXPECT_EQ(value_of(edited), after) << "from_cache=" << edited.report().from_cache;
  }

  HeaderFolder headers_;

 private:
  base::TemporaryFolder cache_;
};

TEST_F(LinkedFolders, AFolderBehindALinkAndDotDotIsTheSystemsOne) {
  headers_.make_folder("releases/one");
  headers_.link("proj/current", "../releases/one");
  headers_.write_value("releases/inc/k.h", 3);
  expect_seen(sized_callback("\"k.h\""), {.include_paths = {headers_.path("proj/current/../inc")}}, 3, 5,
              [&] { headers_.write_value("releases/inc/k.h", 5); });
}

TEST_F(LinkedFolders, AHeaderInALinkedFolderGoesUpFromWhereTheLinkLeads) {
  headers_.write("real/deep/top.h", "#include \"../common/k.h\"\n");
  headers_.write_value("real/common/k.h", 3);
  headers_.link("inc", "real/deep");
  expect_seen(sized_callback("\"top.h\""), {.include_paths = {headers_.path("inc")}}, 3, 5,
              [&] { headers_.write_value("real/common/k.h", 5); });
}

TEST_F(LinkedFolders, AnIncludesOwnDotDotIsTheSystemsOne) {
  headers_.make_folder("real/deep");
  headers_.link("inc/link", "../real/deep");
  headers_.write_value("real/k.h", 3);
  expect_seen(sized_callback("<link/../k.h>"), {.include_paths = {headers_.path("inc")}}, 3, 5,
              [&] { headers_.write_value("real/k.h", 5); });
}

TEST_F(LinkedFolders, AnAbsoluteNameIsTheSystemsOne) {
  headers_.make_folder("real/deep");
  headers_.link("inc/link", "../real/deep");
  headers_.write_value("real/k.h", 3);
  expect_seen(sized_callback("\"" + headers_.path("inc/link/../k.h") + "\""), {}, 3, 5,
              [&] { headers_.write_value("real/k.h", 5); });
}

TEST_F(LinkedFolders, ALinkThatIsSwitchedIsSeen) {
  headers_.write("one/k.h", "#include \"n.h\"\n");
  headers_.write("two/k.h", "#include \"n.h\"\n");
  headers_.write_value("one/n.h", 3);
  headers_.write_value("two/n.h", 5);
  headers_.link("current", "one");
  expect_seen(sized_callback("\"k.h\""), {.include_paths = {headers_.path("current")}}, 3, 5,
              [&] { headers_.link("current", "two"); });
}

// With #pragma once, a file that has two names is included once, but two files with equal content are both included.
TEST_F(LinkedFolders, ALinkAndACopyAreToldApart) {
  const std::string text =
      "#pragma once\n#ifdef VALUE\n#undef VALUE\n#define VALUE 5\n#else\n#define VALUE 3\n#endif\n";
  headers_.write("k.h", text);
  headers_.link("n.h", "k.h");
  const std::string source = sized_callback("\"k.h\"\n#include \"n.h\"");
  expect_seen(source, {.include_paths = {headers_.path()}}, 3, 5, [&] {
    std::filesystem::remove(headers_.path("n.h"));
    headers_.write("n.h", text);
  });
}

// NVRTC compares the paths of files with #pragma once as texts: behind inc/k.h it reads no inc/link/../k.h, although
// that is another file.
TEST_F(LinkedFolders, APathThroughALinkIsComparedAsTheCompilerDoes) {
  headers_.make_folder("real/deep");
  headers_.link("inc/link", "../real/deep");
  headers_.write("inc/k.h", "#pragma once\n#undef VALUE\n#define VALUE 3\n");
  headers_.write("real/k.h", "#undef VALUE\n#define VALUE 5\n");
  const std::string source = sized_callback("<k.h>\n#include <link/../k.h>");
  const Options options = {.include_paths = {headers_.path("inc")}};
  EXPECT_EQ(value_of(build_anew(source, options)), static_cast<int>(test::signature_of(source, options).state()->size));
  const std::string reversed = sized_callback("<link/../k.h>\n#include <k.h>");
  EXPECT_EQ(value_of(build_anew(reversed, options)),
            static_cast<int>(test::signature_of(reversed, options).state()->size));
}

// A header in memory is a header text that the caller passes in Options::headers. If it includes another file, NVRTC
// treats the header's name as a path relative to the working folder and searches for the other file next to that path.
TEST_F(LinkedFolders, BesideAHeaderInMemoryIsOnDisk) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(headers_.path());
  headers_.write_value("sub/k.h", 3);
  expect_seen(sized_callback("\"sub/top.h\""), {.headers = {{"sub/top.h", "#include \"k.h\"\n"}}}, 3, 5,
              [&] { headers_.write_value("sub/k.h", 5); });
  std::filesystem::current_path(before);
}

// graft's own headers and the toolkit's headers include other headers, and a header in memory (Options::headers) with
// the name of an included header replaces it. The header in memory must therefore be part of the key.
TEST_F(LinkedFolders, AHeaderInMemoryThatStandsInForAToolsOwnCounts) {
  const std::string source =
      "struct Sized { char bytes[sizeof(std::Own)]; };\n"
      "__device__ float f(float x, const Sized& s) { return x + s.bytes[0]; }\n";
  Options options;
  const auto own = [](int bytes) {
    return "namespace std { struct Own { char bytes[" + std::to_string(bytes) + "]; }; }\n";
  };
  options.headers = {{"cmath", own(3)}};
  EXPECT_EQ(value_of(build_anew(source, options)), 3);
  options.headers = {{"cmath", own(5)}};
  EXPECT_EQ(value_of(build_anew(source, options)), 5);
}

}  // namespace
}  // namespace graft
