#include "launch/stream_memory.hpp"

#include <cstdint>
#include <utility>

namespace graft::launch {

StreamMemory::~StreamMemory() {
  for (Stream* one = first_.load(); one != nullptr;) delete std::exchange(one, one->next);
}

StreamMemory::Found StreamMemory::of(CUstream stream) {
  const auto& api = driver_.api();
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t capture = 0;
  if (const CUresult result = api.cuStreamGetCaptureInfo_v2(stream, &status, &capture, nullptr, nullptr, nullptr);
      result != CUDA_SUCCESS)
    return {.result = result};
  if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE) return take_for_capture(stream, capture);
  unsigned long long id = 0;
  if (const CUresult result = api.cuStreamGetId(stream, &id); result != CUDA_SUCCESS) return {.result = result};
  if (const Stream* const known = find([&](const Stream& one) { return one.id == id; }))
    if (void* const address = known->address.load(std::memory_order_acquire)) return {address};
  return make(stream, id);
}

template <class Is>
StreamMemory::Stream* StreamMemory::find(Is is) const noexcept {
  Stream* one = first_.load(std::memory_order_acquire);
  while (one != nullptr && !is(*one)) one = one->next;
  return one;
}

// The memory is cleared in the stream, in front of the kernel that uses it.
StreamMemory::Found StreamMemory::make(CUstream stream, unsigned long long id) {
  const std::lock_guard lock(mutex_);
  Stream* known = find([&](const Stream& one) { return one.id == id; });
  if (known != nullptr)
    if (void* const address = known->address.load()) return {address};
  CUresult result = CUDA_SUCCESS;
  DeviceMemory memory = DeviceMemory::made_during_captures(driver_, bytes_, result);
  if (result == CUDA_SUCCESS)
    result = driver_.api().cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(memory.get()), 0, bytes_, stream);
  if (result != CUDA_SUCCESS) return {.result = result};
  if (known == nullptr) {
    known = new Stream{.id = id,
                       .handle = stream,
                       .thread = std::this_thread::get_id(),
                       .next = first_.load(std::memory_order_relaxed)};
    first_.store(known, std::memory_order_release);
  }
  known->memory = std::move(memory);
  known->address.store(known->memory.get(), std::memory_order_release);
  return {known->memory.get()};
}

StreamMemory::Found StreamMemory::take_for_capture(CUstream stream, unsigned long long capture) {
  const std::lock_guard lock(mutex_);
  // CU_STREAM_PER_THREAD
  const bool is_of_thread = reinterpret_cast<std::uintptr_t>(stream) == 2;
  Stream* const known = find([&](const Stream& one) {
    return one.handle == stream && (!is_of_thread || one.thread == std::this_thread::get_id());
  });
  if (known == nullptr) return {.is_captured = true};
  if (known->capture == capture && known->captured != nullptr) return {known->captured};
  void* const address = known->address.load();
  if (address == nullptr) return {.is_captured = true};
  if (const CUresult result = known->memory.keep_for_capture(stream); result != CUDA_SUCCESS) return {.result = result};
  known->captured = address;
  known->capture = capture;
  known->address.store(nullptr);
  known->memory = DeviceMemory();  // the graph's share is left
  return {address};
}

}  // namespace graft::launch
