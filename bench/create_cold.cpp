// How long create takes in a new process, beside the floor: runs bench_create_once and bench_floor, which lie in this
// program's folder, in turn, and compares medians. Which of the two goes first changes with every pair.
//
// Cold means that nothing made before can help: the driver's and the linker's caches are off, and graft's own is. The
// libraries themselves are in the page cache after a first pair, which is not counted.
#include <fmt/format.h>
#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "record.hpp"
#include "statistics.hpp"

namespace graft::bench {
namespace {

namespace fs = std::filesystem;

constexpr double kGoal = 2.0;
const char* const kStates[] = {"cold", "warm"};

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string text;
  char buffer[4096];
  while (const std::size_t size = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, size);
  if (pclose(pipe) != 0) throw std::runtime_error(command + " failed");
  return text;
}

// Each name ("link", ..., "total") has its samples.
using Samples = std::map<std::string, std::vector<double>>;

struct Program {
  std::string name;
  std::map<std::string, Samples> states = {};
};

void sample(Program& program, const fs::path& folder, bool counts) {
  const nlohmann::json times = nlohmann::json::parse(output_of(fmt::format("'{}'", (folder / program.name).string())));
  if (!counts) return;
  for (const char* state : kStates)
    for (const auto& [step, milliseconds] : times.at(state).items())
      program.states[state][step].push_back(milliseconds.get<double>());
}

nlohmann::json summary_of(const Program& program) {
  nlohmann::json result;
  for (const auto& [state, steps] : program.states)
    for (const auto& [step, samples] : steps) {
      const Summary summary = summarize(samples);
      result[state][step] = {
          {"median_ms", summary.median}, {"min_ms", summary.min}, {"max_ms", summary.max}, {"samples_ms", samples}};
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

void run(const Arguments& arguments) {
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  setenv("GRAFT_CACHE", "off", 1);
  const fs::path folder = fs::absolute(arguments.program).parent_path();
  Program graft{"bench_create_once"}, floor{"bench_floor"};
  for (int i = -1; i < arguments.samples; ++i) {
    Program* const pair[] = {&graft, &floor};
    for (const int turn : {0, 1}) sample(*pair[(i + 1 + turn) % 2], folder, i >= 0);
  }
  const nlohmann::json graft_times = summary_of(graft), floor_times = summary_of(floor);
  fmt::print("{:<18}{:<6}{:<16}{:>9}{:>9}{:>9}   ms, {} processes each\n", "program", "state", "step", "median", "min",
             "max", arguments.samples);
  print("graft", graft_times);
  print("floor", floor_times);
  nlohmann::json record = environment(arguments);
  record["benchmark"] = "create_cold";
  record["graft"] = graft_times;
  record["floor"] = floor_times;
  for (const char* state : kStates) {
    const double ratio = total(graft_times, state) / total(floor_times, state);
    record["ratio"][state] = ratio;
    fmt::print("{}: graft / floor = {:.2f}\n", state, ratio);
  }
  const bool met = record["ratio"]["cold"] <= kGoal;
  record["goal"] = kGoal;
  record["met"] = met;
  fmt::print("goal, cold: at most {}: {}\n", kGoal, met ? "met" : "NOT met");
  write_record(arguments, record);
}

}  // namespace
}  // namespace graft::bench

int main(int argc, char** argv) {
  try {
    graft::bench::run(graft::bench::parse_arguments(argc, argv, "create_cold", 20));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
