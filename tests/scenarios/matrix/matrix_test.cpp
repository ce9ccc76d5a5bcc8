// Builds callbacks of every form (such as source or PTX) and every shape (such as one with a state) on every route, and
// compares the outcomes with docs/tables/matrix.md, so that the page cannot promise a combination that fails. Images
// for the GPU are only inspected. Images of the host route also run.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <regex>
#include <string>

#include "base/files.hpp"
#include "scenarios/matrix/cells.hpp"
#include "scenarios/matrix/numbers.hpp"
#include "support/rotation.hpp"

namespace graft::test {
namespace {

struct OnHost {
  template <class T>
  class Array {
   public:
    explicit Array(std::vector<T> values) : values_(std::move(values)) {}
    T* data() const { return values_.data(); }
    std::size_t size() const { return values_.size(); }
    T* begin() const { return data(); }
    T* end() const { return data() + size(); }
    std::vector<T> host() const { return values_; }

   private:
    mutable std::vector<T> values_;
  };
  template <class... A>
  static auto inputs(const A&... arrays) {
    return host_inputs(arrays...);
  }
  template <class... A>
  static auto outputs(const A&... arrays) {
    return host_outputs(arrays...);
  }
  template <class... More>
  static void execute(const Transform& transform, const HostInputs& in, const HostOutputs& out, const More&... more) {
    transform.execute(host, in, out, more...);
  }
};

// Makes all checks of an image that need no GPU.
void check_image(const Image& image, Route route) {
  const Report& report = image.report();
  EXPECT_EQ(report.kernel.route, route);
  EXPECT_FALSE(image.bytes().empty());
  EXPECT_GT(report.resources.registers, 0);
  if (route == Route::Lto || route == Route::Program) {
    EXPECT_TRUE(report.inlined()) << report.to_text();
    EXPECT_EQ(report.resources.local_bytes, 0u);
  } else {
    EXPECT_FALSE(report.inlined()) << report.to_text();
  }
}

constexpr Architecture kArchitecture(90);

// Builds one combination. Returns "yes" if this succeeds, otherwise the name of the error code that a user gets.
std::string built(const FormOfCallback& form, Shape shape, Route route) {
  SCOPED_TRACE(fmt::format("{}, {}, {}", form.name, name(shape), name(route)));
  try {
    const Callback callback = callback_of(form, shape, kArchitecture);
    if (route == Route::Host) Numbers<OnHost>(Transform::create(callback, on_route(route))).check(shape);
    else check_image(build(callback, kArchitecture, on_route(route)), route);
    return "yes";
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return std::string(name(error.code()));
  }
}

std::string head_of_table(const FormOfCallback& form) {
  std::string text = fmt::format("| {} |", form.name);
  std::string line = "|---|";
  for (const Route route : kRoutes) {
    text += fmt::format(" {} |", name(route));
    line += "---|";
  }
  return text + '\n' + line + '\n';
}

std::string line_of_table(const FormOfCallback& form, Shape shape) {
  std::string text = fmt::format("| {} |", name(shape));
  for (const Route route : kRoutes) text += fmt::format(" {} |", built(form, shape, route));
  return text + '\n';
}

class Matrix : public testing::TestWithParam<FormOfCallback> {};

bool can_be_made(const FormOfCallback& form) {
  try {
    callback_of(form, Shape::Value, kArchitecture);
    return true;
  } catch (const Error& error) {
    return error.code() != ErrorCode::ToolMissing;
  }
}

TEST_P(Matrix, IsAsDocumented) {
  if (!can_be_made(GetParam())) GTEST_SKIP() << "this machine has no tool that makes a " << GetParam().name;
  SCOPED_TRACE(rotation_text());
  const std::string page = base::read_file(GRAFT_SOURCE_DIR "/docs/tables/matrix.md").value_or("");
  const std::string head = head_of_table(GetParam());
  std::fputs(head.c_str(), stdout);
  const std::size_t start = page.find('\n' + head);
  ASSERT_NE(start, std::string::npos) << "docs/tables/matrix.md has no table with the lines printed above";
  const std::string table = page.substr(start, std::min(page.find("\n\n", start), page.size() - 1) - start) + '\n';
  EXPECT_EQ(std::ranges::count(table, '\n'), static_cast<std::ptrdiff_t>(kShapes.size()) + 3) << table;
  std::size_t row = row_of_test();
  for (const Shape shape : kShapes) {
    if (!is_turn_of(0, row++, 3)) continue;
    const std::string line = line_of_table(GetParam(), shape);
    std::fputs(line.c_str(), stdout);
    EXPECT_NE(table.find('\n' + line), std::string::npos)
        << "docs/tables/matrix.md has another line than the last one printed above";
  }
}

TEST(MatrixPage, HasAsManyCellsOnGpusAsTheGpuTestRuns) {
  const std::string page = base::read_file(GRAFT_SOURCE_DIR "/docs/tables/matrix.md").value_or("");
  const std::regex row(R"(\n\| [^|\n]+ \| (\w+) \| (\w+) \| (\w+) \| (\w+) \| \w+ \|(?=\n))");
  int cells = 0;
  for (auto found = std::sregex_iterator(page.begin(), page.end(), row); found != std::sregex_iterator(); ++found)
    for (std::size_t route = 1; route <= 4; ++route) cells += (*found)[route] == "yes";
  EXPECT_EQ(cells, kCellsOnGpus);
}

std::string name_of(const testing::TestParamInfo<FormOfCallback>& form) {
  std::string name;
  for (const char c : form.param.name)
    if (c != ' ' && c != '-') name += c;
  return name;
}
INSTANTIATE_TEST_SUITE_P(Forms, Matrix, testing::ValuesIn(kForms), name_of);

}  // namespace
}  // namespace graft::test
