// Arrays for examples whose lines run on a GPU and on the CPU alike: in device memory for a CUDA stream, in host memory
// for graft::host.
#pragma once

#include <graft/transform.hpp>
#include <vector>

#include "support/cuda.hpp"

namespace examples {

// A copy of `values` in the memory of the stream's arrays.
template <class T>
DeviceBuffer<T> array(cudaStream_t, const std::vector<T>& values) {
  return DeviceBuffer<T>(values);
}
template <class T>
std::vector<T> array(graft::HostTag, const std::vector<T>& values) {
  return values;
}

// The elements of such an array.
template <class T>
std::vector<T> values_of(const DeviceBuffer<T>& array) {
  return on_host(array);
}
template <class T>
std::vector<T> values_of(const std::vector<T>& array) {
  return array;
}

}  // namespace examples
