// Plans of several dimensions: a kernel for as many of them as fit into a thread block, and one for each of the others.
#include <optional>
#include <utility>

#include "families/fft/lengths.hpp"
#include "families/fft/planner.hpp"

namespace graft::families::fft {

std::optional<Plan> Planner::make_of_extents(const std::vector<int>& extents, bool has_inverse) const {
  std::size_t dimensions = 0;  // with a kernel
  std::vector<std::optional<Kernel>> kernels = {first_kernel(extents, has_inverse, dimensions)};
  for (; dimensions < extents.size(); ++dimensions)
    kernels.push_back(kernel_of_dimension(extents, dimensions, has_inverse && dimensions + 1 == extents.size()));
  for (std::size_t i = has_inverse ? kernels.size() - 1 : 0; i-- > 0;) {
    kernels.push_back(kernels[i]);
    if (kernels.back()) kernels.back()->is_of_inverse = true;
  }
  Plan plan = {length_, precision_, {}};
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    if (!kernels[i]) return std::nullopt;
    Kernel& kernel = plan.kernels.emplace_back(*kernels[i]);
    kernel.in.is_workspace = i > 0;
    kernel.out.is_workspace = i + 1 < kernels.size();
    finish(kernel);
  }
  return has_inverse ? plan : in_cluster(std::move(plan));
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

std::optional<Kernel> Planner::kernel_of_neighbours(const std::vector<int>& extents, bool has_inverse) const {
  std::int64_t points = 1;
  for (const int extent : extents) points *= extent;
  const bool is_good = is_good_length(points);
  if (!is_good && extents.size() > 1) return std::nullopt;
  const std::int64_t computed = is_good ? points : convolution_length(points);
  if (computed > kMostPointsOfBlock) return std::nullopt;
  BlockRequest request = request_for(computed, 0);
  if (extents.size() > 1) request.extents = extents;
  std::optional<Kernel> kernel = kernel_of(request, has_inverse || !is_good);
  if (!kernel) return std::nullopt;
  if (!is_good) make_convolution(*kernel, points);
  kernel->columns = static_cast<int>(length_ / points);
  if (kernel->columns > 1) kernel->in.column = kernel->out.column = points;
  return kernel;
}

std::optional<Kernel> Planner::kernel_of_dimension(const std::vector<int>& extents, std::size_t dimension,
                                                   bool has_inverse) const {
  std::int64_t inner = 1;  // points of faster dimensions
  for (std::size_t i = 0; i < dimension; ++i) inner *= extents[i];
  const std::int64_t row = inner * extents[dimension];
  std::optional<Kernel> kernel = kernel_of_column_block(extents[dimension], inner, {false, inner, 1, row}, has_inverse);
  if (kernel) kernel->rows = static_cast<int>(length_ / row);
  return kernel;
}

std::optional<Kernel> Planner::kernel_of_column_block(int extent, std::int64_t columns, const Layout& points,
                                                      bool has_inverse) const {
  const bool is_good = is_good_length(extent);
  const std::int64_t computed = is_good ? extent : convolution_length(extent);
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
