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
//     when_zero(index, body, other)            runs body() if index is 0, and else other()
//     unless_zero(index, at_zero, other)       returns at_zero if index is 0, and else the index `other`
//     with_fft(action, fft, body)              runs the body if this FFT exists: the last thread block may have fewer
//     load(k, point, distance)                 register k = point number point + distance of the FFT in with_fft
//     store(k, point, distance)                the same in the other direction
//     write(k, access), read(k, access)        register k to or from shared memory; see SharedAccess
//     root(offset, index)                      entry offset + index of the table of roots, a Value
//     column(fft), row()                       the column of an FFT, and the row of the block's FFTs (Turn)
//     multiply(k, value)                       multiplies register k
//     butterfly(radix, k)                      the butterfly of the registers k to k + radix - 1
//     split(k, mirror, root), join(...)        the step of a pair of frequencies, which may be the same register
//     split_ends(k, end), join_ends(k, end)    the same of frequency 0, in register k, and the last one
//     between(k, fft, point, distance)         the callback between an FFT and its inverse, on register k, which is
//                                              output point + distance of the FFT
//
// Indices are passed as a part that differs between threads and a distance that does not, because the sum of both is
// then often one addition to an address that exists already.
#pragma once

#include <utility>

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

template <class Index>
struct FftAndLane {
  Index fft, lane;
};
template <class Thread>
FftAndLane<typename Thread::Index> fft_and_lane(const BlockPlan& plan, const Pass& pass, Thread& thread) {
  using Index = typename Thread::Index;
  // With one FFT for a block, its number and its threads' numbers need no division.
  const bool is_by_point = pass.neighbours == Neighbours::Points && plan.ffts > 1;
  const Index threads(plan.threads), ffts(plan.ffts), number = thread.number();
  Index fft = thread.named("fft", is_by_point ? number / threads : number % ffts);
  Index lane = thread.named("lane", is_by_point ? number % threads : number / ffts);
  return {std::move(fft), std::move(lane)};
}

// Runs body(first register, pair, whether it may be 0) for each pair of butterflies that the thread has in a pass.
template <class Thread, class Body>
void for_each_pair(const BlockPlan& plan, const Pass& pass, Thread& thread, const typename Thread::Index& lane,
                   Body body) {
  using Index = typename Thread::Index;
  const int pairs = plan.pairs(pass);
  for (int i = 0; i < plan.pairs_of_thread(pass); ++i) {
    const bool is_for_all = (i + 1) * plan.threads <= pairs;
    thread.when_below("u", lane + Index(i * plan.threads), is_for_all ? 0 : pairs,
                      [&](const Index& u) { body(2 * i * pass.radix, u, i == 0); });
  }
}

// Runs body(first register, fft, butterfly) for each butterfly that the thread has in a pass.
template <class Thread, class Body>
void for_each_butterfly(const BlockPlan& plan, const Pass& pass, Thread& thread, Body body) {
  using Index = typename Thread::Index;
  const FftAndLane<Index> place = fft_and_lane(plan, pass, thread);
  const Index &fft = place.fft, &lane = place.lane;
  const int butterflies = plan.butterflies(pass);
  if (pass.is_paired) {
    for_each_pair(plan, pass, thread, lane, [&](int k, const Index& u, bool may_be_zero) {
      body(k, fft, u);
      const int second = k + pass.radix;
      const Index mirror = Index(butterflies) - u;
      if (!may_be_zero) body(second, fft, thread.named("mirror", mirror));
      else if (butterflies % 2 == 0)
        body(second, fft, thread.named("mirror", thread.unless_zero(u, butterflies / 2, mirror)));
      else
        thread.when_zero(
            u, [] {}, [&] { body(second, fft, thread.named("mirror", mirror)); });
    });
    return;
  }
  for (int i = 0; i < plan.butterflies_of_thread(pass); ++i) {
    const bool is_for_all = (i + 1) * plan.threads <= butterflies;
    thread.when_below("j", lane + Index(i * plan.threads), is_for_all ? 0 : butterflies,
                      [&](const Index& j) { body(i * pass.radix, fft, j); });
  }
}

// Runs body(register of frequency 0, register of the last one, fft) if the thread has pair 0 of a pass.
template <class Thread, class Body>
void for_each_end(const BlockPlan& plan, const Pass& pass, Thread& thread, Body body) {
  using Index = typename Thread::Index;
  const FftAndLane<Index> place = fft_and_lane(plan, pass, thread);
  const Index &fft = place.fft, &lane = place.lane;
  for_each_pair(plan, pass, thread, lane, [&](int k, const Index& u, bool may_be_zero) {
    if (may_be_zero)
      thread.when_zero(
          u, [&] { body(k, plan.points_of_thread() - 1, fft); }, [] {});
  });
}

// Runs body(register, fft, point) for each point that the thread has while inputs or outputs are staged.
template <class Thread, class Body>
void for_each_staged_point(const BlockPlan& plan, bool is_input, Thread& thread, Body body) {
  using Index = typename Thread::Index;
  const int of_fft = is_input ? plan.loaded_points() : plan.stored_points();
  const int points = of_fft * plan.ffts, threads = plan.block_threads();
  for (int i = 0; i * threads < points; ++i) {
    const bool is_for_all = (i + 1) * threads <= points;
    thread.when_below("j", thread.number() + Index(i * threads), is_for_all ? 0 : points, [&](const Index& j) {
      body(i, thread.named("fft", j / Index(of_fft)), thread.named("point", j % Index(of_fft)));
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
  const bool is_load = action == Action::Load;
  if (is_load ? plan.stages_inputs : plan.stages_outputs) {
    for_each_staged_point(plan, is_load, thread, [&](int k, const Index& fft, const Index& point) {
      thread.with_fft(action, fft, [&] { access(k, point, 0); });
    });
    return;
  }
  const Pass& pass = plan.passes[is_load ? 0 : plan.pass_count - 1];
  const int distance = plan.distance(pass);
  for_each_butterfly(plan, pass, thread, [&](int k, const Index& fft, const Index& j) {
    thread.with_fft(action, fft, [&] {
      const Index first = named_first_input(plan, pass, thread, j);
      for (int leg = 0; leg < pass.radix; ++leg) access(k + leg, first, leg * distance);
    });
  });
  // The last frequency of half a spectrum belongs to the thread that has frequency 0.
  if ((is_load ? plan.loaded_points() : plan.stored_points()) == plan.length) return;
  for_each_end(plan, pass, thread, [&](int, int end, const Index& fft) {
    thread.with_fft(action, fft, [&] { access(end, Index(plan.length), 0); });
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
  const bool is_input = step.number == 0, is_output = step.number == plan.pass_count;
  if (is_write ? is_input : is_output) {
    for_each_staged_point(plan, is_input, thread,
                          [&](int k, const Index& fft, const Index& point) { access(k, fft, point, 0); });
    return;
  }
  const Pass& pass = plan.passes[is_write ? step.number - 1 : step.number];
  for_each_butterfly(plan, pass, thread, [&](int k, const Index& fft, const Index& j) {
    const Index first =
        is_write ? thread.named("first", first_output(pass, j)) : named_first_input(plan, pass, thread, j);
    const int between = is_write ? pass.done : plan.distance(pass);
    for (int leg = 0; leg < pass.radix; ++leg) access(k + leg, fft, first, leg * between);
  });
  const bool has_end =
      is_write ? is_output && plan.stored_points() > plan.length : is_input && plan.loaded_points() > plan.length;
  if (has_end)
    for_each_end(plan, pass, thread, [&](int, int end, const Index& fft) { access(end, fft, Index(plan.length), 0); });
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

template <class Thread>
typename Thread::Value root_of_turn(const Turn& turn, Thread& thread, const typename Thread::Index& exponent) {
  using Index = typename Thread::Index;
  const Index low = thread.named("low", exponent % Index(turn.low_count));
  const Index high = thread.named("high", exponent / Index(turn.low_count));
  return thread.root(turn.roots, low) * thread.root(turn.roots + turn.low_count, high);
}

// Multiplies the outputs of butterfly j of the last pass as Turn says: leg k is output j + k * done of its FFT.
template <class Thread>
void turn_outputs(const BlockPlan& plan, Thread& thread, int first_register, const typename Thread::Index& fft,
                  const typename Thread::Index& j) {
  using Index = typename Thread::Index;
  using Value = typename Thread::Value;
  const Pass& pass = plan.passes[plan.pass_count - 1];
  const Turn& turn = plan.turn;
  const auto root = [&](const Index& exponent) { return root_of_turn(turn, thread, exponent); };
  const Index factor = turn.is_by_row ? thread.named("row", thread.row())
                                      : thread.named("column", thread.column(fft) / Index(turn.of_each));
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
  const bool turns = plan.turn.modulus > 0 && !plan.stores_half && number == plan.pass_count - 1;
  for_each_butterfly(plan, pass, thread, [&](int k, const Index& fft, const Index& j) {
    multiply_by_roots(pass, thread, k, j);
    thread.butterfly(pass.radix, k);
    if (turns) turn_outputs(plan, thread, k, fft, j);
  });
}

// Split or Join: `number` is the pass that has the frequencies.
template <class Thread>
void pair_frequencies(const BlockPlan& plan, Action action, int number, Thread& thread) {
  using Index = typename Thread::Index;
  const Pass& pass = plan.passes[number];
  const int radix = pass.radix, butterflies = plan.butterflies(pass);
  const auto pair = [&](int k, int mirror, int distance, const Index& first) {
    const typename Thread::Value root = thread.root(plan.half_roots + distance, first);
    if (action == Action::Split) thread.split(k, mirror, root);
    else thread.join(k, mirror, root);
  };
  const FftAndLane<Index> place = fft_and_lane(plan, pass, thread);
  for_each_pair(plan, pass, thread, place.lane, [&](int k, const Index& u, bool may_be_zero) {
    const int second = k + radix;
    const auto of_two = [&] {
      for (int leg = 0; leg < radix; ++leg) pair(k + leg, second + radix - 1 - leg, leg * butterflies, u);
    };
    if (!may_be_zero) return of_two();
    thread.when_zero(
        u,
        [&] {
          const int end = plan.points_of_thread() - 1;
          if (action == Action::Split) thread.split_ends(k, end);
          else thread.join_ends(k, end);
          for (int leg = 1; leg <= radix - leg; ++leg) pair(k + leg, k + radix - leg, leg * butterflies, Index(0));
          if (butterflies % 2 != 0) return;
          for (int leg = 0; leg <= radix - 1 - leg; ++leg)
            pair(second + leg, second + radix - 1 - leg, butterflies / 2 + leg * butterflies, Index(0));
        },
        of_two);
  });
}

// The same as turn_outputs, for the frequencies of half a spectrum.
template <class Thread>
void turn_frequencies(const BlockPlan& plan, Thread& thread) {
  using Index = typename Thread::Index;
  const Pass& pass = plan.passes[plan.pass_count - 1];
  for_each_butterfly(plan, pass, thread,
                     [&](int k, const Index& fft, const Index& j) { turn_outputs(plan, thread, k, fft, j); });
  for_each_end(plan, pass, thread, [&](int, int end, const Index& fft) {
    const Index column = thread.named("column", thread.column(fft));
    thread.multiply(end, root_of_turn(plan.turn, thread, column * Index(plan.length)));
  });
}

// Calls the callback between an FFT and its inverse for all frequencies that the thread has.
template <class Thread>
void call_between(const BlockPlan& plan, Thread& thread) {
  using Index = typename Thread::Index;
  const Pass& pass = plan.passes[plan.inverse_begin];
  for_each_butterfly(plan, pass, thread, [&](int k, const Index& fft, const Index& j) {
    thread.with_fft(Action::Between, fft, [&] {
      for (int leg = 0; leg < pass.radix; ++leg) thread.between(k + leg, fft, j, leg * plan.butterflies(pass));
    });
  });
  if (!plan.has_half()) return;
  for_each_end(plan, pass, thread, [&](int, int end, const Index& fft) {
    thread.with_fft(Action::Between, fft, [&] { thread.between(end, fft, Index(plan.length), 0); });
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
    case Action::Split:
    case Action::Join:
      pair_frequencies(plan, step.action, step.number, thread);
      if (step.action == Action::Split && plan.turn.modulus > 0) turn_frequencies(plan, thread);
      return;
    case Action::Between:
      return call_between(plan, thread);
    case Action::Barrier:
    case Action::ClusterBarrier:
      return;
  }
}

}  // namespace graft_fft
