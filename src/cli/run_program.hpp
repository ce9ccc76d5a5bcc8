// run_program is the program `graft` without its main(), so that tests can run it with commands of their own.
#pragma once

namespace CLI {
class App;
}

namespace graft::cli {

// Runs the command that the command line names, and returns the exit code. `add_more` may add further commands.
int run_program(int count, char** words, void (*add_more)(CLI::App&) = nullptr);

}  // namespace graft::cli
