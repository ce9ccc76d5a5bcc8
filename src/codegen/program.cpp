// Assembles the program from front to back: graft's headers, implied includes, defines, the callback's text, the
// kernel's lines. A #line directive (lines.hpp) marks each change between the user's lines and graft's.
#include "codegen/program.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "base/format.hpp"
#include "codegen/compose.hpp"
#include "codegen/lines.hpp"
#include "contract.h"

namespace graft::codegen {
namespace {

bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string kernel_options(const ProgramParts& parts) {
  return parts.max_registers > 0 ? base::format("__maxnreg__({})", parts.max_registers)
                                 : base::format("__launch_bounds__({})", GRAFT_BLOCK_THREADS);
}

// Returns the last component of a qualified name: "scale<float>" of "math::scale<float>".
std::string_view last_component(std::string_view entry) {
  const std::size_t arguments = entry.find('<');
  const std::size_t colon = entry.substr(0, arguments).rfind("::");
  return colon == std::string_view::npos ? entry : entry.substr(colon + 2);
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_name_letter(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() &&
           (is_name_letter(text[end]) || text.substr(end, 2) == "::" || text.substr(end - 1, 2) == "::"))
      ++end;
    found.push_back(text.substr(i, end - i));
    i = end;
  }
  return found;
}

bool is_type_keyword(std::string_view word) {
  static constexpr std::array keywords = {
      "void",    "bool",  "char",     "short",  "int",   "long",  "float", "double", "signed", "unsigned", "auto",
      "wchar_t", "const", "volatile", "struct", "class", "union", "enum",  "static", "inline", "extern",   "constexpr"};
  for (const std::string_view keyword : keywords)
    if (word == keyword) return true;
  return false;
}

bool is_qualifier(std::string_view word) {
  return word == "const" || word == "volatile" || word == "struct" || word == "class" || word == "enum";
}

std::string implied_includes(const ProgramParts& parts) {
  std::string text;
  if (parts.include_half) text += "#include \"cuda_fp16.h\"\n";
  if (parts.include_bfloat16) text += "#include \"cuda_bf16.h\"\n";
  if (parts.include_cmath) text += "#include \"cmath\"\n";
  return text;
}

// Writes the baked state as a constant array, so that the compiler can fold reads of it.
std::string baked_section(const std::vector<std::byte>& state) {
  std::vector<unsigned> bytes;
  for (const std::byte byte : state) bytes.push_back(std::to_integer<unsigned>(byte));
  return base::format(
      "struct alignas({}) graft_baked_bytes {{ unsigned char graft_bytes[{}]; }};\n"
      "static __constant__ const graft_baked_bytes graft_baked = {{{{{}}}}};\n"
      "#define GRAFT_BAKED_STATE graft_baked.graft_bytes\n",
      GRAFT_MAX_STATE_ALIGNMENT, bytes.size(), base::join(bytes, ","));
}

// Writes the user's text with its own line numbers. If the callback is an expression, the function graft_callback()
// returns it.
std::string callback_text(const ProgramParts& parts) {
  const std::string name = quoted(parts.callback_name);
  const std::string_view all = parts.callback_text;
  if (parts.entry.empty()) {
    const std::string_view front = all.substr(0, leading_lines(all));
    const std::string lines = front.empty() ? std::string() : line_directive(1, name) + std::string(front);
    return lines + expression_function(front, all.substr(front.size()), name, line_directive(1, kAdapterLines));
  }
  std::string text = base::format("{}{}\n{}", line_directive(1, name), all, line_directive(1, kAdapterLines));
  if (parts.entry_is_expression)
    text += base::format("__device__ auto graft_callback() {{ return {}; }}\n", parts.entry);
  return text;
}

}  // namespace

std::string kernel_name(const ProgramParts& parts) {
  if (!parts.kernel_name.empty()) return parts.kernel_name;
  std::string name = "graft_transform_";
  const std::string_view tail = parts.entry.empty() ? "lambda" : last_component(parts.entry);
  for (const char c : tail) {
    if (is_name_letter(c)) name += c;
    else if (name.back() != '_') name += '_';
  }
  while (name.back() == '_') name.pop_back();
  constexpr std::size_t kLongest = 120;
  if (name.size() > kLongest) name.resize(kLongest);
  return name == "graft_transform" ? "graft_transform_callback" : name;
}

// Converts "float relu(float)" to "float(float)". The word in front of the parenthesis is the function's name if the
// words before that word are already a type.
std::string function_type(std::string_view declared) {
  const std::size_t open = declared.find('(');
  if (open == std::string_view::npos) return std::string(declared);
  std::string_view head = declared.substr(0, open);
  while (!head.empty() && !is_name_letter(head.back()) && head.back() != '>' && head.back() != '*' &&
         head.back() != '&')
    head.remove_suffix(1);
  if (!head.empty() && is_name_letter(head.back())) {
    const std::vector<std::string_view> all = words(head);
    const std::string_view last = all.back();
    bool typed = false;
    for (std::size_t i = 0; i + 1 < all.size(); ++i) typed = typed || !is_qualifier(all[i]);
    if (typed && !is_type_keyword(last)) head = head.substr(0, static_cast<std::size_t>(last.data() - head.data()));
  }
  while (!head.empty() && head.back() == ' ') head.remove_suffix(1);
  if (head.starts_with("extern \"C\" ")) head.remove_prefix(11);
  if (head.starts_with("__device__ ")) head.remove_prefix(11);
  return base::format("{}{}", head, declared.substr(open));
}

std::string defines_section(const std::vector<Define>& defines) {
  std::string text;
  for (std::size_t i = 0; i < defines.size(); ++i)
    text += base::format("{}#define {} {}\n\n", line_directive(static_cast<int>(i + 1), kDefineLines), defines[i].name,
                         defines[i].value);
  // NVRTC predefines assert, and the host's prelude includes it. NDEBUG comes too late for both, so redefine assert.
  if (std::ranges::find(defines, "NDEBUG", &Define::name) != defines.end())
    text += base::format("{}#undef assert\n#define assert(...) ((void)0)\n", line_directive(1, kAdapterLines));
  return text;
}

std::string callback_section(const ProgramParts& parts) {
  std::string text = "#include \"graft/device.h\"\n#include \"graft/contract.h\"\n";
  if (!parts.baked_state.empty()) text += baked_section(parts.baked_state);
  text += "#include \"graft/adapter.h\"\n#include \"graft/behind.h\"\n";
  text += implied_includes(parts) + parts.front;
  if (!parts.members.empty()) return text + members_section(parts);
  return text + defines_section(parts.defines) + callback_text(parts);
}

std::string callback_behind(const ProgramParts& parts, std::string_view front) {
  return base::format("#include \"graft/device.h\"\n#include \"graft/contract.h\"\n{}{}{}{}{}", implied_includes(parts),
                      parts.front, front, defines_section(parts.defines), callback_text(parts));
}

std::string call_expression(const ProgramParts& parts) {
  if (parts.entry.empty() || parts.entry_is_expression) return "graft_callback()";
  return parts.entry.starts_with("::") ? parts.entry : "::" + parts.entry;
}

std::string kernel_definition(const ProgramParts& parts, std::string_view parameters) {
  return base::format(
      "extern \"C\" __global__ void {} {}(const __grid_constant__ {} graft_p) {{\n"
      "  graft_transform(&graft_p.graft_l);\n}}\n",
      kernel_options(parts), kernel_name(parts), parameters);
}

std::string text_alone(const ProgramParts& parts) {
  const std::string name = quoted(parts.callback_name);
  const std::string_view all = parts.callback_text;
  std::string text =
      "#include \"graft/device.h\"\n" + implied_includes(parts) + parts.front + defines_section(parts.defines);
  if (!parts.text_is_expression) return base::format("{}{}{}\n", text, line_directive(1, name), all);
  const std::string_view front = all.substr(0, leading_lines(all));
  if (!front.empty()) text += line_directive(1, name) + std::string(front);
  return text + expression_function(front, all.substr(front.size()), name, line_directive(last_line(all), name));
}

std::string kernel_section(const ProgramParts& parts) {
  std::string text = parts.members.empty() ? base::format("#define GRAFT_CALLBACK {}\n", call_expression(parts))
                                           : base::format("#define GRAFT_COMPOSITION {}\n", parts.composition);
  if (!parts.is_without_kernel)
    text += base::format("#define GRAFT_KERNEL {}\n#define GRAFT_KERNEL_OPTIONS {}\n", kernel_name(parts),
                         kernel_options(parts));
  if (!parts.declared.empty()) text += declared_alias(function_type(parts.declared));
  if (parts.pick_overload) text += "#define GRAFT_OVERLOAD graft_declared\n";
  text += "#include \"graft/kernel.h\"\n";
  if (!parts.declared.empty()) text += "using graft_declared_facts = graft_facts_of<graft_declared>;\n";
  return text;
}

std::string program_text(const ProgramParts& parts) {
  return callback_section(parts) + kernel_section(parts);
}

}  // namespace graft::codegen
