// A kernel's text that was compiled for the CPU (families::fft::host_text).
#pragma once

#include <cstddef>
#include <vector>

namespace graft::test {

struct HostText {
  int number;  // of the TextCase
  std::size_t kernel;
  void (*run)(const void* parameter, unsigned long long begin, unsigned long long end);
};

}  // namespace graft::test
