// Finds lambdas that cannot be callbacks. This search runs before the compiler, because the compiler's errors about
// such lambdas would point at lines that graft wrote.
#include <algorithm>
#include <iterator>
#include <span>

#include "reflect/callback/scan.hpp"
#include "reflect/text/keywords.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::reflect {
namespace {

// Returns a lambda's template parameter list: "<class T>" of `<class T>(T x) {`.
std::string template_list(std::span<const Token> tokens) {
  const auto end = std::find_if(tokens.begin(), tokens.end(), [](const Token& t) { return t.is("(") || t.is("{"); });
  return spaced_text({tokens.begin(), end});
}

// Returns the first parameter whose type is auto: "const auto& y" of `(float x, const auto& y)`. Empty if there is
// none.
std::string auto_parameter(std::span<const Token> tokens, std::size_t close) {
  const std::span<const Token> list = tokens.first(std::min(close, tokens.size()));
  const auto is_comma = [](const Token& t) { return t.is(","); };
  const auto found = std::find_if(list.begin(), list.end(), [](const Token& t) { return t.is("auto"); });
  if (found == list.end()) return {};
  const auto begin = std::find_if(std::reverse_iterator(found), list.rend() - 1, is_comma).base();
  return spaced_text({begin, std::find_if(found, list.end(), is_comma)});
}

}  // namespace

// Examines the tokens from the capture list to the body, and whether a comma follows the lambda.
std::optional<LambdaFinding> examine_lambda(const Text& expression) {
  const Code& code = expression.code();
  const std::span<const Token> all = code.tokens;
  if (!is_lambda(all) || code.partner[0] == all.size()) return std::nullopt;
  const std::size_t close = code.partner[0];
  if (close > 1)
    return LambdaFinding{"the lambda captures " + spaced_text(all.subspan(0, close + 1)),
                         "Take the value as a `const T&` parameter, which is the state that each execute passes. A "
                         "capture would be read only once, when the kernel is made.",
                         all[0].line};
  for (std::size_t i = close + 1; i < all.size() && !all[i].is("{"); i = code.partner[i] + 1) {
    if (all[i].is("__host__") || all[i].is("__global__") || marks({}, all[i].text).is_device)
      return LambdaFinding{"the lambda is marked " + std::string(all[i].text),
                           "Remove the specifier: `[](float x) { ... }` is compiled as device code without it.",
                           all[i].line};
    const bool is_list = all[i].is("<") && i == close + 1;
    const std::string generic =
        is_list ? template_list(all.subspan(i)) : auto_parameter(all.subspan(i), code.partner[i] - i);
    if (!generic.empty())
      return LambdaFinding{"the lambda is generic (" + generic + ")",
                           "Write the parameter types out: `[](float x) { ... }`.", all[i].line, true};
  }
  for (std::size_t i = close + 1; i < all.size(); i = code.partner[i] + 1)
    if (all[i].is(","))
      return LambdaFinding{"more follows the lambda: " + spaced_text(all.subspan(i)),
                           "Give one lambda. graft::chain makes one kernel of several callbacks.", all[i].line};
  return std::nullopt;
}

}  // namespace graft::reflect
