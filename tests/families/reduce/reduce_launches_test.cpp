// Tests how calls with views are divided into launches: no launch has more blocks than a grid or accumulators than the
// workspace, and all results are made.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>

#include "families/reduce/views.hpp"

namespace graft::test {
namespace {

using namespace families;  // NOLINT(google-build-using-namespace)
using namespace families::reduce;

TEST(ReduceLaunches, StayWithinGridAndWorkspace) {
  std::mt19937 random(3);
  const auto extent = [&] { return static_cast<std::int64_t>(1 + random() % (std::uint64_t{1} << random() % 19)); };
  int several = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::uint32_t element = 1u << random() % 5, size = element == 16 ? 4 : element;
    const std::uint32_t accumulator = std::array{1u, 2u, 4u, 8u, 12u, 16u, 32u, 48u, 64u}[random() % 9];
    const ElementType type{ElementKind::Unsigned, element == 16 ? 16 : size, size};
    const ElementType result = element_type<float>();
    const Called called(
        "sum",
        Signature({Role::Output, result, "float"},
                  {{Role::Input, type, "T"}, {Role::Accumulator, ElementType::structure(accumulator, 1), "A"}}),
        false);
    std::int64_t shape[3] = {extent(), extent(), 1 + static_cast<std::int64_t>(random() % 40)}, kept[3];
    for (int d = 0; d < 3; ++d) kept[d] = random() % 2 == 0 ? 1 : shape[d];
    const ArrayRef in = ArrayRef::shaped(nullptr, type, 3, shape, nullptr);
    const ArrayRef out = ArrayRef::shaped(nullptr, result, 3, kept, nullptr);
    Arguments arguments;
    arguments.inputs = {&in, 1};
    arguments.outputs = {&out, 1};
    const ViewCall call(called, arguments, ViewCall::Memory::None);
    const Workspace workspace = {(std::uint64_t{1} << 20) / accumulator, 1024};
    for (const KernelKind kind :
         {KernelKind::Tiny, KernelKind::Short, KernelKind::Long, KernelKind::Chunks, KernelKind::Columns}) {
      if (!call.is_served_by(kind)) continue;
      const Division division = call.divide(kind, workspace);
      ASSERT_LE(division.accumulators, workspace.accumulators);
      ASSERT_GE(division.threads, 1u);
      ASSERT_LE(division.threads, 256u);
      std::uint64_t made = 0;
      int launches = 0;
      in_parts(division, workspace, [&](const Part& part) {
        EXPECT_EQ(part.first, made);
        made += part.pieces;
        EXPECT_GE(part.grid.blocks, 1u);
        EXPECT_LE(part.grid.blocks, kMostBlocks);
        EXPECT_LE(part.pieces * division.accumulators, workspace.accumulators);
        if (division.accumulators > 0) {
          EXPECT_LE(part.pieces, workspace.counters);
        }
        ++launches;
      });
      ASSERT_EQ(made, division.pieces);
      ASSERT_FALSE(HasFailure()) << round;
      several += launches > 1 ? 1 : 0;
      if (kind != KernelKind::Columns) {
        ASSERT_EQ(made, call.results());
      }
    }
  }
  EXPECT_GT(several, 100);
}

}  // namespace
}  // namespace graft::test
