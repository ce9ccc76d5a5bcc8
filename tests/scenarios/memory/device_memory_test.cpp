// Tests that the device memory which Fft::create takes is given back, and when: with a test double of the driver that
// counts the memory and runs nothing (support/fake_driver.hpp). tests/gpu/fft_memory_test.cpp asks a real driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <optional>

#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/fake_driver.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kLength = 65536;                          // two kernels and a workspace
constexpr std::size_t kBatch = 4, kWorkspace = 4 * kLength * 8;  // bytes

// Graft asks the double for its version only once. It must be that of a driver for the toolkit of this machine.
const int version_is_set = setenv("GRAFT_FAKE_DRIVER_VERSION", "13090", 1);

class DeviceMemory : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(version_is_set, 0);
    fake_driver().mistakes = 0;
    create();  // loads the kernels, with their tables
    before_ = fake_driver().bytes();
    ASSERT_GT(before_, 0U);
  }
  void TearDown() override { EXPECT_EQ(fake_driver().mistakes, 0U); }

  Fft create() {
    return Fft::create(engine_, {.length = kLength, .directions = FftDirections::Forward, .batch = kBatch});
  }
  // An array that the double never accesses, at this address.
  static ArrayRef array_at(std::uintptr_t address) {
    return {reinterpret_cast<void*>(address), kBatch * kLength, element_type<std::complex<float>>()};
  }
  static void execute(const Fft& fft, const FftLaunch& launch = {}) {
    fft.execute(nullptr, array_at(0x1000'0000), array_at(0x2000'0000), Direction::Forward, launch);
  }
  // Executes it while the stream is captured.
  static void capture(const Fft& fft, const FftLaunch& launch = {}) {
    fake_driver().is_capturing = true;
    execute(fft, launch);
    fake_driver().is_capturing = false;
  }
  // The workspaces that are allocated, in bytes.
  std::size_t workspaces() const { return fake_driver().bytes() - before_; }

  Engine engine_{{.cache = {.policy = CachePolicy::MemoryOnly}}};
  std::size_t before_ = 0;
};

TEST_F(DeviceMemory, AThousandCreatesKeepNothing) {
  for (int i = 0; i < 1000; ++i) {
    const Fft fft = create();
    ASSERT_EQ(workspaces(), kWorkspace) << i;
  }
  EXPECT_EQ(workspaces(), 0U);
}

TEST_F(DeviceMemory, BelongsToAllCopiesOfAnFft) {
  std::optional<Fft> first = create();
  const Fft copy = *first;
  first.reset();
  EXPECT_EQ(workspaces(), kWorkspace);
  execute(copy);
}

TEST_F(DeviceMemory, IsKeptByAGraphThatCapturedACall) {
  capture(create());
  EXPECT_EQ(workspaces(), kWorkspace) << "the graph must keep the workspace of an Fft that is gone";
  fake_driver().destroy_graph();
  EXPECT_EQ(workspaces(), kWorkspace) << "nothing can be freed in the thread that tells the end of the graph";
  create();
  EXPECT_EQ(workspaces(), 0U);
}

TEST_F(DeviceMemory, IsKeptByAnFftWhoseGraphIsGone) {
  const Fft fft = create();
  capture(fft);
  capture(fft);
  fake_driver().destroy_graph();
  engine_.release_unused();
  EXPECT_EQ(workspaces(), kWorkspace);
  execute(fft);
}

TEST_F(DeviceMemory, OfAGraphIsFreedByReleaseUnused) {
  const Fft other = create();
  capture(create());
  fake_driver().destroy_graph();
  engine_.release_unused();
  EXPECT_EQ(workspaces(), kWorkspace) << "that of `other`";
}

TEST_F(DeviceMemory, IsNotKeptForTheCallersWorkspace) {
  capture(create(), {.workspace = array_at(0x3000'0000).pointer, .workspace_bytes = kWorkspace});
  EXPECT_EQ(workspaces(), 0U);
}

TEST_F(DeviceMemory, IsFreedWhileAnotherStreamIsCaptured) {
  std::optional<Fft> fft = create();
  fake_driver().is_capturing = true;
  fft.reset();
  fake_driver().is_capturing = false;
  EXPECT_EQ(workspaces(), 0U);
}

TEST_F(DeviceMemory, IsFreedLaterIfTheDriverRefusesDuringACapture) {
  std::optional<Fft> fft = create();
  fake_driver().is_capturing = fake_driver().refuses_to_free = true;
  fft.reset();
  EXPECT_EQ(workspaces(), kWorkspace);
  fake_driver().is_capturing = fake_driver().refuses_to_free = false;
  create();
  EXPECT_EQ(workspaces(), 0U);
}

// The addresses then belong to the application.
TEST_F(DeviceMemory, IsNotFreedAfterAReset) {
  std::optional<Fft> fft = create();
  fake_driver().reset();
  fft.reset();
  EXPECT_EQ(engine_.release_unused(), 2U);
  EXPECT_EQ(workspaces(), kWorkspace);
}

TEST_F(DeviceMemory, OfTablesIsFreedWithTheirKernels) {
  const std::size_t with_tables = fake_driver().bytes();
  EXPECT_EQ(engine_.release_unused(), 2U);
  const std::size_t tables = with_tables - fake_driver().bytes();
  EXPECT_GT(tables, 0U);
  create();
  EXPECT_EQ(fake_driver().bytes(), with_tables);
  EXPECT_EQ(engine_.release_unused(), 2U);
  EXPECT_EQ(fake_driver().bytes(), with_tables - tables);
}

// Ffts share their kernels, but each has a workspace of its own in each context that it prepared.
TEST_F(DeviceMemory, OfAnotherFftIsNotUsed) {
  Fft here = create();
  ++fake_driver().context;
  const Fft there = create();
  const Error error = error_of([&] { execute(here); });
  EXPECT_EQ(error.code(), ErrorCode::NotPrepared) << error.what();
  EXPECT_THAT(error.message(), HasSubstr("is not prepared in the current context"));
  here.prepare_current();
  execute(here);
  execute(there);
  --fake_driver().context;  // in which `here` was created
  execute(here);
}

TEST_F(DeviceMemory, OfTheCallerMustSuffice) {
  const Fft fft = create();
  const auto refusal = [&](std::uintptr_t address, std::size_t bytes) {
    return error_of([&] { execute(fft, {.workspace = array_at(address).pointer, .workspace_bytes = bytes}); });
  };
  EXPECT_THAT(refusal(0x3000'0000, kWorkspace - 1).message(), HasSubstr("but 2097151 were given"));
  EXPECT_EQ(refusal(0x3000'0008, kWorkspace).code(), ErrorCode::Misaligned);
}

TEST_F(DeviceMemory, IsForBatchesAsLargeAsThatOfCreate) {
  const Fft fft = Fft::create(engine_, {.length = kLength, .directions = FftDirections::Forward, .batch = kBatch - 1});
  EXPECT_THAT(error_of([&] { execute(fft); }).message(), HasSubstr("create allocated one for a batch of 3"));
}

TEST_F(DeviceMemory, IsNeitherAllocatedNorCountedForImpossibleBatches) {
  const Fft fft = create();
  EXPECT_EQ(fft.workspace_bytes(kBatch), kWorkspace);
  for (const std::size_t batch : {(std::size_t{1} << 45) + 1, ~std::size_t{0}, std::size_t{1} << 48}) {
    EXPECT_EQ(error_of([&] { fft.workspace_bytes(batch); }).code(), ErrorCode::InvalidArgument) << batch;
    EXPECT_EQ(error_of([&] {
                Fft::create(engine_, {.length = kLength, .directions = FftDirections::Forward, .batch = batch});
              }).code(),
              ErrorCode::InvalidArgument)
        << batch;
  }
  EXPECT_EQ(workspaces(), kWorkspace);
}

}  // namespace
}  // namespace graft::test
