// Plans of real FFTs by halves: in one kernel, in two or three, and of several dimensions.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "families/fft/lengths.hpp"
#include "families/fft/planner.hpp"

namespace graft::families::fft {
namespace {

// What a block costs that is alone and stores conjugates, in place of kLonelyBlock: 2^22 numbers take 1.23 of cuFFT's
// time in 4096 rows, and 1.32 in 2048, whose kernels are alone (H200).
constexpr double kLonelyMirror = 1.2;
// Three kernels take 0.97, 0.94, 1.02 and 0.96 of cuFFT's time for 2^20, 2^21, 2^22 and 2^24 numbers forward, and two
// 0.92, 1.0, 1.24 and 1.15. Inverse, two take 0.72 to 0.87, and 1.5 to 2.5 from 2^25 on, where three take 0.79 (H200).
constexpr std::int64_t kShortestInThree = std::int64_t{1} << 21, kShortestInverseInThree = std::int64_t{1} << 25;
// Runs of conjugates are not aligned, and touch one sector more of memory and one line more of the cache: with runs of
// 128 bytes, 2^22 numbers take 1.19 of cuFFT's time, with 256 bytes 1.07, and with 512 bytes 1.02 (H200).
constexpr double kMirroredRun = 160;
constexpr int kRunOfSpectrum = 512;

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
  const std::vector<std::int64_t> factors =
      choices_.factors.empty() ? factors_of_long_real(is_inverse) : choices_.factors;
  if (factors.empty()) return std::nullopt;
  std::optional<Plan> plan = is_inverse ? make_long_real_inverse(factors) : make_long_real_forward(factors);
  if (!plan) return std::nullopt;
  for (Kernel& kernel : plan->kernels) finish(kernel);
  return in_cluster(*std::move(plan));
}

std::vector<std::int64_t> Planner::factors_of_long_real(bool is_inverse) const {
  Cheapest best;
  const auto consider = [&](const std::vector<std::int64_t>& factors) {
    best.consider(factors, long_real_cost(factors, is_inverse));
  };
  if (length_ >= (is_inverse ? kShortestInverseInThree : kShortestInThree))
    for (const std::int64_t first : factors_near(length_, 3))
      for (const std::int64_t second : factors_near(length_ / first, 2)) {
        // 2^22 numbers take 1.02 of cuFFT's time as 512 x 64 x 128, and 1.06 as 512 x 128 x 64 (H200).
        const std::int64_t last = length_ / first / second;
        if (second <= last) consider({first, second, last});
      }
  if (best.factors.empty())
    for (const std::int64_t first : factors_near(length_, 2)) consider({first, length_ / first});
  return best.factors;
}

double Planner::long_real_cost(const std::vector<std::int64_t>& factors, bool is_inverse) const {
  const std::int64_t rows = factors.front(), last = factors.back(), frequencies = rows / 2 + 1;
  if (rows % 2 != 0 || !is_good_length(rows / 2) || last > kMostPointsOfBlock) return kImpossible;
  if (factors.size() == 2) {
    // Runs in which a kernel loads may be short: what another block needs of a sector is then in the cache.
    const BlockRequest of_numbers = request_of_numbers(rows, length_ / rows, is_inverse, is_inverse);
    return cost_of_columns(of_numbers, is_inverse ? 1 : 0) +
           cost_of_columns(request_of_spectrum(factors, is_inverse), is_inverse ? 0.25 : 0.5, kLonelyMirror);
  }
  const std::optional<BlockChoice> choice = choose_block(request_of_spectrum(factors, is_inverse));
  if (!choice) return kImpossible;
  const std::int64_t ffts = choice->plan.ffts, computed = (frequencies + ffts - 1) / ffts * ffts;
  const double memory = kCostOfMemory * (1 + kMirroredRun / static_cast<double>(ffts * complex_bytes(precision_))),
               idle = static_cast<double>(computed) / static_cast<double>(frequencies);
  return cost_of_columns(request_of_numbers(rows, length_ / rows, is_inverse, false)) + split_cost(factors[1], false) +
         kernel_cost(choice->cost, memory) * idle;
}

BlockRequest Planner::request_of_spectrum(const std::vector<std::int64_t>& factors, bool is_inverse) const {
  BlockRequest request = split_request(factors.back(), factors.size() - 1, !is_inverse);
  if (factors.size() == 2) return request;
  if (is_inverse) request.later = Neighbours::Points;
  request.most_ffts = kRunOfSpectrum / complex_bytes(precision_);
  return request;
}

std::optional<Plan> Planner::make_long_real_forward(const std::vector<std::int64_t>& factors) const {
  const std::int64_t rows = factors.front(), last = factors.back(), columns = length_ / rows;
  std::optional<Kernel> of_numbers = kernel_of_numbers(rows, columns, false, false),
                        of_rows = kernel_of_columns(request_of_spectrum(factors, false), false);
  if (!of_numbers || !of_rows) return std::nullopt;
  of_numbers->out = {.is_workspace = true, .point = columns, .column = 1};
  of_numbers->block.turn.modulus = static_cast<int>(length_);
  of_rows->columns = static_cast<int>(rows / 2 + 1);
  of_rows->in = {.is_workspace = true, .column = columns, .row = last};
  of_rows->out = layout_of_long_spectrum(factors);
  Plan plan = {.length = length_, .precision = precision_, .kernels = {*of_numbers}};
  plan.between_kernels = (rows / 2 + 1) * columns;
  if (factors.size() == 3) {
    std::optional<Kernel> middle = kernel_of_middle(factors);
    if (!middle) return std::nullopt;
    middle->block.turn.modulus = static_cast<int>(columns);
    plan.kernels.push_back(*middle);
    of_rows->rows = static_cast<int>(factors[1]);
  }
  plan.kernels.push_back(*of_rows);
  return plan;
}

std::optional<Plan> Planner::make_long_real_inverse(const std::vector<std::int64_t>& factors) const {
  const std::int64_t rows = factors.front(), last = factors.back(), columns = length_ / rows,
                     frequencies = rows / 2 + 1;
  const bool has_three = factors.size() == 3;
  std::optional<Kernel> of_numbers = kernel_of_numbers(rows, columns, true, !has_three),
                        of_rows = kernel_of_columns(request_of_spectrum(factors, true), false);
  if (!of_numbers || !of_rows) return std::nullopt;
  of_rows->columns = static_cast<int>(frequencies);
  of_rows->in = layout_of_long_spectrum(factors);
  Plan plan = {.length = length_, .precision = precision_, .kernels = {}};
  graft_fft::Turn& turn = of_rows->block.turn;
  if (!has_three) {
    // In the workspace, the frequencies of a column are neighbours.
    const std::int64_t pitch = whole_sectors(frequencies);
    turn.modulus = static_cast<int>(length_);
    of_rows->out = {.is_workspace = true, .point = pitch, .column = 1};
    of_numbers->in = {.is_workspace = true, .column = pitch};
    plan.between_kernels = columns * pitch;
    plan.kernels = {*of_rows, *of_numbers};
    return plan;
  }
  std::optional<Kernel> middle = kernel_of_middle(factors);
  if (!middle) return std::nullopt;
  turn.modulus = static_cast<int>(columns);
  turn.is_by_row = true;
  of_rows->rows = static_cast<int>(factors[1]);
  of_rows->out = {.is_workspace = true, .column = columns, .row = last};
  graft_fft::Turn& of_middle = middle->block.turn;
  of_middle.modulus = static_cast<int>(length_);
  of_middle.is_by_row = of_middle.adds_column = true;
  of_middle.point = static_cast<int>(last);
  of_numbers->in = {.is_workspace = true, .point = columns, .column = 1};
  plan.between_kernels = frequencies * columns;
  plan.kernels = {*of_rows, *middle, *of_numbers};
  return plan;
}

std::optional<Kernel> Planner::kernel_of_middle(const std::vector<std::int64_t>& factors) const {
  const std::int64_t last = factors[2];
  std::optional<Kernel> kernel =
      kernel_of_column_block(static_cast<int>(factors[1]), last, {true, last, 1, factors[1] * last}, false);
  if (kernel) kernel->rows = static_cast<int>(factors[0] / 2 + 1);
  return kernel;
}

Layout Planner::layout_of_long_spectrum(const std::vector<std::int64_t>& factors) const {
  return {.point = length_ / factors.back(),
          .column = 1,
          .row = factors.front(),
          .count = length_ / 2 + 1,
          .mirror = {.extent = factors.front(), .last = length_}};
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
