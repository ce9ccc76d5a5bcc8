// A test double of the CUDA driver 535 (CUDA 12.2), which has no function cuFuncLoad. It has one device of compute
// capability 9.0, loads everything, and runs nothing. A program that is linked with the CMake target graft_fake_driver
// gets it in place of this machine's driver. GRAFT_FAKE_DRIVER_VERSION is the CUDA version that it reports, as
// cuDriverGetVersion does (12020 unless set). With GRAFT_FAKE_DRIVER_TIMES_BLOCKS, each thread block of a launch takes
// a nanosecond between events, and otherwise a millisecond is between them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace graft::test {

// Returns the names of the calls that prepare or launch kernels, in the order of the calls.
std::vector<std::string>& fake_driver_calls();

// The state of the double, which a test reads and changes.
struct FakeDriver {
  unsigned long long context = 1;  // the identity of the current context
  bool is_capturing = false;       // whether all streams are being captured, into one graph
  bool refuses_to_free = false;    // whether cuMemFree is refused during a capture, even in the relaxed mode
  std::size_t mistakes = 0;        // frees of memory that was not allocated, and calls from a graph's destructor

  // The device memory that is allocated, in bytes.
  std::size_t bytes() const;
  // Forgets all device memory, as cudaDeviceReset does. The application then gets the same addresses again.
  void reset();
  // Destroys the graph, as the last cuGraphDestroy or cuGraphExecDestroy does.
  void destroy_graph();
};
FakeDriver& fake_driver();

}  // namespace graft::test
