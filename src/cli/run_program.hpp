// The program `graft`, but for its main(): tests add commands of their own to it.
#pragma once

namespace CLI {
class App;
}

namespace graft::cli {

// Runs the command line and returns the exit code. `add_more` may add commands.
int run_program(int count, char** words, void (*add_more)(CLI::App&) = nullptr);

}  // namespace graft::cli
