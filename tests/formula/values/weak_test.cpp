// A weak parameter is a literal but for its value: formulas with weak parameters give the same types and bits as the
// formulas in which the values are written.
#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <vector>

#include "formula/token.hpp"
#include "formula/values/columns.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

struct Given {
  const char* name;
  Number value;
  const char* text;  // as a literal
};
const std::vector<Given> kGiven = {
    {"N", 100, "100"},
    {"k", -3, "(-3)"},
    {"c", 0.5, "0.5"},
    {"t", 1e-3, "1e-3"},
    {"big", 100'000'001, "100000001"},
    {"bigger", 100'000'000, "100000000"},
    {"j", std::complex<double>(0, 1), "complex(0, 1)"},
};

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Given& one : kGiven) all.emplace_back(one.name);
  return all;
}
std::vector<Number> numbers() {
  std::vector<Number> all;
  for (const Given& one : kGiven) all.push_back(one.value);
  return all;
}

// The formula with the values in the places of the names.
std::string with_literals(std::string_view text) {
  std::string written;
  for (const formulas::Token& token : formulas::tokenize(text)) {
    const std::string_view word = token.in(text);
    const auto given = std::ranges::find(kGiven, word, &Given::name);
    written += token.kind == formulas::TokenKind::Name && given != kGiven.end() ? given->text : word;
    written += ' ';
  }
  return written;
}

constexpr std::string_view kInputs =
    "bool m, i8 s, i32 i, i64 l, u8 u, u16 v, f16 h, bf16 b, f32 x, f32 y, f64 d, c64 z, c128 w";

constexpr const char* kFormulas[] = {
    "x * (big - bigger)",
    "i * (big - bigger)",
    "l // (N * N)",
    "l / (N * N)",
    "u / (2 * N)",
    "u * N",
    "v * N * N",
    "(u + N) * x",
    "(x - c) / (t - c)",
    "N ^ 2 / (2 * c) * x ^ 2",
    "s * c",
    "i * c",
    "i + k",
    "i % N",
    "i // k",
    "i // N",
    "-k * s",
    "x > 0 ? N : c",
    "u > 3 ? N : 1",
    "m ? c : k",
    "m + N",
    "m * c",
    "sqrt(N) * x",
    "exp(c) * d + sin(k) * x",
    "h * N + c",
    "h * (N / 3)",
    "b * c",
    "b + pi * c",
    "z * c",
    "z * j",
    "x * j",
    "(c + j) * w",
    "(c + j * N) * i",
    "abs(c + j) * x",
    "max(x, c, N)",
    "clamp(x, k, N)",
    "min(i, N, -k)",
    "i < c",
    "x == t",
    "u < N",
    "u > c * 3",
    "N > c && x > 0",
    "f32(N) * d",
    "u8(N * N) + u",
    "i8(c * 1000)",
    "i32(N / 3) + i",
    "f16(N / 3) * x",
    "bool(k) ? x : y",
    "d * (N - 1) * (N - 2) + k",
    "x / N / k",
    "x / (N / k)",
    "1 / (c * x)",
    "atan2(y, c)",
    "lerp(x, y, c)",
    "hypot(x, k)",
    "fma(x, c, k)",
    "step(c, x)",
    "real(j * c) + x",
    "x * N ^ k",
    "s * N ^ k",
    "i * 2 ^ (N - 90)",
    "x - N % k",
    "isnan(c) ? x : y",
    "x * (N > 3 ? c : 1)",
    "nan > c ? x : N",
    "-(c) ^ 2 * x",
    "i * (N * N * N * N * N // (N * N * N * N))",
};

// Eight of them at a time, which are compiled together, and some with outputs that later ones use.
std::vector<std::string> texts() {
  std::vector<std::string> all = {"p = x * c; q = d + N; r = p + N; s2 = N; t2 = s2 * x"};
  std::size_t number = 8;
  for (const char* const one : kFormulas) {
    if (number == 8) {
      all.emplace_back();
      number = 0;
    }
    all.back() += (number == 0 ? "" : "; ") + std::string("o") + std::to_string(number) + " = " + one;
    ++number;
  }
  return all;
}

TEST(WeakParameters, ComputeWhatTheirValuesAsLiteralsDo) {
  const FormulaVariables all = formula_variables(kInputs);
  const WeakValues none = WeakFormula("x", all.inputs, names()).values(numbers());
  EXPECT_EQ(none.kinds(), "");
  const Options options = [] {
    Options host_only;
    host_only.routes.required = Route::Host;
    return host_only;
  }();
  constexpr std::size_t kCount = 16;
  std::vector<ByteArray> columns;
  for (const Variable& one : all.inputs) {
    ByteArray bytes(kCount * one.type.size);
    Parameters value({{"v", one.type}});
    for (std::size_t k = 0; k < kCount; ++k) {
      if (one.type.kind == ElementKind::Bool) value.set("v", k % 3 == 0);
      else if (one.type.kind == ElementKind::Unsigned) value.set("v", k * 16);
      else if (one.type.kind == ElementKind::Signed) value.set("v", static_cast<int>(k * 16) - 120);
      else if (one.type.kind == ElementKind::Complex) value.set("v", {static_cast<double>(k) - 7.3, 0.7});
      else value.set("v", (static_cast<double>(k) - 7.5) * 1.1);
      std::memcpy(bytes.data() + k * one.type.size, value.state().bytes, one.type.size);
    }
    columns.push_back(std::move(bytes));
  }
  const auto run = [&](const Transform& transform, StateRef state) {
    std::vector<ByteArray> results;
    std::vector<ArrayRef> in, out;
    for (std::size_t k = 0; k < columns.size(); ++k)
      in.push_back(ArrayRef(columns[k].data(), kCount, all.inputs[k].type));
    for (const ElementType& type : transform.signature().outputs()) results.emplace_back(kCount * type.size);
    for (std::size_t k = 0; k < results.size(); ++k)
      out.push_back(ArrayRef(results[k].data(), kCount, transform.signature().outputs()[k]));
    transform.execute(host, in, out, state);
    return results;
  };
  for (const std::string& text : texts()) {
    const WeakFormula weak(text, all.inputs, names());
    const WeakValues values = weak.values(numbers());
    const WeakCallback callback = weak.callback(values);
    const Parameters state = callback.parameters(values);
    const std::string literals = with_literals(text);
    const Transform given = Transform::create(callback.callback(), options);
    const Transform written = Transform::create(formula(literals, all.inputs), options);
    ASSERT_EQ(given.signature().outputs(), written.signature().outputs()) << text << " and " << literals;
    EXPECT_EQ(run(given, state.state()), run(written, {})) << text << " and " << literals;
  }
}

TEST(WeakParameters, AreSetBesideParametersWithTypes) {
  const WeakFormula formula("x * (a - b) + gain", {{"x", "f32"}}, {"a", "b"}, {{"gain", "f64"}});
  const WeakValues values = formula.values({100'000'001, 100'000'000});
  const WeakCallback callback = formula.callback(values);
  Options options;
  options.routes.required = Route::Host;
  const Transform transform = Transform::create(callback.callback(), options);
  Parameters parameters = callback.parameters(values);
  parameters.set("gain", 0.25);
  const std::vector<float> x = {1, 2, 3};
  std::vector<double> y(3);
  transform.execute(host, x, y, parameters.state());
  EXPECT_EQ(y, (std::vector<double>{1.25, 2.25, 3.25}));
  EXPECT_EQ(error_of([&] { parameters.set("a", 1); }).code(), ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace graft::test
