// Tests with random callbacks, tunings, counts and array addresses that the building block
// (building_blocks/elementwise/transform.cu) computes the same results as a loop over the elements, and writes to no
// other memory.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "scenario.hpp"

namespace blocks {
namespace {

// Generates counts of up to about three tiles, often near a multiple of the tile's size.
rc::Gen<std::size_t> any_count(const Policy& policy) {
  const std::size_t tile = tile_of(policy);
  const auto near = [](std::size_t edge) { return rc::gen::inRange(edge < 20 ? 0 : edge - 20, edge + 20); };
  return rc::gen::oneOf(rc::gen::inRange<std::size_t>(0, 40), near(tile), near(2 * tile),
                        rc::gen::inRange<std::size_t>(0, 3 * tile));
}

std::vector<std::size_t> any_offsets(const Subject& subject) {
  if (*rc::gen::arbitrary<bool>()) return alike(subject, *rc::gen::inRange<std::size_t>(0, 33));
  std::vector<graft::ElementType> types = subject.signature.inputs();
  types.insert(types.end(), subject.signature.outputs().begin(), subject.signature.outputs().end());
  std::vector<std::size_t> offsets;
  for (const graft::ElementType& type : types)
    offsets.push_back(*rc::gen::inRange<std::size_t>(0, 64) * type.alignment);
  return offsets;
}

RC_GTEST_PROP(TransformProperties, DoesWhatAPlainLoopDoes, ()) {
  Scenario scenario;
  scenario.subject = *rc::gen::elementOf(subjects());
  scenario.policy = {*rc::gen::element(1, 2, 4, 8, 16), *rc::gen::element(1, 2, 4),
                     *rc::gen::element(GRAFT_BODY_VECTOR, GRAFT_BODY_ROLLED), *rc::gen::element(64u, 128u, 256u)};
  // The host never gives a thread more vectors of outputs than this.
  RC_PRE(static_cast<std::size_t>(scenario.policy.vectors_per_thread) * scenario.subject->signature.outputs().size() <=
         GRAFT_MAX_OUTPUT_VECTORS);
  scenario.count = *any_count(scenario.policy);
  scenario.offsets = any_offsets(*scenario.subject);
  scenario.in_place = *rc::gen::arbitrary<bool>();
  scenario.order = *rc::gen::element(Order::Forwards, Order::Backwards);
  scenario.seed = *rc::gen::inRange(0u, 1000u);
  const std::string found = difference(scenario);
  if (!found.empty()) RC_FAIL(to_text(scenario) + ": " + found);
}

}  // namespace
}  // namespace blocks
