// Formulas beside NumPy: the table numpy_values.txt on the CPU, and its kernels for GPUs. tests/gpu runs them there.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "formula/values/numpy_values.hpp"
#include "formula/values/typed_values.hpp"
#include "support/rotation.hpp"

namespace graft::test {
namespace {

const std::vector<NumpyGroup>& groups() {
  static const std::vector<NumpyGroup> all = read_numpy_values();
  return all;
}

class FormulasBesideNumpy : public testing::TestWithParam<std::size_t> {};

TEST_P(FormulasBesideNumpy, HaveTheirTypesAndValuesOnTheCpu) {
  const NumpyGroup& group = groups().at(GetParam());
  const ManyFormulas many(group.texts(), group.variables);
  const HostBytes compiled(many.callback);
  const std::vector<ByteArray> inputs = inputs_of(group);
  for (std::size_t k = 0; k < group.rows.size(); ++k) {
    EXPECT_EQ(many.type_of(k), group.rows[k].type) << group.variables << ": " << group.rows[k].text;
    const ByteArray results = compiled.run(inputs, choice_of(k), group.inputs.at(0).size())[0];
    if (many.type_of(k) == group.rows[k].type) expect_values(group, k, many.values_of(k, results), "host");
  }
}

constexpr std::array kGpuRoutes = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};

// One type by one route in each run, and all types by all routes in a long one.
TEST_P(FormulasBesideNumpy, HaveKernelsByAllRoutes) {
  if (!is_turn_of(0, GetParam(), groups().size())) return;
  const NumpyGroup& group = groups().at(GetParam());
  const ManyFormulas many(group.texts(), group.variables);
  for (const Route route : in_turn(kGpuRoutes, GetParam())) {
    Options options;
    options.routes.required = route;
    const Image image = build(many.callback, Architecture(90), options);
    EXPECT_EQ(image.report().compiler_log, "") << name(route) << ", " << rotation_text();
  }
}

std::string name_of(const testing::TestParamInfo<std::size_t>& row) {
  std::string name;
  for (const char c : groups().at(row.param).variables)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, FormulasBesideNumpy, testing::Range<std::size_t>(0, groups().size()), name_of);

TEST(FormulasOfTheTable, AreTwoHundredAndMore) {
  std::set<std::string> texts;
  std::size_t differences = 0;
  for (const NumpyGroup& group : groups())
    for (const NumpyRow& row : group.rows) {
      texts.insert(row.text);
      differences += row.differs.empty() ? 0 : 1;
    }
  EXPECT_GE(texts.size(), 200u);
  EXPECT_GE(differences, 15u);
  EXPECT_EQ(groups().size(), 15u);
}

}  // namespace
}  // namespace graft::test
