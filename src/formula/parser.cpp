// A parser by recursive descent, with one function for all binary operators (precedence climbing). Each thing inside
// another one passes a Nesting, which counts and bounds the recursion.
#include "formula/parser.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "base/shown_piece.hpp"
#include "formula/bit_operators.hpp"
#include "formula/bounds.hpp"
#include "formula/cpp_statements.hpp"
#include "formula/elsewhere.hpp"
#include "formula/functions.hpp"
#include "formula/in_place.hpp"
#include "formula/is_among.hpp"
#include "formula/precedence.hpp"

namespace graft::formulas {
namespace {

constexpr bool is_shift(TokenKind kind) {
  return kind == TokenKind::ShiftLeft || kind == TokenKind::ShiftRight;
}
constexpr bool is_bit_operator(TokenKind kind) {
  return kind == TokenKind::BitAnd || kind == TokenKind::BitOr;
}

constexpr std::string_view kNoKeywords =
    "the arguments of functions have no names in a formula: give all of them in their order";

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(tokenize(text)) {
    tree_.text = text;
    tree_.nodes.reserve(tokens_.size());
    tree_.operands.reserve(tokens_.size());
  }

  Tree parse() {
    if (is(TokenKind::End)) fail_at(tree_.text, {0, 0}, "the formula is empty");
    do {
      if (!tree_.statements.empty() && is(TokenKind::End)) break;  // behind a last semicolon
      statement();
    } while (is_next_statement());
    if (!is(TokenKind::End)) fail_here();
    if (!tree_.statements.back().is_output)
      fail_at(tree_.text, tree_.statements.back().place, "a formula ends with an output, and `let` names none");
    for (const Statement& one : tree_.statements)
      if (tree_.output_count() > 1 && one.name.empty()) fail_unnamed(one);
    return std::move(tree_);
  }

 private:
  // Something inside something else.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMostDepth + 1)
        fail_at(parser_.tree_.text, parser_.here().place(),
                base::format("the formula is nested more than {} deep", kMostDepth));
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  const Token& here() const { return tokens_[at_]; }
  bool is(TokenKind kind) const { return here().kind == kind; }
  bool take(TokenKind kind) {
    if (!is(kind)) return false;
    ++at_;
    return true;
  }
  std::string_view text_of(const Token& token) const { return token.in(tree_.text); }

  bool is_word(std::string_view word) const { return is(TokenKind::Name) && text_of(here()) == word; }
  const Token& before() const { return tokens_[at_ - 1]; }
  TokenKind next_kind() const { return is(TokenKind::End) ? TokenKind::End : tokens_[at_ + 1].kind; }
  std::string text_of_node(NodeIndex node) const { return to_text(tree_, node); }
  std::vector<std::string> texts_of(std::span<const NodeIndex> nodes) const {
    std::vector<std::string> texts;
    for (const NodeIndex node : nodes.first(std::min(nodes.size(), kMostFilledIn))) texts.push_back(text_of_node(node));
    return texts;
  }

  // Whether another statement follows: behind a semicolon, or in a new line, where no expression goes on with a name.
  bool is_next_statement() {
    if (take(TokenKind::Semicolon)) return true;
    return is_new_line() && (is(TokenKind::Name) || is(TokenKind::Number));
  }
  bool is_new_line() const {
    const std::size_t end = before().offset + before().length;
    return tree_.text.substr(end, here().offset - end).find('\n') != std::string_view::npos;
  }

  // Fails because of "t = x * x; t + 1", whose t is no output, and of "x; y".
  [[noreturn]] void fail_unnamed(const Statement& unnamed) const {
    const std::string with_let = &unnamed == &tree_.statements.back() ? text_with_let() : std::string();
    if (with_let.empty())
      fail_at(tree_.text, unnamed.place, "a formula with several outputs names each of them", "y = a; z = b");
    const bool is_piece = with_let.size() <= base::kLongestPiece && with_let.find_first_of("#\n\r\t") == with_let.npos;
    fail_at(tree_.text, unnamed.place,
            "a formula with several outputs names each of them, and a value that is none has `let` before its name",
            is_piece ? with_let : "let t = x * x; t + 1");
  }
  // The formula with all names but outputs of a single one; empty if one of them is used by nothing.
  std::string text_with_let() const {
    std::vector<std::string> statements;
    for (const Statement& one : tree_.statements) {
      const Place whole = tree_.nodes[one.value].whole;
      const std::string_view value = tree_.text.substr(whole.offset, whole.length);
      const auto names_it = [&](const Node& node) { return node.kind == NodeKind::Name && node.text == one.name; };
      if (!one.name.empty() && std::ranges::none_of(tree_.nodes, names_it)) return {};
      statements.push_back(one.name.empty() ? std::string(value) : base::format("let {} = {}", one.name, value));
    }
    return base::join(statements, "; ");
  }

  // Fails because the token here cannot stand here.
  [[noreturn]] void fail_here() const {
    fail_if_comment_here();
    if (is(TokenKind::End)) fail_at(tree_.text, here().place(), "the formula ends too early");
    if (is(TokenKind::Assign) && open_calls_ > 0) fail_at(tree_.text, here().place(), std::string(kNoKeywords));
    if (is(TokenKind::Assign))
      fail_at(tree_.text, here().place(), "`=` names an output, at the beginning of a formula", "x == y");
    if (is(TokenKind::Comma) && open_calls_ == 0)
      fail_at(tree_.text, here().place(), "`,` separates arguments of functions, and several outputs have names",
              "a = x; b = y");
    const std::string near = in_quotes(text_of(here()));
    const bool is_value = is(TokenKind::Name) || is(TokenKind::Number) || is(TokenKind::Open);
    if (!is_value) fail_at(tree_.text, here().place(), near + " cannot stand here");
    if (is(TokenKind::Name)) fail_if_word(here());
    if (at_ > 0) fail_if_word(before());
    fail_at(tree_.text, here().place(), "an operator is missing before " + near);
  }
  // A comment of C++ may end with a mark.
  void fail_if_comment_here() const {
    constexpr TokenKind kMarks[] = {TokenKind::Not, TokenKind::Question, TokenKind::Dot, TokenKind::Colon};
    if (is(TokenKind::End) && (at_ == 0 || !is_among(kMarks, before().kind))) return;
    const Token* const comment = comment_of_cpp(std::span(tokens_).first(at_), tree_.text, here().offset);
    if (comment == nullptr || is(TokenKind::Comma)) return;
    fail_at(tree_.text, comment->place(),
            "`//` is the floor division, and no formula follows it; comments begin with `#`", "#");
  }
  // "sin^2(x)" of mathematicians is sin(x)^2.
  std::string power_of_function() const {
    if (at_ < 3) return {};
    const std::string_view name = text_of(tokens_[at_ - 3]);
    if (tokens_[at_ - 2].kind != TokenKind::Power || find_function(name) == nullptr) return {};
    return base::format("{}(x)^{}", name, text_of(before()));
  }
  // Fails if a name that stands where none can stand is a word of Python or C.
  void fail_if_word(const Token& token) const {
    const std::string_view word = text_of(token);
    const Elsewhere* const known = word_elsewhere(word);
    if (known == nullptr) return;
    const std::string_view why = known->why.empty() ? " is no operator of formulas" : known->why;
    fail_at(tree_.text, token.place(), in_quotes(word) + std::string(why), std::string(known->here));
  }
  // Fails because of "x.max()" or "(x + 1).real", whose point is here, and whose object begins with the token `first`.
  // `place` is that of the object, if it is a name.
  [[noreturn]] void fail_member(std::size_t first, const std::string& object, const std::optional<Place>& place) {
    const Token point = here();
    ++at_;
    const Token method = here();
    if (!take(TokenKind::Name)) fail_here();
    std::vector<NodeIndex> given;
    if (is(TokenKind::Open)) given = arguments(first, method);
    const std::size_t begin = place ? place->offset : point.offset;
    const Advice advice = advice_on_method(object, text_of(method), texts_of(given));
    fail_at(tree_.text, {begin, method.offset + method.length - begin}, advice.what,
            in_place(tree_.text, since(first), advice.suggestion));
  }
  // Fails because of "np.finfo(np.float32).eps", whose point is here, and whose call formulas do not have.
  void fail_if_property(NodeIndex object) const {
    const Node& node = tree_.nodes[object];
    const Elsewhere* const known = node.kind == NodeKind::Call ? name_elsewhere(node.text) : nullptr;
    if (known == nullptr || known->why.empty()) return;
    fail_at(tree_.text, node.place, advice_on_name(*known, node.text, {}).what);
  }
  // Whether here is ".max()" or ".real".
  bool is_member() const {
    if (!is(TokenKind::Dot) || next_kind() != TokenKind::Name) return false;
    const std::string_view name = text_of(tokens_[at_ + 1]);
    return tokens_[at_ + 2].kind == TokenKind::Open || find_function(name) != nullptr ||
           property_elsewhere(name) != nullptr;
  }
  void expect(TokenKind kind, std::string_view symbol) {
    if (take(kind)) return;
    if (is(TokenKind::End)) fail_at(tree_.text, here().place(), base::format("`{}` is missing at the end", symbol));
    fail_here();
  }

  // What stands between the beginning of a token and here.
  Place since(std::size_t first) const {
    const std::size_t begin = tokens_[first].offset;
    return {begin, before().offset + before().length - begin};
  }

  // Adds a node that begins with the token `first` and ends here.
  NodeIndex add(std::size_t first, Node node, std::span<const NodeIndex> operands) {
    node.whole = since(first);
    node.first = static_cast<std::uint32_t>(tree_.operands.size());
    node.count = static_cast<std::uint32_t>(operands.size());
    tree_.operands.insert(tree_.operands.end(), operands.begin(), operands.end());
    tree_.nodes.push_back(node);
    return static_cast<NodeIndex>(tree_.nodes.size() - 1);
  }

  // Fails because of "float d = x - y" and of "if (x > 0) y = x; else y = -x".
  void fail_if_cpp_statement() const {
    const std::span<const Token> rest = std::span(tokens_).subspan(at_);
    if (is_if_statement(rest, tree_.text)) {
      const std::string suggestion = formula_of_statements(tree_.text);
      fail_at(tree_.text, here().place(), "`if`" + said_of_if(suggestion), suggestion);
    }
    const std::size_t words = words_of_declaration(rest, tree_.text);
    if (words == 0) return;
    const Token& name = rest[words];
    const Place place{here().offset, std::size_t{name.offset} + name.length - here().offset};
    fail_at(tree_.text, place,
            base::format("{} declares a variable, which is `let {} = ...` in a formula",
                         in_quotes(tree_.text.substr(place.offset, place.length)), base::shortened(text_of(name))),
            formula_of_statements(tree_.text));
  }

  void statement() {
    if (is(TokenKind::Name)) fail_if_cpp_statement();
    Statement one{.name = {}, .place = here().place()};
    if (is_word("let") && next_kind() == TokenKind::Name) {
      one.is_output = false;
      ++at_;
      if (next_kind() != TokenKind::Assign)
        fail_at(tree_.text, one.place, "`let` names a value", "let t = x * x; t + 1");
    }
    if (is(TokenKind::Name) && next_kind() == TokenKind::Assign) {
      one.place = here().place();
      one.name = text_of(here());
      at_ += 2;
    }
    if (one.is_output && tree_.output_count() == kMostOutputs)
      fail_at(tree_.text, one.place, base::format("the formula has more than {} outputs", kMostOutputs));
    one.value = expression();
    tree_.statements.push_back(one);
  }

  NodeIndex expression() {
    const Nesting nesting(*this);
    const std::size_t begin = at_;
    const NodeIndex first = binary(kOr);
    const Place place = here().place();
    if (take(TokenKind::Question)) {
      const NodeIndex yes = expression();
      expect(TokenKind::Colon, ":");
      const NodeIndex no = expression();
      return add(begin, {.kind = NodeKind::Conditional, .place = place}, std::array{first, yes, no});
    }
    if (!is_word("if")) return first;
    ++at_;
    const NodeIndex condition = binary(kOr);
    if (!is_word("else")) fail_at(tree_.text, place, "`if` has no `else` behind it", "x if c else y");
    ++at_;
    const NodeIndex no = expression();
    return add(begin, {.kind = NodeKind::Conditional, .place = place}, std::array{condition, first, no});
  }

  // Parses operators that bind at least as tightly as `least`.
  NodeIndex binary(int least) {
    const std::size_t first = at_;
    NodeIndex left = least <= kEquality && is_negation() ? negation() : unary();
    int comparison = 0;  // the precedence of the operator before, if it is a comparison
    while (true) {
      const Token& token = here();
      const TokenKind symbol = binary_operator_of(token, tree_.text);
      const int precedence = precedence_of(symbol);
      if (precedence == 0 || precedence < least) return left;
      ++at_;
      const NodeIndex right = binary(precedence + 1);
      if (precedence == comparison) fail_chain(first, left, token, right);
      if (is_shift(symbol)) fail_shift(first, left, token, right);
      left = add(first, {.kind = NodeKind::Binary, .symbol = symbol, .place = token.place()}, std::array{left, right});
      comparison = precedence == kComparison || precedence == kEquality ? precedence : 0;
    }
  }

  // Fails because of "a < b < c", or of "a < b & c < d", whose & binds more tightly. `left` is the first comparison.
  [[noreturn]] void fail_chain(std::size_t begin, NodeIndex left, const Token& second, NodeIndex right) const {
    const Node& first = tree_.nodes[left];
    const std::span<const NodeIndex> compared = tree_.operands_of(first);
    const std::string a = text_of_node(compared[0]);
    const std::string b = text_of_node(compared[1]);
    const std::string d = text_of_node(right);
    const bool is_longer =
        is_comparison(here().kind) || is_bit_operation(right, here()) || a.empty() || b.empty() || d.empty();
    const auto meant = [&](std::string_view example, const std::string& row) {
      return is_longer ? std::string(example) : in_place(tree_.text, since(begin), row);
    };
    const std::string_view symbols[] = {symbol_text(first.symbol), symbol_text(second.kind)};
    if (!is_bit_operation(compared[1], second))
      fail_at(tree_.text, second.place(), "comparisons in a row mean different things to different people",
              meant("a < b && b < c", base::format("{0} {1} {2} && {2} {3} {4}", a, symbols[0], b, symbols[1], d)));
    const Node& middle = tree_.nodes[compared[1]];
    const std::span<const NodeIndex> joined = tree_.operands_of(middle);
    const std::string_view joint = symbol_text(middle.symbol);
    fail_at(tree_.text, middle.place,
            base::format("`{}` binds more tightly than comparisons, as in Python: put these in parentheses", joint),
            meant(base::format("(a < b) {} (c < d)", joint),
                  base::format("({} {} {}) {} ({} {} {})", a, symbols[0], text_of_node(joined[0]), joint,
                               text_of_node(joined[1]), symbols[1], d)));
  }
  // Whether a node is "a & b" without parentheses, and ends before a token.
  bool is_bit_operation(NodeIndex i, const Token& behind) const {
    const Node& node = tree_.nodes[i];
    const std::size_t end = node.whole.offset + node.whole.length;
    return node.kind == NodeKind::Binary && is_bit_operator(node.symbol) &&
           tree_.text.substr(end, behind.offset - end).find(')') == std::string_view::npos;
  }

  [[noreturn]] void fail_shift(std::size_t first, NodeIndex left, const Token& token, NodeIndex right) const {
    const bool is_left = token.kind == TokenKind::ShiftLeft;
    const std::string arguments[] = {text_of_node(left), text_of_node(right)};
    const std::string said = in_quotes(text_of(token)) + " is no operator of formulas";
    if (has_caret(tree_, since(first)))
      fail_at(tree_.text, token.place(), "formulas have no " + in_quotes(text_of(token)) + std::string(kCaret));
    fail_at(tree_.text, token.place(), said,
            in_place(tree_.text, since(first), filled_in(is_left ? "x * 2 ^ y" : "x // 2 ^ y", arguments)));
  }

  // Whether `not` is here, and no variable of this name.
  bool is_negation() const {
    if (!is_word("not")) return false;
    const TokenKind next = next_kind();
    return next == TokenKind::Name || next == TokenKind::Number || next == TokenKind::Open || next == TokenKind::Not ||
           next == TokenKind::BitNot;
  }
  NodeIndex negation() {
    const Nesting nesting(*this);
    const std::size_t first = at_;
    const Place place = here().place();
    ++at_;
    const NodeIndex operand = binary(kEquality);
    return add(first, {.kind = NodeKind::Unary, .symbol = TokenKind::Not, .place = place}, std::array{operand});
  }

  NodeIndex unary() {
    if (!is(TokenKind::Minus) && !is(TokenKind::Plus) && !is(TokenKind::Not) && !is(TokenKind::BitNot)) return power();
    const Nesting nesting(*this);
    const std::size_t first = at_;
    const Token& token = here();
    ++at_;
    const NodeIndex operand = unary();
    return add(first, {.kind = NodeKind::Unary, .symbol = token.kind, .place = token.place()}, std::array{operand});
  }

  NodeIndex power() {
    const std::size_t first = at_;
    const NodeIndex base = primary();
    if (is(TokenKind::Dot)) fail_if_property(base);
    if (is_member()) fail_member(first, text_of_node(base), {});
    if (!is(TokenKind::Power)) return base;
    const Nesting nesting(*this);
    const Token& token = here();
    ++at_;
    const NodeIndex exponent = unary();
    return add(first, {.kind = NodeKind::Binary, .symbol = token.kind, .place = token.place()},
               std::array{base, exponent});
  }

  NodeIndex primary() {
    if (is(TokenKind::Number)) return number();
    const std::size_t open = at_;
    if (take(TokenKind::Open)) {
      fail_if_cast_of_words(open);
      const NodeIndex inner = expression();
      expect(TokenKind::Close, ")");
      fail_if_cast(open, inner);
      return inner;
    }
    if (!is(TokenKind::Name)) fail_no_value();
    return named();
  }

  // "0.5", and "2j", which is complex(0, 2).
  NodeIndex number() {
    const std::size_t first = at_;
    const Token& token = here();
    std::string_view digits = text_of(token);
    ++at_;
    const bool is_imaginary = digits.back() == 'j' || digits.back() == 'J';
    if (is_imaginary) digits.remove_suffix(1);
    const auto literal = [&](std::string_view text) {
      return add(first, {.kind = NodeKind::Number, .place = token.place(), .text = text}, {});
    };
    if (is(TokenKind::Open)) fail_product(first);
    if (!is_imaginary) return literal(digits);
    const NodeIndex real = literal("0");
    const NodeIndex imaginary = literal(digits);
    return add(first, {.kind = NodeKind::Call, .place = token.place(), .text = "complex", .is_built_in = true},
               std::array{real, imaginary});
  }

  // Fails because of "2(x + 1)", whose number is the token `first`.
  [[noreturn]] void fail_product(std::size_t first) {
    const Place place = here().place();
    if (const std::string power = power_of_function(); !power.empty())
      fail_at(tree_.text, place, "an operator is missing before `(`", power);
    const std::string factors[] = {std::string(text_of(tokens_[first])), text_of_node(power())};
    fail_at(tree_.text, place, "an operator is missing before `(`",
            in_place(tree_.text, since(first), filled_in("x * y", factors)));
  }

  // Fails because of "(int)x", if `inner` is in the parentheses between the token `open` and here.
  void fail_if_cast(std::size_t open, NodeIndex inner) {
    const Node& node = tree_.nodes[inner];
    const bool is_value = is(TokenKind::Name) || is(TokenKind::Number) || is(TokenKind::Open);
    if (node.kind != NodeKind::Name || !is_value || is_new_line()) return;
    const std::string_view word = node.text;
    if (!type_in_c(word).empty() || is_type_parameter(word)) fail_cast(open, node.place, word, type_in_c(word));
  }

  // Fails because of "(unsigned char)x", whose words begin here.
  void fail_if_cast_of_words(std::size_t open) {
    const std::size_t first = at_;
    std::size_t end = first;
    while (tokens_[end].kind == TokenKind::Name) ++end;
    if (end - first < 2 || tokens_[end].kind != TokenKind::Close) return;
    const std::string_view type = type_of_words(std::span(tokens_).subspan(first, end - first), tree_.text);
    if (type.empty()) return;
    at_ = end;
    const Place place = since(first);
    ++at_;
    fail_cast(open, place, {}, type);
  }

  // Fails because of "static_cast<float>(x)", whose first word is before here, and whose `<` is perhaps here.
  void fail_if_cpp_cast() {
    constexpr std::string_view kCasts[] = {"bit_cast", "const_cast", "dynamic_cast", "reinterpret_cast", "static_cast"};
    const std::string_view cast = text_of(before());
    if (!is(TokenKind::Less) || !is_among(kCasts, cast)) return;
    const std::size_t open = at_ - 1;
    const auto belongs = [](TokenKind kind) {
      return kind == TokenKind::Name || kind == TokenKind::Times || kind == TokenKind::BitAnd;  // of pointers
    };
    std::size_t end = at_ + 1;
    while (belongs(tokens_[end].kind)) ++end;
    if (tokens_[end].kind != TokenKind::Greater || tokens_[end + 1].kind != TokenKind::Open) return;
    const std::span<const Token> words = std::span(tokens_).subspan(at_ + 1, end - at_ - 1);
    const std::string_view type = type_of_words(words, tree_.text);
    const std::string_view word = words.size() == 1 ? text_of(words.front()) : std::string_view();
    at_ = end + 1;
    const Place place = since(open);
    if (cast == "static_cast" && (!type.empty() || is_type_parameter(word))) fail_cast(open, place, word, type);
    fail_at(tree_.text, place,
            in_quotes(tree_.text.substr(place.offset, place.length)) +
                " is a cast that formulas do not have: write a callback in CUDA C++");
  }

  // Fails because of a cast of C++, whose value begins here, and which begins with the token `first`. `type`: empty for
  // a type parameter, which is `word`.
  [[noreturn]] void fail_cast(std::size_t first, Place place, std::string_view word, std::string_view type) {
    const Nesting nesting(*this);
    const NodeIndex value = primary();
    const std::string operand[] = {text_of_node(value)};
    if (type.empty()) {
      const bool is_literal = tree_.nodes[value].kind == NodeKind::Number;
      const Advice advice = advice_on_type_parameter(word, is_literal ? operand[0] : std::string());
      fail_at(tree_.text, place, advice.what, advice.suggestion);
    }
    fail_at(tree_.text, place, "a cast has the value in the parentheses",
            in_place(tree_.text, since(first), filled_in(base::format("{}(x)", type), operand)));
  }

  // "x", "p.x", "max(x, y)", "np.max(x, y)", "np.pi", "x.max()".
  NodeIndex named() {
    const std::size_t begin = at_;
    const Token first = here();
    ++at_;
    if (is(TokenKind::Open)) return call(begin, first, {});
    fail_if_cpp_cast();
    if (!is(TokenKind::Dot))
      return add(begin, {.kind = NodeKind::Name, .place = first.place(), .text = text_of(first)}, {});
    const bool is_path = begins_library(text_of(first));
    Place object = first.place();
    while (true) {
      const std::size_t point = at_;
      ++at_;
      const Token member = here();
      if (!take(TokenKind::Name)) fail_here();
      const std::string_view path = tree_.text.substr(object.offset, object.length);
      const Place place{object.offset, member.offset + member.length - object.offset};
      if (is(TokenKind::Open)) {
        if (is_path) return call_of_library(begin, path, member, place);
        at_ = point;
        fail_member(begin, std::string(path), object);
      }
      if (is_path && is(TokenKind::Dot) && next_kind() == TokenKind::Name) {
        object = place;
        continue;
      }
      return add(begin, {.kind = NodeKind::Field, .place = place, .text = path, .field = text_of(member)}, {});
    }
  }

  // "np.sqrt(x)" and "scipy.special.erf(x)".
  NodeIndex call_of_library(std::size_t begin, std::string_view library, const Token& name, Place place) {
    const NodeIndex made = call(begin, name, place);
    if (!is_library(library))
      fail_at(tree_.text, place, in_quotes(library) + " is no library whose functions formulas know by their names");
    if (const Elsewhere* const other = other_meaning(library, text_of(name)))
      fail_at(
          tree_.text, place, in_quotes(tree_.text.substr(place.offset, place.length)) + std::string(other->why),
          in_place(tree_.text, since(begin), filled_in(other->here, texts_of(tree_.operands_of(tree_.nodes[made])))));
    return made;
  }

  [[noreturn]] void fail_no_value() const {
    fail_if_comment_here();
    if (is(TokenKind::FloorDivide))
      fail_at(tree_.text, here().place(),
              "`//` is the floor division, and no value stands before it; comments begin with `#`", "#");
    if (is(TokenKind::End)) fail_if_changed();
    if (is(TokenKind::End)) fail_here();
    fail_at(tree_.text, here().place(),
            base::format("a name, a number or `(` is missing before {}", in_quotes(text_of(here()))));
  }

  // Fails if the formula ends with "y++" or "y--".
  void fail_if_changed() const {
    if (at_ < 2 || tokens_[at_ - 1].kind != tokens_[at_ - 2].kind) return;
    const std::string_view sign = text_of(tokens_[at_ - 1]);
    if (sign != "+" && sign != "-") return;
    const bool has_name = at_ > 2 && tokens_[at_ - 3].kind == TokenKind::Name;
    fail_at(tree_.text, tokens_[at_ - 2].place(), "the formula ends too early",
            has_name ? base::format("{} {} 1", text_of(tokens_[at_ - 3]), sign) : std::string());
  }

  // `path`: the whole name, if it is one of a library's.
  NodeIndex call(std::size_t begin, const Token& name, const std::optional<Place>& path) {
    const Place place = path.value_or(name.place());
    if (++calls_ > kMostCalls)
      fail_at(tree_.text, place, base::format("the formula has more than {} calls", kMostCalls));
    const std::vector<NodeIndex> given = arguments(begin, name);
    const NamedOperator* const named = find_operator(text_of(name));
    return add(begin,
               {.kind = NodeKind::Call,
                .symbol = named == nullptr ? TokenKind::End : named->symbol,
                .place = place,
                .text = text_of(name),
                .is_built_in = path.has_value()},
               given);
  }

  // "(x, y)" of a call that begins with the token `begin`.
  std::vector<NodeIndex> arguments(std::size_t begin, const Token& function) {
    ++at_;
    ++open_calls_;
    std::vector<NodeIndex> given;
    if (!is(TokenKind::Close)) {
      do {
        given.push_back(expression());
        if (is(TokenKind::Assign)) fail_keyword(begin, function, given);
      } while (take(TokenKind::Comma));
    }
    expect(TokenKind::Close, ")");
    --open_calls_;
    return given;
  }

  // Fails because of "np.round(x, decimals=2)", whose `=` is here. `given` ends with the name before it.
  [[noreturn]] void fail_keyword(std::size_t begin, const Token& name, std::vector<NodeIndex>& given) {
    const Place place = here().place();
    const std::string keyword = text_of_node(given.back());
    ++at_;
    given.back() = expression();
    const bool is_last = take(TokenKind::Close);
    const std::vector<std::string> texts = texts_of(given);
    const Function* const function = find_function(text_of(name));
    if (const Elsewhere* const known = name_elsewhere(text_of(name)); function == nullptr && known != nullptr) {
      const Advice advice = advice_on_name(*known, text_of(name), texts);
      fail_at(tree_.text, name.place(), advice.what, in_place(tree_.text, since(begin), advice.suggestion));
    }
    const bool is_second = function != nullptr && given.size() == 2 && is_second_argument(function->name, keyword);
    const CallElsewhere* const call = is_second && is_last ? call_elsewhere(function->name, 2) : nullptr;
    if (call == nullptr) fail_at(tree_.text, place, std::string(kNoKeywords));
    fail_at(tree_.text, place, "the arguments of functions have no names in a formula" + std::string(call->why),
            in_place(tree_.text, since(begin), filled_in(call->here, texts)));
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::size_t calls_ = 0;
  std::size_t open_calls_ = 0;
  Tree tree_;
};

// The operator as one types it: words have others in formulas.
std::string_view operator_of(const Tree& tree, const Node& node) {
  const std::string_view typed = tree.text.substr(node.place.offset, node.place.length);
  return is_name(typed) ? symbol_text(node.symbol) : typed;
}

std::string text_of_node(const Tree& tree, const Node& node, std::span<const std::string> texts) {
  const std::span<const NodeIndex> operands = tree.operands_of(node);
  switch (node.kind) {
    case NodeKind::Number:
    case NodeKind::Name:
      return std::string(node.text);
    case NodeKind::Field:
      return base::format("{}.{}", node.text, node.field);
    case NodeKind::Weak:
      return std::string(tree.text.substr(node.place.offset, node.place.length));
    case NodeKind::Unary:
      return base::format("({}{})", operator_of(tree, node), texts[operands[0]]);
    case NodeKind::Binary:
      return base::format("({} {} {})", texts[operands[0]], operator_of(tree, node), texts[operands[1]]);
    case NodeKind::Conditional:
      return base::format("({} ? {} : {})", texts[operands[0]], texts[operands[1]], texts[operands[2]]);
    case NodeKind::Call:
      break;
  }
  std::vector<std::string> arguments;
  for (const NodeIndex operand : operands) arguments.push_back(texts[operand]);
  return base::format("{}({})", node.text, base::join(arguments, ", "));
}

// A piece of the formula's own text, which is dropped if it has lines or a comment.
std::string in_parentheses(const std::string& text) {
  return text.find_first_of("#\n") == text.npos ? "(" + text + ")" : std::string();
}

}  // namespace

Tree parse(std::string_view text) {
  return Parser(text).parse();
}

std::string to_text(const Tree& tree) {
  std::vector<std::string> texts;
  for (const Node& node : tree.nodes) texts.push_back(text_of_node(tree, node, texts));
  std::vector<std::string> statements;
  for (const Statement& one : tree.statements)
    statements.push_back((one.is_output ? "" : "let ") + (one.name.empty() ? "" : std::string(one.name) + " = ") +
                         texts[one.value]);
  return base::join(statements, "; ");
}

// The nodes below a node stand before it. A text that is too long is dropped, and with it those that would hold it.
std::string to_text(const Tree& tree, NodeIndex root) {
  std::vector<std::string> texts(root + std::size_t{1});
  std::vector<NodeIndex> pending = {root};
  std::vector<bool> is_below(texts.size());
  for (; !pending.empty();) {
    const NodeIndex i = pending.back();
    pending.pop_back();
    is_below[i] = true;
    for (const NodeIndex operand : tree.operands_of(tree.nodes[i])) pending.push_back(operand);
  }
  for (NodeIndex i = 0; i <= root; ++i) {
    if (!is_below[i]) continue;
    const auto is_dropped = [&](NodeIndex operand) { return texts[operand].empty(); };
    if (std::ranges::any_of(tree.operands_of(tree.nodes[i]), is_dropped)) continue;
    std::string text = text_of_node(tree, tree.nodes[i], texts);
    if (tree.nodes[i].kind == NodeKind::Weak && !is_name(text)) text = in_parentheses(text);
    if (text.size() <= base::kLongestPiece + 2) texts[i] = std::move(text);  // with parentheses
  }
  return texts[root];
}

}  // namespace graft::formulas
