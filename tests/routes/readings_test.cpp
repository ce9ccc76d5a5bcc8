// Tests that graft splits the text of a callback into tokens once, whatever it looks for in the text. Plain functions
// were read three times, and members of chains about ten times. With a cache on disk, the key of a text with directives
// and the recipe read it once more each.
#include <gtest/gtest.h>

#include <string>

#include "graft/graft.hpp"
#include "reflect/text/text.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

std::size_t readings(const Callback& callback, Route route) {
  Engine engine({.cache = {.policy = CachePolicy::Off}});
  Options options = by(route);
  options.allow_thread_words = true;
  const std::size_t before = reflect::Text::readings();
  build(engine, callback, Architecture(90), options);
  return reflect::Text::readings() - before;
}

TEST(Readings, OneForEachCallback) {
  const Callback relu = "__device__ float relu(float x) { return x > 0 ? x : 0; }";
  const Callback lambda = "[](float x) { int64_t n = 2; return n * x; }";
  const Callback warp = "#define N 2\n__device__ float warp(float x) { return N * x / warpSize; }";
  readings(chain(relu, warp), Route::Lto);  // reads graft's own headers
  for (const Route route : {Route::Lto, Route::Program, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    for (const Callback& callback : {relu, lambda, warp}) EXPECT_EQ(readings(callback, route), 1u);
    EXPECT_EQ(readings(chain(relu, lambda, warp, relu), route), 3u);
  }
}

}  // namespace
}  // namespace graft::test
