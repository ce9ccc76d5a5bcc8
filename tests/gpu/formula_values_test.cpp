// Runs the formulas of tests/formula/values/numpy_values.txt on a GPU by every route, and compares their values with
// those of NumPy.
#include <memory>

#include "formula/values/numpy_values.hpp"
#include "formula/values/typed_values.hpp"
#include "gpu/device.hpp"

namespace graft::test {
namespace {

// Arrays of bytes in device memory, as a transform takes them.
struct DeviceColumns {
  std::vector<std::unique_ptr<GuardedBytes>> memory;
  std::vector<ArrayRef> refs;

  void add(const ByteArray& bytes, ElementType type) {
    memory.push_back(std::make_unique<GuardedBytes>(bytes.size(), 0));
    check(cudaMemcpy(memory.back()->data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    refs.emplace_back(memory.back()->data(), bytes.size() / type.size, type);
  }
};

class GpuFormulaValues : public Gpu {};

TEST_F(GpuFormulaValues, AreThoseOfNumpyByEveryRoute) {
  for (const NumpyGroup& group : read_numpy_values()) {
    const ManyFormulas many(group.texts(), group.variables);
    const std::vector<ByteArray> inputs = inputs_of(group);
    const std::size_t count = group.inputs[0].size();
    for (const Route route : {Route::Program, Route::Lto, Route::Ptx, Route::Indirect}) {
      Options options;
      options.routes.required = route;
      options.floating_point.contraction = false;  // products and sums are rounded as NumPy rounds them
      const Transform transform = Transform::create(many.callback, options);
      DeviceColumns in;
      for (std::size_t k = 0; k < inputs.size(); ++k) in.add(inputs[k], transform.signature().inputs().at(k));
      DeviceColumns out;
      out.add(ByteArray(count * kAnyValueBytes), transform.signature().outputs().at(0));
      for (std::size_t k = 0; k < group.rows.size(); ++k) {
        const ByteArray state = choice_of(k);
        transform.execute(nullptr, in.refs, out.refs, StateRef(state.data(), *transform.signature().state()));
        ByteArray results(count * kAnyValueBytes);
        check(cudaMemcpy(results.data(), out.memory[0]->data(), results.size(), cudaMemcpyDeviceToHost));
        expect_values(group, k, many.values_of(k, results), name(route));
      }
    }
  }
}

}  // namespace
}  // namespace graft::test
