// Class Member writes the text of one member, that is, of one callback of a composition. If the callback is source,
// definition() writes its text. If it is a callback binary, declaration() declares the binary's function.
#include "codegen/compose.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/embedded.hpp"
#include "base/format.hpp"
#include "base/immortal.hpp"
#include "codegen/lines.hpp"
#include "reflect/callback/generic.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::codegen {
namespace {

// If the user's text opens a namespace graft, that namespace becomes graft_text_0::graft and hides ::graft. With this
// line, name lookup inside graft_text_0::graft also finds the names of ::graft.
constexpr std::string_view kOwnNamespace = "namespace graft { using namespace ::graft; }";

// Returns the names of the macros that the directives define or undefine.
std::set<std::string> macros_of(std::span<const reflect::Directive> directives) {
  std::set<std::string> names;
  for (const reflect::Directive& directive : directives) {
    if ((directive.name == "define" || directive.name == "undef") && !directive.words.empty())
      names.emplace(directive.words.front().text);
  }
  return names;
}

// Returns how many values of each macro the text leaves on the stack of `#pragma push_macro`.
std::map<std::string, int, std::less<>> pushed_macros(const reflect::Text& text) {
  std::map<std::string, int, std::less<>> left;
  for (const reflect::Directive& directive : text.code().directives) {
    if (directive.name != "pragma" || directive.words.size() < 3 || directive.words[2].text.size() < 2) continue;
    const bool pops = directive.words[0].is("pop_macro");
    if (!pops && !directive.words[0].is("push_macro")) continue;
    const std::string_view quoted = directive.words[2].text;
    int& number = left[std::string(quoted.substr(1, quoted.size() - 2))];
    number = pops ? std::max(0, number - 1) : number + 1;
  }
  return left;
}

// Returns the definitions of the macros that graft's headers define for NVRTC, as #define lines: of math's constants,
// and of the macros in the standard headers that NVRTC lacks. `assert` is missing, because it has several definitions.
const std::map<std::string, std::string, std::less<>>& definitions_in_headers() {
  static const auto& all = base::immortal([] {
    std::map<std::string, std::string, std::less<>> found;
    for (const base::EmbeddedFile& file : base::embedded_files()) {
      if (file.name != "graft/device.h" && !file.name.starts_with("std/")) continue;
      const reflect::Text text(file.text);
      for (const reflect::Directive& directive : text.code().directives) {
        if (directive.name != "define" || directive.words.empty()) continue;
        const std::string_view macro = directive.words.front().text;
        if (macro != "assert" && !macro.starts_with("GRAFT_")) found.emplace(macro, directive.text);
      }
    }
    return found;
  }());
  return all;
}

class Member {
 public:
  Member(ProgramText& text, const ProgramParts& parts, std::size_t number, bool is_plain)
      : text_(text), parts_(parts), number_(number), is_plain_(is_plain) {}

  void write() {
    std::set<std::string> macros(parts_.own_constants.begin(), parts_.own_constants.end());
    for (const Define& define : parts_.defines) macros.insert(define.name.substr(0, define.name.find('(')));
    save(std::move(macros), When::IfDefined);
    for (const std::string& macro : parts_.own_constants) text_.undefine(macro);
    write_defines(text_, parts_.defines);
    if (parts_.is_declaration) declaration();
    else definition();
    restore();
  }

 private:
  void declaration() const {
    text_.lines_of(parts_.callback_name, 1);
    text_.line("{}", parts_.callback_text.source());
    text_.own_lines();
    write_call();
  }

  void definition() {
    const std::span<const reflect::Directive> directives = parts_.callback_text.code().directives;
    const std::vector<Cut> ends = ends_of_includes(parts_.callback_text);
    const UsersText users(parts_, ends);
    text_.own_lines();
    rename_own_types(text_, parts_);
    for (const std::string& function : parts_.extern_c)
      text_.define(function, base::format("{}{}_{}", kTextName, number_, function));
    // The macros that the text defines end with the text. Each is saved as late as possible: if a header that the text
    // includes defines a macro which the text defines again later, restore() then brings back the header's definition,
    // which the other members' texts may need.
    std::size_t begin = 0;
    for (std::size_t i = 0; i < ends.size(); begin = ends[i++].directives) {
      save(macros_of(directives.subspan(begin, ends[i].directives - begin)), When::Always);
      users.write_front(text_, i);
      text_.own_lines();
    }
    save(macros_of(directives.subspan(begin)), When::IfDefined);
    for (const std::string& name : parts_.named_like_cuda) text_.line("GRAFT_MAY_BE_GLOBAL({})", name);
    text_.line("namespace {}{} {{", kTextName, number_);
    text_.line("{}", kOwnNamespace);
    for (const std::string& name : parts_.named_like_cuda) text_.line("GRAFT_OVERLOAD_GLOBAL({})", name);
    if (!parts_.previous.empty()) text_.line("using {} = ::{};", reflect::kPrevious, parts_.previous);
    users.write_callback(text_);
    if (!parts_.declared.empty()) write_declared_type(text_, parts_.declared);
    text_.line("}}");
    write_call();
    for (const std::string& function : parts_.extern_c) text_.undefine(function);
    restore_own_types(text_, parts_);
  }

  // Host compilers save and restore every macro with the pragmas, which NVRTC ignores. There the macros of graft's
  // headers are defined again, and a macro that a user's header has defined is lost if the text defines it, too.
  //
  // When::IfDefined: defines the macro again only if it is defined now. When::Always: the text that follows may include
  // the header that defines the macro.
  enum class When : std::uint8_t { IfDefined, Always };
  void save(std::set<std::string> macros, When when) {
    if (macros.contains("NDEBUG")) macros.insert("assert");  // with NDEBUG, <cassert> defines assert anew
    for (const std::string& macro : macros) {
      if (!saved_.insert(macro).second) continue;
      text_.line("#pragma push_macro(\"{}\")", macro);
      if (!definitions_in_headers().contains(macro)) continue;
      if (when == When::IfDefined) text_.line("#ifdef {}", macro);
      text_.define(base::format("graft_had_{}", macro));
      if (when == When::IfDefined) text_.line("#endif");
    }
  }
  void restore() {
    const std::map<std::string, int, std::less<>> pushed = pushed_macros(parts_.callback_text);
    for (const std::string& macro : saved_) {
      const auto left = pushed.find(macro);
      for (int i = left == pushed.end() ? 0 : left->second; i > 0; --i) text_.line("#pragma pop_macro(\"{}\")", macro);
      text_.undefine(macro);
      text_.line("#pragma pop_macro(\"{}\")", macro);
      const auto known = definitions_in_headers().find(macro);
      if (known == definitions_in_headers().end()) continue;
      const std::string had = base::format("graft_had_{}", macro);
      text_.line("#if defined(__CUDACC_RTC__) && defined({})\n{}\n#endif", had, known->second);
      text_.undefine(had);
    }
    if (saved_.contains("assert")) text_.include("cassert");
  }

  // Writes the struct that calls the member.
  void write_call() const {
    if (!is_plain_) text_.line("GRAFT_PART({}{}, {})", kPartName, number_, member_call(parts_, number_));
  }

  ProgramText& text_;
  const ProgramParts& parts_;
  std::size_t number_;
  bool is_plain_;
  std::set<std::string> saved_;  // the macros that restore() brings back
};

}  // namespace

void write_members(ProgramText& text, const ProgramParts& parts) {
  if (parts.shared_bytes > 0) text.define("GRAFT_SHARED_BYTES", base::format("{}", parts.shared_bytes));
  text.include("graft/compose.h");
  for (std::size_t i = 0; i < parts.members.size(); ++i) Member(text, parts.members[i], i, false).write();
}

void write_plain_members(ProgramText& text, const ProgramParts& parts, std::size_t first) {
  for (std::size_t i = 0; i < parts.members.size(); ++i) Member(text, parts.members[i], first + i, true).write();
}

std::string member_call(const ProgramParts& member, std::size_t number) {
  const std::string_view entry = member.entry;
  const std::string_view name = entry.starts_with("::") ? entry.substr(2) : entry;
  if (member.is_declaration) return base::format("::{}", name);
  const std::string scope = base::format("::{}{}::", kTextName, number);
  if (entry.empty() || member.entry_is_expression) return with_declared_type(member, scope, scope + "graft_callback()");
  const std::string function = base::format("{}{}", scope, name);
  return member.pick_overload ? base::format("static_cast<{}graft_declared*>({})", scope, function) : function;
}

std::string member_probe(std::size_t member) {
  return base::format("{0}{1}::graft_function, graft_facts_of<{0}{1}::graft_function>", kPartName, member);
}

std::string declared_member_probe(std::size_t member) {
  return base::format("{0}{1}::graft_declared, graft_facts_of<{0}{1}::graft_declared>", kTextName, member);
}

bool is_declared(const ProgramParts& member) {
  return !member.is_declaration && !member.declared.empty();
}

}  // namespace graft::codegen
