// The linker in the CUDA driver (cuLinkCreate): links PTX, cubins and objects to a cubin. graft uses it when there is
// no nvJitLink. It needs a device, and it takes no LTO-IR.
#pragma once

#include "graft/architecture.hpp"
#include "toolchain/driver.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::toolchain {

struct DriverLinkRequest {
  std::vector<LinkInput> inputs;  // of any kind but LtoIr
  Architecture architecture;
  bool line_info = false;
  int max_registers = 0;  // the limit for every function; 0: no limit
};

// Thread-safe. Runs in the current context; without one, in device 0's primary context, which it releases afterwards.
// The logs have the same format as nvJitLink's.
LinkResult link_with_driver(const Driver& driver, const DriverLinkRequest& request);

}  // namespace graft::toolchain
