// Tests the reader of `graft warm`'s list file with a table of lines and their meanings.
#include "cli/commands/warm_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graft::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Words = std::vector<std::string>;

TEST(WarmList, WordsOfALine) {
  const std::pair<const char*, Words> table[] = {
      {"", {}},
      {" \t\r", {}},
      {"# all of it", {}},
      {"a b\tc", {"a", "b", "c"}},
      {"a # rest", {"a"}},
      {"a#b \\#c", {"a#b", "#c"}},
      {"'one word' \"two \\\" \\\\ \\n\"", {"one word", "two \" \\ \\n"}},
      {"pre'fi'\"x\"ed '' a\\ b", {"prefixed", "", "a b"}},
      {"'#' \"#\"", {"#", "#"}},
      {"relu.cu --arch 75\r", {"relu.cu", "--arch", "75"}},
  };
  for (const auto& [line, words] : table) EXPECT_EQ(split_words(line), words) << line;
  for (const char* line : {"'open", "\"open", "\"open\\\"", "a\\", "ok 'a' \""})
    EXPECT_FALSE(split_words(line)) << line;
}

TEST(WarmList, OneItemForEachArchitecture) {
  const WarmList list = parse_warm_list("# kernels\n\nrelu.cu --arch 75,sm_90a\ngain.cu --entry g -D A=1", "80");
  EXPECT_THAT(list.problems, IsEmpty());
  ASSERT_EQ(list.items.size(), 3u);
  EXPECT_EQ(list.items[0].line, 3);
  EXPECT_EQ(list.items[0].request.callback, "relu.cu");
  EXPECT_EQ(list.items[0].request.architecture, "sm_75");
  EXPECT_EQ(list.items[1].request.architecture, "sm_90a");
  EXPECT_EQ(list.items[2].line, 4);
  EXPECT_EQ(list.items[2].request.architecture, "sm_80");
  EXPECT_EQ(list.items[2].request.entry, "g");
  EXPECT_THAT(list.items[2].request.defines, ElementsAre("A=1"));
}

// Each invalid line is reported with its line number, and all other lines are still read.
TEST(WarmList, LinesThatMeanNothing) {
  const std::pair<const char*, const char*> table[] = {
      {"'open", "quote"},
      {"a.cu", "--arch"},
      {"a.cu --arch 9x", "9x"},
      {"a.cu --arch 90,", "architecture"},
      {"a.cu --arch 90 --sped", "--sped"},
      {"a.cu b.cu --arch 90", "b.cu"},
      {"--arch 90", "CALLBACK"},
      {"a.cu --arch 90 --route magic", "magic"},
      {"a.cu --arch 90 --route host", "host"},
      {"a.cu --arch 90 --std 11", "11"},
      {"a.cu --arch 90 --help", "--help"},
  };
  std::string text;
  for (const auto& [line, problem] : table) text += std::string(line) + "\ngood.cu --arch 90\n";
  const WarmList list = parse_warm_list(text, "");
  ASSERT_EQ(list.problems.size(), std::size(table));
  EXPECT_EQ(list.items.size(), std::size(table));
  for (std::size_t i = 0; i < std::size(table); ++i) {
    EXPECT_EQ(list.problems[i].line, static_cast<int>(2 * i + 1));
    EXPECT_THAT(list.problems[i].text, HasSubstr(table[i].second)) << table[i].first;
  }
}

TEST(WarmList, AnyTextIsReadToItsEnd) {
  std::string text;
  for (int i = 0; i < 4096; ++i) text += "'\"\\#\n \0ab-,"[i * 7 % 11];
  for (std::size_t size = 0; size < text.size(); size += 97) (void)parse_warm_list(text.substr(0, size), "90");
}

}  // namespace
}  // namespace graft::cli
