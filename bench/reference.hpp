// Random data on the GPU, and references that check every result. A reference is a kernel compiled by nvcc. It shares
// no code with graft and computes each element again in double precision.
//
// A reference is selected by an operation's name ("triad"). It reads an element of any type as up to three doubles, so
// one reference serves all types. The rounding error that a reference permits depends on the precision in which the
// callback computes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string_view>

#include "format.hpp"

namespace graft::bench {

// The range of random floating-point numbers: magnitudes in (low, high), with both signs on request. Integers ignore
// the range: they are never zero and use all their bits.
struct Range {
  double low = 0.5;
  double high = 2.0;
  bool both_signs = true;
  bool operator==(const Range&) const = default;
};

// Fills an array with random numbers that are never zero and depend on the seed. Arrays of zeros would falsify the
// timing, because a GPU that compresses its memory moves zeros faster.
void fill_random(cudaStream_t stream, void* data, Scalar scalar, std::size_t count, const Range& range, unsigned seed);
// Fills an array with numbers in +-[0.5, 2).
void fill_floats(cudaStream_t stream, float* data, std::size_t count, unsigned seed);

inline constexpr int kMaxReferenceInputs = 3;
inline constexpr int kMaxReferenceOutputs = 2;

struct TypedArray {
  const void* data = nullptr;
  Format format = {};
};

// The arrays of one launch, from which its results are checked.
struct Arrays {
  TypedArray in[kMaxReferenceInputs];
  TypedArray out[kMaxReferenceOutputs];
  int inputs = 0;
  int outputs = 0;
  std::size_t count = 0;
};

bool has_reference(std::string_view operation);

// Waits for the stream and returns the number of wrong elements. An element is wrong if it differs from the exact
// result by more than rounding allows. Throws std::invalid_argument for an operation without a reference.
unsigned long long count_wrong(cudaStream_t stream, std::string_view operation, const Arrays& arrays);

// Computes the expected outputs as doubles in device memory. The layout is [output][component][element], with
// kMaxComponents components for each output.
void evaluate(cudaStream_t stream, std::string_view operation, const Arrays& arrays, double* expected);

}  // namespace graft::bench
