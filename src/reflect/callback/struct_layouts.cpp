#include "reflect/callback/struct_layouts.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "reflect/signature/known_types.hpp"

namespace graft::reflect {
namespace {

// The members of one struct, from the token behind its opening brace.
class Members {
 public:
  Members(const Code& code, std::size_t begin, std::size_t end, const StructLayouts& known)
      : code_(code), at_(begin), end_(end), known_(known) {}

  // Returns nothing if the struct is not simple.
  std::optional<ElementType> layout() {
    while (at_ < end_)
      if (!declaration()) return std::nullopt;
    if (bytes_ == 0) return std::nullopt;
    return ElementType{ElementKind::Class, static_cast<std::uint32_t>(aligned(bytes_, alignment_)), alignment_};
  }

 private:
  static constexpr std::uint64_t kMost = 1u << 20;  // far above the largest state

  static std::uint64_t aligned(std::uint64_t bytes, std::uint32_t alignment) {
    return (bytes + alignment - 1) / alignment * alignment;
  }
  bool is(std::string_view text) const { return at_ < end_ && code_.tokens[at_].is(text); }

  // Reads "const float* a, b[4];".
  bool declaration() {
    std::string type;
    const auto is_type_word = [&](std::size_t at) {
      return at + 1 < end_ && code_.tokens[at].kind == Token::Word &&
             (code_.tokens[at + 1].kind == Token::Word || code_.tokens[at + 1].is("*"));
    };
    for (; is_type_word(at_); ++at_) {
      if (is("const")) continue;
      type += type.empty() ? "" : " ";
      type += code_.tokens[at_].text;
    }
    if (type.empty()) return false;
    while (true) {
      if (!member(type)) return false;
      if (is(",")) ++at_;
      else break;
    }
    if (!is(";")) return false;
    ++at_;
    return true;
  }

  bool member(const std::string& type) {
    std::optional<ElementType> element = type_of(type);
    for (; is("*"); ++at_) element = ElementType{ElementKind::Class, 8, 8};
    if (!element || at_ >= end_ || code_.tokens[at_].kind != Token::Word) return false;
    ++at_;
    std::uint64_t bytes = element->size;
    for (; is("["); at_ += 3) {
      std::uint32_t count = 0;
      if (at_ + 2 >= end_ || !code_.tokens[at_ + 2].is("]")) return false;
      const std::string_view digits = code_.tokens[at_ + 1].text;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
      if (error != std::errc() || end != digits.data() + digits.size() || count == 0 || digits.front() == '0')
        return false;
      bytes *= count;
      if (bytes > kMost) return false;
    }
    alignment_ = std::max(alignment_, element->alignment);
    bytes_ = aligned(bytes_, element->alignment) + bytes;
    return bytes_ <= kMost;
  }

  std::optional<ElementType> type_of(const std::string& type) const {
    if (const auto found = known_.find(type); found != known_.end()) return found->second;
    return known_type(type);
  }

  const Code& code_;
  std::size_t at_;
  std::size_t end_;
  const StructLayouts& known_;
  std::uint64_t bytes_ = 0;
  std::uint32_t alignment_ = 1;
};

}  // namespace

StructLayouts struct_layouts(const Text& text, const SourceScan& scan) {
  const Code& code = text.code();
  StructLayouts all;
  const bool may_pack = std::ranges::any_of(code.directives, [](const Directive& line) {
    return line.name == "pragma" && !line.words.empty() && line.words.front().is("pack");
  });
  // In a text with a namespace, which may be inline, a name may be one of several classes.
  const bool has_namespace = std::ranges::any_of(code.tokens, [](const Token& token) { return token.is("namespace"); });
  if (scan.uncertain || may_pack || has_namespace) return all;
  for (const Statement& statement : scan.statements) {
    const std::size_t begin = statement.begin;
    const bool is_definition = statement.is_class && code.branch[begin] == 0 && begin + 3 < statement.end &&
                               code.tokens[begin].is("struct") && code.tokens[begin + 1].kind == Token::Word &&
                               code.tokens[begin + 2].is("{") && code.partner[begin + 2] < statement.end;
    if (!is_definition) continue;
    const std::size_t end = code.partner[begin + 2];
    if (const std::optional<ElementType> layout = Members(code, begin + 3, end, all).layout())
      all.emplace(code.tokens[begin + 1].text, *layout);
  }
  for (const Directive& line : code.directives)  // behind a macro of its name, a struct has no name
    if (line.name == "define" && !line.words.empty())
      if (const auto named = all.find(line.words.front().text); named != all.end()) all.erase(named);
  return all;
}

}  // namespace graft::reflect
