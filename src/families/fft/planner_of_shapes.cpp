// Plans of several dimensions: a kernel for as many of them as fit into a thread block, and one for each of the others.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "families/fft/lengths.hpp"
#include "families/fft/planner.hpp"

namespace graft::families::fft {
namespace {

// What a split dimension must cost to be worth it, in two kernels of another plan's. 625x81 points take 1.05 to 1.11 of
// cuFFT's time with columns of 625, and 0.78 with columns of 25 (estimated as 0.95 of that); 1000x1000 points take the
// same time both ways (0.97). In three kernels it never is: 8192x8192 take 2.1 of cuFFT's time, and 1.7 in two (H200).
constexpr double kWorthSplitting = 0.96;
constexpr double kThirdKernel = 1000;  // more than any two

std::int64_t product(std::span<const int> extents) {
  std::int64_t points = 1;
  for (const int extent : extents) points *= extent;
  return points;
}

}  // namespace

std::optional<Plan> Planner::make_of_extents(const std::vector<int>& extents, bool has_inverse) const {
  if (choices_.split)
    return plan_of(kernels_of_split(extents, static_cast<std::size_t>(*choices_.split),
                                    static_cast<int>(choices_.factors.at(0)), choices_.factors.size() == 1));
  std::optional<Plan> plan = make_of_dimensions(extents, has_inverse);
  if (has_inverse) return plan;
  if (plan) plan = in_cluster(*std::move(plan));
  if (!plan) return make_of_any_split(extents);
  if (plan->kernels.size() == 2)
    if (std::optional<Plan> split = make_of_split_dimension(extents, extents.size() - 1, false)) return split;
  return plan;
}

std::optional<Plan> Planner::make_of_dimensions(const std::vector<int>& extents, bool has_inverse) const {
  std::size_t dimensions = 0;  // with a kernel
  std::vector<std::optional<Kernel>> kernels = {first_kernel(extents, has_inverse, dimensions)};
  for (; dimensions < extents.size(); ++dimensions)
    kernels.push_back(kernel_of_dimension(extents, dimensions, has_inverse && dimensions + 1 == extents.size()));
  for (std::size_t i = has_inverse ? kernels.size() - 1 : 0; i-- > 0;) {
    kernels.push_back(kernels[i]);
    if (kernels.back()) kernels.back()->is_of_inverse = true;
  }
  return plan_of(std::move(kernels));
}

std::optional<Plan> Planner::plan_of(std::vector<std::optional<Kernel>> kernels) const {
  Plan plan = {length_, precision_, {}};
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!kernels[i]) return std::nullopt;
    Kernel& kernel = plan.kernels.emplace_back(*std::move(kernels[i]));
    kernel.in.is_workspace = i > 0;
    kernel.out.is_workspace = i + 1 < kernels.size();
    finish(kernel);
  }
  return plan;
}

double Planner::cost_of_neighbours(const std::vector<int>& extents) const {
  const std::int64_t points = product(extents);
  if (points > kMostPointsOfBlock || !is_good_length(points)) return kImpossible;
  const std::optional<BlockChoice> choice = choose_block(request_of_neighbours(extents, points));
  return choice ? kernel_cost(choice->cost, kCostOfMemory) : kImpossible;
}

std::optional<Plan> Planner::make_of_any_split(const std::vector<int>& extents) const {
  for (std::size_t split = extents.size(); split-- > 0;)
    if (std::optional<Plan> plan = make_of_split_dimension(extents, split, true)) return plan;
  return std::nullopt;
}

std::optional<Plan> Planner::make_of_split_dimension(const std::vector<int>& extents, std::size_t split,
                                                     bool must_split) const {
  if (!is_good_length(extents[split])) return std::nullopt;
  std::vector<int> neighbours(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(split));
  double best_cost = kImpossible;
  if (!must_split) best_cost = kWorthSplitting * (cost_of_neighbours(neighbours) + split_cost(extents[split], false));
  int best = 0;
  bool best_is_with_faster = false;
  neighbours.push_back(0);
  for (const std::int64_t first : factors_near(extents[split], 2)) {
    const std::int64_t second = extents[split] / first;
    neighbours.back() = static_cast<int>(second);
    double rest = split + 1 == extents.size() && split > 0 ? cost_of_neighbours(neighbours) : kImpossible;
    const bool is_with_faster = rest < kImpossible;
    if (must_split && !is_with_faster) rest = kThirdKernel + split_cost(second, split == 0);
    const double cost = split_cost(first, false) + rest;
    if (cost >= best_cost) continue;
    best = static_cast<int>(first);
    best_is_with_faster = is_with_faster;
    best_cost = cost;
  }
  return best > 0 ? plan_of(kernels_of_split(extents, split, best, best_is_with_faster)) : std::nullopt;
}

std::vector<std::optional<Kernel>> Planner::kernels_of_split(const std::vector<int>& extents, std::size_t split,
                                                             int first, bool is_with_faster) const {
  const std::vector<int> faster(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(split));
  const int second = extents[split] / first;
  const std::int64_t inner = product(faster), of_first = second * inner, of_dimension = first * of_first;  // points
  const int rows = static_cast<int>(length_ / of_dimension);

  std::optional<Kernel> columns = kernel_of_column_block(first, of_first, {false, of_first, 1, of_dimension}, false);
  if (!columns) return {columns};
  columns->rows = rows;
  columns->block.turn.modulus = extents[split];
  columns->block.turn.of_each = static_cast<int>(inner);

  if (is_with_faster) {
    std::vector<int> neighbours = faster;
    neighbours.push_back(second);
    std::optional<Kernel> rest = kernel_of_neighbours(neighbours, false);
    if (rest) {
      rest->out.point = first * inner;
      rest->out.column = rest->out.run = inner;
    }
    return {columns, rest};
  }

  std::vector<std::optional<Kernel>> kernels;
  std::size_t dimensions = 0;
  if (split > 0) kernels.push_back(first_kernel(faster, false, dimensions));
  for (; dimensions < extents.size(); ++dimensions)
    if (dimensions != split) kernels.push_back(kernel_of_dimension(extents, dimensions, false));
  kernels.push_back(columns);
  kernels.push_back(split > 0 ? kernel_of_column_block(second, inner, {false, inner, 1, of_first}, false)
                              : kernel_of_columns(split_request(second, 0, true), false));
  if (!kernels.back()) return kernels;
  Kernel& last = *kernels.back();
  last.out = {false, first * inner, 1, of_dimension};
  if (split > 0) {
    last.rows = first * rows;
    last.out.row = inner;
    last.out.rows_of_group = first;
    last.out.group = of_dimension;
  } else {
    last.columns = first;
    last.rows = rows;
    last.in = {true, 1, second, of_dimension};
  }
  return kernels;
}

std::optional<Kernel> Planner::first_kernel(const std::vector<int>& extents, bool has_inverse,
                                            std::size_t& dimensions) const {
  std::vector<int> first = extents;
  for (; !first.empty(); first.pop_back()) {
    dimensions = first.size();
    const bool is_whole = dimensions == extents.size();
    if (std::optional<Kernel> kernel = kernel_of_neighbours(first, has_inverse && is_whole)) return kernel;
  }
  return std::nullopt;
}

BlockRequest Planner::request_of_neighbours(const std::vector<int>& extents, std::int64_t points) const {
  BlockRequest request = request_for(points, 0);
  if (extents.size() > 1) request.extents = extents;
  return request;
}

std::optional<Kernel> Planner::kernel_of_neighbours(const std::vector<int>& extents, bool has_inverse) const {
  const std::int64_t points = product(extents);
  const bool is_good = is_good_length(points);
  if (!is_good && extents.size() > 1) return std::nullopt;
  const std::int64_t computed = is_good ? points : convolution_length(points);
  if (computed > kMostPointsOfBlock) return std::nullopt;
  std::optional<Kernel> kernel = kernel_of(request_of_neighbours(extents, computed), has_inverse || !is_good);
  if (!kernel) return std::nullopt;
  if (!is_good) make_convolution(*kernel, points);
  kernel->columns = static_cast<int>(length_ / points);
  if (kernel->columns > 1) kernel->in.column = kernel->out.column = points;
  return kernel;
}

std::optional<Kernel> Planner::kernel_of_dimension(const std::vector<int>& extents, std::size_t dimension,
                                                   bool has_inverse) const {
  const std::int64_t inner = product(std::span(extents).first(dimension)),  // points of faster dimensions
      row = inner * extents[dimension];
  std::optional<Kernel> kernel = kernel_of_column_block(extents[dimension], inner, {false, inner, 1, row}, has_inverse);
  if (kernel) kernel->rows = static_cast<int>(length_ / row);
  return kernel;
}

std::optional<Kernel> Planner::kernel_of_column_block(int extent, std::int64_t columns, const Layout& points,
                                                      bool has_inverse) const {
  const bool is_good = is_good_length(extent);
  const std::int64_t computed = is_good ? extent : convolution_length(extent);
  if (computed > kMostPointsOfBlock) return std::nullopt;
  BlockRequest request = split_request(computed, 0, false);
  request.most_ffts = within(columns, most_columns(computed));
  std::optional<Kernel> kernel = kernel_looking_further(request, has_inverse || !is_good);
  if (!kernel) return std::nullopt;
  kernel->columns = static_cast<int>(columns);
  kernel->in = kernel->out = kernel->frequency = points;
  if (!is_good) make_convolution(*kernel, extent);
  return kernel;
}

void Planner::make_convolution(Kernel& kernel, std::int64_t points) const {
  kernel.is_of_inverse = false;
  kernel.frequency = Layout();
  kernel.chirp = {.points = points, .length = kernel.block.length};
}

}  // namespace graft::families::fft
