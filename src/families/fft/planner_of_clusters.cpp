// One kernel of clusters of thread blocks in place of two kernels with a workspace.
#include <algorithm>
#include <optional>

#include "families/fft/planner.hpp"

namespace graft::families::fft {
namespace {

using graft_fft::Neighbours;

// What a multiprocessor keeps of the shared memory of each block for itself.
constexpr int kReservedOfBlock = 1024;
// How many blocks of clusters a multiprocessor shall hold, so that one uses the memory while another waits: 512x512
// points, in blocks that are alone, take 1.4 of cuFFT's time, and 1.0 in two kernels (H200).
constexpr int kBlocksOfClusters = 2;
// The most threads of a block in single precision, and half as many in double precision, so that two blocks leave 64
// registers to each thread, or 128.
constexpr int kMostThreadsOfClusters = 512;
// A thread with more points leaves too few of them (49152 points: 1.2 of the time of two kernels).
constexpr int kMostPointsOfClusters = 20;
// The runs, in bytes, that a warp shall store to another block of a cluster. 256x256 points take 0.76 of cuFFT's time
// with runs of 16 points, and 1.59 with single points. The second kernel's FFTs in a block should be whole runs, too:
// clusters with other numbers of them, of 160x320 or 49152 points, were slower than two kernels (H200).
constexpr int kRunOfCluster = 128;

}  // namespace

Plan Planner::in_cluster(Plan plan) const {
  if (plan.kernels.size() != 2) return plan;
  for (int blocks = limits_.blocks_of_cluster; blocks > 1; blocks /= 2) {
    const std::optional<Kernel> kernel = kernel_of_cluster(plan.kernels[0], plan.kernels[1], blocks);
    if (!kernel) continue;
    plan.kernels = {*kernel};
    break;
  }
  return plan;
}

std::optional<Kernel> Planner::kernel_of_cluster(const Kernel& one, const Kernel& two, int blocks) const {
  std::optional<Kernel> second = half_of_cluster(two, blocks, last_neighbours(two), last_neighbours(two));
  if (!second) return std::nullopt;
  const Neighbours in = one.block.passes[0].neighbours;
  // 32768 points took 1.07 of cuFFT's time, and 1.00 in two kernels (H200).
  if (precision_ == Precision::Double && in == Neighbours::Ffts) return std::nullopt;
  std::optional<Kernel> first;
  for (const Neighbours out : {Neighbours::Points, Neighbours::Ffts}) {
    first = half_of_cluster(one, blocks, in, out);
    if (first && stores_runs(first->block, second->block.ffts)) break;
    first.reset();
  }
  const int run = kRunOfCluster / complex_bytes(precision_);
  // Half a spectrum has a frequency more than a whole number of runs.
  const bool has_runs = two.columns / blocks % run == 0 && two.columns % blocks <= 1;
  if (!first || !has_runs || !loads_runs(*first)) return std::nullopt;
  first->block.stores_to_cluster = second->block.loads_from_cluster = true;
  first->block.turn.modulus = one.block.turn.modulus;
  finish(*first);
  for (int i = 0; i < second->block.pass_count; ++i) second->block.passes[i].roots += first->root_count;
  second->block.half_roots += first->root_count;
  second->block.turn.roots += first->root_count;
  finish(*second);
  Cluster cluster = {.blocks = blocks, .ffts = second->block.ffts};
  cluster.has_neighbouring_ffts = has_neighbouring_outputs(first->block);
  // With an odd distance, neighbours lie in different banks. But runs of neighbouring outputs begin at whole sectors.
  const int points = second->block.loaded_points();
  cluster.pitch = cluster.has_neighbouring_ffts ? cluster.ffts : points | 1;
  const int words = (cluster.has_neighbouring_ffts ? points : cluster.ffts) * cluster.pitch;
  first->cluster = second->cluster = cluster;
  first->out = two.out;
  first->root_count = second->root_count;
  first->shared_bytes = std::max({first->shared_bytes, second->shared_bytes, words * complex_bytes(precision_)});
  first->second = {*second};
  return first->shared_bytes <= room_of_cluster() ? first : std::nullopt;
}

std::optional<Kernel> Planner::half_of_cluster(const Kernel& kernel, int blocks, Neighbours in, Neighbours out) const {
  const graft_fft::BlockPlan& known = kernel.block;
  const int ffts = (kernel.columns + blocks - 1) / blocks;
  const bool has_dimensions = std::any_of(known.passes, known.passes + known.pass_count,
                                          [](const graft_fft::Pass& pass) { return pass.row != 0; });
  if (kernel.rows != 1 || kernel.chirp.points > 0 || has_dimensions) return std::nullopt;
  if ((kernel.columns + ffts - 1) / ffts != blocks) return std::nullopt;
  if (std::int64_t{ffts} * known.length * complex_bytes(precision_) > room_of_cluster()) return std::nullopt;
  BlockRequest request;
  request.length = known.length;
  request.precision = precision_;
  request.limits = limits_;
  request.first = in;
  request.later = out;
  request.ffts = ffts;
  request.stores_half = known.stores_half;
  request.loads_half = known.loads_half;
  request.most_threads = precision_ == Precision::Single ? kMostThreadsOfClusters : kMostThreadsOfClusters / 2;
  std::optional<BlockChoice> choice = choose_block(request);
  if (!choice) {
    request.looks_further = true;
    choice = choose_block(request);
  }
  if (!choice || choice->plan.points_of_thread() > kMostPointsOfClusters) return std::nullopt;
  choice->plan.stages_outputs = false;
  if (request.stores_half || request.loads_half) append_half(choice->plan, request);
  choice->plan.barrier = graft_fft::Barrier::Block;
  if (!complete(choice->plan, request)) return std::nullopt;
  Kernel made = kernel;
  made.block = choice->plan;
  return made;
}

bool Planner::stores_runs(const graft_fft::BlockPlan& block, int ffts_of_second) const {
  if (!has_neighbouring_outputs(block)) return block.ffts * complex_bytes(precision_) % kRunOfCluster == 0;
  const int run = std::min(block.threads, ffts_of_second);
  return run * complex_bytes(precision_) >= kRunOfCluster && run % 8 == 0;
}

bool Planner::loads_runs(const Kernel& kernel) const {
  const int element = kernel.in.has_numbers() ? real_bytes(precision_) : complex_bytes(precision_);
  return kernel.block.passes[0].neighbours == Neighbours::Points || kernel.block.ffts * element >= kFastRun;
}

bool Planner::has_neighbouring_outputs(const graft_fft::BlockPlan& block) {
  return block.passes[block.pass_count - 1].neighbours == Neighbours::Points && block.threads > 1;
}

Neighbours Planner::last_neighbours(const Kernel& kernel) {
  return kernel.block.passes[kernel.block.pass_count - 1].neighbours;
}

int Planner::room_of_cluster() const {
  return limits_.shared_bytes_of_block / kBlocksOfClusters - kReservedOfBlock;
}

}  // namespace graft::families::fft
