// Implements exact_writer.hpp. front() writes the part in front of the user's text; the other functions write the part
// behind it.
#include "families/elementwise/exact_writer.hpp"

#include <cstddef>
#include <optional>
#include <set>

#include "codegen/exact_text.hpp"
#include "contract.h"
#include "core/element_spelling.hpp"
#include "families/elementwise/parameter_layout.hpp"
#include "reflect/signature/known_types.hpp"

namespace graft::elementwise {
namespace {

// The members of graft_launch (building_blocks/contract.h) by other names, because the user's macros may change these.
constexpr std::string_view kLaunchMembers =
    "unsigned long long graft_count; unsigned int graft_tiles; unsigned short graft_head; "
    "unsigned char graft_is_differently_aligned, graft_is_single; void* graft_infos[2];";
static_assert(offsetof(graft_launch, count) == 0 && offsetof(graft_launch, tiles) == 8 &&
              offsetof(graft_launch, head) == 12 && offsetof(graft_launch, differently_aligned) == 14 &&
              offsetof(graft_launch, single) == 15 && sizeof(graft_launch) == 32);

constexpr std::string_view kHelpers =
    "typedef graft::Index graft_index;\n"
    "__device__ __forceinline__ unsigned int graft_block() { return blockIdx.x; }\n"
    "__device__ __forceinline__ unsigned int graft_thread() { return threadIdx.x; }\n"
    "__device__ __forceinline__ unsigned int graft_block_threads() { return blockDim.x; }\n";

}  // namespace

ExactWriter::ExactWriter(const codegen::SourceProgram& program, const Signature& signature, families::TypesFrom types,
                         const Policy& policy)
    : program_(program),
      signature_(signature),
      types_(types),
      policy_(policy),
      outputs_begin_(static_cast<int>(signature.inputs().size() + signature.in_outs().size())) {
  add_array(signature.result(), "graft_result");
  for (std::size_t i = 0; i < signature.parameters().size(); ++i)
    add_array(signature.parameters()[i], base::format("graft_type_{}", i));
}

std::string ExactWriter::text() {
  text_.include("graft/device.h");
  codegen::write_preamble(text_, program_.parts);
  front();
  codegen::write_callback(text_, program_.parts);
  codegen::undefine_names_in_words(text_);
  if (!all_are_named()) read_types();
  if (types_ == families::TypesFrom::Text) check();
  kernel();
  return text_.take();
}

void ExactWriter::add_array(const Parameter& parameter, std::string type) {
  if (!is_array(parameter)) return;
  int place = is_output(parameter) ? outputs_begin_ : 0;
  for (const ArrayName& other : arrays_) place += is_output(other.parameter) == is_output(parameter) ? 1 : 0;
  arrays_.push_back({parameter, packing_of(parameter), std::move(type), place});
}

// Writes the text in front of the user's text, where the user's macros do not apply.
void ExactWriter::front() {
  // The text that front() writes names these types, so their headers must be included here. The user's own #include
  // lines come later.
  if (names("__half")) text_.include("cuda_fp16.h");
  if (names("__nv_bfloat16")) text_.include("cuda_bf16.h");
  std::set<std::string_view> types;
  for (const ArrayName& array : arrays_)
    if (array.packing != nullptr && types.insert(array.packing->type).second)
      if (const std::optional<codegen::Pair> pair = codegen::pair_of(array.packing->type))
        codegen::write_members_of(text_, *pair);
  for (const ArrayName& array : arrays_)
    if (array.packing == nullptr)
      text_.line("struct alignas({}) graft_cell_{} {{ {} graft_w[{}]; }};", array.alignment(), array.place,
                 array.piece_type(), array.bytes() / array.piece_bytes());
  if (signature_.coordinates() > 0) text_.include("graft/contract.h");
  name_types();
  if (all_are_named()) parameter();
  else type_reader();
  text_.raw(kHelpers);
  codegen::write_type_checks(text_);
  if (signature_.is_selective())
    text_.line("__device__ __forceinline__ bool graft_is_stored(graft::Store store) {{ return store.value; }}");
  front_of_kernel();
}

// Calls visit(parameter, "graft_type_0") for the result, whose name is graft_result, and for each parameter.
template <class Visit>
void ExactWriter::for_each_type(Visit visit) const {
  visit(signature_.result(), "graft_result");
  for (std::size_t i = 0; i < signature_.parameters().size(); ++i)
    visit(signature_.parameters()[i], base::format("graft_type_{}", i));
}

// Whether the text in front names a type whose name begins so.
bool ExactWriter::names(std::string_view type) const {
  bool found = false;
  for_each_type([&](const Parameter& parameter, std::string_view) {
    found |= element_spelling(parameter.spelling).starts_with(type) && (is_array(parameter) || is_named(parameter));
  });
  return found;
}

// Whether the text in front of the user's text can name the type. It can name no type of the user's text, and the
// spelling of a type that a compiler read may be that of one.
bool ExactWriter::is_named(const Parameter& parameter) const {
  return types_ == families::TypesFrom::Text &&
         (parameter.role == Role::None || parameter.role == Role::Index || parameter.role == Role::Position ||
          parameter.role == Role::Store || reflect::known_type(element_spelling(parameter.spelling)));
}

bool ExactWriter::all_are_named() const {
  return is_named(signature_.result()) &&
         std::ranges::all_of(signature_.parameters(), [this](const Parameter& one) { return is_named(one); });
}

void ExactWriter::name_types() {
  for_each_type([this](const Parameter& parameter, std::string_view name) {
    const std::string_view type = parameter.role == Role::None ? "void" : element_spelling(parameter.spelling);
    if (is_named(parameter)) text_.line("typedef {} {};", type, name);
  });
}

// Writes the type of the kernel's one parameter. The host lays out the parameter by the same rule
// (families/elementwise/parameter_layout.hpp).
void ExactWriter::parameter() {
  std::string state;
  for (std::size_t i = 0; i < signature_.parameters().size(); ++i)
    if (signature_.parameters()[i].role == Role::State) state = base::format(" graft_type_{} graft_state;", i);
  const ParameterLayout layout = lay_out_parameter(signature_);
  const std::size_t pointers = arrays_.size() + signature_.in_outs().size();
  const std::string arrays = pointers == 0 ? "" : base::format(" void* graft_arrays[{}];", pointers);
  const std::string dividers =
      signature_.coordinates() == 0 ? "" : base::format(" graft_divider graft_dividers[{}];", signature_.coordinates());
  text_.line("struct graft_parameters {{ {}{}{}{} }};", kLaunchMembers, arrays, dividers, state);
  text_.line(
      "static_assert(sizeof(graft_parameters) == {} && alignof(graft_parameters) == {}, \"laid out as by the "
      "host\");",
      layout.bytes, layout.alignment);
  type_behind_parameters();
}

// Writes the templates by which read_types() deduces the types of a function with exactly this number of parameters.
void ExactWriter::type_reader() {
  std::string parameters, types, names;
  for (std::size_t i = 0; i < signature_.parameters().size(); ++i) {
    base::append(parameters, ", class P{}", i);
    base::append(types, "{}P{}", i == 0 ? "" : ", ", i);
    base::append(names, " typedef typename graft_bare<P{0}>::graft_t graft_{0};", i);
  }
  const std::string list = types.empty() ? "R" : "R, " + types;
  text_.raw(
      "template <class T> struct graft_bare { typedef T graft_t; };\n"
      "template <class T> struct graft_bare<const T> { typedef T graft_t; };\n"
      "template <class T> struct graft_bare<T&> { typedef T graft_t; };\n"
      "template <class T> struct graft_bare<const T&> { typedef T graft_t; };\n"
      "template <class T> struct graft_bare<T&&> { typedef T graft_t; };\n");
  text_.line("template <class R{}> struct graft_types_of {{ typedef typename graft_bare<R>::graft_t graft_r;{} }};",
             parameters, names);
  for (const std::string_view pointer : {"(*)", "(C::*)", "(C::*)const"}) {
    const bool is_const = pointer.ends_with("const");
    const bool is_member = pointer != "(*)";
    text_.line("template <{}class R{}> __device__ graft_types_of<{}> graft_read(R {}({}){});",
               is_member ? "class C, " : "", parameters, list, is_member ? "(C::*)" : "(*)", types,
               is_const ? " const" : "");
  }
}

// Gives a type of the user's text a name. If graft read the type's layout in the text, it knows no more of the type.
void ExactWriter::read_type(const Parameter& parameter, std::string_view name, std::string_view member) {
  text_.line("typedef graft_types::{} {};", member, name);
  if (parameter.role == Role::None || parameter.role == Role::Index || parameter.role == Role::Position ||
      parameter.role == Role::Store)
    return;
  text_.line("static_assert(sizeof({0}) == {1} && alignof({0}) == {2}, \"another type than was read\");", name,
             parameter.type.size, parameter.type.alignment);
  if (types_ == families::TypesFrom::Text)
    text_.line("static_assert(__is_class({0}) && __is_trivially_copyable({0}), \"no simple struct\");", name);
}

void ExactWriter::read_types() {
  if (codegen::call_expression(program_.parts) == "graft_callback()") {
    text_.line("typedef decltype(graft_callback()) graft_object;");
    text_.line("typedef decltype(graft_read(&graft_object::operator())) graft_types;");
  } else {
    text_.line("typedef decltype(graft_read(&{})) graft_types;", callback());
  }
  for_each_type([&, i = 0](const Parameter& parameter, std::string_view name) mutable {
    if (!is_named(parameter)) read_type(parameter, name, i == 0 ? "graft_r" : base::format("graft_{}", i - 1));
    ++i;
  });
  // Restore the default packing of structs, because the user's text may have changed the packing by #pragma pack.
  text_.line("#pragma pack(push)\n#pragma pack()");
  parameter();
  text_.line("#pragma pack(pop)");
}

std::string ExactWriter::callback() const {
  return codegen::call_expression(program_.parts);
}

// Writes the check that the callback has exactly the types that its text shows.
void ExactWriter::check() {
  std::vector<std::string> types;
  for_each_type([&](const Parameter& parameter, std::string_view name) {
    if (&parameter == &signature_.result()) return;
    const bool is_state = parameter.role == Role::State;
    const std::string_view reference = parameter.role == Role::InOut                ? "&&"
                                       : is_state || parameter.role == Role::Output ? "&"
                                                                                    : "";
    types.push_back(base::format("{}{}{}", is_state ? "const " : "", name, reference));
  });
  codegen::write_type_check(text_, callback(), base::format("graft_result({})", base::join(types, ", ")),
                            signature_.text());
}

// Declares the variable of a `T&` output, and sets all its bits to zero.
void ExactWriter::declare_output(const ArrayName& array, const std::string& name) {
  if (array.packing != nullptr) text_.line("  {} {} = {}();", array.type, name, array.type);
  else text_.line("  graft_cell_{} {} = {{}};", array.place, name);
}

// Declares the variable of an in-out array. `value` is the expression of the loaded element, as an argument.
void ExactWriter::declare_in_out(const ArrayName& array, const std::string& name, const std::string& value) {
  if (array.packing != nullptr) text_.line("  {} {} = {};", array.type, name, value);
  else text_.line("  graft_cell_{0} {1} = reinterpret_cast<const graft_cell_{0}&>({2});", array.place, name, value);
}

std::string ExactWriter::as_value(const ArrayName& array, const std::string& name) {
  return array.packing != nullptr ? name : base::format("reinterpret_cast<{}&>({})", array.type, name);
}

// Returns the expression of the i-th piece of an output element that is in a cell.
std::string ExactWriter::piece_of(const ArrayName& array, const std::string& name, int i) const {
  if (&array.parameter != &signature_.result()) return base::format("{}.graft_w[{}]", name, i);
  return base::format("reinterpret_cast<const graft_cell_{}&>({}).graft_w[{}]", array.place, name, i);
}

std::string ExactWriter::pointer_of(const ArrayName& array) {
  return base::format("graft_all.graft_arrays[{}]", array.place);
}

std::string ExactWriter::type_in_memory(const ArrayName& array) {
  return array.packing != nullptr ? array.type : base::format("graft_cell_{}", array.place);
}

std::string ExactWriter::store_of_element(const ArrayName& array, const std::string& element,
                                          const std::string& name) const {
  const bool is_in_cell = array.packing != nullptr || &array.parameter != &signature_.result();
  return base::format(
      "{} = {};", element,
      is_in_cell ? name : base::format("reinterpret_cast<const graft_cell_{}&>({})", array.place, name));
}

std::string ExactWriter::register_of(const ArrayName& array, int v, int i) {
  return base::format("graft_in{}_{}_{}", array.place, v, i);
}

void ExactWriter::declare_registers(const ArrayName& array, int v, int count) {
  std::vector<std::string> registers;
  for (int i = 0; i < count; ++i) registers.push_back(register_of(array, v, i));
  text_.line("  {} {};", array.registers().type, base::join(registers, ", "));
}

std::string ExactWriter::element_of(const ArrayName& array, int v, int i) {
  return array.packing != nullptr ? packed_element(array, v, i) : cell_of(array, v, i);
}

// Returns the expression that makes an element from the registers that hold its bytes, or from a part of one.
std::string ExactWriter::packed_element(const ArrayName& array, int v, int i) {
  const int bytes = array.bytes(), width = array.registers().bytes;
  const int begin = i * bytes;
  std::string first = register_of(array, v, begin / width);
  if (const int shift = begin % width * 8; shift > 0) first = base::format("({} >> {})", first, shift);
  const std::string second = bytes > width ? register_of(array, v, begin / width + 1) : "";
  const std::string value = base::format(fmt::runtime(array.packing->from), first, second);
  // A type with two members, such as float2, is made from a list of them in braces, which needs the type in front.
  return value.starts_with('{') ? base::format("{}{}", array.type, value) : value;
}

std::string ExactWriter::cell_of(const ArrayName& array, int v, int i) {
  const std::string name = base::format("graft_c{}_{}_{}", array.place, v, i);
  std::vector<std::string> pieces;
  for (int at = i * array.bytes(); at < (i + 1) * array.bytes(); at += array.piece_bytes()) {
    const std::string word = register_of(array, v, at / 4);
    if (array.piece_bytes() == 4) pieces.push_back(word);
    else pieces.push_back(base::format("static_cast<{}>({} >> {})", array.piece_type(), word, at % 4 * 8));
  }
  text_.line("  graft_cell_{} {} = {{{{{}}}}};", array.place, name, base::join(pieces, ", "));
  return as_value(array, name);
}

std::string ExactWriter::instructions(std::string_view operation, const RegisterKind& kind, int bytes, int step,
                                      int offset, int first, int address) {
  const int registers = std::max(1, bytes / kind.bytes), at_once = std::max(1, step / kind.bytes);
  const std::string type = bytes < kind.bytes ? base::format("u{}", bytes * 8) : std::string(kind.ptx);
  const bool is_load = operation.ends_with("ld.global") || operation.ends_with("ld.shared");
  std::string all;
  for (int i = 0; i < registers; i += at_once) {
    std::vector<std::string> names;
    for (int j = i; j < i + at_once; ++j) names.push_back(base::format("%{}", first + j));
    const std::string list = at_once == 1 ? names.front() : base::format("{{{}}}", base::join(names, ", "));
    const std::string place = base::format("[%{}+{}]", address < 0 ? registers : address, offset + i * kind.bytes);
    base::append(all, "{}{}.{} {}, {}; ", operation, at_once == 1 ? "" : base::format(".v{}", at_once), type,
                 is_load ? list : place, is_load ? place : list);
  }
  return all;
}

std::string ExactWriter::output_register(const ArrayName& array, int v, int i, int bytes_of_group) const {
  const int width = std::min(array.registers().bytes, bytes_of_group), bytes = array.bytes();
  const auto name_of = [&](int begin) { return base::format("graft_out{}_{}_{}", array.place, v, begin / bytes); };
  const int part_bytes = array.packing != nullptr ? std::min(bytes, width) : std::min(array.piece_bytes(), width);
  const auto part = [&](int begin) {
    const int at = begin % bytes / part_bytes;
    return array.packing != nullptr
               ? base::format(fmt::runtime(array.packing->to[static_cast<std::size_t>(at)]), name_of(begin))
               : piece_of(array, name_of(begin), at);
  };
  if (part_bytes == width && width == array.registers().bytes) return part(i * width);
  std::string all;
  for (int at = 0; at < width; at += part_bytes)
    base::append(all, "{}static_cast<unsigned int>({}) << {}", at == 0 ? "" : " | ", part(i * width + at), at * 8);
  return all;
}

void ExactWriter::store_word(std::string_view operation, const ArrayName& array, int v, int first, int bytes,
                             int offset, const std::string& address) {
  std::string operands;
  for (int i = 0; i < array.registers_for(bytes); ++i)
    base::append(operands, "\"{}\"({}), ", array.registers().constraint, output_register(array, v, first + i, bytes));
  text_.line("    asm volatile(\"{}\" :: {}{} : \"memory\");",
             instructions(operation, array.registers(), bytes, bytes, offset), operands, address);
}

void ExactWriter::all_are_stored(int v) {
  std::vector<std::string> elements;
  for (int i = 0; i < policy_.vector_width; ++i) elements.push_back(base::format("graft_stored_{}_{}", v, i));
  text_.line("  const bool graft_stored_all_{} = {};", v, base::join(elements, " && "));
}

}  // namespace graft::elementwise
