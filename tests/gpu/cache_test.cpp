// Tests the disk cache on a GPU. Cached kernels run without any compiler, kernels that the driver refuses are rebuilt,
// and repeated requests reuse the loaded kernel.
#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <vector>

#include "base/files.hpp"
#include "families/kept_kernels.hpp"
#include "format/cache_entry.hpp"
#include "gpu/device.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;

class GpuCache : public Gpu {
 protected:
  EngineOptions options() const {
    EngineOptions options;
    options.cache.policy = CachePolicy::ReadWrite;
    options.cache.folder = temporary_.path() / "cache";
    options.cache.layers.emplace();
    return options;
  }

  fs::path only_entry() const {
    for (const auto& one : fs::recursive_directory_iterator(temporary_.path()))
      if (one.path().extension() == ".entry") return one.path();
    return {};
  }

 private:
  base::TemporaryFolder temporary_;
};

const char* const kTwice = "__device__ float twice(float x) { return 2 * x; }";

void expect_twice(const Transform& transform) {
  const std::vector<float> in = {1, 2, 3, 4, 5};
  const DeviceArray<float> from(in);
  const DeviceArray<float> to(std::vector<float>(in.size()));
  transform.execute(nullptr, from, to);
  const std::vector<float> out = to.host();
  for (std::size_t i = 0; i < in.size(); ++i) EXPECT_EQ(out[i], 2 * in[i]);
}

TEST_F(GpuCache, AKernelFromDiskRuns) {
  Engine first(options());
  expect_twice(Transform::create(first, kTwice));
  EngineOptions blind = options();
  blind.cuda_path = "/nonexistent/cuda";
  Engine second(blind);
  const Transform found = Transform::create(second, kTwice);
  EXPECT_TRUE(found.report().from_cache);
  EXPECT_EQ(second.counters().disk_hits, 1u);
  expect_twice(found);
}

// A cache entry with a correct checksum whose image the driver refuses counts as a miss. The entry's file stays,
// because another machine, whose driver may accept the image, may share the folder.
TEST_F(GpuCache, ARefusedKernelIsBuiltAnewAndItsEntryStays) {
  Engine first(options());
  Transform::create(first, kTwice);
  EXPECT_EQ(first.counters().builds, 1u);  // counters() waits until the kernel is stored
  const fs::path file = only_entry();
  auto entry = std::get<format::CacheEntry>(families::read_cache_entry(base::as_bytes(base::read_file(file).value())));
  entry.image[EI_OSABI] = std::byte{0x5a};  // an OS ABI that no driver knows
  const base::Bytes refused = format::write_cache_entry(entry);
  ASSERT_TRUE(base::write_file(file, refused));

  Engine second(options());
  const Transform transform = Transform::create(second, kTwice);
  EXPECT_FALSE(transform.report().from_cache);
  EXPECT_NE(transform.report().notes.back().find("the entry on disk was not used"), std::string::npos);
  EXPECT_EQ(second.counters().rejected_entries, 1u);
  EXPECT_EQ(second.counters().builds, 1u);
  EXPECT_EQ(base::read_file(file), std::string(base::as_text(refused)));
  expect_twice(transform);

  EngineOptions forbidding = options();
  forbidding.cache.policy = CachePolicy::ForbidCompiling;
  Engine third(forbidding);
  EXPECT_THROW(Transform::create(third, kTwice), Error);
  EXPECT_EQ(third.counters().builds, 0u);
}

TEST_F(GpuCache, ATransformMadeBeforeIsFoundAtOnce) {
  Engine engine(options());
  const Callback callback = kTwice;
  Transform::create(engine, callback);
  for (int i = 0; i < 10; ++i) expect_twice(Transform::create(engine, callback));
  EXPECT_EQ(engine.counters().memory_hits, 10u);
  EXPECT_EQ(engine.counters().loads, 1u);
  EXPECT_EQ(engine.release_unused(), 1u);
  expect_twice(Transform::create(engine, callback));
  EXPECT_EQ(engine.counters().loads, 2u);
  EXPECT_EQ(engine.counters().builds, 1u);
}

TEST_F(GpuCache, AsyncTransformsAreReadyHere) {
  Engine engine(options());
  std::vector<std::shared_future<Transform>> transforms;
  for (int i = 0; i < 8; ++i) transforms.push_back(Transform::create_async(engine, kTwice));
  for (const auto& transform : transforms) expect_twice(transform.get());
  EXPECT_EQ(engine.counters().builds, 1u);
}

TEST_F(GpuCache, TransformsOutliveTheirEngine) {
  auto engine = std::make_unique<Engine>(options());
  Transform transform = Transform::create(*engine, kTwice);
  engine.reset();
  transform.prepare_current();
  expect_twice(transform);
}

}  // namespace
}  // namespace graft::test
