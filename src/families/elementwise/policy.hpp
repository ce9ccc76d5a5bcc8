// The tuning of elementwise kernels: how a thread walks through its elements, chosen from signature and architecture
// alone.
//
// The rules, with what decided them (f32 and RGB figures: docs/design.md, one H200):
//
//   * Width: as many elements side by side as make every array's share a multiple of 16 bytes, so that narrow and odd
//     sizes move in 16-byte words too (16 for one byte, 4 for float, 16 for RGB8, 4 for float3).
//   * No thread holds more than kRegisterBudget bytes of elements: beyond that the width is halved, and narrow arrays
//     move in smaller words. 256 bytes are 64 registers, a quarter of what a thread can have.
//   * One vector per thread, unless the callback is the bottleneck: see kShapesForLongMath in policy.cpp.
//   * A callback too heavy to unroll runs in the rolled body; src/build decides that from the size of its machine code.
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

// Fewer than an H200 has multiprocessors. At 2^16 elements, speed of one element a thread over tiles (bench_throughput
// --policy body=rolled): six-byte structs 1.18, sigmoid of half 1.27, Black-Scholes 1.23, 64 dependent operations 1.09,
// a divergent loop 1.67, light callbacks 0.97 to 1.05.
inline constexpr int kFewTiles = 128;

// Of the outputs of exact kernels (docs/design.md: 48 bytes a thread at 0.75 of the speed without). As in tile.cu.
inline constexpr int kStagedWords = 4;

// graft/options.hpp says what the first five mean. A host kernel has none of it.
struct Policy {
  int vector_width = 1;
  int vectors_per_thread = 1;
  Body body = Body::Vector;
  int block_threads = GRAFT_BLOCK_THREADS;
  bool programmatic_launch = false;
  bool exact = false;              // the adapter is for this signature and policy alone (plain_program.hpp)
  int staged_words = 0;            // of 16 bytes; an array of which a thread has no more passes through shared memory
  int few_tiles = 0;               // where a launch has no more tiles, each element has a thread of its own
  std::uint64_t single_below = 0;  // elements: with fewer a thread handles one group of them, in blocks of 256

  std::string reason = {};  // for the report

  // Who needs a decision: the launch alone, who writes the kernel's text, or the device code, which asks for it by
  // graft_vector_width() and so on (building_blocks/contract.h): all of it, or what handles a tile.
  enum class For { Launch, Text, Block, Tile };

  // Calls visit("vector_width", &Policy::vector_width, For::Tile) and so on, for each decision: what keeps, compares or
  // answers them has no list of its own.
  template <class Visit>
  static constexpr void visit_decisions(Visit&& visit) {
    visit("vector_width", &Policy::vector_width, For::Tile);
    visit("vectors_per_thread", &Policy::vectors_per_thread, For::Tile);
    visit("body", &Policy::body, For::Block);
    visit("block_threads", &Policy::block_threads, For::Launch);
    visit("programmatic_launch", &Policy::programmatic_launch, For::Block);
    visit("exact", &Policy::exact, For::Text);
    visit("staged_words", &Policy::staged_words, For::Text);
    visit("few_tiles", &Policy::few_tiles, For::Launch);
    visit("single_below", &Policy::single_below, For::Launch);
  }

  int elements_per_thread() const noexcept { return vector_width * vectors_per_thread; }

  // "vector, 4 elements x 1 per thread, 256 threads per block"
  std::string text() const;
};

// `long_math`: the callback calls mathematical functions of dozens of instructions. Pure. Throws Error(InvalidArgument)
// for an override that no kernel can have.
Policy choose_policy(const Signature& signature, Architecture architecture, const PolicyOverrides& overrides,
                     bool long_math = false);

// The same kernel with one element per thread.
Policy rolled(Policy policy);

// That of the prebuilt block of the route `indirect`, which reads sizes at run time.
Policy indirect_policy();

// The bytes of elements that one thread holds at a time.
int bytes_per_thread(const Signature& signature, int vector_width);

Tuning tuning_of(const Policy& policy);

// What the device code is answered. An exact adapter knows what its tile is like.
std::vector<Tuning::Decision> answers(const Policy& policy);

// The overrides that a rolled kernel does not have: those of the tile.
std::vector<std::string> without_effect(const PolicyOverrides& asked, const Policy& policy);

// What the kernel's tuning does not mention keeps its default. Nothing where it has a decision that is none, or one
// that no policy has; `why` then says which, as a clause ("its vector width is 3").
std::optional<Policy> policy_of(const KernelSpec& kernel, std::string& why);
// The same of a kernel to which there is no objection (families/kernel_check.hpp).
Policy policy_of(const KernelSpec& kernel);

// ---- a finished kernel for another request ----
//
// Width, vectors and body are compiled into the kernel, so another request needs another kernel. The rest belongs to
// the launch: every kernel is bounded by 256 threads and asks the hardware how many there are, and one that was made
// for programmatic launch may be launched without it. The other way round it would read what the last kernel has not
// written yet.

// Why a kernel of this policy does not serve the request: "vector_width=4, but this request asks for 2". Empty when it
// does.
std::string misfit(const Policy& policy, const PolicyOverrides& asked);

// The policy by which a kernel that serves the request is launched.
Policy launched(Policy policy, const PolicyOverrides& asked);

}  // namespace graft::elementwise
