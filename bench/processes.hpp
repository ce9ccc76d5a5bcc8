// Runs another program and returns its output.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

namespace graft::bench {

// Runs the command and returns what it prints. Throws if the program cannot be started or exits with a status other
// than 0.
inline std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, size);
  if (pclose(pipe) != 0) throw std::runtime_error(command + " failed");
  return text;
}

}  // namespace graft::bench
