// D14: GRAFT_CXX was split at every space, so users could not name a compiler whose path or arguments contain a space.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cli/program.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class D14 : public testing::Test {
 protected:
  D14() {
    fs::create_directory(graft_.path("my tools"));
    graft_.write("my tools/c++ 12", "#!/bin/sh\nfor word in \"$@\"; do echo \"$word\" >>\"" + graft_.path("words") +
                                        "\"; done\nexec c++ \"$@\"\n");
    fs::permissions(graft_.path("my tools/c++ 12"), fs::perms::owner_all);
  }
  // Runs a build with an environment variable set to `value`. The word HERE in `value` is replaced by the program's
  // folder.
  Result build(const std::string& variable, std::string value) const {
    for (std::size_t at = value.find("HERE"); at != value.npos; at = value.find("HERE"))
      value.replace(at, 4, graft_.path(""));
    graft_.write("value", value);
    return graft_.shell("export " + variable +
                        "=\"$(cat value)\"; graft inspect '[](float x) { return WORDS(x); }' --route host");
  }

  Program graft_;
};

TEST_F(D14, AValueThatIsAFileIsThatFile) {
  for (const char* variable : {"GRAFT_CXX", "CXX"}) {
    fs::remove(graft_.path("words"));
    const Result run = graft_.shell(std::string(variable) +
                                    "=\"$PWD/my tools/c++ 12\" graft inspect '[](float x) { "
                                    "return 3 * x; }' --route host");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_TRUE(graft_.has("words"));
  }
}

TEST_F(D14, WordsAreQuotedAsInAShell) {
  for (const char* value :
       {"\"HEREmy tools/c++ 12\" '-DWORDS(x)=3 * x'", "HEREmy\\ tools/c++\\ 12 -DWORDS\\(x\\)=3\\ *\\ x",
        "'HEREmy tools'/c++\" 12\" \"-DWORDS(x)=3 * x\" \"\""}) {
    fs::remove(graft_.path("words"));
    std::string words = value;
    const bool has_empty = words.ends_with("\"\"");
    if (has_empty) words.resize(words.size() - 3);
    const Result run = build("GRAFT_CXX", words);
    EXPECT_EQ(run.exit_code, 0) << value << run.err;
    EXPECT_THAT(graft_.read("words"), HasSubstr("-DWORDS(x)=3 * x\n")) << value;
  }
}

TEST_F(D14, AQuoteThatIsNotClosedIsAReason) {
  const Result run = build("GRAFT_CXX", "'HEREmy tools/c++ 12");
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.err, HasSubstr("GRAFT_CXX"));
  EXPECT_THAT(run.err, HasSubstr("quote"));
}

}  // namespace
}  // namespace graft::test
