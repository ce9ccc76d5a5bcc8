// One launch as every contender gets it: untyped arrays and a count.
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

// Queues one launch. Throws std::runtime_error if the launch is refused.
using Launcher = void (*)(cudaStream_t stream, const Launch& launch);

// Each peer is a table of these. A launcher is found by the callback's name ("mul_f32").
struct NamedLauncher {
  std::string_view callback;
  Launcher launch;
};

}  // namespace graft::bench
