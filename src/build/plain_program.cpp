// Every name in the generated text that stands behind the user's begins with graft_, members too: the user's macros
// apply to it. What has other names (float2's members, blockDim.x) is reached through functions that stand in front.
#include "build/plain_program.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "build/plain_types.hpp"
#include "contract.h"
#include "reflect/known_types.hpp"

namespace graft::building {
namespace {

constexpr std::string_view kMembers = "xyzw";  // of graft_word4, behind graft_

bool is_array(const Parameter& parameter) {
  return parameter.role == Role::Input || parameter.role == Role::Output;
}

// One array of the signature, as the text names it.
struct ArrayName {
  const Parameter& parameter;
  const Packing& packing;
  std::string type;  // the name given to it in front of the user's text
  int place;         // among the kernel's arrays
};

class PlainProgram {
 public:
  PlainProgram(const SourceProgram& program, const Signature& signature, const plan::Policy& policy)
      : program_(program),
        signature_(signature),
        policy_(policy),
        inputs_(static_cast<int>(signature.inputs().size())) {
    add_array(signature.result(), "graft_result");
    for (std::size_t i = 0; i < signature.parameters().size(); ++i)
      add_array(signature.parameters()[i], base::format("graft_type_{}", i));
  }

  std::string text(std::string_view block) {
    program_text_ = reflect::callback_behind(program_.parts, front() + std::string(block));
    check();
    answers();
    element();
    tile();
    line("{}", reflect::kernel_definition(program_.parts, "graft_parameters"));
    return std::move(program_text_);
  }

 private:
  template <class... T>
  void line(fmt::format_string<T...> format, T&&... arguments) {
    base::append(program_text_, format, std::forward<T>(arguments)...);
    program_text_ += '\n';
  }

  void add_array(const Parameter& parameter, std::string type) {
    if (!is_array(parameter)) return;
    const bool is_input = parameter.role == Role::Input;
    int place = is_input ? 0 : inputs_;
    for (const ArrayName& other : arrays_) place += other.parameter.role == parameter.role ? 1 : 0;
    arrays_.push_back({parameter, *packing_of(parameter), std::move(type), place});
  }

  // The types and the parameter, named where no macro of the user's reaches.
  std::string front() const {
    // The user's own #include of them comes too late for the names.
    std::string text;
    const auto uses = [&](std::string_view type) {
      return std::ranges::any_of(arrays_, [&](const ArrayName& array) { return array.packing.type == type; });
    };
    if (uses("__half")) text += "#include \"cuda_fp16.h\"\n";
    if (uses("__nv_bfloat16")) text += "#include \"cuda_bf16.h\"\n";
    const auto name_type = [&](const Parameter& parameter, std::string_view name) {
      const std::string_view type = parameter.role == Role::None ? "void" : bare(parameter);
      base::append(text, "typedef {} {};\n", type, name);
    };
    name_type(signature_.result(), "graft_result");
    for (const Pair& pair : pairs())
      if (uses(pair.type))
        base::append((text),
                     "__device__ __forceinline__ {1} graft_first_of(const {0}& value) {{ return value.{2}; }}\n"
                     "__device__ __forceinline__ {1} graft_second_of(const {0}& value) {{ return value.{3}; }}\n",
                     pair.type, pair.member, pair.first, pair.second);
    std::vector<std::string> types;
    std::string state;
    for (std::size_t i = 0; i < signature_.parameters().size(); ++i) {
      const Parameter& parameter = signature_.parameters()[i];
      const std::string name = base::format("graft_type_{}", i);
      name_type(parameter, name);
      const bool is_state = parameter.role == Role::State;
      types.push_back(base::format("{}{}{}", is_state ? "const " : "", name,
                                   is_state || parameter.role == Role::Output ? "&" : ""));
      if (is_state) state = base::format(" {} graft_state;", name);
    }
    base::append(text, "typedef graft_result graft_function({});\n", base::join(types, ", "));
    base::append((text), "struct graft_parameters {{ graft_launch graft_l; void* graft_arrays[{}];{} }};\n",
                 arrays_.size(), state);
    return text + std::string(kHelpers) + shifted_words();
  }

  static constexpr std::string_view kHelpers =
      "typedef graft::Index graft_index;\n"
      "struct alignas(16) graft_word4 { unsigned int graft_x, graft_y, graft_z, graft_w; };\n"
      "struct alignas(8) graft_word2 { unsigned int graft_x, graft_y; };\n"
      "__device__ __forceinline__ unsigned int graft_block_threads() { return blockDim.x; }\n"
      "__device__ __forceinline__ bool graft_is_unlike(const graft_launch* launch) { return launch->unlike; }\n"
      "__device__ __forceinline__ bool graft_is_single(const graft_launch* launch) { return launch->single; }\n"
      "template <class A, class B> struct graft_are { enum { graft_same = 0 }; };\n"
      "template <class A> struct graft_are<A, A> { enum { graft_same = 1 }; };\n";

  // See load_shifted in tile.cu.
  std::string shifted_words() const {
    const bool has_narrow = std::ranges::any_of(
        arrays_, [](const ArrayName& a) { return a.parameter.role == Role::Input && a.packing.bytes < 4; });
    if (!has_narrow || arrays_.size() < 2) return {};
    return "__device__ __forceinline__ graft_word4 graft_shifted(const void* from) {\n"
           "  const unsigned long long address = reinterpret_cast<unsigned long long>(from);\n"
           "  const unsigned int* const words = reinterpret_cast<const unsigned int*>(address & ~3ull);\n"
           "  const unsigned int shift = static_cast<unsigned int>(address & 3) * 8;\n"
           "  const unsigned int a = words[0], b = words[1], c = words[2], d = words[3], e = words[4];\n"
           "  return {__funnelshift_r(a, b, shift), __funnelshift_r(b, c, shift), __funnelshift_r(c, d, shift),\n"
           "          __funnelshift_r(d, e, shift)};\n"
           "}\n";
  }

  std::string callback() const {
    const std::string& entry = program_.parts.entry;
    return entry.starts_with("::") ? entry : "::" + entry;
  }

  void check() {
    line("static_assert(graft_are<decltype({}), graft_function>::graft_same, \"not {}\");", callback(),
         signature_.text());
  }

  void answers() {
    line("GRAFT_ANSWER int graft_vector_width() {{ return {}; }}", policy_.vector_width);
    line("GRAFT_ANSWER int graft_vectors_per_thread() {{ return {}; }}", policy_.vectors_per_thread);
  }

  // ---- one call ----

  // What the callback takes: `input` names the element of an array, `output` the variable of one.
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

  // Declares one call's outputs and makes it. The result is `graft_out<place><suffix>`, like the other outputs.
  template <class Input>
  void make_call(const std::string& index, const std::string& suffix, Input input) {
    const auto output = [&](const ArrayName& array) { return base::format("graft_out{}{}", array.place, suffix); };
    for (const ArrayName& array : arrays_)
      if (array.parameter.role == Role::Output && &array.parameter != &signature_.result())
        line("  {} {} = {}();", array.type, output(array), array.type);
    const std::string made = call(index, input, output);
    if (signature_.result().role == Role::Output) line("  const graft_result {} = {};", output(arrays_.front()), made);
    else line("  {};", made);
  }

  void begin(std::string_view head) {
    line("{} {{", head);
    line("  const graft_parameters& graft_all = *reinterpret_cast<const graft_parameters*>(graft_l);");
  }

  void element() {
    begin("GRAFT_ANSWER void graft_element(const graft_launch* graft_l, unsigned long long graft_i)");
    make_call("graft_i", "", [](const ArrayName& array) {
      return base::format("static_cast<const {}*>(graft_all.graft_arrays[{}])[graft_i]", array.type, array.place);
    });
    for (const ArrayName& array : arrays_)
      if (array.parameter.role == Role::Output)
        line("  static_cast<{}*>(graft_all.graft_arrays[{}])[graft_i] = graft_out{};", array.type, array.place,
             array.place);
    line("}}");
  }

  // ---- a thread's groups ----

  int words_of(const ArrayName& array) const { return policy_.vector_width * array.packing.bytes / GRAFT_WORD_BYTES; }

  static std::string wide_name(const ArrayName& array, int v, int word) {
    return base::format("graft_in{}_{}_{}", array.place, v, word);
  }

  // The 4-byte word that the i-th element of a group begins in, or is part of, and those behind it.
  std::string element_of(const ArrayName& array, int v, int i) const {
    const int bytes = array.packing.bytes;
    const auto word = [&](int at) {
      return base::format("{}.graft_{}", wide_name(array, v, at / 4), kMembers[static_cast<std::size_t>(at % 4)]);
    };
    std::vector<std::string> words;
    for (int at = i * bytes / 4; at < std::max(i * bytes / 4 + 1, (i + 1) * bytes / 4); ++at) words.push_back(word(at));
    if (const int shift = i * bytes % 4 * 8; bytes < 4 && shift > 0)
      words[0] = base::format("({} >> {})", words[0], shift);
    words.resize(4);
    return base::format("{}{}", array.packing.from_words.starts_with("{{") ? array.type : "",
                        base::format(fmt::runtime(array.packing.from_words), words[0], words[1], words[2], words[3]));
  }

  // Where the v-th group of a thread begins.
  static std::string group_start(int v) {
    return v == 0 ? "graft_first" : base::format("graft_first + {} * graft_stride", v);
  }

  void load(const ArrayName& array, int v, int word, bool unlike) {
    const std::string from = base::format("graft_from{}_{} + {}", array.place, v, word * GRAFT_WORD_BYTES);
    const std::string name = wide_name(array, v, word);
    const int bytes = array.packing.bytes;
    const auto narrow = [&](std::string_view type, std::string_view members) {
      line("    const {0}* const graft_w = reinterpret_cast<const {0}*>({1});", type, from);
      line("    {} = {{{}}};", name, members);
    };
    if (!unlike) return line("    {} = *reinterpret_cast<const graft_word4*>({});", name, from);
    if (bytes < 4) return line("    {} = graft_shifted({});", name, from);
    line("    {{");
    if (bytes == 8)
      narrow("graft_word2", "graft_w[0].graft_x, graft_w[0].graft_y, graft_w[1].graft_x, graft_w[1].graft_y");
    else narrow("unsigned int", "graft_w[0], graft_w[1], graft_w[2], graft_w[3]");
    line("    }}");
  }

  template <class Visit>
  void for_each_input(Visit visit) {
    for (const ArrayName& array : arrays_)
      if (array.parameter.role == Role::Input)
        for (int v = 0; v < vectors_; ++v) visit(array, v);
  }

  void loads() {
    for_each_input([&](const ArrayName& array, int v) {
      line(
          "  const unsigned char* const graft_from{}_{} = static_cast<const unsigned "
          "char*>(graft_all.graft_arrays[{}]) + "
          "({}) * {};",
          array.place, v, array.place, group_start(v), array.packing.bytes);
      for (int word = 0; word < words_of(array); ++word) line("  graft_word4 {};", wide_name(array, v, word));
    });
    // What is as wide as a word is aligned, wherever it lies; and one array is like itself.
    const auto may_be_unlike = [&](const ArrayName& array) {
      return arrays_.size() > 1 && array.packing.bytes < GRAFT_WORD_BYTES;
    };
    const auto all = [&](bool those_that_may, bool unlike) {
      for_each_input([&](const ArrayName& array, int v) {
        for (int word = 0; word < words_of(array); ++word)
          if (may_be_unlike(array) == those_that_may) load(array, v, word, unlike);
      });
    };
    all(false, false);
    if (std::ranges::none_of(arrays_, [&](const ArrayName& array) {
          return array.parameter.role == Role::Input && may_be_unlike(array);
        }))
      return;
    line("  if (graft_is_unlike(graft_l)) {{");
    all(true, true);
    line("  }} else {{");
    all(true, false);
    line("  }}");
  }

  std::string output_word(const ArrayName& array, int v, int at) const {
    const int bytes = array.packing.bytes;
    const auto words = [&](int i) {
      const std::string name = base::format("graft_out{}_{}_{}", array.place, v, i);
      return base::format(fmt::runtime(array.packing.to_words), name);
    };
    if (bytes >= 4) return words(at * 4 / bytes);
    std::string word;
    for (int part = 0; part < 4 / bytes; ++part)
      word += base::format("{}static_cast<unsigned int>({}) << {}", part == 0 ? "" : " | ",
                           words(at * 4 / bytes + part), part * bytes * 8);
    return word;
  }

  void store(const ArrayName& array, int v) {
    const int bytes = array.packing.bytes;
    for (int word = 0; word < words_of(array); ++word) {
      std::vector<std::string> parts;
      for (int at = 0; at < 4; at += std::max(1, bytes / 4)) parts.push_back(output_word(array, v, word * 4 + at));
      line("    reinterpret_cast<graft_word4*>(graft_to + {})[{}] = {{{}}};", group_start(v), word,
           base::join(parts, ", "));
    }
  }

  // Outputs are aligned wherever a tile begins (find_start in src/launch/arguments.cpp).
  void stores() {
    for (const ArrayName& array : arrays_) {
      if (array.parameter.role != Role::Output) continue;
      line("  {{");
      line("    {0}* const graft_to = static_cast<{0}*>(graft_all.graft_arrays[{1}]);", array.type, array.place);
      for (int v = 0; v < vectors_; ++v) store(array, v);
      line("  }}");
    }
  }

  void groups(int vectors) {
    vectors_ = vectors;
    if (vectors > 1) line("  const unsigned int graft_stride = graft_block_threads() * {};", policy_.vector_width);
    loads();
    for (int v = 0; v < vectors; ++v)
      for (int i = 0; i < policy_.vector_width; ++i)
        make_call(base::format("{} + {}", group_start(v), i), base::format("_{}_{}", v, i),
                  [&](const ArrayName& array) { return element_of(array, v, i); });
    stores();
  }

  void tile() {
    begin("GRAFT_ANSWER void graft_tile(const graft_launch* graft_l, unsigned long long graft_first)");
    if (policy_.body == Body::Vector && policy_.single_below > 0) {
      line("  if (graft_is_single(graft_l)) {{");
      groups(1);
      line("  return;\n  }}");
    }
    if (policy_.body == Body::Vector) groups(policy_.vectors_per_thread);
    line("}}");
  }

  const SourceProgram& program_;
  const Signature& signature_;
  const plan::Policy& policy_;
  int inputs_;
  int vectors_ = 1;                // of the tile that is written
  std::vector<ArrayName> arrays_;  // as the signature lists them: the result first
  std::string program_text_;
};

}  // namespace

std::optional<Signature> plain_signature(const SourceProgram& program, const Options& options) {
  if (program.function_type.empty() || !options.baked_state.empty() || program.parts.pick_overload) return std::nullopt;
  std::optional<Signature> signature = reflect::known_signature(program.function_type);
  if (!signature) return std::nullopt;
  for (const Parameter& parameter : signature->parameters())
    if (is_array(parameter) && packing_of(parameter) == nullptr) return std::nullopt;
  if (signature->result().role == Role::Output && packing_of(signature->result()) == nullptr) return std::nullopt;
  if (program.parts.declared.empty()) return signature;
  const auto declared = reflect::known_signature(reflect::function_type(program.parts.declared));
  return declared == signature ? signature : std::nullopt;
}

bool fits_plain_program(const Signature& signature, const plan::Policy& policy) {
  const auto fits = [&](const ElementType& type) {
    return policy.body == Body::Rolled || static_cast<int>(type.size) * policy.vector_width % GRAFT_WORD_BYTES == 0;
  };
  return std::ranges::all_of(signature.inputs(), fits) && std::ranges::all_of(signature.outputs(), fits);
}

std::string plain_program_text(const SourceProgram& program, const Signature& signature, const plan::Policy& policy,
                               std::string_view block) {
  return PlainProgram(program, signature, policy).text(block);
}

}  // namespace graft::building
