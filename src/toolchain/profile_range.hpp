// An NVTX range: a named span of time that NVIDIA's profilers show in their timeline. Costs a few nanoseconds without a
// profiler, and nothing when graft was built without NVTX's headers.
#pragma once

namespace graft::toolchain {

// The range starts in the constructor and ends in the destructor, in this thread. `name` must outlive the range.
class ProfileRange {
 public:
  explicit ProfileRange(const char* name) noexcept;
  ~ProfileRange();
  ProfileRange(const ProfileRange&) = delete;  // each range must end exactly once
  ProfileRange& operator=(const ProfileRange&) = delete;
};

}  // namespace graft::toolchain
