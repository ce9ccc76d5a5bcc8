// Tests that the CUDA driver and other shared libraries are opened at run time, and that graft reports why a library
// cannot be opened.
#include "toolchain/driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "toolchain/shared_library.hpp"

namespace graft::toolchain {
namespace {
using testing::AllOf;
using testing::HasSubstr;

TEST(Driver, IsFoundOnceOrSaysWhyNot) {
  std::string why;
  std::string why_again = "something else";
  const Driver* driver = Driver::find(why);
  EXPECT_EQ(Driver::find(why_again), driver);
  EXPECT_EQ(why_again, why);
  EXPECT_EQ(why.empty(), driver != nullptr);
}

TEST(Driver, WithoutItsLibraryTheReasonNamesTheLibrary) {
  if (SharedLibrary::open("libcuda.so.1").is_open()) GTEST_SKIP() << "this machine has a CUDA driver";
  std::string why;
  EXPECT_EQ(Driver::find(why), nullptr);
  EXPECT_THAT(why, AllOf(HasSubstr("no CUDA driver"), HasSubstr("libcuda.so.1")));
}

TEST(Driver, AnswersAndDescribesErrors) {
  std::string why;
  const Driver* driver = Driver::find(why);
  if (!driver) GTEST_SKIP() << why;
  EXPECT_GE(driver->version().major, 12);
  EXPECT_THAT(driver->path(), HasSubstr("libcuda.so"));
  int devices = 0;
  EXPECT_EQ(driver->api().cuDeviceGetCount(&devices), CUDA_SUCCESS);
  EXPECT_GT(devices, 0);
  EXPECT_EQ(driver->describe(CUDA_ERROR_INVALID_VALUE), "CUDA_ERROR_INVALID_VALUE: invalid argument");
  EXPECT_EQ(driver->describe(static_cast<CUresult>(54321)), "CUDA error 54321");
}

TEST(SharedLibrary, OpensASonameAndTellsItsFile) {
  const SharedLibrary library = SharedLibrary::open("libc.so.6");
  ASSERT_TRUE(library.is_open()) << library.failure();
  EXPECT_TRUE(library.path().is_absolute());
  std::size_t (*length)(const char*) = nullptr;
  ASSERT_TRUE(library.load(length, "strlen"));
  EXPECT_EQ(length("four"), 4u);
  EXPECT_FALSE(library.load(length, "no_such_function"));
  EXPECT_EQ(length, nullptr);
}

TEST(SharedLibrary, AFailureIsKept) {
  const SharedLibrary library = SharedLibrary::open("libno-such-library.so.7");
  EXPECT_FALSE(library.is_open());
  EXPECT_THAT(library.failure(), HasSubstr("libno-such-library.so.7"));
  EXPECT_EQ(library.path(), "");
  EXPECT_EQ(library.find("strlen"), nullptr);
}

}  // namespace
}  // namespace graft::toolchain
