// Class Member writes the text of one callback: definition() writes the text of a source, declaration() that of a
// callback binary.
#include "codegen/compose.hpp"

#include <set>
#include <vector>

#include "base/format.hpp"
#include "codegen/lines.hpp"
#include "reflect/lexer.hpp"

namespace graft::codegen {
namespace {

// If the user's text opens a namespace graft, that namespace becomes graft_text_0::graft and hides ::graft. This line
// makes lookup inside it find graft's own names too.
constexpr std::string_view kOwnNamespace = "namespace graft { using namespace ::graft; }\n";

std::set<std::string_view> macros_of(std::string_view text) {
  std::set<std::string_view> names;
  const reflect::Tokens tokens = reflect::tokenize(text);
  for (const reflect::Token& token : tokens.list) {
    if (token.kind != reflect::Token::Directive) continue;
    const reflect::Directive directive = reflect::parse_directive(token);
    if (directive.name == "define" && !directive.words.empty()) names.insert(directive.words.front().text);
  }
  return names;
}

class Member {
 public:
  Member(const ProgramParts& parts, std::size_t number)
      : parts_(parts), number_(number), name_(quoted(parts.callback_name)) {}

  std::string text() const {
    std::string text = defines_section(parts_.defines);
    text += parts_.is_declaration ? declaration() : definition();
    for (const Define& define : parts_.defines)
      text += base::format("#undef {}\n", define.name.substr(0, define.name.find('(')));
    return text;
  }

 private:
  std::string declaration() const {
    return base::format("{}{}\n{}GRAFT_PART({}{}, ::{})\n", line_directive(1, name_), parts_.callback_text,
                        line_directive(1, kAdapterLines), kPartName, number_, parts_.entry);
  }

  std::string definition() const {
    const std::string_view all = parts_.callback_text;
    const std::string_view front = all.substr(0, leading_lines(all));
    std::string text;
    for (const std::string& function : parts_.extern_c)
      text += base::format("#define {0} {1}{2}_{0}\n", function, kTextName, number_);
    if (!front.empty()) text += line_directive(1, name_) + std::string(front);
    text +=
        base::format("{}namespace {}{} {{\n{}", line_directive(1, kAdapterLines), kTextName, number_, kOwnNamespace);
    text += content(front, all.substr(front.size()));
    text += base::format("}}\nGRAFT_PART({}{}, {})\n", kPartName, number_, call());
    for (const std::string& function : parts_.extern_c) text += base::format("#undef {}\n", function);
    for (const std::string_view macro : macros_of(all)) text += base::format("#undef {}\n", macro);
    return text;
  }

  std::string content(std::string_view front, std::string_view rest) const {
    if (parts_.entry.empty()) return expression_function(front, rest, name_, line_directive(1, kAdapterLines));
    std::string text =
        base::format("{}{}\n{}", line_directive(line_behind(front), name_), rest, line_directive(1, kAdapterLines));
    if (parts_.entry_is_expression)
      text += base::format("__device__ auto graft_callback() {{ return {}; }}\n", parts_.entry);
    if (!parts_.declared.empty()) text += declared_alias(function_type(parts_.declared));
    return text;
  }

  std::string call() const {
    const std::string scope = base::format("::{}{}::", kTextName, number_);
    if (parts_.entry.empty() || parts_.entry_is_expression) return scope + "graft_callback()";
    const std::string_view entry = parts_.entry;
    const std::string function = base::format("{}{}", scope, entry.starts_with("::") ? entry.substr(2) : entry);
    return parts_.pick_overload ? base::format("static_cast<{}graft_declared*>({})", scope, function) : function;
  }

  const ProgramParts& parts_;
  std::size_t number_;
  std::string name_;
};

}  // namespace

std::string members_section(const ProgramParts& parts) {
  std::string text;
  if (parts.shared_bytes > 0) text = base::format("#define GRAFT_SHARED_BYTES {}\n", parts.shared_bytes);
  text += "#include \"graft/compose.h\"\n";
  for (std::size_t i = 0; i < parts.members.size(); ++i) text += Member(parts.members[i], i).text();
  return text;
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
