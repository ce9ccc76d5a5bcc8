// Checks docs/cli.md. The test writes the files that the page shows, runs the page's commands, and compares their
// output with the page.
#include <gtest/gtest.h>

#include "cli/npy_files.hpp"
#include "cli/program.hpp"
#include "support/markdown.hpp"

namespace graft::test {
namespace {

// A console block has lines "$ command", each followed by the lines that the command prints.
void check_console(const Program& graft, const Block& block) {
  for (std::size_t i = 0; i < block.lines.size();) {
    ASSERT_TRUE(block.lines[i].starts_with("$ ")) << block.lines[i];
    const std::string command = block.lines[i++].substr(2);
    std::vector<std::string> expected;
    while (i < block.lines.size() && !block.lines[i].starts_with("$ ")) expected.push_back(block.lines[i++]);
    EXPECT_EQ(graft.shell(command).out, joined(expected)) << command;
  }
}

TEST(Docs, ExamplesAreTrue) {
  const std::string page = base::read_file(GRAFT_SOURCE_DIR "/docs/cli.md").value_or("");
  const Program graft;
  graft.write("a.npy", npy("'<f4'", "(3,)", raw<float>({1, -2, 3})));
  graft.write("b.npy", npy("'<f4'", "(3,)", raw<float>({10, 20, 30})));
  graft.write("m.npy", npy("'<f4'", "(2, 2)", raw<float>({1, 2, 3, 4})));
  int consoles = 0;
  for (const Block& block : blocks_of(page)) {
    for (const std::string kind : {"cuda ", "text "})
      if (block.title.starts_with(kind)) graft.write(block.title.substr(kind.size()), joined(block.lines));
    if (block.title != "console") continue;
    check_console(graft, block);
    ++consoles;
  }
  EXPECT_EQ(consoles, 16);
}

}  // namespace
}  // namespace graft::test
