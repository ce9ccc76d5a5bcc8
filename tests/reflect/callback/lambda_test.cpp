// Tests which lambdas graft refuses as callbacks.
#include "reflect/callback/scan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace graft::reflect {
namespace {

struct LambdaRow {
  std::string source;
  std::string expected;
};

std::string finding_text(const std::optional<LambdaFinding>& finding) {
  return finding ? fmt::format("{}: {}", finding->line, finding->problem) : "fine";
}

TEST(Lambda, IsExamined) {
  const std::vector<LambdaRow> rows = {
      {"[](float x) { return x; }", "fine"},
      {"[] { return 1.0f; }", "fine"},
      {"[ ] (float x, const Scale& s) mutable noexcept -> float { return x; }", "fine"},
      {"[](float x) { auto y = [=](auto z) { return z + x; }; return y(x); }", "fine"},
      {"[](float x) -> decltype(x) { auto y = x; return y; }", "fine"},
      {"[](float x) [[gnu::pure]] { return x; }", "fine"},
      {"Scale{2}", "fine"},
      {"", "fine"},
      {"[[x]]", "fine"},
      {"[=](float x) { return a * x; }", "1: the lambda captures [=]"},
      {"\n[ & ](float x) { return a * x; }", "2: the lambda captures [ & ]"},
      {"[a](float x) { return a * x; }", "1: the lambda captures [a]"},
      {"[a = 2, &b](float x) { return a * x; }", "1: the lambda captures [a = 2, &b]"},
      {"[*this](float x) { return x; }", "1: the lambda captures [*this]"},
      {"[] __device__ (float x) { return x; }", "1: the lambda is marked __device__"},
      {"[]\n__host__ __device__\n(float x) { return x; }", "2: the lambda is marked __host__"},
      {"[](float x) __device__ { return x; }", "1: the lambda is marked __device__"},
      {"[] GRAFT_HOST_DEVICE (float x) { return x; }", "1: the lambda is marked GRAFT_HOST_DEVICE"},
      {"[](auto x) { return x; }", "1: the lambda is generic (auto x)"},
      {"[](float x, const auto& y) { return x; }", "1: the lambda is generic (const auto& y)"},
      {"[](auto&&... x) { return 1; }", "1: the lambda is generic (auto&&... x)"},
      {"[]<class T>(T x) { return x; }", "1: the lambda is generic (<class T>)"},
      {"[](float x) { return x; }, 2", "1: more follows the lambda: , 2"},
      {"[](float x", "fine"},
      {"[", "fine"},
      {"[x, y", "fine"},
  };
  for (const LambdaRow& row : rows) EXPECT_EQ(finding_text(examine_lambda(row.source)), row.expected) << row.source;
}

}  // namespace
}  // namespace graft::reflect
