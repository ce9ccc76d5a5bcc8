// Fuzzes graft::formula: the reader of formulas, which strangers type, and of the line that declares their variables. A
// formula is either refused as such, with a place in the text, or becomes a text of graft's own words. What is
// suggested in place of a mistake is a formula itself, or a symbol that can stand there.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const graft::Callback callback = graft::formula(text, variables().inputs, variables().parameters);
    // The words of a directive, a string or assembly would come from the formula.
    if (callback.text().find_first_of("#\"'\\@`$") != std::string::npos || callback.can_include()) std::abort();
  } catch (const graft::Error& error) {
    if (error.code() != graft::ErrorCode::CompileFailed || error.diagnostics().size() != 1) std::abort();
    const graft::Diagnostic& found = error.diagnostics()[0];
    if (found.line < 1 || found.column < 1 || static_cast<std::size_t>(found.column) > size + 1) std::abort();
    if (!graft::test::can_be_typed(text, found)) std::abort();
  }
  try {
    (void)graft::formula_variables(text);
  } catch (const graft::Error& error) {
    if (error.code() != graft::ErrorCode::InvalidArgument) std::abort();
  }
  return 0;
}
