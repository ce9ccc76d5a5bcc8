#include "launch/host_kernel.hpp"

#include "graft/error.hpp"

namespace graft::launch {

HostKernel::HostKernel(std::span<const std::byte> object)
    : object_(object),
      run_(object_.function<void(const void*, unsigned long long, unsigned long long)>("graft_host_run")) {
  if (run_ != nullptr) return;
  throw Error(ErrorCode::DriverFailed,
              {.message = "the host image cannot be loaded: " +
                          (object_.is_open() ? std::string("graft did not make it") : object_.failure()),
               .remedy = "Build it on this machine: a host image is a shared object for one system and processor.",
               .log = {},
               .versions = {}});
}

}  // namespace graft::launch
