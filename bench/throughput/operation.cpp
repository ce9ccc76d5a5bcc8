// Compiles the callbacks' source for the host, only to get the types of parameters and results. The functions are never
// called.
#define __device__
#include "operation.hpp"

#include <vector_functions.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "operations.hpp"
#include "signature.hpp"

namespace graft::bench {
namespace {

#define DEFINE(operation, type, ...) [[maybe_unused]] __VA_ARGS__
GRAFT_BENCH_OPERATIONS(DEFINE)

template <class Inputs, class Outputs>
struct Executor;
template <class... In, class... Out>
struct Executor<std::tuple<In...>, std::tuple<Out...>> {
  static std::vector<Format> inputs() { return {format_of<In>()...}; }
  static std::vector<Format> outputs() { return {format_of<Out>()...}; }

  static void execute(const Transform& transform, cudaStream_t stream, const Launch& launch) {
    execute_with(transform, stream, launch, std::index_sequence_for<In...>{}, std::index_sequence_for<Out...>{});
  }
  template <std::size_t... i, std::size_t... o>
  static void execute_with(const Transform& transform, cudaStream_t stream, const Launch& launch,
                           std::index_sequence<i...>, std::index_sequence<o...>) {
    transform.execute(stream,
                      graft::inputs(DeviceArray<const In>{static_cast<const In*>(launch.in[i]), launch.count}...),
                      graft::outputs(DeviceArray<Out>{static_cast<Out*>(launch.out[o]), launch.count}...));
  }
};

template <class Function>
using ExecutorOf = Executor<typename SignatureOf<Function>::Inputs, typename SignatureOf<Function>::Outputs>;

template <class Function>
Operation operation(std::string_view name, std::string_view type, std::string_view callback, const char* source) {
  using E = ExecutorOf<Function>;
  return {name, type, callback, source, E::inputs(), E::outputs(), E::execute};
}

template <class Visit>
void for_each_format(const Operation& operation, Visit visit) {
  for (const Format& format : operation.inputs) visit(format);
  for (const Format& format : operation.outputs) visit(format);
}

}  // namespace

std::size_t Operation::largest_element() const {
  std::size_t largest = 0;
  for_each_format(*this, [&](const Format& format) { largest = std::max<std::size_t>(largest, format.bytes()); });
  return largest;
}

std::size_t Operation::bytes_per_element() const {
  std::size_t bytes = 0;
  for_each_format(*this, [&](const Format& format) { bytes += format.bytes(); });
  return bytes;
}

Arrays Operation::arrays(const Launch& launch) const {
  Arrays arrays;
  arrays.count = launch.count;
  for (const Format& format : inputs) {
    const auto k = static_cast<std::size_t>(arrays.inputs++);
    arrays.in[k] = {launch.in[k], format};
  }
  for (const Format& format : outputs) {
    const auto k = static_cast<std::size_t>(arrays.outputs++);
    arrays.out[k] = {launch.out[k], format};
  }
  return arrays;
}

// Returns the range of the random inputs: for activations, magnitudes from 0.001 to 5 of both signs; for Black-Scholes,
// prices, strikes and years as in CUDA's sample; for all other operations the default range.
Range Operation::range(std::size_t input) const {
  if (name == "gelu" || name == "softplus" || name == "sigmoid") return {0.001, 5, true};
  if (name == "black_scholes") return std::array<Range, 3>{{{5, 30, false}, {1, 100, false}, {0.25, 10, false}}}[input];
  return {};
}

const std::vector<Operation>& operations() {
#define ENTRY(name, type, ...) operation<decltype(name##_##type)>(#name, #type, #name "_" #type, #__VA_ARGS__),
  static const std::vector<Operation> all = {GRAFT_BENCH_OPERATIONS(ENTRY)};
  return all;
}

}  // namespace graft::bench
