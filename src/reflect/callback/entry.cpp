// Chooses which of a text's functions is the callback, and finds the name that is closest to a misspelled one.
//
// The wanted name is the name that the caller gives for the callback. It may be a full qualified name, the tail of a
// qualified name, or empty. Only definitions marked __device__ can be chosen. The other functions are used only in
// error messages.

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "reflect/callback/scan.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::reflect {
namespace {

// A wanted name ("math::scale<float>"), split into the name and its template arguments. parse_wanted returns nothing
// for an expression such as "Scale{2}".
struct Wanted {
  std::string name;        // "math::scale"
  std::string arguments;   // "<float>"
  bool is_global = false;  // the name begins with `::`, as in "::scale"
};

std::optional<Wanted> parse_wanted(std::span<const Token> tokens) {
  Wanted wanted;
  wanted.is_global = tokens[0].is("::");
  std::size_t i = wanted.is_global ? 1 : 0;
  for (bool is_word = true; i < tokens.size() && !tokens[i].is("<"); ++i, is_word = !is_word) {
    if (is_word ? tokens[i].kind != Token::Word : !tokens[i].is("::")) return std::nullopt;
    wanted.name += tokens[i].text;
  }
  if (i == tokens.size()) return wanted;
  if (!tokens.back().is(">")) return std::nullopt;
  wanted.arguments = spaced_text(tokens.subspan(i));
  return wanted;
}

using Functions = std::vector<const FunctionFound*>;

template <class Condition>
Functions select(const Functions& functions, Condition condition) {
  Functions found;
  std::copy_if(functions.begin(), functions.end(), std::back_inserter(found), condition);
  return found;
}

std::string listed(const FunctionFound& f) {
  return base::format("{} (line {})", f.name, f.line);
}

std::string unfit(const FunctionFound& f) {
  return base::format("`{}` (line {}) {}", f.name, f.line, f.is_global ? "is a __global__ kernel" : "lacks __device__");
}

template <class Wording>
std::vector<std::string> worded(const Functions& functions, Wording wording) {
  std::vector<std::string> texts;
  for (const FunctionFound* f : functions) texts.push_back(wording(*f));
  return texts;
}

bool is_definition(const FunctionFound* f) {
  return f->is_definition;
}
bool is_callable(const FunctionFound* f) {
  return f->is_device && !f->is_global;
}
bool is_plain(const FunctionFound* f) {
  return !f->is_template;
}

// Whether the name is that of an operator, which is never a callback.
bool is_operator(std::string_view name) {
  return tokenize(unqualified(name)).list.front().is("operator");
}

Functions named_functions(const SourceScan& scan) {
  Functions all;
  for (const FunctionFound& f : scan.functions)
    if (!is_operator(f.name)) all.push_back(&f);
  return all;
}

EntryChoice choose_among(const Functions& fitting, const Functions& all, const std::string& arguments) {
  const FunctionFound& first = *fitting.front();
  if (std::any_of(fitting.begin(), fitting.end(), [&](const FunctionFound* f) { return f->name != first.name; }))
    return {EntryChoice::Several, {}, false, worded(fitting, listed)};
  const Functions same = select(all, [&](const FunctionFound* f) { return f->is_definition && f->name == first.name; });
  const bool overloaded = std::any_of(same.begin(), same.end(), [&](const FunctionFound* f) {
    return f->parameters_text != same.front()->parameters_text || f->is_template != same.front()->is_template;
  });
  return {EntryChoice::Found, first.name + arguments, overloaded && arguments.empty(), worded(same, listed)};
}

EntryChoice choose_unasked(const SourceScan& scan) {
  if (scan.is_expression) return {EntryChoice::Found, {}, false, {}};
  const Functions all = named_functions(scan);
  const Functions defined = select(all, is_definition);
  const Functions fitting = select(defined, is_callable);
  if (scan.uncertain) return {EntryChoice::Unsure, {}, false, worded(fitting, listed)};
  if (fitting.empty()) return {EntryChoice::None, {}, false, worded(defined, unfit)};
  // The name of a template without template arguments cannot be the callback. So templates are considered only if no
  // plain function fits.
  const Functions plain = select(fitting, is_plain);
  return choose_among(plain.empty() ? fitting : plain, all, {});
}

// Finds the class or alias of the text by which a name is qualified, and returns the name with the full name of this
// class: "n::A::go" for "A::go", if the text has `namespace n { struct A`. Returns an empty text if there is no such
// class, or several.
std::string name_in_scope(const SourceScan& scan, const Wanted& wanted) {
  const std::string_view name = wanted.name;
  for (std::size_t colon = name.rfind("::"); colon != std::string_view::npos && colon > 0;
       colon = name.rfind("::", colon - 1)) {
    const std::string_view scope = name.substr(0, colon);
    std::set<std::string_view> found;
    for (const std::string& candidate : scan.scopes)
      if (ends_in_name(candidate, scope)) found.insert(candidate);
    if (found.contains(scope)) return base::format("{}{}", name, wanted.arguments);
    if (found.size() == 1 && !wanted.is_global)
      return base::format("{}{}{}", *found.begin(), name.substr(colon), wanted.arguments);
  }
  return {};
}

EntryChoice choose_named(const SourceScan& scan, const Wanted& wanted, std::string_view spelling) {
  const Functions all = named_functions(scan);
  const auto is_exactly = [&](const FunctionFound* f) { return f->name == wanted.name; };
  const auto is_tail = [&](const FunctionFound* f) { return ends_in_name(f->name, wanted.name); };
  Functions matching = select(all, is_exactly);
  if (matching.empty() && !wanted.is_global) matching = select(all, is_tail);
  if (!wanted.arguments.empty()) matching = select(matching, [](const FunctionFound* f) { return f->is_template; });

  const Functions defined = select(matching, is_definition);
  const Functions fitting = select(defined, is_callable);
  if (!fitting.empty()) return choose_among(fitting, all, wanted.arguments);
  if (!defined.empty()) return {EntryChoice::None, {}, false, worded(defined, unfit)};
  const std::vector<std::string> others = worded(select(select(all, is_definition), is_callable), listed);
  const bool is_variable = std::any_of(scan.variables.begin(), scan.variables.end(),
                                       [&](const std::string& name) { return ends_in_name(name, wanted.name); });
  const std::string member = name_in_scope(scan, wanted);
  if (!member.empty() && !is_variable) return {EntryChoice::Member, member, false, others};
  // Something may hide the wanted function: a macro or #if (scan.uncertain), a header, or a declaration without a
  // definition. The wanted name may also be that of a variable, which can hold a function object. In all other cases
  // the text shows every function that exists, so the wanted function does not exist.
  const bool is_hidden = scan.uncertain || is_variable || !matching.empty() || !scan.includes.empty();
  if (!is_hidden) return {EntryChoice::None, {}, false, others};
  return {EntryChoice::Unsure, std::string(spelling), false, others};
}

// Returns the number of insertions, deletions, substitutions and swaps of adjacent letters that turn `a` into `b`,
// ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  const auto same = [&](char x, char y) { return lower(x) == lower(y); };
  std::vector<std::size_t> two_back, back, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_back = std::exchange(back, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({back[j] + 1, row[j - 1] + 1, back[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], two_back[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string canonical_entry(std::string_view entry) {
  const auto is_of_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
  };
  const Tokens tokens = tokenize(entry);
  std::string text;
  for (const Token& token : tokens.list) {
    if (token.text.empty() || (text.empty() && token.is("::"))) continue;
    if (!text.empty() && is_of_word(text.back()) && is_of_word(token.text.front())) text += ' ';
    text += token.text;
  }
  return text;
}

std::string_view unqualified(std::string_view name) {
  const std::size_t colon = name.substr(0, name.find('<')).rfind("::");
  return colon == std::string_view::npos ? name : name.substr(colon + 2);
}

bool ends_in_name(std::string_view name, std::string_view tail) {
  return name == tail || (name.ends_with(tail) && name.substr(0, name.size() - tail.size()).ends_with("::"));
}

EntryChoice choose_entry(const SourceScan& scan, std::string_view wanted) {
  const Tokens tokens = tokenize(wanted);
  if (tokens.list.empty()) return choose_unasked(scan);
  const std::string spelling = spaced_text(tokens.list);
  const std::optional<Wanted> name = parse_wanted(tokens.list);
  if (!name) return {EntryChoice::Found, spelling, false, {}};
  return choose_named(scan, *name, spelling);
}

std::string nearest(std::string_view wanted, std::span<const std::string> candidates) {
  const std::string_view name = unqualified(wanted.substr(0, wanted.find('<')));
  std::string_view best;
  std::size_t limit = std::min<std::size_t>(3, name.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    const std::string_view other = std::string_view(candidate).substr(0, candidate.find(' '));
    const std::size_t distance = edit_distance(name, unqualified(other));
    if (distance >= limit) continue;
    limit = distance;
    best = other;
  }
  return std::string(best);
}

}  // namespace graft::reflect
