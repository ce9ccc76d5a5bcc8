// One call of a job: the arguments that the caller gives, the launches that a Caller makes of them, and the Runner that
// executes the launches.
//
//     graft::Transform::execute(stream, in, out)   fills Arguments
//     the Caller of its family                     checks them, and lays out the launches
//     the Runner                                   queues each launch in the stream, or runs it on the host
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/format.hpp"
#include "graft/arrays.hpp"
#include "graft/element.hpp"

struct graft_view;  // building_blocks/contract.h

namespace graft::families {

// The arguments of a call. A family whose calls have more arguments derives a struct from this one. The family's public
// class fills that struct, and the family's Caller reads it.
struct Arguments {
  std::span<const ArrayRef> inputs;
  std::span<const ArrayRef> outputs;
  const void* state = nullptr;  // the state's bytes; null if the callback has no state
  ElementType state_type;
  void* load_info = nullptr;   // the pointer that a load callback receives as caller_info
  void* store_info = nullptr;  // the pointer that a store callback receives as caller_info
  // The number of elements of a call without arrays. Every other call takes the number from its arrays.
  std::optional<std::size_t> count = {};
  // The shape of a call with views, if the callback takes coordinates of it: the extents of as many dimensions, the
  // innermost first, and the product of the others.
  std::span<const std::uint64_t> extents = {};
};

// Whether an array of the call is a view.
inline bool has_views(const Arguments& arguments) noexcept {
  bool has = false;
  for (const ArrayRef& array : arguments.inputs) has |= array.is_view();
  for (const ArrayRef& array : arguments.outputs) has |= array.is_view();
  return has;
}

// Whether a state of this type is one that callbacks take as `wanted`. Of a struct, here or there, only the size is
// compared: the names of its members are not known.
inline bool is_state(const ElementType& given, const ElementType& wanted) noexcept {
  const bool has_kinds = given.kind != ElementKind::Class && wanted.kind != ElementKind::Class;
  return given.size == wanted.size && (!has_kinds || interchangeable(given, wanted));
}

// Returns one of the arrays: the inputs come first.
inline const ArrayRef& array_at(const Arguments& arguments, std::size_t i) {
  return i < arguments.inputs.size() ? arguments.inputs[i] : arguments.outputs[i - arguments.inputs.size()];
}

// CUDA launches at most this many thread blocks in a grid of one dimension.
inline constexpr std::size_t kMostBlocks = 0x7fffffff;

struct Grid {
  unsigned blocks = 0;
  unsigned threads = 0;  // threads per thread block
};

// The size of a parameter, in bytes, that every driver accepts. Newer drivers accept 32,764 bytes, if the kernel was
// compiled for that.
inline constexpr std::size_t kMostParameterBytes = 4096;
inline constexpr std::size_t kParameterAlignment = 64;

// The bytes of a kernel's parameter. They have no initial values, because every execute makes them and should not spend
// time on clearing 4 KiB.
struct alignas(kParameterAlignment) ParameterBytes {
  std::byte bytes[kMostParameterBytes];
};

// One launch of one kernel.
struct Launch {
  unsigned kernel = 0;             // the kernel's place in the schedule
  unsigned entry = 0;              // which entry function of the kernel's image: 0 is KernelSpec::name
  Grid grid = {};                  // no thread blocks: nothing is launched
  bool programmatic = false;       // the kernel may begin before the previous kernel in the stream ends
  std::uint32_t shared_bytes = 0;  // dynamic shared memory per thread block
  void* parameter = nullptr;       // the kernel's parameter, aligned to kParameterAlignment; it is copied
  std::uint32_t parameter_bytes = 0;
  unsigned long long items = 0;  // how much the launch handles, in elements or in another unit that the family defines
  const graft_view* view = nullptr;  // on the host: the dimensions, if arrays are views
  // On the host: how many items are enough work for a thread. 0: one thread handles all, because several must not.
  unsigned long long items_of_thread = 0;
};

// Where a call runs: a stream in a context of a GPU, or the host.
class Runner {
 public:
  // Returns where the bytes of Family::constants() of a kernel are. Null if the kernel has none.
  virtual const void* constants(unsigned kernel) = 0;
  // Returns the workspace of the call. On a GPU, create allocated it (Caller::workspace_bytes), and all calls in one
  // context share it, so a family that needs a workspace must tell its users that such calls must not run at the same
  // time. On the host, it has `bytes` bytes and belongs to the call. Throws Error.
  virtual void* workspace(std::size_t bytes) = 0;
  // Returns memory of Caller::stream_workspace_bytes() that calls on other streams do not use. It was zero when it was
  // made, by the first call on the stream or by a call of prepare. Null on the host. Throws Error: NotPrepared if the
  // stream is being captured and has no such memory, DriverFailed.
  virtual void* stream_workspace() { return nullptr; }
  // Queues the launch, or runs it. Launches are executed one after the other. Throws Error(LaunchFailed).
  virtual void launch(const Launch& launch) = 0;

 protected:
  ~Runner() = default;
};

// Lays out the calls of a job on one architecture. A Caller is made once, when the kernels are loaded, and is
// thread-safe.
class Caller {
 public:
  virtual ~Caller() = default;

  // Returns what messages call the job: "graft_transform_relu", "a sum of 4096 rows".
  virtual std::string title() const = 0;

  // Returns what messages call a call of this size (Job::capacity): "a batch of 4".
  virtual std::string size_text(std::uint64_t capacity) const { return base::format("a size of {}", capacity); }

  // Returns the size of the workspace of a call of this size (Job::capacity), in bytes. Throws Error(InvalidArgument)
  // if no memory is so large.
  virtual std::size_t workspace_bytes(std::uint64_t /*capacity*/) const { return 0; }

  // Returns the size of the workspace that each stream has for itself (Runner::stream_workspace), in bytes.
  virtual std::size_t stream_workspace_bytes() const { return 0; }

  // Returns the name of the method (families/job.hpp) that serves such calls best. Only the shapes and types of the
  // arrays matter, and their memory is not looked at. Throws Error as call() does for them.
  virtual std::string method_for(const Arguments& /*arguments*/) const { return ""; }

  // Describes how such calls are served, in one line for people. As method_for() otherwise.
  virtual std::string describe(const Arguments& /*arguments*/) const { return ""; }

  // Checks the arguments, and gives the runner the launches of the call. If the arrays have no elements, launches
  // nothing. Allocates memory only if it throws, or by Runner::stream_workspace(). Throws Error: CountMismatch,
  // TypeMismatch, Misaligned, Overlap, InvalidArgument, or what the runner throws. Nothing was launched if it throws an
  // error of its own.
  virtual void call(const Arguments& arguments, Runner& runner) const = 0;
};

}  // namespace graft::families
