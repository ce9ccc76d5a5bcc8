// Compares the code examples in README.md and in the pages of docs that kPages lists with regions of example files
// (regions.hpp). Each example must equal, word for word, a region of a file that the tests run, and the pages must show
// each region of those files.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "base/files.hpp"
#include "docs/regions.hpp"
#include "support/markdown.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPages[] = {"README.md",        "docs/start.md", "docs/callbacks.md",
                                  "docs/deploy.md",   "docs/fft.md",   "docs/reduce.md",
                                  "docs/security.md", "docs/c.md",     "docs/formulas.md"};
constexpr const char* kFolders[] = {"examples/guide",     "examples/cufft",  "examples/readme",
                                    "examples/fft",       "examples/reduce", "examples/stft",
                                    "examples/fft_cufft", "examples/c",      "examples/fft_two_gpus"};

std::string text_of(const fs::path& file) {
  const auto text = base::read_file(fs::path(GRAFT_SOURCE_DIR) / file);
  EXPECT_TRUE(text) << file;
  return text.value_or("");
}

// The parts of a mark such as "examples/guide/first.cpp: first", which are the file's path and the region's name.
struct Source {
  std::string file;
  std::string region;
  auto operator<=>(const Source&) const = default;
};

std::optional<Source> source_of(const Block& block) {
  static const std::regex comment("<!-- ([^:]+): (.+) -->");
  std::smatch found;
  if (!std::regex_match(block.before, found, comment)) return {};
  return Source{found[1], found[2]};
}

bool is_program_text(const Block& block) {
  return block.title == "c" || block.title == "cpp" || block.title == "cuda";
}

void check(const Block& block, const Source& source) {
  const auto regions = regions_of(text_of(source.file));
  ASSERT_TRUE(regions.contains(source.region)) << source.region;
  EXPECT_EQ(joined(block.lines), regions.at(source.region));
}

TEST(Guide, ExamplesAreCutFromFilesThatRun) {
  int checked = 0;
  for (const char* page : kPages)
    for (const Block& block : blocks_of(text_of(page))) {
      SCOPED_TRACE(std::string(page) + ":" + std::to_string(block.line));
      const auto source = source_of(block);
      EXPECT_TRUE(source || !is_program_text(block)) << "the line before the block names no file and region";
      if (!source) continue;
      check(block, *source);
      ++checked;
    }
  EXPECT_GT(checked, 20);
}

TEST(Guide, EveryRegionIsShown) {
  std::set<Source> shown;
  for (const char* page : kPages)
    for (const Block& block : blocks_of(text_of(page)))
      if (const auto source = source_of(block)) shown.insert(*source);
  for (const char* folder : kFolders)
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(GRAFT_SOURCE_DIR) / folder)) {
      const std::string file = std::string(folder) + "/" + entry.path().filename().string();
      for (const auto& [region, text] : regions_of(text_of(file)))
        EXPECT_TRUE(shown.contains({file, region})) << file << ": " << region;
    }
}

}  // namespace
}  // namespace graft::test
