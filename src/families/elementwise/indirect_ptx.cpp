// Class Thunk writes the thunk, a function that loads one element of each input, calls the callback and stores the
// outputs. It calls functions of the building block for the elements of bit arrays. entry() writes the kernel, which
// passes the thunk's address to the building block.
#include "families/elementwise/indirect_ptx.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "codegen/program_text.hpp"
#include "codegen/separate_program.hpp"
#include "contract.h"
#include "families/elementwise/parameter_layout.hpp"
#include "reflect/signature/known_types.hpp"

namespace graft::elementwise {
namespace {

constexpr std::string_view kVersion = ".version 7.7";  // the first PTX version that has cvta.param
constexpr std::string_view kThunkParameters = ".param .b64 launch, .param .b64 index";

bool is_integer(const ElementType& type) {
  switch (type.kind) {
    case ElementKind::Bool:
    case ElementKind::Signed:
    case ElementKind::Unsigned:
    case ElementKind::Enum:
      return type.size <= 8;
    case ElementKind::Class:
    case ElementKind::Float:
    case ElementKind::Bfloat:
    case ElementKind::Complex:
    case ElementKind::Opaque:
    case ElementKind::Bit:
      break;
  }
  return false;
}

bool is_register(const ElementType& type) {
  return is_integer(type) || (type.kind == ElementKind::Float && type.size >= 4);
}

// Writes the declaration of a PTX parameter: ".param .b32 a0", ".param .align 8 .b8 a0[16]".
std::string parameter(const ElementType& type, std::string_view name) {
  if (is_register(type)) return base::format(".param .b{} {}", type.size == 8 ? 64 : 32, name);
  return base::format(".param .align {} .b8 {}[{}]", type.alignment, name, type.size);
}

// Returns the size of the words in which an element is moved, in bytes: the element's alignment, up to 8.
std::uint32_t word_of(const ElementType& type) {
  return type.alignment < 8 ? type.alignment : 8;
}

// Returns the register for a word of the given size: %w for up to 4 bytes, %d for 8.
std::string_view register_of(std::uint32_t bytes) {
  return bytes == 8 ? "%d" : "%w";
}

class Thunk {
 public:
  explicit Thunk(const IndirectKernel& kernel) : kernel_(kernel), signature_(kernel.signature) {}

  std::string text() {
    const std::vector<Parameter>& parameters = signature_.parameters();
    const bool by_pointer = goes_by_pointer(signature_.result());
    const bool returns = signature_.result().role != Role::None && !by_pointer;
    std::vector<std::string> declared;
    std::vector<std::string> names;
    if (by_pointer) declared.emplace_back(".param .b64 r"), names.emplace_back("r");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      names.push_back(base::format("a{}", i));
      declared.push_back(own(parameters[i], names.back()));
    }
    const std::string result = returns ? base::format("({}) ", parameter(signature_.result().type, "r")) : "";
    text_.line(".extern .func {}{}({});\n", result, kernel_.callback, base::join(declared, ", "));
    text_.line(".func graft_thunk({}{})\n{{", kThunkParameters, kernel_.is_for_views ? ", .param .b64 places" : "");
    text_.line("  .reg .b64 %launch, %index, %place, %d;\n  .reg .b32 %w;");
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (goes_by_pointer(parameters[i]))
        text_.line("  .local .align {} .b8 l{}[{}];", parameters[i].type.alignment, i, parameters[i].type.size);
    declare_variables();
    for (const char* name : {"launch", "index"}) text_.line("  ld.param.b64 %{0}, [{0}];", name);
    if (kernel_.is_for_views) text_.line("  .reg .b64 %places;\n  ld.param.b64 %places, [places];");
    // Between the instructions that write the arguments of a call and the call itself, PTX allows no other call. So the
    // bits are loaded before.
    for (std::size_t i = 0, k = 0; i < parameters.size(); ++i)
      if (parameters[i].role == Role::Input) {
        if (is_bit(parameters[i].type)) load_bit(k, base::format("%bit{}", i));
        ++k;
      }
    load_in_out_bits();
    text_.line("  {{");
    for (const std::string& each : declared) text_.line("  {};", each);
    if (returns) text_.line("  {};", parameter(signature_.result().type, "r"));
    // Read the inputs before clearing the outputs, because an input and an output may be the same memory.
    for (std::size_t i = 0, k = 0; i < parameters.size(); ++i)
      if (parameters[i].role == Role::Input) load(parameters[i], i, k++);
    for (std::size_t i = 0, k = first_reference(); i < parameters.size(); ++i)
      pass(parameters[i], base::format("a{}", i), k);
    if (by_pointer) pass_result();
    text_.line("  call {}{}, ({});", returns ? "(r), " : "", kernel_.callback, base::join(names, ", "));
    if (signature_.is_selective()) store_some();
    else if (returns) store_result(signature_.result().type);
    if (!signature_.is_selective()) store_bit_variables();
    text_.line("  }}\n  ret;\n}}\n");
    return text_.take();
  }

 private:
  // Whether the callback takes or returns this value by pointer. Only callbacks that were compiled with the user's
  // types do so. graft_entry passes all values as bytes (separate_program.hpp), so the result is false for it.
  bool goes_by_pointer(const Parameter& p) const {
    return (p.role == Role::Input || &p == &signature_.result()) && kernel_.callback != codegen::kEntry &&
           reflect::goes_by_pointer(p);
  }

  // Writes the declaration of a parameter of the callback. Everything but input values and the index is an address.
  std::string own(const Parameter& p, const std::string& name) const {
    if (p.role == Role::Input && !goes_by_pointer(p)) return parameter(p.type, name);
    if (p.role == Role::Index) return parameter({ElementKind::Class, 8, 8}, name);
    if (p.role == Role::Position) return parameter(p.type, name);
    return ".param .b64 " + name;
  }

  // Writes the instructions that put an element's address into %place. The arrays' pointers follow graft_launch, inputs
  // first.
  void find(const ElementType& type, std::size_t array) {
    if (kernel_.is_for_views) return text_.line("  ld.b64 %place, [%places+{}];", array * sizeof(void*));
    text_.line("  ld.b64 %place, [%launch+{}];", sizeof(graft_launch) + array * sizeof(void*));
    text_.line("  mad.lo.u64 %place, %index, {}, %place;", type.size);
  }
  void find_output(const ElementType& type, std::size_t output) { find(type, pointer_of_output(output)); }

  // ---- bit arrays ----

  // Returns the offset, in the kernel's parameter, of the graft_mask of a bit array. `array` is the index of the
  // array's pointer.
  std::size_t mask_offset(std::size_t array) const {
    std::vector<ElementType> types = types_of_pointers(signature_);
    types.resize(array);
    const auto before = static_cast<std::size_t>(std::ranges::count_if(types, is_bit));
    return lay_out_parameter(signature_).masks + before * sizeof(graft_mask);
  }

  std::size_t pointer_of_output(std::size_t output) const {
    return signature_.inputs().size() + signature_.in_outs().size() + output;
  }

  // Writes the arguments that graft_load_bit and graft_store_bit have in common: words, mask, index.
  void pass_bit_array(std::size_t array) {
    text_.line("  .param .b64 words;\n  .param .b64 mask;\n  .param .b64 at;");
    text_.line("  ld.b64 %place, [%launch+{}];\n  st.param.b64 [words], %place;",
               sizeof(graft_launch) + array * sizeof(void*));
    text_.line("  add.u64 %place, %launch, {};\n  st.param.b64 [mask], %place;", mask_offset(array));
    text_.line("  st.param.b64 [at], %index;");
  }

  void load_bit(std::size_t array, std::string_view to) {
    text_.line("  {{\n  .param .b32 bit;");
    pass_bit_array(array);
    text_.line("  call (bit), graft_load_bit, (words, mask, at);\n  ld.param.b32 {}, [bit];\n  }}", to);
  }

  // Writes the instructions that store the bit in %w to an output.
  void store_bit(std::size_t output) {
    text_.line("  {{\n  .param .b64 from;\n  .param .b32 bit;\n  st.param.b64 [from], %launch;");
    pass_bit_array(pointer_of_output(output));
    text_.line("  st.param.b32 [bit], %w;\n  {}call graft_store_bit, (from, words, mask, at, bit);\n  }}",
               signature_.is_selective() ? "@%stored " : "");
  }

  void load_in_out_bits() {
    for (std::size_t k = 0; k < signature_.in_outs().size(); ++k) {
      const std::size_t output = signature_.in_outs()[k];
      if (!is_bit(signature_.outputs()[output])) continue;
      load_bit(signature_.inputs().size() + k, "%w");
      text_.line("  st.local.b8 [o{}], %w;", output);
    }
  }

  void store_bit_variables() {
    for (std::size_t k = first_reference(); k < signature_.outputs().size(); ++k) {
      if (!is_bit(signature_.outputs()[k])) continue;
      text_.line("  ld.local.b8 %w, [o{}];", k);
      store_bit(k);
    }
  }

  // ---- arguments and results ----

  void load(const Parameter& p, std::size_t position, std::size_t input) {
    const ElementType& type = p.type;
    const std::string to = base::format("a{}", position);
    if (is_bit(type)) return text_.line("  st.param.b8 [{}], %bit{};", to, position);
    find(type, input);
    if (is_register(type)) {
      const bool is_signed = type.kind == ElementKind::Signed && type.size < 4;
      const std::string_view r = register_of(type.size);
      text_.line("  ld.{}{} {}, [%place];", type.size >= 4 ? "b" : (is_signed ? "s" : "u"), 8 * type.size, r);
      text_.line("  st.param.b{} [{}], {};", type.size == 8 ? 64 : 32, to, r);
      return;
    }
    const bool by_pointer = goes_by_pointer(p);
    const std::uint32_t word = word_of(type);
    for (std::uint32_t at = 0; at < type.size; at += word) {
      text_.line("  ld.b{} {}, [%place+{}];", 8 * word, register_of(word), at);
      if (by_pointer) text_.line("  st.local.b{} [l{}+{}], {};", 8 * word, position, at, register_of(word));
      else text_.line("  st.param.b{} [{}+{}], {};", 8 * word, to, at, register_of(word));
    }
    if (by_pointer)
      text_.line("  mov.b64 %place, l{};\n  cvta.local.u64 %place, %place;\n  st.param.b64 [{}], %place;", position,
                 to);
  }

  // Writes the instructions that pass the address of the output's element. The callback may write its result to the
  // output directly, because the inputs are already copied.
  void pass_result() {
    find_output(signature_.result().type, 0);
    text_.line("  st.param.b64 [r], %place;");
  }

  // Writes the instructions that pass one argument to the callback. `output` is the index of the next output, and is
  // increased by each output. The callback updates the element of an in-out array in the array itself.
  void pass(const Parameter& p, const std::string& to, std::size_t& output) {
    if (p.role == Role::Index) text_.line("  st.param.b64 [{}], %index;", to);
    if (p.role == Role::Position) pass_position(p.type.size / 4, to);
    if (p.role == Role::State) {
      text_.line("  add.u64 %place, %launch, {};", lay_out_parameter(signature_).state);
      text_.line("  st.param.b64 [{}], %place;", to);
    }
    if (p.role != Role::Output && p.role != Role::InOut) return;
    if (!has_variable(output)) {
      find_output(p.type, output++);
      if (p.role == Role::Output) clear(p.type);
    } else {
      if (p.role == Role::InOut && !is_bit(p.type)) load_variable(p.type, output);
      text_.line("  mov.b64 %place, o{};\n  cvta.local.u64 %place, %place;", output++);
      if (p.role == Role::Output) clear(p.type);
    }
    text_.line("  st.param.b64 [{}], %place;", to);
  }

  // Writes the instructions that make the coordinates of the index, as graft_position() in building_blocks/contract.h.
  void pass_position(std::uint32_t coordinates, const std::string& to) {
    text_.line(
        "  {{ .reg .b64 %rest, %quotient, %multiplier;\n  .reg .b32 %extent, %shift, %c;\n  mov.b64 %rest, %index;");
    for (std::uint32_t k = 0; k < coordinates; ++k) {
      const std::size_t divider = lay_out_parameter(signature_).dividers + k * sizeof(graft_divider);
      text_.line("  ld.b64 %multiplier, [%launch+{}];", divider + offsetof(graft_divider, multiplier));
      text_.line("  ld.b32 %extent, [%launch+{}];", divider + offsetof(graft_divider, extent));
      text_.line("  ld.b32 %shift, [%launch+{}];", divider + offsetof(graft_divider, shift));
      text_.line(
          "  mul.hi.u64 %quotient, %rest, %multiplier;\n  add.u64 %quotient, %quotient, %rest;\n"
          "  shr.u64 %quotient, %quotient, %shift;\n  cvt.u32.u64 %c, %quotient;\n  mul.lo.u32 %extent, %extent, %c;\n"
          "  cvt.u32.u64 %c, %rest;\n  sub.u32 %c, %c, %extent;\n  st.param.b32 [{}+{}], %c;\n"
          "  mov.b64 %rest, %quotient;",
          to, 4 * (coordinates - 1 - k));
    }
    text_.line("  }}");
  }

  // Writes the instructions that set the element at %place to zero.
  void clear(const ElementType& type) {
    const std::uint32_t word = word_of(type);
    text_.line("  mov.b{0} {1}, 0;", word == 8 ? 64 : 32, register_of(word));
    for (std::uint32_t at = 0; at < type.size; at += word)
      text_.line("  st.b{} [%place+{}], {};", 8 * word, at, register_of(word));
  }

  // Returns the index of the first output that the callback takes as a `T&` parameter.
  std::size_t first_reference() const { return signature_.result().role == Role::Output ? 1 : 0; }

  // Whether the callback writes an output to a local variable and not to the array itself. A selective callback may
  // leave the element alone, and a bit has no address.
  bool has_variable(std::size_t output) const {
    return signature_.is_selective() || is_bit(signature_.outputs()[output]);
  }

  void declare_variables() {
    for (std::size_t k = first_reference(); k < signature_.outputs().size(); ++k)
      if (has_variable(k))
        text_.line("  .local .align {} .b8 o{}[{}];", signature_.outputs()[k].alignment, k,
                   signature_.outputs()[k].size);
    if (signature_.is_selective()) text_.line("  .reg .pred %stored;");
    for (std::size_t i = 0; i < signature_.parameters().size(); ++i)
      if (signature_.parameters()[i].role == Role::Input && is_bit(signature_.parameters()[i].type))
        text_.line("  .reg .b32 %bit{};", i);
  }

  // Writes the instructions that copy the array's element to the variable of an in-out array.
  void load_variable(const ElementType& type, std::size_t output) {
    find_output(type, output);
    const std::uint32_t word = word_of(type);
    for (std::uint32_t at = 0; at < type.size; at += word)
      text_.line("  ld.b{0} {1}, [%place+{2}];\n  st.local.b{0} [o{3}+{2}], {1};", 8 * word, register_of(word), at,
                 output);
  }

  // Writes the instructions that copy the outputs' variables to the arrays if the callback returned
  // graft::Store(true).
  void store_some() {
    text_.line("  ld.param.b8 %w, [r];\n  setp.ne.b32 %stored, %w, 0;");
    for (std::size_t k = 0; k < signature_.outputs().size(); ++k) {
      const ElementType& type = signature_.outputs()[k];
      if (is_bit(type)) {
        text_.line("  ld.local.b8 %w, [o{}];", k);
        store_bit(k);
        continue;
      }
      find_output(type, k);
      const std::uint32_t word = word_of(type);
      for (std::uint32_t at = 0; at < type.size; at += word)
        text_.line("  ld.local.b{0} {1}, [o{2}+{3}];\n  @%stored st.b{0} [%place+{3}], {1};", 8 * word,
                   register_of(word), k, at);
    }
  }

  void store_result(const ElementType& type) {
    if (is_bit(type)) {
      text_.line("  ld.param.b8 %w, [r];");
      return store_bit(0);
    }
    find_output(type, 0);
    if (is_register(type)) {
      const std::string_view r = register_of(type.size);
      text_.line("  ld.param.b{} {}, [r];", type.size == 8 ? 64 : 32, r);
      text_.line("  st.b{} [%place], {};", 8 * type.size, r);
      return;
    }
    const std::uint32_t word = word_of(type);
    for (std::uint32_t at = 0; at < type.size; at += word) {
      text_.line("  ld.param.b{} {}, [r+{}];", 8 * word, register_of(word), at);
      text_.line("  st.b{} [%place+{}], {};", 8 * word, at, register_of(word));
    }
  }

  const IndirectKernel& kernel_;
  const Signature& signature_;
  codegen::ProgramText text_;
};

std::string entry(const IndirectKernel& kernel, std::string_view thunk) {
  const ParameterLayout layout = lay_out_parameter(kernel.signature);
  const std::string limit = kernel.max_registers > 0 ? base::format(".maxnreg {}", kernel.max_registers)
                                                     : base::format(".maxntid {}, 1, 1", GRAFT_BLOCK_THREADS);
  const std::size_t pointers = types_of_pointers(kernel.signature).size();
  const std::size_t bytes = kernel.is_for_views
                                ? layout.bytes + sizeof(graft_shape) + pointers * GRAFT_MAX_RANK * sizeof(std::int64_t)
                                : layout.bytes;
  const std::string call =
      kernel.is_for_views
          ? base::format(
                "  .reg .b64 %shape;\n  .param .b64 a2;\n  .param .b32 a3;\n"
                "  add.u64 %shape, %launch, {};\n  st.param.b64 [a2], %shape;\n  st.param.b32 [a3], {};\n"
                "  call graft_indirect_views, (a0, a2, a3, a1);\n",
                layout.bytes, pointers)
          : std::string("  call graft_indirect, (a0, a1);\n");
  return base::format(
      ".visible .entry {}(.param .align {} .b8 p[{}])\n{}\n{{\n"
      "  .reg .b64 %launch, %thunk;\n"
      "  .param .b64 a0;\n  .param .b64 a1;\n"
      "  mov.b64 %launch, p;\n  cvta.param.u64 %launch, %launch;\n"
      "  mov.u64 %thunk, {};\n"
      "  st.param.b64 [a0], %launch;\n  st.param.b64 [a1], %thunk;\n"
      "{}  ret;\n}}\n",
      kernel.name, layout.alignment, bytes, limit, thunk, call);
}

}  // namespace

std::string indirect_ptx(const IndirectKernel& kernel) {
  const bool own_thunk = !kernel.callback.empty();
  codegen::ProgramText text;
  text.line("{}\n.target sm_75\n.address_size 64\n", kVersion);
  if (kernel.is_for_views)
    text.line(
        ".extern .func graft_indirect_views(.param .b64 launch, .param .b64 shape, .param .b32 pointers, .param .b64 "
        "thunk);");
  else text.line(".extern .func graft_indirect(.param .b64 launch, .param .b64 thunk);");
  if (own_thunk && count_masks(kernel.signature) > 0)
    text.line(
        ".extern .func (.param .b32 bit) graft_load_bit(.param .b64 words, .param .b64 mask, .param .b64 at);\n"
        ".extern .func graft_store_bit(.param .b64 from, .param .b64 words, .param .b64 mask, .param .b64 at, "
        ".param .b32 bit);\n");
  if (own_thunk) text.raw(Thunk(kernel).text());
  else text.line(".extern .func graft_element({});\n", kThunkParameters);
  text.raw(entry(kernel, own_thunk ? "graft_thunk" : "graft_element"));
  return text.take();
}

std::string as_oldest_version(std::string_view ptx) {
  const std::size_t at = ptx.find(".version");
  if (at == std::string_view::npos) return std::string(ptx);
  return base::format("{}{}{}", ptx.substr(0, at), kVersion, ptx.substr(ptx.find('\n', at)));
}

}  // namespace graft::elementwise
