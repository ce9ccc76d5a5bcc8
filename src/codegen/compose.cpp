// Class Member writes the text of one member, that is, of one callback of a composition. If the callback is source,
// definition() writes its text. If it is a callback binary, declaration() declares the binary's function.
#include "codegen/compose.hpp"

#include <set>
#include <vector>

#include "base/embedded.hpp"
#include "base/format.hpp"
#include "codegen/lines.hpp"
#include "reflect/lexer.hpp"

namespace graft::codegen {
namespace {

// If the user's text opens a namespace graft, that namespace becomes graft_text_0::graft and hides ::graft. With this
// line, name lookup inside graft_text_0::graft also finds the names of ::graft.
constexpr std::string_view kOwnNamespace = "namespace graft { using namespace ::graft; }";

// Returns the names of the macros that the text defines or undefines.
std::set<std::string> macros_of(std::string_view text) {
  std::set<std::string> names;
  const reflect::Tokens tokens = reflect::tokenize(text);
  for (const reflect::Token& token : tokens.list) {
    if (token.kind != reflect::Token::Directive) continue;
    const reflect::Directive directive = reflect::parse_directive(token);
    if ((directive.name == "define" || directive.name == "undef") && !directive.words.empty())
      names.emplace(directive.words.front().text);
  }
  // With NDEBUG, <cassert> defines assert anew.
  if (names.contains("NDEBUG")) names.insert("assert");
  return names;
}

// Returns the line of graft's headers that defines the macro, or an empty text if none does.
std::string_view definition_of(std::string_view macro) {
  const std::string begin = base::format("\n#define {} ", macro);
  for (const base::EmbeddedFile& file : base::embedded_files()) {
    if (file.name != "graft/device.h" && !file.name.starts_with("std/")) continue;
    const std::string_view text = base::embedded_file(file.name);
    const std::size_t at = text.find(begin);
    if (at == std::string_view::npos) continue;
    const std::string_view line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    if (!line.ends_with('\\')) return line;
  }
  return {};
}

class Member {
 public:
  Member(ProgramText& text, const ProgramParts& parts, std::size_t number)
      : text_(text), parts_(parts), number_(number) {}

  void write() const {
    const std::set<std::string> constants(parts_.own_constants.begin(), parts_.own_constants.end());
    save(constants);
    for (const std::string& macro : constants) text_.undefine(macro);
    write_defines(text_, parts_.defines);
    if (parts_.is_declaration) declaration();
    else definition();
    for (const Define& define : parts_.defines) text_.undefine(define.name);
    restore(constants);
  }

 private:
  void declaration() const {
    text_.lines_of(parts_.callback_name, 1);
    text_.line("{}", parts_.callback_text);
    text_.own_lines();
    text_.line("GRAFT_PART({}{}, ::{})", kPartName, number_, parts_.entry);
  }

  void definition() const {
    const std::string_view all = parts_.callback_text;
    const std::size_t front = leading_lines(all);
    const UsersText users(parts_, front);
    // The macros that this text defines end with the text. The macros of the code are saved only after the leading
    // lines: if a header that the leading lines include defines a macro that the code defines again, restore() then
    // brings back the header's definition, which the other members' texts may need.
    const std::set<std::string> front_macros = macros_of(all.substr(0, front));
    const std::set<std::string> macros = macros_of(all.substr(front));
    for (const std::string& function : parts_.extern_c)
      text_.define(function, base::format("{}{}_{}", kTextName, number_, function));
    save(front_macros);
    users.write_front(text_);
    text_.own_lines();
    save(macros);
    for (const std::string& name : parts_.named_like_cuda) text_.line("GRAFT_MAY_BE_GLOBAL({})", name);
    text_.line("namespace {}{} {{", kTextName, number_);
    text_.line("{}", kOwnNamespace);
    for (const std::string& name : parts_.named_like_cuda) text_.line("GRAFT_OVERLOAD_GLOBAL({})", name);
    users.write_callback(text_);
    if (!parts_.entry.empty() && !parts_.declared.empty()) write_declared_type(text_, parts_.declared);
    text_.line("}}");
    text_.line("GRAFT_PART({}{}, {})", kPartName, number_, call());
    for (const std::string& function : parts_.extern_c) text_.undefine(function);
    restore(macros);
    restore(front_macros);
  }

  void save(const std::set<std::string>& macros) const {
    for (const std::string& macro : macros) text_.line("#pragma push_macro(\"{}\")", macro);
  }
  // Host compilers save and restore every macro. NVRTC ignores the pragmas: there the macros of graft's headers are
  // defined again, and a macro that a user's header has defined is lost if the text defines it, too.
  void restore(const std::set<std::string>& macros) const {
    std::vector<std::string_view> definitions;
    for (const std::string& macro : macros) {
      text_.undefine(macro);
      text_.line("#pragma pop_macro(\"{}\")", macro);
      if (const std::string_view definition = definition_of(macro); !definition.empty())
        definitions.push_back(definition);
    }
    if (!definitions.empty()) text_.line("#ifdef __CUDACC_RTC__\n{}\n#endif", base::join(definitions, "\n"));
    if (macros.contains("assert")) text_.include("cassert");
  }

  std::string call() const {
    const std::string scope = base::format("::{}{}::", kTextName, number_);
    if (parts_.entry.empty() || parts_.entry_is_expression) return scope + "graft_callback()";
    const std::string_view entry = parts_.entry;
    const std::string function = base::format("{}{}", scope, entry.starts_with("::") ? entry.substr(2) : entry);
    return parts_.pick_overload ? base::format("static_cast<{}graft_declared*>({})", scope, function) : function;
  }

  ProgramText& text_;
  const ProgramParts& parts_;
  std::size_t number_;
};

}  // namespace

void write_members(ProgramText& text, const ProgramParts& parts) {
  if (parts.shared_bytes > 0) text.define("GRAFT_SHARED_BYTES", base::format("{}", parts.shared_bytes));
  text.include("graft/compose.h");
  for (std::size_t i = 0; i < parts.members.size(); ++i) Member(text, parts.members[i], i).write();
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
