// The texts of the kernels that bench_fft measures, and their machine code.
#pragma once

#include <map>
#include <set>
#include <string>

#include "families/fft/plan.hpp"
#include "toolchain/nvrtc.hpp"

namespace graft::bench {

// Callbacks of cuFFT's shape, user_load and user_store. The first one multiplies by a window, which has a number for
// every point of an FFT and is its caller_info. The second one scales by the number that its caller_info points to.
struct CallbackTexts {
  std::string load, store;
};
// The points at load and store are complex numbers, or real ones of real FFTs.
struct PointTypes {
  bool loads_numbers = false, stores_numbers = false;
};
CallbackTexts callback_texts(families::fft::Precision precision, std::int64_t length, PointTypes types = {});

// A callback between, user_filter, which multiplies each frequency by its number in an array, to which its state
// points.
std::string filter_text(families::fft::Precision precision);
// The same as a store callback of cuFFT's shape, user_filter_store, whose caller_info is the array.
std::string filter_store_text(families::fft::Precision precision, std::int64_t length);

// Which callbacks a kernel calls: the first kernel user_load and the last one user_store, or user_filter.
enum class Calls { Nothing, LoadAndStore, Filter };

// The text of one kernel of a plan; its name is "fft".
std::string kernel_text(const families::fft::Plan& plan, std::size_t kernel, Calls calls);

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
