// Callbacks as values, and what a machine without a GPU says to them.
#include "graft/callback.hpp"

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "graft/transform.hpp"
#include "support/errors.hpp"
#include "toolchain/driver.hpp"

namespace graft {
namespace {

TEST(CallbackValue, KeepsWhatItIsGiven) {
  const Callback plain = "text";
  EXPECT_EQ(plain.text(), "text");
  EXPECT_EQ(plain.name(), "callback.cu");
  EXPECT_EQ(plain.entry(), "");
  EXPECT_EQ(plain.signature(), "");
  const Callback full = Callback::source("text", "gain.cu").with_entry("f").with_signature(Signature::of<int(int)>());
  EXPECT_EQ(full.name(), "gain.cu");
  EXPECT_EQ(full.entry(), "f");
  EXPECT_EQ(full.signature(), "int(int)");
  const Callback other = full.with_entry("g");
  EXPECT_EQ(other.entry(), "g");
  EXPECT_EQ(other.signature(), "int(int)");
  EXPECT_EQ(full.entry(), "f");
}

TEST(CallbackFile, IsReadWhole) {
  const base::TemporaryFolder folder;
  const auto file = folder.path() / "gain.cu";
  const std::string text("a\r\n\0b", 5);
  ASSERT_TRUE(base::write_file(file, base::as_bytes(text)));
  const Callback callback = Callback::file(file);
  EXPECT_EQ(callback.text(), text);
  EXPECT_EQ(callback.name(), file.string());
}

TEST(CallbackFile, SaysWhenItCannotBeRead) {
  const base::TemporaryFolder folder;
  for (const auto& path : {folder.path() / "absent.cu", folder.path()}) {
    const Error error = test::error_of([&] { Callback::file(path); });
    EXPECT_EQ(error.code(), ErrorCode::FileUnreadable);
    EXPECT_NE(error.message().find(path.string()), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(TransformWithoutGpu, NamesTheHostRoute) {
  std::string why;
  if (toolchain::Driver::find(why) != nullptr) GTEST_SKIP() << "this machine has a CUDA driver";
  const Error error = test::error_of([] { Transform::create("__device__ float f(float x) { return x; }"); });
  EXPECT_EQ(error.code(), ErrorCode::NoDevice) << error.what();
  EXPECT_NE(error.remedy().find("graft::Route::Host"), std::string::npos) << error.what();
}

}  // namespace
}  // namespace graft
