// Two passes: Definitions walks through the text once and notes where types are defined, and Reader follows the fields
// of the wanted struct from definition to definition.
#include "reflect/structure.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "format/mangled.hpp"
#include "reflect/known_types.hpp"
#include "reflect/lexer.hpp"
#include "reflect/scan.hpp"

namespace graft::reflect {
namespace {

// The fields cannot be read, for this reason.
struct Unreadable {
  std::string reason;
};

[[noreturn]] void give_up(std::string reason) {
  throw Unreadable{std::move(reason)};
}

using TokenSpan = std::span<const Token>;

// ---- where types are defined ----

struct StructText {
  std::string name;       // qualified
  std::size_t begin = 0;  // the tokens between the braces
  std::size_t end = 0;
  std::string unreadable;  // why the fields cannot be read: "it is a template"
};

class Definitions {
 public:
  explicit Definitions(const Code& code) : code_(code) {
    if (code.is_damaged) give_up("the text's brackets do not match");
    for (const Directive& line : code.directives) read_directive(line);
    read_scope(0, code.tokens.size(), "");
  }

  // Returns the struct that `name` means inside of `scope`, or null.
  const StructText* structure(const std::string& name, const std::string& scope) const {
    if (const StructText* const found = find(structs_, name, scope)) return found;
    const StructText* only = nullptr;
    for (const auto& [qualified, one] : structs_) {
      if (!ends_in_name(qualified, name)) continue;
      if (only != nullptr) give_up(base::format("the text has several types `{}`", name));
      only = &one;
    }
    return only;
  }
  // Returns what the alias or macro `name` stands for, or null.
  const std::string* alias(const std::string& name, const std::string& scope) const {
    return find(aliases_, name, scope);
  }
  const ElementType* enumeration(const std::string& name, const std::string& scope) const {
    return find(enums_, name, scope);
  }

 private:
  // Looks the name up in the scope and in each scope around it, as C++ does.
  template <class Value>
  static const Value* find(const std::map<std::string, Value>& names, const std::string& name, std::string scope) {
    while (true) {
      const auto found = names.find(scope + name);
      if (found != names.end()) return &found->second;
      if (scope.empty()) return nullptr;
      const std::size_t outer = scope.rfind("::", scope.size() - 3);
      scope = outer == scope.npos ? std::string() : scope.substr(0, outer + 2);
    }
  }

  void read_directive(const Directive& line) {
    if (line.is_dead) return;
    if (line.name == "pragma" && line.rest.find("pack") != line.rest.npos)
      give_up("`#pragma pack` changes where fields lie");
    if (line.name != "define" || line.words.size() < 2 || line.words[1].is("(")) return;
    aliases_[std::string(line.words[0].text)] = spaced_text(TokenSpan(line.words).subspan(1));
  }

  const Token& at(std::size_t i) const {
    static const Token kNothing{};
    return i < code_.tokens.size() ? code_.tokens[i] : kNothing;
  }
  // Returns the next token with this text that is outside of inner brackets, or `end`.
  std::size_t next(std::string_view text, std::size_t i, std::size_t end) const {
    while (i < end && !at(i).is(text)) i = std::max(code_.partner[i], i) + 1;
    return std::min(i, end);
  }

  void read_scope(std::size_t begin, std::size_t end, const std::string& scope) {
    if (++depth_ > kDeepest) give_up("the text's scopes are nested too deeply");
    for (std::size_t i = begin; i < end;) i = read_one(i, end, scope);
    --depth_;
  }

  // Reads what begins at the token `i`, and returns the first token behind it.
  std::size_t read_one(std::size_t i, std::size_t end, const std::string& scope) {
    if (at(i).is("namespace")) return read_namespace(i, end, scope);
    if (at(i).is("enum")) return read_enum(i, end, scope);
    if (at(i).is("struct") || at(i).is("class") || at(i).is("union")) return read_struct(i, end, scope);
    if (at(i).is("using") && at(i + 2).is("=")) {
      const std::size_t stop = next(";", i, end);
      if (stop > i + 3) aliases_[scope + std::string(at(i + 1).text)] = text_of(i + 3, stop);
      return stop;
    }
    if (at(i).is("typedef") && !at(i + 1).is("struct") && !at(i + 1).is("enum")) {
      const std::size_t stop = next(";", i, end);
      if (stop > i + 2) aliases_[scope + std::string(at(stop - 1).text)] = text_of(i + 1, stop - 1);
      return stop;
    }
    // constexpr int kN = 4;
    if (at(i).kind == Token::Word && at(i + 1).is("=") && at(i + 2).kind == Token::Number && at(i + 3).is(";"))
      aliases_[scope + std::string(at(i).text)] = std::string(at(i + 2).text);
    if (at(i).is("extern") && at(i + 1).kind == Token::String && at(i + 2).is("{")) {
      read_scope(i + 3, std::min(code_.partner[i + 2], end), scope);
      return std::min(code_.partner[i + 2], end) + 1;
    }
    return std::max(code_.partner[i], i) + 1;  // skips bodies, parameters and initializers
  }

  std::size_t read_namespace(std::size_t i, std::size_t end, const std::string& scope) {
    std::string name;
    std::size_t open = i + 1;
    for (; open < end && !at(open).is("{"); ++open) {
      if (at(open).is(";") || at(open).is("=")) return open;
      name += at(open).text;
    }
    if (open >= end) return end;
    read_scope(open + 1, std::min(code_.partner[open], end), scope + (name.empty() ? "" : name + "::"));
    return std::min(code_.partner[open], end) + 1;
  }

  std::size_t read_enum(std::size_t i, std::size_t end, const std::string& scope) {
    std::size_t name = i + 1;
    if (at(name).is("class") || at(name).is("struct")) ++name;
    const std::size_t open = next("{", name, next(";", name, end));
    if (!at(open).is("{") || at(name).kind != Token::Word) return std::max(code_.partner[i], i) + 1;
    ElementType type{ElementKind::Enum, 4, 4};
    if (at(name + 1).is(":")) {
      const auto under = known_type(format::canonical_type(text_of(name + 2, open)));
      if (under) type = {ElementKind::Enum, under->size, under->alignment};
    }
    enums_[scope + std::string(at(name).text)] = type;
    return std::min(code_.partner[open], end) + 1;
  }

  std::size_t read_struct(std::size_t i, std::size_t end, const std::string& scope) {
    StructText found;
    if (at(i).is("union")) found.unreadable = "it is a union";
    if (i > 0 && at(i - 1).is(">")) found.unreadable = "it is a template";
    std::size_t name = i + 1;
    while (at(name).is("[") || at(name + 1).is("(")) {
      found.unreadable = "it has an alignment or attributes of its own";
      name = std::min(code_.partner[at(name).is("[") ? name : name + 1], end) + 1;
    }
    std::size_t open = at(name).kind == Token::Word ? name + 1 : name;
    if (at(open).is("final")) ++open;
    if (at(open).is(":")) {
      found.unreadable = "it has base classes";
      open = next("{", open, end);
    }
    if (!at(open).is("{")) return i + 1;  // `struct Scale s` and `struct Scale;` define nothing
    const std::size_t close = std::min(code_.partner[open], end);
    const bool is_typedef = i > 0 && at(i - 1).is("typedef");
    found.name = scope + std::string(is_typedef ? at(close + 1).text : open > name ? at(name).text : "");
    found.begin = open + 1;
    found.end = close;
    read_scope(open + 1, close, found.name + "::");
    if (const auto [other, is_new] = structs_.try_emplace(found.name, found); !is_new)
      other->second.unreadable = "the text defines it more than once";
    return close + 1;
  }

  std::string text_of(std::size_t begin, std::size_t end) const {
    return spaced_text(TokenSpan(code_.tokens).subspan(begin, end - begin));
  }

  static constexpr int kDeepest = 64;
  const Code& code_;
  int depth_ = 0;
  std::map<std::string, StructText> structs_;
  std::map<std::string, std::string> aliases_;  // aliases of types, macros and constants
  std::map<std::string, ElementType> enums_;
};

// ---- the members of known types ----

// Returns the type of the members of a vector type or a complex number, and their names.
struct Members {
  std::string type;
  std::vector<std::string> names;
};
std::optional<Members> known_members(std::string_view name) {
  if (name == "graft::complex<float>") return Members{"float", {"real", "imag"}};
  if (name == "graft::complex<double>") return Members{"double", {"real", "imag"}};
  if (name == "half2" || name == "__half2") return Members{"__half", {"x", "y"}};
  if (name == "__nv_bfloat162" || name == "nv_bfloat162") return Members{"__nv_bfloat16", {"x", "y"}};
  constexpr auto kElements = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"char", "signed char"},
      {"uchar", "unsigned char"},
      {"short", "short"},
      {"ushort", "unsigned short"},
      {"int", "int"},
      {"uint", "unsigned int"},
      {"float", "float"},
      {"double", "double"},
      {"longlong", "long long"},
      {"ulonglong", "unsigned long long"},
  });
  if (name.empty() || name.back() < '1' || name.back() > '4') return std::nullopt;
  for (const auto& [prefix, element] : kElements) {
    if (name.substr(0, name.size() - 1) != prefix) continue;
    Members members{std::string(element), {"x", "y", "z", "w"}};
    members.names.resize(static_cast<std::size_t>(name.back() - '0'));
    return members;
  }
  return std::nullopt;
}

// ---- the fields ----

std::size_t rounded_up(std::size_t offset, std::size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

class Reader {
 public:
  Reader(const Code& code, const Definitions& definitions) : code_(code), definitions_(definitions) {}

  // Returns the part with this type at `offset`. `scope` is where the type's name is looked up.
  Part read_type(std::string type, const std::string& scope, std::size_t offset) {
    if (++depth_ > kDeepest) give_up("its types are nested too deeply");
    Part part = read_named(std::move(type), scope, offset);
    --depth_;
    return part;
  }

 private:
  Part read_named(std::string type, const std::string& scope, std::size_t offset) {
    type = format::canonical_type(type);
    for (const std::string_view word : {"const ", "volatile "})
      if (type.starts_with(word)) type.erase(0, word.size());
    if (type.starts_with("::")) type.erase(0, 2);
    if (const StructText* const found = definitions_.structure(type, scope)) return read_struct(*found, type, offset);
    if (const ElementType* const found = definitions_.enumeration(type, scope)) return {"", type, offset, *found, {}};
    if (const std::string* const found = definitions_.alias(type, scope); found != nullptr && *found != type) {
      Part part = read_type(*found, scope, offset);
      part.type = type;
      return part;
    }
    return read_known(type, offset);
  }

  Part read_known(const std::string& spelled, std::size_t offset) {
    std::string type = spelled;
    for (const std::string_view prefix : {"std::", "cuda::std::"})
      if (type.starts_with(prefix)) type.erase(0, prefix.size());
    if (type == "size_t" || type == "uintptr_t") type = "unsigned long";
    if (type == "ptrdiff_t" || type == "intptr_t") type = "long";
    std::optional<ElementType> known = known_type(type);
    const std::optional<Members> members = known_members(type);
    if (!known && members) known = ElementType{ElementKind::Class, 4, 4};  // half2 and __nv_bfloat162
    if (!known) give_up(base::format("the type `{}` is not known", spelled));
    Part part{"", spelled, offset, *known, {}};
    if (!members) return part;
    for (const std::string& name : members->names) {
      Part member = read_type(members->type, "", offset);
      member.name = name;
      offset += member.element.size;
      add(part, std::move(member));
    }
    return part;
  }

  Part read_struct(const StructText& found, const std::string& type, std::size_t offset) {
    if (!found.unreadable.empty())
      give_up(base::format("the fields of `{}` cannot be read: {}", type, found.unreadable));
    Part part{"", type, offset, {ElementKind::Class, 0, 1}, {}};
    std::size_t end = offset;  // the end of the fields that have been read
    for (std::size_t i = found.begin; i < found.end;) i = read_member(i, found, part, end);
    if (part.parts.empty()) give_up(base::format("`{}` has no fields", type));
    part.element.size = static_cast<std::uint32_t>(rounded_up(end - offset, part.element.alignment));
    return part;
  }

  // Reads the member that begins at the token `i`, and returns the first token behind it.
  std::size_t read_member(std::size_t i, const StructText& found, Part& part, std::size_t& end) {
    // The whole struct may be in an #if, such as a header's guard.
    if (code_.branch[i] != code_.branch[found.begin - 1])
      give_up(base::format("`{}` has an #if between its fields", found.name));
    const std::size_t stop = end_of_member(i, found.end);
    const TokenSpan all(code_.tokens);
    const TokenSpan member = all.subspan(i, stop - i);
    const std::string_view first = member.empty() ? ";" : member[0].text;
    const bool is_access = first == "public" || first == "private" || first == "protected";
    if (is_access) return i + 2;
    if (first == ";") return i + 1;
    if (first == "virtual") give_up(base::format("`{}` has virtual functions", found.name));
    const bool is_no_field = first == "static" || first == "using" || first == "typedef" || first == "friend" ||
                             first == "template" || first == "static_assert" || is_function(member);
    if (!is_no_field) read_fields(member, found, part, end);
    return stop + (stop < found.end && code_.tokens[stop].is(";") ? 1 : 0);
  }

  // Returns the end of a member: its semicolon, or the first token behind a function's body.
  std::size_t end_of_member(std::size_t i, std::size_t end) const {
    bool has_parameters = false;
    for (; i < end && !code_.tokens[i].is(";"); i = std::max(code_.partner[i], i) + 1) {
      has_parameters |= code_.tokens[i].is("(");
      if (code_.tokens[i].is("{") && has_parameters) return std::min(code_.partner[i] + 1, end);
    }
    return std::min(i, end);
  }

  static bool is_function(TokenSpan member) {
    for (std::size_t i = 0; i < member.size(); ++i) {
      const Token& token = member[i];
      if (token.is("operator")) return true;
      if (token.is("=") || token.is("{") || token.is("[")) return false;
      if (token.is("alignas") || token.is("__align__") || token.is("__attribute__"))
        give_up("a field has an alignment of its own");
      if (token.is("(") && i + 1 < member.size() && member[i + 1].is("*"))
        give_up("a field is a pointer to a function or an array");
      if (token.is("(")) return true;
    }
    return false;
  }

  static bool is_type_word(const Token& token) {
    constexpr std::array kWords = {"const", "volatile", "mutable", "unsigned", "signed", "short",  "long",
                                   "int",   "char",     "float",   "double",   "bool",   "struct", "enum"};
    return std::ranges::any_of(kWords, [&](const char* word) { return token.is(word); });
  }

  // Returns how many of the tokens are the type in front of the first field's name: `unsigned long`, `math::Inner`.
  static std::size_t type_length(TokenSpan member) {
    std::size_t i = 0;
    bool has_type = false;
    while (i < member.size()) {
      if (is_type_word(member[i])) {
        has_type |= !member[i].is("const") && !member[i].is("volatile") && !member[i].is("mutable") &&
                    !member[i].is("struct") && !member[i].is("enum");
        ++i;
        continue;
      }
      if (has_type || (member[i].kind != Token::Word && !member[i].is("::"))) break;
      has_type = true;
      // A qualified name, with template arguments.
      for (; i < member.size(); ++i) {
        if (member[i].is("<")) {
          int depth = 0;
          do depth += member[i].is("<") ? 1 : member[i].is(">") ? -1 : 0;
          while (depth > 0 && ++i < member.size());
        } else if (i + 1 >= member.size() ||
                   (!member[i + 1].is("::") && !member[i].is("::") && !member[i + 1].is("<"))) {
          ++i;
          break;
        }
        if (i + 1 < member.size() && member[i].is(">") && !member[i + 1].is("::")) {
          ++i;
          break;
        }
      }
    }
    return std::min(i, member.size());
  }

  void read_fields(TokenSpan member, const StructText& found, Part& part, std::size_t& end) {
    if (member[0].is("struct") || member[0].is("class") || member[0].is("union") || member[0].is("enum")) {
      const auto brace = std::ranges::find_if(member, [](const Token& token) { return token.is("{"); });
      if (brace != member.end()) {
        const bool declares_field = !member.back().is("}");
        if (declares_field || member[0].is("union") || member[1].is("{"))
          give_up(base::format("`{}` has a field of a type that is defined with the field", found.name));
        return;
      }
    }
    const std::size_t length = type_length(member);
    std::string type = spaced_text(member.first(length));
    if (type.starts_with("mutable ")) type.erase(0, 8);
    std::size_t i = length;
    while (i < member.size()) i = read_field(member, i, type, found, part, end) + 1;
    if (length == member.size()) give_up(base::format("`{}` has a member without a name: {}", found.name, type));
  }

  // Reads one declarator, `*p`, `w[3]` or `a = 1`, and returns the index of the comma behind it.
  std::size_t read_field(TokenSpan member, std::size_t i, const std::string& type, const StructText& found, Part& part,
                         std::size_t& end) {
    bool is_pointer = false;
    for (; i < member.size() && (member[i].is("*") || member[i].is("const") || member[i].is("__restrict__")); ++i)
      is_pointer |= member[i].is("*");
    if (i >= member.size() || member[i].kind != Token::Word)
      give_up(base::format("a field of `{}` cannot be read: {}", found.name, spaced_text(member)));
    const std::string name(member[i++].text);
    std::vector<std::size_t> extents;
    while (i < member.size() && member[i].is("[")) {
      std::size_t close = i;
      while (close < member.size() && !member[close].is("]")) ++close;
      extents.push_back(extent_of(member.subspan(i + 1, close - i - 1), name, found.name + "::"));
      i = close + 1;
    }
    if (i < member.size() && member[i].is(":")) give_up(base::format("`{}` is a bit field", name));
    int depth = 0;
    for (; i < member.size() && !(depth == 0 && member[i].is(",")); ++i)
      depth += member[i].is("(") || member[i].is("{") || member[i].is("[")   ? 1
               : member[i].is(")") || member[i].is("}") || member[i].is("]") ? -1
                                                                             : 0;
    place(is_pointer ? Part{"", type + "*", 0, {ElementKind::Unsigned, 8, 8}, {}, true}
                     : read_type(type, found.name + "::", 0),
          name, extents, part, end);
    return i;
  }

  std::size_t extent_of(TokenSpan tokens, const std::string& name, const std::string& scope) const {
    std::string text = spaced_text(tokens);
    for (int i = 0; i < 4; ++i)
      if (const std::string* const found = definitions_.alias(text, scope)) text = *found;
    std::size_t extent = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc() || rest != text.data() + text.size() || extent == 0 || extent > kMostParts)
      give_up(base::format("the size of the array `{}` cannot be read: {}", name, text));
    return extent;
  }

  // Puts a field behind the fields that the struct has already.
  void place(const Part& field, const std::string& name, std::span<const std::size_t> extents, Part& part,
             std::size_t& end) {
    const std::size_t alignment = field.element.alignment;
    const Part whole = array_of(field, extents);
    const std::size_t offset = rounded_up(end, alignment);
    Part placed = moved(whole, offset);
    placed.name = name;
    end = offset + placed.element.size;
    if (end > kLargest) give_up("it is too large for a state");
    part.element.alignment = std::max(part.element.alignment, static_cast<std::uint32_t>(alignment));
    add(part, std::move(placed));
  }

  Part array_of(const Part& element, std::span<const std::size_t> extents) {
    if (extents.empty()) return element;
    const Part inner = array_of(element, extents.subspan(1));
    Part array{"", element.type, 0, inner.element, {}};
    for (const std::size_t extent : extents) array.type += base::format("[{}]", extent);
    if (extents[0] * inner.element.size > kLargest) give_up("it is too large for a state");
    array.element = {ElementKind::Class, static_cast<std::uint32_t>(extents[0] * inner.element.size),
                     inner.element.alignment};
    for (std::size_t i = 0; i < extents[0]; ++i) {
      Part one = moved(inner, i * inner.element.size);
      one.name = base::format("[{}]", i);
      add(array, std::move(one));
    }
    return array;
  }

  static Part moved(Part part, std::size_t offset) {
    part.offset += offset;
    for (Part& one : part.parts) one = moved(std::move(one), offset);
    return part;
  }

  void add(Part& whole, Part part) {
    if (++parts_ > kMostParts) give_up("it has too many fields");
    whole.parts.push_back(std::move(part));
  }

  static constexpr int kDeepest = 32;
  static constexpr std::size_t kLargest = std::size_t{1} << 16;  // far above the largest state, in bytes
  const Code& code_;
  const Definitions& definitions_;
  int depth_ = 0;
  std::size_t parts_ = 0;
};

}  // namespace

std::variant<Part, std::string> read_structure(std::string_view text, std::string_view name) {
  try {
    const Tokens tokens = tokenize(text);
    const Code code = read_code(tokens);
    const Definitions definitions(code);
    return Reader(code, definitions).read_type(std::string(name), "", 0);
  } catch (const Unreadable& problem) {
    return problem.reason;
  }
}

}  // namespace graft::reflect
