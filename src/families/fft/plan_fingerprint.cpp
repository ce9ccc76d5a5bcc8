// Each structured binding names all members of a struct, so that a new member does not compile until it is hashed.
#include "families/fft/plan_fingerprint.hpp"

#include <concepts>
#include <span>
#include <type_traits>
#include <vector>

#include "base/bytes.hpp"
#include "base/hash.hpp"

namespace graft::families::fft {
namespace {

// Raise it if kernels of equal plans have other parameters, tables or roles of inputs than before.
constexpr int kVersion = 5;

class Fingerprint {
 public:
  template <class... T>
  void add(const T&... values) {
    (put(values), ...);
  }
  std::uint64_t hash() const { return base::hash(base::as_text(std::as_bytes(std::span(numbers_)))).low; }

 private:
  template <class T>
  requires std::integral<T> || std::is_enum_v<T>
  void put(T value) { numbers_.push_back(static_cast<std::int64_t>(value)); }

  void put(const graft_fft::Pass& pass) {
    const auto& [radix, done, neighbours, roots, inner, row, is_paired] = pass;
    add(radix, done, neighbours, roots);
    if (row != 0 || inner != 1) add(inner, row);  // of several dimensions
    if (is_paired) add(is_paired);
  }

  void put(const graft_fft::Places& places) {
    const auto& [fft_distance, point_distance, period, extra] = places;
    add(fft_distance, point_distance, period, extra);
  }

  void put(const graft_fft::Turn& turn) {
    const auto& [modulus, is_by_row, point, adds_column, of_each, low_count, high_count, roots] = turn;
    add(modulus, is_by_row, point, adds_column, low_count, high_count, roots);
    if (of_each != 1) add(of_each);
  }

  void put(const graft_fft::BlockPlan& block) {
    const auto& [length, threads, ffts, resident_blocks, pass_count, passes, inverse_begin, stores_half, loads_half,
                 half_roots, exchanges, stages_inputs, stages_outputs, splits_complex, shared_words, stores_to_cluster,
                 loads_from_cluster, barrier, turn] = block;
    add(length, threads, ffts, resident_blocks, pass_count, inverse_begin, stages_inputs, stages_outputs,
        splits_complex, shared_words, barrier, turn);
    if (stores_half || loads_half) add(stores_half, loads_half, half_roots);
    if (stores_to_cluster || loads_from_cluster) add(stores_to_cluster, loads_from_cluster);
    for (const graft_fft::Pass& pass : passes) put(pass);
    for (const graft_fft::Places& places : exchanges) put(places);
  }

  void put(const Layout& layout) {
    const auto& [is_workspace, point, column, row, count, numbers, next, half_of, mirror, run, rows_of_group, group] =
        layout;
    add(is_workspace, point, column, row);
    if (count != 0 || numbers != 0 || half_of != 0) add(count, numbers, half_of);
    if (next != 1) add(next);
    if (run != 1) add(run);
    if (rows_of_group != 0) add(rows_of_group, group);
    const auto& [extent, of_each, last] = mirror;
    if (extent != 0) add(extent, of_each, last);
  }

  void put(const Kernel& kernel) {
    const auto& [block, rows, columns, in, out, frequency, is_of_inverse, chirp, root_count, shared_bytes, cluster,
                 second] = kernel;
    add(block, rows, columns, in, out, frequency, is_of_inverse, root_count, shared_bytes);
    const auto& [points, length, roots, spectrum] = chirp;
    if (points != 0) add(points, length, roots, spectrum);
    const auto& [blocks, ffts, has_neighbouring_ffts, pitch] = cluster;
    if (blocks != 0) add(blocks, ffts, has_neighbouring_ffts, pitch);
    for (const Kernel& one : second) put(one);
  }

  std::vector<std::int64_t> numbers_;
};

}  // namespace

std::uint64_t fingerprint(const Plan& plan) {
  const auto& [length, precision, kernels, shape, convolved, between_kernels] = plan;
  Fingerprint numbers;
  numbers.add(kVersion, length, precision);
  for (const Kernel& kernel : kernels) numbers.add(kernel);
  for (const std::int64_t extent : shape) numbers.add(extent);
  // The kernels of the first version served one direction, those of the second serve both.
  if (constexpr int kVersionOfConvolutions = 2; convolved != 0) numbers.add(convolved, kVersionOfConvolutions);
  if (between_kernels != 0) numbers.add(between_kernels);
  return numbers.hash();
}

}  // namespace graft::families::fft
