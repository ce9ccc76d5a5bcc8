// The identifiers of graft are read from its files when the test runs, so the list is never out of date.
#include "scenarios/sources/macro_names.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <stdexcept>

#include "base/files.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> split(const char* text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The words that are C++'s in every program.
bool is_cpp(std::string_view word) {
  static const std::vector<std::string> words = split(
      "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class "
      "compl "
      "concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default "
      "delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long "
      "mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register "
      "reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template "
      "this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t "
      "while "
      "xor xor_eq final override defined _Pragma");
  return std::ranges::find(words, word) != words.end();
}

bool is_definable(std::string_view word) {
  return !word.starts_with("graft") && !word.starts_with("GRAFT") && word.find("__") == std::string_view::npos &&
         !is_cpp(word) && std::ranges::find(reserved_names(), word) == reserved_names().end();
}

std::vector<std::string> own_files() {
  std::vector<std::string> texts;
  const auto add = [&](const fs::path& path) {
    const std::optional<std::string> text = base::read_file(path.string());
    if (!text) throw std::runtime_error("cannot read " + path.string());
    texts.push_back(*text);
  };
  add(GRAFT_SOURCE_DIR "/include/graft/device.h");
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(GRAFT_SOURCE_DIR "/building_blocks")) {
    const std::string extension = entry.path().extension().string();
    if (entry.is_regular_file() && extension != ".md" && extension != ".txt") add(entry.path());
  }
  return texts;
}

}  // namespace

const std::vector<std::string>& everyday_names() {
  static const std::vector<std::string> names = split(
      // single letters
      "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z a b c d e f g h i j k l m n o p q r s t u v w x y z "
      // ordinary words
      "acc action actual address alpha angle answer apply area arg args array arrays at axis back base batch begin "
      "beta "
      "bias bin bit bits block body bottom buffer byte bytes call callback cell channel check chunk code coefficient "
      "column complex component cond config cost count cur current data dead delta depth diff dim dims dist done dst "
      "dt dx dy dz element empty end entry eps epsilon error even exact extra factor facts field first fit flag flags "
      "frame from function gain gamma given grad grid group half has head height high id idx im imag in index "
      "init inner input inputs inv is item iter key kind label lambda lane last launch left len length level limit "
      "line "
      "link links list load local loop low lower made many mask match mean member min_value mode more move mu name "
      "next "
      "node none norm now num number odd off offset old on one op option order other out outer output outputs own pad "
      "parameter parameters part parts pass path phase pixel place plane point pos position prev prob product ptr quot "
      "radius range rank rate ratio re real ref rem res rest result right role root row run sample scale score second "
      "seed self shape share shared shift side sigma sign single size slope slot source span src start state status "
      "step store stride sum tag tail taken target temp test thread threads tile tiles time tmp to top total type "
      "types "
      "unit unlike unpack upper val value values var vec vector version view wanted warp weight whole width window "
      "word "
      "words zero "
      // names of types
      "Cell Chain Facts Float Index Int Layout Matrix Pixel Point Real Result Role Scalar Signature Staged State Type "
      "Types Vec Vector Word "
      // macros of users' headers
      "ABS ALIGN ALPHA ARRAY_SIZE ASSERT BETA BIT BLOCK BLOCK_SIZE CEIL CHECK CLAMP COUNT CUBE DEBUG DEG2RAD DEVICE "
      "DIM "
      "EPS EPSILON ERROR FALSE FLT FORCEINLINE GAMMA GRID HEIGHT HOST IDX IN INLINE INOUT LEN LERP LIKELY MAX "
      "MAX_VALUE "
      "MIN MOD NDIM NO NONE NUM OFF OK ON ONE OUT PI RAD2DEG REAL RESTRICT RGB ROUND SCALE SIGN SIZE SQ SQR SQUARE "
      "STATIC STRIDE SWAP TAU THREADS TILE TOTAL TRUE TWO_PI UNROLL UNUSED USE VERSION VOID WARP_SIZE WIDTH YES ZERO "
      "likely unlikely");
  return names;
}

const std::vector<std::string>& reserved_names() {
  static const std::vector<std::string> names = split("std device host constant");
  return names;
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  const reflect::Tokens tokens = reflect::tokenize(text);
  const auto add = [&](const reflect::Token& token) {
    if (token.kind == reflect::Token::Word) words.emplace_back(token.text);
  };
  for (const reflect::Token& token : tokens.list) {
    if (token.kind != reflect::Token::Directive) {
      add(token);
      continue;
    }
    const reflect::Directive directive = reflect::parse_directive(token);
    if (directive.name == "include" || directive.name == "line") continue;
    for (const reflect::Token& word : directive.words) add(word);
  }
  return words;
}

std::vector<std::string> names_of_graft(const std::vector<std::string>& generated) {
  std::set<std::string> names;
  const auto add = [&](std::string_view text) {
    for (const std::string& word : words_in(text))
      if (is_definable(word)) names.insert(word);
  };
  for (const std::string& text : own_files()) add(text);
  for (const std::string& text : generated) add(text);
  return {names.begin(), names.end()};
}

std::vector<std::string> sweep_names(const std::vector<std::string>& generated) {
  std::set<std::string> names(everyday_names().begin(), everyday_names().end());
  for (const std::string& name : names_of_graft(generated)) names.insert(name);
  return {names.begin(), names.end()};
}

std::vector<std::string> guilty_names(const std::vector<std::string>& names,
                                      const std::function<bool(const std::vector<std::string>&)>& fails) {
  std::vector<std::string> guilty;
  std::vector<std::vector<std::string>> parts = {names};
  while (!parts.empty() && guilty.size() < 5) {
    const std::vector<std::string> part = parts.back();
    parts.pop_back();
    if (part.empty() || !fails(part)) continue;
    if (part.size() == 1) {
      guilty.push_back(part[0]);
      continue;
    }
    const auto middle = part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2);
    parts.emplace_back(middle, part.end());
    parts.emplace_back(part.begin(), middle);
  }
  return guilty;
}

}  // namespace graft::test
