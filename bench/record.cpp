// Parses the common options and collects the facts about the machine from CUDA's runtime and /proc.
#include "record.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "cuda_check.hpp"

namespace graft::bench {
namespace {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

// Returns the version of the driver from the driver's own text. The CUDA runtime only knows which CUDA version the
// driver supports.
std::string driver_module() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  return line;
}

// Returns the model name of the first processor core.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(": ") + 2);
  return {};
}

std::string cuda_version(int number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

}  // namespace

Arguments parse_arguments(int argc, char** argv, const std::string& name, int default_samples) {
  setenv("GRAFT_CACHE", "memory", 0);  // kernels from an earlier run would change figures and reports
  Arguments arguments;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // rows that were measured are seen, even if a run is cut off
  arguments.program = arguments.command_line = argv[0];
  arguments.samples = default_samples;
  if (const char* folder = std::getenv("OUT")) arguments.out = fmt::format("{}/{}.json", folder, name);
  for (int i = 1; i < argc; ++i) arguments.command_line += fmt::format(" {}", argv[i]);
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    const bool known = option == "--commit" || option == "--out" || option == "--samples";
    if (!known || i + 1 == argc)
      throw std::invalid_argument(fmt::format("usage: {} [--samples N] [--out FILE] [--commit ID]", argv[0]));
    if (option == "--commit") arguments.commit = argv[i + 1];
    if (option == "--out") arguments.out = argv[i + 1];
    if (option == "--samples") arguments.samples = std::stoi(argv[i + 1]);
  }
  if (arguments.samples < 1) throw std::invalid_argument("--samples must be at least 1");
  return arguments;
}

nlohmann::json host_environment(const Arguments& arguments) {
  return {{"processor", processor()},
          {"cores", std::thread::hardware_concurrency()},
          {"command_line", arguments.command_line},
          {"commit", arguments.commit},
          {"date", utc_now()}};
}

nlohmann::json environment(const Arguments& arguments) {
  int device = 0, driver = 0, runtime = 0;
  cudaDeviceProp properties{};
  check(cudaGetDevice(&device));
  check(cudaGetDeviceProperties(&properties, device));
  check(cudaDriverGetVersion(&driver));
  check(cudaRuntimeGetVersion(&runtime));
  return {{"gpu", properties.name},
          {"compute_capability", fmt::format("{}.{}", properties.major, properties.minor)},
          {"driver", driver_module()},
          {"driver_cuda", cuda_version(driver)},
          {"runtime_cuda", cuda_version(runtime)},
          {"command_line", arguments.command_line},
          {"commit", arguments.commit},
          {"date", utc_now()}};
}

void write_record(const Arguments& arguments, const nlohmann::json& record) {
  if (arguments.out.empty()) return;
  std::ofstream file(arguments.out);
  file << record.dump(2) << '\n';
  if (!file.flush()) throw std::runtime_error("cannot write " + arguments.out);
  fmt::print("written: {}\n", arguments.out);
}

}  // namespace graft::bench
