#include "plan/parameter_layout.hpp"

#include <algorithm>

#include "contract.h"

namespace graft::plan {
namespace {

std::uint32_t round_up(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

}  // namespace

ParameterLayout lay_out_parameter(const Signature& signature) {
  const std::size_t arrays = signature.inputs().size() + signature.outputs().size();
  ParameterLayout layout;
  layout.alignment = alignof(graft_launch);
  layout.bytes = static_cast<std::uint32_t>(sizeof(graft_launch) + arrays * sizeof(void*));
  if (signature.state()) {
    layout.alignment = std::max(layout.alignment, signature.state()->alignment);
    layout.state_offset = round_up(layout.bytes, signature.state()->alignment);
    layout.bytes = layout.state_offset + signature.state()->size;
  }
  layout.bytes = round_up(layout.bytes, layout.alignment);
  return layout;
}

}  // namespace graft::plan
