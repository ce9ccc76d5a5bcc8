// The plan of an FFT: which kernels compute it, and how each of them does. A pure function of length, precision and
// architecture, so that a plan can be made without a GPU, printed, and compared.
//
// An FFT whose points fit into the shared memory of a thread block is one kernel. A longer one, of n = n1 * n2 points,
// is split (Bailey's four steps). Its points form a matrix of n1 rows and n2 columns:
//
//     kernel 1   an FFT of n1 points down every column; output k of column c is multiplied by exp(-2 pi i ck/n)
//     kernel 2   an FFT of n2 points along every row; output l of row k is point k + n1 * l of the result
//
// With three factors, kernel 2 in turn splits the rows. Neighbouring points of a column are n2 points apart in memory,
// so a thread block works on several neighbouring columns at a time, and neighbouring threads on neighbouring columns
// (Neighbours::Ffts). The last kernel loads along the rows (Neighbours::Points), and stores to neighbouring places from
// neighbouring rows (Neighbours::Ffts); it changes sides in its first exchange, which costs nothing.
//
// An FFT, a callback on each frequency, and an inverse FFT take one kernel where one FFT does. Otherwise the inverse
// takes the steps in reverse order. No kernel needs to change the order of the points, and the last kernel of the FFT
// and the first one of the inverse, which work on the same rows, are one. Three kernels do what would take four:
//
//     kernel 1   as above
//     kernel 2   an FFT along every row k; the callback on frequency k + n1 * l; an inverse FFT along the row; its
//                output c is multiplied by exp(+2 pi i ck/n)
//     kernel 3   an inverse FFT of n1 points down every column
//
// With three factors, five kernels do what would take six. The exponents of the second and the fourth are in Turn: the
// matrix of row k has n2 rows k2 and n3 columns c3, and point r2 * n3 + c3 of it is in column r2 * n3 + c3 of the
// whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fft/block_plan.h"
#include "graft/architecture.hpp"

namespace graft::families::fft {

enum class Precision { Single, Double };

constexpr int real_bytes(Precision precision) {
  return precision == Precision::Single ? 4 : 8;
}
constexpr int complex_bytes(Precision precision) {
  return 2 * real_bytes(precision);
}
constexpr const char* name_of(Precision precision) {
  return precision == Precision::Single ? "f32" : "f64";
}

// Where the points of a kernel's FFTs lie in an array. The FFT in row r and column c of batch b has its point p at
//
//     b * distance + (r * row + c * column + p * point) * stride
//
// where distance and stride are the caller's for the caller's arrays, and length and 1 for the workspace.
struct Layout {
  bool is_workspace = false;
  std::int64_t point = 1;
  std::int64_t column = 0;
  std::int64_t row = 0;
};

struct Kernel {
  graft_fft::BlockPlan block;
  // How many FFTs this kernel has for each batch: rows * columns. The FFTs of a thread block are neighbouring columns
  // of one row; or, if the kernel has one FFT for each batch, neighbouring batches.
  int rows = 1;
  int columns = 1;
  Layout in, out;
  // The frequency that is point p of the FFT in row r and column c, for kernels with a callback between: as for an
  // array with batch 0, distance 0 and stride 1.
  Layout frequency;
  bool is_of_inverse = false;  // an inverse FFT behind a callback between ends with this kernel, or is on its way
  int root_count = 0;          // complex numbers in the table of roots
  int shared_bytes = 0;

  bool has_one_fft() const { return rows * columns == 1; }
  // How many thread blocks the columns of a row take. The last of them may have fewer FFTs than the others.
  int blocks_of_row() const { return (columns + block.ffts - 1) / block.ffts; }
  bool has_incomplete_blocks() const { return has_one_fft() ? block.ffts > 1 : columns % block.ffts != 0; }
};

struct Plan {
  std::int64_t length = 1;
  Precision precision = Precision::Single;
  std::vector<Kernel> kernels;

  // Kernels after the first read what the one before wrote to a workspace of batch * length points.
  bool has_workspace() const { return kernels.size() > 1; }
};

// Choices that a caller makes in place of the planner, for measurements and tests. Empty and 0: the planner chooses.
struct Choices {
  std::vector<std::int64_t> factors = {};      // the lengths of the kernels' FFTs
  std::vector<std::vector<int>> radices = {};  // of each kernel
  std::vector<int> threads = {};               // of one FFT of each kernel
  std::vector<int> ffts = {};                  // in a thread block of each kernel
  std::vector<int> resident_blocks = {};       // BlockPlan::resident_blocks, of each kernel
  bool splits_complex = false;

  bool operator==(const Choices&) const = default;
};

// What an architecture can hold.
struct Limits {
  int shared_bytes_of_block = 0;
  int threads_of_multiprocessor = 0;
  int blocks_of_multiprocessor = 0;
};

Limits limits_of(Architecture architecture);

// Returns the plan. Without choices of the caller, it is that of the table of measured plans (measured_plans.hpp), if
// the table has one that the architecture can have. `length` must be a good length (lengths.hpp). Throws
// Error(InvalidArgument) if `choices` are impossible.
Plan make_plan(std::int64_t length, Precision precision, Architecture architecture, const Choices& choices = {});

// The same without the table: what the caller leaves open is chosen by estimates.
Plan estimated_plan(std::int64_t length, Precision precision, Architecture architecture, const Choices& choices = {});

// Returns the plan of an FFT, a callback on each frequency, and an inverse FFT. Returns nothing if `choices` are
// impossible, or if the architecture has too little shared memory.
std::optional<Plan> make_plan_with_inverse(std::int64_t length, Precision precision, Architecture architecture,
                                           const Choices& choices = {});

// Returns the choices with which make_plan makes the plan again. Lists that would leave everything to the planner are
// empty.
Choices choices_of(const Plan& plan);

// Returns the plan as text, one line for each kernel:
//
//     4096 points, f32: 16x16x16, 256 threads x 1 FFT, 16 points per thread, pads 1/16 -, 34808 bytes shared
std::string describe(const Plan& plan);

}  // namespace graft::families::fft
