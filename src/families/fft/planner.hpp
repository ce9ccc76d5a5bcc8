// Makes the plans of plan.hpp: lays out kernels in the caller's arrays and the workspace, has block_planner choose how
// their thread blocks compute, and compares what alternatives cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "families/fft/block_planner.hpp"
#include "families/fft/plan.hpp"

namespace graft::families::fft {

// Longer FFTs than this are not worth one kernel even where they fit: a block would need more than 1024 threads, or
// threads with more than 16 points.
inline constexpr std::int64_t kMostPointsOfBlock = 16384;
// Memory transfers at least 32 bytes. Shorter runs waste a part of that, and runs of exactly 32 bytes are a little
// slower than longer ones.
inline constexpr int kShortestRun = 32;
// What a block costs that is alone on its multiprocessor, and leaves the memory idle while it waits at a barrier.
inline constexpr double kLonelyBlock = 1.1;
// What one kernel that reads and writes every point costs, in the unit of BlockChoice::cost, instructions for each
// point: in the time in which an H200 reads and writes 8 bytes each it can issue about 100 instructions.
inline constexpr double kCostOfMemory = 100;
inline constexpr double kImpossible = 1e9;

// Computation and memory accesses of different warps overlap, but not completely.
inline double kernel_cost(double instructions, double memory) {
  return std::max(instructions, memory) + 0.3 * std::min(instructions, memory);
}

// The factors that cost least of those that were considered. Empty: there are none.
struct Cheapest {
  std::vector<std::int64_t> factors = {};
  double cost = kImpossible;

  void consider(const std::vector<std::int64_t>& others, double their_cost) {
    if (their_cost >= cost) return;
    factors = others;
    cost = their_cost;
  }
};

class Planner {
 public:
  using Neighbours = graft_fft::Neighbours;

  Planner(std::int64_t length, Precision precision, Architecture architecture, const Choices& choices,
          Neighbours neighbours = Neighbours::Points)
      : length_(length),
        precision_(precision),
        limits_(limits_of(architecture)),
        choices_(choices),
        neighbours_(neighbours) {}

  // Returns nothing if the choices are impossible.
  std::optional<Plan> make() const;

  std::optional<Plan> make_with_inverse() const;

  // A real FFT of 2 * length numbers.
  std::optional<Plan> make_half(Half half) const;

  // A real FFT of length_ numbers in two or three kernels.
  std::optional<Plan> make_long_real(bool is_inverse) const;

  // A real FFT of several dimensions, whose FFT by halves is along the slowest one. `extents`: several above 1, the
  // fastest first.
  std::optional<Plan> make_of_real_columns(const std::vector<int>& extents, bool is_inverse) const;

  // A real FFT of several dimensions, of which that whose points are neighbours has 2 * half numbers: an FFT by halves
  // along it, and FFTs of its frequencies along the others. `others`: the other extents, the fastest first. The
  // workspace has a pitch of whole sectors, as the columns of each row are then.
  std::optional<Plan> make_of_real_extents(int half, const std::vector<int>& others, Half what) const;

  // `extents`: several above 1, beginning with that whose points are neighbours.
  std::optional<Plan> make_of_extents(const std::vector<int>& extents, bool has_inverse) const;

  // Returns the plan with one kernel in place of two, if they fit into a cluster. Many small blocks are best, of which
  // a multiprocessor holds several: 128x256 points take 0.65 of cuFFT's time in 8 blocks, and 0.73 in 4 (H200).
  Plan in_cluster(Plan plan) const;

 private:
  // ---- one kernel, and several of a length (planner.cpp) ----

  std::optional<Kernel> one_kernel(bool has_inverse) const;

  // A kernel of whole FFTs.
  std::optional<Kernel> kernel_of(const BlockRequest& request, bool has_inverse) const;

  // A kernel of whole FFTs whose points follow each other.
  static std::optional<Kernel> kernel_of_rows(BlockRequest request, bool has_inverse);

  // A kernel of whole FFTs that are neighbours. Returns nothing if too few of them fit into a thread block.
  std::optional<Kernel> kernel_of_batches(BlockRequest request, bool has_inverse) const;

  BlockRequest request_for(std::int64_t length, std::size_t kernel) const;

  void finish(Kernel& kernel) const;

  bool is_split(const std::vector<std::int64_t>& factors) const;

  // A kernel that works on neighbouring columns. The last kernel loads along the rows.
  BlockRequest split_request(std::int64_t length, std::size_t kernel, bool is_last) const;

  // As many columns as give a thread block enough threads.
  int most_columns(std::int64_t length) const;

  // No more of them than there are, but a power of two.
  static int within(std::int64_t columns, int most);

  // A kernel of neighbouring columns. Padding may not fit for as many of them as were chosen.
  static std::optional<Kernel> kernel_of_columns(BlockRequest request, bool has_inverse);

  // The same, with more radices and numbers of threads if the usual ones do not suffice.
  static std::optional<Kernel> kernel_looking_further(BlockRequest request, bool has_inverse);

  double split_cost(std::int64_t length, bool is_last) const;

  // A part `of_shorter` of the elements is in runs half as long.
  double cost_of_columns(const BlockRequest& request, double of_shorter = 0, double lonely = kLonelyBlock) const;

  std::vector<std::int64_t> factors_of_kernels() const;
  std::vector<std::int64_t> best_factors() const;

  // The divisors of `length` within a factor of 4 of its second or third root, or within 16 if there are none.
  static std::vector<std::int64_t> factors_near(std::int64_t length, int root);

  std::optional<Kernel> kernel(const std::vector<std::int64_t>& factors, std::size_t number,
                               bool is_of_inverse = false) const;

  // The kernel between the columns of an FFT and those of its inverse.
  std::optional<Kernel> kernel_with_inverse(const std::vector<std::int64_t>& factors) const;

  // The turn of an inverse's kernel in place of that of its FFT. The last kernel of the inverse has none.
  static void turn_inverse(graft_fft::Turn& turn, const std::vector<std::int64_t>& factors, std::size_t number);

  // Sets which FFTs a kernel has, and where their points lie. The points of the workspace are a matrix of n1 rows. With
  // three factors, its rows are in turn matrices of n2 rows (the picture is in the header). `columns` of a kernel are
  // the FFTs that a thread block works on together, because they store to neighbouring places:
  //
  //     all kernels but the last   FFTs down the columns of the matrix, so that `columns` are its columns. Their
  //                                outputs are then multiplied by roots (Turn), whose modulus is the matrix's size
  //     the last kernel            FFTs along the rows of the matrix, so that `columns` are its rows: output l of row k
  //                                is stored at k + n1 * l
  static void place(Kernel& kernel, const std::vector<std::int64_t>& factors, std::size_t number);

  // ---- several dimensions (planner_of_shapes.cpp) ----

  // With a kernel for each dimension behind those of the first one.
  std::optional<Plan> make_of_dimensions(const std::vector<int>& extents, bool has_inverse) const;

  // Returns nothing if one of the kernels is missing.
  std::optional<Plan> plan_of(std::vector<std::optional<Kernel>> kernels) const;

  // What a kernel of FFTs costs whose points are all neighbours.
  double cost_of_neighbours(const std::vector<int>& extents) const;

  // The first plan that there is with one dimension split, the slowest one first.
  std::optional<Plan> make_of_any_split(const std::vector<int>& extents) const;

  // The dimension is split into two factors, as the points of a long FFT are; if it need not be, only where that costs
  // less.
  std::optional<Plan> make_of_split_dimension(const std::vector<int>& extents, std::size_t split,
                                              bool must_split) const;

  // With `first` as the first of the two factors. `is_with_faster`: of the slowest dimension, the FFTs of the other
  // factor are in the kernel of the faster ones. Each kernel works in place in the workspace but the last one, which
  // brings the frequencies into their order.
  std::vector<std::optional<Kernel>> kernels_of_split(const std::vector<int>& extents, std::size_t split, int first,
                                                      bool is_with_faster) const;

  // The kernel of the first dimensions, of as many as fit. `dimensions` becomes their number.
  std::optional<Kernel> first_kernel(const std::vector<int>& extents, bool has_inverse, std::size_t& dimensions) const;

  // A kernel of the first dimensions, in which all their points are neighbours: so many, or those of a convolution.
  BlockRequest request_of_neighbours(const std::vector<int>& extents, std::int64_t points) const;
  std::optional<Kernel> kernel_of_neighbours(const std::vector<int>& extents, bool has_inverse) const;

  // A kernel of one further dimension.
  std::optional<Kernel> kernel_of_dimension(const std::vector<int>& extents, std::size_t dimension,
                                            bool has_inverse) const;

  // A kernel of FFTs down neighbouring columns, of which there are so many. A callback between gets its frequencies
  // where the points are. Columns whose length is not good are convolutions.
  std::optional<Kernel> kernel_of_column_block(int extent, std::int64_t columns, const Layout& points,
                                               bool has_inverse) const;

  // Makes the kernel of an FFT of m points and its inverse that of a convolution of `points` points.
  void make_convolution(Kernel& kernel, std::int64_t points) const;

  // ---- real FFTs by halves (planner_of_reals.cpp) ----

  // The factors n1, n2 or n1, n2, n3 of a long real FFT, whose numbers are a matrix of n1 rows. Empty: there are none.
  std::vector<std::int64_t> factors_of_long_real(bool is_inverse) const;

  double long_real_cost(const std::vector<std::int64_t>& factors, bool is_inverse) const;

  // An FFT by halves down the columns, and complex FFTs along the rows of the first n1 / 2 + 1 frequencies; with three
  // factors, each of these rows is in turn a matrix of n2 rows. The inverse has the kernels in reverse order.
  std::optional<Plan> make_long_real_forward(const std::vector<std::int64_t>& factors) const;
  std::optional<Plan> make_long_real_inverse(const std::vector<std::int64_t>& factors) const;

  // The kernel that stores or loads the spectrum, with three factors in long runs, and that between the two others.
  BlockRequest request_of_spectrum(const std::vector<std::int64_t>& factors, bool is_inverse) const;
  std::optional<Kernel> kernel_of_middle(const std::vector<std::int64_t>& factors) const;

  Layout layout_of_long_spectrum(const std::vector<std::int64_t>& factors) const;

  // A kernel of real FFTs of 2 * length numbers.
  std::optional<Kernel> kernel_of_half(std::int64_t length, Half half) const;

  // For FFTs of `extent` numbers, of which there are `columns`.
  BlockRequest request_of_numbers(std::int64_t extent, std::int64_t columns, bool is_inverse,
                                  bool loads_along_rows) const;

  // A kernel of FFTs by halves down all columns of a matrix of numbers.
  std::optional<Kernel> kernel_of_numbers(std::int64_t extent, std::int64_t columns, bool is_inverse,
                                          bool loads_along_rows) const;

  std::optional<Kernel> kernel_of_frequencies(int frequencies, std::int64_t pitch, const std::vector<int>& others,
                                              std::size_t dimension, bool has_between) const;

  // Where the FFTs along one of the `others` are in rows of frequencies with this pitch: a column for each frequency,
  // and a row for each place in the other one of the others.
  static Layout layout_of_frequencies(std::int64_t pitch, const std::vector<int>& others, std::size_t dimension);

  std::int64_t whole_sectors(std::int64_t points) const;

  // ---- clusters of thread blocks (planner_of_clusters.cpp) ----

  // The kernel that does in clusters what two do.
  std::optional<Kernel> kernel_of_cluster(const Kernel& one, const Kernel& two, int blocks) const;

  std::optional<Kernel> half_of_cluster(const Kernel& kernel, int blocks, Neighbours in, Neighbours out) const;

  // Whether a warp stores whole runs to another block of the cluster: neighbouring outputs of an FFT, or the same
  // output of several.
  bool stores_runs(const graft_fft::BlockPlan& block, int ffts_of_second) const;

  // Whether neighbouring threads load fast runs of memory. 4096x16 numbers, of which a block had 2 columns, took 1.36
  // of cuFFT's time, and 0.76 in two kernels (H200).
  bool loads_runs(const Kernel& kernel) const;

  // Whether neighbouring threads have neighbouring outputs of an FFT.
  static bool has_neighbouring_outputs(const graft_fft::BlockPlan& block);

  static Neighbours last_neighbours(const Kernel& kernel);

  // The shared memory that a block of a cluster may have.
  int room_of_cluster() const;

  std::int64_t length_;
  Precision precision_;
  Limits limits_;
  const Choices& choices_;
  Neighbours neighbours_;  // in the arrays of kernels that do whole FFTs
};

}  // namespace graft::families::fft
