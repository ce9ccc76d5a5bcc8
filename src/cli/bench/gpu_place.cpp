// A GPU as a place of measurement, through the driver API, because this program does not link the CUDA runtime.
//
// The time between two events would contain the host calls that queue the launches between them, if the GPU ran faster
// than the host. So the stream first waits for a function on the host, which returns when everything is queued. A
// sample has far fewer launches than the queue of a stream holds (1,024), so that no launch waits for the GPU.
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "base/format.hpp"
#include "cli/arrays/driver_check.hpp"
#include "cli/bench/place.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "launch/device.hpp"
#include "launch/device_memory.hpp"
#include "toolchain/driver_timing.hpp"

namespace graft::cli {
namespace {

using toolchain::TimingFunctions;

const TimingFunctions& timing_functions() {
  std::string why;
  const TimingFunctions* const found = TimingFunctions::find(why);
  if (found == nullptr) fail(ErrorCode::ToolTooOld, std::move(why), "Install a newer driver.");
  return *found;
}

// Holds the stream until it is opened, at the latest when it is destroyed: a launch may throw. The destructor waits for
// the stream, because the function in it reads this object.
//
// After kLongestHold the stream goes on in any case. Otherwise a call that waits for the stream, as one that allocates
// memory or finds the queue full may, would never return, because the gate is opened only after the call.
class Gate {
 public:
  Gate(const TimingFunctions& api, CUstream stream) : api_(api), stream_(stream) {
    check_driver(api.cuLaunchHostFunc(stream, wait, this), "the stream cannot be held");
  }
  ~Gate() {
    open();
    api_.cuStreamSynchronize(stream_);
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void open() noexcept {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    opened_.notify_all();
  }

 private:
  static constexpr std::chrono::milliseconds kLongestHold{20};

  static void CUDA_CB wait(void* gate) {
    auto& self = *static_cast<Gate*>(gate);
    std::unique_lock lock(self.mutex_);
    self.opened_.wait_for(lock, kLongestHold, [&] { return self.is_open_; });
  }

  const TimingFunctions& api_;
  CUstream stream_;
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
};

class GpuPlace final : public Place {
 public:
  explicit GpuPlace(int device) : context_(device) {
    check_driver(api_.cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "no stream can be made");
    check_driver(api_.cuEventCreate(&begin_, CU_EVENT_DEFAULT), "no event can be made");
    check_driver(api_.cuEventCreate(&end_, CU_EVENT_DEFAULT), "no event can be made");
    char name[256] = "";
    CUdevice handle = 0;
    check_driver(launch::driver().api().cuCtxGetDevice(&handle), "the context has no device");
    launch::driver().api().cuDeviceGetName(name, sizeof name - 1, handle);
    name_ = name;
  }
  ~GpuPlace() override {
    if (stream_ != nullptr) api_.cuStreamSynchronize(stream_);
    if (begin_ != nullptr) api_.cuEventDestroy(begin_);
    if (end_ != nullptr) api_.cuEventDestroy(end_);
    if (stream_ != nullptr) api_.cuStreamDestroy(stream_);
  }

  // These are the bounds of bench_throughput: an H200's memory moves less than 4.5 TB/s, and its L2 cache has 60 MB.
  PlaceLimits limits() const override {
    return {.traffic = std::size_t{1} << 29,
            .most_array = std::size_t{1} << 31,
            .bytes_per_second = 4.5e12,
            .shortest_call = 2e-6,
            .most_calls = 50};
  }
  std::string title() const override { return name_; }
  std::size_t free_bytes() const override {
    std::size_t free = 0, total = 0;
    check_driver(api_.cuMemGetInfo(&free, &total), "the free memory is not known");
    return free;
  }
  bool is_host() const noexcept override { return false; }
  CUstream_st* stream() const noexcept override { return stream_; }

  std::byte* allocate(std::size_t bytes) override {
    CUresult result = CUDA_SUCCESS;
    const launch::DeviceMemory& memory = memory_.emplace_back(launch::driver(), bytes, result);
    check_driver(result, base::format("{} bytes of device memory cannot be allocated", bytes));
    return static_cast<std::byte*>(memory.get());
  }
  void write(std::byte* to, std::span<const std::byte> from) override {
    wait();
    check_driver(launch::driver().api().cuMemcpyHtoD(address(to), from.data(), from.size()),
                 "an array cannot be copied to the device");
    // From pageable memory, the call may return before the bytes have arrived, and the stream waits for no other.
    check_driver(launch::driver().api().cuCtxSynchronize(), "an array cannot be copied to the device");
  }
  void read(std::span<std::byte> to, const std::byte* from) override {
    wait();
    check_driver(launch::driver().api().cuMemcpyDtoH(to.data(), address(from), to.size()),
                 "an array cannot be copied from the device");
  }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) override {
    check_driver(api_.cuMemcpyDtoDAsync(address(to), address(from), bytes, stream_),
                 "an array cannot be copied on the device");
  }

  double seconds(const std::function<void()>& queue) override {
    Gate gate(api_, stream_);
    check_driver(api_.cuEventRecord(begin_, stream_), "an event cannot be queued");
    queue();
    check_driver(api_.cuEventRecord(end_, stream_), "an event cannot be queued");
    gate.open();
    check_driver(api_.cuEventSynchronize(end_), "a kernel failed");
    float milliseconds = 0;
    check_driver(api_.cuEventElapsedTime(&milliseconds, begin_, end_), "the time between two events is not known");
    return static_cast<double>(milliseconds) * 1e-3;
  }
  double host_seconds(const std::function<void()>& queue) override {
    wait();
    const auto begin = std::chrono::steady_clock::now();
    queue();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    wait();
    return time.count();
  }

 private:
  static CUdeviceptr address(const std::byte* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
  void wait() const { check_driver(api_.cuStreamSynchronize(stream_), "a kernel failed"); }

  launch::CurrentContext context_;
  const TimingFunctions& api_ = timing_functions();
  CUstream stream_ = nullptr;
  CUevent begin_ = nullptr, end_ = nullptr;
  std::string name_;
  std::deque<launch::DeviceMemory> memory_;
};

}  // namespace

std::unique_ptr<Place> gpu_place(int device) {
  return std::make_unique<GpuPlace>(device);
}

}  // namespace graft::cli
