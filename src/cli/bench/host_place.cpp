// The CPU as a place of measurement: memory of this process, a steady clock, and one thread, as for every call of the
// host route.
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <fstream>
#include <string>

#include "cli/arrays/npy.hpp"
#include "cli/bench/place.hpp"

namespace graft::cli {
namespace {

// Memory that a program can get: that which is free, and that of the page cache. A kernel that does not tell it tells
// only what is free.
std::size_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string name, unit;
  for (std::size_t kilobytes = 0; file >> name >> kilobytes; std::getline(file, unit))
    if (name == "MemAvailable:") return kilobytes << 10;
  return static_cast<std::size_t>(::sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

class HostPlace final : public Place {
 public:
  // The traffic is more than the caches of most processors hold. The bounds of the speed are those of one thread.
  PlaceLimits limits() const override {
    return {.traffic = std::size_t{1} << 27,
            .most_array = std::size_t{1} << 26,
            .bytes_per_second = 4e10,
            .shortest_call = 1e-6,
            .most_calls = 200};
  }
  std::string title() const override { return "the CPU, one thread"; }
  std::size_t free_bytes() const override { return available_bytes(); }
  bool is_host() const noexcept override { return true; }
  CUstream_st* stream() const noexcept override { return nullptr; }

  std::byte* allocate(std::size_t bytes) override {
    return memory_.emplace_back(bytes, 1, "an array of the measurement").data();
  }
  void write(std::byte* to, std::span<const std::byte> from) override { std::memcpy(to, from.data(), from.size()); }
  void read(std::span<std::byte> to, const std::byte* from) override { std::memcpy(to.data(), from, to.size()); }
  void copy(std::byte* to, const std::byte* from, std::size_t bytes) override { std::memcpy(to, from, bytes); }

  double seconds(const std::function<void()>& queue) override {
    const auto begin = std::chrono::steady_clock::now();
    queue();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  double host_seconds(const std::function<void()>& queue) override { return seconds(queue); }

 private:
  std::deque<AlignedBytes> memory_;
};

}  // namespace

std::unique_ptr<Place> host_place() {
  return std::make_unique<HostPlace>();
}

}  // namespace graft::cli
