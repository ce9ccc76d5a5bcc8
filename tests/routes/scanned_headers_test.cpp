// Compiles callbacks twice: NVRTC opens the headers itself, and NVRTC gets the headers from memory as the scan read
// them (compile/scanned_headers.hpp). Kernel, signature, warnings and errors must be equal in every detail.
#include "compile/scanned_headers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/seen_file.hpp"
#include "plan/key.hpp"
#include "routes/builder.hpp"
#include "support/compile.hpp"
#include "support/headers.hpp"

namespace graft::routes {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Row {
  const char* name;
  std::vector<std::pair<std::string, std::string>> files;  // "a -> b" is a symbolic link
  std::string includes;
  Options options = {};
  bool is_cached = true;             // the scan can tell what is compiled
  std::string callback_folder = {};  // Callback::with_folder
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

const std::string kValue = "#define VALUE 3\n";
// The value tells how often the header was read.
const std::string kCounting = "#ifdef VALUE\n#undef VALUE\n#define VALUE 5\n#else\n#define VALUE 3\n#endif\n";
const std::string kOnce = "#pragma once\n" + kCounting;

std::vector<Row> rows() {
  std::vector<Row> all = {
      {"working_folder",
       {{"k.h", "#include \"sub/n.h\"\n"}, {"sub/n.h", "#include \"../o.h\"\n"}, {"o.h", kValue}},
       "\"k.h\""},
      {"include_folder", {{"inc/k.h", "#include \"n.h\"\n"}, {"inc/n.h", kValue}}, "<k.h>", {.include_paths = {"inc"}}},
      {"beside_comes_first",
       {{"a/k.h", "#include \"n.h\"\n"},
        {"a/n.h", "#define VALUE 3\n"},
        {"b/n.h", "#define VALUE 5\n"},
        {"n.h", "#error\n"}},
       "<k.h>",
       {.include_paths = {"b", "a"}}},
      {"angled_takes_no_neighbour",
       {{"a/k.h", "#include <n.h>\n"}, {"a/n.h", "#define VALUE 3\n"}, {"b/n.h", "#define VALUE 5\n"}},
       "<k.h>",
       {.include_paths = {"b", "a"}}},
      {"same_name_in_two_folders",
       {{"a/k.h", "#define A 1\n#include \"b/k.h\"\n"},
        {"a/b/k.h", "#define VALUE (A + 2)\n"},
        {"k.h", "#include \"a/k.h\"\n"}},
       "\"k.h\""},
      {"guard",
       {{"k.h", "#ifndef K\n#define K\n" + kCounting + "#endif\n"}, {"l.h", "#include \"k.h\"\n"}},
       "\"k.h\"\n#include \"l.h\""},
      {"twice", {{"k.h", kCounting}}, "\"k.h\"\n#include \"k.h\""},
      {"once",
       {{"k.h", kOnce}, {"sub/l.h", "#include \"../k.h\"\n"}},
       "\"k.h\"\n#include \"sub/l.h\"\n#include <k.h>",
       {.include_paths = {"."}}},
      {"once_a_link", {{"k.h", kOnce}, {"l.h -> k.h", ""}}, "\"k.h\"\n#include \"l.h\""},
      {"once_a_copy", {{"k.h", kOnce}, {"l.h", kOnce}}, "\"k.h\"\n#include \"l.h\""},
      {"once_a_link_in_another_folder", {{"a/k.h", kOnce}, {"b/k.h -> ../a/k.h", ""}}, "\"a/k.h\"\n#include \"b/k.h\""},
      {"once_in_folders_with_other_neighbours",
       {{"a/k.h", "#pragma once\n#include \"n.h\"\n"},
        {"a/n.h", kValue},
        {"b/k.h -> ../a/k.h", ""},
        {"b/n.h", "#define VALUE 5\n"}},
       "\"b/k.h\"\n#include \"a/k.h\"",
       {},
       false},
      {"linked_without_once",
       {{"a/k.h", "#include \"n.h\"\n"},
        {"a/n.h", "#undef VALUE\n#define VALUE 3\n"},
        {"b/k.h -> ../a/k.h", ""},
        {"b/n.h", "#define VALUE 5\n"}},
       "\"b/k.h\"\n#include \"a/k.h\""},
      {"linked_folder",
       {{"real/deep/k.h", "#include \"../n.h\"\n"},
        {"real/n.h", kValue},
        {"inc -> real/deep", ""},
        {"n.h", "#error\n"}},
       "<k.h>",
       {.include_paths = {"inc"}}},
      {"in_memory_includes_a_file",
       {{"sub/n.h", kValue}},
       "\"sub/k.h\"",
       {.headers = {{"sub/k.h", "#include \"n.h\"\n"}}}},
      {"in_memory_comes_first",
       {{"k.h", "#error\n"}, {"l.h", "#include \"k.h\"\n"}},
       "\"l.h\"",
       {.headers = {{"k.h", kValue}}}},
      {"grafts_own_name",
       {{"cmath", "#error\n"}, {"k.h", kValue + "#include <cmath>\n"}},
       "\"k.h\"",
       {.include_paths = {"."}}},
      {"stand_in", {{"k.h", kValue + "#include <cuComplex.h>\n__device__ cuFloatComplex c;\n"}}, "\"k.h\""},
      {"own_stand_in", {{"cuComplex.h", kValue}}, "\"cuComplex.h\""},
      {"of_the_callbacks_folder",
       {{"a/k.h", "#include \"n.h\"\n"}, {"a/n.h", kValue}, {"k.h", "#error\n"}},
       "\"k.h\"",
       {},
       true,
       "a"},
      {"continued_line", {{"k.h", "#inc\\\nlude \"n\\\n.h\"\n"}, {"n.h", kValue}}, "\\\n\"k.h\""},
      {"odd_names", {{"a \\b'/k k.h", kValue + "__device__ int f() { int unused; return 1; }\n"}}, "\"a \\b'/k k.h\""},
      {"dead_branch",
       {{"k.h", kValue + "#if 0\n#include \"absent.h\"\n#include \"dead.h\"\n#endif\n"}, {"dead.h", "#error\n"}},
       "\"k.h\""},
      {"byte_order_mark", {{"k.h", "\xef\xbb\xbf" + kValue}}, "\"k.h\""},
      {"empty", {{"k.h", ""}}, "\"k.h\"\n#define VALUE 3"},
      {"no_newline_at_the_end", {{"k.h", "#define VALUE 3"}}, "\"k.h\""},
      {"line_info",
       {{"inc/k.h", kValue + "__device__ inline float g(float x) { return sinf(x); }\n"}},
       "\"inc/k.h\"",
       {.line_info = true}},
      {"computed", {{"k.h", kValue}}, "NAME", {.defines = {{"NAME", "\"k.h\""}}}, false},
      {"has_include",
       {{"k.h", "#if __has_include(\"n.h\")\n#include \"n.h\"\n#endif\n"}, {"n.h", kValue}},
       "\"k.h\"",
       {},
       false},
      {"include_next",
       {{"a/k.h", "#include_next <k.h>\n"}, {"b/k.h", kValue}},
       "<k.h>",
       {.include_paths = {"a", "b"}},
       false},
      {"file_macro", {{"k.h", "#define VALUE sizeof(__FILE__)\n"}}, "\"k.h\"", {}, false},
      // messages
      {"warning",
       {{"inc/k.h", kValue + "\n\n__device__ int f() { int unused; return 1; }\n"}},
       "<k.h>",
       {.include_paths = {"inc/."}}},
      {"warning_beside",
       {{"sub/k.h", "#include \"n.h\"\n" + kValue}, {"sub/n.h", "__device__ int f() { int unused; return 1; }\n"}},
       "\"sub/k.h\""},
      {"error",
       {{"sub/k.h", "#include \"n.h\"\n" + kValue}, {"sub/n.h", "\n__device__ int f() { return y; }\n"}},
       "\"sub/k.h\""},
      {"error_beside_the_callback", {{"a/k.h", "\n__device__ int f() { return y; }\n"}}, "\"k.h\"", {}, true, "a"},
      {"error_in_an_instance",
       {{"k.h", kValue + "template <class T> __device__ T bad(T x) { return x.y; }\n"},
        {"l.h", "#include \"k.h\"\n__device__ int g(int i) { return bad(i); }\n"}},
       "\"l.h\""},
      {"defined_twice",
       {{"k.h", kValue + "__device__ int f() { return 1; }\n"}, {"l.h", "#include \"k.h\"\n"}},
       "\"k.h\"\n#include \"l.h\""},
      {"absent", {{"k.h", "#include \"absent.h\"\n"}}, "\"k.h\""},
      {"error_directive", {{"k.h", "#error \"k.h\" is not for you\n"}}, "\"k.h\""},
  };
  return all;
}

class ScannedHeaders : public testing::TestWithParam<Row> {
 protected:
  ScannedHeaders() {
    for (const auto& [name, text] : GetParam().files)
      if (const std::size_t arrow = name.find(" -> "); arrow != name.npos)
        folder_.link(name.substr(0, arrow), name.substr(arrow + 4));
      else folder_.write(name, text);
    fs::current_path(folder_.path());
    options_ = GetParam().options;
    for (std::string& path : options_.include_paths) path.insert(0, folder_.path());
  }
  ~ScannedHeaders() override { fs::current_path(before_); }

  Callback callback() const {
    const Callback callback = test::sized_callback(GetParam().includes);
    const std::string& folder = GetParam().callback_folder;
    return folder.empty() ? callback : callback.with_folder(folder_.path(folder));
  }

  plan::HeaderScan scan() const {
    const plan::HeaderWorld world = {
        .read = [](const std::string& path) { return base::read_seen_file(path, plan::kLargestHeader); },
        .working_folder = base::working_folder};
    return plan::scan_headers(callback(), options_, world);
  }

  // Everything that a user sees of the build.
  std::string outcome(const plan::HeaderScan* scan) const {
    try {
      const Image::Data image = build_image(callback(), Architecture(90), options_, test::toolbox(), scan);
      return image.report.kernel.signature.describe() + "\n" + image.report.compiler_log + "\n" + image.report.source +
             "\n" + std::string(base::as_text(image.bytes));
    } catch (const Error& error) {
      return std::string(error.what()) + "\n" + error.log();
    }
  }

  test::HeaderFolder folder_;
  Options options_;

 private:
  const fs::path before_ = fs::current_path();
};

TEST_P(ScannedHeaders, CompileAsTheFilesDo) {
  const plan::HeaderScan headers = scan();
  EXPECT_EQ(headers.memory_only.empty(), GetParam().is_cached) << testing::PrintToString(headers.memory_only);
  if (!headers.memory_only.empty()) return;
  const std::string from_files = outcome(nullptr);
  EXPECT_EQ(outcome(&headers), from_files);
  EXPECT_THAT(from_files, testing::Not(HasSubstr("/dev/null")));
  if (from_files.find("cannot open source file") != from_files.npos) return;
  // Without the files, only the messages' file names show where the files were.
  for (const auto& one : fs::directory_iterator(folder_.path())) fs::remove_all(one);
  EXPECT_EQ(outcome(&headers), from_files);
}

INSTANTIATE_TEST_SUITE_P(All, ScannedHeaders, testing::ValuesIn(rows()),
                         [](const auto& row) { return std::string(row.param.name); });

// The scan reads the files beside a header that compilers do not open, too. Their paths have nothing to do with the
// working folder, which may be longer than they are.
TEST(HeaderScan, AFileThatCompilersDoNotOpenKeepsItsPath) {
  const test::HeaderFolder folder;
  folder.write("x.h", "#include \"n.h\"\n");
  folder.write("n.h", kValue);
  const plan::HeaderWorld world = {
      .read = [](const std::string& path) { return base::read_seen_file(path, plan::kLargestHeader); },
      .working_folder = [&] { return "/" + std::string(200, 'w'); }};
  const std::string beside = folder.path();
  const std::vector<plan::UserText> texts = {{"#include <x.h>\n", beside}};
  const plan::HeaderScan found = plan::scan_headers(texts, {}, world);
  ASSERT_EQ(found.headers.size(), 2u);
  EXPECT_EQ(found.headers[1].path, folder.path("n.h"));
  EXPECT_EQ(found.texts.at(static_cast<std::size_t>(found.headers[1].text)).name, folder.path("n.h"));
}

}  // namespace
}  // namespace graft::routes
