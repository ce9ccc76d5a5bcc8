// ThreadWordSearch cuts the text into pieces: the statements at namespace scope, the macros, and the entry. Each piece
// has the names that it declares. The search marks the pieces that the entry reaches, and then looks for thread words
// in the marked pieces.
#include "reflect/thread_words.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "reflect/declarations.hpp"
#include "reflect/keywords.hpp"
#include "reflect/scan.hpp"
#include "reflect/thread_vocabulary.hpp"

namespace graft::reflect {
namespace {

bool is_asm_keyword(std::string_view word) {
  return word == "asm" || word == "__asm__" || word == "__asm";
}

// Whether the word is a name of the user's own at this place, as in `s.threadIdx`.
bool is_member_name(std::span<const Token> tokens, std::size_t at) {
  return at > 0 && (tokens[at - 1].is(".") || tokens[at - 1].is("->"));
}

// Whether the word is declared at this place, as in `float threadIdx;` or `const uint3& threadIdx)`.
bool is_declared_at(std::span<const Token> tokens, std::size_t at) {
  static constexpr std::array<std::string_view, 9> kNoType = {"return", "else", "case", "sizeof", "throw",
                                                              "new",    "and",  "or",   "not"};
  static constexpr std::array<std::string_view, 5> kEnds = {"=", ";", ",", ")", ":"};
  if (at == 0) return false;
  const Token& before = tokens[at - 1];
  if (before.kind == Token::Word) return !is_among(kNoType, before.text);
  // `2 * warpSize;` has the form of `T* warpSize;`. The other variables are structs, so nobody multiplies them.
  const bool may_be_reference = before.is("&") || before.is("*") || before.is(">");
  return may_be_reference && !tokens[at].is("warpSize") && at + 1 < tokens.size() &&
         is_among(kEnds, tokens[at + 1].text);
}

// Returns CUDA's built-in variables whose names the tokens declare. They are names of the user's own in all of the
// tokens.
std::unordered_set<std::string_view> declared_in(std::span<const Token> tokens) {
  std::unordered_set<std::string_view> names;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (is_thread_variable(tokens[i].text) && is_declared_at(tokens, i)) names.insert(tokens[i].text);
  return names;
}

// Further words are not listed, so that a text with a million of them takes no longer.
constexpr std::size_t kMostWords = 100;

class ThreadWordSearch {
 public:
  ThreadWordSearch(std::string_view text, std::string_view entry, std::span<const Define> defines)
      : text_(text), source_(tokenize(text)), code_(read_code(source_)), entry_(tokenize(entry)) {
    add_macros(defines);
    add_statements(entry);
    find_declared();
  }

  std::vector<ThreadWord> run() {
    reach();
    for (const Piece& piece : pieces_) {
      if (!piece.is_reached && !is_uncertain_) continue;
      look_for_words(piece);
    }
    std::ranges::stable_sort(found_, {}, &ThreadWord::line);
    return std::move(found_);
  }

 private:
  struct Piece {
    std::span<const Token> tokens;
    std::vector<std::string_view> names;
    const int* branches = nullptr;  // one number per token, as in Code::branch; null if all tokens are in `branch`
    int branch = 0;
    bool is_reached = false;
  };

  void add_macros(std::span<const Define> defines) {
    for (const Directive& directive : code_.directives) {
      if (directive.name != "define" || directive.is_dead || directive.words.empty()) continue;
      const std::span<const Token> words = directive.words;
      pieces_.push_back({.tokens = words.subspan(1), .names = {words.front().text}, .branch = directive.branch});
      macros_.insert(words.front().text);
    }
    for (const Define& define : defines) {
      defines_.push_back(tokenize(define.name));
      defines_.push_back(tokenize(define.value));
    }
    for (std::size_t i = 0; i + 1 < defines_.size(); i += 2) {
      if (defines_[i].list.empty()) continue;
      const std::string_view name = defines_[i].list.front().text;
      for (Token& token : defines_[i + 1].list) token.line = 0;
      pieces_.push_back({.tokens = defines_[i + 1].list, .names = {name}});
      macros_.insert(name);
    }
  }

  void add_statements(std::string_view entry) {
    const bool is_lambda_text = is_lambda(code_.tokens);
    is_uncertain_ = code_.is_damaged;
    const Macros macros = find_macros(code_, is_uncertain_);
    const std::vector<Statement> statements = is_lambda_text ? std::vector<Statement>{{0, code_.tokens.size()}}
                                                             : find_statements(code_, macros, is_uncertain_);
    for (const Statement& statement : statements) {
      Piece piece = {.tokens = std::span(code_.tokens).subspan(statement.begin, statement.end - statement.begin),
                     .names = {},
                     .branches = code_.branch.data() + statement.begin};
      name(piece, statement);
      piece.is_reached |= is_lambda_text;
      pieces_.push_back(std::move(piece));
    }
    if (!entry_.list.empty()) {
      for (Token& token : entry_.list) token.line = 0;
      is_uncertain_ |= !is_lambda(entry_.list) && !declares_a_name_of_entry();
      pieces_.push_back({.tokens = entry_.list, .names = {}, .is_reached = true});
    } else if (!is_lambda_text) {
      begin_with_only_function(entry);
    }
  }

  // Whether the text has a piece that the entry names. If not, a header or a macro may declare it.
  bool declares_a_name_of_entry() const {
    std::unordered_set<std::string_view> wanted;
    for (const Token& token : entry_.list)
      if (token.kind == Token::Word) wanted.insert(token.text);
    return std::ranges::any_of(pieces_, [&](const Piece& piece) {
      return std::ranges::any_of(piece.names, [&](std::string_view name) { return wanted.contains(name); });
    });
  }

  // Without an entry, the callback is the text's only device function.
  void begin_with_only_function(std::string_view entry) {
    const EntryChoice choice = choose_entry(scan(text_), entry);
    const std::size_t colon = choice.name.rfind("::");
    const std::string_view last = std::string_view(choice.name).substr(colon == choice.name.npos ? 0 : colon + 2);
    for (Piece& piece : pieces_)
      piece.is_reached |=
          choice.kind == EntryChoice::Found && std::ranges::find(piece.names, last) != piece.names.end();
  }

  // Finds the names that a statement declares. A function's name is the last word in front of its parameters. Operators
  // are called without their names, so they always count as reached.
  void name(Piece& piece, const Statement& statement) {
    const std::vector<Token>& tokens = code_.tokens;
    const std::size_t end = statement.end;
    std::string_view last;
    bool is_class = false;       // the next word is the name of a class
    bool may_have_body = false;  // the next brace opens the body of a class
    bool has_angles = true;      // the next `<` may open template arguments
    for (std::size_t i = statement.begin; i < end; i = std::min(code_.partner[i], end) + 1) {
      const Token& token = tokens[i];
      const bool ends_name =
          token.is("(") || token.is("=") || token.is("[") || token.is(",") || token.is(";") || token.is("{");
      if (token.is("using") && i + 1 < end && tokens[i + 1].is("namespace")) {
        for (const Token& word : piece.tokens) uses_groups_ |= word.is("cooperative_groups");
        piece.tokens = {};
        return;
      }
      if (is_class_key(token.text)) {
        is_class = may_have_body = true;
      } else if (takes_arguments(token.text) && i + 1 < end && tokens[i + 1].is("(")) {
        i = std::min(code_.partner[i + 1], end - 1);
      } else if (token.kind == Token::Word) {
        piece.is_reached |= token.is("operator");
        if (is_class && !is_specifier(token.text)) piece.names.push_back(token.text), is_class = false;
        else last = token.text;
      } else if (has_angles && token.is("<") && i > statement.begin && tokens[i - 1].kind == Token::Word) {
        has_angles = end_of_angles(i, end) != i;  // a search that failed is not repeated, so the time stays linear
        if (has_angles) i = end_of_angles(i, end);
      } else if (ends_name) {
        const bool is_body = token.is("{") && std::exchange(may_have_body, false);
        if (!last.empty() && !is_body) piece.names.push_back(last);
        if (token.is("(") && !last.empty()) return;
        last = {};
        if (token.is("=")) i = end_of_value(i, end);
      }
    }
  }

  // Returns the index of the token in front of the `,` or `;` that ends the initialiser which begins at `at`.
  std::size_t end_of_value(std::size_t at, std::size_t end) const {
    std::size_t i = at;
    while (i + 1 < end && !code_.tokens[i + 1].is(",") && !code_.tokens[i + 1].is(";"))
      i = std::min(code_.partner[i + 1], end - 1);
    return i;
  }

  // Returns the index of the `>` that closes the `<` at `at`, or `at` if there is none.
  std::size_t end_of_angles(std::size_t at, std::size_t end) const {
    int depth = 0;
    for (std::size_t i = at; i < end; i = code_.partner[i] + 1) {
      if (code_.tokens[i].is("<")) ++depth;
      if (code_.tokens[i].is(">") && --depth == 0) return i;
      if (code_.tokens[i].is(";") || code_.tokens[i].is("{")) break;
    }
    return at;
  }

  void find_declared() {
    for (const Piece& piece : pieces_) declared_.merge(declared_in(piece.tokens));
  }

  // Marks the pieces that the marked pieces mention, until there are no more.
  void reach() {
    std::unordered_multimap<std::string_view, std::size_t> places;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      for (const std::string_view name : pieces_[i].names) places.emplace(name, i);
      if (pieces_[i].is_reached) open.push_back(i);
    }
    while (!open.empty()) {
      const std::span<const Token> tokens = pieces_[open.back()].tokens;
      open.pop_back();
      for (const Token& token : tokens) {
        if (token.kind != Token::Word) continue;
        const auto [begin, end] = places.equal_range(token.text);
        for (auto place = begin; place != end; ++place)
          if (!std::exchange(pieces_[place->second].is_reached, true)) open.push_back(place->second);
        places.erase(begin, end);
      }
    }
  }

  void look_for_words(const Piece& piece) {
    const std::span<const Token> tokens = piece.tokens;
    const std::unordered_set<std::string_view> own = declared_in(tokens);
    std::size_t end_of_assembly = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      if (token.kind != Token::Word) continue;
      const int branch = piece.branches ? piece.branches[i] : piece.branch;
      const bool is_certain = piece.is_reached && (branch == 0 || branch == guard());
      if (is_asm_keyword(token.text) && i >= end_of_assembly)
        end_of_assembly = i + look_into_assembly(tokens.subspan(i), is_certain);
      std::optional<ThreadWord::Use> use = use_of(token.text);
      if (!use && uses_groups_ && is_name_of_cooperative_groups(token.text)) use = ThreadWord::Barrier;
      if (!use || is_member_name(tokens, i)) continue;
      if (own.contains(token.text)) continue;
      const bool is_users_own = declared_.contains(token.text) || macros_.contains(token.text);
      add({*use, std::string(token.text), token.line, 0, is_certain && !is_users_own}, token);
    }
  }

  // Searches the strings of an asm statement: asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t)); Returns the number of
  // tokens of the statement.
  std::size_t look_into_assembly(std::span<const Token> tokens, bool is_certain) {
    int depth = 0;
    std::size_t i = 1;
    for (; i < tokens.size() && !tokens[i].is(";"); ++i) {
      if (tokens[i].is("(")) ++depth;
      if (tokens[i].is(")") && --depth == 0) break;
      if (tokens[i].kind != Token::String) continue;
      for (const ThreadWord& found : find_thread_words_in_assembly(tokens[i].text))
        add({found.use, found.word, tokens[i].line, 0, is_certain}, tokens[i]);
    }
    return i;
  }

  // The branch of an include guard around the whole text, or 0. Code in the guard is always compiled.
  int guard() const {
    const std::vector<Directive>& all = code_.directives;
    const bool is_guard = all.size() > 2 && all[0].name == "ifndef" && all[1].name == "define" &&
                          !all[0].words.empty() && !all[1].words.empty() && all[0].words[0].is(all[1].words[0].text) &&
                          all.back().name == "endif";
    return is_guard ? all[0].branch : 0;
  }

  int column(const Token& token) const {
    if (source_.joined || token.line == 0) return 0;
    const auto at = static_cast<std::size_t>(token.text.data() - text_.data());
    const std::size_t newline = text_.rfind('\n', at);
    return static_cast<int>(newline == text_.npos ? at + 1 : at - newline);
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

  std::string_view text_;
  Tokens source_;
  Code code_;
  Tokens entry_;
  std::vector<Tokens> defines_;  // name, value, name, value, ...
  std::vector<Piece> pieces_;
  std::unordered_set<std::string_view> macros_;
  std::unordered_set<std::string_view> declared_;  // built-in variables whose names the text declares as its own
  bool uses_groups_ = false;
  bool is_uncertain_ = false;
  std::vector<ThreadWord> found_;
};

}  // namespace

std::vector<ThreadWord> find_thread_words(std::string_view text, std::string_view entry,
                                          std::span<const Define> defines) {
  if (!may_have_thread_words(text) && !may_have_thread_words(entry) &&
      std::ranges::none_of(defines, [](const Define& define) { return may_have_thread_words(define.value); }))
    return {};
  return ThreadWordSearch(text, entry, defines).run();
}

bool mentions_shared_memory(const Code& code) {
  const auto mentions = [](std::span<const Token> tokens) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (tokens[i].is("__shared__") && tokens[i].kind == Token::Word && !is_member_name(tokens, i)) return true;
    return false;
  };
  return mentions(code.tokens) || std::ranges::any_of(code.directives, [&](const Directive& directive) {
           return directive.name == "define" && !directive.is_dead && !directive.words.empty() &&
                  mentions(std::span(directive.words).subspan(1));
         });
}

bool mentions_shared_memory(std::string_view text) {
  return text.find("__shared__") != text.npos && mentions_shared_memory(read_code(tokenize(text)));
}

}  // namespace graft::reflect
