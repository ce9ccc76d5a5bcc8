// Uses the kernel cache on disk. One machine fills the cache, and another machine only reads the cache.
#include "chapter.hpp"

namespace guide {

void cache(cudaStream_t) {
  const graft::Callback callback = "__device__ float f(float x) { return 2 * x; }";
  // [cache]
  graft::EngineOptions here;
  here.cache.folder = "kernels";
  here.cache.policy = graft::CachePolicy::ReadWrite;
  graft::Engine builder(here);
  graft::build(builder, callback, graft::Architecture(90));
  // [/cache]
  expect(builder.counters().builds == 1 && builder.counters().bytes_written > 0);
  // [deployed]
  graft::EngineOptions there;
  there.cache.layers = std::vector<std::filesystem::path>{"kernels"};  // a copy of that folder
  there.cache.policy = graft::CachePolicy::ForbidCompiling;
  graft::Engine engine(there);
  const graft::Image image = graft::build(engine, callback, graft::Architecture(90));
  // [/deployed]
  expect(image.report().from_cache && engine.counters().layer_hits == 1 && engine.counters().builds == 0);
  try {
    graft::build(engine, "__device__ float g(float x) { return 3 * x; }", graft::Architecture(90));
    expect(false);
  } catch (const graft::Error& error) {
    expect(error.code() == graft::ErrorCode::CompilingForbidden);
  }
}

}  // namespace guide
