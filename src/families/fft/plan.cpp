#include "families/fft/plan.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "families/fft/block_planner.hpp"
#include "families/fft/measured_plans.hpp"

namespace graft::families::fft {
namespace {

using graft_fft::Neighbours;

// Longer FFTs than this are not worth one kernel even where they fit: a block would need more than 1024 threads, or
// threads with more than 16 points.
constexpr std::int64_t kMostPointsOfBlock = 16384;

// What one kernel that reads and writes every point costs, in the unit of BlockChoice::cost, instructions for each
// point: in the time in which an H200 reads and writes 8 bytes each it can issue about 100 instructions.
constexpr double kCostOfMemory = 100;
// Memory transfers at least 32 bytes. Shorter runs waste a part of that, and runs of exactly 32 bytes are a little
// slower than longer ones.
constexpr int kShortestRun = 32;
// What a block costs that is alone on its multiprocessor, and leaves the memory idle while it waits at a barrier.
constexpr double kLonelyBlock = 1.1;

double memory_cost(std::int64_t run_bytes) {
  if (run_bytes >= kFastRun) return kCostOfMemory;
  if (run_bytes >= kShortestRun) return 1.1 * kCostOfMemory;
  return kCostOfMemory * kShortestRun / static_cast<double>(run_bytes);
}

// Computation and memory accesses of different warps overlap, but not completely.
double kernel_cost(double instructions, double memory) {
  return std::max(instructions, memory) + 0.3 * std::min(instructions, memory);
}

template <class T>
T choice_of(const std::vector<T>& choices, std::size_t kernel) {
  return kernel < choices.size() ? choices[kernel] : T{};
}

class Planner {
 public:
  Planner(std::int64_t length, Precision precision, Architecture architecture, const Choices& choices)
      : length_(length), precision_(precision), limits_(limits_of(architecture)), choices_(choices) {}

  // Returns nothing if the choices are impossible.
  std::optional<Plan> make() const {
    if (const std::optional<Kernel> kernel = one_kernel(false)) return Plan{length_, precision_, {*kernel}};
    const std::vector<std::int64_t> factors = choices_.factors.empty() ? best_factors() : choices_.factors;
    if (factors.size() < 2 || !is_split(factors)) return std::nullopt;
    Plan plan = {length_, precision_, {}};
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const std::optional<Kernel> of_factor = kernel(factors, i);
      if (!of_factor) return std::nullopt;
      plan.kernels.push_back(*of_factor);
    }
    return plan;
  }

  std::optional<Plan> make_with_inverse() const {
    if (const std::optional<Kernel> kernel = one_kernel(true)) return Plan{length_, precision_, {*kernel}};
    const std::vector<std::int64_t> factors = choices_.factors.empty() ? best_factors() : choices_.factors;
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

 private:
  // ---- one kernel ----

  std::optional<Kernel> one_kernel(bool has_inverse) const {
    if (length_ > kMostPointsOfBlock || choices_.factors.size() > 1) return std::nullopt;
    std::optional<Kernel> kernel = kernel_of(request_for(length_, 0), has_inverse);
    if (kernel) finish(*kernel);
    return kernel;
  }

  // A kernel of whole FFTs whose points follow each other.
  static std::optional<Kernel> kernel_of(BlockRequest request, bool has_inverse) {
    const bool always_splits = request.splits_complex;
    for (const bool splits : {false, true}) {
      request.splits_complex = splits || always_splits;
      std::optional<BlockChoice> choice = choose_block(request);
      if (!choice || (has_inverse && 2 * choice->plan.pass_count > graft_fft::kMostPasses)) continue;
      if (has_inverse) append_inverse(choice->plan);
      if (!complete(choice->plan, request)) continue;
      Kernel kernel;
      kernel.block = choice->plan;
      kernel.is_of_inverse = has_inverse;
      return kernel;
    }
    return std::nullopt;
  }

  BlockRequest request_for(std::int64_t length, std::size_t kernel) const {
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

  void finish(Kernel& kernel) const {
    graft_fft::Turn& turn = kernel.block.turn;
    if (turn.modulus > 0) {
      while (turn.low_count * turn.low_count < turn.modulus) turn.low_count *= 2;
      const std::int64_t column = std::int64_t{kernel.blocks_of_row()} * kernel.block.ffts - 1;  // the last
      const std::int64_t output = std::int64_t{kernel.block.length - 1} * turn.point + (turn.adds_column ? column : 0);
      turn.high_count = static_cast<int>((turn.is_by_row ? kernel.rows - 1 : column) * output / turn.low_count) + 1;
    }
    kernel.root_count = turn.roots + (turn.modulus > 0 ? turn.low_count + turn.high_count : 0);
    kernel.shared_bytes = shared_bytes(kernel.block, precision_);
  }

  // ---- several kernels ----

  bool is_split(const std::vector<std::int64_t>& factors) const {
    std::int64_t product = 1;
    for (const std::int64_t factor : factors) {
      if (factor < 2 || factor > kMostPointsOfBlock) return false;
      product *= factor;
    }
    return product == length_ && factors.size() <= 3;
  }

  // A kernel that works on neighbouring columns. The last kernel loads along the rows.
  BlockRequest split_request(std::int64_t length, std::size_t kernel, bool is_last) const {
    BlockRequest request = request_for(length, kernel);
    request.first = is_last ? Neighbours::Points : Neighbours::Ffts;
    request.later = Neighbours::Ffts;
    request.most_ffts = 128 / complex_bytes(precision_);
    return request;
  }

  double split_cost(std::int64_t length, bool is_last) const {
    const std::optional<BlockChoice> choice = choose_block(split_request(length, choices_.radices.size(), is_last));
    if (!choice) return 1e9;
    const std::int64_t run = std::int64_t{choice->plan.ffts} * complex_bytes(precision_);
    const bool is_lonely = choice->plan.block_threads() > 512 || run * length > limits_.shared_bytes_of_block / 2;
    return kernel_cost(choice->cost, memory_cost(run)) * (is_lonely ? kLonelyBlock : 1);
  }

  std::vector<std::int64_t> best_factors() const {
    std::vector<std::int64_t> best;
    double best_cost = 1e9;
    const auto consider = [&](const std::vector<std::int64_t>& factors) {
      double cost = 0;
      for (std::size_t i = 0; i < factors.size(); ++i) cost += split_cost(factors[i], i + 1 == factors.size());
      if (cost < best_cost) {
        best = factors;
        best_cost = cost;
      }
    };
    for (const std::int64_t first : factors_near(length_, 2)) consider({first, length_ / first});
    // Three kernels cost one more pass over memory, so they are for lengths whose halves do not fit well.
    if (best_cost > 2.6 * kCostOfMemory)
      for (const std::int64_t first : factors_near(length_, 3))
        for (const std::int64_t second : factors_near(length_ / first, 2))
          consider({first, second, length_ / first / second});
    return best;
  }

  // The divisors of `length` within a factor of 4 of its second or third root, or within 16 if there are none.
  static std::vector<std::int64_t> factors_near(std::int64_t length, int root) {
    std::vector<std::int64_t> found;
    for (std::int64_t range = 4; found.empty() && range <= 64; range *= 4)
      for (std::int64_t divisor = 2; divisor * 2 <= length && divisor <= kMostPointsOfBlock; ++divisor) {
        if (length % divisor != 0) continue;
        const auto power = [&](std::int64_t base) { return root == 2 ? base * base : base * base * base; };
        if (power(divisor * range) >= length && power(divisor) <= length * power(range)) found.push_back(divisor);
      }
    return found;
  }

  // The kernel between the columns of an FFT and those of its inverse.
  std::optional<Kernel> kernel_with_inverse(const std::vector<std::int64_t>& factors) const {
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

  std::optional<Kernel> kernel(const std::vector<std::int64_t>& factors, std::size_t number,
                               bool is_of_inverse = false) const {
    const bool is_first = number == 0, is_last = number + 1 == factors.size();
    BlockRequest request = split_request(factors[number], number, is_last);
    std::optional<BlockChoice> choice = choose_block(request);
    // Padding may not fit for so many columns.
    while (choice && !complete(choice->plan, request)) {
      if (request.ffts > 0 || request.splits_complex) return std::nullopt;
      if (choice->plan.ffts > 1) request.most_ffts = choice->plan.ffts / 2;
      else request.splits_complex = true;
      choice = choose_block(request);
    }
    if (!choice) return std::nullopt;
    Kernel kernel;
    kernel.block = choice->plan;
    place(kernel, factors, number);
    kernel.in.is_workspace = !is_first || is_of_inverse;
    kernel.out.is_workspace = is_of_inverse ? !is_first : !is_last;
    kernel.is_of_inverse = is_of_inverse;
    if (is_of_inverse) turn_inverse(kernel.block.turn, factors, number);
    finish(kernel);
    return kernel;
  }

  // The turn of an inverse's kernel in place of that of its FFT. The last kernel of the inverse has none.
  static void turn_inverse(graft_fft::Turn& turn, const std::vector<std::int64_t>& factors, std::size_t number) {
    turn.modulus = 0;
    if (number == 0) return;
    turn.modulus = static_cast<int>(factors[0] * factors[1] * factors[2]);
    turn.is_by_row = turn.adds_column = true;
    turn.point = static_cast<int>(factors[2]);
  }

  // Which FFTs a kernel has, and where their points lie. The points of the workspace are a matrix of n1 rows, whose
  // rows are, with three factors, in turn matrices of n2 rows. See the picture in the header.
  static void place(Kernel& kernel, const std::vector<std::int64_t>& factors, std::size_t number) {
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

  std::int64_t length_;
  Precision precision_;
  Limits limits_;
  const Choices& choices_;
};

// The plan of the table. Returns nothing if the table has none, or if this architecture cannot have it: a
// multiprocessor may have less shared memory or hold fewer threads than that on which the plan was measured.
std::optional<Plan> measured_plan(std::int64_t length, Precision precision, Architecture architecture) {
  const Choices* const choices = measured_choices(length, precision);
  if (choices == nullptr) return std::nullopt;
  std::optional<Plan> plan = Planner(length, precision, architecture, *choices).make();
  // With less shared memory, the planner may have made exchanges of another kind.
  return plan && choices_of(*plan) == *choices ? plan : std::nullopt;
}

std::string describe(const Kernel& kernel) {
  const graft_fft::BlockPlan& block = kernel.block;
  std::string radices, pads;
  for (int i = 0; i < block.pass_count; ++i) {
    if (i > 0) radices += i == block.inverse_begin ? ", inverse " : "x";
    radices += std::to_string(block.passes[i].radix);
  }
  for (int i = 0; i <= block.pass_count; ++i) {
    const graft_fft::Places& places = block.exchanges[i];
    if (block.has_exchange(i)) pads += places.extra == 0 ? " -" : base::format(" {}/{}", places.extra, places.period);
  }
  std::string text =
      base::format("{}, {} thread{} x {} FFT{}, {} points per thread", radices, block.threads,
                   block.threads == 1 ? "" : "s", block.ffts, block.ffts == 1 ? "" : "s", block.points_of_thread());
  if (block.resident_blocks > 0)
    base::append(text, ", {} block{} per multiprocessor", block.resident_blocks, block.resident_blocks == 1 ? "" : "s");
  if (block.stages_inputs) text += ", staged";
  if (kernel.is_of_inverse && block.inverse_begin == 0) text += ", of the inverse";
  if (block.splits_complex) text += ", real and imaginary parts apart";
  if (!pads.empty()) {
    constexpr const char* kBarriers[] = {"warp", "FFT", "block"};
    base::append(text, ", waits for the {}, pads{}, {} bytes shared", kBarriers[static_cast<int>(block.barrier)], pads,
                 kernel.shared_bytes);
  }
  return text;
}

}  // namespace

Limits limits_of(Architecture architecture) {
  // Shared memory is from the table of compute capabilities in the CUDA C++ programming guide. The other two are the
  // largest numbers that ptxas 13.0 accepts without a warning. Architectures that are newer than the table get the
  // least that those since sm_80 have.
  switch (architecture.number) {
    case 75:
      return {64 * 1024, 1024, 16};
    case 80:
      return {163 * 1024, 2048, 32};
    case 87:
      return {163 * 1024, 1536, 16};
    case 89:
    case 120:
    case 121:
      return {99 * 1024, 1536, 24};
    case 90:
    case 100:
    case 103:
      return {227 * 1024, 2048, 32};
    case 101:
    case 110:
      return {227 * 1024, 1536, 24};
    default:
      return {99 * 1024, 1536, 16};
  }
}

Plan make_plan(std::int64_t length, Precision precision, Architecture architecture, const Choices& choices) {
  if (choices == Choices{})
    if (std::optional<Plan> plan = measured_plan(length, precision, architecture)) return *std::move(plan);
  return estimated_plan(length, precision, architecture, choices);
}

Plan estimated_plan(std::int64_t length, Precision precision, Architecture architecture, const Choices& choices) {
  std::optional<Plan> plan = Planner(length, precision, architecture, choices).make();
  if (!plan)
    refuse(base::format("no plan of an FFT of {} points has the choices that were made for it", length),
           "Leave choices to the planner, or choose others.");
  return *std::move(plan);
}

std::optional<Plan> make_plan_with_inverse(std::int64_t length, Precision precision, Architecture architecture,
                                           const Choices& choices) {
  return Planner(length, precision, architecture, choices).make_with_inverse();
}

Choices choices_of(const Plan& plan) {
  Choices choices;
  for (const Kernel& kernel : plan.kernels) {
    const graft_fft::BlockPlan& block = kernel.block;
    // Such a kernel is an earlier one with another turn.
    if (kernel.is_of_inverse && block.inverse_begin == 0) break;
    if (plan.has_workspace()) choices.factors.push_back(block.length);
    // An inverse has the radices of its FFT in reverse order, so they are no choice.
    const int passes = block.inverse_begin > 0 ? block.inverse_begin : block.pass_count;
    std::vector<int>& radices = choices.radices.emplace_back();
    for (int i = 0; i < passes; ++i) radices.push_back(block.passes[i].radix);
    choices.threads.push_back(block.threads);
    choices.ffts.push_back(block.ffts);
    choices.resident_blocks.push_back(block.resident_blocks);
    choices.splits_complex = choices.splits_complex || block.splits_complex;
  }
  if (std::ranges::count(choices.resident_blocks, 0) == std::ssize(choices.resident_blocks))
    choices.resident_blocks.clear();
  return choices;
}

std::string describe(const Plan& plan) {
  std::string text = base::format("{} points, {}:", plan.length, name_of(plan.precision));
  for (const Kernel& kernel : plan.kernels)
    text += plan.kernels.size() == 1 ? " " + describe(kernel) : "\n  " + describe(kernel);
  return text;
}

}  // namespace graft::families::fft
