// An NVTX range is a named span of time that NVIDIA's profilers show in their timeline. Without a profiler, a range
// costs a few nanoseconds. If graft was built without NVTX's headers, a range costs nothing.
#pragma once

namespace graft::toolchain {

// The constructor starts the range in this thread, and the destructor ends it. `name` must outlive the range.
class ProfileRange {
 public:
  explicit ProfileRange(const char* name) noexcept;
  ~ProfileRange();
  ProfileRange(const ProfileRange&) = delete;  // each range must end exactly once
  ProfileRange& operator=(const ProfileRange&) = delete;
};

}  // namespace graft::toolchain
