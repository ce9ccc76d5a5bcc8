// Class ExactViews writes the kernel of an exact adapter for arrays of any shape (exact_views.hpp). exact_writer.hpp
// writes the rest of the text, and says how names in it are chosen.
//
// A thread's unit is its group 0. `graft_at<place>` points to the thread's element of an array, and graft_index_of is
// the element's index, if the callback takes one.
#include "families/elementwise/shapes/exact_views.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/format.hpp"
#include "contract.h"
#include "families/elementwise/exact_writer.hpp"
#include "families/elementwise/parameter_layout.hpp"

namespace graft::elementwise {
namespace {

// The members of graft_shape (building_blocks/contract.h) by other names, because the user's macros may change these.
constexpr std::string_view kShapeMembers =
    "unsigned int graft_extents[8], graft_multipliers[8]; unsigned char graft_shifts[8]; long long graft_first_index, "
    "graft_index_strides[8]; unsigned long long graft_inner, graft_second; unsigned int "
    "graft_threads_with_units, graft_rank;";
static_assert(GRAFT_MAX_RANK == 8 && offsetof(graft_shape, multipliers) == 32 && offsetof(graft_shape, shifts) == 64 &&
              offsetof(graft_shape, first_index) == 72 && offsetof(graft_shape, index_strides) == 80 &&
              offsetof(graft_shape, inner) == 144 && offsetof(graft_shape, second) == 152 &&
              offsetof(graft_shape, threads_with_units) == 160 && offsetof(graft_shape, rank) == 164 &&
              sizeof(graft_shape) == 168);

constexpr std::string_view kHelpers =
    "__device__ __forceinline__ unsigned int graft_divide(unsigned int number, unsigned int multiplier, unsigned int "
    "shift) {\n"
    "  return (__umulhi(number, multiplier) + number) >> shift;\n"
    "}\n"
    "__device__ __forceinline__ void* graft_global(unsigned long long address) {\n"
    "  return __cvta_global_to_generic(address);\n"
    "}\n"
    "__device__ __forceinline__ bool graft_is_aligned(unsigned long long address, unsigned int bytes) {\n"
    "  return (static_cast<unsigned int>(address) & (bytes - 1)) == 0;\n"
    "}\n";

class ExactViews final : public ExactWriter {
 public:
  ExactViews(const codegen::SourceProgram& program, const Signature& signature, families::TypesFrom types,
             const Policy& policy, const KernelShapes& made_for)
      : ExactWriter(program, signature, types, policy),
        transposed_(made_for.inputs),
        edge_(transposed_ != 0 ? static_cast<int>(edge_of_tiles(signature, transposed_)) : 0),
        has_index_(signature.takes_index() || signature.coordinates() > 0) {
    const auto first = std::ranges::find_if(arrays_, [](const ArrayName& array) { return is_output(array.parameter); });
    if (first != arrays_.end()) first_output_ = &*first;
  }

 private:
  int width() const { return policy_.vector_width; }
  int unit_bytes(const ArrayName& array) const { return width() * array.bytes(); }
  bool is_transposed(const ArrayName& array) const {
    return !is_output(array.parameter) && (transposed_ >> array.place & 1) != 0;
  }

  // ---- in front of the user's text ----

  void front_of_kernel() override {
    text_.raw(kHelpers);
    if (transposed_ != 0) tiles();
    else shifted_words();
  }

  void tiles() {
    int bytes = 0;
    for (const ArrayName& array : arrays_)
      if (is_transposed(array)) bytes += array.bytes() * edge_ * edge_;
    text_.include("graft/contract.h");
    text_.line("namespace graft_block_tiles {{");
    text_.include("graft/elementwise/tiles.h");
    text_.line(
        "}}\n"
        "__device__ __forceinline__ unsigned char* graft_tiles() {{\n"
        "  __shared__ uint4 words[{0}];\n"
        "  return reinterpret_cast<unsigned char*>(words);\n"
        "}}\n"
        "__device__ __forceinline__ unsigned char* graft_in_tile(int offset, int x, int y, int size) {{\n"
        "  return graft_block_tiles::place_in_tile(graft_tiles() + offset, x, y, size, {1});\n"
        "}}\n"
        "__device__ __forceinline__ void graft_load_tile(int offset, unsigned long long from, long long column_stride, "
        "int size, int alignment, int columns, int rows) {{\n"
        "  graft_block_tiles::load_tile(graft_tiles() + offset, static_cast<const unsigned char*>(graft_global(from)), "
        "column_stride, size, alignment, {1}, columns, rows);\n"
        "}}\n"
        "__device__ __forceinline__ unsigned int graft_shared(const void* address) {{\n"
        "  return static_cast<unsigned int>(__cvta_generic_to_shared(address));\n"
        "}}\n"
        "__device__ __forceinline__ void graft_wait() {{ __syncthreads(); }}",
        bytes / GRAFT_WORD_BYTES, edge_);
  }

  // Whether misaligned units of an input are loaded as words and shifted. Wider elements are loaded one by one.
  bool is_shifted(const ArrayName& array) const {
    return array.parameter.role == Role::Input && array.alignment() < 4 && unit_bytes(array) % 4 == 0;
  }

  // Writes functions that load 1, 2 or 4 words from any address. The words have bytes of the array beside the unit.
  void shifted_words() {
    for (const int words : {1, 2, 4}) {
      const auto has = [&](const ArrayName& array) { return is_shifted(array) && unit_bytes(array) == 4 * words; };
      if (std::ranges::none_of(arrays_, has)) continue;
      std::string parameters, loaded, assignments;
      for (int i = 0; i < words; ++i) {
        base::append(parameters, ", unsigned int& w{}", i);
        base::append(loaded, "from[{}], ", i);
        base::append(assignments, "  w{0} = __funnelshift_r(a[{0}], a[{1}], shift);\n", i, i + 1);
      }
      text_.line(
          "__device__ __forceinline__ void graft_load_shifted{0}(unsigned long long address{1}) {{\n"
          "  const unsigned int* const from = static_cast<const unsigned int*>(graft_global(address & ~3ull));\n"
          "  const unsigned int shift = static_cast<unsigned int>(address & 3) * 8;\n"
          "  const unsigned int a[] = {{{2}from[{0}]}};\n"
          // Elements of other types may be stored in the same place later, when the input is also an output.
          "  asm volatile(\"\" ::: \"memory\");\n"
          "{3}}}",
          words, parameters, loaded, assignments);
    }
  }

  void type_behind_parameters() override {
    text_.line("struct graft_shape_of_call {{ {} }};", kShapeMembers);
    text_.line(
        "struct graft_views {{ graft_parameters graft_call; graft_shape_of_call graft_shape; long long "
        "graft_strides[{}][8]; }};",
        std::max<std::size_t>(1, arrays_.size() + signature_.in_outs().size()));
  }

  // ---- places ----

  std::string at(const ArrayName& array) const { return base::format("graft_at{}{}", array.place, of_column_); }
  static std::string stride(const ArrayName& array, std::string_view dimension) {
    return base::format("graft_p.graft_strides[{}][{}]", array.place, dimension);
  }

  // Writes the move of all places by a number of elements of a dimension. `those` says which arrays move.
  template <class Those>
  void move(std::string_view dimension, const std::string& elements, Those those) {
    for (const ArrayName& array : arrays_)
      if (those(array)) text_.line("  {} += {} * {};", at(array), elements, stride(array, dimension));
    if (has_index_) text_.line("  graft_index_of += {} * graft_form.graft_index_strides[{}];", elements, dimension);
  }
  // Writes the move along the innermost dimension, in which the outputs are contiguous.
  template <class Those>
  void move_in_row(const std::string& elements, Those those) {
    for (const ArrayName& array : arrays_)
      if (is_output(array.parameter)) text_.line("  {} += {} * {};", at(array), elements, array.bytes());
    move("0", elements, [&](const ArrayName& array) { return !is_output(array.parameter) && those(array); });
  }
  static bool every(const ArrayName&) { return true; }

  // Writes the declarations of the places, and their move to the row or tile of the thread: `number` says which one it
  // is. The coordinates of the dimensions that the kernel divides itself are graft_x and graft_y. The places are
  // numbers, because the compiler would otherwise keep those whose alignment is asked for as pointers and as numbers.
  void find_place(std::string_view number) {
    text_.line("  const graft_shape_of_call& graft_form = graft_p.graft_shape;");
    for (const ArrayName& array : arrays_)
      text_.line("  unsigned long long {} = reinterpret_cast<unsigned long long>({});", at(array), pointer_of(array));
    if (has_index_) text_.line("  long long graft_index_of = graft_form.graft_first_index;");
    text_.line("  unsigned int graft_number = {};", number);
    text_.line("  unsigned int graft_x = 0, graft_y = 0;");
    // The outermost dimension takes what is left, without a division.
    text_.line("#pragma unroll 1\n  for (unsigned int graft_d = 0; graft_d < graft_form.graft_rank; ++graft_d) {{");
    text_.line(
        "  const unsigned int graft_next = graft_d + 1 == graft_form.graft_rank ? 0 : graft_divide(graft_number, "
        "graft_form.graft_multipliers[graft_d], graft_form.graft_shifts[graft_d]);");
    text_.line("  unsigned int graft_c = graft_number - graft_next * graft_form.graft_extents[graft_d];");
    text_.line("  graft_number = graft_next;");
    if (transposed_ != 0) {
      text_.line("  if (graft_d < 2) graft_c *= {};", edge_);
      text_.line("  if (graft_d == 0) graft_x = graft_c;\n  else if (graft_d == 1) graft_y = graft_c;");
    } else {
      text_.line("  if (graft_d == 0) {{ graft_x = graft_c; continue; }}\n  if (graft_d == 1) graft_y = graft_c;");
    }
    move("graft_d", "graft_c", every);
    text_.line("  }}");
  }

  // ---- units ----

  // Writes the load of a unit as a word, from an address in the memory that the operation reads.
  void load_word(std::string_view operation, const ArrayName& array, const std::string& address) {
    text_.line("    asm volatile(\"{}\" : {} : {} : \"memory\");",
               instructions(operation, array.registers(), unit_bytes(array), unit_bytes(array)),
               registers_to_load(array), address);
  }

  // The registers of a unit as operands. "&": one may be written before the last instruction reads the address.
  std::string registers_to_load(const ArrayName& array) const {
    std::vector<std::string> operands;
    for (int i = 0; i < array.registers_for(unit_bytes(array)); ++i)
      operands.push_back(base::format("\"=&{}\"({})", array.registers().constraint, register_of(array, 0, i)));
    return base::join(operands, ", ");
  }

  std::string element_address(const ArrayName& array, int i) const {
    return base::format("{} + {} * graft_step{}", at(array), i, array.place);
  }

  // Writes the load of a unit of elements that are whole registers: in the way that find_way() found. The instructions
  // are predicated, because branches take longer to compile.
  void load_registers(const ArrayName& array) {
    const RegisterKind& kind = array.registers();
    const int registers = array.registers_for(unit_bytes(array)), of_element = array.bytes() / kind.bytes;
    const int step = std::min(array.alignment(), array.bytes());
    std::string loads, copies, addresses;
    for (int i = 0; i < width(); ++i) {
      loads += instructions(i == 0 ? "@!graft_w ld.global" : "@graft_e ld.global", kind, array.bytes(), step, 0,
                            i * of_element, registers + i);
      for (int part = 0; part < of_element && i > 0; ++part)
        base::append(copies, "@graft_r mov.{} %{}, %{}; ", kind.ptx, i * of_element + part, part);
      base::append(addresses, "\"l\"({}), ", element_address(array, i));
    }
    text_.line(
        "  asm volatile(\"{{ .reg .pred graft_w, graft_r, graft_e; setp.eq.s32 graft_w, %{0}, 3; setp.eq.s32 graft_r, "
        "%{0}, 1; setp.eq.s32 graft_e, %{0}, 0; {1}{2}{3}}}\" : {4} : {5}\"r\"(graft_way{6}) : \"memory\");",
        registers + width(), instructions("@graft_w ld.global", kind, unit_bytes(array), unit_bytes(array)), loads,
        copies, registers_to_load(array), addresses, array.place);
  }

  // Writes the loads of a unit's elements, of which registers hold several, or which are aligned to less than
  // registers.
  void load_parts(const ArrayName& array) {
    const int part = std::min(array.alignment(), array.bytes());
    const std::string_view type = part == 1 ? "unsigned char" : part == 2 ? "unsigned short" : "unsigned int";
    const int bytes = std::min(array.registers().bytes, unit_bytes(array));
    for (int i = 0; i < array.registers_for(unit_bytes(array)); ++i) {
      std::vector<std::string> parts;
      for (int b = i * bytes; b < (i + 1) * bytes; b += part)
        parts.push_back(base::format("static_cast<unsigned int>(*static_cast<const {}*>(graft_global({} + {}))) << {}",
                                     type, element_address(array, b / array.bytes()), b % array.bytes(),
                                     (b - i * bytes) * 8));
      text_.line("    {} = {};", register_of(array, 0, i), base::join(parts, " | "));
    }
  }

  // Writes the load of one element that fills registers.
  void repeated_part(const ArrayName& array) {
    const bool is_byte = array.bytes() == 1;
    text_.line("    {} = *static_cast<const unsigned {}*>(graft_global({})) * {};", register_of(array, 0, 0),
               is_byte ? "char" : "short", at(array), is_byte ? "0x01010101u" : "0x00010001u");
    for (int i = 1; i < array.registers_for(unit_bytes(array)); ++i)
      text_.line("    {} = {};", register_of(array, 0, i), register_of(array, 0, 0));
  }

  // Whether units of an input can be loaded in one way only.
  bool has_one_way(const ArrayName& array) const { return is_output(array.parameter) && is_aligned_to_units(array); }
  static bool is_in_registers(const ArrayName& array) {
    return std::min(array.alignment(), array.bytes()) >= array.registers().bytes;
  }

  // Writes how units of an input are loaded: 3 as a word, 2 as shifted words, 1 as one element, or 0 by elements.
  void find_way(const ArrayName& array) {
    if (has_one_way(array)) return;
    const int bytes = unit_bytes(array);
    text_.line("  const long long graft_step{} = {};", array.place, stride(array, "0"));
    const std::string contiguous =
        array.alignment() >= bytes
            ? "3"
            : base::format("(graft_is_aligned({}, {}) ? 3 : {})", at(array), bytes, is_shifted(array) ? 2 : 0);
    text_.line("  const int graft_way{0} = graft_step{0} == {1} ? {2} : graft_step{0} == 0 ? 1 : 0;", array.place,
               array.bytes(), contiguous);
  }

  // Writes the load of a unit from global memory. `is_inside` is the condition that the elements beside the unit are
  // also elements of the row; empty if the kernel does not know.
  void load_unit(const ArrayName& array, std::string_view is_inside) {
    const int bytes = unit_bytes(array);
    const std::string address = base::format("\"l\"({})", at(array));
    declare_registers(array, 0, array.registers_for(bytes));
    if (has_one_way(array)) return load_word("ld.global", array, address);
    if (is_in_registers(array)) return load_registers(array);
    text_.line("  if (graft_way{} == 3) {{", array.place);
    load_word("ld.global", array, address);
    if (!is_inside.empty() && is_shifted(array)) {
      text_.line("  }} else if (graft_way{} == 2 && {}) {{", array.place, is_inside);
      std::vector<std::string> registers;
      for (int i = 0; i < bytes / 4; ++i) registers.push_back(register_of(array, 0, i));
      text_.line("    graft_load_shifted{}({}, {});", bytes / 4, at(array), base::join(registers, ", "));
    }
    if (array.bytes() == array.alignment()) {
      text_.line("  }} else if (graft_way{} == 1) {{", array.place);
      repeated_part(array);
    }
    text_.line("  }} else {{");
    load_parts(array);
    text_.line("  }}");
  }

  // Whether all units of an output are aligned: always, because they begin where the first output is aligned, or
  // because transposed kernels have units only if they are.
  bool is_aligned_to_units(const ArrayName& array) const {
    return array.alignment() >= unit_bytes(array) || transposed_ != 0 ||
           (&array == first_output_ && array.alignment() == array.bytes());
  }

  void calls() {
    for (int i = 0; i < width(); ++i)
      make_call(index(i), base::format("_0_{}", i), [&](const ArrayName& array) { return element_of(array, 0, i); });
    if (signature_.is_selective()) all_are_stored(0);
  }

  void stores() {
    for (const ArrayName& array : arrays_) {
      if (!is_output(array.parameter)) continue;
      const int bytes = unit_bytes(array);
      std::vector<std::string> conditions;
      if (signature_.is_selective()) conditions.emplace_back("graft_stored_all_0");
      if (!is_aligned_to_units(array)) conditions.push_back(base::format("graft_is_aligned({}, {})", at(array), bytes));
      text_.line("  {}{{", conditions.empty() ? "" : base::format("if ({}) ", base::join(conditions, " && ")));
      store_word("st.global", array, 0, 0, bytes, 0, base::format("\"l\"({})", at(array)));
      if (!conditions.empty()) {
        text_.line("  }} else {{");
        for (int i = 0; i < width(); ++i)
          text_.line(
              "    {}{}", signature_.is_selective() ? base::format("if (graft_stored_0_{}) ", i) : "",
              store_of_element(array, object(array, type_in_memory(array), base::format(" + {}", i * array.bytes())),
                               out_name(array, base::format("_0_{}", i))));
      }
      text_.line("  }}");
    }
  }

  // Returns the expression of the index of the thread's i-th element.
  std::string index(int i) const {
    if (!has_index_) return "";
    return base::format("static_cast<unsigned long long>(graft_index_of{} + {} * graft_form.graft_index_strides[0])",
                        of_column_, i);
  }

  std::string object(const ArrayName& array, std::string_view type, std::string_view offset = "") const {
    return base::format("*static_cast<{}*>({}({}{}))", type, is_transposed(array) ? "" : "graft_global", at(array),
                        offset);
  }

  // `leave` is the statement with which the text leaves an element alone.
  void one_element(std::string_view leave) {
    element(index(0), leave, [&](const ArrayName& array, const std::string& type) { return object(array, type); });
  }

  // ---- kernels ----

  void kernel() override {
    text_.line("{} {{", codegen::kernel_head(program_.parts, "graft_views"));
    text_.line("  const graft_parameters& graft_all = graft_p.graft_call;");
    if (transposed_ != 0) transposed();
    else strided();
    text_.line("}}");
  }

  // Writes the start of a programmatic launch (graft_start_programmatic_launch in transform.cu). Finding the place
  // reads no memory that earlier kernels write, so it comes in front.
  void wait_for_earlier_kernels() {
    if (policy_.programmatic_launch)
      text_.line("  asm volatile(\"griddepcontrol.launch_dependents; griddepcontrol.wait;\" ::: \"memory\");");
  }

  void strided() {
    text_.line(
        "  const unsigned int graft_place = graft_block() * graft_block_threads() + graft_thread();\n"
        "  if (graft_place >= graft_all.graft_count) return;");
    find_place("graft_place");
    wait_for_earlier_kernels();
    text_.line("  long long graft_i = graft_x;");
    if (width() > 1 && first_output_ != nullptr) units();
    move("0", "graft_i", every);
    single_elements();
  }

  // Writes the loop over a thread's single elements, which are apart in the second dimension. There is one if
  // graft_second is 0.
  void single_elements() {
    text_.line("#pragma unroll 1\n  for (unsigned long long graft_row = graft_y;;) {{");
    one_element("goto graft_next");
    if (signature_.is_selective()) text_.line("  graft_next:;");
    text_.line(
        "  graft_row += graft_form.graft_extents[1];\n"
        "  if (graft_row >= graft_form.graft_second) return;");
    move("1", "graft_form.graft_extents[1]", every);
    text_.line("  }}");
  }

  // Writes what threads do that have units, and finds the element of the others.
  void units() {
    text_.line("  if (graft_form.graft_threads_with_units != 0) {{");
    text_.line("  const unsigned int graft_head = (0 - static_cast<unsigned int>({} / {})) & {};", at(*first_output_),
               first_output_->bytes(), width() - 1);
    text_.line(
        "  const unsigned int graft_units = static_cast<unsigned int>((graft_form.graft_inner - graft_head) / {});",
        width());
    text_.line("  if (graft_x < graft_form.graft_threads_with_units) {{");
    text_.line("  graft_i = static_cast<long long>(graft_x) * {} + graft_head;", width());
    move_in_row("graft_i", every);
    text_.line("  graft_i = static_cast<long long>(graft_form.graft_threads_with_units) * {};", width());
    // The steps are whole units, so the alignment of contiguous arrays stays.
    for (const ArrayName& array : arrays_)
      if (is_input(array.parameter)) find_way(array);
    text_.line(
        "#pragma unroll 1\n"
        "  for (; graft_x < graft_units; graft_x += graft_form.graft_threads_with_units) {{");
    for (const ArrayName& array : arrays_)
      if (is_input(array.parameter)) load_unit(array, "graft_x > 0 && graft_x + 1 < graft_units");
    calls();
    stores();
    move_in_row("graft_i", every);
    text_.line("  }}\n  return;\n  }}");
    text_.line("  graft_x -= graft_form.graft_threads_with_units;");
    text_.line("  graft_i = graft_x;");
    text_.line("  if (graft_x >= graft_head) graft_i += static_cast<long long>(graft_units) * {};", width());
    text_.line("  if (graft_i >= graft_form.graft_inner) return;\n  }}");
  }

  void transposed() {
    find_place("graft_block()");
    wait_for_earlier_kernels();
    for (const auto& [name, extent, first] :
         {std::tuple("graft_columns", "graft_inner", "graft_x"), std::tuple("graft_rows", "graft_second", "graft_y")})
      text_.line("  const int {0} = graft_form.{1} - {2} < {3} ? static_cast<int>(graft_form.{1} - {2}) : {3};", name,
                 extent, first, edge_);
    int offset = 0;
    std::vector<int> offsets(arrays_.size());
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      const ArrayName& array = arrays_[k];
      if (!is_transposed(array)) continue;
      offsets[k] = offset;
      text_.line("  graft_load_tile({}, {}, {}, {}, {}, graft_columns, graft_rows);", offset, at(array),
                 stride(array, "0"), array.bytes(), array.alignment());
      offset += array.bytes() * edge_ * edge_;
    }
    const int units = edge_ / width();
    text_.line("  graft_wait();");
    text_.line("  const int graft_column = graft_thread() % {} * {}, graft_first = graft_thread() / {};", units,
               width(), units);
    text_.line("  if (graft_column >= graft_columns) return;");
    const auto is_outside = [&](const ArrayName& array) { return !is_transposed(array); };
    move_in_row("graft_column", is_outside);
    move("1", "graft_first", is_outside);
    text_.line("#pragma unroll 1\n  for (int graft_row = graft_first; graft_row < graft_rows; graft_row += {}) {{",
               GRAFT_TILE_THREADS / units);
    if (width() > 1) {
      std::string are_aligned;
      for (const ArrayName& array : arrays_)
        if (is_output(array.parameter) && array.alignment() < unit_bytes(array))
          base::append(are_aligned, " && graft_is_aligned({}, {})", at(array), unit_bytes(array));
      text_.line("  if (graft_column + {} <= graft_columns{}) {{", width(), are_aligned);
      for (std::size_t k = 0; k < arrays_.size(); ++k) {
        const ArrayName& array = arrays_[k];
        if (!is_input(array.parameter)) continue;
        if (is_transposed(array)) {
          load_from_tile(array, offsets[k]);
        } else {
          find_way(array);
          load_unit(array, "");
        }
      }
      calls();
      stores();
      text_.line("  }} else {{");
    }
    single_columns(offsets);
    if (width() > 1) text_.line("  }}");
    move("1", std::to_string(GRAFT_TILE_THREADS / units), is_outside);
    text_.line("  }}");
  }

  static std::string in_tile(const ArrayName& array, int offset, std::string_view column) {
    return base::format("graft_in_tile({}, {}, graft_row, {})", offset, column, array.bytes());
  }

  void load_from_tile(const ArrayName& array, int offset) {
    declare_registers(array, 0, array.registers_for(unit_bytes(array)));
    load_word("ld.shared", array, base::format("\"r\"(graft_shared({}))", in_tile(array, offset, "graft_column")));
  }

  // Writes the loop over the elements of a unit that is partly outside the array, or over the element of a thread that
  // has no units.
  void single_columns(const std::vector<int>& offsets) {
    text_.line(
        "#pragma unroll 1\n"
        "  for (int graft_i = graft_column; graft_i < graft_columns && graft_i < graft_column + {}; ++graft_i) {{",
        width());
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      const ArrayName& array = arrays_[k];
      if (is_transposed(array))
        text_.line("  void* const {}_1 = {};", at(array), in_tile(array, offsets[k], "graft_i"));
      else
        text_.line("  const unsigned long long {0}_1 = {0} + (graft_i - graft_column) * {1};", at(array),
                   stride(array, "0"));
    }
    if (has_index_)
      text_.line(
          "  const long long graft_index_of_1 = graft_index_of + (graft_i - graft_column) * "
          "graft_form.graft_index_strides[0];");
    of_column_ = "_1";
    one_element("continue");
    of_column_ = "";
    text_.line("  }}");
  }

  const std::uint32_t transposed_;
  const int edge_;  // of tiles
  const bool has_index_;
  const ArrayName* first_output_ = nullptr;  // the one whose pointer comes first
  std::string_view of_column_;               // what the names of places end in, in a loop over elements
};

}  // namespace

bool fits_exact_views(const Signature& signature, const Policy& policy) {
  return policy.vector_width == 1 || policy.vector_width == width_of_units(signature);
}

std::string exact_views_text(const codegen::SourceProgram& program, const Signature& signature,
                             families::TypesFrom types, const Policy& policy, const KernelShapes& made_for) {
  return ExactViews(program, signature, types, policy, made_for).text();
}

}  // namespace graft::elementwise
