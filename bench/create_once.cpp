// Times Transform::create in a new process, step by step, and then for another callback in the same process. The CUDA
// context exists before the clock starts. Prints one line of JSON in the format that floor.cpp prints. With --no-gpu
// the program makes no context and loads no kernel, and graft::build makes the image for sm_90.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <graft/graft.hpp>
#include <nlohmann/json.hpp>

#include "callbacks.hpp"
#include "cuda_check.hpp"
#include "flags.hpp"
#include "main.hpp"
#include "stopwatch.hpp"

namespace graft::bench {
namespace {

template <class Make>
nlohmann::json times_of(const Make& make) {
  Stopwatch watch;
  const auto made = make();
  nlohmann::json times = {{"total", watch.lap()}};
  if (made.report().from_cache)
    throw std::runtime_error("the kernel came from a cache, but this benchmark must build it");
  for (const Report::Step& step : made.report().steps)
    times[step.name] = times.value(step.name, 0.0) + step.milliseconds;
  return times;
}

nlohmann::json times_of(const char* callback, bool no_gpu) {
  if (no_gpu) return times_of([&] { return build(callback, Architecture(90)); });
  return times_of([&] { return Transform::create(callback); });
}

void run(bool no_gpu) {
  if (!no_gpu) check(cudaFree(nullptr));
  const nlohmann::json cold = times_of(kFirstCallback, no_gpu);
  const nlohmann::json warm = times_of(kSecondCallback, no_gpu);
  fmt::print("{}\n", nlohmann::json{{"cold", cold}, {"warm", warm}}.dump());
}

}  // namespace

int run(int argc, char** argv) {
  run(take_flag(argc, argv, "--no-gpu"));
  return 0;
}

}  // namespace graft::bench
