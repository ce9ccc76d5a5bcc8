// Checks docs/security.md. Each number on the page must have a test with that number or name tests in other folders,
// and each numbered test must have a number that is on the page.
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "base/files.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  const auto text = base::read_file(file);
  EXPECT_TRUE(text) << file;
  return text.value_or("");
}

// Returns all strings that the first group of `pattern` matches in the text.
std::set<std::string> all_of(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

std::string page() {
  return text_of(GRAFT_SOURCE_DIR "/docs/security.md");
}

std::set<std::string> numbers_of_the_suite() {
  std::set<std::string> numbers;
  for (const auto& file : fs::directory_iterator(GRAFT_SOURCE_DIR "/tests/scenarios/security"))
    if (file.path().extension() == ".cpp") numbers.merge(all_of(text_of(file), R"(TEST\(Security, S(\d+)_)"));
  return numbers;
}

TEST(SecurityPage, EachNumberHasATest) {
  std::set<std::string> tested = numbers_of_the_suite();
  tested.merge(all_of(page(), R"(\n\| (\d+) \| )"));
  EXPECT_EQ(all_of(page(), R"(\((\d+)\) )"), tested);
  EXPECT_EQ(tested.size(), 38u);
  EXPECT_TRUE(tested.contains("1") && tested.contains("38"));
}

TEST(SecurityPage, TestsThatItNamesExist) {
  std::map<std::string, std::set<std::string>> suites;
  for (const auto& file : fs::recursive_directory_iterator(GRAFT_SOURCE_DIR "/tests")) {
    if (file.path().extension() != ".cpp") continue;
    const std::string text = text_of(file);
    const std::regex test(R"(TEST(?:_F|_P)?\((\w+), (\w+)\))");
    for (std::sregex_iterator match(text.begin(), text.end(), test), end; match != end; ++match)
      suites[(*match)[1]].insert((*match)[2]);
  }
  const std::string table = page().substr(page().find("\n## The tests\n"));
  const std::set<std::string> named = all_of(table, R"(`(\w+\.\w+)`)");
  EXPECT_GE(named.size(), 20u);
  for (const std::string& name : named) {
    const std::string suite = name.substr(0, name.find('.'));
    EXPECT_TRUE(suites[suite].contains(name.substr(suite.size() + 1))) << name;
  }
  for (const std::string& suite : all_of(table, R"(the suite `(\w+)`)")) EXPECT_FALSE(suites[suite].empty()) << suite;
}

}  // namespace
}  // namespace graft::test
