// C7: a callback file that begins with a byte order mark, as some editors write it, did not compile.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "base/files.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

const std::string kText = "__device__ float f(float x) { return 2 * x; }";
const std::string kMarked = "\xef\xbb\xbf" + kText;

TEST(C7, AMarkedTextIsTheTextWithoutTheMark) {
  EXPECT_EQ(Callback(kMarked), Callback(kText));
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect})
    EXPECT_EQ(build(kMarked, Architecture(90), by(route)).report().kernel.route, route);
}

TEST(C7, AMarkedFileCompiles) {
  const base::TemporaryFolder folder;
  std::ofstream(folder.path() / "f.cu") << kMarked;
  EXPECT_EQ(build(Callback::file((folder.path() / "f.cu").string()), Architecture(90)).signature().text(),
            "float(float)");
}

}  // namespace
}  // namespace graft::test
