// The program `graft` without its main(), so that tests can run the program with commands of their own.
#pragma once

namespace CLI {
class App;
}

namespace graft::cli {

// Runs the command line and returns the exit code. `add_more` may add commands.
int run_program(int count, char** words, void (*add_more)(CLI::App&) = nullptr);

}  // namespace graft::cli
