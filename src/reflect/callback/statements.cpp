// DeclarationParser::statement() reads one statement at namespace scope. This function opens and closes namespaces and
// linkage specifications, skips using declarations, typedefs and explicit instantiations, and leaves every other
// statement to declaration(). declaration() collects the words of a declarator (Head) until a bracket, `=`, `,` or `;`
// shows whether the statement declares a function, a variable or a class, or is the call of a macro.
#include "reflect/callback/statements.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace graft::reflect {
namespace {

using Words = std::unordered_set<std::string_view>;

// Returns the names of all classes in the text. The names show whether `A::f` is a member function (A is a class) or a
// function of namespace A.
Words class_names(const Code& code) {
  Words names;
  for (std::size_t i = 0; i < code.tokens.size(); ++i) {
    if (!is_class_key(code.tokens[i].text)) continue;
    std::size_t at = i + 1;
    while (at < code.tokens.size() && (takes_arguments(code.tokens[at].text) || code.partner[at] > at))
      at = code.partner[at] + 1;  // skip attributes and their arguments
    while (at < code.tokens.size() && code.tokens[at].kind == Token::Word) {
      names.insert(code.tokens[at].text);
      at += at + 1 < code.tokens.size() && code.tokens[at + 1].is("::") ? 2 : code.tokens.size();
    }
  }
  return names;
}

// A name such as `A::B<T>::f`, without its template arguments.
struct Name {
  std::vector<std::string_view> scope;  // the names in front of the last one: A, B
  std::string last;                     // "f", "operator+"
  std::size_t at = 0;                   // index of the token `last`
  bool has_arguments = false;           // template arguments follow `last`
  bool is_special = false;              // an operator or destructor
};

// The words up to a declarator's parenthesis, initialiser or semicolon. The last word that is not a specifier is the
// declared name; the words in front of the name are the type.
struct Head {
  Name name;
  std::size_t begin = 0;  // index of the declaration's first token
  Macro marks;            // whether a word means __device__ or __global__, directly or as a macro
  bool has_builtin_type = false;
  int type_words = 0;   // words in front of the name that are neither keywords nor known macros
  int macro_words = 0;  // words in front of the name that are macros which the text defines
  bool is_class = false;
  bool is_template = false;
  bool is_specialisation = false;
  bool is_extern_c = false;

  bool has_type() const { return has_builtin_type || type_words + macro_words > 0; }
  // Whether one of the words must be a macro that the text does not define. In `HD float f()`, two words are in front
  // of the name although a type has only one. So one of the two is a macro, and it may mean __device__.
  bool has_unknown_macro() const { return type_words + (has_builtin_type ? 1 : 0) > 1; }
};

class DeclarationParser {
 public:
  DeclarationParser(const Code& code, const Macros& macros, SourceScan& found)
      : code_(code), macros_(macros), classes_(class_names(code)), found_(found) {}

  void run() {
    while (!at_end()) {
      statement_ = {.begin = at_};
      const std::size_t functions = found_.functions.size();
      const bool was_uncertain = std::exchange(found_.uncertain, false);
      statement();
      statement_.end = at_;
      // Behind a function's body, the statement ends, even if a macro may hide what the function is.
      statement_.is_unclear = found_.uncertain && found_.functions.size() == functions;
      found_.statements.push_back(statement_);
      found_.uncertain |= was_uncertain;
    }
    if (!scopes_.empty() || has_doubles()) found_.uncertain = true;
  }

 private:
  struct Scope {
    std::size_t prefix_size;  // the size of prefix_ before this scope was opened
    bool is_extern_c;
  };
  // What follows a parameter list: a `;` (Declaration), a function body (Definition), or tokens that the parser does
  // not understand (Unclear).
  enum class Ending { Declaration, Definition, Unclear };

  bool at_end() const { return at_ >= code_.tokens.size(); }
  const Token& token(std::size_t ahead = 0) const {
    static const Token none;
    return at_ + ahead < code_.tokens.size() ? code_.tokens[at_ + ahead] : none;
  }
  const Token& before() const { return code_.tokens[at_ - 1]; }
  bool is(std::string_view text, std::size_t ahead = 0) const { return token(ahead).is(text); }
  bool is_word() const { return token().kind == Token::Word; }
  // Skips one token. If the token is an opening bracket, skips everything up to the closing bracket.
  void jump() { at_ = std::min(code_.partner[at_] + 1, code_.tokens.size()); }

  void statement() {
    static constexpr std::string_view kOthers[] = {"using", "typedef", "static_assert", "asm", "__asm__"};
    if (is("using") && token(1).kind == Token::Word && is("=", 2)) note_scope(token(1).text);
    const bool is_instantiation = is("template") ? !is("<", 1) : is("extern") && is("template", 1);
    if (is("}")) close_scope();
    else if (is("namespace") || (is("inline") && is("namespace", 1))) open_namespace();
    else if (is("extern") && token(1).kind == Token::String && is("{", 2)) open_linkage();
    else if (is_instantiation || is_among(kOthers, token().text)) skip_to_semicolon();
    else declaration();
  }

  // Records a class, or an alias of a class or namespace, at namespace scope.
  void note_scope(std::string_view name) { found_.scopes.push_back(prefix_ + std::string(name)); }

  void close_scope() {
    ++at_;
    if (scopes_.empty()) {
      found_.uncertain = true;
      return;
    }
    prefix_.resize(scopes_.back().prefix_size);
    scopes_.pop_back();
  }

  Scope scope() const { return scopes_.empty() ? Scope{0, false} : scopes_.back(); }

  void open_linkage() {
    scopes_.push_back({prefix_.size(), is("\"C\"", 1)});
    at_ += 3;
  }

  // Reads `namespace a::b {`, `inline namespace v1 {` or `namespace {`. The prefix leaves out inline namespaces,
  // because name lookup does not need them.
  void open_namespace() {
    bool is_inline = is("inline");
    std::string names;
    for (at_ += is_inline ? 2 : 1; is_word() || is("::") || is("["); jump()) {
      if (!is_word()) continue;
      if (is("inline")) {
        is_inline = true;
        continue;
      }
      if (!is_inline) names.append(token().text).append("::");
      namespaces_.insert(token().text);
      is_inline = false;
    }
    if (!is("{")) {  // this is a namespace alias, or the call of a macro
      if (is("=")) note_scope(before().text);
      found_.uncertain |= !is("=");
      return skip_to_semicolon();
    }
    ++at_;
    scopes_.push_back({prefix_.size(), scope().is_extern_c});
    constexpr std::size_t kLongestPrefix = 4096;  // without a limit, deeply nested namespaces would take quadratic time
    if (prefix_.size() + names.size() > kLongestPrefix) found_.uncertain = true;
    else prefix_ += names;
  }

  void skip_to_semicolon() {
    while (!at_end() && !is(";") && !is("}")) jump();
    if (is(";")) ++at_;
    else found_.uncertain = true;
  }

  // Skips a template argument list. An inner `<` opens another list only after a name; elsewhere `<` is the less-than
  // operator.
  void skip_angles() {
    for (int depth = 0; !at_end() && !is(";") && !is("}"); jump()) {
      if (is("<") && (depth == 0 || before().kind == Token::Word)) ++depth;
      if (is(">") && --depth == 0) return jump();
    }
    found_.uncertain = true;
  }

  // Skips a constraint such as `requires A<T> && (sizeof(T) > 4)`.
  void skip_constraint() {
    do {
      at_ += is("requires") ? 1 : 2;
      if (is("requires")) {  // a requires expression: requires(T x) { x + x; }
        ++at_;
        if (is("(")) jump();
        if (is("{")) jump();
      } else if (is("(")) {
        jump();
      } else {
        parse_name();
      }
    } while ((is("&") && is("&", 1)) || (is("|") && is("|", 1)));
  }

  void declaration() {
    Head head;
    head.begin = at_;
    while (!at_end() && !is("}")) {
      if (is_word() || is("::") || is("~")) word(head);
      else if (is("(")) return parenthesis(head);
      else if (is("{") && !head.is_class) return initialiser(head);
      else if (is("=") || is(",") || is(";")) return variable(head);
      else if (is(":") && head.is_class) skip_bases();
      else if (is("{")) class_body(head);
      else if (is("<")) skip_angles();
      else jump();
    }
    found_.uncertain = true;  // there is no semicolon, because of a macro or because the text is truncated
  }

  void word(Head& head) {
    const std::string_view text = token().text;
    const Macro mark = marks(macros_, text);
    head.marks.is_device |= mark.is_device;
    head.marks.is_global |= mark.is_global;
    head.has_builtin_type |= is_builtin_type(text) || text == "decltype";
    head.is_class |= is_class_key(text);
    if (text == "template") {
      head.is_template = true;
      ++at_;
      head.is_specialisation |= is("<") && is(">", 1);
      if (is("<")) skip_angles();
    } else if (text == "requires") {
      skip_constraint();
    } else if (text == "extern" && token(1).kind == Token::String) {
      head.is_extern_c = is("\"C\"", 1);
      at_ += 2;
    } else if (takes_arguments(text)) {
      ++at_;
      if (is("(")) jump();
    } else if (is_builtin_type(text) || is_class_key(text) || is_specifier(text)) {
      ++at_;
    } else {
      if (!head.name.last.empty()) ++(macros_.contains(head.name.last) ? head.macro_words : head.type_words);
      head.name = parse_name();
      if (!head.name.last.empty() && !statement_.is_class) statement_.name = code_.tokens[head.name.at].text;
    }
    statement_.is_kernel = head.marks.is_global && !head.marks.is_device;
  }

  Name parse_name() {
    Name name;
    std::string_view previous;
    do {
      if (is("::")) ++at_;
      if (is("template")) ++at_;
      if (is("~")) {
        ++at_;
        name.is_special = true;
      }
      if (!is_word()) break;
      if (!previous.empty()) name.scope.push_back(previous);
      name.at = at_;
      if (is("operator")) {
        operator_name(name);
        break;
      }
      name.last = previous = token().text;
      ++at_;
      name.has_arguments = is("<");
      if (name.has_arguments) skip_angles();
    } while (is("::"));
    return name;
  }

  void operator_name(Name& name) {
    name.is_special = true;
    name.last = "operator";
    ++at_;
    if (is("(") && is(")", 1)) {
      name.last += "()";
      at_ += 2;
    }
    for (; !at_end() && !is("(") && !is("{") && !is("}") && !is(";"); ++at_)
      name.last.append(is_word() && before().kind == Token::Word ? " " : "").append(token().text);
  }

  void skip_bases() {
    while (!at_end() && !is("{") && !is(";") && !is("}")) jump();
  }

  // Skips a class body. Declarators that follow the body have this class as their type.
  void class_body(Head& head) {
    if (!head.name.last.empty() && head.name.scope.empty()) note_scope(head.name.last);
    statement_.is_class = true;
    jump();
    head.is_class = false;
    head.name = {};
    ++head.type_words;
  }

  // Reads the initialiser of a variable, as in `float x{1};`.
  void initialiser(const Head& head) {
    jump();
    if (head.has_type() && (is(";") || is(","))) return variable(head);
    found_.uncertain = true;  // this is the call of a macro: NAME { ... }
  }

  void variable(const Head& head) {
    // A declaration of a single word, as in `NAME;`, is the call of a macro. The macro may define functions.
    if (!head.name.last.empty() && !head.has_type() && !head.is_class) found_.uncertain = true;
    const bool is_named = !head.name.last.empty() && head.name.scope.empty() && !head.name.is_special;
    if (is_named && head.has_type() && !head.is_template) found_.variables.push_back(prefix_ + head.name.last);
    skip_to_semicolon();
  }

  void parenthesis(const Head& head) {
    const std::size_t open = at_;
    jump();
    const std::size_t close = std::min(code_.partner[open], code_.tokens.size());
    const std::span<const Token> parameters(code_.tokens.data() + open + 1, close - open - 1);
    const bool is_value = !parameters.empty() && parameters[0].kind != Token::Word && !parameters[0].is(".") &&
                          !parameters[0].is("::") && !parameters[0].is("[");
    if (head.name.last.empty()) return function_pointer();
    if (!head.has_type()) return untyped(head);
    if (is_value) return variable(head);  // a variable: float x(1.0f);
    const Ending how = ending();
    if (how == Ending::Unclear) found_.uncertain = true;
    else function(head, parameters, how == Ending::Definition);
  }

  // Skips `float (*f)(float) = relu;`, or a function that returns a function pointer. Neither can be a callback.
  void function_pointer() {
    while (!at_end() && !is(";") && !is("}") && !(is("{") && before().is(")"))) jump();
    if (is("}")) found_.uncertain = true;
    else if (!at_end()) jump();
  }

  // Reads a name without a type: a constructor defined outside its class, a deduction guide, or a macro that may define
  // anything.
  void untyped(const Head& head) {
    if (is("->")) return skip_to_semicolon();
    if (!head.name.scope.empty() || head.name.is_special) {
      found_.uncertain |= ending() == Ending::Unclear;
      return;
    }
    if (!is(";") || head.marks.is_device || head.marks.is_global) found_.uncertain = true;
    if (is(";") || is("{")) jump();
  }

  // Reads from the end of a parameter list to the end of the declaration or of the function body.
  Ending ending() {
    trailing_ = code_.tokens.size();
    bool is_list = false;      // at_ is in a constructor's initialiser list
    bool is_trailing = false;  // at_ is in a trailing result type
    while (!at_end() && !is("}") && !(is_word() && begins_declaration(token().text))) {
      const bool is_member = is_list && (before().kind == Token::Word || before().is(">"));
      if (is("{") && !is_member) {
        ending_ = at_;
        jump();
        return Ending::Definition;
      }
      if (is(";") || is("=") || is(",")) {
        if (is_list && is(",")) {
          jump();
          continue;
        }
        skip_to_semicolon();
        return Ending::Declaration;
      }
      if (is("(") && !is_list && !is_trailing && !takes_arguments(before().text)) break;
      is_list |= is(":");
      if (is("->")) trailing_ = at_;
      is_trailing |= is("->");
      if (is("requires")) skip_constraint();
      else if (is("<") && is_trailing) skip_angles();
      else jump();
    }
    return Ending::Unclear;
  }

  // Returns the tokens of the result type: those in front of a function's name, without specifiers and attributes.
  std::vector<Token> result_tokens(const Head& head, bool with_qualifiers) const {
    std::vector<Token> kept;
    for (std::size_t i = head.begin; i < head.name.at; ++i) {
      const Token& token = code_.tokens[i];
      if (code_.partner[i] > i && code_.partner[i] < head.name.at) i = code_.partner[i];  // skip an attribute
      else if (token.kind != Token::String && !marks(macros_, token.text).is_device && !takes_arguments(token.text) &&
               (!is_specifier(token.text) || (with_qualifiers && is_qualifier(token.text))))
        kept.push_back(token);
    }
    return kept;
  }

  // Returns the text of the result type, or an empty text if a macro may hide a part of the type.
  std::string result_text(const Head& head) const {
    for (std::size_t i = head.begin; i < head.name.at; ++i) {
      const std::string_view word = code_.tokens[i].text;
      if (macros_.contains(word) && !marks(macros_, word).is_device) return {};
      if (code_.partner[i] > i && code_.partner[i] < head.name.at) i = code_.partner[i];
    }
    return spaced_text(result_tokens(head, false));
  }

  // Returns FunctionFound::type_text.
  std::string type_text(const Head& head, std::span<const Token> parameters) const {
    const std::vector<Token> result = result_tokens(head, true);
    if (result.empty()) return {};
    std::string text = spaced_text(result) + "(" + spaced_text(without_defaults(parameters)) + ")";
    if (trailing_ < ending_ && ending_ < code_.tokens.size())
      text += " " + spaced_text(std::span(code_.tokens).subspan(trailing_, ending_ - trailing_));
    return text;
  }

  // Removes the default arguments from the parameters of a function. In `T a = N<1, 2>::v, T b`, the comma between the
  // angle brackets ends no parameter.
  static std::vector<Token> without_defaults(std::span<const Token> parameters) {
    std::vector<Token> kept;
    int depth = 0;
    bool is_default = false;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Token& token = parameters[i];
      const bool opens_angle = token.is("<") && i > 0 && parameters[i - 1].kind == Token::Word;
      if (opens_angle || token.is("(") || token.is("[") || token.is("{")) ++depth;
      if (depth > 0 && (token.is(">") || token.is(")") || token.is("]") || token.is("}"))) --depth;
      if (depth == 0 && token.is("=")) is_default = true;
      if (depth == 0 && token.is(",")) is_default = false;
      if (!is_default) kept.push_back(token);
    }
    return kept;
  }

  void function(const Head& head, std::span<const Token> parameters, bool is_definition) {
    if (head.is_specialisation || head.name.has_arguments) return;
    std::string name = prefix_;
    for (const std::string_view part : head.name.scope) name.append(part).append("::");
    name += head.name.last;
    if (!head.name.scope.empty()) {
      if (classes_.contains(head.name.scope.back())) return;
      const auto is_known = [&](std::string_view part) { return namespaces_.contains(part); };
      if (!std::all_of(head.name.scope.begin(), head.name.scope.end(), is_known)) {
        found_.uncertain |= head.marks.is_device;
        return;
      }
    }
    if (is_definition && head.has_unknown_macro() && !head.marks.is_device && !head.marks.is_global)
      found_.uncertain = true;
    const bool is_abbreviated =
        std::any_of(parameters.begin(), parameters.end(), [](const Token& t) { return t.is("auto"); });
    found_.functions.push_back({std::move(name), code_.tokens[head.name.at].line, result_text(head),
                                spaced_text(parameters), head.marks.is_device, head.marks.is_global,
                                head.is_template || is_abbreviated, is_definition,
                                head.is_extern_c || scope().is_extern_c, type_text(head, parameters)});
    branches_.push_back(code_.branch[head.name.at]);
  }

  // Whether a name is defined in several branches of #if. The scan cannot tell whether such definitions are
  // alternatives of one function or overloads.
  bool has_doubles() const {
    std::unordered_map<std::string_view, int> first;
    for (std::size_t i = 0; i < branches_.size(); ++i) {
      if (!found_.functions[i].is_definition) continue;
      const auto [place, is_new] = first.emplace(found_.functions[i].name, branches_[i]);
      if (!is_new && place->second != branches_[i]) return true;
    }
    return false;
  }

  const Code& code_;
  const Macros& macros_;
  Words classes_;
  Words namespaces_;
  SourceScan& found_;
  Statement statement_;  // the statement that is being read
  std::size_t at_ = 0;
  // The indices of the `->` and of the `{` of the function whose ending() was read last.
  std::size_t trailing_ = 0;
  std::size_t ending_ = 0;
  std::vector<Scope> scopes_;
  std::string prefix_;
  std::vector<int> branches_;  // the #if branch in which each function of found_ is
};

// Records which specifiers a macro stands for. If its replacement has unbalanced braces, the macro may open or close a
// scope, so the scopes of the functions that follow are unknown.
void note_macro(const Directive& directive, Macros& macros, bool& uncertain) {
  int depth = 0;
  Macro macro;
  for (const Token& token : std::span(directive.words).subspan(1)) {
    const Macro part = marks(macros, token.text);
    macro.is_device |= part.is_device;
    macro.is_global |= part.is_global;
    depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
  }
  if (depth != 0) uncertain = true;
  // the union of the macro's definitions in all branches of #if
  Macro& all = macros[directive.words.front().text];
  all.is_device |= macro.is_device;
  all.is_global |= macro.is_global;
}

}  // namespace

Macros find_macros(const Code& code, bool& uncertain) {
  Macros macros;
  for (const Directive& directive : code.directives)
    if (directive.name == "define" && !directive.is_dead && !directive.words.empty())
      note_macro(directive, macros, uncertain);
  return macros;
}

void find_declarations(const Code& code, const Macros& macros, SourceScan& found) {
  DeclarationParser(code, macros, found).run();
}

}  // namespace graft::reflect
