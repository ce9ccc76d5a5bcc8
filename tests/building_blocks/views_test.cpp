// Tests that the building block for arrays of any shape (building_blocks/elementwise/views.cu), run on the CPU,
// computes the same results as a loop over the indices of the call, and accesses no other memory. The launches are
// those that a transform with Options::any_shape makes.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
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

using graft::test::Extents;
using graft::test::RandomView;

class CpuRunner final : public graft::families::Runner {
 public:
  CpuRunner(const Subject& subject, int width, Order order) : subject_(subject), width_(width), order_(order) {}
  const void* constants(unsigned) override { return nullptr; }
  void* workspace(std::size_t) override { return nullptr; }

  void launch(const graft::families::Launch& launch) override {
    EXPECT_LE(launch.parameter_bytes, graft::families::kMostParameterBytes);
    kernel = launch.kernel;
    const auto* const first = static_cast<const graft_launch*>(launch.parameter);
    if (launch.kernel != 0)
      run_views(subject_, graft::elementwise::lay_out_parameter(subject_.signature).bytes,
                launch.kernel == 2 ? width_ : 1, first, launch.grid.blocks, launch.grid.threads, order_);
    else run_grid(subject_, Policy{.body = GRAFT_BODY_ROLLED}, first, launch.grid.blocks, order_);
  }

  unsigned kernel = 0;

 private:
  const Subject& subject_;
  int width_;  // of the units of rows
  Order order_;
};

// The flat kernel and the ones for views, the first two with one element per thread.
std::unique_ptr<const graft::families::Caller> caller_of(const Subject& subject) {
  using graft::elementwise::ShapeClass;
  graft::KernelSpec flat;
  flat.signature = subject.signature;
  flat.tuning.set("body", GRAFT_BODY_ROLLED);
  graft::KernelSpec views = flat;
  views.request = graft::elementwise::request_of(ShapeClass::Scalar);
  graft::KernelSpec rows = flat;
  rows.request = graft::elementwise::request_of(ShapeClass::Rows);
  rows.tuning = {};
  rows.tuning.set("vector_width", graft::elementwise::width_of_rows(subject.signature));
  const graft::KernelSpec* const kernels[] = {&flat, &views, &rows};
  return graft::elementwise::family().caller({}, {}, kernels);
}

struct Array {
  RandomView view;
  graft::ElementType type;
  std::unique_ptr<ExactArray> memory;

  std::byte* at(const Extents& place) const { return memory->data() + view.at(place) * type.size; }
};

Array random_array(const Extents& call, const graft::ElementType& type, bool is_output, std::mt19937& random) {
  Array array{graft::test::random_view(call, is_output, random), type, nullptr};
  const std::size_t bytes = static_cast<std::size_t>(array.view.memory) * type.size;
  array.memory = std::make_unique<ExactArray>(bytes, type.alignment * (random() % 3));
  for (std::size_t i = 0; i < bytes; ++i) array.memory->data()[i] = static_cast<std::byte>(random() % 200);
  return array;
}

// Returns which kernel was launched.
unsigned check(const Subject& subject, std::mt19937& random) {
  Extents call = graft::test::random_shape(random, 6, 100);
  if (!call.empty() && random() % 2 == 0) call.back() = 1 + static_cast<std::int64_t>(random() % 70);
  std::vector<Array> inputs, outputs;
  for (const auto& type : subject.signature.inputs()) inputs.push_back(random_array(call, type, false, random));
  for (const auto& type : subject.signature.outputs()) outputs.push_back(random_array(call, type, true, random));
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
  CpuRunner runner(subject, graft::elementwise::width_of_rows(subject.signature),
                   random() % 2 == 0 ? Order::Forwards : Order::Backwards);
  caller_of(subject)->call(
      {in, out, state.empty() ? nullptr : state.data(), subject.signature.state().value_or(graft::ElementType{})},
      runner);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    EXPECT_EQ(outputs[k].memory->copy(), expected[k]) << subject.name << ", output " << k;
    EXPECT_TRUE(outputs[k].memory->front_is_intact()) << subject.name;
  }
  return runner.kernel;
}

TEST(ViewsBlock, DoesWhatALoopDoes) {
  std::mt19937 random(20261127);
  for (const Subject* const subject : subjects()) {
    int launches[3] = {};
    for (int round = 0; round < 120 && !testing::Test::HasFailure(); ++round) ++launches[check(*subject, random)];
    EXPECT_GT(launches[1], 20) << subject->name;
    // Rarely are the rows of several outputs all contiguous.
    if (subject->signature.outputs().size() > 1) continue;
    EXPECT_EQ(launches[2] > 5, graft::elementwise::width_of_rows(subject->signature) > 1)
        << subject->name << ": " << launches[2];
  }
}

}  // namespace
}  // namespace blocks
