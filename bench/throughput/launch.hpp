// The description of one launch, which contains untyped arrays and a count. Every contender gets this description.
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

// A function that queues one launch. It throws std::runtime_error if the launch is refused.
using Launcher = void (*)(cudaStream_t stream, const Launch& launch);

// A launcher and the callback's name ("mul_f32"), by which the launcher is found. Each peer is a table of
// NamedLaunchers.
struct NamedLauncher {
  std::string_view callback;
  Launcher launch;
};

}  // namespace graft::bench
