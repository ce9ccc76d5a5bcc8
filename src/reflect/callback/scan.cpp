// scan() reads the directives and records the types and functions that the text mentions. declarations.cpp finds the
// functions and variables that the text declares.
#include "reflect/callback/scan.hpp"

#include <algorithm>
#include <span>

#include "reflect/callback/statements.hpp"
#include "reflect/text/include_scan.hpp"
#include "reflect/text/keywords.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::reflect {
namespace {

// Whether the pragma asks for unrolling. `#pragma unroll 1` forbids unrolling.
bool is_unroll(std::span<const Token> pragma) {
  if (pragma.empty() || !pragma[0].is("unroll")) return false;
  const std::size_t factor = pragma.size() > 1 && pragma[1].is("(") ? 2 : 1;
  return factor >= pragma.size() || !pragma[factor].is("1");
}

void note_include(const IncludeDirective& include, SourceScan& found) {
  const bool is_bfloat16 = include.name.ends_with("cuda_bf16.h");  // cuda_bf16.h includes cuda_fp16.h
  found.includes_bfloat16_header |= is_bfloat16;
  found.includes_half_header |= is_bfloat16 || include.name.ends_with("cuda_fp16.h");
  found.includes.push_back(include.spelling);
}

bool has_unroll_operator(std::span<const Token> tokens) {
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is("_Pragma") || tokens[i + 2].kind != Token::String) continue;
    std::string_view quoted = tokens[i + 2].text;
    quoted = quoted.substr(quoted.find('"') + 1);
    if (is_unroll(tokenize(quoted.substr(0, quoted.size() - 1)).list)) return true;
  }
  return false;
}

// Whether the text, or the replacement of a macro, has the word __shared__.
bool mentions_shared_memory(const Code& code) {
  const auto is_shared = [](const Token& token) { return token.kind == Token::Word && token.is("__shared__"); };
  return std::ranges::any_of(code.tokens, is_shared) ||
         std::ranges::any_of(code.directives, [&](const Directive& line) {
           return line.name == "define" && !line.is_dead && !line.words.empty() &&
                  std::any_of(line.words.begin() + 1, line.words.end(), is_shared);
         });
}

// Finds the macros of <math.h> that a text defines whether or not they are defined already. Takes all directives in the
// order of the text.
class OwnConstants {
 public:
  void next(const Directive& line, SourceScan& found) {
    if (line.name.starts_with("if")) conditions_.push_back(line.words);
    if (line.name == "endif" && !conditions_.empty()) conditions_.pop_back();
    if (line.name != "define" || line.words.empty()) return;
    const std::string_view macro = line.words.front().text;
    const auto is_macro = [&](const Token& token) { return token.is(macro); };
    const auto tests_macro = [&](const std::vector<Token>& words) { return std::ranges::any_of(words, is_macro); };
    if (is_math_macro(macro) && std::ranges::none_of(conditions_, tests_macro)) found.own_constants.emplace(macro);
  }

 private:
  std::vector<std::vector<Token>> conditions_;  // of the #ifs around the directive
};

bool is_texture_word(std::string_view word) {
  static constexpr std::array<std::string_view, 10> kPrefixes = {
      "tex1D",  "tex2D",  "tex3D",       "texCubemap",          "surf1D",
      "surf2D", "surf3D", "surfCubemap", "cudaTextureObject_t", "cudaSurfaceObject_t"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view p) { return word.starts_with(p); });
}

// What a text does with the words `half` and `half2`: uses them, or declares a variable or function of this name.
struct HalfUse {
  bool is_used = false;
  bool is_declared = false;
};

// Follows the tokens of a text and finds the names of enumerators: the words after `{` and `,` in the body of an enum.
class Enumerators {
 public:
  // Takes the next token of the text, and returns whether the token is the name of an enumerator.
  bool next(const Token& token) {
    const bool is_name = is_name_next_ && token.kind == Token::Word;
    if (depth_ == 0) {
      if (is_in_head_ && token.is("{")) depth_ = 1;
      if (token.is("enum")) is_scoped_ = false;
      if (is_in_head_ && (token.is("class") || token.is("struct"))) is_scoped_ = true;
      is_in_head_ = token.is("enum") || (is_in_head_ && !ends_head(token));
    } else if (token.is("{") || token.is("(") || token.is("[")) {
      ++depth_;
    } else if (token.is("}") || token.is(")") || token.is("]")) {
      --depth_;
    }
    is_name_next_ = depth_ == 1 && (token.is("{") || token.is(","));
    return is_name;
  }

  // Whether the last enum is an `enum class`, whose enumerators declare no names outside the enum.
  bool is_scoped() const { return is_scoped_; }

 private:
  // An enum whose name is not followed by a body: a declaration, or a parameter of a function or template.
  static bool ends_head(const Token& token) {
    return token.is(";") || token.is("{") || token.is(")") || token.is(",") || token.is(">") || token.is("=");
  }

  bool is_in_head_ = false;  // between `enum` and the body
  bool is_scoped_ = false;
  bool is_name_next_ = false;
  int depth_ = 0;  // open brackets, counted from the enum's `{`; 0 outside of an enum's body
};

// Whether the word is the name of one of CUDA's types that users often use as a name of their own.
bool is_half(std::string_view text) {
  return text == "half" || text == "half2";
}

void note_word(std::string_view text, const Token& before, const Token& after, bool is_enumerator, HalfUse& half,
               SourceScan& found) {
  if (is_half(text)) {
    if (before.is(".") || before.is("->")) return;
    half.is_used = true;
    half.is_declared = half.is_declared || is_enumerator || declares(before, after);
  } else if (text.find("half") != text.npos) {
    found.mentions_half |= text.starts_with("__half") || text.find("nv_half") != text.npos ||
                           text.find("2half") != text.npos || text == "make_half2";
  }
  if (is_math_macro(text) && (is_enumerator || declares(before, after))) found.own_constants.emplace(text);
  if (text.find("bfloat16") != text.npos) found.mentions_bfloat16 = true;
  if (is_texture_word(text) || ((text == "texture" || text == "surface") && after.is("<")))
    found.mentions_textures = true;
  if (after.is("(") && is_long_math(text)) found.mentions_long_math = true;
}

void note_words(std::span<const Token> tokens, HalfUse& half, SourceScan& found) {
  const Token none;
  Enumerators enumerators;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_enumerator = enumerators.next(tokens[i]);
    // The word is a name in another scope: Size::half.
    const bool is_qualified = i > 1 && tokens[i - 1].is("::") && tokens[i - 2].kind == Token::Word;
    if (is_half(tokens[i].text) && (is_qualified || (is_enumerator && enumerators.is_scoped()))) continue;
    if (tokens[i].kind == Token::Word)
      note_word(tokens[i].text, i > 0 ? tokens[i - 1] : none, i + 1 < tokens.size() ? tokens[i + 1] : none,
                is_enumerator, half, found);
  }
}

// Finds names that decide how graft compiles the text: types and functions of cuda_fp16.h and cuda_bf16.h, textures and
// surfaces, math functions that take dozens of instructions per element, and macros of <math.h> that the text declares
// as variables, parameters or enumerators.
void find_mentions(const Code& code, SourceScan& found) {
  HalfUse half;
  note_words(code.tokens, half, found);
  // In `#define LARGE INFINITY;`, the word in front of INFINITY is no type.
  const auto own_constants = found.own_constants;
  for (const Directive& directive : code.directives)
    if (directive.name == "define" && !directive.is_dead) note_words(directive.words, half, found);
  found.own_constants = own_constants;
  found.mentions_half |= half.is_used && !half.is_declared;
}

}  // namespace

SourceScan scan(const Text& text) {
  const Code& code = text.code();
  SourceScan found;
  found.uncertain = code.is_damaged;
  find_mentions(code, found);
  found.mentions_shared_memory = mentions_shared_memory(code);
  found.has_unroll_pragma = has_unroll_operator(code.tokens);
  OwnConstants constants;
  for (const Directive& directive : code.directives) {
    constants.next(directive, found);
    if (const auto include = parse_include(directive)) note_include(*include, found);
    if (directive.is_dead || directive.words.empty()) continue;
    if (directive.name == "pragma") found.has_unroll_pragma |= is_unroll(directive.words);
    if (directive.name == "define") found.has_unroll_pragma |= has_unroll_operator(directive.words);
  }
  const Macros macros = find_macros(code, found.uncertain);
  found.is_expression = is_lambda(code.tokens);
  if (!found.is_expression) find_declarations(code, macros, found);
  return found;
}

void mark_device_by_default(SourceScan& scan) {
  for (FunctionFound& function : scan.functions) function.is_device |= !function.is_global;
}

}  // namespace graft::reflect
