// outputs_read_first() finds the callback's parameter list and body among the text's tokens, and then looks at the
// tokens around the first use of each `T&` parameter.
#include "reflect/callback/mistakes.hpp"

#include <algorithm>
#include <span>

#include "reflect/callback/scan.hpp"

namespace graft::reflect {
namespace {

using TokenSpan = std::span<const Token>;

struct ListAndBody {
  TokenSpan list;  // the parameters, without the parentheses
  TokenSpan body;  // without the braces
};

// Reads `(...) {...}` at token `at`. Both parts are empty if something else stands there.
ListAndBody list_and_body(const Code& code, std::size_t at) {
  const TokenSpan tokens = code.tokens;
  if (at >= tokens.size() || !tokens[at].is("(") || code.partner[at] >= tokens.size()) return {};
  const std::size_t close = code.partner[at];
  std::size_t open = close + 1;
  while (open < tokens.size() && (tokens[open].is("noexcept") || tokens[open].is("const"))) ++open;
  if (open >= tokens.size() || !tokens[open].is("{") || code.partner[open] >= tokens.size()) return {};
  return {tokens.subspan(at + 1, close - at - 1), tokens.subspan(open + 1, code.partner[open] - open - 1)};
}

ListAndBody find_callback(const Code& code, std::string_view entry) {
  if (entry.empty())
    return code.tokens.empty() || !code.tokens[0].is("[") ? ListAndBody{} : list_and_body(code, code.partner[0] + 1);
  const std::string_view name = unqualified(entry.substr(0, entry.find('<')));
  for (std::size_t i = 0; i < code.tokens.size(); ++i) {
    if (!code.tokens[i].is(name)) continue;
    const ListAndBody found = list_and_body(code, i + 1);
    if (!found.list.empty()) return found;
  }
  return {};
}

// Returns the name of the parameter if it is declared as `T& name`, and an empty name otherwise.
std::string_view output_name(TokenSpan parameter) {
  const std::size_t size = parameter.size();
  const bool is_reference = size >= 3 && parameter[size - 1].kind == Token::Word && parameter[size - 2].is("&") &&
                            !parameter[size - 3].is("&");
  const bool is_const = std::ranges::any_of(parameter, [](const Token& token) { return token.is("const"); });
  return is_reference && !is_const ? parameter[size - 1].text : std::string_view();
}

bool is_at(TokenSpan tokens, std::size_t at, std::string_view text) {
  return at < tokens.size() && tokens[at].is(text);
}

// Whether the use of a variable at token `at` reads the variable in order to change it.
bool changes(TokenSpan body, std::size_t at) {
  for (const std::string_view sign : {"+", "-"})
    if (at >= 2 && body[at - 1].is(sign) && body[at - 2].is(sign)) return true;
  std::size_t next = at + 1;
  while (is_at(body, next, ".")) next += 2;  // a member of the variable
  for (const std::string_view sign : {"+", "-"})
    if (is_at(body, next, sign) && is_at(body, next + 1, sign)) return true;
  for (const std::string_view sign : {"+", "-", "*", "/", "%", "&", "|", "^", "<<"})
    if (is_at(body, next, sign) && is_at(body, next + 1, "=")) return true;
  return is_at(body, next, ">") && is_at(body, next + 1, ">") && is_at(body, next + 2, "=");
}

bool is_read_first(TokenSpan body, std::string_view name) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    const bool is_member = i > 0 && (body[i - 1].is(".") || body[i - 1].is("->") || body[i - 1].is("::"));
    if (body[i].is(name) && !is_member) return changes(body, i);
  }
  return false;
}

// Returns the first name that a declaration declares: the last word before its array bounds. `rest` begins after
// __constant__. Returns an empty name if the variable has a value, or if `rest` is no variable.
std::string_view unset_name(std::span<const Token> rest) {
  std::string_view name;
  bool is_in_bounds = false;
  for (const Token& token : rest) {
    if (token.is(";") || token.is(",")) return name;
    if (token.is("=") || token.is("{") || token.is("(")) return {};
    is_in_bounds |= token.is("[");
    if (token.kind == Token::Word && !is_in_bounds) name = token.text;
  }
  return {};
}

}  // namespace

std::vector<std::string> outputs_read_first(const Text& text, std::string_view entry) {
  const auto [list, body] = find_callback(text.code(), entry);
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    std::size_t end = begin;
    while (end < list.size() && !list[end].is(",")) ++end;
    const std::string_view name = output_name(list.subspan(begin, end - begin));
    if (!name.empty() && is_read_first(body, name)) names.emplace_back(name);
    begin = end + 1;
  }
  return names;
}

std::vector<std::string> unset_constants(const Text& text) {
  std::vector<std::string> names;
  const std::span<const Token> all = text.tokens().list;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].is("__constant__") || (i > 0 && all[i - 1].is("extern"))) continue;
    if (const std::string_view name = unset_name(all.subspan(i + 1)); !name.empty()) names.emplace_back(name);
  }
  return names;
}

}  // namespace graft::reflect
