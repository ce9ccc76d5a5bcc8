// What each benchmark does: main.cpp calls it, and prints why it failed.
#pragma once

namespace graft::bench {

// Defined by each benchmark. Returns the program's status.
int run(int argc, char** argv);

}  // namespace graft::bench
