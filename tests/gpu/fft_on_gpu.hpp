// Loads and launches the kernels of an FFT's plan, below graft's public interface.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "families/fft/compile_text.hpp"
#include "families/fft/program.hpp"
#include "families/fft/roots.hpp"
#include "gpu/device.hpp"

namespace graft::test {

// Memory that CPU and GPU access.
template <class T>
struct ManagedAllocator {
  using value_type = T;
  ManagedAllocator() = default;
  template <class U>
  ManagedAllocator(const ManagedAllocator<U>&) {}
  T* allocate(std::size_t count) {
    void* pointer = nullptr;
    check(cudaMallocManaged(&pointer, count * sizeof(T)));
    return static_cast<T*>(pointer);
  }
  void deallocate(T* pointer, std::size_t) { cudaFree(pointer); }
  friend bool operator==(const ManagedAllocator&, const ManagedAllocator&) { return true; }
};

inline int current_architecture() {
  int device = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return 10 * major + minor;
}

// One kernel, compiled and loaded for the current device.
class FftKernelOnGpu {
 public:
  FftKernelOnGpu(const families::fft::ProgramRequest& request, const std::string& callbacks)
      : threads_(static_cast<unsigned>(request.plan.kernels[request.kernel].block_threads())),
        shared_bytes_(static_cast<std::size_t>(request.plan.kernels[request.kernel].shared_bytes)) {
    const toolchain::NvrtcResult compiled =
        compile_text(callbacks + families::fft::device_text(request), current_architecture());
    if (!compiled.ok) throw std::runtime_error(compiled.log);
    check(cudaLibraryLoadData(&library_, compiled.code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    check(cudaLibraryGetKernel(&kernel_, library_, request.name.c_str()));
    int device = 0;
    check(cudaGetDevice(&device));
    check(cudaKernelSetAttributeForDevice(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                          static_cast<int>(shared_bytes_), device));
  }
  ~FftKernelOnGpu() { cudaLibraryUnload(library_); }
  FftKernelOnGpu(const FftKernelOnGpu&) = delete;
  FftKernelOnGpu& operator=(const FftKernelOnGpu&) = delete;

  void launch(void* parameter, std::int64_t blocks, cudaStream_t stream = nullptr) const {
    void* parameters[] = {parameter};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_), dim3(static_cast<unsigned>(blocks)), dim3(threads_),
                           parameters, shared_bytes_, stream));
  }

 private:
  unsigned threads_;
  std::size_t shared_bytes_;
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace graft::test
