// Fuzzes graft::formula: the reader of formulas, which strangers type, and of the line that declares their variables. A
// formula is either refused as such, with a place in the text, or becomes a text of graft's own words. What is
// suggested in place of a mistake is a formula itself, or a symbol that can stand there.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <utility>

#include "formula/hints.hpp"
#include "graft/formula.hpp"

namespace {

const graft::FormulaVariables& variables() {
  static const graft::FormulaVariables all = [] {
    graft::FormulaVariables made =
        graft::formula_variables("f32 x, f64 y, i32 i, u8 u, i64 k, f16 h, c64 z, bool m; f32 a, i16 b");
    made.inputs.emplace_back("p", std::vector<graft::Variable>{{"x", "f32"}, {"n", "u32"}});
    return made;
  }();
  return all;
}

// A text of graft's own words: those of a directive, a string or assembly would come from the formula.
void check_words(const graft::Callback& callback) {
  if (callback.text().find_first_of("#\"'\\@`$") != std::string::npos || callback.can_include()) std::abort();
}

// The formula with its parameters as weak ones, of numbers with which arithmetic can go wrong.
void compute(std::string_view text) {
  const graft::WeakFormula formula(text, variables().inputs, {"a", "b"});
  for (const auto& [a, b] : std::initializer_list<std::pair<graft::Number, graft::Number>>{
           {std::numeric_limits<std::int64_t>::min(), -1}, {0, 1e308}, {std::complex<double>(0, 1), false}}) {
    const graft::WeakValues values = formula.values({a, b});
    const graft::WeakCallback callback = formula.callback(values);
    check_words(callback.callback());
    (void)callback.parameters(values);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const graft::Callback callback = graft::formula(text, variables().inputs, variables().parameters);
    check_words(callback);
  } catch (const graft::Error& error) {
    if (error.code() != graft::ErrorCode::CompileFailed || error.diagnostics().size() != 1) std::abort();
    const graft::Diagnostic& found = error.diagnostics()[0];
    if (found.line < 1 || found.column < 1 || static_cast<std::size_t>(found.column) > size + 1) std::abort();
    if (!graft::test::can_be_typed(text, found)) std::abort();
  }
  try {
    compute(text);
  } catch (const graft::Error& error) {
    if (error.code() != graft::ErrorCode::CompileFailed && error.code() != graft::ErrorCode::InvalidArgument)
      std::abort();
  }
  try {
    (void)graft::formula_variables(text);
  } catch (const graft::Error& error) {
    if (error.code() != graft::ErrorCode::InvalidArgument) std::abort();
  }
  return 0;
}
