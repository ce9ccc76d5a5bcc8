// Looks up the entry function graft_host_run, which every host image defines (families/family.hpp).
#include "launch/host_kernel.hpp"

#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft::launch {

HostKernel::HostKernel(std::span<const std::byte> object)
    : object_(object),
      run_(object_.function<void(const void*, unsigned long long, unsigned long long)>("graft_host_run")),
      run_view_(object_.function<void(const void*, const graft_view*, unsigned long long, unsigned long long)>(
          "graft_host_run_view")) {
  if (run_ != nullptr) return;
  if (object_.is_system_failure())
    fail(ErrorCode::SystemFailed, "the host image cannot be loaded: " + object_.failure(), std::string(kSystemRemedy));
  fail(ErrorCode::DriverFailed,
       "the host image cannot be loaded: " +
           (object_.is_open() ? std::string("it has no function graft_host_run, so graft did not make it")
                              : object_.failure()),
       "Build it on this machine: a host image is a shared object for one system and processor.");
}

void HostKernel::run(const void* parameter, const graft_view& view, unsigned long long begin,
                     unsigned long long end) const {
  if (run_view_ == nullptr)
    fail(ErrorCode::ImageRefused, "the host image cannot take views: an older graft made it, or another family",
         "Build the image again with this version of graft.");
  run_view_(parameter, &view, begin, end);
}

}  // namespace graft::launch
