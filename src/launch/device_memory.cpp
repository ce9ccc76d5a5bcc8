// Memory that is put off waits in a list, to which the thread of CUDA that drops a graph's share adds without a lock:
// it must not wait for a thread that is inside the driver.
#include "launch/device_memory.hpp"

#include <unistd.h>

#include <utility>

namespace graft::launch {

using toolchain::Driver;

struct DeviceMemory::Allocation {
  const Driver* driver = nullptr;
  CUdeviceptr address = 0;
  // CU_POINTER_ATTRIBUTE_BUFFER_ID, which no two allocations of a process share. 0 if the driver does not tell it; the
  // memory is then never freed.
  unsigned long long id = 0;
  pid_t process = ::getpid();
  std::atomic<int> shares{1};
  Allocation* next = nullptr;  // in the list of those that are put off
};

namespace {

// CUDA refuses some calls while a stream is being captured, unless the calling thread says that it knows what it does.
// Allocating memory, and freeing memory that nobody uses, disturbs no capture.
class CallsDuringCapture {
 public:
  explicit CallsDuringCapture(const Driver& driver) : driver_(driver) { exchange(); }
  ~CallsDuringCapture() { exchange(); }
  CallsDuringCapture(const CallsDuringCapture&) = delete;
  CallsDuringCapture& operator=(const CallsDuringCapture&) = delete;

 private:
  void exchange() { driver_.api().cuThreadExchangeStreamCaptureMode(&mode_); }

  const Driver& driver_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

enum class Presence { There, Gone, Unknown };

// Returns whether the allocation still exists.
Presence presence_of(const Driver& driver, CUdeviceptr address, unsigned long long id) {
  unsigned long long found = 0;
  const CUresult result = driver.api().cuPointerGetAttribute(&found, CU_POINTER_ATTRIBUTE_BUFFER_ID, address);
  // A thread without a context need not get an answer.
  if (result == CUDA_ERROR_INVALID_CONTEXT) return Presence::Unknown;
  return result == CUDA_SUCCESS && id != 0 && found == id ? Presence::There : Presence::Gone;
}

// Frees memory that exists. Returns whether it was freed, or can never be.
bool is_freed(const Driver& driver, CUdeviceptr address) {
  const auto& api = driver.api();
  CUcontext owner = nullptr;
  if (api.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, address) != CUDA_SUCCESS) owner = nullptr;
  const bool is_pushed = owner != nullptr && api.cuCtxPushCurrent(owner) == CUDA_SUCCESS;
  const CUresult result = api.cuMemFree(address);
  CUcontext popped = nullptr;
  if (is_pushed) api.cuCtxPopCurrent(&popped);
  const bool is_refused_for_capture =
      result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  return !is_refused_for_capture && result != CUDA_ERROR_INVALID_CONTEXT;
}

}  // namespace

constinit std::atomic<DeviceMemory::Allocation*> DeviceMemory::put_off_{nullptr};

DeviceMemory::DeviceMemory(const Driver& driver, std::size_t bytes, CUresult& result) {
  free_put_off_memory();
  allocation_ = new Allocation{.driver = &driver};
  result = driver.api().cuMemAlloc(&allocation_->address, bytes);
  if (result != CUDA_SUCCESS) {
    delete std::exchange(allocation_, nullptr);
    return;
  }
  if (driver.api().cuPointerGetAttribute(&allocation_->id, CU_POINTER_ATTRIBUTE_BUFFER_ID, allocation_->address) !=
      CUDA_SUCCESS)
    allocation_->id = 0;
}

DeviceMemory DeviceMemory::made_during_captures(const Driver& driver, std::size_t bytes, CUresult& result) {
  const CallsDuringCapture allowed(driver);
  return {driver, bytes, result};
}

DeviceMemory::DeviceMemory(DeviceMemory&& other) noexcept : allocation_(std::exchange(other.allocation_, nullptr)) {}

DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
  DeviceMemory taken(std::move(other));
  std::swap(allocation_, taken.allocation_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (allocation_ != nullptr && --allocation_->shares == 0) free_or_put_off(allocation_);
}

void* DeviceMemory::get() const noexcept {
  // The driver returns device addresses as integers.
  return allocation_ == nullptr ? nullptr
                                : reinterpret_cast<void*>(allocation_->address);  // NOLINT(performance-no-int-to-ptr)
}

CUresult DeviceMemory::keep_for_capture(CUstream stream) const noexcept {
  const auto& api = allocation_->driver->api();
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUgraph graph = nullptr;
  if (const CUresult result = api.cuStreamGetCaptureInfo_v2(stream, &status, nullptr, &graph, nullptr, nullptr);
      result != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return result;
  ++allocation_->shares;
  CUuserObject share = nullptr;
  if (const CUresult result =
          api.cuUserObjectCreate(&share, allocation_, drop_share_of_graph, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
      result != CUDA_SUCCESS) {
    --allocation_->shares;
    return result;
  }
  const CUresult result = api.cuGraphRetainUserObject(graph, share, 1, CU_GRAPH_USER_OBJECT_MOVE);
  if (result != CUDA_SUCCESS) api.cuUserObjectRelease(share, 1);
  return result;
}

void DeviceMemory::leave_allocated() noexcept {
  if (allocation_ != nullptr && --allocation_->shares == 0) delete allocation_;
  allocation_ = nullptr;
}

void DeviceMemory::drop_share_of_graph(void* allocation) {
  auto* const dropped = static_cast<Allocation*>(allocation);
  if (--dropped->shares == 0) put_off(dropped);
}

void DeviceMemory::free_or_put_off(Allocation* allocation) noexcept {
  // A child of fork has no memory of its parent's.
  if (allocation->process != ::getpid()) {
    delete allocation;
    return;
  }
  const CallsDuringCapture allowed(*allocation->driver);
  switch (presence_of(*allocation->driver, allocation->address, allocation->id)) {
    case Presence::There:
      if (!is_freed(*allocation->driver, allocation->address)) return put_off(allocation);
      break;
    case Presence::Gone:
      break;
    case Presence::Unknown:
      return put_off(allocation);
  }
  delete allocation;
}

void DeviceMemory::put_off(Allocation* allocation) noexcept {
  allocation->next = put_off_.load();
  while (!put_off_.compare_exchange_weak(allocation->next, allocation)) {
  }
}

void free_put_off_memory() noexcept {
  using Allocation = DeviceMemory::Allocation;
  // Takes the whole list, as an allocation that cannot be freed now goes back into it.
  for (Allocation* one = DeviceMemory::put_off_.exchange(nullptr); one != nullptr;)
    DeviceMemory::free_or_put_off(std::exchange(one, one->next));
}

}  // namespace graft::launch
