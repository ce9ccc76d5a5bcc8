// The contenders of a cell: graft, and the peers with which graft is compared.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "operation.hpp"
#include "options.hpp"

namespace graft::bench {

inline constexpr std::string_view kGraft = "graft";
inline constexpr std::string_view kGraftWithPolicy = "graft with policy";
inline constexpr std::string_view kByHand = "by hand";
inline constexpr std::string_view kCub = "cub";
inline constexpr std::string_view kThrust = "thrust";
inline constexpr std::string_view kMemcpy = "memcpy";

struct Contender {
  std::string name;
  std::function<void(cudaStream_t, const Launch&)> launch;  // queues one launch; throws on failure
  std::string error;     // the reason why `launch` is empty; empty if `launch` can be called
  bool computes = true;  // false for cudaMemcpyAsync, which is not measured with misaligned arrays
};

// Returns the contenders for one operation and adds facts about graft's kernels to `about`.
std::vector<Contender> contenders_of(const Operation& operation, const ThroughputOptions& options,
                                     nlohmann::json& about);

}  // namespace graft::bench
