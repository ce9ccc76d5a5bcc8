#include "main.hpp"

#include <errno.h>  // program_invocation_short_name
#include <fmt/core.h>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
  try {
    return graft::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", program_invocation_short_name, error.what());
    return 1;
  }
}
