#include "families/fft/program.hpp"

#include <set>

#include "base/format.hpp"
#include "families/fft/symbol.hpp"
#include "families/fft/text_thread.hpp"
#include "fft/butterfly.h"

namespace graft::families::fft {
namespace {

using Kind = Hook::Argument::Kind;
using Shape = Hook::Shape;

// Written in front of every function but the kernel.
constexpr const char* kFunction = "static __device__ __forceinline__ ";

std::size_t elements_of(const Hook& hook) {
  if (hook.shape != Shape::Graft) return 1;
  std::size_t count = 0;
  for (const Hook::Argument& argument : hook.arguments) count += argument.kind == Kind::Element;
  return count;
}

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
    return types() + helpers(phases) + butterflies() + load_function() + store_function() + between_function() +
           phases + (is_host_ ? host_kernel() : device_kernel());
  }

 private:
  bool has_load_hook() const { return !kernel_.in.is_workspace && request_.load.shape != Shape::None; }

  // An inverse FFT exchanges real and imaginary parts where it begins and where it ends.
  bool swaps_inputs() const { return request_.is_inverse && !kernel_.in.is_workspace; }
  bool swaps_outputs() const { return (request_.is_inverse || plan_.inverse_begin > 0) && !kernel_.out.is_workspace; }

  std::string types() const {
    std::string text;
    base::append(text,
                 "struct __align__({}) graft_complex {{ {} graft_x, graft_y; }};\n"
                 "struct graft_parameters {{\n"
                 "  unsigned long long graft_batch, graft_in_stride, graft_in_distance, graft_out_stride, "
                 "graft_out_distance;\n"
                 "  void* graft_workspace;\n  const graft_complex* graft_roots;\n"
                 "  void* graft_load_info;\n  void* graft_store_info;\n"
                 "  void* graft_out;\n  const void* graft_in[{}];\n",
                 complex_bytes(request_.plan.precision), real_, input_arrays(request_));
    if (!request_.load.state.empty()) base::append(text, "  {} graft_load_state;\n", request_.load.state);
    if (!request_.between.state.empty()) base::append(text, "  {} graft_between_state;\n", request_.between.state);
    if (!request_.store.state.empty()) base::append(text, "  {} graft_store_state;\n", request_.store.state);
    return text + "};\n";
  }

  // The functions that the phases call, if they do.
  std::string helpers(const std::string& phases) const {
    std::string text;
    // Callbacks have complex types of their own, of the same two members.
    base::append(text,
                 "template <class graft_To, class graft_From> {}graft_To graft_as(const graft_From& graft_from) {{\n"
                 "  static_assert(sizeof(graft_To) == sizeof(graft_From), \"a point of another size\");\n"
                 "  graft_To graft_to;\n  memcpy(&graft_to, &graft_from, sizeof graft_to);\n  return graft_to;\n}}\n",
                 kFunction);
    if (phases.find("graft_times(") != std::string::npos)
      base::append(text,
                   "{}graft_complex graft_times(const graft_complex& graft_a, const graft_complex& graft_b) {{\n"
                   "  graft_complex graft_c;\n"
                   "  graft_c.graft_x = graft_a.graft_x * graft_b.graft_x - graft_a.graft_y * graft_b.graft_y;\n"
                   "  graft_c.graft_y = graft_a.graft_x * graft_b.graft_y + graft_a.graft_y * graft_b.graft_x;\n"
                   "  return graft_c;\n}}\n",
                   kFunction);
    if (swaps_inputs() || swaps_outputs())
      base::append(text,
                   "{}graft_complex graft_swapped(const graft_complex& graft_a) {{\n"
                   "  graft_complex graft_c;\n  graft_c.graft_x = graft_a.graft_y;\n"
                   "  graft_c.graft_y = graft_a.graft_x;\n  return graft_c;\n}}\n",
                   kFunction);
    // The table of roots does not change while the kernel runs, which the device can make use of.
    if (phases.find("graft_root(") != std::string::npos)
      base::append(text, "{}graft_complex graft_root(const graft_complex* graft_at) {{\n  return {};\n}}\n", kFunction,
                   is_host_
                       ? "*graft_at"
                       : base::format("graft_as<graft_complex>(__ldg(reinterpret_cast<const {}2*>(graft_at)))", real_));
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

  // The FFT's point, or a frequency, as a value of the callback's type.
  static std::string point_of(const std::string& type) { return base::format("graft_as<{}>(graft_value)", type); }

  // The arguments of a callback of shape Graft. With `has_point`, its first element is the point; the other elements
  // come from `array` and the arrays behind it.
  static std::string arguments_of(const Hook& hook, bool has_point, std::size_t array, const char* state) {
    std::vector<std::string> arguments;
    bool is_point = has_point;
    for (const Hook::Argument& argument : hook.arguments) {
      if (argument.kind == Kind::State) arguments.push_back(base::format("graft_p.{}", state));
      else if (argument.kind == Kind::Index) arguments.emplace_back("graft_index");
      else if (std::exchange(is_point, false)) arguments.push_back(point_of(argument.type));
      else
        arguments.push_back(
            base::format("static_cast<const {}*>(graft_p.graft_in[{}])[graft_offset]", argument.type, array++));
    }
    return base::join(arguments, ", ");
  }

  std::string load_function() const {
    const Hook& hook = request_.load;
    std::string value;
    if (kernel_.in.is_workspace) {
      value = "static_cast<const graft_complex*>(graft_p.graft_workspace)[graft_offset]";
    } else if (hook.shape == Shape::Cufft) {
      value = base::format(
          "{}(const_cast<void*>(graft_p.graft_in[0]), graft_offset, graft_p.graft_load_info, graft_shared)", hook.call);
    } else if (hook.shape == Shape::Graft) {
      value = base::format("{}({})", hook.call, arguments_of(hook, false, 0, "graft_load_state"));
    } else {
      value = "static_cast<const graft_complex*>(graft_p.graft_in[0])[graft_offset]";
    }
    if (has_load_hook()) value = "graft_as<graft_complex>(" + value + ")";
    if (swaps_inputs()) value = "graft_swapped(" + value + ")";
    return base::format(
        "{}graft_complex graft_load(const graft_parameters& graft_p, unsigned long long graft_offset,\n"
        "    unsigned long long graft_index, void* graft_shared) {{\n  return "
        "{};\n}}\n",
        kFunction, value);
  }

  std::string store_function() const {
    const Hook& hook = request_.store;
    std::string text = base::format(
        "{}void graft_store(const graft_parameters& graft_p, unsigned long long graft_offset,\n"
        "    unsigned long long graft_index, graft_complex graft_value, void* "
        "graft_shared) {{\n",
        kFunction);
    if (swaps_outputs()) text += "  graft_value = graft_swapped(graft_value);\n";
    if (request_.scale != 1 && !kernel_.out.is_workspace)
      base::append(text, "  graft_value.graft_x *= {0};\n  graft_value.graft_y *= {0};\n",
                   literal(request_.scale, request_.plan.precision == Precision::Double));
    if (kernel_.out.is_workspace) {
      text += "  static_cast<graft_complex*>(graft_p.graft_workspace)[graft_offset] = graft_value;\n";
    } else if (hook.shape == Shape::Cufft) {
      base::append(text, "  {}(graft_p.graft_out, graft_offset, {}, graft_p.graft_store_info, graft_shared);\n",
                   hook.call, point_of(hook.point));
    } else if (hook.shape == Shape::Graft) {
      base::append(text, "  static_cast<{}*>(graft_p.graft_out)[graft_offset] = {}({});\n", hook.result, hook.call,
                   arguments_of(hook, true, elements_of(request_.load), "graft_store_state"));
    } else {
      text += "  static_cast<graft_complex*>(graft_p.graft_out)[graft_offset] = graft_value;\n";
    }
    return text + "}\n";
  }

  // Calls the callback, and begins the inverse.
  std::string between_function() const {
    if (plan_.inverse_begin == 0) return {};
    const Hook& hook = request_.between;
    std::string value = "graft_value";
    if (hook.shape != Shape::None)
      value = base::format("graft_as<graft_complex>({}({}))", hook.call,
                           arguments_of(hook, true, 0, "graft_between_state"));
    return base::format(
        "{}graft_complex graft_between(const graft_parameters& graft_p, unsigned graft_index,\n"
        "    graft_complex graft_value) {{\n  return graft_swapped({});\n}}\n",
        kFunction, value);
  }

  // ---- phases ----

  const char* shared_type() const { return plan_.splits_complex ? real_ : "graft_complex"; }

  // A step that asks several times whether an FFT exists has one branch behind the other, and each load would wait for
  // the callback of the load before it. So the step is written twice, and full thread blocks do not ask.
  std::string step_text(const graft_fft::Step& step, TextThread& thread) const {
    const auto write = [&](bool assumes_full) {
      thread.assume_full_blocks(assumes_full);
      thread.begin_step(step);
      run_step(plan_, step, thread);
      return thread.end_step();
    };
    const std::string text = write(false);
    if (thread.checks() < 2) return text;
    return base::format("  if ({}) {{\n{}  }} else {{\n{}  }}\n", thread.is_full_block(), write(true), text);
  }

  std::string phases() {
    TextThread thread(request_, radices_);
    const graft_fft::Steps steps = steps_of(plan_);
    std::string text;
    for (int i = 0; i < steps.count; ++phase_count_, ++i) {
      base::append(text,
                   "{}void graft_phase_{}(const graft_parameters& graft_p, graft_complex* graft_v,\n"
                   "    unsigned graft_thread, unsigned graft_block, {}* graft_shared,\n"
                   "    void* graft_callback_shared) {{\n",
                   kFunction, phase_count_, shared_type());
      for (; i < steps.count && steps.list[i].action != graft_fft::Action::Barrier; ++i)
        text += step_text(steps.list[i], thread);
      text += "}\n";
    }
    return text;
  }

  // ---- kernels ----

  // Where the callbacks' shared memory begins: behind the FFT's, at a multiple of 16 bytes.
  int callback_shared() const { return (kernel_.shared_bytes + 15) / 16 * 16; }

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

  std::string launch_bounds() const {
    std::string text = base::format("__launch_bounds__({}", plan_.block_threads());
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
                 launch_bounds(), request_.name, plan_.points_of_thread());
    for (int i = 0; i < phase_count_; ++i) {
      if (i > 0) text += barrier();
      base::append(text,
                   "  graft_phase_{}(graft_p, graft_v, threadIdx.x, blockIdx.x, reinterpret_cast<{}*>(graft_shared), "
                   "graft_shared + {});\n",
                   i, shared_type(), callback_shared());
    }
    return text + "}\n";
  }

  std::string host_kernel() const {
    std::string text;
    base::append(text,
                 "struct graft_registers {{ graft_complex graft_v[{}]; }};\n"
                 "extern \"C\" void {}(const void* graft_parameter, unsigned long long graft_blocks) {{\n"
                 "  const graft_parameters& graft_p = *static_cast<const graft_parameters*>(graft_parameter);\n"
                 "  static graft_registers graft_r[{}];\n"
                 "  alignas(16) static unsigned char graft_shared[{} + 16];\n"
                 "  for (unsigned graft_block = 0; graft_block < graft_blocks; ++graft_block) {{\n",
                 plan_.points_of_thread(), request_.name, plan_.block_threads(), callback_shared());
    for (int i = 0; i < phase_count_; ++i)
      base::append(text,
                   "    for (unsigned graft_t = 0; graft_t < {}u; ++graft_t)\n"
                   "      graft_phase_{}(graft_p, graft_r[graft_t].graft_v, graft_t, graft_block, "
                   "reinterpret_cast<{}*>(graft_shared), graft_shared + {});\n",
                   plan_.block_threads(), i, shared_type(), callback_shared());
    return text + "  }\n}\n";
  }

  const ProgramRequest& request_;
  const Kernel& kernel_;
  const graft_fft::BlockPlan& plan_;
  const char* real_;
  bool is_host_;
  std::set<int> radices_;
  int phase_count_ = 0;
};

}  // namespace

std::size_t input_arrays(const ProgramRequest& request) {
  return elements_of(request.load) + elements_of(request.store) - 1;
}

std::string device_text(const ProgramRequest& request) {
  return Writer(request, false).write();
}
std::string host_text(const ProgramRequest& request) {
  return Writer(request, true).write();
}

std::int64_t launch_blocks(const Kernel& kernel, std::int64_t batch) {
  if (kernel.has_one_fft()) return (batch + kernel.block.ffts - 1) / kernel.block.ffts;
  return batch * kernel.rows * kernel.blocks_of_row();
}

}  // namespace graft::families::fft
