// How a kernel was told to work and to be launched: a list of named numbers, which only its family reads. Of
// elementwise transforms it is what graft::PolicyOverrides names, with `body` and truth values as numbers, and what
// nobody can ask for, among it:
//
//     few_tiles     where a launch has no more tiles, each element has a thread of its own
//     single_below  with fewer elements a thread handles one group of them, in blocks of 256
//     exact         1: what calls the callback was written for this kernel alone, 0: for any signature
//
// The route `indirect` has a tuning that nothing changes, and the host route has none. What is not mentioned is as if
// it had its default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

  // Of that name; null when there is none.
  const std::int64_t* find(std::string_view name) const noexcept;
  // 0 when there is none of that name.
  std::int64_t operator[](std::string_view name) const noexcept;
  // Adds the decision where there is none of that name.
  void set(std::string_view name, std::int64_t value);

  bool operator==(const Tuning&) const = default;

 private:
  std::vector<Decision> decisions_;
};

}  // namespace graft
