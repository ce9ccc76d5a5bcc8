// A Place says where the exhibits (the demonstrations of the quickstart) run: on the GPU, or on the CPU (route `host`)
// if there is no GPU. `make` builds a callback for a place, and `run` runs the callback there over host arrays.
#pragma once

#include <cstddef>
#include <graft/graft.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "support/cuda.hpp"

namespace quickstart {

struct Place {
  bool has_gpu;

  std::size_t count(std::size_t on_gpu, std::size_t on_cpu) const { return has_gpu ? on_gpu : on_cpu; }
};

// Creates a transform and prints a summary of its report. Without a GPU, it first builds the kernel for sm_90 and
// prints that kernel's report, and then creates a transform for the CPU.
graft::Transform make(const Place& place, const graft::Callback& callback);

void print_throughput(std::size_t bytes, double milliseconds);

template <class T>
std::size_t bytes_of(const std::vector<T>& array) {
  return array.size() * sizeof(T);
}

// Runs the transform on the GPU over copies of the arrays, and prints its throughput.
template <class... In, class... Out, class... State>
void run_on_gpu(const graft::Transform& transform, const std::tuple<const std::vector<In>&...>& in,
                const std::tuple<std::vector<Out>&...>& out, const State&... state) {
  const auto sources =
      std::apply([](auto&... from) { return std::make_tuple(examples::DeviceBuffer<In>(from)...); }, in);
  const auto targets =
      std::apply([](auto&... to) { return std::make_tuple(examples::DeviceBuffer<Out>(to.size())...); }, out);
  const graft::Inputs inputs = std::apply([](auto&... from) { return graft::inputs(from...); }, sources);
  const graft::Outputs outputs = std::apply([](auto&... to) { return graft::outputs(to...); }, targets);
  const double milliseconds =
      examples::median_milliseconds([&](cudaStream_t stream) { transform.execute(stream, inputs, outputs, state...); });
  const auto bytes = [](auto&... arrays) { return (bytes_of(arrays) + ...); };
  print_throughput(std::apply(bytes, in) + std::apply(bytes, out), milliseconds);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (std::get<I>(targets).copy_to(std::get<I>(out)), ...);
  }
  (std::index_sequence_for<Out...>());
}

// Runs the transform on the GPU or on the CPU, as `place` says, over host arrays.
template <class... In, class... Out, class... State>
void run(const Place& place, const graft::Transform& transform, const std::tuple<const std::vector<In>&...>& in,
         const std::tuple<std::vector<Out>&...>& out, const State&... state) {
  if (place.has_gpu) return run_on_gpu(transform, in, out, state...);
  const graft::HostInputs inputs = std::apply([](auto&... from) { return graft::inputs(from...); }, in);
  const graft::HostOutputs outputs = std::apply([](auto&... to) { return graft::outputs(to...); }, out);
  transform.execute(graft::host, inputs, outputs, state...);
}

}  // namespace quickstart
