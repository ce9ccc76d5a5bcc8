// Tests what a call with views launches on a GPU, with a runner that only notes it: that arrays which lie in memory
// like one dimension are launched as such, and what is refused.
#include "families/elementwise/shapes/view_call.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "families/elementwise/elementwise.hpp"
#include "families/elementwise/geometries.hpp"
#include "families/job.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

class Notes final : public families::Runner {
 public:
  const void* constants(unsigned) override { return nullptr; }
  void* workspace(std::size_t) override { return nullptr; }
  void launch(const families::Launch& launch) override {
    grid = launch.grid.blocks;
    items = launch.items;
    const auto* const bytes = static_cast<const std::byte*>(launch.parameter);
    parameter.assign(bytes, bytes + (grid == 0 ? 0 : launch.parameter_bytes));
  }

  unsigned grid = 0;
  unsigned long long items = 0;
  std::vector<std::byte> parameter;
};

template <class F>
Notes launched(const std::vector<ArrayRef>& in, const std::vector<ArrayRef>& out) {
  KernelSpec kernel;
  kernel.name = "graft_transform_f";
  kernel.signature = Signature::of<F>();
  kernel.tuning.set("vector_width", 4);
  const KernelSpec* const kernels[] = {&kernel};
  Notes notes;
  elementwise::family().caller({}, {}, kernels)->call({in, out, nullptr, {}}, notes);
  return notes;
}

template <class T = float>
View<T> at(std::uintptr_t address, std::initializer_list<detail::Extent> shape,
           std::initializer_list<detail::Extent> strides) {
  return view(reinterpret_cast<T*>(address), shape, strides);
}

TEST(ViewCall, LaunchesOneDimensionAsSuch) {
  struct Row {
    const char* what;
    View<float> in, out;
    std::uintptr_t first_in, first_out;
    std::size_t count;
  };
  for (const Row& row : {
           Row{"dense", at(0x1000, {4, 6}, {6, 1}), at(0x2000, {4, 6}, {6, 1}), 0x1000, 0x2000, 24},
           Row{"column-major", at(0x1000, {4, 6}, {1, 4}), at(0x2000, {4, 6}, {1, 4}), 0x1000, 0x2000, 24},
           Row{"backwards", at(0x105c, {4, 6}, {-6, -1}), at(0x205c, {4, 6}, {-6, -1}), 0x1000, 0x2000, 24},
           Row{"one element of a row", at(0x1000, {1, 1}, {9, 7}), at(0x2000, {1, 1}, {5, 3}), 0x1000, 0x2000, 1},
       }) {
    SCOPED_TRACE(row.what);
    const Notes views = launched<float(float)>({row.in}, {row.out});
    const Notes flat =
        launched<float(float)>({array_at<float>(row.first_in, row.count)}, {array_at<float>(row.first_out, row.count)});
    EXPECT_EQ(views.grid, flat.grid);
    EXPECT_EQ(views.items, row.count);
    EXPECT_EQ(views.parameter, flat.parameter);
  }
}

TEST(ViewCall, LaunchesNothingWithoutElements) {
  const Notes notes = launched<float(float)>({at(0, {0, 6}, {6, 1})}, {at(0, {0, 6}, {6, 1})});
  EXPECT_EQ(notes.grid, 0u);
  EXPECT_EQ(notes.items, 0u);
}

TEST(ViewCall, NamesTheFormForWhichThereIsNoKernel) {
  const auto row = at(0x1000, {6}, {1});
  const auto pitched = at(0x2000, {4, 6}, {8, 1});
  const Error error = error_of([&] { launched<float(float, float)>({row, pitched}, {at(0x3000, {4, 6}, {6, 1})}); });
  EXPECT_EQ(error.code(), ErrorCode::NotPrepared);
  EXPECT_THAT(error.message(), testing::HasSubstr("graft_transform_f (float(float, float))"));
  EXPECT_THAT(error.message(), testing::HasSubstr("rank 2: input 0 contiguous, input 1 contiguous"));
  const Error indexed = error_of([&] {
    launched<float(float, Index)>({at(0x1000, {4, 6}, {1, 4})}, {at(0x2000, {4, 6}, {1, 4})});
  });
  EXPECT_EQ(indexed.code(), ErrorCode::NotPrepared);
}

}  // namespace
}  // namespace graft::test
