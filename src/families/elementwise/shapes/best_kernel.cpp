#include "families/elementwise/shapes/best_kernel.hpp"

#include <span>
#include <utility>
#include <vector>

#include "families/elementwise/shapes/view_call.hpp"
#include "graft/error.hpp"

namespace graft::elementwise {

void leave_state_out(const LaunchGeometry& geometry, Arguments& arguments) {
  if (!geometry.has_state) return;
  arguments.state = &geometry;  // something that is not looked at
  arguments.state_type = geometry.state;
}

KernelShapes best_kernel(const LaunchGeometry& geometry, const Signature& signature, const Arguments& arguments) {
  Arguments shapes = arguments;
  leave_state_out(geometry, shapes);
  if (!has_views(shapes)) {
    check_kinds(geometry, shapes);
    check_counts(geometry, shapes);
    return ShapeClass::Flat;
  }
  const ViewCall call(geometry, shapes, ViewCall::Memory::None);
  if (call.count() == 0 || call.is_flat()) return ShapeClass::Flat;
  const std::uint32_t crosswise = call.crosswise(with_tiles(signature));
  const std::uint32_t inputs = in_tiles(signature, crosswise, geometry.shared_bytes);
  return inputs != 0 ? KernelShapes(ShapeClass::Transposed, inputs) : ShapeClass::Strided;
}

KernelShapes likely_kernel(const CallShapes& example, std::uint32_t shared_bytes) {
  LaunchGeometry geometry;
  geometry.shared_bytes = shared_bytes;
  std::vector<Parameter> parameters;
  std::vector<ArrayRef> arrays;
  const auto add = [&](const std::vector<CallShapes::Array>& shapes, Role role, std::uint32_t& count) {
    for (const CallShapes::Array& array : shapes) {
      if (arrays.size() < kMaxArrays) geometry.arrays[arrays.size()].type = array.type;
      arrays.push_back(array.ref());
      parameters.push_back({role, array.type});
      ++count;
    }
  };
  add(example.inputs(), Role::Input, geometry.inputs);
  add(example.outputs(), Role::Output, geometry.outputs);
  if (geometry.inputs > GRAFT_MAX_INPUTS || geometry.outputs > GRAFT_MAX_OUTPUTS) return ShapeClass::Flat;
  const Signature signature({Role::None, {}}, std::move(parameters));
  const std::span<const ArrayRef> all = arrays;
  Arguments arguments;
  arguments.inputs = all.first(geometry.inputs);
  arguments.outputs = all.subspan(geometry.inputs);
  try {
    return best_kernel(geometry, signature, arguments);
  } catch (const Error&) {
    return ShapeClass::Flat;
  }
}

}  // namespace graft::elementwise
