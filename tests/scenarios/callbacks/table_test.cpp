// Builds every callback of the table on the GPU routes, and runs it on the host route with random inputs. tests/gpu
// runs the same callbacks on a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <set>

#include "base/files.hpp"
#include "scenarios/callbacks/table.hpp"
#include "support/rotation.hpp"
#include "support/routes.hpp"
#include "support/sweep.hpp"

namespace graft::test::table {
namespace {

constexpr std::size_t kCount = 1009;
// Each run builds a row for one architecture, on one route. Their numbers, 5 and 4, have no common factor, so each
// route has its turn with each architecture.
constexpr std::array kArchitectures = {75, 80, 90, 100, 120};

class HostMemory : public Memory {
 private:
  void* copy_bytes(const void* bytes, std::size_t size) override {
    const auto* first = static_cast<const std::byte*>(bytes);
    return copies_.emplace_back(std::make_unique<std::vector<std::byte>>(first, first + size))->data();
  }
  std::vector<std::unique_ptr<std::vector<std::byte>>> copies_;
};

void expect_builds(const Row& row, Architecture architecture, Route route) {
  SCOPED_TRACE(fmt::format("{} on {}", name(route), architecture.sm()));
  const auto make = [&] { return build(row.callback(), architecture, row.options_for(route)); };
  if (const Refusal* const refusal = row.refusal_on(route); refusal != nullptr) return expect_refused(*refusal, make);
  const Image image = make();
  EXPECT_EQ(without_versions(image.signature().text()), row.signature);
  EXPECT_EQ(image.report().kernel.route, route);
  if (route == Route::Lto || route == Route::Program)
    EXPECT_EQ(image.report().remaining_calls, row.remaining_calls) << image.report().to_text();
  else EXPECT_FALSE(image.report().inlined()) << image.report().to_text();
}

class CallbackTable : public testing::TestWithParam<const Row*> {};

TEST_P(CallbackTable, BuildsOnGpuRoutes) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  SCOPED_TRACE(rotation_text());
  const auto row = static_cast<std::size_t>(GetParam() - all_rows().data());
  for (const int architecture : in_turn(kArchitectures, row))
    for (const Route route : in_turn(kGpuRoutes, row)) expect_builds(*GetParam(), Architecture(architecture), route);
}

// The half of the rows whose turn it is.
TEST_P(CallbackTable, ComputesOnTheHost) {
  const Row& row = *GetParam();
  if (!is_turn_of(0, static_cast<std::size_t>(GetParam() - all_rows().data()), 2))
    GTEST_SKIP() << "another round's: " << rotation_text();
  const auto make = [&] { return Transform::create(row.callback(), row.options_for(Route::Host)); };
  if (const Refusal* const refusal = row.refusal_on(Route::Host); refusal != nullptr)
    return expect_refused(*refusal, make);
  const Transform transform = make();
  Sample sample = row.sample(kCount, 1);
  std::vector<ArrayRef> in, out;
  for (const Column& column : sample.inputs) in.emplace_back(column.bytes.data(), kCount, column.type);
  std::vector<std::vector<std::byte>> found;
  for (const Column& column : sample.outputs) {
    found.emplace_back(column.bytes.size(), std::byte{0xa5});
    out.emplace_back(found.back().data(), kCount, column.type);
  }
  HostMemory memory;
  const std::vector<std::byte> state = row.state_bytes ? row.state_bytes(memory) : std::vector<std::byte>();
  transform.execute(host, in, out, row.state_bytes ? StateRef(state.data(), row.state_type) : StateRef());
  for (std::size_t k = 0; k < out.size(); ++k)
    EXPECT_EQ(difference(sample.outputs[k], found[k], row.tolerance), "") << "output " << k;
}

std::vector<const Row*> pointers_to_rows() {
  std::vector<const Row*> rows;
  for (const Row& row : all_rows()) rows.push_back(&row);
  return rows;
}
INSTANTIATE_TEST_SUITE_P(Rows, CallbackTable, testing::ValuesIn(pointers_to_rows()),
                         [](const testing::TestParamInfo<const Row*>& row) { return row.param->name; });

TEST(CallbackTablePage, IsTheTable) {
  const std::string found = page();
  const std::string file = base::read_file(GRAFT_SOURCE_DIR "/docs/tables/callbacks.md").value_or("");
  if (!found.empty() && file.ends_with(found)) return;
  std::fputs(found.c_str(), stdout);
  ADD_FAILURE() << "docs/tables/callbacks.md does not end in the tables printed above";
}

TEST(CallbackTablePage, NamesManyDifferentCallbacks) {
  std::set<std::string> names, texts;
  for (const Row& row : all_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(texts.insert(row.text + row.entry_point).second) << row.name;
  }
  EXPECT_GE(names.size(), 150u);
}

// A table whose comparison accepts anything would prove nothing.
TEST(CallbackTableComparison, FindsOneWrongNumber) {
  for (const Row& row : all_rows()) {
    const Sample sample = row.sample(101, 2);
    for (const Column& column : sample.outputs) {
      ASSERT_EQ(difference(column, column.bytes, row.tolerance), "") << row.name;
      std::vector<std::byte> wrong = column.bytes;
      for (std::size_t i = 0; i < wrong.size(); ++i)
        if (i / column.type.size == 77) wrong[i] ^= std::byte{0x41};
      EXPECT_EQ(difference(column, wrong, row.tolerance).substr(0, 11), "element 77:") << row.name;
    }
  }
}

}  // namespace
}  // namespace graft::test::table
