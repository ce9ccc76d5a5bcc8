// Runs a plan on the CPU with numbers: for each thread block, for each phase between two barriers, for each thread, in
// this order. A barrier that is missing from a plan shows as a wrong result, because the first thread then reads from
// shared memory before the others have written.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "families/fft/plan.hpp"
#include "families/fft/roots.hpp"
#include "fft/block.h"
#include "fft/butterfly.h"

namespace graft::test {

// Where FFTs lie in an array of the caller: point p of batch b at b * distance + p * stride.
struct BatchLayout {
  std::int64_t stride = 1;
  std::int64_t distance = 0;
};

// One launch of one kernel. Offsets outside an array and places outside shared memory throw.
template <class Real>
class KernelOnHost {
 public:
  using Complex = graft_fft::Complex<Real>;

  struct Arrays {
    const std::vector<Complex>* in;
    std::vector<Complex>* out;
    BatchLayout in_layout, out_layout;
    std::int64_t batch = 1;
    // An inverse FFT exchanges real and imaginary parts where it enters its first kernel and leaves its last one.
    bool swaps_inputs = false;
    bool swaps_outputs = false;
    // For plans with an inverse: what is called with each frequency and its number.
    std::function<Complex(const Complex&, unsigned)> between = {};
  };

  // The table of roots may be that of a cluster, whose second kernel this is.
  KernelOnHost(const families::fft::Kernel& kernel, const Arrays& arrays,
               const families::fft::Kernel* cluster = nullptr)
      : kernel_(kernel),
        plan_(kernel.block),
        arrays_(arrays),
        roots_(families::fft::roots_of<Real>(cluster != nullptr ? *cluster : kernel)),
        shared_(static_cast<std::size_t>(plan_.shared_words)) {}

  void run() {
    const std::int64_t blocks = kernel_.has_one_fft() ? (arrays_.batch + plan_.ffts - 1) / plan_.ffts
                                                      : arrays_.batch * kernel_.rows * kernel_.blocks_of_row();
    for (std::int64_t block = 0; block < blocks; ++block) run_block(block);
  }

 private:
  // The `Thread` of fft/block.h that computes.
  struct Thread {
    using Index = unsigned;
    using Value = Complex;

    KernelOnHost& kernel;
    std::int64_t block;
    unsigned of_block;
    Complex* registers;
    std::int64_t base = 0;  // the offset of point 0 of the FFT in with_fft
    const families::fft::Layout* layout = nullptr;
    std::int64_t stride = 0;

    Index number() const { return of_block; }
    Index named(const char*, Index index) const { return index; }
    template <class Body>
    void when_below(const char*, Index index, int bound, Body body) {
      if (bound == 0 || index < static_cast<unsigned>(bound)) body(index);
    }
    template <class Body, class Other>
    void when_zero(Index index, Body body, Other other) {
      if (index == 0) body();
      else other();
    }
    Index unless_zero(Index index, int at_zero, Index other) const {
      return index == 0 ? static_cast<Index>(at_zero) : other;
    }
    template <class Body>
    void with_fft(graft_fft::Action action, Index fft, Body body) {
      if (!kernel.find(*this, action == graft_fft::Action::Load, fft)) return;
      body();
    }
    void load(int k, Index first, int distance) {
      registers[k] = {};
      if (!exists(first, distance)) return;
      const Complex value = kernel.arrays_.in->at(offset(first, distance));
      registers[k] = kernel.arrays_.swaps_inputs ? swapped(value) : value;
      if (has_chirp()) registers[k] = registers[k] * chirp(first, distance);
    }
    void store(int k, Index first, int distance) {
      if (!exists(first, distance)) return;
      // The inverse FFT of a convolution leaves real and imaginary parts exchanged.
      const Complex value = has_chirp() ? swapped(registers[k]) * chirp(first, distance) : registers[k];
      kernel.arrays_.out->at(offset(first, distance)) = kernel.arrays_.swaps_outputs ? swapped(value) : value;
    }
    // Of a convolution that is one kernel.
    bool has_chirp() const { return kernel.kernel_.chirp.roots >= 0; }
    bool exists(Index first, int distance) const {
      return !has_chirp() || static_cast<std::int64_t>(first) + distance < kernel.kernel_.chirp.points;
    }
    Complex chirp(Index first, int distance) const { return root(kernel.kernel_.chirp.roots + distance, first); }
    std::size_t offset(Index first, int distance) const {
      const std::int64_t point = static_cast<std::int64_t>(first) + distance;
      // Two numbers are one element here.
      return static_cast<std::size_t>(base + (layout->has_numbers() ? point : layout->place_of_point(point)) * stride);
    }
    void write(int k, const graft_fft::SharedAccess<Index>& access) {
      Complex& place = kernel.shared_place(access);
      if (access.part != graft_fft::Part::Imaginary) place.re = registers[k].re;
      if (access.part == graft_fft::Part::Both) place.im = registers[k].im;
      if (access.part == graft_fft::Part::Imaginary) place.re = registers[k].im;
    }
    void read(int k, const graft_fft::SharedAccess<Index>& access) {
      const Complex& place = kernel.shared_place(access);
      if (access.part != graft_fft::Part::Imaginary) registers[k].re = place.re;
      if (access.part == graft_fft::Part::Both) registers[k].im = place.im;
      if (access.part == graft_fft::Part::Imaginary) registers[k].im = place.re;
    }
    Value root(int offset, Index index) const { return kernel.roots_.at(static_cast<std::size_t>(offset) + index); }
    Index column(Index fft) const { return kernel.first_column(block) + fft; }
    Index row() const { return static_cast<unsigned>(block / kernel.kernel_.blocks_of_row() % kernel.kernel_.rows); }
    void multiply(int k, const Value& value) { registers[k] = registers[k] * value; }
    void butterfly(int radix, int k) { graft_fft::run_butterfly(radix, registers + k); }
    // X[k] and X[n - k] of Z[k] and Z[n - k] (BlockPlan::stores_half).
    void split(int k, int mirror, const Value& w) {
      const Complex a = registers[k], b = registers[mirror];
      const Complex e = {(a.re + b.re) / 2, (a.im - b.im) / 2}, o = {(a.re - b.re) / 2, (a.im + b.im) / 2};
      const Complex product = w * o, t = {product.im, -product.re};
      registers[k] = {e.re + t.re, e.im + t.im};
      registers[mirror] = {e.re - t.re, t.im - e.im};
    }
    void split_ends(int k, int end) {
      const Complex z = registers[k];
      registers[k] = {z.re + z.im, 0};
      registers[end] = {z.re - z.im, 0};
    }
    // Twice Z[k] and Z[n - k] of X[k] and X[n - k], with real and imaginary parts exchanged for the inverse.
    void join(int k, int mirror, const Value& w) {
      const Complex a = registers[k], b = registers[mirror];
      const Complex e = {a.re + b.re, a.im - b.im}, o = {a.re - b.re, a.im + b.im};
      const Complex product = Complex{w.re, -w.im} * o, t = {-product.im, product.re};
      registers[k] = swapped(Complex{e.re + t.re, e.im + t.im});
      registers[mirror] = swapped(Complex{e.re - t.re, t.im - e.im});
    }
    void join_ends(int k, int end) {
      const Real first = registers[k].re, last = registers[end].re;
      registers[k] = swapped(Complex{first + last, first - last});
    }
    void between(int k, Index fft, Index first, int distance) {
      const families::fft::Layout& at = kernel.kernel_.frequency;
      const std::int64_t frequency =
          row() * at.row + column(fft) * at.column + (static_cast<std::int64_t>(first) + distance) * at.point;
      if (kernel.kernel_.chirp.spectrum >= 0) {
        registers[k] = swapped(registers[k] * root(kernel.kernel_.chirp.spectrum, static_cast<unsigned>(frequency)));
        return;
      }
      const Complex value = kernel.arrays_.between(registers[k], static_cast<unsigned>(frequency));
      registers[k] = kernel.plan_.has_half() ? value : swapped(value);  // Join swaps
    }
  };

  unsigned first_column(std::int64_t block) const {
    return static_cast<unsigned>(block % kernel_.blocks_of_row() * plan_.ffts);
  }

  // Finds where an FFT of a block begins. Returns whether the FFT exists.
  bool find(Thread& thread, bool is_load, unsigned fft) const {
    const families::fft::Layout& layout = is_load ? kernel_.in : kernel_.out;
    const BatchLayout& of_batch = is_load ? arrays_.in_layout : arrays_.out_layout;
    thread.layout = &layout;
    thread.stride = of_batch.stride;
    if (kernel_.has_one_fft()) {
      const std::int64_t batch = thread.block * plan_.ffts + fft;
      thread.base = batch * of_batch.distance;
      return batch < arrays_.batch;
    }
    const std::int64_t column = first_column(thread.block) + fft;
    const std::int64_t rest = thread.block / kernel_.blocks_of_row();
    const std::int64_t row = rest % kernel_.rows, batch = rest / kernel_.rows;
    thread.base = batch * of_batch.distance + (layout.place_of_row(row) + column * layout.column) * of_batch.stride;
    return column < kernel_.columns;
  }

  Complex& shared_place(const graft_fft::SharedAccess<unsigned>& access) {
    const graft_fft::Places& places = plan_.exchanges[access.exchange];
    return shared_.at(static_cast<std::size_t>(
        places.place(static_cast<int>(access.fft), static_cast<int>(access.first) + access.distance)));
  }

  void run_block(std::int64_t block) {
    const graft_fft::Steps steps = steps_of(plan_);
    const auto points = static_cast<std::size_t>(plan_.points_of_thread());
    const auto threads = static_cast<unsigned>(plan_.block_threads());
    std::vector<Complex> registers(points * threads);
    for (int begin = 0, end = 0; begin < steps.count; begin = end + 1) {
      end = begin;
      const auto is_barrier = [](const graft_fft::Step& step) {
        return step.action == graft_fft::Action::Barrier || step.action == graft_fft::Action::ClusterBarrier;
      };
      while (end < steps.count && !is_barrier(steps.list[end])) ++end;
      for (unsigned number = 0; number < threads; ++number) {
        Thread thread = {*this, block, number, registers.data() + number * points};
        for (int i = begin; i < end; ++i) run_step(plan_, steps.list[i], thread);
      }
    }
  }

  const families::fft::Kernel& kernel_;
  const graft_fft::BlockPlan& plan_;
  Arrays arrays_;
  std::vector<Complex> roots_;
  std::vector<Complex> shared_;
};

// Runs the two kernels of a cluster one after the other: output l of FFT p is point p of FFT l.
template <class Real>
void run_cluster(const families::fft::Kernel& kernel, typename KernelOnHost<Real>::Arrays arrays) {
  families::fft::Kernel first = kernel, second = kernel.second[0];
  const std::int64_t ffts = kernel.columns, outputs = second.columns;
  std::vector<graft_fft::Complex<Real>> between(static_cast<std::size_t>(ffts * outputs * arrays.batch));
  first.out = {.is_workspace = true, .point = ffts, .column = 1};
  second.in = {.is_workspace = true, .point = 1, .column = ffts};
  typename KernelOnHost<Real>::Arrays of_first = arrays;
  of_first.out = &between;
  of_first.out_layout = {1, ffts * outputs};
  of_first.swaps_outputs = false;
  KernelOnHost<Real>(first, of_first, &kernel).run();
  arrays.in = &between;
  arrays.in_layout = of_first.out_layout;
  arrays.swaps_inputs = false;
  KernelOnHost<Real>(second, arrays, &kernel).run();
}

// Runs all kernels of a plan. The layouts describe the caller's arrays. `between` is for plans with an inverse.
template <class Real>
void fft_on_host(
    const families::fft::Plan& plan, bool is_inverse, const std::vector<graft_fft::Complex<Real>>& in,
    const BatchLayout& in_layout, std::vector<graft_fft::Complex<Real>>& out, const BatchLayout& out_layout,
    std::int64_t batch,
    const std::function<graft_fft::Complex<Real>(const graft_fft::Complex<Real>&, unsigned)>& between = {}) {
  std::vector<graft_fft::Complex<Real>> workspace(
      plan.has_workspace() ? static_cast<std::size_t>(plan.workspace_points() * batch) : 0);
  const BatchLayout of_workspace = {1, plan.workspace_points()};
  for (const families::fft::Kernel& kernel : plan.kernels) {
    typename KernelOnHost<Real>::Arrays arrays;
    arrays.in = kernel.in.is_workspace ? &workspace : &in;
    arrays.out = kernel.out.is_workspace ? &workspace : &out;
    arrays.in_layout = kernel.in.is_workspace ? of_workspace : in_layout;
    arrays.out_layout = kernel.out.is_workspace ? of_workspace : out_layout;
    arrays.batch = batch;
    arrays.swaps_inputs = is_inverse && !kernel.in.is_workspace;
    arrays.swaps_outputs = (is_inverse || kernel.is_of_inverse) && !kernel.out.is_workspace;
    arrays.between = between;
    if (!kernel.second.empty()) run_cluster<Real>(kernel, arrays);
    else KernelOnHost<Real>(kernel, arrays).run();
  }
}

// One contiguous FFT.
template <class Real>
std::vector<graft_fft::Complex<Real>> fft_on_host(const families::fft::Plan& plan, bool is_inverse,
                                                  const std::vector<graft_fft::Complex<Real>>& in) {
  std::vector<graft_fft::Complex<Real>> out(in.size());
  const BatchLayout layout = {1, plan.length};
  fft_on_host(plan, is_inverse, in, layout, out, layout, 1);
  return out;
}

}  // namespace graft::test
