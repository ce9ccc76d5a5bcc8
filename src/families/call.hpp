// Describes one call of a kernel: the arguments that the caller gives, and the launches that a Launcher makes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "contract.h"
#include "graft/arrays.hpp"
#include "graft/element.hpp"

namespace graft::families {

struct Arguments {
  std::span<const ArrayRef> inputs;
  std::span<const ArrayRef> outputs;
  const void* state = nullptr;  // the state's bytes; null if the callback has no state
  ElementType state_type;
  void* load_info = nullptr;   // the pointer that a load callback receives as caller_info
  void* store_info = nullptr;  // the pointer that a store callback receives as caller_info
  // The number of elements of a call without arrays. Every other call takes the number from its arrays.
  std::optional<std::size_t> count = {};
  // What the public class of a family other than elementwise transforms adds to the call, in a struct of the family's.
  const void* more = nullptr;
};

struct Grid {
  unsigned blocks = 0;
  unsigned threads = 0;  // threads per thread block
};

inline constexpr unsigned kMostLaunches = 2;
// The size of a parameter, in bytes, that every driver accepts. Newer drivers accept 32,764 bytes, if the kernel was
// compiled for that.
inline constexpr std::size_t kMostParameterBytes = 4096;
inline constexpr std::size_t kParameterAlignment = GRAFT_MAX_STATE_ALIGNMENT;

// A call, laid out for the driver. Launcher::lay_out sets the members. They have no initial values, because every
// execute makes a Call and should not spend time on clearing its 4 KiB.
struct Call {
  struct Launch {
    Grid grid;
    bool programmatic;           // the kernel may begin before the previous kernel in the stream ends
    std::uint32_t shared_bytes;  // dynamic shared memory per thread block
    std::uint32_t parameter;     // offset in `parameters` of the launch's kernel parameter, in bytes
    std::uint32_t parameter_bytes;
    unsigned long long items;  // how much the launch handles, in elements or in another unit that the family defines
  };

  unsigned count;  // number of launches, which are executed one after the other
  Launch launches[kMostLaunches];
  alignas(kParameterAlignment) std::byte parameters[kMostParameterBytes];
};

// Lays out the calls of one kernel. A Launcher is created once, when the kernel is loaded, and is thread-safe.
class Launcher {
 public:
  virtual ~Launcher() = default;

  // Size of the memory that a call needs besides the caller's arrays. The memory is on the device or host where the
  // kernel runs. All calls of a kernel in one context share this workspace, so the calls must not run at the same time.
  // The public interface of a family that needs a workspace must tell users that the calls must not overlap.
  virtual std::size_t workspace_bytes() const noexcept { return 0; }

  // The bytes with which the workspace begins, such as a table that no launch changes. At most workspace_bytes() bytes,
  // which live as long as the launcher.
  virtual std::span<const std::byte> constants() const noexcept { return {}; }

  // The most dynamic shared memory that a launch has per thread block, in bytes.
  virtual std::uint32_t most_shared_bytes() const noexcept { return 0; }

  // Checks the arguments and writes `call`. If the arrays have no elements, sets call.count to 0, so nothing is
  // launched, but still sets launches[0].grid.threads to the threads per thread block of a launch. Allocates memory
  // only if it throws. Throws Error: CountMismatch, TypeMismatch, Misaligned, Overlap, or InvalidArgument (a null
  // pointer, or more thread blocks than a grid can have).
  virtual void lay_out(const Arguments& arguments, void* workspace, Call& call) const = 0;
};

}  // namespace graft::families
