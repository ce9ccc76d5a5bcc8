// What an FFT is asked for, beyond its callbacks: an FftRequest for a whole FFT, and a KernelRequest for each of its
// kernels. Both are kept as records: in a job, in keys, in the description of a kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "families/fft/plan.hpp"
#include "graft/kernel_spec.hpp"

namespace graft::families::fft {

inline constexpr const char* kFamily = "fft";

// What results are multiplied by: as graft::FftScaling says.
enum class Scaling : std::uint8_t { None, ByLength, Unitary };
enum class Storage : std::uint8_t { Same, F16, BF16 };

struct FftRequest {
  std::int64_t length = 1;
  Precision precision = Precision::Single;
  bool has_inverse = false;  // an inverse FFT behind a callback between
  Scaling scaling = Scaling::None;
  bool has_strides = false;              // as graft::FftPlan says
  bool has_long_arrays = false;          // as graft::FftPlan says
  bool is_real = false;                  // as graft::FftPlan::kind says
  std::vector<std::int64_t> shape = {};  // of several dimensions, whose product is `length`; else empty
  // As graft::FftPlan says. Of kernels, only the choice of a plan depends on them: callbacks convert (storage.hpp).
  Storage storage_in = Storage::Same, storage_out = Storage::Same;
  // Of a convolution, whether each direction has its own kernels: the callbacks differ, or there is one direction only.
  bool has_own_directions = false;
  // The plan that a tuning file has for the FFT (tuned_plans.hpp), in place of the planner's. Empty: the file has none.
  // The inverse direction of a real FFT has a plan of its own.
  Choices tuned = {}, tuned_inverse = {};

  bool operator==(const FftRequest&) const = default;
};

// Everything about a kernel but its callbacks follows from its request.
struct KernelRequest : FftRequest {
  Architecture architecture = {};  // whose plan it is; 0: the host's
  std::int64_t kernel = 0;         // which kernel of the plan
  bool is_inverse = false;
  // Whether FFTs that are neighbours in the batch are neighbours in memory (make_plan_of_columns).
  bool is_of_columns = false;

  // Whether the arrays of the whole FFT hold numbers, on one side of a real FFT or on both.
  bool loads_numbers() const { return is_real && !is_inverse; }
  bool stores_numbers() const { return is_real && (is_inverse || has_inverse); }

  bool operator==(const KernelRequest&) const = default;
};

// Whether the FFT is a convolution, all of whose kernels are the same in both directions: only their tables of roots
// differ, which also scale.
bool serves_both_directions(const FftRequest& request);

// Returns the choices of a tuning file for the kernel's plan, or null if it has none.
const Choices* tuned_choices(const KernelRequest& request);

// Whether the arrays of a complex FFT hold numbers of 16 bits, for which no plan was measured.
bool has_half_arrays(const FftRequest& request);

// What the kernel of a real FFT does.
Half half_of(const KernelRequest& request);

// Returns the plan to which the kernel belongs. It has no kernels if the architecture has too little shared memory, or
// cannot have the choices of a tuning file.
// Plans are kept, because making one takes up to 15 ms. Thread-safe.
std::shared_ptr<const Plan> plan_of(const KernelRequest& request);

base::Bytes write(const FftRequest& request);
// The record also identifies the plan.
base::Bytes write(const KernelRequest& request);

// Each reads a request. Returns the reason why the bytes ask for no FFT, or for no kernel of an FFT, as a clause ("its
// length is 0"). Returns an empty text if `request` has been read.
std::string read(std::span<const std::byte> bytes, FftRequest& request);
std::string read(std::span<const std::byte> bytes, KernelRequest& request);

// Returns what a KernelRequest asks for, one text for each value: "length=4096". Returns nothing if the bytes are no
// record of a KernelRequest.
std::vector<std::string> words_on(std::span<const std::byte> bytes);

// "by_length".
std::string_view words_on(Scaling scaling);

// Returns what messages call the FFT: "a real FFT of 64 numbers".
std::string title_of(const FftRequest& request);

// Reads the request of a kernel. Kernels of version 2 of packs hold it as numbers (numbers_of_version_2.hpp).
std::string read(const KernelSpec& kernel, KernelRequest& request);

// Returns the reason why there is no such kernel, or an empty text.
std::string objection_to(const KernelRequest& request);

// Returns the factor of the results of a direction.
double scale_of(const FftRequest& request, bool is_inverse);

}  // namespace graft::families::fft
