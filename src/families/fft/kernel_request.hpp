// What graft::Fft asks for, one kernel of an FFT's plan, as the numbers of Callback::for_family and of a kernel spec's
// tuning. Everything about the kernel but its callbacks follows from these numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "families/fft/plan.hpp"
#include "graft/tuning.hpp"

namespace graft::families::fft {

inline constexpr const char* kFamily = "fft";

// What results are multiplied by: as graft::FftScaling says.
enum class Scaling : std::uint8_t { None, ByLength, Unitary };

struct KernelRequest {
  std::int64_t length = 1;
  Precision precision = Precision::Single;
  // Whose plan it is. 0: the host's.
  Architecture architecture = {};
  bool has_inverse = false;  // an inverse FFT behind a callback between
  std::int64_t kernel = 0;   // which kernel of the plan
  bool is_inverse = false;
  Scaling scaling = Scaling::None;
  bool has_unit_stride_in = true;
  bool has_unit_stride_out = true;
  bool has_long_arrays = false;  // as graft::FftPlan says

  bool operator==(const KernelRequest&) const = default;
};

// Returns the plan to which the kernel belongs. Plans are kept, because making one takes up to 15 ms. Thread-safe.
std::shared_ptr<const Plan> plan_of(const KernelRequest& request);

Tuning to_tuning(const KernelRequest& request);

// Reads the numbers. Returns the reason why they ask for no kernel of any FFT, as a clause ("its length is 0"); empty
// if `request` has been read. Numbers with other names are left to the caller.
std::string read_tuning(const Tuning& tuning, KernelRequest& request);

// Returns the factor of the results.
double scale_of(const KernelRequest& request);

}  // namespace graft::families::fft
