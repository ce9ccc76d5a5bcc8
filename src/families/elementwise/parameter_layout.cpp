// Computes the layout for a signature. Checks at compile time that graft_lay_out gives the layout of the C++ compiler.
#include "families/elementwise/parameter_layout.hpp"

#include <algorithm>

#include "families/call.hpp"

namespace graft::elementwise {
namespace {

static_assert(GRAFT_MAX_STATE_ALIGNMENT == families::kParameterAlignment);
// The pointers follow graft_launch without a gap: a kernel looks for them at the end of graft_launch.
static_assert(sizeof(graft_launch) == 32 && alignof(graft_launch) == alignof(void*));

// A parameter with one pointer and a state of the largest alignment, as the C++ compiler lays it out. Every compiled
// kernel makes the same check for its own parameter (building_blocks/adapter.h).
struct OfCompiler {
  graft_launch launch;
  void* arrays[1];
  struct alignas(GRAFT_MAX_STATE_ALIGNMENT) {
    unsigned char bytes[GRAFT_MAX_STATE_ALIGNMENT];
  } state;
};
constexpr ParameterLayout kByRule = lay_out_parameter(ParameterFields{.inputs = 0,
                                                                      .outputs = 1,
                                                                      .masks = 0,
                                                                      .coordinates = 0,
                                                                      .state_bytes = GRAFT_MAX_STATE_ALIGNMENT,
                                                                      .state_alignment = GRAFT_MAX_STATE_ALIGNMENT});
static_assert(offsetof(OfCompiler, arrays) == kByRule.pointers && offsetof(OfCompiler, state) == kByRule.state);
static_assert(sizeof(OfCompiler) == kByRule.bytes && alignof(OfCompiler) == kByRule.alignment);

// The graft_masks follow the pointers without a gap too: tile.cu looks for them there.
static_assert(sizeof(graft_mask) == 16 && alignof(graft_mask) == alignof(void*));

}  // namespace

std::vector<ElementType> types_of_pointers(const Signature& signature) {
  std::vector<ElementType> types = signature.inputs();
  for (const std::size_t output : signature.in_outs()) types.push_back(signature.outputs()[output]);
  types.insert(types.end(), signature.outputs().begin(), signature.outputs().end());
  return types;
}

std::size_t count_masks(const Signature& signature) {
  return static_cast<std::size_t>(std::ranges::count_if(types_of_pointers(signature), is_bit));
}

ParameterLayout lay_out_parameter(const Signature& signature) {
  const std::optional<ElementType>& state = signature.state();
  return lay_out_parameter(
      ParameterFields{.inputs = static_cast<unsigned>(signature.inputs().size() + signature.in_outs().size()),
                      .outputs = static_cast<unsigned>(signature.outputs().size()),
                      .masks = static_cast<unsigned>(count_masks(signature)),
                      .coordinates = signature.coordinates(),
                      .state_bytes = state ? state->size : 0,
                      .state_alignment = state ? state->alignment : 1});
}

}  // namespace graft::elementwise
