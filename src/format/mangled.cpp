// base::demangled (the C++ runtime) demangles a symbol. This file splits the demangled text into the name and the
// parameter types, at the commas, spaces and "::" that are outside of all brackets, and gives each type its canonical
// spelling.
#include "format/mangled.hpp"

#include <algorithm>
#include <array>

#include "base/demangle.hpp"

namespace graft::format {
namespace {

constexpr auto kNone = std::string_view::npos;

// The deepest nesting of brackets that is accepted. canonical_type copies the contents of each bracket once per level,
// so a megabyte of nested brackets would take minutes.
constexpr std::size_t kDeepest = 256;

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

int step(char c) {
  if (c == '(' || c == '<' || c == '[' || c == '{') return 1;
  if (c == ')' || c == '>' || c == ']' || c == '}') return -1;
  return 0;
}

// The position of the opening bracket that matches the closing bracket at the text's end; kNone if there is none.
std::size_t last_opening(std::string_view text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    depth -= step(text[i]);
    if (depth == 0) return i;
  }
  return kNone;
}

// The text after the last `mark` that is outside of all brackets; the whole text if it has no such `mark`.
std::string_view after_last(std::string_view text, std::string_view mark) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (depth == 0 && text.substr(i).starts_with(mark)) return text.substr(i + mark.size());
    depth -= step(text[i]);
  }
  return text;
}

std::vector<std::string> split_types(std::string_view list) {
  std::vector<std::string> types;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size()) depth += step(list[i]);
    if (i < list.size() && (list[i] != ',' || depth != 0)) continue;
    std::string type = canonical_type(list.substr(begin, i - begin));
    if (!type.empty() && type != "void") types.push_back(std::move(type));
    begin = i + 1;
  }
  return types;
}

// Collects the words of one type in any order ("long", "unsigned", "long"). take() returns the type's canonical
// spelling.
class Words {
 public:
  void add(std::string_view word) {
    if (word == "const") is_const_ = true;
    else if (word == "volatile") is_volatile_ = true;
    else if (word == "signed") is_signed_ = true;
    else if (word == "unsigned") is_unsigned_ = true;
    else if (word == "short") is_short_ = true;
    else if (word == "long") ++longs_;
    else if (word == "int" || word == "__int64") is_int_ = true;
    else if (word != "struct" && word != "class" && word != "enum" && word != "union") add_name(word);
  }
  void add_to_base(std::string_view text) { base_ += text; }
  bool has_base() const { return !base_.empty() || is_int_ || is_short_ || longs_ != 0 || is_signed_ || is_unsigned_; }

  std::string take() {
    std::string text = is_const_ ? "const " : "";
    if (is_volatile_) text += "volatile ";
    text += base();
    if (text.ends_with(' ')) text.pop_back();
    *this = Words();
    return text;
  }

 private:
  void add_name(std::string_view word) {
    if (!base_.empty() && is_word_character(base_.back()) && is_word_character(word.front())) base_ += ' ';
    base_ += word;
  }

  std::string base() const {
    if (base_ == "char" && is_unsigned_) return "unsigned char";
    if (base_ == "char" && is_signed_) return "signed char";
    if (base_ == "double" && longs_ != 0) return "long double";
    if (!base_.empty()) return base_;
    if (!has_base()) return {};
    const std::string_view width = is_short_ ? "short" : longs_ == 0 ? "int" : longs_ == 1 ? "long" : "long long";
    return (is_unsigned_ ? "unsigned " : "") + std::string(width);
  }

  std::string base_;  // "math::Scale<float>"
  bool is_const_ = false;
  bool is_volatile_ = false;
  bool is_signed_ = false;
  bool is_unsigned_ = false;
  bool is_short_ = false;
  bool is_int_ = false;
  int longs_ = 0;
};

}  // namespace

// Reads the text from left to right. The words up to a `*`, a `&`, a comma or a closing bracket form one type; these
// words may stand in any order, like those of `long unsigned int`. At an opening bracket a nested list of types begins;
// at its closing bracket the canonical list, for example "<float, int>", is appended to the name before the bracket.
std::string canonical_type(std::string_view spelling) {
  std::string result;
  std::vector<Words> open(1);         // the type being read at each bracket level, outermost first
  std::vector<std::string> texts(1);  // the canonical text so far at each bracket level
  const auto finish = [&] { texts.back() += open.back().take(); };
  for (std::size_t i = 0; i < spelling.size();) {
    const char c = spelling[i];
    std::size_t end = i + 1;
    if (is_word_character(c) || c == ':') {
      while (end < spelling.size() && (is_word_character(spelling[end]) || spelling[end] == ':')) ++end;
      std::string_view word = spelling.substr(i, end - i);
      if (word.starts_with("::") && !open.back().has_base()) word.remove_prefix(2);
      if (!word.empty()) open.back().add(word);
    } else if (step(c) > 0) {
      if (open.size() == kDeepest) return std::string(spelling);
      open.emplace_back();
      texts.emplace_back();
      texts.back() = c;
    } else if (step(c) < 0 && open.size() > 1) {
      finish();
      const std::string inner = texts.back() + c;
      open.pop_back();
      texts.pop_back();
      open.back().add_to_base(inner);
    } else if (c == ',') {
      finish();
      texts.back() += ", ";
    } else if (c != ' ' && c != '\t' && c != '\n') {
      finish();
      texts.back() += c;
    }
    i = end;
  }
  while (open.size() > 1) {  // close the brackets that the text left open
    finish();
    const std::string inner = texts.back();
    open.pop_back();
    texts.pop_back();
    open.back().add_to_base(inner);
  }
  finish();
  return texts.front();
}

std::string_view FunctionName::plain() const noexcept {
  std::string_view name = qualified;
  if (name.ends_with('>')) name = name.substr(0, last_opening(name));
  return after_last(name, "::");
}

std::optional<FunctionName> read_function_name(std::string_view symbol) {
  if (symbol.empty()) return std::nullopt;
  if (!symbol.starts_with("_Z")) {
    if (!std::all_of(symbol.begin(), symbol.end(), is_word_character)) return std::nullopt;
    return FunctionName{std::string(symbol), std::nullopt};
  }
  // A demangled template instance begins with its result type: "float math::scale<float>(float, Scale const&)".
  const std::string text = base::demangled(symbol);
  if (!text.ends_with(')') || text.find("operator") != std::string::npos) return std::nullopt;
  const std::size_t list = last_opening(text);
  if (list == kNone || list == 0) return std::nullopt;
  const std::string_view name = after_last(std::string_view(text).substr(0, list), " ");
  if (name.empty() || name.ends_with(')'))
    return std::nullopt;  // for example a function that returns a function pointer
  return FunctionName{std::string(name), split_types(std::string_view(text).substr(list + 1, text.size() - list - 2))};
}

std::vector<std::string_view> symbols_called(std::string_view wanted, std::span<const std::string_view> symbols) {
  std::array<std::vector<std::string_view>, 3> found;  // matches by symbol, by qualified name and by plain name
  for (const std::string_view symbol : symbols) {
    const std::optional<FunctionName> name = read_function_name(symbol);
    if (symbol == wanted) found[0].push_back(symbol);
    else if (name && name->qualified == wanted) found[1].push_back(symbol);
    else if (name && name->plain() == wanted) found[2].push_back(symbol);
  }
  const auto first = std::find_if(found.begin(), found.end(), [](const auto& list) { return !list.empty(); });
  return first == found.end() ? std::vector<std::string_view>() : *first;
}

}  // namespace graft::format
