// ThreadWordSearch begins with the tokens of the entry, or with the only function of the text. In the tokens that it
// reads it looks for thread words, and for the names of further statements to read.
#include "reflect/callback/thread_words.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "reflect/callback/scan.hpp"
#include "reflect/callback/thread_vocabulary.hpp"
#include "reflect/text/keywords.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::reflect {
namespace {

// Further words are not listed, so that a text with a million of them takes no longer.
constexpr std::size_t kMostWords = 100;

bool is_asm_keyword(std::string_view word) {
  return word == "asm" || word == "__asm__" || word == "__asm";
}

// Returns a literal with spaces in place of its escape sequences, which would otherwise hide where a word begins:
// "\tbar.sync 0;\n".
std::string without_escapes(std::string_view literal) {
  std::string text(literal);
  for (std::size_t at = 0; (at = text.find('\\', at)) < text.size() - 1; at += 2) text[at] = text[at + 1] = ' ';
  return text;
}

const Token& at_or_none(std::span<const Token> tokens, std::size_t at) {
  static const Token none;
  return at < tokens.size() ? tokens[at] : none;
}

// Whether the word at this place names a member: `s.blockDim`, `p->blockDim`, `Launch::blockDim`. Functions also count
// if their name is qualified, as in `cg::this_thread_block()`.
bool is_member(std::span<const Token> tokens, std::size_t at) {
  const Token& before = at_or_none(tokens, at - 1);
  if (before.is(".") || before.is("->")) return true;
  if (!is_thread_variable(tokens[at].text)) return false;
  const Token& scope = at_or_none(tokens, at - 2);
  return at_or_none(tokens, at + 1).is("::") ||
         (before.is("::") && (scope.is(">") || (scope.kind == Token::Word && !scope.is("return"))));
}

// Whether the text may declare the word at this place for itself: `int blockDim`, `Size& warpSize`, `int a, warpSize;`,
// `auto [gridDim, n]`, `[warpSize = 32]`, `enum { warpSize }`. A word that may be declared is only noted, so in doubt
// the result is true, as for `x * warpSize;`.
bool may_be_declared(std::span<const Token> tokens, std::size_t at) {
  const Token& before = at_or_none(tokens, at - 1);
  const Token& after = at_or_none(tokens, at + 1);
  if (declares(before, after)) return true;
  static constexpr std::string_view kEnds[] = {"=", ";", ",", ")", ":", "[", "]", "{", "}", ">"};
  if (!is_among(kEnds, after.text)) return false;
  if (before.kind == Token::Word) return after.is(":") || after.is(">");
  if (before.is(",")) return !after.is(")");  // no last argument of a call
  if (before.is("[")) return !after.is("]");  // no subscript
  static constexpr std::string_view kBefore[] = {"&", "*", ">", ")", "]", "{", "}", ".", "::"};
  return is_among(kBefore, before.text);
}

class ThreadWordSearch {
 public:
  ThreadWordSearch(const Text& text, const Text& entry, bool device_by_default)
      : text_(text), code_(text.code()), entry_(entry.tokens().list) {
    note_declared_words();
    begin(device_by_default);
  }

  std::vector<ThreadWord> run() {
    while (!open_.empty()) {
      const Piece piece = open_.back();
      open_.pop_back();
      read(piece);
    }
    std::ranges::stable_sort(found_, {}, &ThreadWord::line);
    return std::move(found_);
  }

 private:
  struct Piece {
    std::span<const Token> tokens;
    const int* branches = nullptr;  // one number per token, as in Code::branch; null for the entry
  };

  void note_declared_words() {
    for (std::size_t i = 0; i < code_.tokens.size(); ++i) {
      const std::string_view text = code_.tokens[i].text;
      if (use_of(text) && may_be_declared(code_.tokens, i)) declared_.insert(text);
    }
    for (const Directive& directive : code_.directives)
      if (directive.name == "define" && !directive.words.empty()) declared_.insert(directive.words.front().text);
  }

  void begin(bool device_by_default) {
    const Statement all{0, code_.tokens.size()};
    if (entry_.empty() && is_lambda(code_.tokens)) return open_.push_back(piece(all));
    SourceScan scanned = scan(text_);
    find_definitions(scanned.statements);
    for (Token& token : entry_) token.line = 0;
    if (!entry_.empty()) return open_.push_back({entry_});
    if (device_by_default) mark_device_by_default(scanned);
    const std::string name = choose_entry(scanned, {}).name;
    reach(unqualified(name));
  }

  Piece piece(const Statement& statement) const {
    return {std::span(code_.tokens).subspan(statement.begin, statement.end - statement.begin),
            code_.branch.data() + statement.begin};
  }

  // Finds the functions and classes that the text defines once, outside all branches.
  void find_definitions(const std::vector<Statement>& statements) {
    std::unordered_set<std::string_view> several;
    for (const Statement& statement : statements) {
      const auto has_body = [](const Token& token) { return token.is("{"); };
      if (statement.name.empty() || std::ranges::none_of(piece(statement).tokens, has_body)) continue;
      const bool is_hidden = code_.is_damaged || statement.is_unclear || statement.is_kernel;
      if (is_hidden || !is_always_compiled(code_.branch[statement.begin])) continue;
      if (!definitions_.emplace(statement.name, statement).second) several.insert(statement.name);
    }
    for (const std::string_view name : several) definitions_.erase(name);
  }

  void reach(std::string_view name) {
    const auto found = definitions_.find(name);
    if (found != definitions_.end() && reached_.insert(found->first).second) open_.push_back(piece(found->second));
  }

  void read(const Piece& piece) {
    for (std::size_t i = 0; i < piece.tokens.size(); ++i) {
      const Token& token = piece.tokens[i];
      if (token.kind != Token::Word) continue;
      const bool is_compiled = piece.branches == nullptr || is_always_compiled(piece.branches[i]);
      if (is_asm_keyword(token.text)) {
        read_assembly(piece.tokens.subspan(i), is_compiled);
      } else if (const auto definition = definitions_.find(token.text); definition != definitions_.end()) {
        if (is_compiled && (piece.branches == nullptr || is_meant(definition->second, piece.tokens, i)))
          reach(token.text);
      } else if (const std::optional<ThreadWord::Use> use = use_of(token.text); use && !is_member(piece.tokens, i)) {
        add({*use, std::string(token.text), token.line, 0, is_compiled && !declared_.contains(token.text)}, token);
      }
    }
  }

  // Whether the word at this place means the class of that name, or calls the function.
  static bool is_meant(const Statement& definition, std::span<const Token> tokens, std::size_t at) {
    const Token& before = at_or_none(tokens, at - 1);
    const Token& after = at_or_none(tokens, at + 1);
    return after.is("(") || after.is("<") || (definition.is_class && !before.is(".") && !before.is("->"));
  }

  // Searches the strings of an asm statement: asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t));
  void read_assembly(std::span<const Token> tokens, bool is_compiled) {
    int depth = 0;
    for (const Token& token : tokens) {
      const bool is_next = is_asm_keyword(token.text) && &token != tokens.data();
      if (token.is("(")) ++depth;
      if (is_next || token.is(";") || (token.is(")") && --depth == 0)) return;
      if (token.kind != Token::String) continue;
      for (const ThreadWord& found : find_thread_words_in_assembly(without_escapes(token.text)))
        add({found.use, found.word, token.line, 0, is_compiled}, token);
    }
  }

  bool is_always_compiled(int branch) const { return branch == 0 || branch == guard(); }

  // The branch of an include guard around the whole text, or 0. Code in the guard is always compiled.
  int guard() const {
    const std::vector<Directive>& all = code_.directives;
    const bool is_guard = all.size() > 2 && all[0].name == "ifndef" && all[1].name == "define" &&
                          !all[0].words.empty() && !all[1].words.empty() && all[0].words[0].is(all[1].words[0].text) &&
                          all.back().name == "endif";
    return is_guard ? all[0].branch : 0;
  }

  int column(const Token& token) const {
    if (text_.tokens().joined || token.line == 0) return 0;
    const auto at = static_cast<std::size_t>(token.text.data() - text_.source().data());
    return static_cast<int>(at - text_.source().rfind('\n', at));  // npos is -1
  }

  // Adds a word that `token` shows.
  void add(ThreadWord word, const Token& token) {
    const auto known = std::ranges::find(found_, word.word, &ThreadWord::word);
    const bool is_new = known == found_.end();
    if (is_new ? found_.size() >= kMostWords : !word.is_certain || (known->is_certain && word.line >= known->line))
      return;
    word.column = column(token);
    if (is_new) found_.push_back(std::move(word));
    else *known = std::move(word);
  }

  const Text& text_;
  const Code& code_;
  std::vector<Token> entry_;
  std::unordered_set<std::string_view> declared_;  // thread words that may be names of the user's own, and all macros
  std::unordered_map<std::string_view, Statement> definitions_;
  std::unordered_set<std::string_view> reached_;  // names of definitions
  std::vector<Piece> open_;
  std::vector<ThreadWord> found_;
};

}  // namespace

std::vector<ThreadWord> find_thread_words(const Text& text, const Text& entry, bool device_by_default) {
  if (!may_have_thread_words(text.source()) && !may_have_thread_words(entry.source())) return {};
  return ThreadWordSearch(text, entry, device_by_default).run();
}

}  // namespace graft::reflect
