// Tests that Ffts and images of many different requests leave nothing in the memory of the process, after
// Engine::release_unused: neither on the heap nor as mapped pages.
#include <malloc.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "base/files.hpp"
#include "core/image_data.hpp"
#include "families/fft/fft_test.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

constexpr int kRequests = 1000;

// The resident memory of this process in bytes, without memory that the heap keeps although nobody uses it.
std::size_t resident_bytes() {
  malloc_trim(0);
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Does kRequests rounds of work in the engine, after a tenth of them that load libraries. Returns by how many bytes the
// resident memory grew before release_unused and behind it.
template <class Work>
std::pair<std::int64_t, std::int64_t> growth(Engine& engine, const Work& work) {
  for (int i = 0; i < kRequests / 10; ++i) work(i);
  engine.release_unused();
  const auto before = static_cast<std::int64_t>(resident_bytes());
  for (int i = 0; i < kRequests; ++i) work(kRequests + i);
  const auto full = static_cast<std::int64_t>(resident_bytes());
  engine.release_unused();
  return {full - before, static_cast<std::int64_t>(resident_bytes()) - before};
}

// Every round loads kernels of its own: two shared objects, two tables of roots and a launcher each.
TEST(ResidentMemory, OfLoadedFftsIsGivenBack) {
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}});
  Options options;
  options.routes.required = Route::Host;
  const std::vector<Image> built =
      build(engine, {.length = 65536, .directions = FftDirections::Forward}, {}, Architecture(90), options);
  std::vector<graft_fft::Complex<float>> in(65536, {1, 0}), out(65536);
  const auto [full, left] = growth(engine, [&](int i) {
    std::vector<Image> images;
    for (const Image& image : built)
      images.push_back(Image::Data::image(std::make_shared<Image::Data>(*Image::Data::of(image))));
    const Fft fft = Fft::load(engine, images);
    if (i % 100 != 0) return;
    fft.execute(host, refer<float>(in), refer<float>(out));
    ASSERT_EQ(out[0].re, 65536);
  });
  EXPECT_GT(full, kRequests * 10'000) << "the kernels take too little memory for the check below";
  EXPECT_LT(left, full / 5);
}

// The callbacks of the rounds have other names, so that the requests differ in memory. Their kernel on disk is one.
TEST(ResidentMemory, OfBuiltImagesIsGivenBack) {
  const base::TemporaryFolder folder;
  Engine engine({.cache = {.policy = CachePolicy::ReadWrite, .folder = folder.path()}});
  const FftPlan plan = {.length = 64, .directions = FftDirections::Forward};
  const auto [full, left] = growth(engine, [&](int i) {
    const Callback load =
        Callback::source("__device__ float2 load(float x) { return make_float2(x, 0); }", std::to_string(i) + ".cu");
    ASSERT_FALSE(build(engine, plan, {.load = load}, Architecture(90)).front().bytes().empty());
  });
  EXPECT_EQ(engine.counters().builds, 1U);
  EXPECT_GT(full, kRequests * 4'000) << "the images take too little memory for the check below";
  EXPECT_LT(left, full / 5);
}

}  // namespace
}  // namespace graft::test
