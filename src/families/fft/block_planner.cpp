#include "families/fft/block_planner.hpp"

#include <algorithm>
#include <array>

#include "families/fft/shared_places.hpp"
#include "fft/butterfly.h"

namespace graft::families::fft {
namespace {

using graft_fft::Barrier;
using graft_fft::BlockPlan;
using graft_fft::kWarp;
using graft_fft::Neighbours;
using graft_fft::Pass;

constexpr int kMostThreads = 1024;
constexpr int kRegistersOfBlock = 65536;  // as many as a multiprocessor has, on every architecture
constexpr int kSector = 32;               // bytes that memory transfers at least
// Kernels of real FFTs whose threads access shorter runs of an FFT are staged, because spectra of n + 1 points begin
// anywhere in a sector: 64 numbers forward take 0.75 of cuFFT's time, and 1.83 otherwise; 256 inverse 0.96 with runs of
// 128 bytes that are not staged, and 1.07 staged (H200).
constexpr int kRunOfHalf = 128;
// The same for a large prime, whose thread holds more points of an FFT: 68 points take 0.90 of cuFFT's time, and 1.53
// otherwise; 85 points 1.11 and 1.78 (H200).
constexpr int kRunOfLargePrime = 64;
// Butterflies of more points serve few lengths well, which measurements find (measured_plans.hpp).
constexpr int kLargestRadixOfEstimates = 16;

// ---- estimates, in instructions for each point ----

// Multiplying by roots: four instructions for the product, and about four for loading and multiplying the roots.
constexpr double kRoots = 8;
// An exchange: a store, a load, their addresses, and the wait at the barriers, which is shorter within a warp.
constexpr double kExchange = 12;
constexpr double kExchangeOfWarp = 10;
// What each point that a thread holds beyond 16 costs: with 24 points, 2000 points in double precision took 1.6 times
// as long as with 10 to 16 (H200).
constexpr double kManyPoints = 6;
// With more, the registers of a thread do not suffice on any architecture.
constexpr int kMostPoints = 33;
// What each point below 8 costs: a thread with few points computes as many addresses for fewer operations.
constexpr double kFewPoints = 1;
// What it costs if neighbouring threads access less than kFastRun bytes of an FFT together: an instruction then touches
// more lines of the cache. 64 points in single precision took 0.521 ms with 8 threads, and 0.507 ms with 16 (H200, 1
// GiB).
constexpr double kShortRuns = 4;
// Blocks of more threads wait longer at each barrier, and fewer of them fit on a multiprocessor.
constexpr double kLargeBlock = 1.05;

// Registers that a thread needs. The kernels of a prototype took (sm_90): single precision 40 registers for 10 points,
// 48 to 58 for 16, 78 for 24; double precision 66 to 72 for 10, 84 to 104 for 16, 140 for 24.
int registers_for(int points, Precision precision) {
  return precision == Precision::Single ? 16 + points * 5 / 2 : 14 + points * 11 / 2;
}

// The butterfly of a large prime, which has half of its outputs beside its inputs. (Single precision, 31 points: 104.)
int registers_of_prime(int radix, Precision precision) {
  return precision == Precision::Single ? 16 + radix * 3 : 14 + radix * 6;
}

int rounded_to_warps(int threads) {
  return (threads + kWarp - 1) / kWarp * kWarp;
}

bool fits_registers(const BlockPlan& plan, Precision precision) {
  int registers = registers_for(plan.points_of_thread(), precision);
  for (int i = 0; i < plan.pass_count; ++i)
    if (graft_fft::is_large_prime_radix(plan.passes[i].radix))
      registers = std::max(registers, registers_of_prime(plan.passes[i].radix, precision));
  return plan.points_of_thread() <= kMostPoints &&
         registers * rounded_to_warps(plan.block_threads()) <= kRegistersOfBlock;
}

// The compiler warns of a number of blocks that no multiprocessor can hold, and ignores it.
bool fits_multiprocessor(const BlockPlan& plan, const Limits& limits) {
  return plan.resident_blocks >= 0 && plan.resident_blocks <= limits.blocks_of_multiprocessor &&
         plan.resident_blocks * rounded_to_warps(plan.block_threads()) <= limits.threads_of_multiprocessor;
}

double cost_of(const BlockPlan& plan, Precision precision) {
  double cost = 0;
  const double exchange = plan.barrier == Barrier::Warp ? kExchangeOfWarp : kExchange;
  const int exchanges = plan.pass_count - 1 + plan.stages_inputs + plan.stages_outputs;
  for (int i = 0; i < plan.pass_count; ++i) {
    const Pass& pass = plan.passes[i];
    const double work = instructions_per_point(pass.radix) + (i > 0 ? kRoots : 0);
    // In a pass whose butterflies are no multiple of the threads, some threads idle.
    const double slots = static_cast<double>(plan.butterflies_of_thread(pass)) * plan.threads;
    cost += (work + exchange * exchanges / plan.pass_count) * slots / plan.butterflies(pass);
  }
  const int points = plan.points_of_thread();
  cost += std::max(0, points - 16) * kManyPoints + std::max(0, 8 - points) * kFewPoints;
  const bool is_by_point = plan.passes[0].neighbours == Neighbours::Points && !plan.stages_inputs;
  if (is_by_point && plan.threads * complex_bytes(precision) < kFastRun) cost += kShortRuns;
  return plan.block_threads() > 512 ? cost * kLargeBlock : cost;
}

// ---- candidates ----

// Calls visit(radices) for every list of radices whose product is `length`, the largest radix first. Of the radices
// above `most`, only primes are among them.
template <class Visit>
void for_each_radices(int length, int most, int largest, std::vector<int>& radices, const Visit& visit) {
  if (length == 1) {
    if (!radices.empty()) visit(radices);
    return;
  }
  if (radices.size() == graft_fft::kMostPasses) return;
  for (int radix = largest; radix >= 2; --radix)
    if (length % radix == 0 && graft_fft::is_radix(radix) &&
        (radix <= most || graft_fft::is_large_prime_radix(radix))) {
      radices.push_back(radix);
      for_each_radices(length / radix, most, radix, radices, visit);
      radices.pop_back();
    }
}

int largest_radix_of(const BlockRequest& request) {
  return request.looks_further ? graft_fft::kLargestRadix : kLargestRadixOfEstimates;
}

// The numbers of threads with which at least one pass has a whole number of butterflies for each thread, or for each
// but the last.
std::vector<int> thread_counts(const BlockRequest& request, const std::vector<int>& radices) {
  std::vector<int> counts;
  for (const int radix : radices)
    for (const int of_thread : {1, 2, 3, 4}) {
      const int butterflies = request.length / radix, threads = (butterflies + of_thread - 1) / of_thread;
      if ((butterflies % of_thread == 0 || request.looks_further) && threads <= kMostThreads) counts.push_back(threads);
    }
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

// How many FFTs of `threads` threads a block gets, if the block is one of many that are all alike: as many as fill
// about 128 threads, or 256 if an FFT has more than a warp or does not divide a warp, and leave few lanes of warps
// idle. 64 points in single precision are best with 64 to 128 threads, 1024 points with 256 (H200, a sweep of 282
// kernels).
int ffts_of_block(int threads, std::int64_t bytes_of_fft, int shared_limit) {
  const int wanted = kWarp % threads == 0 ? 128 : 256;
  int best = 1;
  double best_share = 0;
  for (int ffts = 1; ffts * threads <= wanted && (ffts == 1 || ffts * bytes_of_fft <= shared_limit / 2); ++ffts) {
    const double share = static_cast<double>(ffts * threads) / rounded_to_warps(ffts * threads);
    if (share >= best_share) {
      best = ffts;
      best_share = share;
    }
  }
  return best;
}

// How many neighbouring columns a block works on: as many as leave room for a second block on the multiprocessor, which
// uses the memory while this one waits at a barrier; but if these are fewer than a fast run of memory, as many as fit
// for one block. Always a power of two, so that runs begin at whole sectors.
int columns_of_block(BlockPlan plan, const BlockRequest& request) {
  const int word = request.splits_complex ? real_bytes(request.precision) : complex_bytes(request.precision);
  for (const int blocks : {2, 1}) {
    const int fewest = blocks == 2 ? std::max(1, kFastRun / complex_bytes(request.precision)) : 1;
    for (plan.ffts = request.most_ffts; plan.ffts >= fewest; plan.ffts /= 2) {
      // An eighth more than the points themselves, for padding.
      const std::int64_t bytes = std::int64_t{plan.length} * plan.ffts * word * 9 / 8;
      if (plan.block_threads() * blocks <= kMostThreads && bytes * blocks <= request.limits.shared_bytes_of_block &&
          fits_registers(plan, request.precision))
        return plan.ffts;
    }
  }
  return 1;
}

Barrier barrier_for(const BlockPlan& plan) {
  if (plan.stages_inputs || plan.stages_outputs) return Barrier::Block;
  for (int i = 0; i < plan.pass_count; ++i)
    if (plan.passes[i].neighbours == Neighbours::Ffts) return Barrier::Block;
  if (kWarp % plan.threads == 0) return Barrier::Warp;
  // A block has 16 named barriers, of which 0 is the block's own.
  if (plan.ffts > 1 && plan.ffts <= 15 && plan.threads % kWarp == 0) return Barrier::Fft;
  return Barrier::Block;
}

// How many powers of a root, 1, 2, 4, 8, 16, a pass loads.
int powers_of_two_below(int radix) {
  int count = 0;
  while (1 << count < radix) ++count;
  return count;
}

// Appends a pass, and its roots to the table. turn.roots is where the table ends.
void append_pass(BlockPlan& plan, Pass pass) {
  const int done = pass.done / pass.inner;
  pass.roots = plan.turn.roots;
  bool has_roots = done == 1;
  for (int i = 0; i < plan.pass_count && !has_roots; ++i) {
    const Pass& earlier = plan.passes[i];
    has_roots = earlier.radix == pass.radix && earlier.done / earlier.inner == done;
    if (has_roots) pass.roots = earlier.roots;
  }
  if (!has_roots) plan.turn.roots += done * powers_of_two_below(pass.radix);
  plan.passes[plan.pass_count++] = pass;
}

// Appends the passes of a request.
void append_passes(BlockPlan& plan, const BlockRequest& request, const std::vector<int>& radices) {
  Pass pass;
  std::size_t dimension = 0;
  for (const int radix : radices) {
    const bool is_first = plan.pass_count == 0, is_last = pass.done * radix == request.length;
    pass.is_paired = (is_first && request.loads_half) || (is_last && request.stores_half);
    pass.radix = radix;
    pass.neighbours = plan.pass_count == 0 ? request.first : request.later;
    pass.row = dimension + 1 < request.extents.size() ? pass.inner * request.extents[dimension] : 0;
    append_pass(plan, pass);
    pass.done *= radix;
    if (pass.done != pass.row) continue;
    ++dimension;
    pass.inner = pass.done;
  }
}

BlockPlan plan_of(const BlockRequest& request, const std::vector<int>& radices, int threads) {
  BlockPlan plan;
  plan.length = request.length;
  plan.threads = threads;
  plan.resident_blocks = request.resident_blocks;
  plan.splits_complex = request.splits_complex;
  append_passes(plan, request, radices);
  const bool is_by_point = request.first == Neighbours::Points && request.later == Neighbours::Points;
  const bool has_half = request.stores_half || request.loads_half;
  const int run = has_half ? kRunOfHalf : graft_fft::is_large_prime_radix(radices.front()) ? kRunOfLargePrime : kSector;
  if (is_by_point && request.length > 1 && threads * complex_bytes(request.precision) < run)
    plan.stages_inputs = plan.stages_outputs = true;
  const std::int64_t bytes = std::int64_t{plan.length} * complex_bytes(request.precision);
  plan.ffts = request.ffts > 0 ? request.ffts
              : is_by_point    ? ffts_of_block(threads, bytes, request.limits.shared_bytes_of_block)
                               : columns_of_block(plan, request);
  plan.barrier = barrier_for(plan);
  return plan;
}

// Whether the radices are those of the request's dimensions, one after the other.
bool are_possible(const std::vector<int>& radices, const BlockRequest& request) {
  std::int64_t product = 1, end = 1;  // end: of the dimension
  std::size_t dimension = 0;
  const auto begin_dimension = [&] {
    end *= dimension < request.extents.size() ? request.extents[dimension++] : request.length / end;
  };
  begin_dimension();
  for (const int radix : radices) {
    if (product == end) begin_dimension();
    product *= radix;
    if (!graft_fft::is_radix(radix) || product > end) return false;
  }
  return product == request.length && radices.size() <= graft_fft::kMostPasses;
}

// Calls visit(radices) for the radices of all dimensions, in their order, that are worth a look: those of the fewest
// passes of each dimension, and one more.
template <class Visit>
void for_each_radices(const BlockRequest& request, std::size_t dimension, std::vector<int>& radices,
                      const Visit& visit) {
  if (dimension == request.extents.size()) {
    if (radices.size() <= graft_fft::kMostPasses) visit(radices);
    return;
  }
  std::vector<std::vector<int>> found;
  std::vector<int> own;
  std::size_t fewest = graft_fft::kMostPasses;
  for_each_radices(request.extents[dimension], largest_radix_of(request), graft_fft::kLargestRadix, own,
                   [&](const std::vector<int>& one) {
                     found.push_back(one);
                     fewest = std::min(fewest, one.size());
                   });
  for (const std::vector<int>& one : found) {
    if (one.size() > fewest + 1) continue;
    radices.insert(radices.end(), one.begin(), one.end());
    for_each_radices(request, dimension + 1, radices, visit);
    radices.resize(radices.size() - one.size());
  }
}

}  // namespace

double instructions_per_point(int radix) {
  // Of the whole butterfly: additions, multiplications, negations, and multiplications with an addition.
  constexpr std::array<int, graft_fft::kLargestRadix + 1> kInstructions = {
      0,   0,   4,   12,  17, 32, 44,  60, 60,  88, 100, 140, 118, 192, 172,  188, 171,
      320, 244, 396, 261, 0,  0,  572, 0,  384, 0,  436, 0,   896, 0,   1020, 459};
  return static_cast<double>(kInstructions.at(static_cast<std::size_t>(radix))) / radix;
}

int shared_bytes(const BlockPlan& plan, Precision precision) {
  return plan.shared_words * (plan.splits_complex ? real_bytes(precision) : complex_bytes(precision));
}

std::optional<BlockChoice> choose_block(const BlockRequest& request) {
  std::optional<BlockChoice> best;
  const auto consider = [&](std::vector<int> radices) {
    // A thread has pairs of butterflies in the first pass, of which two of a large prime have too many points.
    if (request.loads_half && request.radices.empty() && graft_fft::is_large_prime_radix(radices.front()))
      std::reverse(radices.begin(), radices.end());
    // A kernel that changes sides does so between two passes.
    if (request.first != request.later && radices.size() < 2) return;
    const std::vector<int> counts =
        request.threads > 0 ? std::vector{request.threads} : thread_counts(request, radices);
    for (const int threads : counts) {
      const BlockPlan plan = plan_of(request, radices, threads);
      if (plan.block_threads() > std::min(kMostThreads, request.most_threads) ||
          !fits_registers(plan, request.precision))
        continue;
      if (!fits_multiprocessor(plan, request.limits)) continue;
      const std::int64_t word =
          request.splits_complex ? real_bytes(request.precision) : complex_bytes(request.precision);
      if (plan.pass_count > 1 && word * plan.length * plan.ffts > request.limits.shared_bytes_of_block) continue;
      const double cost = cost_of(plan, request.precision);
      if (!best || cost < best->cost) best = BlockChoice{plan, cost};
    }
  };
  std::vector<int> radices = request.radices;
  if (!radices.empty()) {
    if (are_possible(radices, request)) consider(radices);
  } else if (request.length == 1) consider({1});
  else if (!request.extents.empty()) for_each_radices(request, 0, radices, consider);
  else for_each_radices(request.length, largest_radix_of(request), graft_fft::kLargestRadix, radices, consider);
  return best;
}

void append_inverse(BlockPlan& plan) {
  plan.inverse_begin = plan.pass_count;
  int done = 0;
  for (int i = plan.inverse_begin - 1; i >= 0; --i) {
    Pass pass = plan.passes[i];
    const bool begins_dimension = i + 1 == plan.inverse_begin || plan.passes[i + 1].inner != pass.inner;
    if (begins_dimension) done = pass.inner;
    pass.done = done;
    append_pass(plan, pass);
    done *= pass.radix;
  }
}

void append_half(BlockPlan& plan, const BlockRequest& request) {
  plan.stores_half = request.stores_half;
  plan.loads_half = request.loads_half || (request.stores_half && plan.inverse_begin > 0);
  plan.half_roots = plan.turn.roots;
  plan.turn.roots += plan.length;
}

bool complete(BlockPlan& plan, const BlockRequest& request) {
  choose_places(plan, plan.splits_complex ? real_bytes(request.precision) : complex_bytes(request.precision));
  // The resident blocks share the multiprocessor's memory, of which one block can have all but about 1 KiB.
  return shared_bytes(plan, request.precision) * std::max(1, plan.resident_blocks) <=
         request.limits.shared_bytes_of_block;
}

}  // namespace graft::families::fft
