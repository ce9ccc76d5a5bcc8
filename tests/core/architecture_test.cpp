// Tests that names of GPU architectures, for example "sm_90a", are parsed and written.
#include "graft/architecture.hpp"

#include <gtest/gtest.h>

#include "support/errors.hpp"

namespace graft {
namespace {

TEST(ArchitectureName, IsParsed) {
  struct Row {
    const char* text;
    Architecture architecture;
  };
  const Row rows[] = {{"sm_75", {75}},       {"compute_90a", {90, 'a'}}, {"120", {120}}, {"100f", {100, 'f'}},
                      {"sm_90a", {90, 'a'}}, {"sm_121", {121}},          {"75", {75}}};
  for (const Row& row : rows) EXPECT_EQ(Architecture::parse(row.text), row.architecture) << row.text;
}

TEST(ArchitectureName, IsRefused) {
  for (const char* text : {"", "sm_", "sm_x", "90b", "sm_90aa", "9", "1000", "-90", " 90", "90 ", "SM_90", "sm90", "a",
                           "99999999999999999999"}) {
    const Error error = test::error_of([&] { Architecture::parse(text); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << text;
    EXPECT_EQ(error.message(), '"' + std::string(text) + "\" is not a GPU architecture");
    EXPECT_EQ(error.remedy(), "Write it like sm_90, sm_90a or 90.");
  }
}

TEST(ArchitectureName, IsPrinted) {
  EXPECT_EQ(Architecture(75).sm(), "sm_75");
  EXPECT_EQ(Architecture(90, 'a').sm(), "sm_90a");
  EXPECT_EQ(Architecture(120, 'f').compute(), "compute_120f");
  EXPECT_LT(Architecture(75), Architecture(90));
  EXPECT_LT(Architecture(90), Architecture(90, 'a'));
}

}  // namespace
}  // namespace graft
