// Runs chains of ready-made callbacks on a GPU. Each function is at least once the first part of a chain and once the
// second, if any function fits. The chain must compute what its two parts compute in two transforms, one after the
// other: without contraction, the results are equal bit for bit.
#include "callbacks/ready_functions.hpp"

#include <fmt/format.h>

#include <memory>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr std::size_t kCount = 10'007;

// An array of any element type in device memory.
class AnyArray {
 public:
  explicit AnyArray(const ElementType& type)
      : type_(type), memory_(std::make_unique<GuardedBytes>(type.size * kCount, 0)) {}
  AnyArray(const ElementType& type, const ByteArray& values) : AnyArray(type) {
    check(cudaMemcpy(memory_->data(), values.data(), values.size(), cudaMemcpyHostToDevice));
  }

  ArrayRef ref() const { return {memory_->data(), kCount, type_}; }
  ByteArray host() const {
    ByteArray values(type_.size * kCount);
    check(cudaMemcpy(values.data(), memory_->data(), values.size(), cudaMemcpyDeviceToHost));
    return values;
  }
  bool guards_are_intact() const { return memory_->guards_are_intact(); }

 private:
  ElementType type_;
  std::unique_ptr<GuardedBytes> memory_;
};

using AnyArrays = std::vector<AnyArray>;

std::vector<ArrayRef> refs(const AnyArrays& arrays) {
  std::vector<ArrayRef> all;
  for (const AnyArray& array : arrays) all.push_back(array.ref());
  return all;
}

AnyArrays outputs_of(const Transform& transform) {
  return {transform.signature().outputs().begin(), transform.signature().outputs().end()};
}

StateRef state_ref(const Transform& transform, const ByteArray& bytes) {
  const std::optional<ElementType>& type = transform.signature().state();
  return type ? StateRef(bytes.data(), *type) : StateRef();
}

Transform without_contraction(const Callback& callback) {
  Options options;
  options.floating_point.contraction = false;
  return Transform::create(callback, options);
}

void expect_same_results(const Transform& first, const Transform& second, const Transform& both) {
  const ByteArray first_state = some_state(first.signature());
  const ByteArray second_state = some_state(second.signature());
  const ByteArray both_states = joined_states(first.signature(), second.signature());
  AnyArrays inputs;
  for (const ElementType& type : both.signature().inputs())
    inputs.emplace_back(type, some_elements(type, kCount, inputs.size() + 1));
  const std::vector<ArrayRef> given = refs(inputs);
  const auto end_of_own = given.begin() + static_cast<std::ptrdiff_t>(first.signature().inputs().size());

  const AnyArrays between = outputs_of(first);
  const AnyArrays wanted = outputs_of(second);
  const AnyArrays found = outputs_of(both);
  first.execute(nullptr, std::vector<ArrayRef>(given.begin(), end_of_own), refs(between),
                state_ref(first, first_state));
  std::vector<ArrayRef> handed = refs(between);
  handed.insert(handed.end(), end_of_own, given.end());
  second.execute(nullptr, handed, refs(wanted), state_ref(second, second_state));
  both.execute(nullptr, given, refs(found), state_ref(both, both_states));
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const Comparison compared = compare(second.signature().outputs()[k], found[k].host(), wanted[k].host());
    EXPECT_TRUE(compared.equal) << "output " << k << ", byte " << compared.at;
    EXPECT_TRUE(found[k].guards_are_intact());
  }
}

class GpuReadyFunctions : public Gpu {};

TEST_F(GpuReadyFunctions, ChainsComputeAsTheirPartsDo) {
  const std::vector<ReadyFunction> functions = ready_functions();
  std::vector<Transform> transforms;
  std::vector<Signature> signatures;
  for (const ReadyFunction& function : functions) {
    transforms.push_back(without_contraction(function.callback));
    signatures.push_back(transforms.back().signature());
  }
  for (const auto& [first, second] : covering_pairs(signatures, 0)) {
    SCOPED_TRACE(fmt::format("chain({}, {})", functions[first].entry, functions[second].entry));
    const Transform both = without_contraction(chain(functions[first].callback, functions[second].callback));
    expect_same_results(transforms[first], transforms[second], both);
  }
}

}  // namespace
}  // namespace graft::test
