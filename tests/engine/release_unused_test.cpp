// Tests how much memory Engine::release_unused() frees. In version 0.1, release_unused() unloaded kernels but kept all
// other memory, namely the images (cubin, source, logs) and the keys of everything that was ever built.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "core/image_data.hpp"
#include "graft/graft.hpp"

namespace graft {
namespace {

constexpr Architecture kArchitecture(90);
constexpr const char* kText = "__device__ float twice(float x) { return 2 * x; }";
using Watched = std::weak_ptr<const Image::Data>;

Options on_host() {
  return {.routes = {.required = Route::Host}};
}

// Callbacks that differ only in the name of the source. They are different requests in memory but have the same kernel
// on disk.
Callback numbered(int i) {
  return Callback::source(kText, std::to_string(i) + ".cu");
}

// Returns the number of bytes that are allocated on the heap.
std::size_t bytes_in_use() {
  return mallinfo2().uordblks + mallinfo2().hblkhd;
}

TEST(ReleaseUnused, ReleaseUnusedLeavesNothingOfManyBuilds) {
  const base::TemporaryFolder folder;
  Engine engine({.cache = {.policy = CachePolicy::ReadWrite, .folder = folder.path()}});
  // The first builds load the toolkit's libraries and grow the hash maps to their final size. The test measures memory
  // after these builds.
  constexpr int kBuilds = 200;
  for (int i = 0; i < kBuilds; ++i) build(engine, numbered(i), kArchitecture);
  engine.release_unused();
  const std::size_t before = bytes_in_use();
  std::vector<Watched> images;
  for (int i = 0; i < kBuilds; ++i)
    images.push_back(Image::Data::of(build(engine, numbered(kBuilds + i), kArchitecture)));
  const std::size_t kept = bytes_in_use() - before;
  EXPECT_GT(kept, kBuilds * std::size_t{4000}) << "the builds allocate too little memory for the check below";
  engine.release_unused();
  EXPECT_EQ(std::count_if(images.begin(), images.end(), [](const Watched& image) { return !image.expired(); }), 0);
  images = {};
  EXPECT_LT(bytes_in_use(), before + kept / 50);
}

TEST(ReleaseUnused, WhatIsAskedForAgainIsMadeAgain) {
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}});
  const Watched first = Image::Data::of(build(engine, kText, kArchitecture));
  EXPECT_EQ(engine.release_unused(), 0u) << "build() loads no kernel, so there was none to unload";
  EXPECT_TRUE(first.expired());
  EXPECT_FALSE(build(engine, kText, kArchitecture).bytes().empty());
  EXPECT_EQ(engine.counters().builds, 2u);
  EXPECT_EQ(engine.counters().memory_hits, 0u);
}

TEST(ReleaseUnused, AnImageThatSomebodyHoldsStays) {
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}});
  const Image held = build(engine, kText, kArchitecture);
  const Watched other = Image::Data::of(build(engine, kText, Architecture(80)));
  engine.release_unused();
  EXPECT_TRUE(other.expired());
  EXPECT_EQ(Image::Data::of(build(engine, kText, kArchitecture)), Image::Data::of(held))
      << "the held image must be found in memory";
  EXPECT_EQ(engine.counters().memory_hits, 1u);
  EXPECT_FALSE(held.report().source.empty());
}

TEST(ReleaseUnused, ATransformThatSomebodyHoldsKeepsItsImageAndKernel) {
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}});
  const Transform held = Transform::create(engine, kText, on_host());
  Watched other;
  {
    const Transform dropped =
        Transform::create(engine, "__device__ float thrice(float x) { return 3 * x; }", on_host());
    other = Image::Data::of(dropped.image());
    EXPECT_EQ(engine.release_unused(), 0u);
  }
  EXPECT_FALSE(other.expired()) << "the engine must still hold the image for an equal request";
  EXPECT_EQ(engine.release_unused(), 1u);
  EXPECT_TRUE(other.expired());
  EXPECT_EQ(engine.release_unused(), 0u);
  std::vector<float> values = {1.5f};
  held.execute(host, values, values);
  EXPECT_EQ(values[0], 3.0f);
  EXPECT_EQ(Image::Data::of(Transform::create(engine, kText, on_host()).image()), Image::Data::of(held.image()));
  EXPECT_EQ(engine.counters().builds, 2u);
}

// An image that the user keeps remains valid after its transform is destroyed.
TEST(ReleaseUnused, AnImageOutlivesItsTransform) {
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}});
  std::vector<Image> held = {Transform::create(engine, kText, on_host()).image()};
  EXPECT_EQ(engine.release_unused(), 1u);
  std::vector<float> values = {1.5f};
  Transform::load(engine, held[0]).execute(host, values, values);
  EXPECT_EQ(values[0], 3.0f);
  const Watched image = Image::Data::of(held[0]);
  held.clear();
  EXPECT_EQ(engine.release_unused(), 1u);
  EXPECT_TRUE(image.expired());
}

}  // namespace
}  // namespace graft
