// NameSearch reads the tokens once. For each word it looks at the tokens beside it; a stack of the open brackets shows
// whether the word is in an enumeration, in a structured binding, in the captures of a lambda, or in a list of
// declarators, and where a type in brackets ends: `decltype(x) lane`, `struct { int x; } lane`.
#include "reflect/declared_names.hpp"

#include <array>
#include <optional>
#include <vector>

#include "reflect/keywords.hpp"
#include "reflect/thread_vocabulary.hpp"

namespace graft::reflect {
namespace {

// Words that can stand in front of a name without being its type.
bool is_no_type(std::string_view word) {
  static constexpr std::array<std::string_view, 30> kWords = {
      "return", "else",  "do",        "case",     "goto",     "sizeof",   "alignof",  "throw",    "new",     "delete",
      "and",    "or",    "not",       "xor",      "bitand",   "bitor",    "compl",    "and_eq",   "or_eq",   "xor_eq",
      "not_eq", "using", "namespace", "template", "typename", "operator", "co_await", "co_yield", "default", "friend"};
  return is_among(kWords, word);
}

bool ends_declarator(const Token& token) {
  static constexpr std::array<std::string_view, 10> kEnds = {"=", ";", ",", ")", ":", "(", "[", "{", "}", ">"};
  return is_among(kEnds, token.text);
}

class NameSearch {
 public:
  explicit NameSearch(std::span<const Token> tokens) : tokens_(tokens) {}

  DeclaredNames run() {
    scopes_.emplace_back();
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      const Token& token = tokens_[at_];
      if (at_ > 0 && tokens_[at_ - 1].is("}") && !token.is(",")) scopes_.back().lists_names = false;
      if (token.is("enum")) next_brace_is_enum_ = true;
      if (is_class_key(token.text)) next_brace_is_class_ = true;
      if (token.is("(") || token.is("[") || token.is("{")) open(token);
      else if ((token.is(")") || token.is("]") || token.is("}")) && scopes_.size() > 1) close();
      else if (token.is(";")) scopes_.back().lists_names = next_brace_is_enum_ = next_brace_is_class_ = false;
      else if (token.kind == Token::Word) word(token);
    }
    // A name that is a variable for certain is no type: in `float f(float x) { g(x * lane); }`, `lane` is a factor.
    for (const auto& [type, name] : doubtful_)
      if (!found_.certain.contains(type)) found_.likely.insert(name);
    return std::move(found_);
  }

 private:
  // A pair of brackets.
  struct Scope {
    bool is_enum = false;
    bool is_binding = false;        // auto [a, b]
    bool is_capture = false;        // [a = 1, &b = c](int x) { ... }
    bool is_type = false;           // decltype(x), struct { ... }
    bool is_in_class_head = false;  // struct alignas(16) P { ... }
    bool takes_lists = true;        // a comma may be followed by one more declarator: int a, b;
    bool lists_names = false;       // the current statement has declared a name
  };
  struct Doubtful {
    std::string_view type;
    std::string_view name;
  };

  const Token* ahead(std::size_t count) const { return at_ + count < tokens_.size() ? &tokens_[at_ + count] : nullptr; }

  // Returns the index of the last token in front of `at` that is no `&`, `*` or qualifier of a pointer.
  std::optional<std::size_t> skip_pointers(std::size_t at) const {
    for (int steps = 0; at > 0 && steps < 8; ++steps) {  // with a bound, the time stays linear
      const Token& token = tokens_[--at];
      if (!token.is("&") && !token.is("*") && !token.is("__restrict__") && !token.is("const") && !token.is("volatile"))
        return at;
    }
    return std::nullopt;
  }

  // Whether a type may end at this place. `ns::T` may be a type, and `s.x` is none.
  bool may_be_type(std::size_t at) const {
    const Token& token = tokens_[at];
    const bool is_member = at > 0 && (tokens_[at - 1].is(".") || tokens_[at - 1].is("->"));
    return token.is(">") || (token.kind == Token::Word && !is_no_type(token.text) && !is_member);
  }

  void open(const Token& bracket) {
    Scope scope;
    if (bracket.is("{")) {
      scope.is_enum = next_brace_is_enum_;
      scope.is_type = next_brace_is_class_;
      next_brace_is_enum_ = next_brace_is_class_ = false;
    } else {
      scope.takes_lists = at_ > 0 && tokens_[at_ - 1].is("for");
    }
    if (bracket.is("(")) {
      const std::string_view before = at_ > 0 ? tokens_[at_ - 1].text : std::string_view();
      scope.is_type = before == "decltype" || before == "typeof" || before == "__typeof__";
      scope.is_in_class_head = next_brace_is_class_ && takes_arguments(before);
    }
    if (bracket.is("[")) {
      scope.is_in_class_head = next_brace_is_class_;
      const std::optional<std::size_t> type = skip_pointers(at_);
      scope.is_binding = type && tokens_[*type].is("auto");
      scope.is_capture = !scope.is_binding && !is_subscript();
    }
    scopes_.push_back(scope);
  }

  void close() {
    if (scopes_.back().is_type) end_of_type_ = at_;
    const bool is_in_class_head = scopes_.back().is_in_class_head;
    scopes_.pop_back();
    next_brace_is_enum_ = false;
    next_brace_is_class_ = is_in_class_head;
  }

  // Whether a bracket `[` here follows a value.
  bool is_subscript() const {
    if (at_ == 0) return false;
    const Token& before = tokens_[at_ - 1];
    return before.is(")") || before.is("]") || before.kind == Token::String ||
           (before.kind == Token::Word && !is_no_type(before.text));
  }

  void word(const Token& name) {
    Scope& scope = scopes_.back();
    if (is_declared(scope)) {
      found_.certain.insert(name.text);
      scope.lists_names = true;
    } else {
      note_doubtful(name);
    }
  }

  bool is_declared(const Scope& scope) const {
    if (at_ == 0) return false;
    const Token& before = tokens_[at_ - 1];
    const Token* const after = ahead(1);
    if (scope.is_binding) return true;
    if (scope.is_enum) return before.is("{") || before.is(",");
    if (after && !ends_declarator(*after)) return false;
    if (scope.is_capture && is_captured(before, after)) return true;
    if (before.is(".")) return at_ > 2 && tokens_[at_ - 2].is(".") && tokens_[at_ - 3].is(".");  // int... lanes
    if (before.is("::")) return is_used(after);
    if (at_ - 1 == end_of_type_) return true;
    if (before.kind == Token::Word) {
      if (before.is("using")) return after && after->is("=");
      // A class may be declared (`struct lane {`) or named as a type (`const struct lane& x`, which has another end).
      // A parameter of a template may be a class: `template <class lane, typename T = int>`.
      const bool ends_parameter = after && (after->is(",") || after->is(">") || after->is("="));
      if (before.is("typename") || (before.is("class") && ends_parameter)) return ends_parameter;
      if (is_class_key(before.text)) return after && (after->is("{") || after->is(":"));
      return !is_no_type(before.text) && !is_specifier(tokens_[at_].text) && !is_builtin_type(tokens_[at_].text);
    }
    if (is_next_in_list(scope)) return true;
    if (before.is(">")) return after && (after->is("=") || after->is("{") || is_struct_variable());
    if (!before.is("&") && !before.is("*")) return false;
    const std::optional<std::size_t> type = skip_pointers(at_);
    if (!type) return false;
    if (*type == end_of_type_ || is_in_brackets(*type, after)) return true;
    if (!may_be_type(*type)) return false;
    const bool is_qualified = *type > 0 && (tokens_[*type - 1].is("const") || tokens_[*type - 1].is("volatile"));
    return is_builtin_type(tokens_[*type].text) || is_qualified || is_struct_variable();
  }

  // Whether the word is a capture with an initialiser: `[lane = 3, &warp = w]`.
  static bool is_captured(const Token& before, const Token* after) {
    const bool begins = before.is("[") || before.is(",") || before.is("&") || before.is(".");
    return begins && after && (after->is("=") || after->is("{") || after->is("("));
  }

  // Whether the word ends a using-declaration: `using mine::lane;`.
  bool is_used(const Token* after) const {
    if (!after || (!after->is(";") && !after->is(","))) return false;
    std::size_t at = at_;
    for (int steps = 0; at > 0 && steps < 16; ++steps) {  // with a bound, the time stays linear
      const Token& token = tokens_[--at];
      if (token.is("using")) return true;
      if (!token.is("::") && token.kind != Token::Word) return false;
    }
    return false;
  }

  // Whether the word is the name of a pointer to a function or a reference to an array: `float (*lane)(float)`. `open`
  // is the index of the token in front of the pointer's `*`.
  bool is_in_brackets(std::size_t open, const Token* after) const {
    const Token* const next = ahead(2);
    return open > 0 && tokens_[open].is("(") && after && after->is(")") && next && (next->is("(") || next->is("[")) &&
           is_builtin_type(tokens_[open - 1].text);
  }

  // The variables threadIdx, blockIdx, blockDim and gridDim are structs, so nobody multiplies or compares them.
  bool is_struct_variable() const {
    return is_thread_variable(tokens_[at_].text) && !tokens_[at_].is("warpSize") && !ends_in_call();
  }
  bool ends_in_call() const { return ahead(1) && ahead(1)->is("("); }

  // Whether the word follows the comma of a list of declarators: `int a = 1, *b;`.
  bool is_next_in_list(const Scope& scope) const {
    if (!scope.lists_names || !scope.takes_lists) return false;
    std::size_t at = at_;
    while (at > 0 && (tokens_[at - 1].is("*") || tokens_[at - 1].is("&"))) --at;
    return at > 0 && tokens_[at - 1].is(",");
  }

  // Notes `lane` of `Type& lane)` and `Type<3> lane)`.
  void note_doubtful(const Token& name) {
    const Token* const after = ahead(1);
    if (after && (!ends_declarator(*after) || after->is("("))) return;
    if (at_ == 0) return;
    const Token& before = tokens_[at_ - 1];
    if (!before.is("&") && !before.is("*") && !before.is(">")) return;
    const std::optional<std::size_t> type = skip_pointers(at_);
    if (type && may_be_type(*type)) doubtful_.push_back({tokens_[*type].text, name.text});
  }

  std::span<const Token> tokens_;
  std::size_t at_ = 0;
  std::vector<Scope> scopes_;
  bool next_brace_is_enum_ = false;
  bool next_brace_is_class_ = false;
  std::size_t end_of_type_ = std::string_view::npos;  // the last bracket that ended a type
  std::vector<Doubtful> doubtful_;
  DeclaredNames found_;
};

}  // namespace

DeclaredNames find_declared_names(std::span<const Token> tokens) {
  return NameSearch(tokens).run();
}

bool is_member_name(std::span<const Token> tokens, std::size_t at) {
  if (at == 0) return false;
  const Token& before = tokens[at - 1];
  if (before.is(".") || before.is("->")) return true;
  if (!before.is("::") || at < 2) return false;
  const Token& scope = tokens[at - 2];
  return scope.is(">") || (scope.kind == Token::Word && !is_no_type(scope.text));
}

}  // namespace graft::reflect
