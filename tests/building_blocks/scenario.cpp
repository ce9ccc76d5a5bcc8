// Runs the building block on the CPU (block_on_host.hpp) and the reference (reference.hpp) on the same random inputs,
// and compares all arrays byte by byte. Outputs start with a fixed pattern, so that a missing write shows too.
#include "scenario.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>

#include "exact_array.hpp"
#include "families/elementwise/arguments.hpp"
#include "families/elementwise/launch_geometry.hpp"
#include "graft/report.hpp"

namespace blocks {
namespace {

// Returns random bytes with values from 0 to 100. In every element type, such bytes form a finite number that is small
// enough to add without overflow.
std::vector<std::byte> random_bytes(std::size_t bytes, unsigned seed) {
  std::minstd_rand generator(seed);
  std::vector<std::byte> all(bytes);
  for (std::byte& byte : all) byte = static_cast<std::byte>(generator() % 101);
  return all;
}

// Holds the arrays of one run, the contents that are expected after the run, and the arguments of the launch.
class Run {
 public:
  explicit Run(const Scenario& scenario) : scenario_(scenario), signature_(scenario.subject->signature) {
    const std::size_t inputs = signature_.inputs().size();
    for (std::size_t i = 0; i < inputs + signature_.outputs().size(); ++i) add(i, i < inputs);
    if (signature_.state()) state_ = random_bytes(signature_.state()->size, scenario.seed);
  }

  void block() {
    alignas(graft::families::kParameterAlignment) std::byte parameter[graft::families::kMostParameterBytes];
    const graft::elementwise::LaunchGeometry geometry = geometry_of();
    const graft::families::Arguments arguments = arguments_of();
    if (graft::elementwise::check(geometry, arguments) == 0) return;
    const unsigned blocks =
        graft::elementwise::lay_out_arguments(geometry, arguments, arguments.outputs[0].count, parameter).blocks;
    run_grid(*scenario_.subject, scenario_.policy, reinterpret_cast<const graft_launch*>(parameter), blocks,
             scenario_.order);
  }

  void reference() {
    std::vector<const std::byte*> inputs;
    std::vector<std::byte*> outputs;
    for (const auto& bytes : before_) inputs.push_back(bytes.data());
    for (std::size_t k = 0; k < signature_.outputs().size(); ++k) outputs.push_back(expected_[of_output(k)].data());
    for (unsigned long long i = 0; i < scenario_.count; ++i)
      scenario_.subject->reference(inputs.data(), outputs.data(), i, state_.data());
  }

  std::string compare() {
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      if (arrays_[i].copy() != expected_[i]) return fmt::format("array {} differs: {}", i, first_difference(i));
      if (!arrays_[i].front_is_intact()) return fmt::format("array {}: written in front of its first element", i);
    }
    return {};
  }

 private:
  const graft::ElementType& type_of(std::size_t array) const {
    const std::size_t inputs = signature_.inputs().size();
    return array < inputs ? signature_.inputs()[array] : signature_.outputs()[array - inputs];
  }

  // Returns the index of the input that shares its memory with the first output, or the number of inputs if no input
  // does.
  std::size_t replaced_input() const {
    std::size_t k = 0;
    while (k < signature_.inputs().size() && (!scenario_.in_place || type_of(k).size != signature_.outputs()[0].size))
      ++k;
    return k;
  }

  // Returns the index in `arrays_` of the memory of the given output.
  std::size_t of_output(std::size_t output) const {
    const std::size_t inputs = signature_.inputs().size();
    const std::size_t replaced = replaced_input();
    if (replaced == inputs) return inputs + output;
    return output == 0 ? replaced : inputs + output - 1;
  }

  void add(std::size_t i, bool is_input) {
    if (!is_input && of_output(i - signature_.inputs().size()) < arrays_.size()) return;
    const std::size_t bytes = scenario_.count * type_of(i).size;
    ExactArray& array = arrays_.emplace_back(bytes, scenario_.offsets.at(i));
    array.fill(std::byte{0xee});
    if (is_input) array.assign(before_.emplace_back(random_bytes(bytes, scenario_.seed + static_cast<unsigned>(i))));
    expected_.push_back(array.copy());
  }

  graft::elementwise::LaunchGeometry geometry_of() const {
    graft::Report report;
    report.kernel.name = scenario_.subject->name;
    report.kernel.signature = signature_;
    report.kernel.tuning.set("vector_width", scenario_.policy.vector_width);
    report.kernel.tuning.set("vectors_per_thread", scenario_.policy.vectors_per_thread);
    report.kernel.tuning.set("block_threads", static_cast<int>(scenario_.policy.threads));
    if (scenario_.policy.body == GRAFT_BODY_ROLLED) {
      report.kernel.tuning.set("body", static_cast<int>(graft::Body::Rolled));
      report.kernel.tuning.set("vectors_per_thread", 1);
    }
    return graft::elementwise::make_geometry(report.kernel);
  }

  graft::families::Arguments arguments_of() {
    auto described = [&](std::size_t place, const graft::ElementType& type) {
      return graft::ArrayRef{arrays_[place].data(), scenario_.count, type};
    };
    for (std::size_t k = 0; k < signature_.inputs().size(); ++k)
      inputs_.push_back(described(k, signature_.inputs()[k]));
    for (std::size_t k = 0; k < signature_.outputs().size(); ++k)
      outputs_.push_back(described(of_output(k), signature_.outputs()[k]));
    return {inputs_, outputs_, state_.empty() ? nullptr : state_.data(),
            signature_.state().value_or(graft::ElementType{})};
  }

  std::string first_difference(std::size_t i) const {
    const std::vector<std::byte> found = arrays_[i].copy();
    const auto [at, wanted] = std::mismatch(found.begin(), found.end(), expected_[i].begin());
    return fmt::format("byte {} is {:#04x}, not {:#04x}", at - found.begin(), static_cast<int>(*at),
                       static_cast<int>(*wanted));
  }

  const Scenario& scenario_;
  const graft::Signature& signature_;
  std::vector<ExactArray> arrays_;                // the inputs, then the outputs that do not share an input's memory
  std::vector<std::vector<std::byte>> before_;    // the inputs' bytes before the run
  std::vector<std::vector<std::byte>> expected_;  // the expected bytes of each array after the run
  std::vector<std::byte> state_;
  std::vector<graft::ArrayRef> inputs_;
  std::vector<graft::ArrayRef> outputs_;
};

}  // namespace

std::string to_text(const Scenario& scenario) {
  return fmt::format("{}: width {}, vectors {}, {} threads, body {}, {} elements, offsets [{}]{}{}, seed {}",
                     scenario.subject->name, scenario.policy.vector_width, scenario.policy.vectors_per_thread,
                     scenario.policy.threads, scenario.policy.body == GRAFT_BODY_VECTOR ? "vector" : "rolled",
                     scenario.count, fmt::join(scenario.offsets, ", "), scenario.in_place ? ", in place" : "",
                     scenario.order == Order::Backwards ? ", backwards" : "", scenario.seed);
}

std::size_t tile_of(const Policy& policy) {
  return std::size_t{policy.threads} * static_cast<std::size_t>(policy.vector_width * policy.vectors_per_thread);
}

std::vector<std::size_t> alike(const Subject& subject, std::size_t elements) {
  std::vector<std::size_t> offsets;
  for (const graft::ElementType& type : subject.signature.inputs()) offsets.push_back(elements * type.size);
  for (const graft::ElementType& type : subject.signature.outputs()) offsets.push_back(elements * type.size);
  return offsets;
}

std::string difference(const Scenario& scenario) {
  Run run(scenario);
  run.block();
  run.reference();
  return run.compare();
}

}  // namespace blocks
