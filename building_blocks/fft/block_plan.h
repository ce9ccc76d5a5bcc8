// A BlockPlan says how one thread block computes FFTs: which thread holds which points between which barriers.
//
// An FFT of n = R0 * R1 * ... points runs as passes of radix R0, R1, ... (Stockham's order, which needs no reversal of
// digits at the end). In a pass of radix R, butterfly j (j < n/R) reads the points j, j + n/R, j + 2n/R, ...,
// multiplies them by roots of unity, and writes its outputs `done` apart, where `done` is the product of the radices of
// the passes before. (Several dimensions are below.) For n = 8 = 4 * 2:
//
//     pass 0: radix 4, done = 1                          pass 1: radix 2, done = 4
//     butterfly 0: points 0 2 4 6 -> places 0 1 2 3      butterfly 0: points 0 4 -> places 0 4
//     butterfly 1: points 1 3 5 7 -> places 4 5 6 7      butterfly 1: points 1 5 -> places 1 5, and so on
//
// `threads` threads share the butterflies of an FFT: thread `lane` does the butterflies lane, lane + threads, ...; each
// butterfly's points are in registers of their own. Between two passes all points go through shared memory.
//
// An FFT of several dimensions has the passes of each dimension, one dimension after the other, beginning with the one
// whose points are neighbours. The points of faster dimensions, `inner` of them, stay together like the parts of a
// longer number, and a butterfly's points lie in one `row` of the pass's dimension and the faster ones. For 2 rows of 4
// points, with radix 4 and radix 2:
//
//     pass 0: row = 4, inner = 1, done = 1               pass 1: row = 8, inner = 4, done = 4
//     butterfly 0: points 0 1 2 3 -> places 0 1 2 3      butterfly 0: points 0 4 -> places 0 4
//     butterfly 1: points 4 5 6 7 -> places 4 5 6 7      butterfly 1: points 1 5 -> places 1 5, and so on
//
// A plan is plain data. src/families/fft/block_planner.cpp makes it; everything else only reads it.
#pragma once

namespace graft_fft {

inline constexpr int kMostPasses = 16;
inline constexpr int kWarp = 32;  // threads that execute an instruction together

// What neighbouring threads work on. Memory is fast where neighbouring threads access neighbouring points, and whether
// these belong to one FFT or to neighbouring FFTs depends on the layout of the array.
//
//     Points                          Ffts
//     thread   0 1 2 3 | 4 5 6 7      thread   0 1 | 2 3 | 4 5 | 6 7
//     FFT      0 0 0 0 | 1 1 1 1      FFT      0 1 | 0 1 | 0 1 | 0 1       2 FFTs, 4 threads for each FFT
//     lane     0 1 2 3 | 0 1 2 3      lane     0 0 | 1 1 | 2 2 | 3 3
enum class Neighbours { Points, Ffts };

struct Pass {
  int radix = 1;
  int done = 1;  // with the points of faster dimensions
  Neighbours neighbours = Neighbours::Points;
  // Where the pass's roots of unity begin in the table of roots. Its row z, of d = done / inner entries, has
  // exp(-2 pi i q 2^z / (d * radix)) for q from 0 to d - 1. The other powers are products of these.
  int roots = 0;
  int inner = 1;           // points of the faster dimensions
  int row = 0;             // points of the pass's dimension and the faster ones; 0: all points of the FFT
  bool is_paired = false;  // whether a thread has butterflies in pairs (BlockPlan::stores_half)
};

// Where an exchange puts point p of FFT f in shared memory, counted in words (a word is what an exchange moves at a
// time: a complex number, or a real one):
//
//     f * fft_distance + (p + p / period * extra) * point_distance
//
// The padding, `extra` unused words behind every `period` words, spreads points that threads access at the same time
// over the memory's banks: with a distance of 16 words between them, 16 points would all lie in one bank of 16; with
// one extra word behind every 16, they lie in 16 banks.
struct Places {
  int fft_distance = 0;
  int point_distance = 1;
  int period = 1;
  int extra = 0;

  constexpr int padded(int point) const { return point + point / period * extra; }
  constexpr int place(int fft, int point) const { return fft * fft_distance + padded(point) * point_distance; }
};

// Which threads wait for each other at a barrier: those of a warp, those of one FFT, or the whole thread block.
enum class Barrier { Warp, Fft, Block };

// FFTs of more points than fit into a thread block are split into several kernels. Each kernel but the last multiplies
// its outputs, behind Split if there is one, by roots of unity: output k of the FFT in column c by
// exp(-2 pi i ck / modulus). (c is the FFT's number modulo the number of columns, divided by of_each.) In an inverse
// FFT that takes the kernels in reverse order, the exponents of two kernels are other ones (plan.hpp): rk, or
// r(k * point + c), where r is the FFT's row. Two tables replace one of `modulus` entries: with an exponent of
// high * low_count + low, the root is the product of entry `low` of the first table and entry `high` of the second.
struct Turn {
  int modulus = 0;           // 0: nothing is multiplied
  bool is_by_row = false;    // the exponent is a multiple of the row, not of the column
  int point = 1;             // the distance between the exponents of neighbouring outputs, in multiples of the same
  bool adds_column = false;  // the column is added to k * point
  int of_each = 1;           // neighbouring columns with the same roots
  int low_count = 1;         // entries of the first table; a power of two
  int high_count = 0;  // entries of the second table; enough for columns of a last, incomplete thread block as well
  int roots = 0;       // where the first table begins in the table of roots; the second one follows it
};

struct BlockPlan {
  int length = 1;   // points of an FFT
  int threads = 1;  // threads of an FFT
  int ffts = 1;     // FFTs of a thread block
  // How many thread blocks a multiprocessor should be able to hold at a time: the second argument of __launch_bounds__.
  // 0: the kernel does not say. The compiler then gives a thread few registers, so that each load waits for the
  // callback of the load before it. With a number, a thread gets all registers that so many blocks leave to it, and its
  // loads are on their way at the same time; with too large a number, they do not suffice, and points move to local
  // memory. 1000 points in double precision, in blocks of 200 threads with callbacks, take 1.12 times cuFFT's time with
  // 0, 1.00 with 3 and 5.6 with 7 (H200).
  int resident_blocks = 0;
  int pass_count = 0;
  Pass passes[kMostPasses];
  // For an FFT, a callback on each frequency, and an inverse FFT in one kernel: the pass with which the inverse begins.
  // 0: there is no inverse. The inverse has the radices of the FFT in reverse order. Its first pass then takes exactly
  // the points that a thread has behind the last pass of the FFT, so that nothing is exchanged between the two:
  //
  //     FFT, last pass, radix R            outputs j, j + n/R, j + 2n/R, ...      (done = n/R)
  //     inverse, first pass, radix R       inputs  j, j + n/R, j + 2n/R, ...
  //
  // It takes the dimensions in reverse order, too.
  int inverse_begin = 0;
  // For real FFTs of N = 2 n numbers, which are taken as n = `length` complex ones. The spectrum has n + 1 frequencies:
  //
  //     X[k] = e + t,  X[n - k] = conj(e - t),  e = (Z[k] + conj(Z[n - k])) / 2,
  //                                             t = -i w (Z[k] - conj(Z[n - k])) / 2,  w = exp(-2 pi i k / N)
  //
  // where Z is the complex FFT. Frequencies k and n - k are outputs of the butterflies j and B - j of the last pass, of
  // which there are B = n/radix. So a thread that has both needs no exchange. Pass::is_paired says that a thread has
  // butterflies in pairs: pair u > 0 is u and B - u, and pair 0 is 0 and B/2, or 0 alone if B is odd, whose frequencies
  // belong to each other within a butterfly. Frequency n is in a register of its own, behind the others.
  //
  // stores_half: the pair-wise step Split is behind the last pass of the FFT. loads_half: its inverse, Join, is in
  // front of the first pass of an inverse FFT, which takes the frequencies as a first pass does: j, j + B, j + 2B, ...
  bool stores_half = false;
  bool loads_half = false;
  int half_roots = 0;  // where the n roots w of k = 0 to n - 1 begin in the table of roots
  // Exchange i is in front of pass i, except for the pass inverse_begin. Exchange 0 exists only for staged inputs,
  // exchange pass_count only for staged outputs. Staged means that thread u of the block loads or stores the points u,
  // u + block_threads(), ... of the block's FFTs, one behind the other, so that neighbouring threads access
  // neighbouring points also if an FFT has just one thread or two.
  Places exchanges[kMostPasses + 1];
  bool stages_inputs = false;
  bool stages_outputs = false;
  // Whether an exchange moves the real parts first and then the imaginary parts, through half as much shared memory.
  bool splits_complex = false;
  int shared_words = 0;
  // Whether the outputs go to the shared memory of the thread blocks of a cluster, from where the FFTs of the next plan
  // load them.
  bool stores_to_cluster = false;
  bool loads_from_cluster = false;
  Barrier barrier = Barrier::Block;
  Turn turn;

  constexpr int block_threads() const { return threads * ffts; }
  constexpr bool has_exchange(int number) const {
    if (number == 0) return stages_inputs;
    return number == pass_count ? stages_outputs : number != inverse_begin;
  }
  constexpr int butterflies(const Pass& pass) const { return length / pass.radix; }
  // The distance between the points that a butterfly reads.
  constexpr int distance(const Pass& pass) const { return (pass.row > 0 ? pass.row : length) / pass.radix; }
  // How many butterflies a thread has in a pass. Some threads may have one less.
  constexpr int butterflies_of_thread(const Pass& pass) const {
    if (pass.is_paired) return 2 * pairs_of_thread(pass);
    return (butterflies(pass) + threads - 1) / threads;
  }
  constexpr int pairs(const Pass& pass) const { return (butterflies(pass) + 1) / 2; }
  constexpr int pairs_of_thread(const Pass& pass) const { return (pairs(pass) + threads - 1) / threads; }
  constexpr bool has_half() const { return stores_half || loads_half; }
  // How many points of an FFT are loaded and stored. With a callback between, no array has half a spectrum.
  constexpr int loaded_points() const { return length + (loads_half && inverse_begin == 0 ? 1 : 0); }
  constexpr int stored_points() const { return length + (stores_half && inverse_begin == 0 ? 1 : 0); }
  // How many registers, one for each point, a thread needs. With frequency n, it is the last one.
  constexpr int points_of_thread() const { return points_in_passes() + (has_half() ? 1 : 0); }
  constexpr int points_in_passes() const {
    int most = 1;
    if (stages_inputs) most = (loaded_points() + threads - 1) / threads;
    if (stages_outputs && (stored_points() + threads - 1) / threads > most)
      most = (stored_points() + threads - 1) / threads;
    for (int i = 0; i < pass_count; ++i) {
      const int held = butterflies_of_thread(passes[i]) * passes[i].radix;
      if (held > most) most = held;
    }
    return most;
  }
};

// ---- the steps between barriers ----

enum class Action { Load, Write, Read, Compute, Split, Between, Join, Store, Barrier, ClusterBarrier };
enum class Part { Both, Real, Imaginary };

// Compute has the number of a pass, Split that of the pass before and Join that of the pass behind; Write and Read have
// the number of an exchange. Between is the callback between an FFT and its inverse.
struct Step {
  Action action = Action::Barrier;
  int number = 0;
  Part part = Part::Both;
};

// An exchange has up to eight steps. Every pass computes. Beside these, there are Load, Split, Between, Join, Store and
// ClusterBarrier.
inline constexpr int kMostSteps = 8 * (kMostPasses + 1) + kMostPasses + 6;

struct Steps {
  Step list[kMostSteps];
  int count = 0;

  constexpr void add(Action action, int number = 0, Part part = Part::Both) { list[count++] = {action, number, part}; }
};

// What all threads of the block do, in order. A thread may write to shared memory only after all threads have read what
// the exchange before left there, hence the barrier in front of every exchange but the first, and of that too if the
// points came from the cluster.
constexpr Steps steps_of(const BlockPlan& plan) {
  Steps steps;
  bool has_read = plan.loads_from_cluster;
  const auto move = [&](int exchange, Part part) {
    if (has_read) steps.add(Action::Barrier);
    steps.add(Action::Write, exchange, part);
    steps.add(Action::Barrier);
    steps.add(Action::Read, exchange, part);
    has_read = true;
  };
  const auto exchange = [&](int number) {
    if (plan.splits_complex) {
      move(number, Part::Real);
      move(number, Part::Imaginary);
    } else {
      move(number, Part::Both);
    }
  };
  steps.add(Action::Load);
  for (int i = 0; i < plan.pass_count; ++i) {
    if (plan.has_exchange(i)) exchange(i);
    if (i > 0 && i == plan.inverse_begin) {
      if (plan.stores_half) steps.add(Action::Split, i - 1);
      steps.add(Action::Between);
    }
    if (plan.loads_half && i == plan.inverse_begin) steps.add(Action::Join, i);
    steps.add(Action::Compute, i);
  }
  if (plan.stores_half && plan.inverse_begin == 0) steps.add(Action::Split, plan.pass_count - 1);
  if (plan.has_exchange(plan.pass_count)) exchange(plan.pass_count);
  // No block of the cluster may need the exchanges in its shared memory any more.
  if (plan.stores_to_cluster) steps.add(Action::ClusterBarrier);
  steps.add(Action::Store);
  return steps;
}

}  // namespace graft_fft
