// Tests transforms after cudaDeviceReset and after fork. A transform throws NotPrepared or DriverFailed and does not
// crash, and create or prepare makes it work again without compiling. These tests run last in the program, so that the
// resets cannot disturb other tests.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <thread>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr const char* kScale =
    "__constant__ float factor = 2.0f; __device__ float scale(float x) { return factor * x; }";

class GpuReset : public Gpu {
 protected:
  static float run(const Transform& transform, float x) {
    const DeviceArray<float> in(std::vector<float>(1000, x));
    const DeviceArray<float> out(std::vector<float>(1000, 0.0f));
    transform.execute(nullptr, in, out);
    return out.host()[999];
  }
};

TEST_F(GpuReset, ATransformIsPreparedAgainAndThenWorks) {
  Engine engine;
  Transform t = Transform::create(engine, kScale);
  const float five = 5.0f;
  check(cudaMemcpy(t.symbol("factor").pointer, &five, sizeof five, cudaMemcpyHostToDevice));
  EXPECT_EQ(run(t, 3.0f), 15.0f);
  check(cudaDeviceReset());
  EXPECT_EQ(error_of([&] { run(t, 3.0f); }).code(), ErrorCode::NotPrepared);
  t.prepare_current();
  EXPECT_EQ(run(t, 3.0f), 6.0f) << "`factor` must have its initial value, 2, again";
  EXPECT_EQ(engine.counters().builds, 1u);
}

TEST_F(GpuReset, ACreateOfTheSamePreparesTheTransformAgain) {
  Engine engine;
  const Transform before = Transform::create(engine, kScale);
  check(cudaDeviceReset());
  const Transform after = Transform::create(engine, kScale);
  EXPECT_EQ(&before.report(), &after.report());
  EXPECT_EQ(run(before, 3.0f), 6.0f);
  EXPECT_EQ(run(after, 3.0f), 6.0f);
  EXPECT_EQ(engine.counters().loads, 1u);
}

// The addresses of what graft had allocated may then be those of the application's memory.
TEST_F(GpuReset, NothingOfTheApplicationIsFreed) {
  Engine engine;
  std::optional<Fft> fft = Fft::create(engine, {.length = 65536, .batch = 128});
  check(cudaDeviceReset());
  constexpr std::size_t kBytes = std::size_t{64} << 20;  // of the workspace, too
  std::vector<void*> all(8);
  for (void*& one : all) check(cudaMalloc(&one, kBytes));
  std::vector<void*> small(64);
  for (void*& one : small) check(cudaMalloc(&one, 4096));
  fft.reset();
  engine.release_unused();
  for (void* const one : all) check(cudaMemset(one, 1, kBytes));
  for (void* const one : small) check(cudaMemset(one, 1, 4096));
  check(cudaDeviceSynchronize());
  for (void* const one : all) check(cudaFree(one));
  for (void* const one : small) check(cudaFree(one));
}

TEST_F(GpuReset, CreateWorksInAThreadWithoutAContext) {
  check(cudaDeviceReset());
  std::thread([] {
    const Transform t = Transform::create("__device__ float after_reset(float x) { return x + 1; }");
    check(cudaSetDevice(0));
    EXPECT_EQ(run(t, 3.0f), 4.0f);
  }).join();
}

// ---- transforms after fork() ----

enum Outcome { kAsExpected = 0, kNothingThrown = 1, kAnotherError = 2, kStdException = 3 };

// Runs `body` in a forked child and returns its exit status, or 100 + the signal that ended it.
int outcome_in_child(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);  // a child that hangs is killed, and the test fails
    int outcome = kStdException;
    try {
      outcome = body();
    } catch (const std::exception&) {
    }
    _exit(outcome);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

int expects(ErrorCode code, const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() == code ? kAsExpected : kAnotherError;
  }
  return kNothingThrown;
}

TEST_F(GpuReset, AForkedChildIsToldThatItHasNoGpu) {
  const Transform t = Transform::create(kScale);
  const DeviceArray<float> array(std::vector<float>(1000, 1.0f));
  EXPECT_EQ(
      outcome_in_child([&] { return expects(ErrorCode::NotPrepared, [&] { t.execute(nullptr, array, array); }); }),
      kAsExpected);
  EXPECT_EQ(outcome_in_child([&] {
              return expects(ErrorCode::DriverFailed, [] { Transform::create("[](float x) { return x; }"); });
            }),
            kAsExpected);
  EXPECT_EQ(run(t, 3.0f), 6.0f) << "the parent must still work after the forks";
}

TEST_F(GpuReset, AForkedChildBuilds) {
  Transform::create(kScale);
  EXPECT_EQ(outcome_in_child([] {
              return build("[](float x) { return x + 2; }", Architecture(90)).bytes().empty() ? 1 : kAsExpected;
            }),
            kAsExpected);
}

TEST_F(GpuReset, AForkedChildRunsOnTheHost) {
  Transform::create(kScale);
  const auto make = [] {
    return Transform::create("[](float x) { return x + 2; }", {.routes = {.required = Route::Host}});
  };
  try {
    make();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::RouteUnavailable) throw;
    GTEST_SKIP() << error.what();
  }
  EXPECT_EQ(outcome_in_child([&] {
              std::vector<float> values(100, 3.0f);
              make().execute(host, values, values);
              return values[99] == 5.0f ? kAsExpected : kAnotherError;
            }),
            kAsExpected);
}

}  // namespace
}  // namespace graft::test
