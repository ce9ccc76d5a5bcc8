// Arrays in the memory of a device, whose primary context is current as long as they live.
#pragma once

#include <cstddef>
#include <memory>

namespace graft::cli {

class DeviceArrays {
 public:
  // Throws Error: NoDevice, DriverFailed.
  explicit DeviceArrays(int device);
  ~DeviceArrays();
  DeviceArrays(const DeviceArrays&) = delete;
  DeviceArrays& operator=(const DeviceArrays&) = delete;

  // Adds an array, with a content unless it is null, and returns its address. Throws Error(DriverFailed).
  void* add(std::size_t bytes, const std::byte* content);
  // Waits for all work of the device. Throws Error(DriverFailed) if a kernel failed.
  void wait() const;
  // Copies an array to the host. The first that was added has number 0. Throws Error(DriverFailed).
  void fetch(std::size_t number, std::byte* to) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace graft::cli
