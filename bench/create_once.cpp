// Transform::create in a new process, by steps, and of another callback in the same process. The CUDA context exists
// before the clock starts. Prints one line of JSON, as floor.cpp does.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <graft/graft.hpp>
#include <nlohmann/json.hpp>

#include "callbacks.hpp"
#include "cuda_check.hpp"
#include "stopwatch.hpp"

namespace graft::bench {
namespace {

nlohmann::json times_of(const char* callback) {
  Stopwatch watch;
  const Transform transform = Transform::create(callback);
  nlohmann::json times = {{"total", watch.lap()}};
  if (transform.report().from_cache) throw std::runtime_error("the kernel came from a cache; it was to be made");
  for (const Report::Step& step : transform.report().steps)
    times[step.name] = times.value(step.name, 0.0) + step.milliseconds;
  return times;
}

void run() {
  check(cudaFree(nullptr));
  const nlohmann::json cold = times_of(kFirstCallback);
  const nlohmann::json warm = times_of(kSecondCallback);
  fmt::print("{}\n", nlohmann::json{{"cold", cold}, {"warm", warm}}.dump());
}

}  // namespace
}  // namespace graft::bench

int main() {
  try {
    graft::bench::run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
