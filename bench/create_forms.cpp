// Measures the time of create by route and by form of the callback: formula, source, LTO-IR, fatbin, PTX, object, pack.
// Each combination runs in new processes, for which this program starts itself with the combination as arguments. The
// caches of the driver, the tools and graft are off. "cold" is the first create of a process whose CUDA context exists
// already. "warm" is the create of another callback in the same process. The compiled forms are files that are made
// before the measurement.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <graft/graft.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "callbacks.hpp"
#include "cuda_check.hpp"
#include "main.hpp"
#include "record.hpp"
#include "statistics.hpp"
#include "stopwatch.hpp"

namespace graft::bench {
namespace {

namespace fs = std::filesystem;

struct FormToMake {
  std::string_view name;
  const char* ending;
  bool is_compiled;
  PrecompileFormat format;
  std::vector<Route> routes;
};
const std::vector<FormToMake> kForms = {
    {"formula", "formula", false, {}, {Route::Lto, Route::Program}},
    {"source", "cu", false, {}, {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}},
    {"LTO-IR", "ltoir", true, PrecompileFormat::LtoIr, {Route::Lto}},
    {"fatbin", "fatbin", true, PrecompileFormat::Fatbin, {Route::Lto, Route::Ptx}},
    {"PTX", "ptx", true, PrecompileFormat::Ptx, {Route::Ptx, Route::Indirect}},
    {"object", "cubin", true, PrecompileFormat::Cubin, {Route::Ptx, Route::Indirect}},
    {"pack", "graft", true, PrecompileFormat::Pack, {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}},
    {"pack with cubins", "cubins.graft", true, PrecompileFormat::PackWithCubins, {Route::Lto}},
};
const char* const kNames[] = {"relu", "gain"};
const char* const kSources[] = {kFirstCallback, kSecondCallback};
const char* const kFormulas[] = {"f32 x => x > 0 ? x : 0", "f32 x => 2.5 * x + 1"};

Architecture here() {
  int major = 0;
  int minor = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
  return Architecture(10 * major + minor);
}

fs::path file_of(const fs::path& folder, const FormToMake& form, int which) {
  return folder / fmt::format("{}.{}", kNames[which], form.ending);
}

void make_files(const fs::path& folder, const FormToMake& form) {
  for (const int which : {0, 1}) {
    std::ofstream file(file_of(folder, form, which), std::ios::binary);
    if (!form.is_compiled) {
      file << (form.name == "formula" ? kFormulas : kSources)[which];
      continue;
    }
    const std::vector<std::byte> bytes = graft::Callback(kSources[which]).precompile({here()}, form.format);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

// ---- what each new process measures ----

Route route_of(const std::string& word) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect})
    if (name(route) == word) return route;
  throw std::invalid_argument("unknown route: " + word);
}

double time_of_create(const char* file, int which, Route route) {
  const bool is_formula = fs::path(file).extension() == ".formula";
  const graft::Callback read = graft::Callback::file(file);
  const bool is_binary = read.form() != Form::Source && read.form() != Form::Pack;
  const graft::Callback callback =
      is_binary ? read.with_signature(fmt::format("float {}(float)", kNames[which])) : read;
  Options options;
  options.routes.required = route;
  Stopwatch watch;
  const Transform transform = Transform::create(is_formula ? formula(kFormulas[which]) : callback, options);
  const double milliseconds = watch.lap();
  if (transform.report().from_cache)
    throw std::runtime_error("the kernel came from a cache, but this benchmark must build it");
  return milliseconds;
}

void run_once(char** words) {
  check(cudaFree(nullptr));
  const Route route = route_of(words[0]);
  const double cold = time_of_create(words[1], 0, route);
  fmt::print("{} {}\n", cold, time_of_create(words[2], 1, route));
}

// ---- the first process, which starts the others ----

struct Cell {
  const FormToMake& form;
  Route route;
  std::vector<double> cold = {};
  std::vector<double> warm = {};
};

void sample(Cell& cell, const Arguments& arguments, const fs::path& folder, bool counts) {
  const std::string command =
      fmt::format("'{}' --once {} '{}' '{}'", arguments.program, name(cell.route),
                  file_of(folder, cell.form, 0).string(), file_of(folder, cell.form, 1).string());
  std::FILE* const pipe = popen(command.c_str(), "r");
  double cold = 0;
  double warm = 0;
  const bool read = pipe != nullptr && std::fscanf(pipe, "%lf %lf", &cold, &warm) == 2;
  if (pipe == nullptr || pclose(pipe) != 0 || !read) throw std::runtime_error(command + " failed");
  if (!counts) return;
  cell.cold.push_back(cold);
  cell.warm.push_back(warm);
}

nlohmann::json summary_of(const std::vector<double>& samples) {
  const Summary summary = summarize(samples);
  return {{"median_ms", summary.median}, {"min_ms", summary.min}, {"max_ms", summary.max}, {"samples_ms", samples}};
}

void run(const Arguments& arguments) {
  setenv("CUDA_CACHE_DISABLE", "1", 1);
  setenv("GRAFT_CACHE", "off", 1);
  const fs::path folder = fs::temp_directory_path() / fmt::format("graft-create-forms-{}", getpid());
  fs::create_directories(folder);
  std::vector<Cell> cells;
  for (const FormToMake& form : kForms) {
    make_files(folder, form);
    for (const Route route : form.routes) cells.push_back({form, route});
  }
  for (int round = -1; round < arguments.samples; ++round)
    for (Cell& cell : cells) sample(cell, arguments, folder, round >= 0);
  fs::remove_all(folder);

  nlohmann::json record = environment(arguments);
  record["benchmark"] = "create_forms";
  fmt::print("{:<18}{:<10}{:>9}{:>9}   ms, medians of {} processes\n", "form", "route", "cold", "warm",
             arguments.samples);
  for (const Cell& cell : cells) {
    fmt::print("{:<18}{:<10}{:>9.2f}{:>9.2f}\n", cell.form.name, name(cell.route), summarize(cell.cold).median,
               summarize(cell.warm).median);
    record["cells"].push_back({{"form", cell.form.name},
                               {"route", name(cell.route)},
                               {"cold", summary_of(cell.cold)},
                               {"warm", summary_of(cell.warm)}});
  }
  write_record(arguments, record);
}

}  // namespace

int run(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--once") run_once(argv + 2);
  else run(parse_arguments(argc, argv, "create_forms", 9));
  return 0;
}

}  // namespace graft::bench
