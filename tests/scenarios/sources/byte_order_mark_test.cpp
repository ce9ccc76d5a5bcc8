// Tests texts that begin with a byte order mark. In version 0.1, a callback file that begins with a byte order mark, as
// some editors write it, did not compile.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/files.hpp"
#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

const std::string kText = "__device__ float f(float x) { return 2 * x; }";
const std::string kMarked = "\xef\xbb\xbf" + kText;

TEST(ByteOrderMark, AMarkedTextIsTheTextWithoutTheMark) {
  EXPECT_EQ(Callback(kMarked), Callback(kText));
  for (const Route route : kGpuRoutes)
    EXPECT_EQ(build(kMarked, Architecture(90), by(route)).report().kernel.route, route);
}

TEST(ByteOrderMark, AMarkedFileCompiles) {
  const base::TemporaryFolder folder;
  std::ofstream(folder.path() / "f.cu") << kMarked;
  EXPECT_EQ(build(Callback::file((folder.path() / "f.cu").string()), Architecture(90)).signature().text(),
            "float(float)");
}

TEST(ByteOrderMark, AMarkedHeaderInMemoryCompiles) {
  Options options;
  options.headers = {{"h.h",
                      "\xef\xbb\xbf"
                      "#pragma once\n__device__ inline float g(float x) { return 2 * x; }"}};
  const char* text = "#include \"h.h\"\n__device__ float f(float x) { return g(x); }";
  for (const Route route : kAllRoutes) {
    options.routes.required = route;
    EXPECT_EQ(build(text, Architecture(90), options).report().kernel.route, route);
  }
}

// NVRTC reads headers in folders itself. The error must say what is wrong with the header.
TEST(ByteOrderMark, TheErrorForAMarkedHeaderInAFolderNamesTheMark) {
  const base::TemporaryFolder folder;
  std::ofstream(folder.path() / "h.h") << "\xef\xbb\xbf"
                                          "struct H { float x; };";
  Options options;
  options.include_paths = {folder.path().string()};
  const Error error =
      error_of([&] { build("#include \"h.h\"\n__device__ H f(H h) { return h; }", Architecture(90), options); });
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_NE(error.remedy().find("byte order mark"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace graft::test
