// Chooses how a thread block computes FFTs: the radices of the passes, the threads of an FFT, the FFTs of a block, and
// the kind of barrier. The choice weighs estimated instructions for each point; shared_places.hpp then chooses the
// padding.
#pragma once

#include <optional>
#include <vector>

#include "families/fft/plan.hpp"

namespace graft::families::fft {

// Memory that is accessed in runs of this many bytes is as fast as with longer runs.
inline constexpr int kFastRun = 64;

struct BlockRequest {
  int length = 1;
  // Of several dimensions, whose product is `length`: the extents, beginning with that whose points are neighbours.
  // Empty for one dimension.
  std::vector<int> extents;
  Precision precision = Precision::Single;
  Limits limits;
  // What neighbouring threads work on in the first pass, and in the passes after it.
  graft_fft::Neighbours first = graft_fft::Neighbours::Points;
  graft_fft::Neighbours later = graft_fft::Neighbours::Points;
  // For kernels of neighbouring columns, where the planner has no choice: how many FFTs a block has at most.
  int most_ffts = 0;
  int most_threads = 1024;  // of a thread block
  // For real FFTs of twice `length` points: BlockPlan::stores_half and loads_half, of the FFT without its inverse.
  bool stores_half = false;
  bool loads_half = false;
  // Whether to look further, for a length that has no plan otherwise: at the largest butterflies, and at numbers of
  // threads that divide the butterflies of no pass.
  bool looks_further = false;
  // Choices of a caller: empty and 0 leave them to the planner. The radices of dimensions follow each other.
  std::vector<int> radices;
  int threads = 0;
  int ffts = 0;
  int resident_blocks = 0;
  bool splits_complex = false;
};

struct BlockChoice {
  graft_fft::BlockPlan plan;
  double cost = 0;  // estimated instructions for each point
};

// Returns the plan without its places in shared memory (exchanges, shared_words), or nothing if no plan fits into
// registers and shared memory.
std::optional<BlockChoice> choose_block(const BlockRequest& request);

// Appends the passes of the inverse FFT (BlockPlan::inverse_begin).
void append_inverse(graft_fft::BlockPlan& plan);

// Makes the FFT and its inverse those of real numbers, and appends the roots that they need to the table.
void append_half(graft_fft::BlockPlan& plan, const BlockRequest& request);

// Chooses the places. Returns whether there is enough shared memory, also for as many resident blocks as the plan says.
bool complete(graft_fft::BlockPlan& plan, const BlockRequest& request);

// The shared memory of a block in bytes.
int shared_bytes(const graft_fft::BlockPlan& plan, Precision precision);

// How many floating point instructions a butterfly takes for each point.
double instructions_per_point(int radix);

}  // namespace graft::families::fft
