// Class ExactProgram writes the text of an exact adapter (exact_program.hpp). front() writes the part in front of the
// user's text. The other functions write the part behind the user's text: the check or deduction of the types, the code
// for one element, the code for a thread's part of a tile (loads, calls, stores), and the kernel with both.
//
// The user's macros apply to all text behind the user's text. All names there therefore begin with graft_, including
// names of members. Other names that are needed (float2's members, blockDim.x) are reached through functions that
// front() defines.
//
// A group is one vector of a thread: policy.vector_width adjacent elements. A cell is a struct of integers that holds
// an element whose type has no conversion in exact_types.hpp.
//
// Words are loaded and stored by inline assembly. NVVM then has no pointers to examine, which takes a tenth of the
// compile time of a short callback, and it cannot split a 16-byte store into four, as it did with stores of structs.
// The instructions are ordinary loads and stores to ptxas, which removes loads that nothing needs.
#include "families/elementwise/exact_program.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "codegen/exact_text.hpp"
#include "codegen/program_text.hpp"
#include "contract.h"
#include "core/element_spelling.hpp"
#include "families/elementwise/exact_types.hpp"
#include "families/elementwise/parameter_layout.hpp"
#include "reflect/signature/known_types.hpp"

namespace graft::elementwise {
namespace {

// Whether one vector of every array consists of whole 16-byte words.
bool moves_in_words(const Signature& signature, const Policy& policy) {
  const auto is_whole = [&](const ElementType& type) {
    return static_cast<int>(type.size) * policy.vector_width % GRAFT_WORD_BYTES == 0;
  };
  return std::ranges::all_of(signature.inputs(), is_whole) && std::ranges::all_of(signature.outputs(), is_whole);
}

// The members of graft_launch (building_blocks/contract.h) by other names, because the user's macros may change these.
constexpr std::string_view kLaunchMembers =
    "unsigned long long graft_count; unsigned int graft_tiles; unsigned short graft_head; "
    "unsigned char graft_is_differently_aligned, graft_is_single; void* graft_infos[2];";
static_assert(offsetof(graft_launch, count) == 0 && offsetof(graft_launch, tiles) == 8 &&
              offsetof(graft_launch, head) == 12 && offsetof(graft_launch, differently_aligned) == 14 &&
              offsetof(graft_launch, single) == 15 && sizeof(graft_launch) == 32);

bool is_input(const Parameter& parameter) {
  return parameter.role == Role::Input || parameter.role == Role::InOut;
}
bool is_output(const Parameter& parameter) {
  return parameter.role == Role::Output || parameter.role == Role::InOut;
}
bool is_array(const Parameter& parameter) {
  return is_input(parameter) || is_output(parameter);
}

// The names that the generated text uses for one array of the signature.
struct ArrayName {
  const Parameter& parameter;
  const Packing* packing;  // null: the array's elements are passed in cells
  std::string type;        // the typedef of the array's element type: "graft_type_0"
  // The index of the array's pointer among the kernel's pointers. An in-out array has two pointers (see
  // families/elementwise/parameter_layout.hpp), of which the text uses the one among the outputs.
  int place;

  const RegisterKind& registers() const { return packing != nullptr ? packing->registers : kWordRegister; }
  int registers_of_word() const { return GRAFT_WORD_BYTES / registers().bytes; }

  int bytes() const { return static_cast<int>(parameter.type.size); }
  int alignment() const { return static_cast<int>(parameter.type.alignment); }

  // A cell consists of pieces: an array of integers, each as wide as the element's alignment allows, up to 4 bytes.
  int piece_bytes() const { return std::min(alignment(), 4); }
  std::string_view piece_type() const {
    return piece_bytes() == 1 ? "unsigned char" : piece_bytes() == 2 ? "unsigned short" : "unsigned int";
  }
};

class ExactProgram {
 public:
  ExactProgram(const codegen::SourceProgram& program, const Signature& signature, TypesFrom types, const Policy& policy,
               bool is_whole)
      : program_(program),
        signature_(signature),
        types_(types),
        policy_(policy),
        is_whole_(is_whole),
        outputs_begin_(static_cast<int>(signature.inputs().size() + signature.in_outs().size())) {
    add_array(signature.result(), "graft_result");
    for (std::size_t i = 0; i < signature.parameters().size(); ++i)
      add_array(signature.parameters()[i], base::format("graft_type_{}", i));
  }

  std::string text() {
    text_.include("graft/device.h");
    if (!is_whole_) text_.include("graft/contract.h");
    codegen::write_preamble(text_, program_.parts);
    front();
    codegen::write_callback(text_, program_.parts);
    codegen::undefine_names_in_words(text_);
    if (!all_are_named()) read_types();
    if (types_ == TypesFrom::Text) check();
    if (is_whole_) whole_kernel();
    else kernel_for_blocks();
    return text_.take();
  }

 private:
  void add_array(const Parameter& parameter, std::string type) {
    if (!is_array(parameter)) return;
    int place = is_output(parameter) ? outputs_begin_ : 0;
    for (const ArrayName& other : arrays_) place += is_output(other.parameter) == is_output(parameter) ? 1 : 0;
    arrays_.push_back({parameter, packing_of(parameter), std::move(type), place});
  }

  // Writes the text in front of the user's text, where the user's macros do not apply.
  void front() {
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
    name_types();
    if (all_are_named()) parameter();
    else type_reader();
    text_.raw(kHelpers);
    codegen::write_type_checks(text_);
    if (is_whole_)
      text_.raw(
          "__device__ __forceinline__ unsigned int graft_block() { return blockIdx.x; }\n"
          "__device__ __forceinline__ unsigned int graft_thread() { return threadIdx.x; }\n");
    if (signature_.is_selective())
      text_.line("__device__ __forceinline__ bool graft_is_stored(graft::Store store) {{ return store.value; }}");
    if (policy_.body == Body::Vector && !moves_in_words(signature_, policy_))
      text_.line("__device__ __forceinline__ void graft_end_loads() {{ asm volatile(\"\" ::: \"memory\"); }}");
    shifted_words();
    staged_stores();
  }

  // Whether the text in front names a type whose name begins so.
  bool names(std::string_view type) const {
    bool found = false;
    for_each_type([&](const Parameter& parameter, std::string_view) {
      found |= element_spelling(parameter.spelling).starts_with(type) && (is_array(parameter) || is_named(parameter));
    });
    return found;
  }

  // Calls visit(parameter, "graft_type_0") for the result, whose name is graft_result, and for each parameter.
  template <class Visit>
  void for_each_type(Visit visit) const {
    visit(signature_.result(), "graft_result");
    for (std::size_t i = 0; i < signature_.parameters().size(); ++i)
      visit(signature_.parameters()[i], base::format("graft_type_{}", i));
  }

  // Whether the text in front of the user's text can name the type. It can name no type of the user's text, and the
  // spelling of a type that a compiler read may be that of one.
  bool is_named(const Parameter& parameter) const {
    return types_ == TypesFrom::Text &&
           (parameter.role == Role::None || parameter.role == Role::Index || parameter.role == Role::Store ||
            reflect::known_type(element_spelling(parameter.spelling)));
  }
  bool all_are_named() const {
    return is_named(signature_.result()) &&
           std::ranges::all_of(signature_.parameters(), [this](const Parameter& one) { return is_named(one); });
  }

  void name_types() {
    for_each_type([this](const Parameter& parameter, std::string_view name) {
      const std::string_view type = parameter.role == Role::None ? "void" : element_spelling(parameter.spelling);
      if (is_named(parameter)) text_.line("typedef {} {};", type, name);
    });
  }

  // Writes the type of the kernel's one parameter. The host lays out the parameter by the same rule
  // (families/elementwise/parameter_layout.hpp).
  void parameter() {
    std::string state;
    for (std::size_t i = 0; i < signature_.parameters().size(); ++i)
      if (signature_.parameters()[i].role == Role::State) state = base::format(" graft_type_{} graft_state;", i);
    const ParameterLayout layout = lay_out_parameter(signature_);
    const std::size_t pointers = arrays_.size() + signature_.in_outs().size();
    const std::string arrays = pointers == 0 ? "" : base::format(" void* graft_arrays[{}];", pointers);
    text_.line("struct graft_parameters {{ {}{}{} }};", kLaunchMembers, arrays, state);
    text_.line(
        "static_assert(sizeof(graft_parameters) == {} && alignof(graft_parameters) == {}, \"laid out as by the "
        "host\");",
        layout.bytes, layout.alignment);
  }

  // Writes the templates by which read_types() deduces the types of a function with exactly this number of parameters.
  void type_reader() {
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
  void read_type(const Parameter& parameter, std::string_view name, std::string_view member) {
    text_.line("typedef graft_types::{} {};", member, name);
    if (parameter.role == Role::None || parameter.role == Role::Index || parameter.role == Role::Store) return;
    text_.line("static_assert(sizeof({0}) == {1} && alignof({0}) == {2}, \"another type than was read\");", name,
               parameter.type.size, parameter.type.alignment);
    if (types_ == TypesFrom::Text)
      text_.line("static_assert(__is_class({0}) && __is_trivially_copyable({0}), \"no simple struct\");", name);
  }

  void read_types() {
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

  static constexpr std::string_view kHelpers =
      "typedef graft::Index graft_index;\n"
      "__device__ __forceinline__ unsigned int graft_block_threads() { return blockDim.x; }\n";

  // Writes the function that loads 16 bytes from any address, as load_shifted in tile.cu does.
  void shifted_words() {
    const bool has_narrow = std::ranges::any_of(
        arrays_, [](const ArrayName& a) { return a.parameter.role == Role::Input && a.alignment() < 4; });
    if (!has_narrow || arrays_.size() < 2) return;
    text_.raw(
        "__device__ __forceinline__ void graft_load_shifted(const void* from, unsigned int& w0, unsigned int& w1,\n"
        "                                                   unsigned int& w2, unsigned int& w3) {\n"
        "  const unsigned long long address = reinterpret_cast<unsigned long long>(from);\n"
        "  const unsigned int shift = static_cast<unsigned int>(address & 3) * 8;\n"
        "  unsigned int a, b, c, d, e;\n"
        "  asm volatile(\"ld.global.u32 %0, [%5]; ld.global.u32 %1, [%5+4]; ld.global.u32 %2, [%5+8]; \"\n"
        "               \"ld.global.u32 %3, [%5+12]; ld.global.u32 %4, [%5+16];\"\n"
        "               : \"=r\"(a), \"=r\"(b), \"=r\"(c), \"=r\"(d), \"=r\"(e) : \"l\"(address & ~3ull) : "
        "\"memory\");\n"
        "  w0 = __funnelshift_r(a, b, shift), w1 = __funnelshift_r(b, c, shift);\n"
        "  w2 = __funnelshift_r(c, d, shift), w3 = __funnelshift_r(d, e, shift);\n"
        "}\n");
  }

  // Writes the functions that store outputs through shared memory, as store_staged in tile.cu does.
  void staged_stores() {
    if (std::ranges::none_of(arrays_, [&](const ArrayName& a) { return is_staged(a); })) return;
    text_.line(
        "struct alignas(16) graft_word {{ unsigned int words[4]; }};\n"
        "__device__ __forceinline__ graft_word* graft_stage() {{\n"
        "  __shared__ graft_word stage[{} * {}];\n"
        "  return stage;\n"
        "}}\n"
        "__device__ __forceinline__ unsigned int graft_stage_of_thread(int words) {{\n"
        "  return static_cast<unsigned int>(__cvta_generic_to_shared(graft_stage() + threadIdx.x * words));\n"
        "}}\n"
        "__device__ __forceinline__ void graft_wait() {{ __syncthreads(); }}\n"
        "__device__ __forceinline__ void graft_store_staged(void* to, int words, unsigned int threads) {{\n"
        "  const graft_word* const stage = graft_stage();\n"
        "  graft_word* const block = static_cast<graft_word*>(to) - threadIdx.x * words;\n"
        "#pragma unroll\n"
        "  for (int i = 0; i < words; ++i) block[i * threads + threadIdx.x] = stage[i * threads + threadIdx.x];\n"
        "}}",
        GRAFT_BLOCK_THREADS, policy_.words_through_shared);
  }

  std::string callback() const { return codegen::call_expression(program_.parts); }

  // Writes the check that the callback has exactly the types that its text shows.
  void check() {
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

  // ---- one call ----

  // Returns the expression that calls the callback. The functions `input` and `output` return the argument for an
  // array: an input element's value, or the variable that receives an output element.
  template <class Input, class Output>
  std::string call(const std::string& index, Input input, Output output) const {
    std::vector<std::string> arguments;
    std::size_t array = signature_.result().role == Role::Output ? 1 : 0;
    for (const Parameter& parameter : signature_.parameters()) {
      if (parameter.role == Role::Index) arguments.push_back(base::format("graft_index{{{}}}", index));
      else if (parameter.role == Role::State) arguments.emplace_back("graft_all.graft_state");
      else if (parameter.role == Role::Input) arguments.push_back(input(arrays_[array++]));
      else arguments.push_back(output(arrays_[array++]));
    }
    return base::format("{}({})", callback(), base::join(arguments, ", "));
  }

  // Writes the declarations of one call's outputs, and the call. The variable of every output, also that of the
  // callback's result, is named `graft_out<place><suffix>`. The variable of an in-out array holds the loaded element,
  // which `input` returns for it as for an input.
  template <class Input>
  void make_call(const std::string& index, const std::string& suffix, Input input) {
    const auto output = [&](const ArrayName& array) { return base::format("graft_out{}{}", array.place, suffix); };
    const auto variable = [&](const ArrayName& array) {
      const std::string value = as_value(array, output(array));
      return array.parameter.role == Role::InOut ? base::format("static_cast<{}&&>({})", array.type, value) : value;
    };
    for (const ArrayName& array : arrays_) {
      if (array.parameter.role == Role::InOut) declare_in_out(array, output(array), input(array));
      else if (array.parameter.role == Role::Output && &array.parameter != &signature_.result())
        declare_output(array, output(array));
    }
    const std::string made = call(index, input, variable);
    if (signature_.result().role == Role::Output)
      text_.line("  const graft_result {} = {};", output(arrays_.front()), made);
    else if (signature_.is_selective()) text_.line("  const bool graft_stored{} = graft_is_stored({});", suffix, made);
    else text_.line("  {};", made);
  }

  // Declares the variable of a `T&` output, and sets all its bits to zero.
  void declare_output(const ArrayName& array, const std::string& name) {
    if (array.packing != nullptr) text_.line("  {} {} = {}();", array.type, name, array.type);
    else text_.line("  graft_cell_{} {} = {{}};", array.place, name);
  }

  // Declares the variable of an in-out array. `value` is the expression of the loaded element, as an argument.
  void declare_in_out(const ArrayName& array, const std::string& name, const std::string& value) {
    if (array.packing != nullptr) text_.line("  {} {} = {};", array.type, name, value);
    else text_.line("  graft_cell_{0} {1} = reinterpret_cast<const graft_cell_{0}&>({2});", array.place, name, value);
  }

  // Returns the expression by which the callback gets an element: the variable itself, or a reference to the element
  // inside a cell.
  static std::string as_value(const ArrayName& array, const std::string& name) {
    return array.packing != nullptr ? name : base::format("reinterpret_cast<{}&>({})", array.type, name);
  }

  // Returns the expression of the i-th piece of an output element that is in a cell.
  std::string piece_of(const ArrayName& array, const std::string& name, int i) const {
    if (&array.parameter != &signature_.result()) return base::format("{}.graft_w[{}]", name, i);
    return base::format("reinterpret_cast<const graft_cell_{}&>({}).graft_w[{}]", array.place, name, i);
  }

  // ---- one element ----

  // Writes the code that handles the element at graft_i.
  void element() {
    make_call("graft_i", "", [this](const ArrayName& array) {
      if (array.packing != nullptr)
        return base::format("static_cast<const {}*>(graft_all.graft_arrays[{}])[graft_i]", array.type, array.place);
      // The cell is not const, here and in a tile, because a class may have different constructors for copies of const
      // and of non-const objects.
      const std::string name = base::format("graft_c{}", array.place);
      text_.line("  graft_cell_{0} {1} = static_cast<const graft_cell_{0}*>(graft_all.graft_arrays[{0}])[graft_i];",
                 array.place, name);
      return as_value(array, name);
    });
    if (signature_.is_selective()) text_.line("  if (!graft_stored) return;");
    for (const ArrayName& array : arrays_)
      if (is_output(array.parameter))
        text_.line("  {}", store_of_element(array, "graft_i", base::format("graft_out{}", array.place)));
  }

  // Returns the statement that stores the output variable `name` as the array's element at `index`.
  std::string store_of_element(const ArrayName& array, const std::string& index, const std::string& name) const {
    if (array.packing != nullptr)
      return base::format("static_cast<{}*>(graft_all.graft_arrays[{}])[{}] = {};", array.type, array.place, index,
                          name);
    const bool is_cell = &array.parameter != &signature_.result();
    return base::format("static_cast<graft_cell_{0}*>(graft_all.graft_arrays[{0}])[{1}] = {2};", array.place, index,
                        is_cell ? name : base::format("reinterpret_cast<const graft_cell_{}&>({})", array.place, name));
  }

  // ---- a thread's groups ----

  int words_of(const ArrayName& array) const { return policy_.vector_width * array.bytes() / GRAFT_WORD_BYTES; }

  bool is_staged(const ArrayName& array) const {
    return is_output(array.parameter) && words_of(array) > 1 && words_of(array) <= policy_.words_through_shared;
  }

  // Returns the variable of the i-th register of a group.
  static std::string register_of(const ArrayName& array, int v, int i) {
    return base::format("graft_in{}_{}_{}", array.place, v, i);
  }

  // Returns the expression of the i-th element of a group, as an argument for the callback.
  std::string element_of(const ArrayName& array, int v, int i) {
    return array.packing != nullptr ? packed_element(array, v, i) : cell_of(array, v, i);
  }

  // Returns the expression that makes an element from the registers that hold its bytes, or from a part of one.
  static std::string packed_element(const ArrayName& array, int v, int i) {
    const int bytes = array.bytes(), width = array.registers().bytes;
    const int begin = i * bytes;
    std::string first = register_of(array, v, begin / width);
    if (const int shift = begin % width * 8; shift > 0) first = base::format("({} >> {})", first, shift);
    const std::string second = bytes > width ? register_of(array, v, begin / width + 1) : "";
    const std::string value = base::format(fmt::runtime(array.packing->from), first, second);
    // A type with two members, such as float2, is made from a list of them in braces, which needs the type in front.
    return value.starts_with('{') ? base::format("{}{}", array.type, value) : value;
  }

  std::string cell_of(const ArrayName& array, int v, int i) {
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

  // Returns the expression of the index of the first element in a thread's v-th group.
  static std::string group_start(int v) {
    return v == 0 ? "graft_first" : base::format("graft_first + {} * graft_stride", v);
  }

  // Returns the text of the instructions that load or store a 16-byte word of an array, `step` bytes at a time. The
  // operands %0, %1, ... are registers, and the operand behind them is the address of the thread's group. `operation`
  // may begin with a predicate.
  static std::string instructions(std::string_view operation, const ArrayName& array, int word, int step) {
    const RegisterKind& kind = array.registers();
    const int registers = array.registers_of_word(), at_once = step / kind.bytes;
    const bool is_load = operation.ends_with("ld.global");
    std::string all;
    for (int first = 0; first < registers; first += at_once) {
      std::vector<std::string> names;
      for (int i = first; i < first + at_once; ++i) names.push_back(base::format("%{}", i));
      const std::string list = at_once == 1 ? names.front() : base::format("{{{}}}", base::join(names, ", "));
      const std::string address = base::format("[%{}+{}]", registers, word * GRAFT_WORD_BYTES + first * kind.bytes);
      base::append(all, "{}{}.{} {}, {}; ", operation, at_once == 1 ? "" : base::format(".v{}", at_once), kind.ptx,
                   is_load ? list : address, is_load ? address : list);
    }
    return all;
  }

  // How a load finds its array aligned: to words in every call, or in calls whose arrays are aligned alike. In the
  // other calls elements are only aligned to their type, and a word is made from narrower loads: either by code of its
  // own (Unlike), or by the same assembly (Either).
  enum class Aligned { Always, Unlike, Either };

  // Writes the load of a 16-byte word.
  void load(const ArrayName& array, int v, int word, Aligned aligned) {
    std::vector<std::string> registers;
    for (int i = 0; i < array.registers_of_word(); ++i)
      registers.push_back(register_of(array, v, word * array.registers_of_word() + i));
    const std::string from = base::format("graft_from{}_{}", array.place, v);
    if (aligned == Aligned::Unlike)
      return text_.line("    graft_load_shifted({} + {}, {});", from, word * GRAFT_WORD_BYTES,
                        base::join(registers, ", "));
    // "&": a register may be written before the last instruction reads the address.
    for (std::string& name : registers) name = base::format("\"=&{}\"({})", array.registers().constraint, name);
    std::string text = instructions("ld.global", array, word, GRAFT_WORD_BYTES);
    std::string operands = base::format("\"l\"({})", from);
    if (aligned == Aligned::Either) {
      // The wide load comes first, so that the narrow ones, which are skipped in most calls, take their time while it
      // is under way. ptxas makes such predicated instructions of a branch too, but with the narrow loads first.
      text = base::format(
          "{{ .reg .pred graft_p; setp.ne.u32 graft_p, %{}, 0; {}{}}}", array.registers_of_word() + 1,
          instructions("@!graft_p ld.global", array, word, GRAFT_WORD_BYTES),
          instructions("@graft_p ld.global", array, word, std::max(array.alignment(), array.registers().bytes)));
      operands += ", \"r\"(graft_differs)";
    }
    text_.line("    asm volatile(\"{}\" : {} : {} : \"memory\");", text, base::join(registers, ", "), operands);
  }

  template <class Visit>
  void for_each_input(Visit visit) {
    for (const ArrayName& array : arrays_)
      if (is_input(array.parameter))
        for (int v = 0; v < vectors_; ++v) visit(array, v);
  }

  void loads() {
    for_each_input([&](const ArrayName& array, int v) {
      text_.line(
          "  const unsigned char* const graft_from{}_{} = static_cast<const unsigned "
          "char*>(graft_all.graft_arrays[{}]) + "
          "({}) * {};",
          array.place, v, array.place, group_start(v), array.bytes());
      std::vector<std::string> registers;
      for (int i = 0; i < words_of(array) * array.registers_of_word(); ++i)
        registers.push_back(register_of(array, v, i));
      text_.line("  {} {};", array.registers().type, base::join(registers, ", "));
    });
    // An array whose element type is aligned to 16 bytes is always aligned to whole words. If a kernel has only one
    // array, tiles begin where this array is aligned. Tiles always begin where the outputs are aligned, and in-out
    // arrays are outputs. Words of elements that are aligned to less than 4 bytes are shifted together
    // (graft_load_shifted).
    const auto aligned = [&](const ArrayName& array) {
      const bool may_differ =
          arrays_.size() > 1 && array.alignment() < GRAFT_WORD_BYTES && array.parameter.role == Role::Input;
      return !may_differ ? Aligned::Always : array.alignment() < 4 ? Aligned::Unlike : Aligned::Either;
    };
    const auto any = [&](Aligned wanted) {
      return std::ranges::any_of(arrays_,
                                 [&](const ArrayName& a) { return is_input(a.parameter) && aligned(a) == wanted; });
    };
    const auto all = [&](Aligned those, Aligned as) {
      for_each_input([&](const ArrayName& array, int v) {
        for (int word = 0; word < words_of(array); ++word)
          if (aligned(array) == those) load(array, v, word, as);
      });
    };
    if (any(Aligned::Either))
      text_.line("  const unsigned int graft_differs = graft_all.graft_is_differently_aligned;");
    all(Aligned::Always, Aligned::Always);
    all(Aligned::Either, Aligned::Either);
    if (!any(Aligned::Unlike)) return;
    text_.line("  if (graft_all.graft_is_differently_aligned) {{");
    all(Aligned::Unlike, Aligned::Unlike);
    text_.line("  }} else {{");
    all(Aligned::Unlike, Aligned::Always);
    text_.line("  }}");
  }

  // Returns the expression of the i-th register of a group of outputs.
  std::string output_register(const ArrayName& array, int v, int i) const {
    const int width = array.registers().bytes, bytes = array.bytes();
    const auto name_of = [&](int begin) { return base::format("graft_out{}_{}_{}", array.place, v, begin / bytes); };
    const int part_bytes = array.packing != nullptr ? std::min(bytes, width) : array.piece_bytes();
    const auto part = [&](int begin) {
      const int at = begin % bytes / part_bytes;
      return array.packing != nullptr
                 ? base::format(fmt::runtime(array.packing->to[static_cast<std::size_t>(at)]), name_of(begin))
                 : piece_of(array, name_of(begin), at);
    };
    if (part_bytes == width) return part(i * width);
    std::string all;
    for (int at = 0; at < width; at += part_bytes)
      base::append(all, "{}static_cast<unsigned int>({}) << {}", at == 0 ? "" : " | ", part(i * width + at), at * 8);
    return all;
  }

  // Writes the store of a 16-byte word of a group to `address`, an operand of inline assembly.
  void store_word(std::string_view operation, const ArrayName& array, int v, int word, const std::string& address) {
    std::string operands;
    for (int i = 0; i < array.registers_of_word(); ++i)
      base::append(operands, "\"{}\"({}), ", array.registers().constraint,
                   output_register(array, v, word * array.registers_of_word() + i));
    text_.line("    asm volatile(\"{}\" :: {}{} : \"memory\");", instructions(operation, array, word, GRAFT_WORD_BYTES),
               operands, address);
  }

  // Writes the stores of one group. `again` says that an earlier store in this tile used shared memory. Other threads
  // may still be reading the shared memory, so the text first waits for them at a barrier.
  void store(const ArrayName& array, int v, bool again) {
    const std::string to = base::format("graft_to + {}", group_start(v));
    if (!is_staged(array)) {
      for (int word = 0; word < words_of(array); ++word)
        store_word("st.global", array, v, word, base::format("\"l\"({})", to));
      return;
    }
    if (again) text_.line("    graft_wait();");
    for (int word = 0; word < words_of(array); ++word)
      store_word("st.shared", array, v, word, base::format("\"r\"(graft_stage_of_thread({}))", words_of(array)));
    text_.line("    graft_wait();\n    graft_store_staged({}, {}, {});", to, words_of(array), block_threads());
  }

  // Writes all stores of a tile. The stores move whole words, because all outputs are aligned at the beginning of a
  // tile (find_start in arguments.cpp).
  void stores() {
    bool again = false;
    for (const ArrayName& array : arrays_) {
      if (!is_output(array.parameter)) continue;
      text_.line("  {{");
      text_.line("    {0}* const graft_to = static_cast<{0}*>(graft_all.graft_arrays[{1}]);", array.type, array.place);
      for (int v = 0; v < vectors_; ++v) {
        if (signature_.is_selective()) text_.line("    if (graft_stored_all_{}) {{", v);
        store(array, v, again);
        if (signature_.is_selective()) store_some(array, v);
        again = again || is_staged(array);
      }
      text_.line("  }}");
    }
  }

  // Writes, for each group, whether the callback stores all of its elements.
  void stored_groups() {
    for (int v = 0; v < vectors_; ++v) {
      std::vector<std::string> elements;
      for (int i = 0; i < policy_.vector_width; ++i) elements.push_back(base::format("graft_stored_{}_{}", v, i));
      text_.line("  const bool graft_stored_all_{} = {};", v, base::join(elements, " && "));
    }
  }

  // Writes the stores of a group of which some elements are left alone: each element is stored by itself or not at all.
  void store_some(const ArrayName& array, int v) {
    text_.line("    }} else {{");
    for (int i = 0; i < policy_.vector_width; ++i)
      text_.line("      if (graft_stored_{}_{}) {}", v, i,
                 store_of_element(array, base::format("{} + {}", group_start(v), i),
                                  base::format("graft_out{}_{}_{}", array.place, v, i)));
    text_.line("    }}");
  }

  // Writes a thread's part of a tile whose vectors have one element each, as those of a selective callback. Elements
  // are loaded and stored as in graft_element. All loads come first, so that they overlap. NVRTC would otherwise move
  // loads of elements that are needed only if they are stored behind the loads that decide about it: an update of
  // floats by a mask ran at 0.92 instead of 0.998 of a copy's speed.
  void single_elements() {
    for_each_input([&](const ArrayName& array, int v) {
      const std::string type =
          array.packing != nullptr ? "const " + array.type : base::format("graft_cell_{}", array.place);
      text_.line("  {0} {1} = static_cast<const {2}*>(graft_all.graft_arrays[{3}])[{4}];", type, single_name(array, v),
                 array.packing != nullptr ? array.type : type, array.place, group_start(v));
    });
    text_.line("  graft_end_loads();");
    for (int v = 0; v < vectors_; ++v)
      make_call(group_start(v), base::format("_{}", v),
                [&](const ArrayName& array) { return as_value(array, single_name(array, v)); });
    for (int v = 0; v < vectors_; ++v) {
      const std::string condition = signature_.is_selective() ? base::format("if (graft_stored_{}) ", v) : "";
      for (const ArrayName& array : arrays_)
        if (is_output(array.parameter))
          text_.line("  {}{}", condition,
                     store_of_element(array, group_start(v), base::format("graft_out{}_{}", array.place, v)));
    }
  }

  // The number of a block's threads. A whole kernel has read it at its beginning.
  std::string_view block_threads() const { return is_whole_ ? "graft_threads" : "graft_block_threads()"; }

  static std::string single_name(const ArrayName& array, int v) {
    return base::format("graft_in{}_{}", array.place, v);
  }

  void groups(int vectors) {
    vectors_ = vectors;
    if (vectors > 1) text_.line("  const unsigned int graft_stride = {} * {};", block_threads(), policy_.vector_width);
    if (!moves_in_words(signature_, policy_)) return single_elements();
    loads();
    for (int v = 0; v < vectors; ++v)
      for (int i = 0; i < policy_.vector_width; ++i)
        make_call(base::format("{} + {}", group_start(v), i), base::format("_{}_{}", v, i),
                  [&](const ArrayName& array) { return element_of(array, v, i); });
    if (signature_.is_selective()) stored_groups();
    stores();
  }

  bool has_tiles() const { return policy_.body == Body::Vector; }
  bool has_single() const { return has_tiles() && policy_.single_below > 0; }

  // Writes the code that handles a thread's part of a tile. Its first element is at graft_first.
  void tile() {
    if (has_single()) {
      text_.line("  if (graft_all.graft_is_single) {{");
      groups(1);
      text_.line("  return;\n  }}");
    }
    if (has_tiles()) groups(policy_.vectors_per_thread);
  }

  // ---- the kernel ----

  // Writes the functions that the building block transform.cu calls, and the kernel that calls the building block.
  void kernel_for_blocks() {
    text_.line("GRAFT_ANSWER int graft_vector_width() {{ return {}; }}", policy_.vector_width);
    text_.line("GRAFT_ANSWER int graft_vectors_per_thread() {{ return {}; }}", policy_.vectors_per_thread);
    const auto define = [&](std::string_view function, auto body) {
      text_.line("GRAFT_ANSWER void {} {{", function);
      text_.line("  const graft_parameters& graft_all = *reinterpret_cast<const graft_parameters*>(graft_l);");
      body();
      text_.line("}}");
    };
    define("graft_element(const graft_launch* graft_l, unsigned long long graft_i)", [this] { element(); });
    define("graft_tile(const graft_launch* graft_l, unsigned long long graft_first)", [this] { tile(); });
    text_.line("{} {{", codegen::kernel_head(program_.parts, "graft_parameters"));
    text_.line("  graft_transform(reinterpret_cast<const graft_launch*>(&graft_p));\n}}");
  }

  // Writes the kernel without building blocks. Its threads handle the elements that transform.cu gives them.
  void whole_kernel() {
    text_.line("{} {{", codegen::kernel_head(program_.parts, "graft_parameters"));
    text_.line("  unsigned int graft_threads = graft_block_threads();");
    text_.line("  const graft_parameters& graft_all = graft_p;");
    // The operand is read before the wait and not again: graft_start_programmatic_launch in transform.cu says why.
    if (policy_.programmatic_launch)
      text_.line(
          "  asm volatile(\"griddepcontrol.launch_dependents; griddepcontrol.wait;\" : \"+r\"(graft_threads) :: "
          "\"memory\");");
    std::string index = "graft_place";
    if (has_tiles()) {
      const int elements = policy_.elements_per_thread();
      text_.line("  const unsigned int graft_tile = graft_threads * {};",
                 has_single() ? base::format("(graft_all.graft_is_single ? {} : {})", policy_.vector_width, elements)
                              : std::to_string(elements));
      text_.line("  if (graft_block() < graft_all.graft_tiles) {{");
      text_.line(
          "  const unsigned long long graft_first = graft_all.graft_head + static_cast<unsigned long "
          "long>(graft_block()) * graft_tile + graft_thread() * {};",
          policy_.vector_width);
      tile();
      text_.line("  return;\n  }}");
      index =
          "graft_place < graft_all.graft_head ? graft_place : graft_place + static_cast<unsigned long "
          "long>(graft_all.graft_tiles) * graft_tile";
    }
    text_.line(
        "  const unsigned long long graft_place = static_cast<unsigned long long>(graft_block(){}) * "
        "graft_threads + graft_thread();",
        has_tiles() ? " - graft_all.graft_tiles" : "");
    text_.line("  const unsigned long long graft_i = {};", index);
    text_.line("  if (graft_i >= graft_all.graft_count) return;");
    element();
    text_.line("}}");
  }

  const codegen::SourceProgram& program_;
  const Signature& signature_;
  TypesFrom types_;
  const Policy& policy_;
  const bool is_whole_;
  int outputs_begin_;              // the index of the first output's pointer among the kernel's pointers
  int vectors_ = 1;                // vectors per thread in the tile that is being written
  std::vector<ArrayName> arrays_;  // in the signature's order, the result first
  codegen::ProgramText text_;
};

}  // namespace

bool fits_exact_program(const Signature& signature, const Policy& policy) {
  if (count_masks(signature) > 0) return false;
  const bool stores_elements = signature.is_selective() && policy.vector_width == 1;
  return policy.body == Body::Rolled || stores_elements || moves_in_words(signature, policy);
}

bool can_be_exact(const codegen::SourceProgram& program) {
  return program.members.empty() && program.parts.baked_state.empty() && !program.parts.pick_overload;
}

std::string exact_program_text(const codegen::SourceProgram& program, const Signature& signature, TypesFrom types,
                               const Policy& policy, bool is_whole) {
  return ExactProgram(program, signature, types, policy, is_whole).text();
}

}  // namespace graft::elementwise
