// Measures the time of create in a new process, compared with the least time that any linker of callbacks needs (the
// floor, floor.cpp). Runs the programs bench_create_once and bench_floor in turn and compares their medians. Both
// programs must be in this program's folder. They alternate in going first.
//
// The caches of the driver, the linker and graft are off, so that nothing from an earlier run can help. The first pair
// of runs brings the libraries into the page cache and is not counted.
//
//     bench_create_cold [--no-gpu] [--samples N] [--out FILE] [--commit ID]
//
// With --no-gpu, for machines without a GPU, both programs stop at the image for sm_90 and do not load it.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "flags.hpp"
#include "main.hpp"
#include "processes.hpp"
#include "record.hpp"
#include "spread.hpp"

namespace graft::bench {
namespace {

namespace fs = std::filesystem;

// "cold" is the first create of a process. "warm" is a later create in the same process.
const char* const kStates[] = {"cold", "warm"};
constexpr double kGoals[] = {1.25, 1.55};  // upper limits of graft's time / floor's time: cold, warm

// The milliseconds of each step, by the step's name ("link", ..., "total").
using Samples = std::map<std::string, std::vector<double>>;

struct Program {
  std::string command;
  std::map<std::string, Samples> states = {};
};

void sample(Program& program, bool counts) {
  const nlohmann::json times = nlohmann::json::parse(output_of(program.command));
  if (!counts) return;
  for (const char* state : kStates)
    for (const auto& [step, milliseconds] : times.at(state).items())
      program.states[state][step].push_back(milliseconds.get<double>());
}

nlohmann::json summary_of(const Program& program) {
  nlohmann::json result;
  for (const auto& [state, steps] : program.states)
    for (const auto& [step, samples] : steps) {
      result[state][step] = spread(samples, "ms");
      result[state][step]["samples_ms"] = samples;
    }
  return result;
}

double total(const nlohmann::json& summary, const char* state) {
  return summary.at(state).at("total").at("median_ms");
}

void print(const std::string& name, const nlohmann::json& summary) {
  for (const char* state : kStates)
    for (const auto& [step, times] : summary.at(state).items())
      fmt::print("{:<18}{:<6}{:<16}{:>9.2f}{:>9.2f}{:>9.2f}\n", name, state, step, times.at("median_ms").get<double>(),
                 times.at("min_ms").get<double>(), times.at("max_ms").get<double>());
}

void run(const Arguments& arguments, bool no_gpu) {
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  setenv("GRAFT_CACHE", "off", 1);
  const fs::path folder = fs::absolute(arguments.program).parent_path();
  const auto command = [&](const char* name) {
    return fmt::format("'{}'{}", (folder / name).string(), no_gpu ? " --no-gpu" : "");
  };
  Program graft{command("bench_create_once")}, floor{command("bench_floor")};
  for (int i = -1; i < arguments.samples; ++i) {
    Program* const pair[] = {&graft, &floor};
    for (const int turn : {0, 1}) sample(*pair[(i + 1 + turn) % 2], i >= 0);
  }
  const nlohmann::json graft_times = summary_of(graft), floor_times = summary_of(floor);
  fmt::print("{:<18}{:<6}{:<16}{:>9}{:>9}{:>9}   ms, {} processes each\n", "program", "state", "step", "median", "min",
             "max", arguments.samples);
  print("graft", graft_times);
  print("floor", floor_times);
  nlohmann::json record = no_gpu ? host_environment(arguments) : environment(arguments);
  record["benchmark"] = "create_cold";
  record["why_ignored"] = no_gpu ? nlohmann::json{"load"} : nlohmann::json::array();
  record["graft"] = graft_times;
  record["floor"] = floor_times;
  for (const int i : {0, 1}) {
    const char* const state = kStates[i];
    const double ratio = total(graft_times, state) / total(floor_times, state);
    record["ratio"][state] = ratio;
    record["goal"][state] = kGoals[i];
    record["met"][state] = ratio <= kGoals[i];
    fmt::print("{}: graft / floor = {:.2f}, goal at most {}: {}\n", state, ratio, kGoals[i],
               ratio <= kGoals[i] ? "met" : "NOT met");
  }
  write_record(arguments, record);
}

}  // namespace

int run(int argc, char** argv) {
  const bool no_gpu = take_flag(argc, argv, "--no-gpu");
  Arguments arguments = parse_arguments(argc, argv, "create_cold", 21);
  if (no_gpu) arguments.command_line += " --no-gpu";
  run(arguments, no_gpu);
  return 0;
}

}  // namespace graft::bench
