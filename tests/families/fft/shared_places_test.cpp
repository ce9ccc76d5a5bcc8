// Tests the choice of places in shared memory: conflicts are counted as the hardware has them, paddings avoid them, and
// points never share a place.
#include "families/fft/shared_places.hpp"

#include <gmock/gmock.h>

#include <set>

#include "families/fft/lengths.hpp"
#include "families/fft/plan.hpp"
#include "fft/block.h"

namespace graft::families::fft {
namespace {

using graft_fft::BlockPlan;
using graft_fft::Places;

TEST(SharedPlaces, ConflictsAreCountedForEachGroupOfThreads) {
  Choices choices;
  choices.radices = {{16, 16}};
  choices.threads = {16};
  choices.ffts = {2};
  BlockPlan plan = make_plan(256, Precision::Single, 90, choices).kernels[0].block;
  // One warp. It writes 16 points, and reads 16; words of 8 bytes are served for 16 threads at a time.
  EXPECT_EQ(cycles_of(plan, 1, 8).ideal, (16 + 16) * 2);
  EXPECT_EQ(cycles_of(plan, 1, 8).counted, (16 + 16) * 2);
  // Without padding, the 16 threads of an FFT write to places that are 16 words apart, and so to one bank.
  plan.exchanges[1] = {256, 1, 1, 0};
  EXPECT_EQ(cycles_of(plan, 1, 8).counted, (16 * 16 + 16) * 2);
  // Words of 16 bytes are served for 8 threads at a time, from 8 banks.
  EXPECT_EQ(cycles_of(plan, 1, 16).counted, (16 * 8 + 16) * 4);
}

TEST(SharedPlaces, FewConflictsAreLeft) {
  long counted = 0, ideal = 0;
  for (std::int64_t n = 2; n <= 4096; n = *good_length_above(n))
    for (const Precision precision : {Precision::Single, Precision::Double}) {
      const BlockPlan plan = estimated_plan(n, precision, 90).kernels[0].block;
      for (int i = 0; i <= plan.pass_count; ++i) {
        if (!plan.has_exchange(i)) continue;
        const Cycles cycles = cycles_of(plan, i, complex_bytes(precision));
        EXPECT_LT(static_cast<double>(cycles.counted), 2.5 * static_cast<double>(cycles.ideal))
            << n << ", exchange " << i;
        counted += cycles.counted;
        ideal += cycles.ideal;
      }
    }
  EXPECT_LT(static_cast<double>(counted), 1.15 * static_cast<double>(ideal));
}

TEST(SharedPlaces, EveryPointHasItsOwn) {
  for (const std::int64_t n : {2, 9, 16, 60, 256, 1000, 4096, 65536, 1000000})
    for (const Kernel& kernel : make_plan(n, Precision::Single, 90).kernels)
      for (int i = 0; i <= kernel.block.pass_count; ++i) {
        if (!kernel.block.has_exchange(i)) continue;
        std::set<int> places;
        for (int fft = 0; fft < kernel.block.ffts; ++fft)
          for (int point = 0; point < kernel.block.length; ++point)
            EXPECT_TRUE(places.insert(kernel.block.exchanges[i].place(fft, point)).second) << n;
        EXPECT_LT(*places.rbegin(), kernel.block.shared_words);
      }
}

TEST(SharedPlaces, FixedDistancesAreTheSameForAllButterflies) {
  int fixed = 0, different = 0;
  for (const std::int64_t n : {60, 243, 512, 1000, 1331, 4096}) {
    const BlockPlan plan = make_plan(n, Precision::Single, 90).kernels[0].block;
    for (int i = 1; i < plan.pass_count; ++i)
      for (const Places& places : {Places{0, 1, 16, 1}, Places{0, 1, 100, 2}, Places{0, 1, 81, 8}})
        for (const bool is_write : {true, false}) {
          const graft_fft::Pass& pass = plan.passes[is_write ? i - 1 : i];
          for (int leg = 1; leg < pass.radix; ++leg) {
            const int distance = leg * (is_write ? pass.done : plan.butterflies(pass));
            std::set<int> distances;
            for (int j = 0; j < plan.butterflies(pass); ++j) {
              const int first = is_write ? graft_fft::first_output(pass, j) : j;
              distances.insert(places.padded(first + distance) - places.padded(first));
            }
            EXPECT_EQ(has_fixed_distance(plan, pass, is_write, places, distance), distances.size() == 1) << n;
            ++(distances.size() == 1 ? fixed : different);
          }
        }
  }
  EXPECT_GT(fixed, 50);
  EXPECT_GT(different, 50);
}

}  // namespace
}  // namespace graft::families::fft
