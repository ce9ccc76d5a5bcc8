// Plans of real FFTs by halves: in one kernel, in two, and of several dimensions.
#include <algorithm>
#include <optional>
#include <utility>

#include "families/fft/lengths.hpp"
#include "families/fft/planner.hpp"

namespace graft::families::fft {
namespace {

// What a block costs that is alone and stores conjugates, in place of kLonelyBlock: 2^22 numbers take 1.23 of cuFFT's
// time in 4096 rows, and 1.32 in 2048, whose kernels are alone (H200).
constexpr double kLonelyMirror = 1.2;

}  // namespace

std::optional<Plan> Planner::make_half(Half half) const {
  std::optional<Kernel> kernel = kernel_of_half(length_, half);
  if (!kernel) return std::nullopt;
  const Layout numbers = {.point = 2, .count = 2 * length_, .numbers = 2}, spectrum = {.count = length_ + 1};
  kernel->in = half == Half::Loaded ? spectrum : numbers;
  kernel->out = half == Half::Stored ? spectrum : numbers;
  finish(*kernel);
  return Plan{length_, precision_, {*kernel}};
}

std::optional<Plan> Planner::make_long_real(bool is_inverse) const {
  std::int64_t rows = 0;  // n1
  double best_cost = 1e9;
  for (const std::int64_t first : factors_near(length_, 2)) {
    if (first % 2 != 0 || !is_good_length(first / 2) || length_ / first > kMostPointsOfBlock) continue;
    // Runs in which a kernel loads may be short: what another block needs of a sector is then in the cache.
    const BlockRequest of_numbers = request_of_numbers(first, length_ / first, is_inverse, is_inverse),
                       of_rows = split_request(length_ / first, 1, !is_inverse);
    const double cost = cost_of_columns(of_numbers, is_inverse ? 1 : 0) +
                        cost_of_columns(of_rows, is_inverse ? 0.25 : 0.5, kLonelyMirror);
    if (cost >= best_cost) continue;
    best_cost = cost;
    rows = first;
  }
  if (rows == 0) return std::nullopt;
  const std::int64_t columns = length_ / rows, frequencies = rows / 2 + 1, pitch = whole_sectors(frequencies);
  std::optional<Kernel> of_numbers = kernel_of_numbers(rows, columns, is_inverse, is_inverse),
                        of_rows = kernel_of_columns(split_request(columns, 1, !is_inverse), false);
  if (!of_numbers || !of_rows) return std::nullopt;
  of_rows->columns = static_cast<int>(frequencies);
  const Layout spectrum = {
      .point = rows, .column = 1, .count = length_ / 2 + 1, .mirror = {.extent = rows, .last = length_}};
  graft_fft::Turn& turn = (is_inverse ? of_rows : of_numbers)->block.turn;
  turn.modulus = static_cast<int>(length_);
  Plan plan = {length_, precision_, {}};
  if (is_inverse) {
    // In the workspace, the frequencies of a column are neighbours.
    plan.between_kernels = columns * pitch;
    of_rows->in = spectrum;
    of_rows->out = {.is_workspace = true, .point = pitch, .column = 1};
    of_numbers->in = {.is_workspace = true, .column = pitch};
    plan.kernels = {*of_rows, *of_numbers};
  } else {
    plan.between_kernels = frequencies * columns;
    of_numbers->out = {.is_workspace = true, .point = columns, .column = 1};
    of_rows->in = {.is_workspace = true, .column = columns};
    of_rows->out = spectrum;
    plan.kernels = {*of_numbers, *of_rows};
  }
  for (Kernel& kernel : plan.kernels) finish(kernel);
  return in_cluster(std::move(plan));
}

std::optional<Plan> Planner::make_of_real_columns(const std::vector<int>& extents, bool is_inverse) const {
  const std::size_t dimensions = extents.size();
  const std::int64_t slowest = extents.back(), columns = length_ / slowest, frequencies = slowest / 2 + 1,
                     last = extents.front(), rows = columns / last;
  if (slowest % 2 != 0 || !std::ranges::all_of(extents, is_good_length) || !is_good_length(slowest / 2))
    return std::nullopt;
  std::vector<std::optional<Kernel>> kernels = {kernel_of_numbers(slowest, columns, is_inverse, false)};
  if (!kernels[0]) return std::nullopt;
  (is_inverse ? kernels[0]->in : kernels[0]->out) = {.is_workspace = true, .point = columns, .column = 1};
  Layout spectrum = {.column = last / 2 + 1,
                     .count = slowest * rows * (last / 2 + 1),
                     .mirror = {.extent = slowest, .of_each = rows, .last = last}};
  const std::vector<int> plane(extents.begin(), extents.end() - 1);
  std::optional<Kernel> of_plane = dimensions > 2 ? kernel_of_neighbours(plane, false) : std::nullopt;
  if (of_plane) {
    spectrum.column = columns;
    spectrum.half_of = last;
    spectrum.mirror.of_each = 1;
  } else {
    for (std::size_t d = dimensions - 1; --d > 0;) {
      kernels.push_back(kernel_of_dimension(extents, d, false));
      if (!kernels.back()) return std::nullopt;
      kernels.back()->rows = static_cast<int>(frequencies);
      kernels.back()->in.is_workspace = kernels.back()->out.is_workspace = true;
    }
    of_plane = kernel_of_neighbours({extents.front()}, false);
  }
  if (!of_plane) return std::nullopt;
  of_plane->columns = static_cast<int>(frequencies * spectrum.mirror.of_each);
  of_plane->in = of_plane->out = {.is_workspace = true, .column = columns / spectrum.mirror.of_each};
  (is_inverse ? of_plane->in : of_plane->out) = spectrum;
  kernels.push_back(of_plane);
  if (is_inverse) std::ranges::reverse(kernels);
  Plan plan = {length_, precision_, {}};
  plan.between_kernels = frequencies * columns;
  for (const std::optional<Kernel>& kernel : kernels) finish(plan.kernels.emplace_back(*kernel));
  return in_cluster(std::move(plan));
}

std::optional<Plan> Planner::make_of_real_extents(int half, const std::vector<int>& others, Half what) const {
  const int frequencies = half + 1;
  const std::int64_t pitch = whole_sectors(frequencies);
  std::int64_t rows = 1;
  for (const int extent : others) rows *= extent;
  std::vector<std::optional<Kernel>> kernels;
  const auto add_rows = [&](Half of_rows) {
    std::optional<Kernel> kernel = kernel_of_half(half, of_rows);
    if (kernel) {
      kernel->columns = static_cast<int>(rows);
      Layout numbers = {.point = 2, .column = std::int64_t{2} * half, .count = rows * 2 * half, .numbers = 2};
      const Layout spectrum = {.is_workspace = true, .column = pitch};
      kernel->in = of_rows == Half::Stored ? numbers : spectrum;
      kernel->out = of_rows == Half::Stored ? spectrum : numbers;
      kernel->is_of_inverse = what == Half::Between && of_rows == Half::Loaded;
    }
    kernels.push_back(kernel);
  };
  const auto add_columns = [&](std::size_t dimension, bool has_between) {
    kernels.push_back(kernel_of_frequencies(frequencies, pitch, others, dimension, has_between));
  };
  const std::size_t last = others.size() - 1;
  if (what != Half::Loaded) {
    add_rows(Half::Stored);
    for (std::size_t d = 0; d <= last; ++d) add_columns(d, what == Half::Between && d == last);
  }
  if (what == Half::Loaded) add_columns(last, false);
  for (std::size_t d = last; what != Half::Stored && d-- > 0;) {
    add_columns(d, false);
    if (kernels.back()) kernels.back()->is_of_inverse = what == Half::Between;
  }
  if (what != Half::Stored) add_rows(Half::Loaded);
  Plan plan = {length_, precision_, {}};
  plan.between_kernels = rows * pitch;
  for (std::optional<Kernel>& kernel : kernels) {
    if (!kernel) return std::nullopt;
    finish(plan.kernels.emplace_back(*kernel));
  }
  // The caller's spectra have no pitch.
  const auto place = [&](Layout& layout, std::size_t dimension) {
    layout = layout_of_frequencies(frequencies, others, dimension);
    layout.count = rows * frequencies;
  };
  if (what == Half::Stored) place(plan.kernels.back().out, last);
  if (what == Half::Loaded) place(plan.kernels.front().in, last);
  return plan;
}

std::optional<Kernel> Planner::kernel_of_half(std::int64_t length, Half half) const {
  if (length > kMostPointsOfBlock) return std::nullopt;
  BlockRequest request = request_for(length, 0);
  request.stores_half = half != Half::Loaded;
  request.loads_half = half == Half::Loaded;
  return kernel_of(request, half == Half::Between);
}

BlockRequest Planner::request_of_numbers(std::int64_t extent, std::int64_t columns, bool is_inverse,
                                         bool loads_along_rows) const {
  BlockRequest request = split_request(extent / 2, 0, loads_along_rows);
  request.stores_half = !is_inverse;
  request.loads_half = is_inverse;
  request.most_ffts = within(columns, 2 * most_columns(extent / 2));
  return request;
}

std::optional<Kernel> Planner::kernel_of_numbers(std::int64_t extent, std::int64_t columns, bool is_inverse,
                                                 bool loads_along_rows) const {
  std::optional<Kernel> kernel =
      kernel_looking_further(request_of_numbers(extent, columns, is_inverse, loads_along_rows), false);
  if (!kernel) return std::nullopt;
  kernel->columns = static_cast<int>(columns);
  (is_inverse ? kernel->out : kernel->in) = {
      .point = 2 * columns, .column = 1, .count = extent * columns, .numbers = 2, .next = columns};
  return kernel;
}

std::optional<Kernel> Planner::kernel_of_frequencies(int frequencies, std::int64_t pitch,
                                                     const std::vector<int>& others, std::size_t dimension,
                                                     bool has_between) const {
  std::optional<Kernel> kernel = kernel_of_column_block(
      others[dimension], frequencies, layout_of_frequencies(frequencies, others, dimension), has_between);
  if (!kernel) return std::nullopt;
  kernel->rows = others.size() > 1 ? others[1 - dimension] : 1;
  kernel->in = kernel->out = layout_of_frequencies(pitch, others, dimension);
  kernel->in.is_workspace = kernel->out.is_workspace = true;
  return kernel;
}

Layout Planner::layout_of_frequencies(std::int64_t pitch, const std::vector<int>& others, std::size_t dimension) {
  std::int64_t point = pitch;
  for (std::size_t i = 0; i < dimension; ++i) point *= others[i];
  return {.is_workspace = false, .point = point, .column = 1, .row = dimension == 0 ? pitch * others[0] : pitch};
}

std::int64_t Planner::whole_sectors(std::int64_t points) const {
  const std::int64_t sector = kShortestRun / complex_bytes(precision_);
  return (points + sector - 1) / sector * sector;
}

}  // namespace graft::families::fft
