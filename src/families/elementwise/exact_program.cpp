// Class ExactProgram writes the text of an exact adapter (exact_program.hpp). front() writes the part in front of the
// user's text. The other functions write the part behind the user's text: the check or deduction of the types,
// graft_element (handles one element), graft_tile (handles a thread's part of a tile: loads, calls, stores) and the
// kernel.
//
// The user's macros apply to all text behind the user's text. All names there therefore begin with graft_, including
// names of members. Other names that are needed (float2's members, blockDim.x) are reached through functions that
// front() defines.
//
// A group is one vector of a thread: policy.vector_width adjacent elements. A cell is a struct of integers that holds
// an element whose type has no conversion in exact_types.hpp.
#include "families/elementwise/exact_program.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/format.hpp"
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

constexpr std::string_view kMembers = "xyzw";  // graft_word4 has graft_x, graft_y, graft_z and graft_w

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
  ExactProgram(const codegen::SourceProgram& program, const Signature& signature, TypesFrom types, const Policy& policy)
      : program_(program),
        signature_(signature),
        types_(types),
        policy_(policy),
        outputs_begin_(static_cast<int>(signature.inputs().size() + signature.in_outs().size())) {
    add_array(signature.result(), "graft_result");
    for (std::size_t i = 0; i < signature.parameters().size(); ++i)
      add_array(signature.parameters()[i], base::format("graft_type_{}", i));
  }

  std::string text(std::string_view block) {
    codegen::write_declarations(text_, program_.parts);
    front();
    text_.raw(block);
    codegen::write_callback(text_, program_.parts);
    codegen::undefine_names_in_words(text_);
    if (types_ == TypesFrom::Text) check();
    else read_types();
    answers();
    element();
    tile();
    text_.line("{}", codegen::kernel_definition(program_.parts, "graft_parameters"));
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
    if (uses("__half")) text_.include("cuda_fp16.h");
    if (uses("__nv_bfloat16")) text_.include("cuda_bf16.h");
    for (const Pair& pair : pairs())
      if (uses(pair.type))
        text_.line(
            "__device__ __forceinline__ {1} graft_first_of(const {0}& value) {{ return value.{2}; }}\n"
            "__device__ __forceinline__ {1} graft_second_of(const {0}& value) {{ return value.{3}; }}",
            pair.type, pair.member, pair.first, pair.second);
    for (const ArrayName& array : arrays_)
      if (array.packing == nullptr)
        text_.line("struct alignas({}) graft_cell_{} {{ {} graft_w[{}]; }};", array.alignment(), array.place,
                   array.piece_type(), array.bytes() / array.piece_bytes());
    if (types_ == TypesFrom::Text) {
      named_types();
      parameter();
    } else {
      type_reader();
    }
    text_.raw(kHelpers);
    if (signature_.is_selective())
      text_.line("__device__ __forceinline__ bool graft_is_stored(graft::Store store) {{ return store.value; }}");
    if (policy_.body == Body::Vector && !moves_in_words(signature_, policy_))
      text_.line("__device__ __forceinline__ void graft_end_loads() {{ asm volatile(\"\" ::: \"memory\"); }}");
    shifted_words();
    staged_stores();
  }

  bool uses(std::string_view type) const {
    return std::ranges::any_of(
        arrays_, [&](const ArrayName& array) { return array.packing != nullptr && array.packing->type == type; });
  }

  void named_types() {
    const auto name_type = [&](const Parameter& parameter, std::string_view name) {
      const std::string_view type = parameter.role == Role::None ? "void" : element_spelling(parameter.spelling);
      text_.line("typedef {} {};", type, name);
    };
    name_type(signature_.result(), "graft_result");
    std::vector<std::string> types;
    for (std::size_t i = 0; i < signature_.parameters().size(); ++i) {
      const Parameter& parameter = signature_.parameters()[i];
      const std::string name = base::format("graft_type_{}", i);
      name_type(parameter, name);
      const bool is_state = parameter.role == Role::State;
      const std::string_view reference = parameter.role == Role::InOut                ? "&&"
                                         : is_state || parameter.role == Role::Output ? "&"
                                                                                      : "";
      types.push_back(base::format("{}{}{}", is_state ? "const " : "", name, reference));
    }
    text_.line("typedef graft_result graft_function({});", base::join(types, ", "));
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
    text_.line("struct graft_parameters {{ graft_launch graft_l;{}{} }};", arrays, state);
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

  void read_types() {
    if (codegen::call_expression(program_.parts) == "graft_callback()") {
      text_.line("typedef decltype(graft_callback()) graft_object;");
      text_.line("typedef decltype(graft_read(&graft_object::operator())) graft_types;");
    } else {
      text_.line("typedef decltype(graft_read(&{})) graft_types;", callback());
    }
    text_.line("typedef graft_types::graft_r graft_result;");
    const auto check_layout = [&](const Parameter& parameter, const std::string& name) {
      if (parameter.role == Role::None || parameter.role == Role::Index || parameter.role == Role::Store) return;
      text_.line("static_assert(sizeof({0}) == {1} && alignof({0}) == {2}, \"another type than was read\");", name,
                 parameter.type.size, parameter.type.alignment);
    };
    check_layout(signature_.result(), "graft_result");
    for (std::size_t i = 0; i < signature_.parameters().size(); ++i) {
      text_.line("typedef graft_types::graft_{0} graft_type_{0};", i);
      check_layout(signature_.parameters()[i], base::format("graft_type_{}", i));
    }
    // Restore the default packing of structs, because the user's text may have changed the packing by #pragma pack.
    text_.line("#pragma pack(push)\n#pragma pack()");
    parameter();
    text_.line("#pragma pack(pop)");
  }

  static constexpr std::string_view kHelpers =
      "typedef graft::Index graft_index;\n"
      "struct alignas(16) graft_word4 { unsigned int graft_x, graft_y, graft_z, graft_w; };\n"
      "struct alignas(8) graft_word2 { unsigned int graft_x, graft_y; };\n"
      "__device__ __forceinline__ unsigned int graft_block_threads() { return blockDim.x; }\n"
      "__device__ __forceinline__ bool graft_is_differently_aligned(const graft_launch* launch) { return "
      "launch->differently_aligned; }\n"
      "__device__ __forceinline__ bool graft_is_single(const graft_launch* launch) { return launch->single; }\n"
      "template <class A, class B> struct graft_are { enum { graft_same = 0 }; };\n"
      "template <class A> struct graft_are<A, A> { enum { graft_same = 1 }; };\n"
      // Neither noexcept nor the const of a result changes what a call does.
      "template <class R, class... P> struct graft_are<const R(P...), R(P...)> { enum { graft_same = 1 }; };\n"
      "template <class R, class... P> struct graft_are<R(P...) noexcept, R(P...)> { enum { graft_same = 1 }; };\n"
      "template <class R, class... P> struct graft_are<const R(P...) noexcept, R(P...)> { enum { graft_same = 1 }; "
      "};\n";

  // Writes the function that loads 16 bytes from any address, as load_shifted in tile.cu does.
  void shifted_words() {
    const bool has_narrow = std::ranges::any_of(
        arrays_, [](const ArrayName& a) { return a.parameter.role == Role::Input && a.alignment() < 4; });
    if (!has_narrow || arrays_.size() < 2) return;
    text_.raw(
        "__device__ __forceinline__ graft_word4 graft_shifted(const void* from) {\n"
        "  const unsigned long long address = reinterpret_cast<unsigned long long>(from);\n"
        "  const unsigned int* const words = reinterpret_cast<const unsigned int*>(address & ~3ull);\n"
        "  const unsigned int shift = static_cast<unsigned int>(address & 3) * 8;\n"
        "  const unsigned int a = words[0], b = words[1], c = words[2], d = words[3], e = words[4];\n"
        "  return {__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift), __funnelshift_r(c, d, shift),\n"
        "          __funnelshift_r(d, e, shift)};\n"
        "}\n");
  }

  // Writes the functions that store outputs through shared memory, as store_staged in tile.cu does.
  void staged_stores() {
    if (std::ranges::none_of(arrays_, [&](const ArrayName& a) { return is_staged(a); })) return;
    text_.line(
        "__device__ __forceinline__ graft_word4* graft_stage_of_block() {{\n"
        "  __shared__ graft_word4 stage[{} * {}];\n"
        "  return stage;\n"
        "}}\n"
        "__device__ __forceinline__ graft_word4* graft_stage_of_thread(int words) {{\n"
        "  return graft_stage_of_block() + threadIdx.x * words;\n"
        "}}\n"
        "__device__ __forceinline__ void graft_wait() {{ __syncthreads(); }}\n"
        "__device__ __forceinline__ void graft_store_staged(void* to, int words) {{\n"
        "  const graft_word4* const stage = graft_stage_of_block();\n"
        "  graft_word4* const block = static_cast<graft_word4*>(to) - threadIdx.x * words;\n"
        "#pragma unroll\n"
        "  for (int i = 0; i < words; ++i) block[i * blockDim.x + threadIdx.x] = stage[i * blockDim.x + threadIdx.x];\n"
        "}}",
        GRAFT_BLOCK_THREADS, policy_.words_through_shared);
  }

  std::string callback() const { return codegen::call_expression(program_.parts); }

  void check() {
    text_.line("static_assert(graft_are<decltype({}), graft_function>::graft_same, \"not {}\");", callback(),
               signature_.text());
  }

  void answers() {
    text_.line("GRAFT_ANSWER int graft_vector_width() {{ return {}; }}", policy_.vector_width);
    text_.line("GRAFT_ANSWER int graft_vectors_per_thread() {{ return {}; }}", policy_.vectors_per_thread);
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

  void begin(std::string_view head) {
    text_.line("{} {{", head);
    text_.line("  const graft_parameters& graft_all = *reinterpret_cast<const graft_parameters*>(graft_l);");
  }

  void element() {
    begin("GRAFT_ANSWER void graft_element(const graft_launch* graft_l, unsigned long long graft_i)");
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
    text_.line("}}");
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

  static std::string wide_name(const ArrayName& array, int v, int word) {
    return base::format("graft_in{}_{}_{}", array.place, v, word);
  }

  // Returns the expression of the `at`-th 4-byte word of a group.
  static std::string word_of(const ArrayName& array, int v, int at) {
    return base::format("{}.graft_{}", wide_name(array, v, at / 4), kMembers[static_cast<std::size_t>(at % 4)]);
  }

  // Returns the expression of the i-th element of a group, as an argument for the callback.
  std::string element_of(const ArrayName& array, int v, int i) {
    return array.packing != nullptr ? packed_element(array, v, i) : cell_of(array, v, i);
  }

  // Returns the expression that makes an element from the 4-byte words that hold its bytes, or from a part of one word.
  static std::string packed_element(const ArrayName& array, int v, int i) {
    const int bytes = array.bytes();
    std::vector<std::string> words;
    for (int at = i * bytes / 4; at < std::max(i * bytes / 4 + 1, (i + 1) * bytes / 4); ++at)
      words.push_back(word_of(array, v, at));
    if (const int shift = i * bytes % 4 * 8; bytes < 4 && shift > 0)
      words[0] = base::format("({} >> {})", words[0], shift);
    words.resize(4);
    const std::string_view from_words = array.packing->from_words;
    const std::string value = base::format(fmt::runtime(from_words), words[0], words[1], words[2], words[3]);
    // A type with two members, such as float2, is made from a list of them in braces, which needs the type in front.
    return value.starts_with('{') ? base::format("{}{}", array.type, value) : value;
  }

  std::string cell_of(const ArrayName& array, int v, int i) {
    const std::string name = base::format("graft_c{}_{}_{}", array.place, v, i);
    std::vector<std::string> pieces;
    for (int at = i * array.bytes(); at < (i + 1) * array.bytes(); at += array.piece_bytes()) {
      const std::string word = word_of(array, v, at / 4);
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

  // Writes the load of a 16-byte word. In differently aligned arrays, elements are only aligned to their
  // type, so the word is made from narrower loads.
  void load(const ArrayName& array, int v, int word, bool differently_aligned) {
    const std::string from = base::format("graft_from{}_{} + {}", array.place, v, word * GRAFT_WORD_BYTES);
    const std::string name = wide_name(array, v, word);
    const auto narrow = [&](std::string_view type, std::string_view members) {
      text_.line("    const {0}* const graft_w = reinterpret_cast<const {0}*>({1});", type, from);
      text_.line("    {} = {{{}}};", name, members);
    };
    if (!differently_aligned) return text_.line("    {} = *reinterpret_cast<const graft_word4*>({});", name, from);
    if (array.alignment() < 4) return text_.line("    {} = graft_shifted({});", name, from);
    text_.line("    {{");
    if (array.alignment() == 8)
      narrow("graft_word2", "graft_w[0].graft_x, graft_w[0].graft_y, graft_w[1].graft_x, graft_w[1].graft_y");
    else narrow("unsigned int", "graft_w[0], graft_w[1], graft_w[2], graft_w[3]");
    text_.line("    }}");
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
      for (int word = 0; word < words_of(array); ++word) text_.line("  graft_word4 {};", wide_name(array, v, word));
    });
    // Whether load() may have to use narrower loads for the array. An array whose element type is aligned to 16 bytes
    // is always aligned to whole words. If a kernel has only one array, tiles begin where this array is aligned. Tiles
    // always begin where the outputs are aligned, and in-out arrays are outputs.
    const auto may_differ_in_alignment = [&](const ArrayName& array) {
      return arrays_.size() > 1 && array.alignment() < GRAFT_WORD_BYTES && array.parameter.role == Role::Input;
    };
    const auto all = [&](bool those_that_may_differ, bool differently_aligned) {
      for_each_input([&](const ArrayName& array, int v) {
        for (int word = 0; word < words_of(array); ++word)
          if (may_differ_in_alignment(array) == those_that_may_differ) load(array, v, word, differently_aligned);
      });
    };
    all(false, false);
    if (std::ranges::none_of(arrays_, [&](const ArrayName& array) {
          return array.parameter.role == Role::Input && may_differ_in_alignment(array);
        }))
      return;
    text_.line("  if (graft_is_differently_aligned(graft_l)) {{");
    all(true, true);
    text_.line("  }} else {{");
    all(true, false);
    text_.line("  }}");
  }

  // Returns the expression of the `at`-th 4-byte word of a group of outputs. For an element of 8 or 16 bytes that is
  // not in a cell, the expression gives two or four words at once.
  std::string output_word(const ArrayName& array, int v, int at) const {
    const int bytes = array.bytes();
    const auto name_of = [&](int i) { return base::format("graft_out{}_{}_{}", array.place, v, i); };
    const int part_bytes = array.packing != nullptr ? bytes : array.piece_bytes();
    const auto part = [&](int begin) {
      const std::string name = name_of(begin / bytes);
      return array.packing != nullptr ? base::format(fmt::runtime(array.packing->to_words), name)
                                      : piece_of(array, name, begin % bytes / part_bytes);
    };
    if (part_bytes >= 4) return part(at * 4);
    std::string word;
    for (int i = 0; i < 4; i += part_bytes)
      word += base::format("{}static_cast<unsigned int>({}) << {}", i == 0 ? "" : " | ", part(at * 4 + i), i * 8);
    return word;
  }

  std::string wide_output(const ArrayName& array, int v, int word) const {
    const int step = array.packing != nullptr ? std::max(1, array.bytes() / 4) : 1;
    std::vector<std::string> parts;
    for (int at = 0; at < 4; at += step) parts.push_back(output_word(array, v, word * 4 + at));
    return base::format("{{{}}}", base::join(parts, ", "));
  }

  // Writes the stores of one group. `again` says that an earlier store in this tile used shared memory. Other threads
  // may still be reading the shared memory, so the text first waits for them at a barrier.
  void store(const ArrayName& array, int v, bool again) {
    if (!is_staged(array)) {
      for (int word = 0; word < words_of(array); ++word)
        text_.line("    reinterpret_cast<graft_word4*>(graft_to + {})[{}] = {};", group_start(v), word,
                   wide_output(array, v, word));
      return;
    }
    if (again) text_.line("    graft_wait();");
    text_.line("    {{\n    graft_word4* const graft_stage = graft_stage_of_thread({});", words_of(array));
    for (int word = 0; word < words_of(array); ++word)
      text_.line("    graft_stage[{}] = {};", word, wide_output(array, v, word));
    text_.line("    }}\n    graft_wait();\n    graft_store_staged(graft_to + {}, {});", group_start(v),
               words_of(array));
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

  static std::string single_name(const ArrayName& array, int v) {
    return base::format("graft_in{}_{}", array.place, v);
  }

  void groups(int vectors) {
    vectors_ = vectors;
    if (vectors > 1)
      text_.line("  const unsigned int graft_stride = graft_block_threads() * {};", policy_.vector_width);
    if (!moves_in_words(signature_, policy_)) return single_elements();
    loads();
    for (int v = 0; v < vectors; ++v)
      for (int i = 0; i < policy_.vector_width; ++i)
        make_call(base::format("{} + {}", group_start(v), i), base::format("_{}_{}", v, i),
                  [&](const ArrayName& array) { return element_of(array, v, i); });
    if (signature_.is_selective()) stored_groups();
    stores();
  }

  void tile() {
    begin("GRAFT_ANSWER void graft_tile(const graft_launch* graft_l, unsigned long long graft_first)");
    if (policy_.body == Body::Vector && policy_.single_below > 0) {
      text_.line("  if (graft_is_single(graft_l)) {{");
      groups(1);
      text_.line("  return;\n  }}");
    }
    if (policy_.body == Body::Vector) groups(policy_.vectors_per_thread);
    text_.line("}}");
  }

  const codegen::SourceProgram& program_;
  const Signature& signature_;
  TypesFrom types_;
  const Policy& policy_;
  int outputs_begin_;              // the index of the first output's pointer among the kernel's pointers
  int vectors_ = 1;                // vectors per thread in the tile that is being written
  std::vector<ArrayName> arrays_;  // in the signature's order, the result first
  codegen::ProgramText text_;
};

}  // namespace

bool has_words_for(const Signature& signature) {
  const auto has = [](const Parameter& parameter) { return !is_array(parameter) || packing_of(parameter) != nullptr; };
  return has(signature.result()) && std::ranges::all_of(signature.parameters(), has);
}

bool fits_exact_program(const Signature& signature, const Policy& policy) {
  if (count_masks(signature) > 0) return false;
  const bool stores_elements = signature.is_selective() && policy.vector_width == 1;
  return policy.body == Body::Rolled || stores_elements || moves_in_words(signature, policy);
}

bool can_be_exact(const codegen::SourceProgram& program) {
  return program.members.empty() && program.parts.baked_state.empty() && !program.parts.pick_overload;
}

std::string exact_program_text(const codegen::SourceProgram& program, const Signature& signature, TypesFrom types,
                               const Policy& policy, std::string_view block) {
  return ExactProgram(program, signature, types, policy).text(block);
}

}  // namespace graft::elementwise
