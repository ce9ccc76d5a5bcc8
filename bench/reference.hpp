// Random data on the GPU, and a second opinion on every result: kernels compiled by nvcc, which share nothing with
// graft, work each element out again in double precision.
//
// A reference is found by the name of an operation ("triad"). It sees elements of any type as up to three doubles each,
// so one serves all types; what it allows for rounding depends on the type that the callback computes in.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string_view>

#include "format.hpp"

namespace graft::bench {

// What random numbers lie between: magnitudes in (low, high), of both signs if asked. Integers are never zero and use
// all their bits instead.
struct Range {
  double low = 0.5;
  double high = 2.0;
  bool both_signs = true;
  bool operator==(const Range&) const = default;
};

// Never zero, and different for every seed: arrays of zeros are moved faster by memory that compresses.
void fill_random(cudaStream_t stream, void* data, Scalar scalar, std::size_t count, const Range& range, unsigned seed);
void fill_floats(cudaStream_t stream, float* data, std::size_t count, unsigned seed);  // in +-[0.5, 2)

inline constexpr int kMaxReferenceInputs = 3;
inline constexpr int kMaxReferenceOutputs = 2;

struct TypedArray {
  const void* data = nullptr;
  Format format = {};
};

// The arrays of one launch, behind it.
struct Arrays {
  TypedArray in[kMaxReferenceInputs];
  TypedArray out[kMaxReferenceOutputs];
  int inputs = 0;
  int outputs = 0;
  std::size_t count = 0;
};

bool has_reference(std::string_view operation);

// How many of all elements are wrong: further from the exact result than rounding allows. Waits for the stream. Throws
// std::invalid_argument for an operation without a reference.
unsigned long long count_wrong(cudaStream_t stream, std::string_view operation, const Arrays& arrays);

// What the outputs should be, as doubles in device memory: [output][component][element], kMaxComponents of each.
void evaluate(cudaStream_t stream, std::string_view operation, const Arrays& arrays, double* expected);

}  // namespace graft::bench
