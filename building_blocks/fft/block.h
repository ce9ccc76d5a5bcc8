// The FFTs of one thread block, as a function of one thread and one step (BlockPlan explains both). Whoever runs it
// does so for all threads of the block, and has them wait at the steps that are barriers.
//
// The functions are templates over the class `Thread`, which decides what the steps mean. There are three: one writes
// the statements of a CUDA kernel, one computes with numbers on the CPU, in the tests, and one notes accesses to shared
// memory, for the planner. All follow the same index arithmetic, which stands only here. A Thread has:
//
//     Index                                    a type for indices: unsigned, or the text of an expression
//     Value                                    a complex number, with operator*
//     Index number()                           the thread's number in its block
//     Index named(name, index)                 returns the index; a Thread that writes text gives it a name first
//     when_below(name, index, bound, body)     runs body(index) if index < bound; bound 0 means always
//     with_fft(action, fft, body)              runs the body if this FFT exists: the last thread block may have fewer
//     load(k, point, distance)                 register k = point number point + distance of the FFT in with_fft
//     store(k, point, distance)                the same in the other direction
//     write(k, access), read(k, access)        register k to or from shared memory; see SharedAccess
//     root(offset, index)                      entry offset + index of the table of roots, a Value
//     column(fft), row()                       the column of an FFT, and the row of the block's FFTs (Turn)
//     multiply(k, value)                       multiplies register k
//     butterfly(radix, k)                      the butterfly of the registers k to k + radix - 1
//     between(k, fft, point, distance)         the callback between an FFT and its inverse, on register k, which is
//                                              output point + distance of the FFT
//
// Indices are passed as a part that differs between threads and a distance that does not, because the sum of both is
// then often one addition to an address that exists already.
#pragma once

#include "fft/block_plan.h"
#include "fft/butterfly.h"

namespace graft_fft {

// One of the points that a butterfly accesses in shared memory: point `first + distance` of an FFT. `first` is the same
// for all points of the butterfly, and `distance` is the same for all threads.
template <class Index>
struct SharedAccess {
  int exchange = 0;
  Part part = Part::Both;
  Index fft;
  Index first;
  int distance = 0;
};

// Runs body(first register, fft, butterfly) for each butterfly that the thread has in a pass.
template <class Thread, class Body>
void for_each_butterfly(const BlockPlan& plan, const Pass& pass, Thread& thread, Body body) {
  using Index = typename Thread::Index;
  // With one FFT for a block, its number and its threads' numbers need no division.
  const bool is_by_point = pass.neighbours == Neighbours::Points && plan.ffts > 1;
  const Index threads(plan.threads), ffts(plan.ffts), number = thread.number();
  const Index fft = thread.named("fft", is_by_point ? number / threads : number % ffts);
  const Index lane = thread.named("lane", is_by_point ? number % threads : number / ffts);
  const int butterflies = plan.butterflies(pass);
  for (int i = 0; i < plan.butterflies_of_thread(pass); ++i) {
    const bool is_for_all = (i + 1) * plan.threads <= butterflies;
    thread.when_below("j", lane + Index(i * plan.threads), is_for_all ? 0 : butterflies,
                      [&](const Index& j) { body(i * pass.radix, fft, j); });
  }
}

// Runs body(register, fft, point) for each point that the thread has while points are staged.
template <class Thread, class Body>
void for_each_staged_point(const BlockPlan& plan, Thread& thread, Body body) {
  using Index = typename Thread::Index;
  const int points = plan.length * plan.ffts, threads = plan.block_threads();
  for (int i = 0; i * threads < points; ++i) {
    const bool is_for_all = (i + 1) * threads <= points;
    thread.when_below("j", thread.number() + Index(i * threads), is_for_all ? 0 : points, [&](const Index& j) {
      body(i, thread.named("fft", j / Index(plan.length)), thread.named("point", j % Index(plan.length)));
    });
  }
}

// The first point that butterfly j reads; the others follow plan.distance(pass) apart. If the pass is the last one of
// its dimension, these are also the points that the butterfly writes.
template <class Index>
Index first_input(const BlockPlan& plan, const Pass& pass, const Index& j) {
  if (pass.row == 0) return j;
  const Index distance(plan.distance(pass));
  return j / distance * Index(pass.row) + j % distance;
}
template <class Thread>
typename Thread::Index named_first_input(const BlockPlan& plan, const Pass& pass, Thread& thread,
                                         const typename Thread::Index& j) {
  return pass.row == 0 ? j : thread.named("first", first_input(plan, pass, j));
}

// The first point that butterfly j writes; the others follow `done` apart. The butterflies j to j + done - 1, where j
// is a multiple of done, together write done * radix points that follow each other.
template <class Index>
Index first_output(const Pass& pass, const Index& j) {
  return j / Index(pass.done) * Index(pass.done * pass.radix) + j % Index(pass.done);
}

// Loads or stores. Points are staged, or go to or from the place where the first or last pass has them.
template <class Thread>
void access_array(const BlockPlan& plan, Action action, Thread& thread) {
  using Index = typename Thread::Index;
  const auto access = [&](int k, const Index& point, int distance) {
    if (action == Action::Load) thread.load(k, point, distance);
    else thread.store(k, point, distance);
  };
  if (action == Action::Load ? plan.stages_inputs : plan.stages_outputs) {
    for_each_staged_point(plan, thread, [&](int k, const Index& fft, const Index& point) {
      thread.with_fft(action, fft, [&] { access(k, point, 0); });
    });
    return;
  }
  const bool is_load = action == Action::Load;
  const Pass& pass = plan.passes[is_load ? 0 : plan.pass_count - 1];
  const int distance = plan.distance(pass);
  for_each_butterfly(plan, pass, thread, [&](int k, const Index& fft, const Index& j) {
    thread.with_fft(action, fft, [&] {
      const Index first = named_first_input(plan, pass, thread, j);
      for (int leg = 0; leg < pass.radix; ++leg) access(k + leg, first, leg * distance);
    });
  });
}

// Writes what the thread holds in front of an exchange to shared memory, or reads what it holds behind it.
template <class Thread>
void access_shared(const BlockPlan& plan, const Step& step, Thread& thread) {
  using Index = typename Thread::Index;
  const bool is_write = step.action == Action::Write;
  const auto access = [&](int k, const Index& fft, const Index& first, int distance) {
    const SharedAccess<Index> place = {step.number, step.part, fft, first, distance};
    if (is_write) thread.write(k, place);
    else thread.read(k, place);
  };
  if (is_write ? step.number == 0 : step.number == plan.pass_count) {
    for_each_staged_point(plan, thread, [&](int k, const Index& fft, const Index& point) { access(k, fft, point, 0); });
    return;
  }
  const Pass& pass = plan.passes[is_write ? step.number - 1 : step.number];
  for_each_butterfly(plan, pass, thread, [&](int k, const Index& fft, const Index& j) {
    const Index first =
        is_write ? thread.named("first", first_output(pass, j)) : named_first_input(plan, pass, thread, j);
    const int between = is_write ? pass.done : plan.distance(pass);
    for (int leg = 0; leg < pass.radix; ++leg) access(k + leg, fft, first, leg * between);
  });
}

// The powers 1 to count - 1 of a root, from its powers 1, 2, 4, 8, 16, which `at(z)` returns for 2^z. Each of the
// others is a product of few of these, which is more exact than repeated multiplication by the root.
template <class Value, class At>
void powers_of_root(int count, Value* powers, At at) {
  int z = 0;
  for (int k = 1; k < count; ++k) {
    if (k == 1 << z) powers[k] = at(z++);
    else powers[k] = powers[1 << (z - 1)] * powers[k - (1 << (z - 1))];
  }
}

// Multiplies the inputs of butterfly j of a pass by their roots: input k by exp(-2 pi i k q / (d * radix)), where d is
// done / inner, and q is j % done / inner.
template <class Thread>
void multiply_by_roots(const Pass& pass, Thread& thread, int first_register, const typename Thread::Index& j) {
  using Index = typename Thread::Index;
  const int done = pass.done / pass.inner;  // of this dimension
  if (done == 1) return;
  const Index q = thread.named("q", j % Index(pass.done) / Index(pass.inner));
  typename Thread::Value roots[kLargestRadix];
  powers_of_root(pass.radix, roots, [&](int z) { return thread.root(pass.roots + z * done, q); });
  for (int k = 1; k < pass.radix; ++k) thread.multiply(first_register + k, roots[k]);
}

// Multiplies the outputs of butterfly j of the last pass as Turn says: leg k is output j + k * done of its FFT.
template <class Thread>
void turn_outputs(const BlockPlan& plan, Thread& thread, int first_register, const typename Thread::Index& fft,
                  const typename Thread::Index& j) {
  using Index = typename Thread::Index;
  using Value = typename Thread::Value;
  const Pass& pass = plan.passes[plan.pass_count - 1];
  const Turn& turn = plan.turn;
  const auto root = [&](const Index& exponent) {
    const Index low = thread.named("low", exponent % Index(turn.low_count));
    const Index high = thread.named("high", exponent / Index(turn.low_count));
    return thread.root(turn.roots, low) * thread.root(turn.roots + turn.low_count, high);
  };
  const Index factor = turn.is_by_row ? thread.named("row", thread.row()) : thread.named("column", thread.column(fft));
  const Index added = turn.adds_column ? thread.named("column", thread.column(fft)) : Index(0);
  const Value first = root(factor * (j * Index(turn.point) + added));
  thread.multiply(first_register, first);
  Value steps[kLargestRadix];
  powers_of_root(pass.radix, steps, [&](int z) { return root(factor * Index((pass.done * turn.point) << z)); });
  for (int k = 1; k < pass.radix; ++k) thread.multiply(first_register + k, first * steps[k]);
}

template <class Thread>
void compute_pass(const BlockPlan& plan, int number, Thread& thread) {
  using Index = typename Thread::Index;
  const Pass& pass = plan.passes[number];
  const bool turns = plan.turn.modulus > 0 && number == plan.pass_count - 1;
  for_each_butterfly(plan, pass, thread, [&](int k, const Index& fft, const Index& j) {
    multiply_by_roots(pass, thread, k, j);
    thread.butterfly(pass.radix, k);
    if (turns) turn_outputs(plan, thread, k, fft, j);
  });
}

// Calls the callback between an FFT and its inverse for all frequencies that the thread has.
template <class Thread>
void call_between(const BlockPlan& plan, Thread& thread) {
  using Index = typename Thread::Index;
  const Pass& pass = plan.passes[plan.inverse_begin];
  for_each_butterfly(plan, pass, thread, [&](int k, const Index& fft, const Index& j) {
    for (int leg = 0; leg < pass.radix; ++leg) thread.between(k + leg, fft, j, leg * plan.butterflies(pass));
  });
}

// What one thread does in a step that is no barrier.
template <class Thread>
void run_step(const BlockPlan& plan, const Step& step, Thread& thread) {
  switch (step.action) {
    case Action::Load:
    case Action::Store:
      return access_array(plan, step.action, thread);
    case Action::Write:
    case Action::Read:
      return access_shared(plan, step, thread);
    case Action::Compute:
      return compute_pass(plan, step.number, thread);
    case Action::Between:
      return call_between(plan, thread);
    case Action::Barrier:
      return;
  }
}

}  // namespace graft_fft
