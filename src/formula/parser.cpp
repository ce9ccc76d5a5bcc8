// A parser by recursive descent, with one function for all binary operators (precedence climbing). Each thing inside
// another one passes a Nesting, which counts and bounds the recursion.
#include "formula/parser.hpp"

#include <array>
#include <utility>

#include "base/format.hpp"
#include "formula/bounds.hpp"
#include "formula/elsewhere.hpp"
#include "formula/functions.hpp"

namespace graft::formulas {
namespace {

constexpr int kComparison = 4;
constexpr int kEquality = 3;

// How tightly a binary operator binds, or 0 for other tokens. The power is no binary operator here, because it binds
// from the right.
constexpr int precedence_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::Or:
      return 1;
    case TokenKind::And:
      return 2;
    case TokenKind::Equal:
    case TokenKind::NotEqual:
      return kEquality;
    case TokenKind::Less:
    case TokenKind::LessEqual:
    case TokenKind::Greater:
    case TokenKind::GreaterEqual:
      return kComparison;
    case TokenKind::Plus:
    case TokenKind::Minus:
      return 5;
    case TokenKind::Times:
    case TokenKind::Divide:
    case TokenKind::FloorDivide:
    case TokenKind::Remainder:
      return 6;
    default:
      return 0;
  }
}

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
    } while (take(TokenKind::Semicolon));
    if (!is(TokenKind::End)) fail_here();
    for (const Statement& one : tree_.statements)
      if (tree_.statements.size() > 1 && one.name.empty())
        fail_at(tree_.text, one.place, "a formula with several outputs names each of them", "y = ...; z = ...");
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

  // Fails because the token here cannot stand here.
  [[noreturn]] void fail_here() const {
    if (is(TokenKind::End)) fail_at(tree_.text, here().place(), "the formula ends too early");
    if (is(TokenKind::Assign) && open_calls_ > 0)
      fail_at(tree_.text, here().place(), "the arguments of functions have no names in a formula", "==");
    if (is(TokenKind::Assign))
      fail_at(tree_.text, here().place(), "`=` names an output, at the beginning of a formula", "==");
    if (is_member()) fail_member({}, here(), tokens_[at_ + 1]);
    const std::string near = in_quotes(text_of(here()));
    const bool is_value = is(TokenKind::Name) || is(TokenKind::Number) || is(TokenKind::Open);
    if (!is_value) fail_at(tree_.text, here().place(), near + " cannot stand here");
    if (is(TokenKind::Name)) fail_if_word(here());
    if (at_ > 0) fail_if_word(tokens_[at_ - 1]);
    fail_at(tree_.text, here().place(), "an operator is missing before " + near);
  }
  // Whether here is ".max()" or ".real".
  bool is_member() const {
    if (!is(TokenKind::Dot) || tokens_[at_ + 1].kind != TokenKind::Name) return false;
    return tokens_[at_ + 2].kind == TokenKind::Open || find_function(text_of(tokens_[at_ + 1])) != nullptr;
  }
  // Fails if a name that stands where none can stand is a word of Python or C.
  void fail_if_word(const Token& token) const {
    const std::string_view word = text_of(token);
    const Elsewhere* const known = word_elsewhere(word);
    if (known == nullptr) return;
    const std::string_view why = known->why.empty() ? " is no operator of formulas" : known->why;
    fail_at(tree_.text, token.place(), in_quotes(word) + std::string(why), std::string(known->here));
  }
  // Fails because of "np.sqrt(x)", "x.max()" or "(x + 1).real". `object` is empty if no name stands before the point.
  [[noreturn]] void fail_member(std::string_view object, const Token& first, const Token& member) const {
    const Place place{first.offset, member.offset + member.length - first.offset};
    const Advice advice = advice_on_method(object, text_of(member));
    fail_at(tree_.text, place, advice.what, advice.suggestion);
  }
  void expect(TokenKind kind, std::string_view symbol) {
    if (take(kind)) return;
    if (is(TokenKind::End)) fail_at(tree_.text, here().place(), base::format("`{}` is missing at the end", symbol));
    fail_here();
  }

  NodeIndex add(Node node, std::span<const NodeIndex> operands) {
    node.first = static_cast<std::uint32_t>(tree_.operands.size());
    node.count = static_cast<std::uint32_t>(operands.size());
    tree_.operands.insert(tree_.operands.end(), operands.begin(), operands.end());
    tree_.nodes.push_back(node);
    return static_cast<NodeIndex>(tree_.nodes.size() - 1);
  }

  void statement() {
    Statement one{.name = {}, .place = here().place()};
    if (is(TokenKind::Name) && tokens_[at_ + 1].kind == TokenKind::Assign) {
      one.name = text_of(here());
      at_ += 2;
    }
    if (tree_.statements.size() == kMostOutputs)
      fail_at(tree_.text, one.place, base::format("the formula has more than {} outputs", kMostOutputs));
    one.value = expression();
    tree_.statements.push_back(one);
  }

  NodeIndex expression() {
    const Nesting nesting(*this);
    const NodeIndex condition = binary(1);
    if (!is(TokenKind::Question)) return condition;
    const Place place = here().place();
    ++at_;
    const NodeIndex yes = expression();
    expect(TokenKind::Colon, ":");
    const NodeIndex no = expression();
    return add({.kind = NodeKind::Conditional, .place = place}, std::array{condition, yes, no});
  }

  // Parses operators that bind at least as tightly as `least`.
  NodeIndex binary(int least) {
    NodeIndex left = unary();
    int comparison = 0;  // the precedence of the operator before, if it is a comparison
    while (true) {
      const Token& token = here();
      const int precedence = precedence_of(token.kind);
      if (precedence == 0 || precedence < least) return left;
      if (precedence == comparison)
        fail_at(tree_.text, token.place(), "comparisons in a row mean different things to different people",
                "a < b && b < c");
      ++at_;
      const NodeIndex right = binary(precedence + 1);
      left = add({.kind = NodeKind::Binary, .symbol = token.kind, .place = token.place()}, std::array{left, right});
      comparison = precedence == kComparison || precedence == kEquality ? precedence : 0;
    }
  }

  NodeIndex unary() {
    if (!is(TokenKind::Minus) && !is(TokenKind::Plus) && !is(TokenKind::Not)) return power();
    const Nesting nesting(*this);
    const Token& token = here();
    ++at_;
    const NodeIndex operand = unary();
    return add({.kind = NodeKind::Unary, .symbol = token.kind, .place = token.place()}, std::array{operand});
  }

  NodeIndex power() {
    const NodeIndex base = primary();
    if (!is(TokenKind::Power)) return base;
    const Nesting nesting(*this);
    const Token& token = here();
    ++at_;
    const NodeIndex exponent = unary();
    return add({.kind = NodeKind::Binary, .symbol = token.kind, .place = token.place()}, std::array{base, exponent});
  }

  NodeIndex primary() {
    const Token& token = here();
    if (take(TokenKind::Number))
      return add({.kind = NodeKind::Number, .place = token.place(), .text = text_of(token)}, {});
    if (take(TokenKind::Open)) {
      const NodeIndex inner = expression();
      expect(TokenKind::Close, ")");
      return inner;
    }
    if (!take(TokenKind::Name)) fail_no_value();
    if (is(TokenKind::Open)) return call(token);
    if (!take(TokenKind::Dot)) return add({.kind = NodeKind::Name, .place = token.place(), .text = text_of(token)}, {});
    const Token& field = here();
    if (!take(TokenKind::Name)) fail_here();
    if (is(TokenKind::Open)) fail_member(text_of(token), token, field);
    const Place place{token.offset, field.offset + field.length - token.offset};
    return add({.kind = NodeKind::Field, .place = place, .text = text_of(token), .field = text_of(field)}, {});
  }

  [[noreturn]] void fail_no_value() const {
    if (is(TokenKind::End)) fail_if_changed();
    if (is(TokenKind::End) || is(TokenKind::Assign)) fail_here();
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

  NodeIndex call(const Token& name) {
    if (++calls_ > kMostCalls)
      fail_at(tree_.text, name.place(), base::format("the formula has more than {} calls", kMostCalls));
    ++at_;
    ++open_calls_;
    std::vector<NodeIndex> arguments;
    if (!is(TokenKind::Close)) {
      do {
        arguments.push_back(expression());
      } while (take(TokenKind::Comma));
    }
    expect(TokenKind::Close, ")");
    --open_calls_;
    return add({.kind = NodeKind::Call, .place = name.place(), .text = text_of(name)}, arguments);
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::size_t calls_ = 0;
  std::size_t open_calls_ = 0;
  Tree tree_;
};

std::string text_of_node(const Tree& tree, const Node& node, const std::vector<std::string>& texts) {
  const std::span<const NodeIndex> operands = tree.operands_of(node);
  const std::string_view symbol = tree.text.substr(node.place.offset, node.place.length);
  switch (node.kind) {
    case NodeKind::Number:
    case NodeKind::Name:
    case NodeKind::Field:
    case NodeKind::Weak:
      return std::string(symbol);
    case NodeKind::Unary:
      return base::format("({}{})", symbol, texts[operands[0]]);
    case NodeKind::Binary:
      return base::format("({} {} {})", texts[operands[0]], symbol, texts[operands[1]]);
    case NodeKind::Conditional:
      return base::format("({} ? {} : {})", texts[operands[0]], texts[operands[1]], texts[operands[2]]);
    case NodeKind::Call:
      break;
  }
  std::vector<std::string> arguments;
  for (const NodeIndex operand : operands) arguments.push_back(texts[operand]);
  return base::format("{}({})", node.text, base::join(arguments, ", "));
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
    statements.push_back((one.name.empty() ? "" : std::string(one.name) + " = ") + texts[one.value]);
  return base::join(statements, "; ");
}

}  // namespace graft::formulas
