// Measures how fast graft moves data, for each operation, element type, count and alignment, compared with a
// hand-written kernel, CUB, Thrust and cudaMemcpyAsync.
//
// A cell is one combination of operation, element type, count and alignment. Four rules make the comparison fair:
//
//   - All contenders of a cell use the same random data and are timed in one process in random order.
//   - Each launch of a batch uses another part of the memory, so that nothing comes from the L2 cache (arena.hpp).
//   - The GPU waits until a batch is queued, so that no host call is timed (hold.hpp).
//   - Before the timing, every element of every result is compared with a reference in double precision
//     (reference.hpp). A wrong result is recorded, and the program then exits with status 1.
#include <fmt/format.h>

#include <chrono>

#include "../main.hpp"
#include "cross_check.hpp"
#include "goals.hpp"
#include "measure.hpp"
#include "peers.hpp"
#include "report.hpp"

namespace graft::bench {
namespace {

constexpr std::size_t kCrossChecked = std::size_t{1} << 20;

std::string record_name() {
  return cccl_is_the_toolkits() ? "throughput" : "throughput_cccl";
}

class Run {
 public:
  explicit Run(const ThroughputOptions& options) : options_(options) {}

  // Returns true if everything was measured and every result was right.
  bool measure_all() {
    try {
      print_header();
      const Operation* current = nullptr;
      for (const Group& group : choose_groups(options_, arena_.largest_array())) {
        if (group.operation != current) begin(*(current = group.operation));
        results_.push_back(measure(group, contenders_, arena_, sampler_, stream_.get(), options_.arguments.samples));
        print(results_.back());
        add_cells(cells_, results_.back());
        for (const std::string& failure : failures(results_.back())) failures_.push_back(failure);
      }
    } catch (const std::exception& error) {  // earlier measurements are recorded nevertheless
      fmt::print("FAILED {}\n", error.what());
      failures_.push_back(error.what());
    }
    return failures_.empty();
  }

  void write() {
    const nlohmann::json means = geometric_means(results_);
    const nlohmann::json goals = judge(results_, arena_.largest_array(), cccl_is_the_toolkits());
    print_goals(means, goals);
    nlohmann::json record = environment_;
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    record["benchmark"] = record_name();
    record["cccl"] = cccl_version();
    record["repetitions"] = options_.arguments.samples;
    record["largest_array_bytes"] = arena_.largest_array();
    record["seconds"] = rounded(elapsed.count());
    if (options_.policy) record["policy"] = options_.policy_text;
    record["tools"] = tools_;
    record["operations"] = operations_;
    record["cells"] = cells_;
    record["geometric_means"] = means;
    record["goals"] = goals;
    record["failures"] = failures_;
    fmt::print("{} cells in {:.0f} s\n", cells_.size(), elapsed.count());
    write_in_rows(options_.arguments, record);
  }

 private:
  // Makes the operation's contenders and data, and checks the operation's reference.
  void begin(const Operation& operation) {
    nlohmann::json about = {{"operation", operation.name}, {"type", operation.type}, {"source", operation.source}};
    contenders_ = contenders_of(operation, options_, about);
    if (tools_.empty()) note_tools(operation);
    arena_.fill(stream_.get(), operation);
    const Launch launch = arena_.next(operation, kCrossChecked, Alignment::Aligned);
    const CrossCheck check = cross_check(stream_.get(), operation, launch);
    about["cross_check"] = {{"values", check.values}, {"unlike", check.unlike}, {"worst", check.worst}};
    operations_.push_back(about);
    if (check.unlike != 0)
      failures_.push_back(fmt::format("{}: {} of {} references differ from Eigen's, by {} at most", operation.callback,
                                      check.unlike, check.values, check.worst));
  }

  void note_tools(const Operation& operation) {
    try {
      for (const ToolVersion& tool : Transform::create(operation.source).report().versions)
        tools_[tool.tool] = tool.version;
    } catch (const std::exception&) {  // the contender records the reason
    }
  }

  const ThroughputOptions& options_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  // The environment is read before the measurements, because a GPU that has failed cannot be queried.
  nlohmann::json environment_ = environment(options_.arguments);
  Stream stream_ = make_stream();
  Sampler sampler_{stream_.get()};
  Arena arena_;
  std::vector<Contender> contenders_;
  std::vector<GroupResult> results_;
  nlohmann::json tools_ = nlohmann::json::object();
  nlohmann::json operations_ = nlohmann::json::array();
  nlohmann::json cells_ = nlohmann::json::array();
  std::vector<std::string> failures_;
};

int run(const ThroughputOptions& options) {
  if (options.list) {
    for (const Group& group : choose_groups(options, kMaxArrayBytes)) fmt::print("{}\n", group.name());
    return 0;
  }
  Run run(options);
  const bool all_right = run.measure_all();
  run.write();
  return all_right ? 0 : 1;
}

}  // namespace

int run(int argc, char** argv) {
  return run(parse_throughput_options(argc, argv, record_name()));
}

}  // namespace graft::bench
