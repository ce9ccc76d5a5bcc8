// Tests that the fingerprint of a plan depends on each of the plan's numbers. A kernel that another version of graft
// compiled is launched as this version's plan says, so plans that differ anywhere need different fingerprints.
#include "families/fft/plan_fingerprint.hpp"

#include <gtest/gtest.h>

#include <set>

#include "families/fft/plan.hpp"

namespace graft::families::fft {
namespace {

struct Change {
  const char* what;
  void (*make)(Plan&);
};

void flip(bool& flag) {
  flag = !flag;
}

graft_fft::BlockPlan& block_of(Plan& plan) {
  return plan.kernels[0].block;
}

constexpr Change kChanges[] = {
    {"length", [](Plan& p) { ++p.length; }},
    {"precision", [](Plan& p) { p.precision = Precision::Double; }},
    {"kernels", [](Plan& p) { p.kernels.pop_back(); }},
    {"rows", [](Plan& p) { ++p.kernels[0].rows; }},
    {"columns", [](Plan& p) { ++p.kernels[0].columns; }},
    {"in.is_workspace", [](Plan& p) { flip(p.kernels[0].in.is_workspace); }},
    {"in.point", [](Plan& p) { ++p.kernels[0].in.point; }},
    {"in.column", [](Plan& p) { ++p.kernels[0].in.column; }},
    {"in.row", [](Plan& p) { ++p.kernels[0].in.row; }},
    {"out.point", [](Plan& p) { ++p.kernels[0].out.point; }},
    {"in.next", [](Plan& p) { ++p.kernels[0].in.next; }},
    {"in.mirror.extent", [](Plan& p) { ++p.kernels[0].in.mirror.extent; }},
    {"out.mirror", [](Plan& p) { p.kernels[1].out.mirror = {.extent = 4, .of_each = 1}; }},
    {"out.mirror.of_each", [](Plan& p) { p.kernels[1].out.mirror = {.extent = 4, .of_each = 2}; }},
    {"out.mirror.last", [](Plan& p) { p.kernels[1].out.mirror = {.extent = 4, .of_each = 2, .last = 6}; }},
    {"between_kernels", [](Plan& p) { p.between_kernels = 7; }},
    {"cluster", [](Plan& p) { p.kernels[0].cluster.blocks = 8; }},
    {"cluster.ffts", [](Plan& p) { p.kernels[0].cluster = {.blocks = 8, .ffts = 1}; }},
    {"cluster.pitch", [](Plan& p) { p.kernels[0].cluster = {.blocks = 8, .pitch = 1}; }},
    {"cluster.has_neighbouring_ffts",
     [](Plan& p) { p.kernels[0].cluster = {.blocks = 8, .has_neighbouring_ffts = true}; }},
    {"kernel of a cluster", [](Plan& p) { p.kernels[0].second = {p.kernels[1]}; }},
    {"stores_to_cluster", [](Plan& p) { flip(block_of(p).stores_to_cluster); }},
    {"loads_from_cluster", [](Plan& p) { flip(block_of(p).loads_from_cluster); }},
    {"frequency.point", [](Plan& p) { ++p.kernels[0].frequency.point; }},
    {"is_of_inverse", [](Plan& p) { flip(p.kernels[0].is_of_inverse); }},
    {"root_count", [](Plan& p) { ++p.kernels[0].root_count; }},
    {"shared_bytes", [](Plan& p) { ++p.kernels[0].shared_bytes; }},
    {"second kernel", [](Plan& p) { ++p.kernels[1].rows; }},
    {"block.length", [](Plan& p) { ++block_of(p).length; }},
    {"threads", [](Plan& p) { ++block_of(p).threads; }},
    {"ffts", [](Plan& p) { ++block_of(p).ffts; }},
    {"resident_blocks", [](Plan& p) { ++block_of(p).resident_blocks; }},
    {"pass_count", [](Plan& p) { ++block_of(p).pass_count; }},
    {"radix", [](Plan& p) { ++block_of(p).passes[1].radix; }},
    {"done", [](Plan& p) { ++block_of(p).passes[1].done; }},
    {"neighbours",
     [](Plan& p) {
       graft_fft::Neighbours& its = block_of(p).passes[1].neighbours;
       its = its == graft_fft::Neighbours::Points ? graft_fft::Neighbours::Ffts : graft_fft::Neighbours::Points;
     }},
    {"roots", [](Plan& p) { ++block_of(p).passes[1].roots; }},
    {"inner", [](Plan& p) { ++block_of(p).passes[1].inner; }},
    {"row", [](Plan& p) { ++block_of(p).passes[1].row; }},
    {"shape",
     [](Plan& p) {
       p.shape = {512, 256};
     }},
    {"order of the shape",
     [](Plan& p) {
       p.shape = {256, 512};
     }},
    {"shape of three",
     [](Plan& p) {
       p.shape = {2, 256, 256};
     }},
    {"inverse_begin", [](Plan& p) { ++block_of(p).inverse_begin; }},
    {"fft_distance", [](Plan& p) { ++block_of(p).exchanges[1].fft_distance; }},
    {"point_distance", [](Plan& p) { ++block_of(p).exchanges[1].point_distance; }},
    {"period", [](Plan& p) { ++block_of(p).exchanges[1].period; }},
    {"extra", [](Plan& p) { ++block_of(p).exchanges[1].extra; }},
    {"stages_inputs", [](Plan& p) { flip(block_of(p).stages_inputs); }},
    {"stages_outputs", [](Plan& p) { flip(block_of(p).stages_outputs); }},
    {"splits_complex", [](Plan& p) { flip(block_of(p).splits_complex); }},
    {"shared_words", [](Plan& p) { ++block_of(p).shared_words; }},
    {"barrier",
     [](Plan& p) {
       graft_fft::Barrier& its = block_of(p).barrier;
       its = its == graft_fft::Barrier::Block ? graft_fft::Barrier::Fft : graft_fft::Barrier::Block;
     }},
    {"turn.modulus", [](Plan& p) { ++block_of(p).turn.modulus; }},
    {"turn.is_by_row", [](Plan& p) { flip(block_of(p).turn.is_by_row); }},
    {"turn.point", [](Plan& p) { ++block_of(p).turn.point; }},
    {"turn.adds_column", [](Plan& p) { flip(block_of(p).turn.adds_column); }},
    {"turn.low_count", [](Plan& p) { ++block_of(p).turn.low_count; }},
    {"turn.high_count", [](Plan& p) { ++block_of(p).turn.high_count; }},
    {"turn.roots", [](Plan& p) { ++block_of(p).turn.roots; }},
};

TEST(PlanFingerprint, DependsOnEveryNumber) {
  const Plan plan = make_plan(131072, Precision::Single, Architecture(90));
  ASSERT_EQ(plan.kernels.size(), 2u);
  std::set<std::uint64_t> fingerprints = {fingerprint(plan)};
  EXPECT_EQ(fingerprint(make_plan(131072, Precision::Single, Architecture(90))), fingerprint(plan));
  for (const Change& change : kChanges) {
    Plan changed = plan;
    change.make(changed);
    EXPECT_TRUE(fingerprints.insert(fingerprint(changed)).second) << change.what;
  }
}

}  // namespace
}  // namespace graft::families::fft
