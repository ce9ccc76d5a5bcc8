// The policy is the tuning of an elementwise kernel: how many elements a thread handles, and in which order. graft
// chooses it from the signature, the architecture, the callback's math functions and the user's options, and measures
// nothing at run time.
//
// These are the rules. docs/design.md has the measurements that decided them (f32 and RGB, on one H200).
//
//   * The vector width is the smallest number of adjacent elements whose size in every array is a multiple of 16 bytes,
//     so that elements of every size move in 16-byte words. The width is 16 for elements of one byte, 4 for float, 16
//     for RGB8 (three bytes), and 4 for float3.
//   * A thread holds at most 256 bytes of elements, or 16 bytes of each array if this is more. If a vector of all
//     arrays is larger, the width is halved until it fits, and narrow arrays move in smaller words. 256 bytes are 64
//     registers, a quarter of what a thread can have. 24 arrays, the most that a callback can have, need 96 registers
//     for 16 bytes of each. Two thread blocks of such a kernel still fit on a multiprocessor, and their loads keep more
//     bytes in flight than a kernel of few arrays does; so many arrays move in 16-byte words too.
//   * For a selective callback, which may leave elements of its outputs alone, a thread stores at most 16 bytes of each
//     output, or one larger element. If all elements of outputs have 4 bytes or more, the width is 1, and a thread
//     handles several vectors.
//   * Each thread handles one vector. It handles more vectors if arithmetic and not memory limits the speed
//     (kTuningsForLongMath in policy.cpp), if the callback reads no array, or if it is selective or writes bit arrays.
//   * Bit arrays do not matter for the width. If all arrays are bit arrays, it is 16.
//   * A callback whose machine code is too large to be repeated for every element of a vector runs in the rolled body,
//     a loop over single elements. src/routes decides this from the size of the machine code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract.h"
#include "graft/architecture.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"
#include "graft/signature.hpp"

namespace graft::elementwise {

// Launches that would have at most this many tiles (a tile is one thread block's vectors) give each thread one element
// instead, because one thread block per tile would leave multiprocessors of an H200 idle. Measured at 2^16 elements,
// the speed of one thread per element relative to tiles (bench_throughput --policy body=rolled): six-byte structs 1.18,
// sigmoid of half 1.27, Black-Scholes 1.23, 64 dependent operations 1.09, a divergent loop 1.67, light callbacks 0.97
// to 1.05.
inline constexpr int kFewTiles = 128;

// graft/options.hpp documents the first five members. A host kernel has no policy.
struct Policy {
  int vector_width = 1;
  int vectors_per_thread = 1;
  Body body = Body::Vector;
  int block_threads = GRAFT_BLOCK_THREADS;
  bool programmatic_launch = false;
  bool exact = false;              // the kernel has an exact adapter (exact_program.hpp)
  int words_through_shared = 0;    // an output of 2 to this many 16-byte words per thread goes through shared memory
  int few_tiles = 0;               // launches that would have at most this many tiles give each thread one element
  std::uint64_t single_below = 0;  // launches of fewer elements than this use one vector per thread and 256 threads

  std::string reason = {};  // why the policy was chosen, for the report

  // Says which code uses a decision, that is, a member of Policy. Launch decisions are used only by the launch, and
  // Text decisions only by the code that writes the kernel's text. Block decisions are used by the building block. Tile
  // decisions are used only by the device code that handles a tile; an exact adapter replaces this code. Device code
  // reads Block and Tile decisions through functions such as graft_vector_width() (building_blocks/contract.h).
  enum class For { Launch, Text, Block, Tile };

  // Calls visit("vector_width", &Policy::vector_width, For::Tile), and makes a similar call for every other decision.
  // This is the only list of decisions. The code that stores decisions, compares them, or writes them into device code
  // uses it.
  template <class Visit>
  static constexpr void visit_decisions(Visit&& visit) {
    visit("vector_width", &Policy::vector_width, For::Tile);
    visit("vectors_per_thread", &Policy::vectors_per_thread, For::Tile);
    visit("body", &Policy::body, For::Block);
    visit("block_threads", &Policy::block_threads, For::Launch);
    visit("programmatic_launch", &Policy::programmatic_launch, For::Block);
    visit("exact", &Policy::exact, For::Text);
    visit("words_through_shared", &Policy::words_through_shared, For::Text);
    visit("few_tiles", &Policy::few_tiles, For::Launch);
    visit("single_below", &Policy::single_below, For::Launch);
  }

  int elements_per_thread() const noexcept { return vector_width * vectors_per_thread; }

  // Describes the policy: "vector, 4 elements x 1 per thread, 256 threads per block".
  std::string text() const;
};

// Chooses the policy of a kernel. `long_math` says that the callback calls math functions of dozens of instructions.
// Pure. Throws Error(InvalidArgument) for an override that no kernel can have.
Policy choose_policy(const Signature& signature, Architecture architecture, const PolicyOverrides& overrides,
                     bool long_math = false);

// Returns why graft cannot have chosen this policy; empty if graft can have chosen it. Checks the values on which the
// arithmetic of a launch and the registers of a thread depend.
std::string objection_to(const Policy& policy, const Signature& signature);

// Whether all arrays hold integers of one or two bytes.
bool are_short_integers(const Signature& signature);

// Returns the same policy with the rolled body (a loop over single elements). The vector width and the vectors per
// thread become 1.
Policy rolled(Policy policy);

// Returns the policy of the indirect route. Its prebuilt building block handles one element at a time, because it must
// fit every signature.
Policy indirect_policy();

// Returns the total size of one vector of every array, in bytes.
int bytes_per_thread(const Signature& signature, int vector_width);

Tuning tuning_of(const Policy& policy);

// Returns the decisions that device code reads through functions such as graft_vector_width(). If the kernel has an
// exact adapter, the decisions about a thread's part of a tile (For::Tile) are left out, because the adapter's text
// contains their values.
std::vector<Tuning::Decision> answers(const Policy& policy);

// Returns the names of the overrides that have no effect because the kernel is rolled and has no tiles.
std::vector<std::string> without_effect(const PolicyOverrides& asked, const Policy& policy);

// Returns one sentence for each size of structs whose arrays move in words of less than 16 bytes, because a thread
// cannot hold as many structs as are a multiple of 16 bytes.
std::vector<std::string> notes_on_words(const Signature& signature, const Policy& policy);

// Reads the policy of a kernel from its tuning. A decision that the tuning lacks keeps its default. Returns nothing if
// a decision is unknown or its value is impossible; `why` then describes that decision, as a clause ("its vector width
// is 3").
std::optional<Policy> policy_of(const KernelSpec& kernel, std::string& why);
// Reads the policy of a kernel that has passed the checks of families/kernel_check.hpp.
Policy policy_of(const KernelSpec& kernel);

// ---- a finished kernel for another request ----
//
// A finished kernel, for example one in a pack, may have another tuning than a request asks for. The vector width, the
// vectors per thread and the body are compiled into a kernel, so a request for other values needs another kernel. The
// remaining decisions can differ per launch: every kernel is compiled for up to 256 threads per block and reads the
// actual number from the hardware, and a kernel made for programmatic launch may be launched without it. A kernel made
// without programmatic launch must not be launched with it, because it would read data that the previous kernel has not
// written yet.

// Returns the reason why a kernel of this policy does not serve the request: "vector_width=4, but this request asks for
// 2". Empty if the kernel serves the request.
std::string misfit(const Policy& policy, const PolicyOverrides& asked);

// Returns the policy for a launch of a kernel that serves the request. The result is the kernel's own `policy`, with
// the overrides of `asked` that can differ per launch.
Policy launched(Policy policy, const PolicyOverrides& asked);

}  // namespace graft::elementwise
