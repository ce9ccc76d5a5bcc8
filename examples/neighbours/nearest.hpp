// A library that finds nearest neighbours. Its users may give the metric, and a filter of points, as CUDA C++ or
// compiled for these slots of the library's kernel:
//
//     float metric(float a, float b, const S& state)     the part of one coordinate; `state` may be left out
//     bool filter(int point)                             whether a point counts
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstring>
#include <graft/kernel.hpp>
#include <optional>
#include <type_traits>

namespace nearest {

// The code of the kernel, for those who compile a callback for it.
graft::KernelCode code();

struct Callbacks {
  std::optional<graft::Callback> metric = {};  // by default, the square of the difference
  std::optional<graft::Callback> filter = {};
};

// Room for the state of a metric.
struct alignas(16) State {
  std::array<std::byte, 16> bytes = {};

  State() = default;
  template <class T>
  explicit State(const T& state) {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(State), "the state of a metric is too large");
    std::memcpy(bytes.data(), &state, sizeof state);
  }
};

class Finder {
 public:
  // Makes the kernel for points of 4, 8 or 16 dimensions (others need a compiler). Throws graft::Error; throws
  // std::invalid_argument if the metric's state has no room.
  explicit Finder(int dimensions, const Callbacks& callbacks = {});

  // Writes the place of the nearest point to each query, or -1, to `found`. All are in device memory.
  void find(cudaStream_t stream, const float* queries, int query_count, const float* points, int point_count,
            int* found, const State& state = {}) const;

  const graft::Report& report() const { return kernel_.report(); }

 private:
  graft::Kernel kernel_;
};

// The image of the same kernel, for a machine without a GPU.
graft::Image build(int dimensions, const Callbacks& callbacks, graft::Architecture architecture);

}  // namespace nearest
