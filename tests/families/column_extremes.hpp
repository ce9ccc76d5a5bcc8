// A kernel family of which only the tests know: the maximum, or the minimum, of f over each column of a row-major
// array, where the callback is `T f(T)`, and T an integer or a floating-point type. Its jobs have several kernels and
// two methods, so it proves more of the interface than the sum of two_launch_sum.hpp, which has one of each:
//
//     method "maxima"    kernel 0: the rows are dealt out to `shares`, each of which finds the maximum of its part
//                       kernel 1: the maxima of the shares' results, which are in the workspace
//     method "minima"    kernels 2 and 3: the same for minima
//
// If a column has one share, its first kernel is the only launch. If f returns NaN for an element of a column, the
// result of the column is NaN. +0 and -0 are equal: either may be the result.
//
// ColumnExtremes is the face of the family.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/job_kernels.hpp"
#include "engine/loaded_job.hpp"
#include "graft/graft.hpp"

namespace graft::test {

inline constexpr const char* kColumnExtremes = "column_extremes";

// Registers the family. Only the first call in a process does anything.
void add_column_extremes();

struct ColumnsRequest {
  int shares = 64;    // the most shares that the rows of a call are dealt out to: 1 to 1024
  int threads = 128;  // per thread block: a multiple of 32, at most 1024
};

enum class Extreme { Maxima, Minima };

// What each function below makes kernels for. `methods` are those that are made; if empty, both.
struct ColumnsJob {
  Callback value;
  ColumnsRequest request = {};
  std::vector<std::string> methods = {};
  std::size_t most_columns = 4096;  // the workspace is allocated for so many
};

engine::JobKernels kernels_of(const ColumnsJob& job);
std::vector<Image> build(const ColumnsJob& job, Architecture architecture, const Options& options = {});
std::vector<std::byte> precompile(const ColumnsJob& job, const std::vector<Architecture>& architectures,
                                  PrecompileFormat format = PrecompileFormat::Pack);

// All calls of one object in one context share its workspace, so make them on one stream.
class ColumnExtremes {
 public:
  static ColumnExtremes create(const ColumnsJob& job, const Options& options = {});
  static ColumnExtremes load(std::span<const std::byte> pack, std::size_t most_columns, const Options& options = {});
  static ColumnExtremes load(const std::vector<Image>& images, std::size_t most_columns, const Options& options = {});

  // Makes a method ready, as LoadedJob::add_methods() says. Other threads may execute meanwhile.
  void add(Extreme extreme);

  // Finds the extremes of `in`, an array of rows that each have out.count elements. Throws Error: CountMismatch,
  // TypeMismatch, Misaligned, Overlap, NotPrepared for a method that was neither created nor added, InvalidArgument for
  // more columns than the workspace is for.
  void execute(CUstream_st* stream, Extreme extreme, const ArrayRef& in, const ArrayRef& out) const;
  void execute(HostTag, Extreme extreme, const ArrayRef& in, const ArrayRef& out) const;

  std::size_t workspace_bytes(std::size_t columns) const { return job_->workspace_bytes(columns); }
  const std::vector<Report>& reports() const { return job_->reports(); }

 private:
  ColumnExtremes(const engine::JobKernels& kernels, const Options& options);

  std::shared_ptr<LoadedJob> job_;
};

}  // namespace graft::test
