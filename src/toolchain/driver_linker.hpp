// The driver's own linker: PTX, cubins and objects in, a cubin out, where there is a device and no nvJitLink.
#pragma once

#include "graft/architecture.hpp"
#include "toolchain/driver.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::toolchain {

struct DriverLinkRequest {
  std::vector<LinkInput> inputs;  // no LTO-IR
  Architecture architecture;
  bool line_info = false;
  int max_registers = 0;  // of every function; 0: no ceiling
};

// Thread-safe. Needs a context to run in: the current one, or device 0's primary one while it runs. The logs read as
// nvJitLink's do.
LinkResult link_with_driver(const Driver& driver, const DriverLinkRequest& request);

}  // namespace graft::toolchain
