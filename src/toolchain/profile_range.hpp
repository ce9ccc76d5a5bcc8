// A named stretch of time for NVIDIA's profilers (NVTX): what a timeline shows of graft. Costs a few nanoseconds where
// no profiler listens, and nothing where graft was built without NVTX's headers.
#pragma once

namespace graft::toolchain {

// From its construction to its end, in this thread. `name` must outlive it.
class ProfileRange {
 public:
  explicit ProfileRange(const char* name) noexcept;
  ~ProfileRange();
  ProfileRange(const ProfileRange&) = delete;  // ends what it began, once
  ProfileRange& operator=(const ProfileRange&) = delete;
};

}  // namespace graft::toolchain
