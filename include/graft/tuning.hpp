// A Tuning is a list of named numbers that graft was free to choose for a kernel. Only the kernel's family (a kind of
// kernels, such as elementwise transforms) knows what a number means, so a new number changes neither a file format nor
// this class.
//
// An elementwise kernel handles tiles and vectors: a tile is the run of elements that one thread block moves with
// 16-byte loads and stores, a vector the run of elements that one thread loads at a time. The tuning of such a kernel
// has the fields of graft::PolicyOverrides (`body` and the booleans are stored as numbers), and further numbers that a
// caller cannot set, among them:
//
//     few_tiles     launches of at most this many tiles give each element a thread of its own instead; 0: never
//     single_below  launches of fewer elements than this use one vector per thread, in thread blocks of 256 threads
//     exact         1: graft wrote code for exactly this signature and tuning; 0: C++ templates serve every signature
//
// The tuning of the route `indirect` is fixed, and the host route has none. A number that is absent from the list has
// its default value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <graft/cpp20.hpp>
#include <graft/export.hpp>

namespace graft {

class GRAFT_API Tuning {
 public:
  struct Decision {
    std::string name = {};
    std::int64_t value = 0;
    bool operator==(const Decision&) const = default;
  };

  Tuning() = default;
  explicit Tuning(std::vector<Decision> decisions) : decisions_(std::move(decisions)) {}

  const std::vector<Decision>& decisions() const noexcept { return decisions_; }

  // Returns a pointer to the value with this name, or null if there is none. The pointer is valid until the next set().
  const std::int64_t* find(std::string_view name) const noexcept;
  // Returns the value with this name, or 0 if there is none.
  std::int64_t operator[](std::string_view name) const noexcept;
  // Changes the value with this name, or adds it if there is none.
  void set(std::string_view name, std::int64_t value);

  bool operator==(const Tuning&) const = default;

 private:
  std::vector<Decision> decisions_;
};

}  // namespace graft
