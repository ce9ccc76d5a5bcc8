#include "families/fft/numbers_of_version_2.hpp"

#include <cstdint>
#include <limits>
#include <string_view>

#include "base/format.hpp"
#include "base/hash.hpp"
#include "families/fft/lengths.hpp"

namespace graft::families::fft {
namespace {

// Reads numbers by name, and remembers what is wrong with the first bad one.
class NumberReader {
 public:
  explicit NumberReader(const Tuning& tuning) : tuning_(tuning) {}

  std::int64_t get(std::string_view name, std::int64_t least, std::int64_t most) {
    const std::int64_t* const value = tuning_.find(name);
    if (value != nullptr && *value >= least && *value <= most) return *value;
    if (why_.empty())
      why_ = value == nullptr ? base::format("it has no {}", name) : base::format("its {} is {}", name, *value);
    return least;
  }
  bool flag(std::string_view name) { return get(name, 0, 1) == 1; }
  const std::string& why() const { return why_; }

 private:
  const Tuning& tuning_;
  std::string why_;
};

// Version 2 hashed the description of the plan.
std::int64_t fingerprint_of_version_2(const Plan& plan) {
  return static_cast<std::int64_t>(base::hash("2 " + describe(plan)).low >> 1);
}

}  // namespace

std::string read_numbers_of_version_2(const Tuning& tuning, KernelRequest& request) {
  NumberReader numbers(tuning);
  KernelRequest read;
  read.length = numbers.get("length", 1, kLongestLength);
  read.precision = numbers.get("real_bytes", 4, 8) == 4 ? Precision::Single : Precision::Double;
  read.architecture = Architecture(static_cast<int>(numbers.get("architecture", 0, 999)));
  read.has_inverse = numbers.flag("has_inverse");
  read.kernel = numbers.get("kernel", 0, 4);
  read.is_inverse = numbers.flag("is_inverse");
  read.scaling = static_cast<Scaling>(numbers.get("scaling", 0, 2));
  const bool has_unit_stride_in = numbers.flag("unit_stride_in");
  const bool has_unit_stride_out = numbers.flag("unit_stride_out");
  read.has_strides = !has_unit_stride_in;
  read.has_long_arrays = numbers.flag("long_arrays");
  const std::int64_t made_for = numbers.get("plan", 0, std::numeric_limits<std::int64_t>::max());
  if (!numbers.why().empty()) return numbers.why();
  if (has_unit_stride_in != has_unit_stride_out) return "the strides of its input and output differ in kind";
  if (const std::int64_t bytes = tuning["real_bytes"]; bytes != 4 && bytes != 8)
    return base::format("its real_bytes is {}", bytes);
  if (std::string why = objection_to(read); !why.empty()) return why;
  if (made_for != fingerprint_of_version_2(*plan_of(read)))
    return base::format("it was made for another plan of {} points, by another version of graft", read.length);
  request = read;
  return {};
}

}  // namespace graft::families::fft
