// An Architecture is a GPU architecture, with the name that the CUDA compilers use: sm_75, sm_90, sm_90a, sm_120.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include <graft/cpp20.hpp>
#include <graft/export.hpp>

namespace graft {

struct GRAFT_API Architecture {
  int number = 0;      // 10 * major + minor of the compute capability, for example 75, 90, 120
  char suffix = '\0';  // 'a' or 'f' for an architecture- or family-specific target, else '\0'

  constexpr Architecture() = default;
  constexpr Architecture(int n, char s = '\0') : number(n), suffix(s) {}

  // Parses "sm_90a", "compute_90a" or "90a". Throws Error(InvalidArgument) for other text.
  static Architecture parse(std::string_view text);

  std::string sm() const;       // "sm_90a"
  std::string compute() const;  // "compute_90a"

  auto operator<=>(const Architecture&) const = default;
};

// The oldest architecture that graft makes kernels for.
inline constexpr Architecture kOldestArchitecture{75};

}  // namespace graft
