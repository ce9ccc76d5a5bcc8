// Tests that the building blocks for arrays of any shape (building_blocks/elementwise: strided.cu, transposed.cu and
// indirect_views.cu), run on the CPU, compute the same results as a loop over the indices of the call, and access no
// other memory. The launches are those that a transform with Options::any_shape makes, or one whose kernel
// Transform::prepare_shapes added.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "exact_array.hpp"
#include "families/elementwise/elementwise.hpp"
#include "families/elementwise/parameter_layout.hpp"
#include "families/elementwise/shapes/shape_class.hpp"
#include "families/job.hpp"
#include "scenario.hpp"
#include "support/random_views.hpp"

namespace blocks {
namespace {

using graft::elementwise::KernelShapes;
using graft::elementwise::ShapeClass;
using graft::test::Extents;
using graft::test::RandomView;
using Methods = std::vector<std::string>;

// Runs the launches of the kernels of these methods.
class CpuRunner final : public graft::families::Runner {
 public:
  CpuRunner(const Subject& subject, const Methods& methods, bool through_pointer, Order order)
      : subject_(subject), methods_(methods), through_pointer_(through_pointer), order_(order) {}
  const void* constants(unsigned) override { return nullptr; }
  void* workspace(std::size_t) override { return nullptr; }

  void launch(const graft::families::Launch& launch) override {
    EXPECT_LE(launch.parameter_bytes, graft::families::kMostParameterBytes);
    method = methods_[launch.kernel];
    const unsigned shape_place = graft::elementwise::lay_out_parameter(subject_.signature).bytes;
    const auto* const shape =
        reinterpret_cast<const graft_shape*>(static_cast<const std::byte*>(launch.parameter) + shape_place);
    const auto* const first = static_cast<const graft_launch*>(launch.parameter);
    const KernelShapes made_for = graft::elementwise::kernel_of(method).value();
    if (made_for == ShapeClass::Flat)
      return run_grid(subject_, Policy{.body = GRAFT_BODY_ROLLED}, first, launch.grid.blocks, order_);
    if (through_pointer_)
      return run_indirect_views(subject_, first, shape, launch.grid.blocks, launch.grid.threads, order_);
    ViewKernel kernel{.shape_place = shape_place, .transposed = made_for.inputs};
    kernel.width = graft::elementwise::width_of_units(subject_.signature);
    if (made_for.inputs != 0) kernel.edge = graft::elementwise::edge_of_tiles(subject_.signature, made_for.inputs);
    if (made_for.inputs == 0 && shape->threads_with_units != 0) method += " in units";
    run_views(subject_, kernel, first, launch.grid.blocks, launch.grid.threads, order_);
  }

  std::string method = "none";

 private:
  const Subject& subject_;
  const Methods& methods_;
  bool through_pointer_;
  Order order_;
};

// The flat kernel, and those that call through a pointer, have one element per thread.
std::unique_ptr<const graft::families::Caller> caller_of(const Subject& subject, const Methods& methods,
                                                         bool through_pointer = false) {
  std::vector<graft::KernelSpec> specs;
  for (const std::string& method : methods) {
    const KernelShapes made_for = graft::elementwise::kernel_of(method).value();
    graft::KernelSpec& spec = specs.emplace_back();
    spec.signature = subject.signature;
    spec.request = graft::elementwise::request_of(made_for);
    if (made_for == ShapeClass::Flat || through_pointer) spec.tuning.set("body", GRAFT_BODY_ROLLED);
    else spec.tuning.set("vector_width", graft::elementwise::width_of_units(subject.signature));
  }
  std::vector<const graft::KernelSpec*> kernels;
  for (const graft::KernelSpec& spec : specs) kernels.push_back(&spec);
  return graft::elementwise::family().caller({}, {}, kernels);
}

struct Array {
  RandomView view;
  graft::ElementType type;
  std::unique_ptr<ExactArray> memory;

  std::byte* at(const Extents& place) const { return memory->data() + view.at(place) * type.size; }
};

Array random_array(RandomView view, const graft::ElementType& type, std::mt19937& random) {
  Array array{std::move(view), type, nullptr};
  const std::size_t bytes = static_cast<std::size_t>(array.view.memory) * type.size;
  array.memory = std::make_unique<ExactArray>(bytes, type.alignment * (random() % 3));
  for (std::size_t i = 0; i < bytes; ++i) array.memory->data()[i] = static_cast<std::byte>(random() % 200);
  return array;
}

// Runs a call on the views of random elements, and returns the method whose kernel was launched.
std::string check(const Subject& subject, const Extents& call, const std::vector<RandomView>& views, Methods methods,
                  std::mt19937& random, bool through_pointer = false) {
  std::vector<Array> inputs, outputs;
  for (const auto& type : subject.signature.inputs())
    inputs.push_back(random_array(views[inputs.size()], type, random));
  for (const auto& type : subject.signature.outputs())
    outputs.push_back(random_array(views[inputs.size() + outputs.size()], type, random));
  std::vector<std::byte> state(subject.signature.state() ? subject.signature.state()->size : 0);
  for (std::byte& byte : state) byte = static_cast<std::byte>(random() % 100);

  std::vector<std::vector<std::byte>> expected;
  for (const Array& output : outputs) expected.push_back(output.memory->copy());
  graft::test::for_each_element(call, [&](std::int64_t index, const Extents& place) {
    std::vector<const std::byte*> in;
    std::vector<std::byte*> out;
    // The reference adds the index to each pointer.
    for (const Array& input : inputs) in.push_back(input.at(place) - index * input.type.size);
    for (std::size_t k = 0; k < outputs.size(); ++k)
      out.push_back(expected[k].data() + (outputs[k].view.at(place) - index) * outputs[k].type.size);
    subject.reference(in.data(), out.data(), static_cast<unsigned long long>(index), state.data());
  });

  std::vector<graft::ArrayRef> in, out;
  for (const Array& input : inputs) in.push_back(input.view.ref(input.memory->data(), input.type));
  for (const Array& output : outputs) out.push_back(output.view.ref(output.memory->data(), output.type));
  const graft::families::Arguments arguments{in, out, state.empty() ? nullptr : state.data(),
                                             subject.signature.state().value_or(graft::ElementType{})};
  if (methods.empty()) methods = {"", caller_of(subject, {""})->method_for(arguments)};
  CpuRunner runner(subject, methods, through_pointer, random() % 2 == 0 ? Order::Forwards : Order::Backwards);
  caller_of(subject, methods, through_pointer)->call(arguments, runner);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    EXPECT_EQ(outputs[k].memory->copy(), expected[k]) << subject.name << ", output " << k;
    EXPECT_TRUE(outputs[k].memory->front_is_intact()) << subject.name;
  }
  return runner.method;
}

TEST(ViewsBlock, DoesWhatALoopDoes) {
  std::mt19937 random(20261127);
  for (const Subject* const subject : subjects()) {
    std::map<std::string, int> launches;
    for (int round = 0; round < 120 && !testing::Test::HasFailure(); ++round) {
      Extents call = graft::test::random_shape(random, 6, 100);
      if (!call.empty() && random() % 2 == 0) call.back() = 1 + static_cast<std::int64_t>(random() % 70);
      std::vector<RandomView> views;
      for (std::size_t k = 0; k < subject->signature.inputs().size() + subject->signature.outputs().size(); ++k)
        views.push_back(graft::test::random_view(call, k >= subject->signature.inputs().size(), random));
      ++launches[check(*subject, call, views, graft::elementwise::methods_for_any_shape(), random)];
    }
    if (graft::elementwise::width_of_units(subject->signature) == 1) continue;
    EXPECT_GT(launches["strided"], 20) << subject->name;
    // Rarely are the rows of several outputs all contiguous.
    EXPECT_TRUE(launches["strided in units"] > 5 || subject->signature.outputs().size() > 1) << subject->name;
  }
}

TEST(ViewsBlock, DoesWhatALoopDoesThroughAPointer) {
  std::mt19937 random(20261130);
  for (const Subject* const subject : subjects()) {
    int launches = 0;
    for (int round = 0; round < 60 && !testing::Test::HasFailure(); ++round) {
      const Extents call = graft::test::random_shape(random, 6, 200);
      std::vector<RandomView> views;
      for (std::size_t k = 0; k < subject->signature.inputs().size() + subject->signature.outputs().size(); ++k)
        views.push_back(graft::test::random_view(call, k >= subject->signature.inputs().size(), random));
      launches += check(*subject, call, views, graft::elementwise::methods_for_any_shape(), random, true) == "strided";
    }
    EXPECT_GT(launches, 10) << subject->name;
  }
}

// An array whose dimensions lie in memory in this order, the innermost first. Some have gaps.
RandomView in_order(const Extents& call, const std::vector<std::size_t>& order, std::mt19937& random) {
  RandomView view{call, Extents(call.size())};
  std::int64_t stride = 1;
  for (const std::size_t d : order) {
    view.strides[d] = stride;
    view.memory += (call[d] - 1) * stride;
    stride *= call[d];
    if (random() % 3 == 0) stride += 1 + static_cast<std::int64_t>(random() % 16);
  }
  return view;
}

TEST(ViewsBlock, TransposesInputs) {
  std::mt19937 random(20261128);
  for (const Subject* const subject : subjects()) {
    const std::size_t inputs = subject->signature.inputs().size(), outputs = subject->signature.outputs().size();
    const std::uint32_t candidates = graft::elementwise::with_tiles(subject->signature);
    if (candidates == 0) continue;
    for (int round = 0; round < 8 && !testing::Test::HasFailure(); ++round) {
      const auto extent = [&](std::int64_t most) { return 16 + static_cast<std::int64_t>(random()) % (most - 15); };
      const bool is_flat = random() % 2 == 0;
      const Extents call = is_flat ? Extents{extent(150), extent(150)} : Extents{2, extent(50), 3, extent(50)};
      std::vector<std::size_t> rows(call.size());
      std::iota(rows.rbegin(), rows.rend(), 0);
      std::vector<std::size_t> columns = rows;
      std::swap(columns[0], columns[is_flat ? 1 : 2]);
      std::vector<RandomView> views;
      for (std::size_t k = 0; k < inputs + outputs; ++k) {
        const auto kind = k == static_cast<std::size_t>(std::countr_zero(candidates)) ? 0 : random() % 4;
        views.push_back(in_order(call, k >= inputs || kind > 2 ? rows : columns, random));
        if (k < inputs && kind == 2) views.back() = graft::test::random_view(call, false, random);
      }
      const std::string method = check(*subject, call, views, {}, random);
      EXPECT_THAT(method, testing::StartsWith("transposed")) << subject->name;
    }
  }
}

// Pixels, whose channels become planes: an input is contiguous along a short dimension.
TEST(ViewsBlock, BringsChannelsTogether) {
  std::mt19937 random(20261129);
  for (const Subject* const subject : subjects()) {
    const std::size_t inputs = subject->signature.inputs().size(), outputs = subject->signature.outputs().size();
    if (inputs == 0 || outputs != 1 || graft::elementwise::width_of_units(subject->signature) == 1) continue;
    for (const auto& [rows, columns] : {std::pair{3, 2112}, std::pair{45, 256}, std::pair{7, 1543}, std::pair{5, 50}}) {
      const Extents call = {3, rows, columns};
      std::vector<RandomView> views;
      for (std::size_t k = 0; k < inputs; ++k)
        views.push_back(
            in_order(call, k % 2 == 0 ? std::vector<std::size_t>{0, 2, 1} : std::vector<std::size_t>{2, 1, 0}, random));
      views.push_back(in_order(call, {2, 1, 0}, random));
      EXPECT_EQ(check(*subject, call, views, graft::elementwise::methods_for_any_shape(), random), "strided in units");
    }
  }
}

}  // namespace
}  // namespace blocks
