// Tests that NVRTC's own cache is off in every compile. NVRTC stores its results in the driver's cache under a key that
// ignores -ftz, so in version 0.1, a build with flush_to_zero and a build without it got the same kernel. graft
// disables the driver's cache in each compile, on every route.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "graft/graft.hpp"
#include "support/routes.hpp"
#include "support/spy_nvrtc.hpp"

namespace graft::test {
namespace {

constexpr const char* kSource = "__device__ float thrice(float x) { return 3 * x; }";

// Returns an empty string if there was at least one compile and each compile had the option that disables the cache.
// Otherwise returns what was wrong.
std::string objection(const SpyToolkit& spy) {
  const auto compiles = spy.compiles();
  if (compiles.empty()) return "nothing was compiled";
  for (const SpyToolkit::Options& options : compiles)
    if (std::ranges::count(options, "-no-cache") != 1) return fmt::format("compiled with {}", fmt::join(options, " "));
  return {};
}

TEST(NvrtcsCache, EveryRouteCompilesWithoutNvrtcsCache) {
  const SpyToolkit spy;
  Engine engine({.cuda_path = spy.path(), .host_compiler = {}, .cache = {.policy = CachePolicy::Off}});
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    for (const bool flush : {false, true}) {
      Options options;
      options.routes.required = route;
      options.floating_point.flush_to_zero = flush;
      spy.forget();
      EXPECT_EQ(build(engine, kSource, Architecture(90), options).report().kernel.route, route);
      EXPECT_EQ(objection(spy), "");
    }
  }
}

TEST(NvrtcsCache, EveryFormatIsCompiledWithoutNvrtcsCache) {
  const SpyToolkit spy;
  Engine engine({.cuda_path = spy.path(), .host_compiler = {}, .cache = {.policy = CachePolicy::Off}});
  for (const PrecompileFormat format :
       {PrecompileFormat::LtoIr, PrecompileFormat::Ptx, PrecompileFormat::Cubin, PrecompileFormat::Fatbin,
        PrecompileFormat::Pack, PrecompileFormat::PackWithCubins}) {
    SCOPED_TRACE(name(format));
    spy.forget();
    try {
      EXPECT_FALSE(precompile(engine, kSource, {Architecture(80)}, format).empty());
    } catch (const Error& error) {  // some toolkits lack libnvfatbin
      EXPECT_EQ(error.code(), ErrorCode::ToolMissing) << error.what();
      EXPECT_EQ(format, PrecompileFormat::Fatbin) << error.what();
      continue;
    }
    EXPECT_EQ(objection(spy), "");
  }
}

// For callbacks given as LTO-IR or PTX, graft also calls NVRTC: it compiles the adapter (generated code that connects
// the callback to graft's kernel). With a toolkit older than the one that made graft's LTO-IR, it also recompiles the
// building block (graft's own part of the kernel).
TEST(NvrtcsCache, AdaptersOfCompiledCallbacksToo) {
  const SpyToolkit spy;
  Engine engine({.cuda_path = spy.path(), .host_compiler = {}, .cache = {.policy = CachePolicy::Off}});
  const auto ltoir = precompile(engine, kSource, {Architecture(80)}, PrecompileFormat::LtoIr);
  const auto ptx = precompile(engine, kSource, {Architecture(80)}, PrecompileFormat::Ptx);
  const std::string text(reinterpret_cast<const char*>(ptx.data()), ptx.size());
  for (const Callback& callback : {Callback::ltoir(ltoir), Callback::ptx(text)}) {
    spy.forget();
    build(engine, callback.with_signature("float thrice(float)"), Architecture(80));
    EXPECT_EQ(objection(spy), "");
  }
}

}  // namespace
}  // namespace graft::test
