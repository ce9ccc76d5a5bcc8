// Where `graft bench` measures: a GPU (gpu_place.cpp), or the CPU (host_place.cpp). A Place owns the memory of the
// arrays and the clock. Everything else about a measurement is the same on both (measurement.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

struct CUstream_st;

namespace graft::cli {

// What decides how long a sample is and how much memory the calls of a sample go through.
struct PlaceLimits {
  std::size_t traffic;      // bytes that are moved between two uses of the same memory, so that no cache holds it
  std::size_t most_array;   // the largest array that is measured, in bytes, unless the user asks for others
  double bytes_per_second;  // an upper bound of the memory's speed
  double shortest_call;     // a lower bound of the time of a call, in seconds
  int most_calls;           // in a sample
};

// All functions throw Error if the driver refuses something.
class Place {
 public:
  virtual ~Place() = default;

  virtual PlaceLimits limits() const = 0;
  virtual std::string title() const = 0;       // "NVIDIA H200", "the CPU, one thread"
  virtual std::size_t free_bytes() const = 0;  // of memory that allocate() may take
  virtual bool is_host() const noexcept = 0;
  // The stream in which calls are queued. Null on the host.
  virtual CUstream_st* stream() const noexcept = 0;

  // Returns memory that is aligned to 64 bytes (256 on a GPU) and lives as long as the Place.
  virtual std::byte* allocate(std::size_t bytes) = 0;
  // The functions below wait for the calls before them, except copy().
  virtual void write(std::byte* to, std::span<const std::byte> from) = 0;
  virtual void read(std::span<std::byte> to, const std::byte* from) = 0;
  virtual void copy(std::byte* to, const std::byte* from, std::size_t bytes) = 0;  // as calls do: on a GPU, queues it

  // Returns the seconds that the work takes that `queue` queues. On a GPU this is the time from the beginning of the
  // first launch to the end of the last, because the GPU begins when everything is queued.
  virtual double seconds(const std::function<void()>& queue) = 0;
  // Returns the seconds that `queue` itself takes.
  virtual double host_seconds(const std::function<void()>& queue) = 0;
};

// Makes the primary context of the device current, in this thread, as long as the Place lives. Throws Error: NoDevice,
// DriverFailed, ToolTooOld (the driver lacks a function for measuring).
std::unique_ptr<Place> gpu_place(int device);
std::unique_ptr<Place> host_place();

}  // namespace graft::cli
