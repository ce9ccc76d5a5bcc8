// Tests that the manual page and the completion name every command and option, and that bash accepts the completion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/program.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;
using testing::IsSubsetOf;
using testing::Not;

std::set<std::string> options_in(const std::string& text) {
  std::set<std::string> options;
  const std::regex option("--[a-z][a-z-]+");
  for (std::sregex_iterator one(text.begin(), text.end(), option), end; one != end; ++one) options.insert(one->str());
  return options;
}

// Returns the options of a command. They begin the lines of its help; descriptions may name options of other commands.
std::set<std::string> own_options(const Program& graft, const std::string& command) {
  const std::string help = graft.run("help " + command).out;
  std::string own;
  std::istringstream lines(help.substr(help.find("\nOptions:")));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("  -")) own += line.substr(0, line.find("  ", 2)) + '\n';
  return options_in(own);
}

// Returns what bash offers behind these words.
std::string completed(const Program& graft, const std::string& words) {
  graft.write("complete.sh",
              "source ./graft.bash\n"
              "COMP_WORDS=(graft \"$@\"); COMP_CWORD=$#\n"
              "_graft; printf '%s\\n' \"${COMPREPLY[@]}\"\n");
  return graft.shell("graft __completion >graft.bash && bash complete.sh " + words).out;
}

TEST(Manual, NamesEveryCommandAndOption) {
  const Program graft;
  const std::string page = std::regex_replace(graft.run("__manual").out, std::regex(R"(\\-)"), "-");
  for (const std::string command : kCommands) {
    if (!command.empty()) {
      EXPECT_THAT(page, HasSubstr(".SH graft " + command + "\n"));
    }
    const std::size_t begin = page.find(command.empty() ? ".SH DESCRIPTION" : ".SH graft " + command + "\n");
    const std::size_t end = page.find("\n.SH ", begin + 4);
    EXPECT_THAT(own_options(graft, command), IsSubsetOf(options_in(page.substr(begin, end - begin)))) << command;
  }
  EXPECT_THAT(page, Not(HasSubstr("__")));  // the commands that graft runs for itself
}

TEST(Manual, CompletionOffersEveryCommandAndOption) {
  const Program graft;
  for (const std::string command : kCommands)
    EXPECT_EQ(options_in(completed(graft, command + " --")), own_options(graft, command)) << command;
}

TEST(Manual, CompletionKnowsCommandsAndValues) {
  const Program graft;
  EXPECT_EQ(completed(graft, "insp"), "inspect\n");
  EXPECT_EQ(completed(graft, "cache st"), "stats\n");
  EXPECT_EQ(completed(graft, "help cache st"), "stats\n");
  EXPECT_EQ(completed(graft, "help prec"), "precompile\n");
  EXPECT_EQ(completed(graft, "inspect x.cu --route l"), "lto\n");
  EXPECT_EQ(completed(graft, "precompile --format fat"), "fatbin\n");
  graft.write("gain.cu", "");
  EXPECT_EQ(completed(graft, "inspect ga"), "gain.cu\n");
  EXPECT_EQ(completed(graft, "inspect --fast-math ga"), "gain.cu\n");
}

}  // namespace
}  // namespace graft::test
