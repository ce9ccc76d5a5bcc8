// Checks that docs/errors.md has one section for each error code, in the codes' order, and that each section has a
// table whose last column is the remedy.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.hpp"
#include "graft/error.hpp"
#include "support/markdown.hpp"

namespace graft::test {
namespace {

struct Section {
  std::string title;
  std::vector<std::string> rows;  // the lines of the tables in the section
};

std::vector<Section> sections_of(const std::string& page) {
  std::vector<Section> sections;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) sections.push_back({line.substr(3), {}});
    else if (line.starts_with("|") && !sections.empty()) sections.back().rows.push_back(line);
  }
  return sections;
}

std::vector<std::string> titles_of_all_codes() {
  std::vector<std::string> titles;
  for (int code = 1; name(static_cast<ErrorCode>(code)) != "Unknown"; ++code)
    titles.push_back(std::to_string(code) + " " + std::string(name(static_cast<ErrorCode>(code))));
  return titles;
}

TEST(ErrorsPage, HasASectionForEachCode) {
  std::vector<std::string> titles;
  for (const Section& section : sections_of(base::read_file(GRAFT_SOURCE_DIR "/docs/errors.md").value_or("")))
    titles.push_back(section.title);
  EXPECT_EQ(titles, titles_of_all_codes());
  EXPECT_GE(titles.size(), 24u);
}

TEST(ErrorsPage, SaysWhatToDoInEachRow) {
  for (const Section& section : sections_of(base::read_file(GRAFT_SOURCE_DIR "/docs/errors.md").value_or(""))) {
    SCOPED_TRACE(section.title);
    ASSERT_GE(section.rows.size(), 3u) << "the table needs a heading, a rule and a row";
    EXPECT_TRUE(section.rows[0].ends_with("| remedy |")) << section.rows[0];
    for (const std::string& row : section.rows) {
      EXPECT_TRUE(row.ends_with("|") && !row.ends_with("| |")) << row;
      EXPECT_EQ(row.find("| |"), std::string::npos) << row;
    }
  }
}

}  // namespace
}  // namespace graft::test
