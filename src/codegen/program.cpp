// Assembles the program from front to back: graft's headers, the headers that the callback's text needs but does not
// include, Options::defines, the callback's text, and the lines that make a kernel of the callback. UsersText
// (lines.hpp) writes the callback's text.
#include "codegen/program.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "base/format.hpp"
#include "codegen/compose.hpp"
#include "codegen/lines.hpp"
#include "contract.h"
#include "reflect/callback/generic.hpp"
#include "reflect/callback/scan.hpp"
#include "reflect/signature/declaration.hpp"
#include "reflect/text/keywords.hpp"

namespace graft::codegen {
namespace {

bool is_name_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string kernel_options(const ProgramParts& parts) {
  return parts.max_registers > 0 ? base::format("__maxnreg__({})", parts.max_registers)
                                 : base::format("__launch_bounds__({})", GRAFT_BLOCK_THREADS);
}

// Writes the bytes of the baked state as a constant array, so that the compiler can replace reads of the state by
// constants.
void write_baked_state(ProgramText& text, const std::vector<std::byte>& state) {
  std::vector<unsigned> bytes;
  for (const std::byte byte : state) bytes.push_back(std::to_integer<unsigned>(byte));
  text.line("struct alignas({}) graft_baked_bytes {{ unsigned char graft_bytes[{}]; }};", GRAFT_MAX_STATE_ALIGNMENT,
            bytes.size());
  text.line("static __constant__ const graft_baked_bytes graft_baked = {{{{{}}}}};", base::join(bytes, ","));
  text.define("GRAFT_BAKED_STATE", "graft_baked.graft_bytes");
}

}  // namespace

std::string kernel_name(const ProgramParts& parts) {
  if (!parts.kernel_name.empty()) return parts.kernel_name;
  std::string name = "graft_transform_";
  const std::string function = parts.entry.empty() ? "lambda" : reflect::called_function(parts.entry);
  for (const char c : reflect::unqualified(function)) {
    if (is_name_letter(c)) name += c;
    else if (name.back() != '_') name += '_';
  }
  while (name.back() == '_') name.pop_back();
  if (name.size() > kLongestKernelName) name.resize(kLongestKernelName);
  return name == "graft_transform" ? "graft_transform_callback" : name;
}

// <cstdint> comes first, so that the macros do not change it where the text includes it.
void rename_own_types(ProgramText& text, const ProgramParts& parts) {
  if (!parts.own_types.empty()) text.include("cstdint");
  for (const std::string& type : parts.own_types) text.define(type, "graft_own_" + type);
}

void restore_own_types(ProgramText& text, const ProgramParts& parts) {
  for (const std::string& type : parts.own_types) text.undefine(type);
}

void write_defines(ProgramText& text, const std::vector<Define>& defines) {
  for (std::size_t i = 0; i < defines.size(); ++i) {
    if (reflect::is_math_macro(defines[i].name)) text.undefine(defines[i].name);
    text.lines_of(kDefineLines, static_cast<int>(i + 1));
    text.define(defines[i].name, defines[i].value);
    text.line("");
  }
  // assert is already defined here, by NVRTC itself or by the <assert.h> in graft/host.h, so a later definition of
  // NDEBUG would not change it. If Options::defines contains NDEBUG, define assert again.
  if (std::ranges::find(defines, "NDEBUG", &Define::name) == defines.end()) return;
  text.own_lines();
  text.undefine("assert");
  text.define("assert(...)", "((void)0)");
}

void undefine_names_in_words(ProgramText& text) {
  for (const char* name : {"global", "launch_bounds", "maxnreg", "grid_constant", "static_assert", "sizeof", "alignof",
                           "decltype", "__is_class", "__is_trivially_copyable"})
    text.undefine(name);
}

void write_declared_type(ProgramText& text, std::string_view declared) {
  text.lines_of(kDeclaredLines, 1);
  text.line("using graft_declared =\n{};", reflect::function_type(declared));
  text.own_lines(4);
}

void write_preamble(ProgramText& text, const ProgramParts& parts) {
  if (parts.include_half) text.include("cuda_fp16.h");
  if (parts.include_bfloat16) text.include("cuda_bf16.h");
  if (!parts.math_calls.empty()) text.include("graft/math_calls.h");
  for (const reflect::MathFunction& function : parts.math_calls) text.line("{}({})", function.macro, function.name);
  for (const std::string_view header : parts.std_headers) text.include(header);
  text.raw(parts.front);
  for (const std::string& macro : parts.own_constants) text.undefine(macro);
  rename_own_types(text, parts);
}

// An expression becomes part of a function, and its leading lines must stay outside.
UsersText with_own_front(const ProgramParts& parts, bool is_expression) {
  return UsersText(parts, is_expression ? leading_lines(parts.callback_text) : std::vector<Cut>());
}

void write_callback(ProgramText& text, const ProgramParts& parts) {
  write_defines(text, parts.defines);
  const UsersText users = with_own_front(parts, parts.entry.empty());
  users.write_front(text);
  users.write_callback(text);
}

std::string callback_section(const ProgramParts& parts) {
  ProgramText text;
  text.include("graft/device.h");
  text.include("graft/contract.h");
  if (!parts.baked_state.empty()) write_baked_state(text, parts.baked_state);
  text.include("graft/cells.h");
  text.include("graft/adapter.h");
  text.include("graft/behind.h");
  write_preamble(text, parts);
  if (parts.members.empty()) write_callback(text, parts);
  else write_members(text, parts);
  return text.take();
}

std::string call_expression(const ProgramParts& parts) {
  if (parts.entry.empty() || parts.entry_is_expression) return "graft_callback()";
  return parts.entry.starts_with("::") ? parts.entry : "::" + parts.entry;
}

std::string with_declared_type(const ProgramParts& parts, std::string_view scope, std::string_view object) {
  const bool is_object = parts.entry.empty() || parts.entry_is_expression;
  if (!is_object || parts.declared.empty()) return std::string(object);
  return base::format("graft_called_as<{}graft_declared>({})", scope, object);
}

std::string kernel_head(const ProgramParts& parts, std::string_view parameters) {
  return base::format("extern \"C\" __global__ void {} {}(const __grid_constant__ {} graft_p)", kernel_options(parts),
                      kernel_name(parts), parameters);
}

std::string text_alone(const ProgramParts& parts) {
  ProgramText text;
  text.include("graft/device.h");
  write_preamble(text, parts);
  write_defines(text, parts.defines);
  const UsersText users = with_own_front(parts, parts.text_is_expression);
  users.write_front(text);
  users.write_alone(text);
  return text.take();
}

std::string kernel_section(const ProgramParts& parts) {
  ProgramText text;
  if (parts.members.empty()) text.define("GRAFT_CALLBACK", with_declared_type(parts, "", call_expression(parts)));
  else text.define("GRAFT_COMPOSITION", parts.composition);
  if (!parts.is_without_kernel) {
    text.define("GRAFT_KERNEL", kernel_name(parts));
    text.define("GRAFT_KERNEL_OPTIONS", kernel_options(parts));
  }
  if (!parts.declared.empty()) write_declared_type(text, parts.declared);
  if (parts.pick_overload) text.define("GRAFT_OVERLOAD", "graft_declared");
  text.include("graft/kernel.h");
  if (!parts.declared.empty()) text.line("using graft_declared_facts = graft_facts_of<graft_declared>;");
  return text.take();
}

std::string program_text(const ProgramParts& parts) {
  return callback_section(parts) + kernel_section(parts);
}

std::string reading_text(const ProgramParts& parts) {
  ProgramText text;
  // With GRAFT_READING, graft's headers leave out the code that a compile which only reads the signature does not need.
  // A composition needs the whole adapter, because the adapter joins the callbacks into the one function whose
  // signature is read.
  if (parts.members.empty()) text.define("GRAFT_READING");
  text.raw(program_text(parts));
  return text.take();
}

}  // namespace graft::codegen
