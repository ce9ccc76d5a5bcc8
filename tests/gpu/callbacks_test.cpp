// Runs every callback of the table (tests/scenarios/callbacks) on a GPU, on every route that serves it, over arrays
// with an odd number of elements that begin at different alignments, and compares the results with the row's reference.
#include <algorithm>
#include <memory>
#include <optional>

#include "gpu/device.hpp"
#include "scenarios/callbacks/table.hpp"

namespace graft::test {
namespace {

using table::Column;
using table::Row;

constexpr std::size_t kCount = 300'007;  // large enough for tiles, which move 16 bytes at a time

class DeviceMemory : public table::Memory {
 private:
  void* copy_bytes(const void* bytes, std::size_t size) override {
    arrays_.push_back(std::make_unique<GuardedBytes>(size, 0));
    check(cudaMemcpy(arrays_.back()->data(), bytes, size, cudaMemcpyHostToDevice));
    return arrays_.back()->data();
  }
  std::vector<std::unique_ptr<GuardedBytes>> arrays_;
};

// The arrays of one side of a launch. Array k begins `k % 3 + 1` elements after a 256-byte boundary.
class DeviceArrays {
 public:
  explicit DeviceArrays(const std::vector<Column>& columns) {
    for (const Column& column : columns) {
      const std::size_t shift = (arrays_.size() % 3 + 1) * column.type.size;
      const auto& array = arrays_.emplace_back(std::make_unique<GuardedBytes>(column.bytes.size(), shift));
      check(cudaMemcpy(array->data(), column.bytes.data(), column.bytes.size(), cudaMemcpyHostToDevice));
      refs_.emplace_back(array->data(), column.count(), column.type);
    }
  }
  const std::vector<ArrayRef>& refs() const { return refs_; }
  bool guards_are_intact() const {
    for (const auto& array : arrays_)
      if (!array->guards_are_intact()) return false;
    return true;
  }
  std::vector<std::vector<std::byte>> host() const {
    std::vector<std::vector<std::byte>> values;
    for (const ArrayRef& ref : refs_) {
      std::vector<std::byte>& bytes = values.emplace_back(ref.count * ref.type.size);
      check(cudaMemcpy(bytes.data(), ref.pointer, bytes.size(), cudaMemcpyDeviceToHost));
    }
    return values;
  }

 private:
  std::vector<std::unique_ptr<GuardedBytes>> arrays_;
  std::vector<ArrayRef> refs_;
};

// Output arrays whose elements are not the expected ones.
std::vector<Column> overwritten(std::vector<Column> columns) {
  for (Column& column : columns) std::fill(column.bytes.begin(), column.bytes.end(), std::byte{0x3c});
  return columns;
}

std::vector<std::vector<std::byte>> run(const Row& row, const table::Sample& sample, const Options& options) {
  const Transform transform = Transform::create(row.callback(), options);
  EXPECT_EQ(transform.report().kernel.route, options.routes.required);
  const DeviceArrays in(sample.inputs), out(overwritten(sample.outputs));
  DeviceMemory memory;
  const std::vector<std::byte> state = row.state_bytes ? row.state_bytes(memory) : std::vector<std::byte>();
  transform.execute(nullptr, in.refs(), out.refs(),
                    row.state_bytes ? StateRef(state.data(), row.state_type) : StateRef());
  check(cudaDeviceSynchronize());
  EXPECT_TRUE(in.guards_are_intact() && out.guards_are_intact());
  return out.host();
}

class GpuCallbackTable : public Gpu, public testing::WithParamInterface<const Row*> {};

TEST_P(GpuCallbackTable, ComputesOnEveryRoute) {
  const Row& row = *GetParam();
  const table::Sample sample = row.sample(kCount, 3);
  for (const Route route : table::kRoutes) {
    if (route == Route::Host) continue;
    SCOPED_TRACE(name(route));
    if (const table::Refusal* const refusal = row.refusal_on(route); refusal != nullptr) {
      table::expect_refused(*refusal, [&] { return Transform::create(row.callback(), row.options_for(route)); });
      continue;
    }
    const auto found = run(row, sample, row.options_for(route));
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_EQ(table::difference(sample.outputs[k], found[k], row.tolerance), "") << "output " << k;
  }
}

// The rows with a tolerance that two or more GPU routes take. ComputesOnEveryRoute compares every bit of the others.
class GpuCallbackTableOfTolerances : public GpuCallbackTable {};

TEST_P(GpuCallbackTableOfTolerances, RoutesAgreeWithoutContraction) {
  const Row& row = *GetParam();
  const table::Sample sample = row.sample(kCount, 4);
  std::optional<std::vector<std::vector<std::byte>>> first;
  int compared = 0;
  for (const Route route : table::kRoutes) {
    if (route == Route::Host || row.refusal_on(route) != nullptr) continue;
    Options options = row.options_for(route);
    options.floating_point.contraction = false;
    const auto found = run(row, sample, options);
    if (!first) first = found;
    else ++compared;
    EXPECT_TRUE(found == *first) << name(route);
  }
  EXPECT_GT(compared, 0);
}

bool is_compared(const Row& row) {
  const auto is_taken = [&](Route route) { return route != Route::Host && row.refusal_on(route) == nullptr; };
  return !row.tolerance.is_exact() && std::ranges::count_if(table::kRoutes, is_taken) > 1;
}

std::vector<const Row*> rows_that(bool (*fit)(const Row&)) {
  std::vector<const Row*> rows;
  for (const Row& row : table::all_rows())
    if (fit(row)) rows.push_back(&row);
  return rows;
}
std::string name_of(const testing::TestParamInfo<const Row*>& row) {
  return row.param->name;
}
INSTANTIATE_TEST_SUITE_P(Rows, GpuCallbackTable, testing::ValuesIn(rows_that([](const Row&) { return true; })),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Rows, GpuCallbackTableOfTolerances, testing::ValuesIn(rows_that(is_compared)), name_of);

}  // namespace
}  // namespace graft::test
