#include "families/fft/candidates.hpp"

#include <algorithm>
#include <set>

#include "fft/butterfly.h"

namespace graft::families::fft {
namespace {

// The planner's one kernel ends at 16384 points; from there on, two kernels may be faster, and from 2^19 on three.
constexpr std::int64_t kShortestOfTwoKernels = 16384, kShortestOfThreeKernels = std::int64_t{1} << 19;
constexpr std::int64_t kSmallestFactor = 16, kLargestFactor = 8192;
// How many factorizations are tried for each number of kernels: those whose factors differ least.
constexpr std::size_t kMostFactorizations = 12;

// More passes than the fewest that are possible, and one more, are never faster.
constexpr std::size_t kMostPasses = 5;
constexpr int kFewestThreadsOfBlock = 64, kMostThreadsOfBlock = 512;
constexpr int kMostThreadsOfFft = 1024;
// A number of FFTs that fills so many threads nearly, for numbers of threads that do not divide a warp.
constexpr int kFilledThreads[] = {64, 128, 256};
constexpr double kNearly = 0.9;
constexpr int kMostPointsOfThread = 32;  // as the planner has it

// For how many threads of a multiprocessor its blocks are asked for. With 2048, a thread would have 32 registers.
constexpr int kResidentThreads[] = {384, 512, 768, 1024, 1536};

void add_radices(int length, int largest, std::vector<int>& radices, std::vector<std::vector<int>>& lists) {
  if (length == 1) lists.push_back(radices);
  if (length == 1 || radices.size() == kMostPasses) return;
  for (int radix = largest; radix >= 2; --radix) {
    if (length % radix != 0 || !graft_fft::is_radix(radix)) continue;
    radices.push_back(radix);
    add_radices(length / radix, radix, radices, lists);
    radices.pop_back();
  }
}

// The radices of all FFTs of `length` points that have at most `more` passes more than the fewest.
std::vector<std::vector<int>> radices_of(int length, std::size_t more) {
  std::vector<std::vector<int>> lists;
  std::vector<int> radices;
  add_radices(length, graft_fft::kLargestRadix, radices, lists);
  std::size_t fewest = kMostPasses;
  for (const auto& list : lists) fewest = std::min(fewest, list.size());
  std::erase_if(lists, [&](const auto& list) { return list.size() > fewest + more; });
  return lists;
}

// The fewest threads with which no thread has more than a number of butterflies in a pass, for small numbers. Unlike
// the planner's, they need not all have the same number: 625 points with 32 threads have 125 butterflies for 128
// places, and the threads are a warp.
std::set<int> threads_of(int length, const std::vector<int>& radices) {
  std::set<int> counts;
  for (const int radix : radices)
    for (int butterflies = 1; butterflies <= 4 || butterflies * radix <= kMostPointsOfThread; ++butterflies) {
      const int threads = (length / radix + butterflies - 1) / butterflies;
      if (threads <= kMostThreadsOfFft) counts.insert(threads);
    }
  return counts;
}

// Calls visit(radices, threads, ffts) for every block of `length` points. ffts is 0 where the planner chooses.
template <class Visit>
void for_each_block(int length, std::size_t more_passes, const Visit& visit) {
  for (const std::vector<int>& radices : radices_of(length, more_passes))
    for (const int threads : threads_of(length, radices)) {
      visit(radices, threads, 0);
      for (int ffts = 1; ffts * threads <= kMostThreadsOfBlock; ffts *= 2)
        if (ffts * threads >= kFewestThreadsOfBlock) visit(radices, threads, ffts);
      for (const int filled : kFilledThreads)
        if (const int ffts = filled / threads; filled % threads != 0 && ffts * threads >= kNearly * filled)
          visit(radices, threads, ffts);
    }
}

// Appends all lists of `count` factors.
void add_factors(std::int64_t length, std::size_t count, std::vector<std::int64_t>& factors,
                 std::vector<std::vector<std::int64_t>>& lists) {
  if (count == 0) {
    if (length == 1) lists.push_back(factors);
    return;
  }
  for (std::int64_t factor = kSmallestFactor; factor <= std::min(length, kLargestFactor); ++factor) {
    if (length % factor != 0) continue;
    factors.push_back(factor);
    add_factors(length / factor, count - 1, factors, lists);
    factors.pop_back();
  }
}

std::vector<std::vector<std::int64_t>> factorizations(std::int64_t length, std::size_t count) {
  std::vector<std::vector<std::int64_t>> lists;
  std::vector<std::int64_t> factors;
  add_factors(length, count, factors, lists);
  const auto spread = [](const std::vector<std::int64_t>& list) {
    const auto [least, most] = std::ranges::minmax(list);
    return static_cast<double>(most) / static_cast<double>(least);
  };
  std::ranges::stable_sort(lists, {}, spread);
  if (lists.size() > kMostFactorizations) lists.resize(kMostFactorizations);
  return lists;
}

}  // namespace

bool may_be_split(std::int64_t length) {
  return length >= kShortestOfTwoKernels;
}

std::vector<Choices> first_candidates(std::int64_t length) {
  std::vector<Choices> candidates = {{}};
  for (const std::size_t kernels : {2U, 3U})
    if (length >= (kernels == 2 ? kShortestOfTwoKernels : kShortestOfThreeKernels))
      for (std::vector<std::int64_t>& factors : factorizations(length, kernels))
        candidates.push_back({.factors = std::move(factors)});
  if (length > kShortestOfTwoKernels) return candidates;
  for_each_block(static_cast<int>(length), 1, [&](const std::vector<int>& radices, int threads, int ffts) {
    for (const bool splits : {false, true})
      candidates.push_back({.radices = {radices}, .threads = {threads}, .ffts = {ffts}, .splits_complex = splits});
  });
  return candidates;
}

std::vector<Choices> with_other_blocks(const Plan& plan, std::size_t kernel) {
  std::vector<Choices> candidates;
  const Choices choices = choices_of(plan);
  for_each_block(plan.kernels[kernel].block.length, 0, [&](const std::vector<int>& radices, int threads, int ffts) {
    Choices& candidate = candidates.emplace_back(choices);
    candidate.radices[kernel] = radices;
    candidate.threads[kernel] = threads;
    candidate.ffts[kernel] = ffts;
  });
  return candidates;
}

std::vector<Choices> with_resident_blocks(const Plan& plan, std::size_t kernel) {
  std::vector<Choices> candidates;
  const Choices choices = choices_of(plan);
  for (const int threads : kResidentThreads) {
    Choices& candidate = candidates.emplace_back(choices);
    candidate.resident_blocks.resize(plan.kernels.size());
    candidate.resident_blocks[kernel] = std::max(1, threads / plan.kernels[kernel].block.block_threads());
  }
  return candidates;
}

}  // namespace graft::families::fft
