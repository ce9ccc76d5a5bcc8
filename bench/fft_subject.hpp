// A Subject is one length in one precision, for which cuFFT and graft's kernels compete on the same arrays.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuda_check.hpp"
#include "cufft_plan.hpp"
#include "families/fft/plan.hpp"
#include "fft_cubins.hpp"

namespace graft::bench {

// The arrays of all subjects, of `bytes` each.
struct Memory {
  explicit Memory(std::size_t size)
      : bytes(size), in(allocate(size)), out(allocate(size)), expected(allocate(size)), workspace(allocate(size)) {}
  std::size_t bytes;
  DeviceBytes in, out, expected, workspace;
};

// What competes, and how long each of its launches took.
struct Contender {
  std::function<void()> launch;
  std::vector<double> milliseconds = {};

  double median() const;
};

// Launches all contenders `rounds` times, in a random order in each round. Two rounds before these are not counted.
void measure(std::vector<Contender>& contenders, cudaStream_t stream, int rounds);

// What the contenders compute: an FFT; or an FFT, a filter and the inverse FFT; or the same of real numbers, twice as
// many as the length says.
enum class Work { Fft, Filter, RealForward, RealInverse, RealFilter };
constexpr bool is_filter(Work work) {
  return work == Work::Filter || work == Work::RealFilter;
}
constexpr bool is_real(Work work) {
  return work == Work::RealForward || work == Work::RealInverse || work == Work::RealFilter;
}

class Subject {
 public:
  // `memory` and `stream` must live longer than the subject and its contenders.
  Subject(std::int64_t length, families::fft::Precision precision, int architecture, const Memory& memory,
          cudaStream_t stream, Work work = Work::Fft);

  std::int64_t length() const { return length_; }
  families::fft::Precision precision() const { return precision_; }
  int architecture() const { return architecture_; }
  cudaStream_t stream() const { return stream_; }
  std::int64_t batch() const { return batch_; }
  Work work() const { return work_; }
  const void* filter() const { return filter_.get(); }
  const Memory& memory() const { return memory_; }

  // For a filter: with the filter as a store callback; for one of real numbers, without it.
  Contender cufft() const;

  // Returns the plan with these choices, or nothing if there is none.
  std::optional<families::fft::Plan> plan(const families::fft::Choices& choices = {}) const;
  std::optional<families::fft::Plan> estimated_plan() const;

  // For an FFT. The same work as that of graft's kernels with callbacks: cuFFT with the same callbacks as LTO-IR, and
  // a kernel before and one behind cuFFT. Both throw std::runtime_error if the result is wrong, or if cuFFT makes no
  // plan.
  Contender cufft_with_callbacks() const;
  Contender cufft_between_kernels() const;

  // Compiles the kernels of many plans at the same time, so that graft() finds them compiled. A kernel that does not
  // compile is no error before graft().
  void compile(const std::vector<families::fft::Plan>& plans, Calls calls);

  // Loads the kernels of a plan, launches them once, and compares the result with cuFFT's. Throws std::runtime_error if
  // a kernel does not compile, load or run, or if the result is wrong.
  Contender graft(const families::fft::Plan& plan, Calls calls);

 private:
  template <class Real>
  void fill() const;
  void prepare_filter();
  void prepare_real();
  // How many elements of the input and the output an FFT has: complex numbers, or numbers.
  std::int64_t in_count() const;
  std::int64_t out_count() const;
  template <class Real>
  void compare() const;
  Contender verified(Contender contender) const;  // launches it once

  std::int64_t length_;
  families::fft::Precision precision_;
  int architecture_;
  std::int64_t batch_;
  const Memory& memory_;
  cudaStream_t stream_;
  Work work_;
  std::optional<CufftPlan> cufft_, inverse_;    // inverse_: of real numbers
  DeviceBytes window_, scale_;                  // caller_info of the callbacks
  DeviceBytes filter_;                          // complex numbers of absolute value 1/N
  std::shared_ptr<const CufftPlan> filtering_;  // cuFFT with the filter as its store callback
  Cubins cubins_;
};

}  // namespace graft::bench
