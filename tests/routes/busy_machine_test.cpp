// Tests that a request makes the same kernel whether the machine is busy or not. In version 0.1, on a busy machine, the
// same request made a different kernel than on a quiet machine. The duration of the first link decided whether a
// callback with much code got the unrolled (vector) or the rolled body.
//
// Each request is built once on the machine as it is, then several times while four other processes compute. By default
// the test builds every third of 10 requests 2 more times. With GRAFT_ALL_REQUESTS=1/1 it builds 60 requests 20 times
// each.
// GRAFT_ALL_REQUESTS=2/8 selects the second eighth of the 60 requests.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "families/registry.hpp"
#include "graft/graft.hpp"
#include "routes/best_body.hpp"
#include "routes/stopwatch.hpp"
#include "support/rotation.hpp"
#include "support/sweep.hpp"

namespace graft::test {
namespace {

// Child processes that compute without end, so that the machine is busy.
class BusyMachine {
 public:
  BusyMachine() {
    for (pid_t& process : processes_) {
      process = ::fork();
      if (process != 0) continue;
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (std::atomic<unsigned> spin;;) ++spin;
    }
  }
  ~BusyMachine() {
    for (const pid_t process : processes_) {
      if (process <= 0) continue;
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
  }
  BusyMachine(const BusyMachine&) = delete;  // a copy would end the processes twice
  BusyMachine& operator=(const BusyMachine&) = delete;

 private:
  std::array<pid_t, 4> processes_ = {};
};

struct Request {
  std::string source;
  Route route;
};

std::string unrolled(std::string_view call, int count, std::string_view type = "float") {
  return fmt::format(
      "__device__ {0} f({0} c) {{ float x = c;\n#pragma unroll\nfor (int i = 0; i < {1}; ++i) x = {2}; "
      "return x; }}",
      type, count, call);
}

// The part of the table of 60 requests that GRAFT_ALL_REQUESTS selects.
struct Part {
  std::size_t number = 0;  // number of this part, counted from 1
  std::size_t count = 0;   // number of parts; 0 means that the short table is used
};

Part wanted_part() {
  Part part;
  const char* const wanted = std::getenv("GRAFT_ALL_REQUESTS");
  if (wanted == nullptr) return part;
  if (std::sscanf(wanted, "%zu/%zu", &part.number, &part.count) != 2 || part.number < 1 || part.number > part.count)
    throw std::invalid_argument("GRAFT_ALL_REQUESTS must be PART/PARTS, such as 1/1 or 2/8");
  return part;
}

// On a quiet machine, linking the rolled body takes 50 to 140 ms for the first three requests of each route. If graft
// chose the body by a time limit in this range, the choice would differ from build to build.
std::vector<Request> requests() {
  std::vector<Request> all;
  for (const Route route : {Route::Lto, Route::Program}) {
    all.push_back({unrolled("sinf(x) + i", 4), route});
    all.push_back({unrolled("sinf(x) + i", 16), route});
    all.push_back({unrolled("powf(x, 1.1f + i)", 16), route});
    all.push_back({unrolled("expf(x) * 0.5f", 16), route});
    all.push_back({"__device__ float relu(float x) { return x > 0 ? x : 0; }", route});
  }
  const Part part = wanted_part();
  if (part.count == 0) return rows_in_turn(all, 3);
  for (const Route route : {Route::Lto, Route::Program})
    for (const char* call : {"sinf(x) + i", "expf(x) * 0.5f", "powf(x, 1.1f + i)", "x * 1.0001f + i", "1.0f / (x + i)"})
      for (const int count : {2, 4, 8, 16, 24}) all.push_back({unrolled(call, count), route});
  std::vector<Request> some;
  for (std::size_t i = part.number - 1; i < all.size(); i += part.count) some.push_back(all[i]);
  return some;
}

// Returns the bytes of the kernel. The engine is new, so that no kernel comes from a cache.
std::string kernel_of(const Request& request) {
  Options options;
  options.routes.required = request.route;
  Engine engine({.cuda_path = {}, .host_compiler = {}, .cache = {.policy = CachePolicy::Off}});
  const Image image = build(engine, Callback(request.source), Architecture(90), options);
  EXPECT_FALSE(image.report().from_cache);
  return std::string(base::as_text(image.bytes()));
}

TEST(KernelsOfABusyMachine, ABusyMachineMakesTheSameKernels) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  const std::vector<Request> all = requests();
  std::vector<std::string> first;
  for (const Request& request : all) first.push_back(kernel_of(request));
  const BusyMachine busy;
  fmt::print("{} requests, {} times\n", all.size(), wanted_part().count != 0 ? 20 : 3);
  for (int time = 1; time < (wanted_part().count != 0 ? 20 : 3); ++time)
    for (std::size_t i = 0; i < all.size(); ++i)
      EXPECT_TRUE(kernel_of(all[i]) == first[i]) << name(all[i].route) << ", time " << time << ": " << all[i].source;
}

// Returns the body that graft chooses after a link of this duration and with this code size.
Body body_after(int milliseconds, std::uint64_t code_bytes) {
  Report report;
  routes::Stopwatch watch(report);
  families::Decided decided;
  decided.kernel.tuning.set("vector_width", 8);
  const PolicyOverrides asked;
  routes::make_best(
      [&](const KernelSpec&) {
        ::usleep(static_cast<useconds_t>(milliseconds) * 1000);
        link::Linked linked;
        linked.findings.code_bytes = code_bytes;
        return linked;
      },
      {asked, true}, decided, watch);
  return static_cast<Body>(decided.kernel.tuning["body"]);
}

TEST(KernelsOfABusyMachine, SizesDecideAndNoClock) {
  for (const int milliseconds : {0, 150}) {
    EXPECT_EQ(body_after(milliseconds, 1'000), Body::Vector) << milliseconds;
    EXPECT_EQ(body_after(milliseconds, 16'250), Body::Vector) << milliseconds;
    EXPECT_EQ(body_after(milliseconds, 16'251), Body::Rolled) << milliseconds;
  }
  EXPECT_FALSE(routes::is_too_heavy(130'000, 1));
  EXPECT_TRUE(routes::is_too_heavy(130'001, 1));
}

}  // namespace
}  // namespace graft::test
