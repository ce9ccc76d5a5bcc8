// Tests what the program shows on a terminal: colours, and the progress of long work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/progress.hpp"
#include "cli/output/terminal.hpp"
#include "cli/program.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kEscape = "\033[";

// Runs a command line with a terminal as standard output and standard error, and returns what the terminal got.
std::string on_terminal(const Program& graft, const std::string& line) {
  return graft.shell("script --quiet --return --command \"" + line + "\" /dev/null").out;
}

TEST(Terminal, MessagesAndHelpAreColouredOnATerminalOnly) {
  const Program graft;
  const std::string mistake = "graft inspect missing.cu";
  EXPECT_THAT(on_terminal(graft, "TERM=xterm " + mistake), HasSubstr("\033[1;31mgraft: \033[0m"));
  EXPECT_THAT(on_terminal(graft, "TERM=xterm graft help"), HasSubstr("\033[1mExamples:\033[0m"));
  EXPECT_THAT(graft.shell("TERM=xterm " + mistake).err, Not(HasSubstr(kEscape)));
  EXPECT_THAT(graft.shell("TERM=xterm graft help").out, Not(HasSubstr(kEscape)));
}

TEST(Terminal, NoColorAndADumbTerminalSwitchColoursOff) {
  const Program graft;
  for (const char* variables : {"TERM=xterm NO_COLOR=1", "TERM=dumb", "TERM="}) {
    const std::string shown = on_terminal(graft, std::string(variables) + " graft inspect missing.cu");
    EXPECT_THAT(shown, HasSubstr("graft: cannot read"));
    EXPECT_THAT(shown, Not(HasSubstr("\033[1;"))) << variables;
  }
  EXPECT_THAT(on_terminal(graft, "TERM=xterm NO_COLOR= graft inspect missing.cu"), HasSubstr("\033[1;31m"));
  EXPECT_THAT(on_terminal(graft, "TERM=dumb graft warm /dev/null"), Not(HasSubstr(kEscape)));
}

TEST(Terminal, EscapesInNamesStayInvisible) {
  const std::string shown = on_terminal(Program(), "TERM=xterm graft inspect $'a\\033[2Jb.cu'");
  EXPECT_THAT(shown, Not(HasSubstr("\033[2J")));
}

TEST(Terminal, ColoursKeepTheText) {
  EXPECT_EQ(cli::coloured_message("graft: x\nfile(1): error: y\nWhat to do: z\n"),
            "\033[1;31mgraft: \033[0mx\nfile(1): \033[1;31merror: \033[0my\n\033[1mWhat to do: \033[0mz\n");
  EXPECT_EQ(cli::coloured_help("Options:\n  --arch  the: one\n"), "\033[1mOptions:\033[0m\n  --arch  the: one\n");
  EXPECT_EQ(cli::coloured_diagnosis("route lto: works (1 ms)\n"), "route lto: \033[32mworks\033[0m (1 ms)\n");
  EXPECT_EQ(cli::coloured_message(""), "");
}

TEST(Terminal, ProgressShowsRateAndTimeLeft) {
  using std::chrono::seconds;
  EXPECT_EQ(cli::progress_line("warming", 0, 0, 100, seconds(5)), "warming [--------------------] 0 of 100");
  EXPECT_EQ(cli::progress_line("warming", 25, 0, 100, std::chrono::milliseconds(900)),
            "warming [#####---------------] 25 of 100");
  EXPECT_EQ(cli::progress_line("warming", 25, 2, 100, seconds(10)),
            "warming [#####---------------] 25 of 100, 2 failed, 2.5/s, 30 s left");
  EXPECT_EQ(cli::progress_line("x", 50, 0, 100, seconds(1)), "x [##########----------] 50 of 100, 50/s, 1 s left");
  EXPECT_EQ(cli::progress_line("x", 1, 0, 100, seconds(4)), "x [--------------------] 1 of 100, 15.0/min, 7 min left");
  EXPECT_EQ(cli::progress_line("x", 1, 0, 1000, seconds(100)),
            "x [--------------------] 1 of 1000, 0.6/min, 27.8 h left");
  EXPECT_EQ(cli::progress_line("x", 3, 0, 3, seconds(9)), "x [####################] 3 of 3");
  EXPECT_EQ(cli::progress_line("x", 5, 0, 3, seconds(9)), "x [####################] 5 of 3");
}

TEST(Terminal, LongWorkShowsItsProgressAndErasesIt) {
  const Program graft;
  graft.write("list.txt", "'[](float x) { return 2 * x; }' --arch 75,90\n");
  const std::string shown = on_terminal(graft, "TERM=xterm graft warm list.txt");
  EXPECT_THAT(shown, HasSubstr("warming [--------------------] 0 of 2"));
  EXPECT_THAT(shown, HasSubstr("2 of 2"));
  EXPECT_THAT(shown, HasSubstr("\r\033[K"));
  EXPECT_THAT(graft.shell("graft warm list.txt").err, Not(HasSubstr("warming")));
}

}  // namespace
}  // namespace graft::test
