// Tests that every error about a missing GPU says what can be done without a GPU.
#include "launch/device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/image_data.hpp"
#include "graft/graft.hpp"
#include "launch/kernel.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

class WithoutAGpu : public testing::Test {
 protected:
  void SetUp() override {
    std::string why;
    if (toolchain::Driver::find(why) != nullptr) GTEST_SKIP() << "this machine has a CUDA driver";
  }

  static void expect_no_device(const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::NoDevice);
    EXPECT_THAT(error.remedy(), HasSubstr("graft::build"));
    EXPECT_THAT(error.remedy(), HasSubstr("Route::Host"));
  }
};

TEST_F(WithoutAGpu, ThereIsNoContext) {
  expect_no_device(error_of([] { launch::CurrentContext(); }));
  expect_no_device(error_of([] { launch::CurrentContext(0); }));
}

TEST_F(WithoutAGpu, NothingIsLoaded) {
  const auto image = std::make_shared<Image::Data>();
  expect_no_device(error_of([&] { launch::Kernel::load(image); }));
}

TEST_F(WithoutAGpu, CreateSaysSo) {
  expect_no_device(error_of([] { Transform::create("__device__ float f(float x) { return x; }"); }));
}

}  // namespace
}  // namespace graft::test
