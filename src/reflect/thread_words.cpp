// ThreadWordSearch cuts the text into pieces: the statements at namespace scope, the macros, and the entry. Each piece
// has the names that it declares. The search marks the pieces that the entry reaches, and then looks for thread words
// in the marked pieces.
#include "reflect/thread_words.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "reflect/declarations.hpp"
#include "reflect/declared_names.hpp"
#include "reflect/keywords.hpp"
#include "reflect/scan.hpp"
#include "reflect/string_literal.hpp"
#include "reflect/thread_vocabulary.hpp"

namespace graft::reflect {
namespace {

bool is_asm_keyword(std::string_view word) {
  return word == "asm" || word == "__asm__" || word == "__asm";
}

// Whether a macro with this replacement stands for the beginning of an asm statement: `asm volatile`.
bool begins_assembly(std::span<const Token> replacement) {
  return !replacement.empty() && is_asm_keyword(replacement[0].text) &&
         std::ranges::all_of(replacement.subspan(1),
                             [](const Token& token) { return token.is("volatile") || token.is("__volatile__"); });
}

// Further words are not listed, so that a text with a million of them takes no longer.
constexpr std::size_t kMostWords = 100;

class ThreadWordSearch {
 public:
  ThreadWordSearch(std::string_view text, std::string_view entry, std::span<const Define> defines,
                   bool device_by_default)
      : text_(text), source_(tokenize(text)), code_(read_code(source_)), entry_(tokenize(entry)) {
    add_macros(defines);
    add_statements(entry, device_by_default);
    note_names();
  }

  std::vector<ThreadWord> run() {
    reach(Reach::Certain);
    reach(Reach::Possible);
    for (const Piece& piece : pieces_)
      if (piece.reach != Reach::None || is_uncertain_) look_for_words(piece);
    std::ranges::stable_sort(found_, {}, &ThreadWord::line);
    return std::move(found_);
  }

 private:
  // Whether the callback reaches a piece. Possible: the text leaves it open.
  enum class Reach : std::uint8_t { None, Possible, Certain };

  struct Piece {
    std::span<const Token> tokens;
    std::vector<std::string_view> names;  // the names at namespace scope that the piece declares
    const int* branches = nullptr;        // one number per token, as in Code::branch; null if all are in `branch`
    int branch = 0;
    Reach reach = Reach::None;
    bool is_unclear = false;  // the piece may contain others, so nothing that it contains is certain
    bool is_macro = false;
    DeclaredNames own = {};                            // all names that the piece declares, at any scope
    std::unordered_set<std::string_view> hidden = {};  // own names of inner scopes, which hide other pieces

    int branch_of(std::size_t token) const { return branches ? branches[token] : branch; }
    void raise(Reach to) { reach = std::max(reach, is_unclear ? Reach::Possible : to); }
    bool is_definition() const {
      return is_macro || std::ranges::any_of(tokens, [](const Token& token) { return token.is("{"); });
    }
  };

  void add_macros(std::span<const Define> defines) {
    for (const Directive& directive : code_.directives) {
      if (directive.name != "define" || directive.is_dead || directive.words.empty()) continue;
      const std::span<const Token> words = directive.words;
      add_macro(words.front(), words.subspan(1), directive.branch);
    }
    for (const Define& define : defines) {
      defines_.push_back(tokenize(define.name));
      defines_.push_back(tokenize(define.value));
    }
    for (std::size_t i = 0; i + 1 < defines_.size(); i += 2) {
      if (defines_[i].list.empty()) continue;
      for (Token& token : defines_[i + 1].list) token.line = 0;
      add_macro(defines_[i].list.front(), defines_[i + 1].list, 0);
    }
  }

  void add_macro(const Token& name, std::span<const Token> replacement, int branch) {
    Piece piece = {.tokens = replacement, .names = {name.text}, .branch = branch, .is_macro = true};
    const bool has_parameters = !replacement.empty() && replacement[0].is("(") &&
                                replacement[0].text.data() == name.text.data() + name.text.size();
    for (std::size_t i = 0; has_parameters && i < replacement.size() && !replacement[i].is(")"); ++i)
      if (replacement[i].kind == Token::Word) piece.own.certain.insert(replacement[i].text);
    pieces_.push_back(std::move(piece));
    macros_.insert(name.text);
    if (begins_assembly(replacement)) asm_macros_.insert(name.text);
  }

  void add_statements(std::string_view entry, bool device_by_default) {
    const bool is_lambda_text = is_lambda(code_.tokens);
    is_uncertain_ = code_.is_damaged;
    const Macros macros = find_macros(code_, is_uncertain_);
    const bool hides_all = code_.is_damaged;
    const std::vector<Statement> statements = is_lambda_text ? std::vector<Statement>{{0, code_.tokens.size()}}
                                                             : find_statements(code_, macros, is_uncertain_);
    for (const Statement& statement : statements) {
      Piece piece = {.tokens = std::span(code_.tokens).subspan(statement.begin, statement.end - statement.begin),
                     .names = {},
                     .branches = code_.branch.data() + statement.begin,
                     .is_unclear = statement.is_unclear || hides_all};
      name(piece, statement, macros);
      if (is_lambda_text) piece.raise(Reach::Certain);
      pieces_.push_back(std::move(piece));
    }
    if (!entry_.list.empty()) {
      for (Token& token : entry_.list) token.line = 0;
      is_uncertain_ |= !is_lambda(entry_.list) && !declares_a_name_of_entry();
      pieces_.push_back({.tokens = entry_.list, .names = {}, .reach = Reach::Certain});
    } else if (!is_lambda_text) {
      begin_with_only_function(entry, device_by_default);
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
  void begin_with_only_function(std::string_view entry, bool device_by_default) {
    SourceScan functions = scan(text_);
    if (device_by_default) mark_device_by_default(functions);
    const EntryChoice choice = choose_entry(functions, entry);
    if (choice.kind != EntryChoice::Found) return;
    const std::size_t colon = choice.name.rfind("::");
    const std::string_view last = std::string_view(choice.name).substr(colon == choice.name.npos ? 0 : colon + 2);
    const auto has_name = [&](const Piece& piece) { return std::ranges::find(piece.names, last) != piece.names.end(); };
    const auto defines_name = [&](const Piece& piece) { return has_name(piece) && piece.is_definition(); };
    const bool is_one = std::ranges::count_if(pieces_, defines_name) == 1;
    for (Piece& piece : pieces_)
      if (has_name(piece)) piece.raise(is_one ? Reach::Certain : Reach::Possible);
  }

  // Finds the names that a statement declares. A function's name is the last word in front of its parameters. Operators
  // are called without their names, so they always count as reached. A kernel has no names, since no callback calls it.
  void name(Piece& piece, const Statement& statement, const Macros& macros) {
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
        return leave_out(piece);
      }
      if (is_class_key(token.text)) {
        is_class = may_have_body = true;
      } else if (takes_arguments(token.text) && i + 1 < end && tokens[i + 1].is("(")) {
        i = std::min(code_.partner[i + 1], end - 1);
      } else if (token.kind == Token::Word) {
        const Macro mark = marks(macros, token.text);
        if (mark.is_global && !mark.is_device && !piece.is_unclear) return leave_out(piece);
        if (token.is("operator")) piece.raise(Reach::Certain);
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

  static void leave_out(Piece& piece) {
    piece.tokens = {};
    piece.names = {};
    piece.reach = Reach::None;
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

  void note_names() {
    for (Piece& piece : pieces_) {
      DeclaredNames found = find_declared_names(piece.tokens);
      piece.own.certain.merge(found.certain);
      piece.own.likely = std::move(found.likely);
      piece.hidden = piece.own.certain;
      for (const std::string_view name : piece.names) piece.hidden.erase(name);
      for (const std::string_view name : piece.own.certain)
        if (is_thread_variable(name)) declared_.insert(name);
      for (const std::string_view name : piece.own.likely)
        if (is_thread_variable(name)) declared_.insert(name);
      if (!piece.is_definition()) continue;
      for (const std::string_view name : piece.names) {
        ++definitions_[name];
        if (!piece.is_macro && !piece.is_unclear && is_always_compiled(piece.branch_of(0))) functions_.insert(name);
      }
    }
  }

  // Marks the pieces that the pieces of this reach mention, until there are no more.
  void reach(Reach level) {
    std::unordered_map<std::string_view, std::vector<std::size_t>> places;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      for (const std::string_view name : pieces_[i].names) places[name].push_back(i);
      if (pieces_[i].reach >= level) open.push_back(i);
    }
    while (!open.empty()) {
      const Piece& piece = pieces_[open.back()];
      open.pop_back();
      for (std::size_t i = 0; i < piece.tokens.size(); ++i) {
        const auto found = places.find(piece.tokens[i].text);
        if (found == places.end() || mention(piece, i) < level) continue;
        for (const std::size_t place : found->second) {
          if (pieces_[place].reach >= level) continue;
          pieces_[place].raise(level);
          if (pieces_[place].reach >= level) open.push_back(place);
        }
        places.erase(found);
      }
    }
  }

  // Whether a word of the piece means the function, class, variable or macro of this name. A name that the text defines
  // several times leaves open which one is meant.
  Reach mention(const Piece& piece, std::size_t at) const {
    const Token& token = piece.tokens[at];
    if (token.kind != Token::Word) return Reach::None;
    const auto count = definitions_.find(token.text);
    const bool is_one = count == definitions_.end() || count->second == 1;
    const Reach most = is_one && is_always_compiled(piece.branch_of(at)) ? Reach::Certain : Reach::Possible;
    if (macros_.contains(token.text)) return most;
    const bool is_selected = at > 0 && (piece.tokens[at - 1].is(".") || piece.tokens[at - 1].is("->"));
    const bool is_call = at + 1 < piece.tokens.size() && piece.tokens[at + 1].is("(");
    if (is_selected) return is_call ? most : Reach::None;
    if (piece.hidden.contains(token.text)) return Reach::None;
    return piece.own.likely.contains(token.text) ? Reach::Possible : most;
  }

  void look_for_words(const Piece& piece) {
    const std::span<const Token> tokens = piece.tokens;
    std::size_t end_of_assembly = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      if (token.kind != Token::Word) continue;
      const bool is_certain = piece.reach == Reach::Certain && is_always_compiled(piece.branch_of(i));
      if ((is_asm_keyword(token.text) || asm_macros_.contains(token.text)) && i >= end_of_assembly)
        end_of_assembly = i + look_into_assembly(tokens.subspan(i), is_certain);
      std::optional<ThreadWord::Use> use = use_of(token.text);
      if (!use && uses_groups_ && is_name_of_cooperative_groups(token.text)) use = ThreadWord::Barrier;
      if (!use || is_member_name(tokens, i)) continue;
      if (piece.own.certain.contains(token.text) || functions_.contains(token.text)) continue;
      // CUDA's variables are no scopes, so this is a namespace or a class: warpSize::value.
      if (is_thread_variable(token.text) && i + 1 < tokens.size() && tokens[i + 1].is("::")) continue;
      const bool may_be_users_own = declared_.contains(token.text) || macros_.contains(token.text);
      add({*use, std::string(token.text), token.line, 0, is_certain && !may_be_users_own}, token);
    }
  }

  // Searches the strings of an asm statement: asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t)); The compiler joins
  // adjacent strings, so one instruction may be spread over several tokens. Returns the number of tokens of the
  // statement.
  std::size_t look_into_assembly(std::span<const Token> tokens, bool is_certain) {
    int depth = 0;
    std::size_t i = 1;
    std::string joined;
    std::vector<std::pair<std::size_t, const Token*>> begins;  // where the text of each string begins
    const auto look = [&] {
      for (const ThreadWord& found : find_thread_words_in_assembly(joined)) {
        const auto behind = std::ranges::upper_bound(begins, joined.find(found.word), {},
                                                     [](const auto& begin) { return begin.first; });
        const Token& token = *std::prev(behind)->second;
        add({found.use, found.word, token.line, 0, is_certain}, token);
      }
      joined.clear();
      begins.clear();
    };
    for (; i < tokens.size() && !tokens[i].is(";"); ++i) {
      if (tokens[i].is("(")) ++depth;
      if (tokens[i].is(")") && --depth == 0) break;
      if (tokens[i].kind != Token::String) {
        look();
        continue;
      }
      begins.emplace_back(joined.size(), &tokens[i]);
      joined += literal_value(tokens[i].text);
    }
    look();
    return i;
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
  std::unordered_set<std::string_view> asm_macros_;  // macros that stand for the beginning of an asm statement
  std::unordered_set<std::string_view> declared_;    // built-in variables whose names the text declares as its own
  std::unordered_set<std::string_view> functions_;   // names of functions, classes and variables that the text defines
  std::unordered_map<std::string_view, int> definitions_;  // how often the text defines a name
  bool uses_groups_ = false;
  bool is_uncertain_ = false;
  std::vector<ThreadWord> found_;
};

}  // namespace

std::vector<ThreadWord> find_thread_words(std::string_view text, std::string_view entry,
                                          std::span<const Define> defines, bool device_by_default) {
  if (!may_have_thread_words(text) && !may_have_thread_words(entry) &&
      std::ranges::none_of(defines, [](const Define& define) { return may_have_thread_words(define.value); }))
    return {};
  return ThreadWordSearch(text, entry, defines, device_by_default).run();
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
