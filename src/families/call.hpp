// A call of a kernel: what it is given, and the launches that come of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "families/parameter_layout.hpp"
#include "graft/arrays.hpp"
#include "graft/element.hpp"

namespace graft::families {

struct Arguments {
  std::span<const ArrayRef> inputs;
  std::span<const ArrayRef> outputs;
  const void* state = nullptr;
  ElementType state_type;
  void* load_info = nullptr;
  void* store_info = nullptr;
};

struct Grid {
  unsigned blocks = 0;
  unsigned threads = 0;  // of a block
};

inline constexpr unsigned kMostLaunches = 2;
inline constexpr std::size_t kParameterAlignment = GRAFT_MAX_STATE_ALIGNMENT;

// Left as memory gives it until a launcher writes it: every execute makes one.
struct Call {
  struct Launch {
    Grid grid;
    bool programmatic;           // it may begin before the kernel in front of it ends
    std::uint32_t shared_bytes;  // of dynamic shared memory for each block
    std::uint32_t parameter;     // where its parameter begins
    std::uint32_t parameter_bytes;
    unsigned long long items;  // that it handles: elements, or what else its family counts
  };

  unsigned count;  // of launches, one after the other
  Launch launches[kMostLaunches];
  alignas(kParameterAlignment) std::byte parameters[kMostParameterBytes];
};

// Makes calls of one kernel. Made once, when the kernel is loaded; thread-safe.
class Launcher {
 public:
  virtual ~Launcher() = default;

  // Of memory that a call needs beside the caller's arrays, where the kernel runs. There is one such place for a kernel
  // in a context: who hands out a family whose kernels need it says that its calls must follow each other.
  virtual std::size_t workspace_bytes() const noexcept { return 0; }

  // Checks the arguments and writes `call`. Without elements it has no launches, and the first one's block is what it
  // would be. Allocates nothing. Throws Error: CountMismatch, TypeMismatch, Misaligned, Overlap, or InvalidArgument (a
  // null pointer, or more than a grid can have).
  virtual void lay_out(const Arguments& arguments, void* workspace, Call& call) const = 0;
};

}  // namespace graft::families
