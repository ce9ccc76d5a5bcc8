#include "own_kernels/closed_slot.hpp"

#include <algorithm>
#include <string>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "codegen/program.hpp"
#include "core/fail.hpp"
#include "format/ptx.hpp"
#include "reflect/text/lexer.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::own_kernels {
namespace {

constexpr const char* kRemedy =
    "Refuse the callback. In the closed mode, a callback for a slot of a kernel is the slot's function and functions "
    "that it calls, without string literals.";

[[noreturn]] void refuse_text(const Callback& callback, std::string_view text, std::size_t at, const char* what) {
  const auto line = std::ranges::count(text.substr(0, at), '\n') + 1;
  refuse(base::format("{}: line {}: {} is refused in the closed mode", callback.name(), line, what), kRemedy);
}

}  // namespace

void check_closed_text(const Callback& callback) {
  const std::string_view text = callback.text();
  std::size_t braces = 0;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') refuse_text(callback, text, at, "a string literal");
    const std::string_view pair = text.substr(at, 2);
    if (pair == "<%" || pair == "%>") refuse_text(callback, text, at, "a digraph for a brace");
    if (text[at] != '{' && text[at] != '}') continue;
    ++braces;
    depth += text[at] == '{' ? 1 : -1;
    if (depth < 0) refuse_text(callback, text, at, "a `}` without a `{`");
  }
  if (depth != 0) refuse_text(callback, text, text.size(), "a `{` without a `}`");
  // A compiler could read a brace in a comment or a character literal in another way.
  const reflect::Tokens tokens = reflect::tokenize(text);
  const auto symbols = static_cast<std::size_t>(
      std::ranges::count_if(tokens.list, [](const reflect::Token& token) { return token.is("{") || token.is("}"); }));
  if (symbols != braces) refuse_text(callback, text, 0, "a brace in a comment or a character");
}

void check_closed_symbols(std::string_view ptx, const Slot& slot, std::size_t number, const Callback& callback) {
  const format::Outcome<format::Ptx> read = format::read_ptx(ptx);
  if (!read) refuse(base::format("the PTX of {} cannot be read", callback.name()), kRemedy);
  const std::string own = base::format("{}{}", codegen::kTextName, number);
  for (const format::PtxFunction& function : read->functions) {
    const bool is_own = function.name == slot.symbol || function.name.find(own) != std::string_view::npos;
    // Weak functions are CUDA's own, because the text cannot leave its namespace.
    const bool is_for_others = !is_own && function.linkage == format::PtxFunction::Visible;
    if (function.is_defined && (function.is_kernel || is_for_others))
      refuse(base::format("{} defines {}, and may define only the slot {}", callback.name(),
                          base::readable(function.name), slot.declaration),
             kRemedy);
    if (!function.is_defined && !toolchain::is_driver_function(function.name))
      refuse(base::format("{} calls {}, which it does not define", callback.name(), base::readable(function.name)),
             kRemedy);
  }
  if (const std::string_view variable = format::undefined_variable(ptx); !variable.empty())
    refuse(base::format("{} refers to {}, which it does not define", callback.name(), base::readable(variable)),
           kRemedy);
}

}  // namespace graft::own_kernels
