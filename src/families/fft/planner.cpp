// Plans of a length: one kernel, or several for the factors of the length.
#include "families/fft/planner.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace graft::families::fft {
namespace {

// The longest run of neighbouring columns that a block works on, in bytes: the length of a line of the cache. Longer
// runs are no faster than kFastRun, and each column more takes shared memory from a second block.
constexpr int kLongestRun = 128;

// How many points a block of columns has at least, where there are so many.
constexpr int kPointsOfColumns = 2048;

double memory_cost(std::int64_t run_bytes) {
  if (run_bytes >= kFastRun) return kCostOfMemory;
  if (run_bytes >= kShortestRun) return 1.1 * kCostOfMemory;
  return kCostOfMemory * kShortestRun / static_cast<double>(run_bytes);
}

template <class T>
T choice_of(const std::vector<T>& choices, std::size_t kernel) {
  return kernel < choices.size() ? choices[kernel] : T{};
}

}  // namespace

std::optional<Plan> Planner::make() const {
  if (const std::optional<Kernel> kernel = one_kernel(false)) return Plan{length_, precision_, {*kernel}};
  const std::vector<std::int64_t> factors = factors_of_kernels();
  if (factors.size() < 2 || !is_split(factors)) return std::nullopt;
  Plan plan = {length_, precision_, {}};
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const std::optional<Kernel> of_factor = kernel(factors, i);
    if (!of_factor) return std::nullopt;
    plan.kernels.push_back(*of_factor);
  }
  return choices_ == Choices{} ? in_cluster(std::move(plan)) : plan;
}

std::optional<Plan> Planner::make_with_inverse() const {
  if (const std::optional<Kernel> kernel = one_kernel(true)) return Plan{length_, precision_, {*kernel}};
  const std::vector<std::int64_t> factors = factors_of_kernels();
  if (factors.size() < 2 || !is_split(factors)) return std::nullopt;
  const std::size_t last = factors.size() - 1;
  std::vector<std::optional<Kernel>> kernels;
  for (std::size_t i = 0; i < last; ++i) kernels.push_back(kernel(factors, i));
  kernels.push_back(kernel_with_inverse(factors));
  for (std::size_t i = last; i-- > 0;) kernels.push_back(kernel(factors, i, true));
  Plan plan = {length_, precision_, {}};
  for (const std::optional<Kernel>& kernel : kernels) {
    if (!kernel) return std::nullopt;
    plan.kernels.push_back(*kernel);
  }
  return plan;
}

// Radices without factors are those of one kernel.
std::vector<std::int64_t> Planner::factors_of_kernels() const {
  return choices_.factors.empty() && choices_.radices.empty() ? best_factors() : choices_.factors;
}

std::optional<Kernel> Planner::one_kernel(bool has_inverse) const {
  if (length_ > kMostPointsOfBlock || choices_.factors.size() > 1) return std::nullopt;
  std::optional<Kernel> kernel = kernel_of(request_for(length_, 0), has_inverse);
  if (kernel) finish(*kernel);
  return kernel;
}

std::optional<Kernel> Planner::kernel_of(const BlockRequest& request, bool has_inverse) const {
  return neighbours_ == Neighbours::Points ? kernel_of_rows(request, has_inverse)
                                           : kernel_of_batches(request, has_inverse);
}

std::optional<Kernel> Planner::kernel_of_rows(BlockRequest request, bool has_inverse) {
  const bool always_splits = request.splits_complex;
  for (const bool looks_further : {false, true})
    for (const bool splits : {false, true}) {
      request.looks_further = looks_further;
      request.splits_complex = splits || always_splits;
      std::optional<BlockChoice> choice = choose_block(request);
      if (!choice || (has_inverse && 2 * choice->plan.pass_count > graft_fft::kMostPasses)) continue;
      if (has_inverse) append_inverse(choice->plan);
      if (request.stores_half || request.loads_half) append_half(choice->plan, request);
      if (!complete(choice->plan, request)) continue;
      Kernel kernel;
      kernel.block = choice->plan;
      kernel.is_of_inverse = has_inverse;
      return kernel;
    }
  return std::nullopt;
}

std::optional<Kernel> Planner::kernel_of_batches(BlockRequest request, bool has_inverse) const {
  request.first = request.later = Neighbours::Ffts;
  request.most_ffts = most_columns(request.length);
  for (const bool looks_further : {false, true}) {
    request.looks_further = looks_further;
    std::optional<Kernel> kernel = kernel_of_columns(request, has_inverse);
    if (kernel && kernel->block.ffts * complex_bytes(precision_) >= kShortestRun) return kernel;
  }
  return std::nullopt;
}

BlockRequest Planner::request_for(std::int64_t length, std::size_t kernel) const {
  BlockRequest request;
  request.length = static_cast<int>(length);
  request.precision = precision_;
  request.limits = limits_;
  request.radices = choice_of(choices_.radices, kernel);
  request.threads = choice_of(choices_.threads, kernel);
  request.ffts = choice_of(choices_.ffts, kernel);
  request.resident_blocks = choice_of(choices_.resident_blocks, kernel);
  request.splits_complex = choices_.splits_complex;
  return request;
}

void Planner::finish(Kernel& kernel) const {
  graft_fft::Turn& turn = kernel.block.turn;
  if (turn.modulus > 0) {
    while (turn.low_count * turn.low_count < turn.modulus) turn.low_count *= 2;
    const std::int64_t column = std::int64_t{kernel.blocks_of_row()} * kernel.block.ffts - 1;  // the last
    const std::int64_t output =
        std::int64_t{kernel.block.stored_points() - 1} * turn.point + (turn.adds_column ? column : 0);
    const std::int64_t factor = turn.is_by_row ? kernel.rows - 1 : column / turn.of_each;
    turn.high_count = static_cast<int>(factor * output / turn.low_count) + 1;
  }
  kernel.root_count = turn.roots + (turn.modulus > 0 ? turn.low_count + turn.high_count : 0);
  if (kernel.chirp.points > 0) {
    kernel.chirp.roots = kernel.root_count;
    kernel.chirp.spectrum = kernel.root_count + static_cast<int>(kernel.chirp.points);
    kernel.root_count += static_cast<int>(kernel.chirp.points + kernel.chirp.length);
  }
  kernel.shared_bytes = shared_bytes(kernel.block, precision_);
}

bool Planner::is_split(const std::vector<std::int64_t>& factors) const {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    if (factor < 2 || factor > kMostPointsOfBlock) return false;
    product *= factor;
  }
  return product == length_ && factors.size() <= 3;
}

BlockRequest Planner::split_request(std::int64_t length, std::size_t kernel, bool is_last) const {
  BlockRequest request = request_for(length, kernel);
  request.first = is_last ? Neighbours::Points : Neighbours::Ffts;
  request.later = Neighbours::Ffts;
  request.most_ffts = kLongestRun / complex_bytes(precision_);
  return request;
}

int Planner::most_columns(std::int64_t length) const {
  int columns = kLongestRun / complex_bytes(precision_);
  while (columns * length < kPointsOfColumns) columns *= 2;
  return columns;
}

int Planner::within(std::int64_t columns, int most) {
  while (most / 2 >= columns) most /= 2;
  return most;
}

std::optional<Kernel> Planner::kernel_of_columns(BlockRequest request, bool has_inverse) {
  for (;;) {
    std::optional<BlockChoice> choice = choose_block(request);
    if (choice && has_inverse) {
      if (2 * choice->plan.pass_count > graft_fft::kMostPasses) return std::nullopt;
      append_inverse(choice->plan);
    }
    if (choice && (request.stores_half || request.loads_half)) append_half(choice->plan, request);
    if (choice && complete(choice->plan, request)) {
      Kernel kernel;
      kernel.block = choice->plan;
      kernel.is_of_inverse = has_inverse;
      return kernel;
    }
    if (request.ffts > 0 || request.splits_complex) return std::nullopt;
    if (choice && choice->plan.ffts > 1) request.most_ffts = choice->plan.ffts / 2;
    else request.splits_complex = true;
  }
}

std::optional<Kernel> Planner::kernel_looking_further(BlockRequest request, bool has_inverse) {
  std::optional<Kernel> kernel = kernel_of_columns(request, has_inverse);
  if (kernel) return kernel;
  request.looks_further = true;
  return kernel_of_columns(request, has_inverse);
}

double Planner::split_cost(std::int64_t length, bool is_last) const {
  return cost_of_columns(split_request(length, choices_.radices.size(), is_last));
}

double Planner::cost_of_columns(const BlockRequest& request, double of_shorter, double lonely) const {
  const std::optional<BlockChoice> choice = choose_block(request);
  if (!choice) return kImpossible;
  const std::int64_t run = std::int64_t{choice->plan.ffts} * complex_bytes(precision_);
  const bool is_lonely = choice->plan.block_threads() > 512 || run * request.length > limits_.shared_bytes_of_block / 2;
  const double memory = memory_cost(run) * (1 - of_shorter) + memory_cost(run / 2) * of_shorter;
  return kernel_cost(choice->cost, memory) * (is_lonely ? lonely : 1);
}

std::vector<std::int64_t> Planner::best_factors() const {
  Cheapest best;
  const auto consider = [&](const std::vector<std::int64_t>& factors) {
    double cost = 0;
    for (std::size_t i = 0; i < factors.size(); ++i) cost += split_cost(factors[i], i + 1 == factors.size());
    best.consider(factors, cost);
  };
  for (const std::int64_t first : factors_near(length_, 2)) consider({first, length_ / first});
  // Three kernels cost one more pass over memory, so they are for lengths whose halves do not fit well.
  if (best.cost > 2.6 * kCostOfMemory)
    for (const std::int64_t first : factors_near(length_, 3))
      for (const std::int64_t second : factors_near(length_ / first, 2))
        consider({first, second, length_ / first / second});
  return best.factors;
}

std::vector<std::int64_t> Planner::factors_near(std::int64_t length, int root) {
  std::vector<std::int64_t> found;
  for (std::int64_t range = 4; found.empty() && range <= 64; range *= 4)
    for (std::int64_t divisor = 2; divisor * 2 <= length && divisor <= kMostPointsOfBlock; ++divisor) {
      if (length % divisor != 0) continue;
      const auto power = [&](std::int64_t base) { return root == 2 ? base * base : base * base * base; };
      if (power(divisor * range) >= length && power(divisor) <= length * power(range)) found.push_back(divisor);
    }
  return found;
}

std::optional<Kernel> Planner::kernel(const std::vector<std::int64_t>& factors, std::size_t number,
                                      bool is_of_inverse) const {
  const bool is_first = number == 0, is_last = number + 1 == factors.size();
  std::optional<Kernel> made = kernel_of_columns(split_request(factors[number], number, is_last), false);
  if (!made) return std::nullopt;
  Kernel& kernel = *made;
  place(kernel, factors, number);
  kernel.in.is_workspace = !is_first || is_of_inverse;
  kernel.out.is_workspace = is_of_inverse ? !is_first : !is_last;
  kernel.is_of_inverse = is_of_inverse;
  if (is_of_inverse) turn_inverse(kernel.block.turn, factors, number);
  finish(kernel);
  return made;
}

std::optional<Kernel> Planner::kernel_with_inverse(const std::vector<std::int64_t>& factors) const {
  const std::size_t last = factors.size() - 1;
  std::optional<Kernel> kernel = kernel_of(request_for(factors[last], last), true);
  if (!kernel) return std::nullopt;
  place(*kernel, factors, last);
  kernel->frequency = std::exchange(kernel->out, kernel->in);
  kernel->block.turn.modulus = static_cast<int>(factors[last - 1] * factors[last]);
  kernel->block.turn.is_by_row = last == 2;
  finish(*kernel);
  return kernel;
}

void Planner::turn_inverse(graft_fft::Turn& turn, const std::vector<std::int64_t>& factors, std::size_t number) {
  turn.modulus = 0;
  if (number == 0) return;
  turn.modulus = static_cast<int>(factors[0] * factors[1] * factors[2]);
  turn.is_by_row = turn.adds_column = true;
  turn.point = static_cast<int>(factors[2]);
}

void Planner::place(Kernel& kernel, const std::vector<std::int64_t>& factors, std::size_t number) {
  const auto n = [&](std::size_t i) { return i < factors.size() ? factors[i] : 1; };
  const std::int64_t of_row = n(1) * n(2);
  const std::size_t last = factors.size() - 1;
  if (number == last) {
    kernel.columns = static_cast<int>(n(0));
    kernel.rows = last == 1 ? 1 : static_cast<int>(n(1));
    kernel.in = {true, 1, of_row, n(2)};
    kernel.out = {false, last == 1 ? n(0) : n(0) * n(1), 1, n(0)};
    return;
  }
  const std::int64_t columns = number == 0 ? of_row : n(2);
  kernel.columns = static_cast<int>(columns);
  kernel.rows = number == 0 ? 1 : static_cast<int>(n(0));
  kernel.in = kernel.out = {true, columns, 1, of_row};
  kernel.block.turn.modulus = static_cast<int>(n(number) * columns);
}

}  // namespace graft::families::fft
