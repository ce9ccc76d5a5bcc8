// Measures what it takes to make an FFT with a load and a store callback in a new process, when no cache can help. The
// callbacks exist as LTO-IR; graft makes the FFT from their source too:
//
//     bench_fft_create [--lengths 64,1000] [--real] [--no-gpu] [--mathdx FOLDER]
//
// With --real, the FFTs are real ones, in one direction only.
// The contenders, which bench_fft_create_once times, are graft with one direction, with both, and from source with one,
// cuFFT's plan with the same callbacks, and, with --mathdx, NVIDIA's libmathdx.so.0 in FOLDER, which compiles the FFT
// without callbacks and without a kernel. They take turns; the results are medians. With --no-gpu, graft stops at the
// machine code, and cuFFT, which needs a GPU, is left out.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "flags.hpp"
#include "main.hpp"
#include "processes.hpp"
#include "record.hpp"
#include "statistics.hpp"

namespace graft::bench {
namespace {

namespace fs = std::filesystem;

// graft's time as a share of cuFFT's, at most: of a complex FFT, and of a real one.
constexpr double kOfCufft = 0.57, kOfCufftReal = 0.65;
constexpr double kOfMathdx = 1.0 / 20;  // graft's processor time as a share of libmathdx's

// A folder for the callbacks, which is removed at the end.
struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "bench_fft_create.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make the folder " + name);
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;
};

struct Times {
  std::vector<double> passed = {}, processor = {};
};

nlohmann::json row(const std::string& program, const std::string& length, const std::vector<std::string>& contenders,
                   const std::string& flags, int samples) {
  const Folder folder;
  const auto once = [&](const std::string& what) {
    return output_of(fmt::format("'{}' {} '{}' {}{}", program, what, folder.path.string(), length, flags));
  };
  once("compile");
  std::map<std::string, Times> times;
  for (int i = -1; i < samples; ++i)  // the first round brings the libraries into the page cache
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::string& what = contenders[(static_cast<std::size_t>(i + 1) + turn) % contenders.size()];
      const nlohmann::json found = nlohmann::json::parse(once(what));
      if (i < 0) continue;
      times[what].passed.push_back(found.at("total"));
      times[what].processor.push_back(found.at("processor"));
    }
  nlohmann::json made = {{"length", std::stoll(length)}};
  fmt::print("{:>8}", length);
  for (const std::string& what : contenders) {
    const double passed = summarize(times[what].passed).median, processor = summarize(times[what].processor).median;
    made[what] = {{"median_ms", passed}, {"processor_ms", processor}};
    fmt::print("  {} {:.1f} ms ({:.1f} of a processor)", what, passed, processor);
  }
  fmt::print("\n");
  return made;
}

// The geometric mean, over the rows, of graft's time as a share of another contender's, and the largest share.
void summarize_ratio(nlohmann::json& record, const char* against, const char* time, double goal) {
  double logarithms = 0, worst = 0;
  for (const nlohmann::json& one : record.at("rows")) {
    const double ratio = one.at("graft").at(time).get<double>() / one.at(against).at(time).get<double>();
    logarithms += std::log(ratio);
    if (std::isnan(ratio) || ratio > worst) worst = ratio;
  }
  const double mean = std::exp(logarithms / static_cast<double>(record.at("rows").size()));
  fmt::print("graft / {}: {:.3f}, at most {:.3f}; goal at most {:.2f}: {}\n", against, mean, worst, goal,
             mean <= goal ? "met" : "NOT met");
  record["ratios"][against] = {{"mean", mean}, {"worst", worst}, {"goal", goal}, {"met", mean <= goal}};
}

}  // namespace

int run(int argc, char** argv) {
  const bool no_gpu = take_flag(argc, argv, "--no-gpu"), is_real = take_flag(argc, argv, "--real");
  const std::string listed = take_option(argc, argv, "--lengths"), mathdx = take_option(argc, argv, "--mathdx");
  Arguments arguments = parse_arguments(argc, argv, is_real ? "fft_create_real" : "fft_create", 11);
  const std::string flags = std::string(is_real ? " --real" : "") + (no_gpu ? " --no-gpu" : "");
  arguments.command_line += flags;
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  setenv("GRAFT_CACHE", "off", 1);
  std::vector<std::string> contenders = {"graft"};
  if (!is_real) contenders.emplace_back("graft-both");  // whose callbacks take other types in each direction
  contenders.emplace_back("graft-source");
  if (!no_gpu) contenders.emplace_back("cufft");
  if (!mathdx.empty()) {
    contenders.emplace_back("mathdx");
    const char* const before = std::getenv("LD_LIBRARY_PATH");
    setenv("LD_LIBRARY_PATH", (mathdx + ":" + (before == nullptr ? "" : before)).c_str(), 1);
  }
  const std::string program = (fs::absolute(arguments.program).parent_path() / "bench_fft_create_once").string();
  nlohmann::json record = no_gpu ? host_environment(arguments) : environment(arguments);
  record["benchmark"] = "fft_create";
  record["rows"] = nlohmann::json::array();
  std::istringstream words(listed.empty() ? "64,256,1000,4096,8192" : listed);
  for (std::string length; std::getline(words, length, ',');)
    record["rows"].push_back(row(program, length, contenders, flags, arguments.samples));
  if (!no_gpu) summarize_ratio(record, "cufft", "median_ms", is_real ? kOfCufftReal : kOfCufft);
  if (!mathdx.empty()) summarize_ratio(record, "mathdx", "processor_ms", kOfMathdx);
  write_record(arguments, record);
  return 0;
}

}  // namespace graft::bench
