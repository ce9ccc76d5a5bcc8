#include "cli/run_program.hpp"

int main(int count, char** words) {
  return graft::cli::run_program(count, words);
}
