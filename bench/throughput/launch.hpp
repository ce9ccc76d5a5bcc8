// One launch as every contender sees it: arrays without types, and a count.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <string_view>

namespace graft::bench {

inline constexpr std::size_t kMaxInputs = 3;
inline constexpr std::size_t kMaxOutputs = 2;

struct Launch {
  std::array<const void*, kMaxInputs> in = {};
  std::array<void*, kMaxOutputs> out = {};
  std::size_t count = 0;
};

// Queues one launch; throws std::runtime_error when it was refused.
using Launcher = void (*)(cudaStream_t stream, const Launch& launch);

// Peers are tables of these, found by the callback's name ("mul_f32").
struct NamedLauncher {
  std::string_view callback;
  Launcher launch;
};

}  // namespace graft::bench
