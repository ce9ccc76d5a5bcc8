// The texts of the kernels that bench_fft measures, and their machine code.
#pragma once

#include <map>
#include <set>
#include <string>

#include "families/fft/plan.hpp"
#include "toolchain/nvrtc.hpp"

namespace graft::bench {

// The text of one kernel of a plan; its name is "fft". With callbacks, which have the shape of cuFFT's, the first
// kernel multiplies by a window at load, which has a number for every point of an FFT and is the load callback's
// caller_info; and the last one scales at store, by the number that the store callback's caller_info points to.
std::string kernel_text(const families::fft::Plan& plan, std::size_t kernel, bool has_callbacks);

// Machine code of kernels by their texts, so that no text is compiled twice: the kernels of a long FFT's plans are few,
// and their combinations many.
class Cubins {
 public:
  explicit Cubins(int architecture) : architecture_(architecture) {}

  // Compiles those texts that are new, on as many threads as the machine has cores.
  void compile(const std::set<std::string>& texts);

  // Returns the machine code of a text, and compiles the text if it is new. Throws std::runtime_error with the
  // compiler's log if it does not compile.
  const base::Bytes& of(const std::string& text);

 private:
  int architecture_;
  std::map<std::string, toolchain::NvrtcResult> results_;
};

}  // namespace graft::bench
