#include "families/fft/program.hpp"

#include <set>
#include <utility>

#include "base/format.hpp"
#include "families/fft/lengths.hpp"
#include "families/fft/symbol.hpp"
#include "families/fft/text_thread.hpp"
#include "fft/butterfly.h"

namespace graft::families::fft {
namespace {

// Written in front of every function but the kernel.
constexpr const char* kFunction = "static __device__ __forceinline__ ";

// From this length on, the same blocks of all FFTs of a batch follow each other in chunks of so many (block()).
constexpr std::int64_t kShortestInChunks = std::int64_t{1} << 22;
constexpr int kBlocksOfChunk = 16;

// Callbacks' shared memory begins at a multiple of 16 bytes.
constexpr int aligned(int bytes) {
  return (bytes + 15) / 16 * 16;
}

// The steps of pairs of frequencies of real FFTs (BlockPlan::stores_half), by their names. Those of Join make twice Z,
// with real and imaginary parts exchanged.
constexpr std::pair<const char*, const char*> kHalfFunctions[] = {
    {"graft_split(",
     "graft_complex& graft_a, graft_complex& graft_b, const graft_complex& graft_w) {\n"
     "  graft_complex graft_e, graft_o, graft_t;\n"
     "  graft_e.graft_x = (graft_a.graft_x + graft_b.graft_x) / 2;\n"
     "  graft_e.graft_y = (graft_a.graft_y - graft_b.graft_y) / 2;\n"
     "  graft_o.graft_x = (graft_a.graft_x - graft_b.graft_x) / 2;\n"
     "  graft_o.graft_y = (graft_a.graft_y + graft_b.graft_y) / 2;\n"
     "  graft_t.graft_x = graft_w.graft_x * graft_o.graft_y + graft_w.graft_y * graft_o.graft_x;\n"
     "  graft_t.graft_y = graft_w.graft_y * graft_o.graft_y - graft_w.graft_x * graft_o.graft_x;\n"
     "  graft_a.graft_x = graft_e.graft_x + graft_t.graft_x;\n"
     "  graft_a.graft_y = graft_e.graft_y + graft_t.graft_y;\n"
     "  graft_b.graft_x = graft_e.graft_x - graft_t.graft_x;\n"
     "  graft_b.graft_y = graft_t.graft_y - graft_e.graft_y;\n}\n"},
    {"graft_join(",
     "graft_complex& graft_a, graft_complex& graft_b, const graft_complex& graft_w) {\n"
     "  graft_complex graft_e, graft_o, graft_t;\n"
     "  graft_e.graft_x = graft_a.graft_x + graft_b.graft_x;\n"
     "  graft_e.graft_y = graft_a.graft_y - graft_b.graft_y;\n"
     "  graft_o.graft_x = graft_a.graft_x - graft_b.graft_x;\n"
     "  graft_o.graft_y = graft_a.graft_y + graft_b.graft_y;\n"
     "  graft_t.graft_x = graft_w.graft_y * graft_o.graft_x - graft_w.graft_x * graft_o.graft_y;\n"
     "  graft_t.graft_y = graft_w.graft_x * graft_o.graft_x + graft_w.graft_y * graft_o.graft_y;\n"
     "  graft_a.graft_x = graft_e.graft_y + graft_t.graft_y;\n"
     "  graft_a.graft_y = graft_e.graft_x + graft_t.graft_x;\n"
     "  graft_b.graft_x = graft_t.graft_y - graft_e.graft_y;\n"
     "  graft_b.graft_y = graft_e.graft_x - graft_t.graft_x;\n}\n"},
    {"graft_split_ends(",
     "graft_complex& graft_a, graft_complex& graft_end) {\n"
     "  graft_end.graft_x = graft_a.graft_x - graft_a.graft_y;\n  graft_end.graft_y = 0;\n"
     "  graft_a.graft_x += graft_a.graft_y;\n  graft_a.graft_y = 0;\n}\n"},
    {"graft_join_ends(",
     "graft_complex& graft_a, const graft_complex& graft_end) {\n"
     "  graft_a.graft_y = graft_a.graft_x + graft_end.graft_x;\n"
     "  graft_a.graft_x -= graft_end.graft_x;\n}\n"},
};

class Writer {
 public:
  Writer(const ProgramRequest& request, bool is_host)
      : request_(request),
        kernel_(request.plan.kernels[request.kernel]),
        plan_(kernel_.block),
        real_(request.plan.precision == Precision::Double ? "double" : "float"),
        is_host_(is_host) {}

  std::string write() {
    const std::string phases = this->phases();  // also finds the radices
    const std::string between = between_function();
    return types() + place_functions(phases) + helpers(phases + between) + cluster_function() + butterflies() +
           load_functions() + store_functions() + between + phases + (is_host_ ? host_kernel() : device_kernel());
  }

 private:
  bool has_hooks() const { return !request_.hooks.empty(); }

  // An inverse FFT exchanges real and imaginary parts where it begins and where it ends. That of a real one begins with
  // Join, which does it.
  // But an inverse FFT of several dimensions has begun before.
  bool swaps_inputs() const {
    const bool is_of_inverse = kernel_.is_of_inverse && plan_.inverse_begin == 0;
    return (request_.is_inverse || is_of_inverse) && kernel_.in.is_workspace == plan_.loads_half;
  }
  // Of a convolution, the step of the chirp exchanges what its own inverse FFT leaves.
  bool swaps_outputs() const {
    const bool is_of_inverse = kernel_.is_of_inverse && kernel_.chirp.points == 0;
    return (request_.is_inverse || is_of_inverse) && !kernel_.out.is_workspace;
  }

  std::string types() const {
    std::string text;
    base::append(text, "struct __align__({}) graft_complex {{ {} graft_x, graft_y; }};\n",
                 complex_bytes(request_.plan.precision), real_);
    if (has_hooks()) base::append(text, "using graft_hooks = {};\n", request_.hooks);
    if (request_.has_places())
      base::append(text,
                   "struct graft_place_divider {{ unsigned long long graft_multiplier; unsigned graft_shift; }};\n"
                   "struct graft_places {{\n"
                   "  unsigned long long graft_first, graft_points[{0}], graft_extents[{1}], graft_strides[{1}];\n"
                   "  graft_place_divider graft_dividers[{1}];\n  unsigned long long graft_dimensions;\n}};\n",
                   kMostPointDimensions, kMostBatchDimensions);
    base::append(text,
                 "struct graft_parameters {{\n"
                 "  unsigned long long graft_batch, graft_in_distance, graft_out_distance;\n"
                 "  void* graft_workspace;\n  const graft_complex* graft_roots;\n"
                 "  void* graft_load_info;\n  void* graft_store_info;\n  void* graft_out;\n{}  {};\n}};\n",
                 request_.has_places() ? "  graft_places graft_in_places, graft_out_places;\n" : "",
                 has_hooks() ? "graft_fft_arguments<graft_hooks> graft_arguments" : "const void* graft_in[1]");
    return text;
  }

  // The functions that find FFT b of a batch, and an element of an FFT, in the arrays of a side.
  std::string place_functions(const std::string& phases) const {
    std::string text;
    if (phases.find("graft_batch_place(") != std::string::npos)
      base::append(
          text,
          "{}unsigned long long graft_batch_place(const graft_places& graft_a, unsigned long long graft_b) {{\n"
          "  unsigned long long graft_at = graft_a.graft_first, graft_d = 0;\n"
          "  for (; graft_d + 1 < graft_a.graft_dimensions; ++graft_d) {{\n"
          "    const unsigned long long graft_rest = {};\n"
          "    graft_at += (graft_b - graft_rest * graft_a.graft_extents[graft_d]) * "
          "graft_a.graft_strides[graft_d];\n"
          "    graft_b = graft_rest;\n  }}\n"
          "  return graft_at + graft_b * graft_a.graft_strides[graft_d];\n}}\n",
          kFunction,
          is_host_ ? "graft_b / graft_a.graft_extents[graft_d]"
                   : "(__umul64hi(graft_b, graft_a.graft_dividers[graft_d].graft_multiplier) + graft_b) >> "
                     "graft_a.graft_dividers[graft_d].graft_shift");
    for (const bool is_load : {true, false}) {
      const std::string name = is_load ? "graft_in_place" : "graft_out_place";
      if (phases.find(name + "(") == std::string::npos) continue;
      base::append(text, "{}unsigned long long {}(const graft_places& graft_a, unsigned graft_e) {{\n  return ",
                   kFunction, name);
      const std::vector<std::int64_t> extents = extents_of_side(request_.plan, is_load ? kernel_.in : kernel_.out);
      std::int64_t inner = 1;
      for (std::size_t d = extents.size(); d-- > 0; inner *= extents[d]) {
        const std::string number = inner == 1 ? "graft_e" : base::format("graft_e / {}u", inner);
        base::append(text, "{}({}{}) * graft_a.graft_points[{}]", inner == 1 && d + 1 == extents.size() ? "" : " + ",
                     number, d == 0 ? "" : base::format(" % {}u", extents[d]),
                     kMostPointDimensions - extents.size() + d);
      }
      text += ";\n}\n";
    }
    return text;
  }

  // The functions that the phases call, if they do.
  std::string helpers(const std::string& phases) const {
    std::string text;
    if (phases.find("graft_times(") != std::string::npos)
      base::append(text,
                   "{}graft_complex graft_times(const graft_complex& graft_a, const graft_complex& graft_b) {{\n"
                   "  graft_complex graft_c;\n"
                   "  graft_c.graft_x = graft_a.graft_x * graft_b.graft_x - graft_a.graft_y * graft_b.graft_y;\n"
                   "  graft_c.graft_y = graft_a.graft_x * graft_b.graft_y + graft_a.graft_y * graft_b.graft_x;\n"
                   "  return graft_c;\n}}\n",
                   kFunction);
    text += half_functions(phases);
    if (phases.find("graft_conjugated(") != std::string::npos)
      base::append(text,
                   "{0}graft_complex graft_conjugated(graft_complex graft_a) {{\n"
                   "  graft_a.graft_{1} = -graft_a.graft_{1};\n  return graft_a;\n}}\n",
                   kFunction, swaps_inputs() ? "x" : "y");
    if (phases.find("graft_mean(") != std::string::npos)
      base::append(text,
                   "{}graft_complex graft_mean(graft_complex graft_a, const graft_complex& graft_b) {{\n"
                   "  graft_a.graft_x = (graft_a.graft_x + graft_b.graft_x) / 2;\n"
                   "  graft_a.graft_y = (graft_a.graft_y + graft_b.graft_y) / 2;\n  return graft_a;\n}}\n",
                   kFunction);
    if (phases.find("graft_doubled(") != std::string::npos)
      base::append(text,
                   "{}graft_complex graft_doubled(graft_complex graft_a, bool graft_is_alone) {{\n"
                   "  const int graft_factor = graft_is_alone ? 1 : 2;\n"
                   "  graft_a.graft_x *= graft_factor;\n  graft_a.graft_y *= graft_factor;\n  return graft_a;\n}}\n",
                   kFunction);
    if (swaps_inputs() || swaps_outputs() || plan_.inverse_begin > 0 ||
        phases.find("graft_swapped(") != std::string::npos)
      base::append(text,
                   "{}graft_complex graft_swapped(const graft_complex& graft_a) {{\n"
                   "  graft_complex graft_c;\n  graft_c.graft_x = graft_a.graft_y;\n"
                   "  graft_c.graft_y = graft_a.graft_x;\n  return graft_c;\n}}\n",
                   kFunction);
    // The table of roots does not change while the kernel runs, which the device can make use of.
    if (phases.find("graft_root(") != std::string::npos)
      base::append(text, "{}graft_complex graft_root(const graft_complex* graft_at) {{\n  {}}}\n", kFunction,
                   is_host_ ? "return *graft_at;\n"
                            : base::format("const {}2 graft_r = __ldg(reinterpret_cast<const {}2*>(graft_at));\n"
                                           "  graft_complex graft_c;\n  memcpy(&graft_c, &graft_r, sizeof graft_c);\n"
                                           "  return graft_c;\n",
                                           real_, real_));
    return text;
  }

  static std::string half_functions(const std::string& phases) {
    std::string text;
    for (const auto& [name, function] : kHalfFunctions)
      if (phases.find(name) != std::string::npos) base::append(text, "{}void {}{}", kFunction, name, function);
    return text;
  }

  // ---- butterflies ----

  std::string butterflies() const {
    std::string text;
    for (const int radix : radices_) {
      Statements statements;
      statements.is_double = request_.plan.precision == Precision::Double;
      graft_fft::Complex<Symbol> points[graft_fft::kLargestRadix];
      for (int i = 0; i < radix; ++i)
        points[i] = {Symbol(statements, base::format("graft_a[{}].graft_x", i)),
                     Symbol(statements, base::format("graft_a[{}].graft_y", i))};
      graft_fft::run_butterfly(radix, points);
      base::append(text, "{}void graft_butterfly_{}(graft_complex* graft_a) {{\n", kFunction, radix);
      text += statements.text;
      // Every output is a sum, and so the name of a value: none of them reads a point that another one overwrites.
      for (int i = 0; i < radix; ++i)
        base::append(text, "  graft_a[{0}].graft_x = {1};\n  graft_a[{0}].graft_y = {2};\n", i,
                     points[i].re.expression(), points[i].im.expression());
      text += "}\n";
    }
    return text;
  }

  // ---- load and store ----

  // Tells the compiler how long the caller's arrays are at most, for the callback's arithmetic. The kernel's own
  // addresses are left in 64 bits, where they have constant parts that cost nothing.
  std::string assumption(const Layout& array, bool is_staged, const char* has_offset) const {
    if (is_host_ || is_staged || !has_hooks() || array.is_workspace || request_.has_long_arrays) return {};
    return base::format(
        "  if constexpr ({0}<graft_hooks>) __builtin_assume(graft_offset < {1}ull);\n"
        "  else __builtin_assume(graft_index < {1}ull);\n",
        has_offset, kMostPointsOfShortArrays);
  }

  const char* point_type(const Layout& array) const { return array.has_numbers() ? real_ : "graft_complex"; }
  // How far the second number of a point is behind the first, in the array.
  std::string to_next(bool is_load) const {
    const bool is_unit = is_load ? request_.has_unit_stride_in : request_.has_unit_stride_out;
    const Layout& array = is_load ? kernel_.in : kernel_.out;
    if (is_unit) return std::to_string(array.next);
    // One further in a dimension, or `next` points of the only one.
    const std::vector<std::int64_t>& shape = request_.plan.shape;
    std::size_t d = kMostPointDimensions - 1;
    std::int64_t inner = 1;
    for (std::size_t i = shape.size(); i-- > 1 && (inner < array.next || shape[i] == 1); --d) inner *= shape[i];
    return base::format("{}ull * graft_p.graft_{}_places.graft_points[{}]", array.next / inner, is_load ? "in" : "out",
                        d);
  }

  // The element of the input at an offset, with its index.
  std::string loaded(const std::string& offset, const std::string& index, bool is_even) const {
    const char* const type = point_type(kernel_.in);
    if (kernel_.in.is_workspace)
      return base::format("static_cast<const {}*>(graft_p.graft_workspace)[{}]", type, offset);
    if (!has_hooks())
      return base::format("static_cast<const {}*>({})[{}]", type,
                          is_even ? "__builtin_assume_aligned(graft_p.graft_in[0], 16)" : "graft_p.graft_in[0]",
                          offset);
    return base::format(
        "graft_fft_load<graft_hooks, {}{}>(graft_p.graft_arguments, {}, {}, graft_p.graft_load_info, graft_shared)",
        type, is_even ? ", true" : "", offset, index);
  }

  // Numbers are loaded and stored two at a time. Where all pairs of an array begin at a multiple of two numbers, the
  // compiler is told so, and makes one access of two, also within a callback. Steps choose by `graft_is_even`.
  bool has_even(bool is_load) const {
    const Layout& array = is_load ? kernel_.in : kernel_.out;
    return array.numbers == 2 && array.next == 1 && !is_host_ &&
           (is_load ? request_.has_unit_stride_in : request_.has_unit_stride_out);
  }
  std::string are_aligned(bool is_load) const {
    if (!has_hooks())
      return base::format("reinterpret_cast<unsigned long long>(graft_p.{}) % 16 == 0",
                          is_load ? "graft_in[0]" : "graft_out");
    return is_load ? "graft_fft_load_is_aligned<graft_hooks>(graft_p.graft_arguments)"
                   : "graft_fft_store_is_aligned<graft_hooks>(graft_p.graft_arguments, graft_p.graft_out)";
  }
  std::string is_even(bool is_load) const {
    return base::format("graft_p.graft_{}_distance % 2 == 0 && {}", is_load ? "in" : "out", are_aligned(is_load));
  }
  static constexpr const char* kOffsetIsEven = "  __builtin_assume(graft_offset % 2 == 0);\n";

  std::string load_functions() const {
    return load_function(false) + (has_even(true) ? load_function(true) : std::string());
  }
  std::string store_functions() const {
    return store_function(false) + (has_even(false) ? store_function(true) : std::string());
  }

  std::string load_function(bool is_even) const {
    std::string body;
    if (kernel_.in.numbers == 1) {
      body = base::format(
          "  graft_complex graft_value;\n  graft_value.graft_x = {};\n  graft_value.graft_y = 0;\n"
          "  return graft_value;\n",
          loaded("graft_offset", "graft_index", is_even));
    } else if (kernel_.in.numbers == 2) {
      const std::string next = to_next(true);
      body = base::format(
          "  graft_complex graft_value;\n  graft_value.graft_x = {};\n  graft_value.graft_y = {};\n"
          "  return graft_value;\n",
          loaded("graft_offset", "graft_index", is_even),
          loaded("graft_offset + " + next, base::format("graft_index + {}", kernel_.in.next), is_even));
    } else {
      const std::string value = loaded("graft_offset", "graft_index", is_even);
      body = base::format("  return {};\n", swaps_inputs() ? "graft_swapped(" + value + ")" : value);
    }
    return base::format(
        "{}graft_complex graft_load{}(const graft_parameters& graft_p, unsigned long long graft_offset,\n"
        "    unsigned long long graft_index, void* graft_shared) {{\n{}{}{}}}\n",
        kFunction, is_even ? "_even" : "", assumption(kernel_.in, plan_.stages_inputs, "graft_fft_load_has_offset"),
        is_even ? kOffsetIsEven : "", body);
  }

  // The statement that stores an element of the output.
  std::string storing(const std::string& offset, const std::string& index, const char* value, bool is_even) const {
    const char* const type = point_type(kernel_.out);
    if (kernel_.out.is_workspace)
      return base::format("  static_cast<{}*>(graft_p.graft_workspace)[{}] = {};\n", type, offset, value);
    if (!has_hooks())
      return base::format("  static_cast<{}*>({})[{}] = {};\n", type,
                          is_even ? "__builtin_assume_aligned(graft_p.graft_out, 16)" : "graft_p.graft_out", offset,
                          value);
    return base::format(
        "  graft_fft_store<graft_hooks{}>(graft_p.graft_arguments, graft_p.graft_out, {}, {}, {}, "
        "graft_p.graft_store_info, graft_shared);\n",
        is_even ? base::format(", {}, true", type) : std::string(), offset, index, value);
  }

  std::string store_function(bool is_even) const {
    std::string text = base::format(
        "{}void graft_store{}(const graft_parameters& graft_p, unsigned long long graft_offset,\n"
        "    unsigned long long graft_index, graft_complex graft_value, void* graft_shared) {{\n",
        kFunction, is_even ? "_even" : "");
    text += assumption(kernel_.out, plan_.stages_outputs, "graft_fft_store_has_offset");
    if (is_even) text += kOffsetIsEven;
    if (swaps_outputs()) text += "  graft_value = graft_swapped(graft_value);\n";
    if (request_.scale != 1 && !kernel_.out.is_workspace)
      base::append(text, "  graft_value.graft_x *= {0};\n  graft_value.graft_y *= {0};\n",
                   literal(request_.scale, request_.plan.precision == Precision::Double));
    if (kernel_.out.numbers == 1) text += storing("graft_offset", "graft_index", "graft_value.graft_x", is_even);
    else if (kernel_.out.numbers == 2)
      text += storing("graft_offset", "graft_index", "graft_value.graft_x", is_even) +
              storing("graft_offset + " + to_next(false), base::format("graft_index + {}", kernel_.out.next),
                      "graft_value.graft_y", is_even);
    else text += storing("graft_offset", "graft_index", "graft_value", is_even);
    return text + "}\n";
  }

  // Calls the callback, and begins the inverse.
  std::string between_function() const {
    if (plan_.inverse_begin == 0) return {};
    if (kernel_.chirp.spectrum >= 0)
      return base::format(
          "{}graft_complex graft_between(const graft_parameters& graft_p, unsigned graft_index,\n"
          "    graft_complex graft_value) {{\n"
          "  return graft_swapped(graft_times(graft_value, graft_root(graft_p.graft_roots + {} + graft_index)));\n}}\n",
          kFunction, kernel_.chirp.spectrum);
    return base::format(
        "{}graft_complex graft_between(const graft_parameters& graft_p, unsigned graft_index,\n"
        "    graft_complex graft_value) {{\n  return {}({});\n}}\n",
        kFunction, plan_.has_half() ? "" : "graft_swapped",
        has_hooks() ? "graft_fft_between<graft_hooks>(graft_p.graft_arguments, graft_index, graft_value)"
                    : "graft_value");
  }

  // ---- phases ----

  const char* shared_type() const { return plan_.splits_complex ? real_ : "graft_complex"; }

  // A step that asks several times whether an FFT exists has one branch behind the other, and each load would wait for
  // the callback of the load before it. So the step is written twice, and full thread blocks do not ask. Pairs of
  // numbers (has_even) are a reason for it, too.
  std::string step_text(const graft_fft::BlockPlan& plan, const graft_fft::Step& step, TextThread& thread) const {
    const bool is_load = step.action == graft_fft::Action::Load, is_store = step.action == graft_fft::Action::Store;
    const bool is_in_cluster = is_load ? plan.loads_from_cluster : plan.stores_to_cluster;
    const bool is_for_even = (is_load || is_store) && !is_in_cluster && has_even(is_load);
    const auto write = [&](bool assumes_full, bool assumes_even) {
      thread.assume_full_blocks(assumes_full);
      thread.assume_even(assumes_even);
      thread.begin_step(step);
      run_step(plan, step, thread);
      return thread.end_step();
    };
    std::string text = write(false, false);
    const bool is_for_full = thread.checks() >= (is_for_even ? 1 : 2);
    if (!is_for_full && !is_for_even) return text;
    std::string condition = is_for_full ? thread.is_full_block() : std::string();
    if (is_for_even) condition += (is_for_full ? " && " : "") + is_even(is_load);
    return base::format("  if ({}) {{\n{}  }} else {{\n{}  }}\n", condition, write(is_for_full, is_for_even), text);
  }

  // A phase, and what is in front of it.
  struct Phase {
    std::string barrier;
    int threads = 0;  // that have it
  };

  std::string phases() {
    std::string text;
    append_phases(kernel_, "", text);
    for (const Kernel& second : kernel_.second) append_phases(second, kBarrierOfCluster, text);
    return text;
  }

  void append_phases(const Kernel& kernel, std::string barrier, std::string& text) {
    const graft_fft::BlockPlan& plan = kernel.block;
    TextThread thread(request_, kernel, radices_);
    const graft_fft::Steps steps = steps_of(plan);
    for (int i = 0; i < steps.count; ++i) {
      base::append(text,
                   "{}void graft_phase_{}(const graft_parameters& graft_p, graft_complex* graft_v,\n"
                   "    unsigned graft_thread, unsigned graft_block, {}* graft_shared,\n"
                   "    void* graft_callback_shared) {{\n",
                   kFunction, phases_.size(), shared_type());
      phases_.push_back({std::exchange(barrier, {}), plan.block_threads()});
      for (; i < steps.count; ++i) {
        const graft_fft::Action action = steps.list[i].action;
        if (action == graft_fft::Action::Barrier) barrier = this->barrier();
        if (action == graft_fft::Action::ClusterBarrier) barrier = kBarrierOfCluster;
        if (action == graft_fft::Action::Barrier || action == graft_fft::Action::ClusterBarrier) break;
        text += step_text(plan, steps.list[i], thread);
      }
      text += "}\n";
    }
  }

  // ---- kernels ----

  // The callbacks' shared memory: behind the FFT's.
  std::string callback_shared() const {
    if (request_.callback_shared_bytes == 0) return "nullptr";
    return base::format("graft_shared + {}", aligned(kernel_.shared_bytes));
  }

  // All threads of a cluster wait for each other.
  static constexpr const char* kBarrierOfCluster = "  __cluster_barrier_arrive();\n  __cluster_barrier_wait();\n";

  // The word at a place in the shared memory of one of a cluster's blocks.
  std::string cluster_function() const {
    if (kernel_.second.empty()) return {};
    return base::format(
        "{}graft_complex* graft_of_cluster(graft_complex* graft_shared, unsigned graft_block, unsigned graft_rank, "
        "unsigned graft_place) {{\n  return {};\n}}\n",
        kFunction,
        is_host_ ? base::format("graft_shared + graft_place + {}ull * graft_rank - {}ull * (graft_block % {}u)",
                                words_of_block(), words_of_block(), kernel_.cluster.blocks)
                 : "static_cast<graft_complex*>(__cluster_map_shared_rank(graft_shared + graft_place, graft_rank))");
  }
  // On a CPU, the blocks of a cluster have their shared memory one behind the other.
  std::size_t bytes_of_block() const {
    const int bytes = aligned(shared_bytes(kernel_, request_.callback_shared_bytes)) + 16;
    return static_cast<std::size_t>(bytes);
  }
  std::size_t words_of_block() const {
    return bytes_of_block() / static_cast<std::size_t>(complex_bytes(request_.plan.precision));
  }

  int points_of_thread() const {
    int points = plan_.points_of_thread();
    for (const Kernel& second : kernel_.second) points = std::max(points, second.block.points_of_thread());
    return points;
  }

  std::string barrier() const {
    switch (plan_.barrier) {
      case graft_fft::Barrier::Warp:
        return "  __syncwarp();\n";
      case graft_fft::Barrier::Block:
        return "  __syncthreads();\n";
      case graft_fft::Barrier::Fft:
        break;
    }
    // Named barriers, one for each FFT of the block. Barrier 0 is that of __syncthreads.
    return base::format("  asm volatile(\"bar.sync %0, {0};\" ::\"r\"(threadIdx.x / {0}u + 1u) : \"memory\");\n",
                        plan_.threads);
  }

  // The number of the block on which a thread block works: b + f * blocks for block b of FFT f.
  //
  // Thread blocks with neighbouring numbers run at about the same time. A callback's array that has an element for each
  // point is read by every FFT of a batch. If it is longer than the L2 cache, each FFT would read it from memory again,
  // so in this case a few blocks of all FFTs follow each other, then the next few. On an H200, 8 FFTs of 2^24 points
  // with a window take 6 percent less time with chunks of 16 blocks than with whole FFTs.
  std::string block(const char* number) const {
    if (request_.plan.length < kShortestInChunks) return number;
    const int blocks = kernel_.rows * kernel_.blocks_of_row();
    int chunk = kBlocksOfChunk;
    while (blocks % chunk != 0) --chunk;
    const std::string of_chunk = base::format("({}u * static_cast<unsigned>(graft_p.graft_batch))", chunk);
    return base::format("{0} % {1} / {2}u * {3}u + {0} / {1} * {2}u + {0} % {2}u", number, of_chunk, chunk, blocks);
  }

  std::string launch_bounds() const {
    std::string text = base::format("__launch_bounds__({}", kernel_.block_threads());
    if (kernel_.cluster.blocks > 0) text = base::format("__cluster_dims__({}, 1, 1) {}", kernel_.cluster.blocks, text);
    if (plan_.resident_blocks > 0) base::append(text, ", {}", plan_.resident_blocks);
    return text + ")";
  }

  std::string device_kernel() const {
    std::string text;
    base::append(text,
                 "extern \"C\" __global__ void {} {}(const __grid_constant__ graft_parameters "
                 "graft_p) {{\n"
                 "  extern __shared__ __align__(16) unsigned char graft_shared[];\n"
                 "  graft_complex graft_v[{}];\n",
                 launch_bounds(), request_.name, points_of_thread());
    base::append(text, "  const unsigned graft_block = {};\n", block("blockIdx.x"));
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      text += phases_[i].barrier;
      const bool is_for_all = phases_[i].threads == kernel_.block_threads();
      base::append(
          text,
          "  {}graft_phase_{}(graft_p, graft_v, threadIdx.x, graft_block, reinterpret_cast<{}*>(graft_shared), "
          "{});\n",
          is_for_all ? "" : base::format("if (threadIdx.x < {}u) ", phases_[i].threads), i, shared_type(),
          callback_shared());
    }
    return text + "}\n";
  }

  // A CPU does the phases of all blocks of a cluster in turn.
  std::string host_kernel() const {
    const int blocks = std::max(kernel_.cluster.blocks, 1), threads = kernel_.block_threads();
    std::string text;
    base::append(text,
                 "struct graft_registers {{ graft_complex graft_v[{}]; }};\n"
                 "extern \"C\" void {}(const void* graft_parameter, unsigned long long graft_begin,\n"
                 "    unsigned long long graft_end) {{\n"
                 "  const graft_parameters& graft_p = *static_cast<const graft_parameters*>(graft_parameter);\n"
                 "  static thread_local graft_registers graft_r[{}];\n"
                 "  alignas(16) static thread_local unsigned char graft_shared[{}];\n"
                 "  for (unsigned graft_number = graft_begin; graft_number < graft_end; ++graft_number) {{\n"
                 "    const unsigned graft_block = {};\n",
                 points_of_thread(), request_.name, threads * blocks,
                 bytes_of_block() * static_cast<std::size_t>(blocks), block("graft_number"));
    const bool is_cluster = blocks > 1;
    const std::string number = is_cluster ? base::format("graft_block * {}u + graft_rank", blocks) : "graft_block";
    const std::string of_rank = is_cluster ? base::format(" + {}u * graft_rank", bytes_of_block()) : "";
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      if (is_cluster) base::append(text, "    for (unsigned graft_rank = 0; graft_rank < {}u; ++graft_rank)\n", blocks);
      base::append(text,
                   "    for (unsigned graft_t = 0; graft_t < {}u; ++graft_t)\n"
                   "      graft_phase_{}(graft_p, graft_r[{}graft_t].graft_v, graft_t, {}, "
                   "reinterpret_cast<{}*>(graft_shared{}), {});\n",
                   phases_[i].threads, i, is_cluster ? base::format("graft_rank * {}u + ", threads) : "", number,
                   shared_type(), of_rank, callback_shared() + (request_.callback_shared_bytes > 0 ? of_rank : ""));
    }
    return text + "  }\n}\n";
  }

  const ProgramRequest& request_;
  const Kernel& kernel_;
  const graft_fft::BlockPlan& plan_;
  const char* real_;
  bool is_host_;
  std::set<int> radices_;
  std::vector<Phase> phases_;
};

}  // namespace

std::vector<std::int64_t> extents_of_side(const Plan& plan, const Layout& side) {
  const std::int64_t all = side.count > 0 ? side.count : plan.length;
  if (plan.shape.empty()) return {all};
  std::vector<std::int64_t> extents = plan.shape;
  extents.back() = 1;
  extents.back() = all / points_of_shape(extents);
  return extents;
}

int shared_bytes(const Kernel& kernel, int callback_shared_bytes) {
  return callback_shared_bytes == 0 ? kernel.shared_bytes : aligned(kernel.shared_bytes) + callback_shared_bytes;
}

std::string device_text(const ProgramRequest& request) {
  return Writer(request, false).write();
}
std::string host_text(const ProgramRequest& request) {
  return Writer(request, true).write();
}

std::int64_t host_blocks(const Kernel& kernel, std::int64_t batch) {
  return launch_blocks(kernel, batch) / std::max(kernel.cluster.blocks, 1);
}

std::int64_t launch_blocks(const Kernel& kernel, std::int64_t batch) {
  if (kernel.has_one_fft()) return (batch + kernel.block.ffts - 1) / kernel.block.ffts;
  return batch * kernel.rows * kernel.blocks_of_row();
}

}  // namespace graft::families::fft
