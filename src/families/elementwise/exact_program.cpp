// Class ExactProgram writes the kernel of an exact adapter for dense arrays: the code for one element, the code for a
// thread's part of a tile (loads, calls, stores), and the kernel with both. exact_writer.hpp writes the rest of the
// text, and says how names in it are chosen.
#include "families/elementwise/exact_program.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "contract.h"
#include "families/elementwise/exact_writer.hpp"
#include "families/elementwise/parameter_layout.hpp"

namespace graft::elementwise {
namespace {

// Whether one vector of every array consists of whole 16-byte words.
bool moves_in_words(const Signature& signature, const Policy& policy) {
  const auto is_whole = [&](const ElementType& type) {
    return static_cast<int>(type.size) * policy.vector_width % GRAFT_WORD_BYTES == 0;
  };
  return std::ranges::all_of(signature.inputs(), is_whole) && std::ranges::all_of(signature.outputs(), is_whole);
}

class ExactProgram final : public ExactWriter {
 public:
  ExactProgram(const codegen::SourceProgram& program, const Signature& signature, TypesFrom types, const Policy& policy,
               bool is_whole)
      : ExactWriter(program, signature, types, policy), is_whole_(is_whole) {}

 private:
  void front_of_kernel() override {
    if (!is_whole_) text_.include("graft/contract.h");
    if (policy_.body == Body::Vector && !moves_in_words(signature_, policy_))
      text_.line("__device__ __forceinline__ void graft_end_loads() {{ asm volatile(\"\" ::: \"memory\"); }}");
    shifted_words();
    staged_stores();
  }

  void kernel() override {
    if (is_whole_) whole_kernel();
    else kernel_for_blocks();
  }

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

  // ---- one element ----

  // Returns the expression of the element at an index.
  static std::string at(const ArrayName& array, std::string_view type, const std::string& index) {
    return base::format("static_cast<{}*>({})[{}]", type, pointer_of(array), index);
  }

  // Writes the code that handles the element at graft_i.
  void one_element() {
    element("graft_i", "return",
            [](const ArrayName& array, const std::string& type) { return at(array, type, "graft_i"); });
  }

  // ---- a thread's groups ----

  int words_of(const ArrayName& array) const { return policy_.vector_width * array.bytes() / GRAFT_WORD_BYTES; }

  bool is_staged(const ArrayName& array) const {
    return is_output(array.parameter) && words_of(array) > 1 && words_of(array) <= policy_.words_through_shared;
  }

  // Returns the expression of the index of the first element in a thread's v-th group.
  static std::string group_start(int v) {
    return v == 0 ? "graft_first" : base::format("graft_first + {} * graft_stride", v);
  }

  // How a load finds its array aligned: to words in every call, or in calls whose arrays are aligned alike. In the
  // other calls elements are only aligned to their type, and a word is made from narrower loads: either by code of its
  // own (Unlike), or by the same assembly (Either).
  enum class Aligned { Always, Unlike, Either };

  // Writes the load of a 16-byte word.
  void load(const ArrayName& array, int v, int word, Aligned aligned) {
    std::vector<std::string> registers;
    const int of_word = array.registers_for(GRAFT_WORD_BYTES), offset = word * GRAFT_WORD_BYTES;
    for (int i = 0; i < of_word; ++i) registers.push_back(register_of(array, v, word * of_word + i));
    const std::string from = base::format("graft_from{}_{}", array.place, v);
    if (aligned == Aligned::Unlike)
      return text_.line("    graft_load_shifted({} + {}, {});", from, offset, base::join(registers, ", "));
    // "&": a register may be written before the last instruction reads the address.
    for (std::string& name : registers) name = base::format("\"=&{}\"({})", array.registers().constraint, name);
    const RegisterKind& kind = array.registers();
    std::string text = instructions("ld.global", kind, GRAFT_WORD_BYTES, GRAFT_WORD_BYTES, offset);
    std::string operands = base::format("\"l\"({})", from);
    if (aligned == Aligned::Either) {
      // The wide load comes first, so that the narrow ones, which are skipped in most calls, take their time while it
      // is under way. ptxas makes such predicated instructions of a branch too, but with the narrow loads first.
      text = base::format(
          "{{ .reg .pred graft_p; setp.ne.u32 graft_p, %{}, 0; {}{}}}", of_word + 1,
          instructions("@!graft_p ld.global", kind, GRAFT_WORD_BYTES, GRAFT_WORD_BYTES, offset),
          instructions("@graft_p ld.global", kind, GRAFT_WORD_BYTES, std::max(array.alignment(), kind.bytes), offset));
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
      text_.line("  const unsigned char* const graft_from{}_{} = static_cast<const unsigned char*>({}) + ({}) * {};",
                 array.place, v, pointer_of(array), group_start(v), array.bytes());
      declare_registers(array, v, words_of(array) * array.registers_for(GRAFT_WORD_BYTES));
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

  // Writes the stores of one group. `again` says that an earlier store in this tile used shared memory. Other threads
  // may still be reading the shared memory, so the text first waits for them at a barrier.
  void store(const ArrayName& array, int v, bool again) {
    const std::string to = base::format("graft_to + {}", group_start(v));
    const auto store_words = [&](std::string_view operation, const std::string& address) {
      for (int word = 0; word < words_of(array); ++word)
        store_word(operation, array, v, word * array.registers_for(GRAFT_WORD_BYTES), GRAFT_WORD_BYTES,
                   word * GRAFT_WORD_BYTES, address);
    };
    if (!is_staged(array)) return store_words("st.global", base::format("\"l\"({})", to));
    if (again) text_.line("    graft_wait();");
    store_words("st.shared", base::format("\"r\"(graft_stage_of_thread({}))", words_of(array)));
    text_.line("    graft_wait();\n    graft_store_staged({}, {}, {});", to, words_of(array), block_threads());
  }

  // Writes all stores of a tile. The stores move whole words, because all outputs are aligned at the beginning of a
  // tile (find_start in arguments.cpp).
  void stores() {
    bool again = false;
    for (const ArrayName& array : arrays_) {
      if (!is_output(array.parameter)) continue;
      text_.line("  {{");
      text_.line("    {0}* const graft_to = static_cast<{0}*>({1});", array.type, pointer_of(array));
      for (int v = 0; v < vectors_; ++v) {
        if (signature_.is_selective()) text_.line("    if (graft_stored_all_{}) {{", v);
        store(array, v, again);
        if (signature_.is_selective()) store_some(array, v);
        again = again || is_staged(array);
      }
      text_.line("  }}");
    }
  }

  // Writes the stores of a group of which some elements are left alone: each element is stored by itself or not at all.
  void store_some(const ArrayName& array, int v) {
    text_.line("    }} else {{");
    for (int i = 0; i < policy_.vector_width; ++i)
      text_.line("      if (graft_stored_{}_{}) {}", v, i,
                 store_of_element(array, at(array, type_in_memory(array), base::format("{} + {}", group_start(v), i)),
                                  out_name(array, base::format("_{}_{}", v, i))));
    text_.line("    }}");
  }

  // Writes a thread's part of a tile whose vectors have one element each, as those of a selective callback. Elements
  // are loaded and stored as in graft_element. All loads come first, so that they overlap. NVRTC would otherwise move
  // loads of elements that are needed only if they are stored behind the loads that decide about it: an update of
  // floats by a mask ran at 0.92 instead of 0.998 of a copy's speed.
  void single_elements() {
    for_each_input([&](const ArrayName& array, int v) {
      const std::string type = type_in_memory(array);
      text_.line("  {}{} {} = {};", array.packing != nullptr ? "const " : "", type, single_name(array, v),
                 at(array, "const " + type, group_start(v)));
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
                     store_of_element(array, at(array, type_in_memory(array), group_start(v)),
                                      out_name(array, base::format("_{}", v))));
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
    if (signature_.is_selective())
      for (int v = 0; v < vectors; ++v) all_are_stored(v);
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
    define("graft_element(const graft_launch* graft_l, unsigned long long graft_i)", [this] { one_element(); });
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
    one_element();
    text_.line("}}");
  }

  const bool is_whole_;
  int vectors_ = 1;  // vectors per thread in the tile that is being written
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
