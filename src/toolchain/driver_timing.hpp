// The driver's functions for measuring: events, host functions in a stream, and copies on the device. They are not
// among those of Driver, so that a program that only runs kernels does not look for them.
#pragma once

#include <cuda.h>

#include <string>

namespace graft::toolchain {

// Function pointers with the names of cuda.h, as in DriverFunctions.
struct TimingFunctions {
  decltype(&::cuStreamCreate) cuStreamCreate;
  decltype(&::cuStreamDestroy) cuStreamDestroy;
  decltype(&::cuStreamSynchronize) cuStreamSynchronize;
  decltype(&::cuLaunchHostFunc) cuLaunchHostFunc;
  decltype(&::cuEventCreate) cuEventCreate;
  decltype(&::cuEventDestroy) cuEventDestroy;
  decltype(&::cuEventRecord) cuEventRecord;
  decltype(&::cuEventSynchronize) cuEventSynchronize;
  decltype(&::cuEventElapsedTime) cuEventElapsedTime;
  decltype(&::cuMemcpyDtoDAsync) cuMemcpyDtoDAsync;
  decltype(&::cuMemGetInfo) cuMemGetInfo;

  // Returns the functions of the process's driver. Returns null and sets `why` if there is no driver or if it lacks one
  // of them. Thread-safe.
  static const TimingFunctions* find(std::string& why);
};

}  // namespace graft::toolchain
