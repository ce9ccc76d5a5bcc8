// Tests the complete text of an error, with and without each optional part.
#include "graft/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace graft {
namespace {

TEST(ErrorText, HasEveryPart) {
  const Error error(ErrorCode::CompileFailed, {.message = "f in gain.cu does not compile: line 3",
                                               .remedy = "Correct the lines that the compiler names.",
                                               .log = "gain.cu(3): error: identifier \"y\" is undefined\n",
                                               .versions = {{"NVRTC", "13.0"}, {"nvJitLink", "13.0"}}});
  EXPECT_STREQ(error.what(),
               "graft: f in gain.cu does not compile: line 3 [CompileFailed]\n"
               "gain.cu(3): error: identifier \"y\" is undefined\n"
               "With: NVRTC 13.0; nvJitLink 13.0\n"
               "What to do: Correct the lines that the compiler names.");
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_EQ(error.message(), "f in gain.cu does not compile: line 3");
  EXPECT_EQ(error.remedy(), "Correct the lines that the compiler names.");
  EXPECT_EQ(error.log(), "gain.cu(3): error: identifier \"y\" is undefined\n");
  EXPECT_EQ(error.versions().at(1), (ToolVersion{"nvJitLink", "13.0"}));
}

TEST(ErrorText, LeavesOutWhatThereIsNot) {
  const auto text = [](Error::Details details) { return std::string(Error(ErrorCode::NoDevice, details).what()); };
  EXPECT_EQ(text({.message = "m", .remedy = {}, .log = {}, .versions = {}}), "graft: m [NoDevice]");
  EXPECT_EQ(text({.message = "m", .remedy = "r", .log = {}, .versions = {}}), "graft: m [NoDevice]\nWhat to do: r");
  EXPECT_EQ(text({.message = "m", .remedy = {}, .log = "l", .versions = {}}), "graft: m [NoDevice]\nl");
  EXPECT_EQ(text({.message = "m", .remedy = {}, .log = {}, .versions = {{"driver", "580"}}}),
            "graft: m [NoDevice]\nWith: driver 580");
}

TEST(ErrorText, NamesEveryCodeOnce) {
  std::set<std::string_view> names;
  for (int code = 1; code <= 24; ++code) names.insert(name(static_cast<ErrorCode>(code)));
  EXPECT_EQ(names.size(), 24u);
  EXPECT_FALSE(names.contains("Unknown"));
  EXPECT_EQ(name(static_cast<ErrorCode>(0)), "Unknown");
  EXPECT_EQ(name(ErrorCode::NoSuchSymbol), "NoSuchSymbol");
  EXPECT_EQ(name(ErrorCode::ImageRefused), "ImageRefused");
  EXPECT_EQ(name(ErrorCode::SystemFailed), "SystemFailed");
}

}  // namespace
}  // namespace graft
