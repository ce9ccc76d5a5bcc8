// A lexer and a recursive-descent reader for the top level of PTX. The reader reads .version, .target and the
// functions, and skips every other statement token by token. kLargestParameter limits sizes and alignments, so that
// hostile text cannot cause an overflow.
#include "format/ptx.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

#include "base/format.hpp"

namespace graft::format {
namespace {

struct Token {
  enum Kind : std::uint8_t { End, Word, Directive, Number, String, Symbol, Broken };
  Kind kind = End;
  std::string_view text;
  std::size_t offset = 0;

  bool is(std::string_view wanted) const noexcept { return kind != String && text == wanted; }
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' || c == '%';
}
bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// Returns one token at a time. An unterminated comment or string becomes a Broken token that extends to the end of the
// text.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next() {
    if (!skip_blanks()) return take(Token::Broken, text_.size());
    if (at_ >= text_.size()) return {Token::End, {}, text_.size()};
    const char c = text_[at_];
    if (c == '"') return string();
    if (c == '.' && is_word(peek(1)) && !is_digit(peek(1))) return take(Token::Directive, word_end(at_ + 1));
    if (is_digit(c)) return take(Token::Number, number_end());
    if (is_word(c)) return take(Token::Word, word_end(at_ + 1));
    return take(c == '\0' ? Token::Broken : Token::Symbol, at_ + 1);
  }

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  // Skips blanks and comments. Returns false at an unterminated comment. Zero bytes at the end of the text count as
  // blanks, because some tools write a terminating zero.
  bool skip_blanks() {
    for (;;) {
      while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
      if (peek(0) == '/' && peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (peek(0) == '/' && peek(1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) return false;
        at_ = end + 2;
      } else {
        if (at_ < text_.size() && text_.find_first_not_of('\0', at_) == std::string_view::npos) at_ = text_.size();
        return true;
      }
    }
  }

  Token string() {
    for (std::size_t i = at_ + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') ++i;
      else if (text_[i] == '"') return take(Token::String, i + 1);
    }
    return take(Token::Broken, text_.size());
  }

  std::size_t word_end(std::size_t i) const {
    while (i < text_.size() && is_word(text_[i])) ++i;
    return i;
  }

  std::size_t number_end() const {
    const std::size_t end = word_end(at_);
    const bool has_fraction = end + 1 < text_.size() && text_[end] == '.' && is_digit(text_[end + 1]);
    return has_fraction ? word_end(end + 1) : end;
  }

  Token take(Token::Kind kind, std::size_t end) {
    const Token token{kind, text_.substr(at_, end - at_), at_};
    at_ = end;
    return token;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct TypeSize {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array<TypeSize, 24> kTypes = {{
    {".b8", 1},    {".u8", 1},    {".s8", 1},   {".b16", 2},    {".u16", 2},     {".s16", 2},
    {".f16", 2},   {".bf16", 2},  {".b32", 4},  {".u32", 4},    {".s32", 4},     {".f32", 4},
    {".f16x2", 4}, {".tf32", 4},  {".b64", 8},  {".u64", 8},    {".s64", 8},     {".f64", 8},
    {".f32x2", 8}, {".b128", 16}, {".pred", 1}, {".texref", 8}, {".surfref", 8}, {".samplerref", 8},
}};

std::uint64_t type_size(std::string_view directive) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeSize& t) { return t.name == directive; });
  return found == kTypes.end() ? 0 : found->bytes;
}

PtxParameter::Number number(std::string_view directive) {
  if (directive == ".f32" || directive == ".f64") return PtxParameter::Float;
  const bool is_integer =
      directive.size() > 2 && (directive[1] == 's' || directive[1] == 'u') && is_digit(directive[2]);
  return is_integer ? PtxParameter::Integer : PtxParameter::Unknown;
}

template <class T>
std::optional<T> decimal(std::string_view text) {
  T value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Parses "sm_90a".
std::optional<Architecture> architecture(std::string_view text) {
  constexpr std::string_view prefix = "sm_";
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  Architecture found;
  if (text.ends_with('a') || text.ends_with('f')) {
    found.suffix = text.back();
    text.remove_suffix(1);
  }
  const auto number = decimal<unsigned>(text);
  if (!number || *number < 10 || *number > 999) return std::nullopt;
  found.number = static_cast<int>(*number);
  return found;
}

constexpr std::uint64_t kLargestParameter = 1 << 20;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), lexer_(text), token_(lexer_.next()) {}

  Outcome<Ptx> read() {
    if (!token_.is(".version"))
      return FormatError{Flaw::Unknown, "this is not PTX: it does not begin with .version", 0};
    if (header() && statements()) return std::move(ptx_);
    return error_;
  }

 private:
  void advance() { token_ = lexer_.next(); }

  bool take(std::string_view wanted) {
    if (!token_.is(wanted)) return false;
    advance();
    return true;
  }

  bool fail(std::string_view wanted) {
    const bool ends = token_.kind == Token::End;
    const bool unclosed = token_.kind == Token::Broken && token_.text.size() > 1;
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(token_.offset), '\n');
    error_ = {ends || unclosed ? Flaw::Truncated : Flaw::Damaged,
              ends       ? base::format("the PTX ends too early: expected {}", wanted)
              : unclosed ? base::format("line {} of the PTX opens a comment or string that never ends", line)
                         : base::format("line {} of the PTX: expected {}", line, wanted),
              token_.offset};
    return false;
  }

  // Reads the PTX version and the architecture: ".version 9.0   .target sm_90a, texmode_independent".
  bool header() {
    advance();
    const std::string_view number = token_.text;
    const std::size_t dot = number.find('.');
    const auto major = decimal<unsigned>(number.substr(0, dot));
    const auto minor = dot == std::string_view::npos ? std::nullopt : decimal<unsigned>(number.substr(dot + 1));
    if (token_.kind != Token::Number || !major || !minor || *major > 999 || *minor > 999) return fail("version number");
    ptx_.version = {static_cast<int>(*major), static_cast<int>(*minor)};
    advance();
    if (!take(".target")) return fail(".target");
    const auto target = architecture(token_.text);
    if (!target) return fail("architecture");
    ptx_.target = *target;
    return true;
  }

  bool statements() {
    PtxFunction::Linkage linkage = PtxFunction::Local;
    while (token_.kind != Token::End) {
      if (token_.kind == Token::Broken) return fail("text");
      if (token_.is(".func") || token_.is(".entry")) {
        if (!function(linkage)) return false;
      } else if (token_.is("{")) {
        if (!skip_block()) return false;
      } else {
        linkage = linkage_of(token_);
        advance();
        continue;
      }
      linkage = PtxFunction::Local;
    }
    return true;
  }

  // The linkage that the token declares. A linking directive applies only to the function directly after it, so for any
  // other token the linkage is Local again.
  static PtxFunction::Linkage linkage_of(const Token& token) {
    if (token.is(".visible")) return PtxFunction::Visible;
    if (token.is(".weak")) return PtxFunction::Weak;
    if (token.is(".extern")) return PtxFunction::Extern;
    return PtxFunction::Local;
  }

  bool function(PtxFunction::Linkage linkage) {
    PtxFunction found;
    found.linkage = linkage;
    found.is_kernel = token_.is(".entry");
    advance();
    if (take(".attribute") && !(token_.is("(") ? skip("(", ")", "closing parenthesis") : fail("attribute")))
      return false;
    if (token_.is("(") && !parameters(found.results)) return false;
    if (token_.kind != Token::Word) return fail("function name");
    found.name = token_.text;
    advance();
    if (token_.is("(") && !parameters(found.parameters)) return false;
    while (!token_.is("{") && !token_.is(";")) {  // skips ".noreturn", ".maxntid 256, 1, 1" and the like
      if (token_.kind == Token::End || token_.kind == Token::Broken) return fail("body or semicolon");
      advance();
    }
    found.is_defined = token_.is("{");
    const std::size_t begin = token_.offset;
    if (found.is_defined && !skip_block()) return false;
    if (found.is_defined) found.body = text_.substr(begin, end_of_block_ - begin);
    add(std::move(found));
    return true;
  }

  void add(PtxFunction found) {
    const auto [entry, is_new] = places_.try_emplace(found.name, ptx_.functions.size());
    if (is_new) ptx_.functions.push_back(std::move(found));
    else if (found.is_defined) ptx_.functions[entry->second] = std::move(found);
  }

  bool parameters(std::vector<PtxParameter>& list) {
    advance();
    if (take(")")) return true;
    do {
      PtxParameter found;
      if (!parameter(found)) return false;
      list.push_back(found);
    } while (take(","));
    return take(")") || fail("closing parenthesis");
  }

  // Reads one parameter, which has one of these forms:
  // .param .align 4 .b8 name[8]     .param .u64 .ptr .global .align 16 name     .reg .b32 name
  bool parameter(PtxParameter& found) {
    if (!take(".param") && !take(".reg")) return fail("parameter");
    std::uint64_t alignment = 0;
    bool is_pointee = false;  // after .ptr, an alignment describes the memory that the pointer points to
    std::uint64_t elements = 1;
    for (; token_.kind == Token::Directive; advance()) {
      if (token_.is(".align")) {
        advance();
        const auto value = decimal<std::uint64_t>(token_.text);
        if (!value || *value == 0 || *value > kLargestParameter) return fail("alignment");
        if (!is_pointee) alignment = *value;
      } else if (token_.is(".ptr")) {
        is_pointee = true;
      } else if (token_.is(".v2") || token_.is(".v4") || token_.is(".v8")) {
        elements = static_cast<std::uint64_t>(token_.text[2] - '0');
      } else if (const std::uint64_t bytes = type_size(token_.text); bytes != 0) {
        found.size = bytes;
        found.number = number(token_.text);
      }
    }
    if (found.size == 0) return fail("parameter type");
    if (token_.kind != Token::Word) return fail("parameter name");
    advance();
    found.size *= elements;
    found.alignment = alignment != 0 ? alignment : found.size;
    while (take("["))
      if (!dimension(found)) return false;
    return true;
  }

  // Reads the part of an array's dimension that follows the opening bracket: "8]", or "]" for variable arguments.
  bool dimension(PtxParameter& found) {
    std::uint64_t count = 0;
    if (!token_.is("]")) {
      const auto value = decimal<std::uint64_t>(token_.text);
      if (!value || *value > kLargestParameter) return fail("array size");
      count = *value;
      advance();
    }
    found.size *= count;
    if (found.size > kLargestParameter) return fail("array size");
    return take("]") || fail("closing bracket");
  }

  // Skips from the opening bracket, which is the current token, past the closing bracket that matches it.
  bool skip(std::string_view open, std::string_view close, std::string_view what) {
    std::size_t depth = 0;
    do {
      if (token_.is(open)) ++depth;
      if (token_.is(close)) {
        --depth;
        end_of_block_ = token_.offset + 1;
      }
      if (token_.kind == Token::End || token_.kind == Token::Broken) return fail(what);
      advance();
    } while (depth != 0);
    return true;
  }
  bool skip_block() { return skip("{", "}", "closing brace"); }

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  Ptx ptx_;
  std::map<std::string_view, std::size_t> places_;  // function name -> index in ptx_.functions
  std::size_t end_of_block_ = 0;                    // the offset behind the last closing bracket that skip() met
  FormatError error_;
};

}  // namespace

const PtxFunction* Ptx::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const PtxFunction& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

bool is_ptx(std::string_view text) noexcept {
  return Lexer(text).next().is(".version");
}

Outcome<Ptx> read_ptx(std::string_view text) {
  return Reader(text).read();
}

std::vector<PtxCall> read_calls(std::string_view text) {
  std::vector<PtxCall> calls;
  Lexer lexer(text);
  const auto is_end = [](const Token& token) { return token.kind == Token::End || token.kind == Token::Broken; };
  Token token = lexer.next();
  while (!is_end(token)) {
    const bool is_call = token.kind == Token::Word && token.is("call");
    token = lexer.next();
    if (!is_call) continue;
    if (token.is(".uni")) token = lexer.next();
    if (token.is("(")) {  // the result: "call.uni (retval0), f, (param0);"
      while (!is_end(token) && !token.is(",") && !token.is(";")) token = lexer.next();
      if (token.is(",")) token = lexer.next();
    }
    if (token.kind != Token::Word) continue;
    const std::string_view behind = text.substr(token.offset + token.text.size());
    calls.push_back({token.text, behind.substr(0, behind.find('}'))});
  }
  return calls;
}

std::vector<PtxVariable> undefined_variables(std::string_view text) {
  std::vector<PtxVariable> found;
  for (const std::string_view words : {"\n.extern .global ", "\n.extern .const "})
    for (std::size_t at = text.find(words); at != text.npos; at = text.find(words, at + 1)) {
      const std::string_view declaration = text.substr(at, text.find(';', at) - at);
      const std::size_t space = declaration.rfind(' '), type = declaration.rfind('.', space);
      const std::string_view name = declaration.substr(space + 1);
      const std::size_t bracket = name.find('[');
      found.push_back({name.substr(0, bracket), declaration.substr(type + 1, space - type - 1), bracket != name.npos});
    }
  return found;
}

bool has_dynamic_shared_memory(std::string_view text) noexcept {
  return text.find("\n.extern .shared ") != text.npos;
}

}  // namespace graft::format
