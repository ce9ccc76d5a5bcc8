// The key of a request contains everything that decides what is built, and nothing else. A key is a text of tagged
// fields (format/key_fields.hpp), so that a person can read why two requests differ. Fields with their default value
// are left out.
//
// There are two keys. The key in memory (request_key) contains the request as the caller wrote it, and the working
// folder if the request could include a file from there. This key is cheap to compute, but an engine does not notice
// when a header on disk changes. The key on disk (disk_key) contains what the request means on any machine: headers by
// content, no paths, and lists sorted where their order does not matter.
//
// By default, neither key depends on the build of graft that makes the kernel. Instead, each cache entry contains the
// hash of its recipe, which is everything that graft itself adds to the kernel (routes/recipe.hpp). If two builds of
// graft need separate entries for one request, add_recipe adds the hash to the key on disk.
//
// All functions are pure, except that disk_key and scan_headers read headers through the HeaderWorld.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "core/step.hpp"
#include "graft/architecture.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "plan/header_scan.hpp"

namespace graft::plan {

// The key of the options alone, including `devices` and `architecture`. Empty for default options. Pass
// `working_folder` for a request that can include a file, and an empty string otherwise.
std::string options_key(const Options& options, std::string_view working_folder = {});

// Returns whether the request has an #include, or text that could become one. When in doubt, returns true.
bool can_include(const Callback& callback, const Options& options);

// The key in memory, for one architecture. Requests with equal keys share one image. Pass `working_folder` as for
// options_key.
std::string request_key(const Step& step, std::optional<Architecture> architecture, const Options& options,
                        std::string_view working_folder = {});

struct DiskKey {
  std::string text;
  // The hash of `text`, from which the file name of the cache entry is made.
  base::Hash128 hash;
  // The reasons why the request must not be cached on disk, one clause each. Empty when it may be cached.
  std::vector<std::string> memory_only;
  // The scan that found the headers listed in `text`.
  HeaderScan headers;
  // True after add_recipe has added the recipe to this key.
  bool has_recipe = false;
};

// The key on disk. `exact_tools` identifies the tools (Toolkit::identity) if kernels that were made by different tools
// must have different keys (CacheOptions::exact_tools). Otherwise `exact_tools` is empty.
DiskKey disk_key(const Step& step, Architecture architecture, const Options& options, const HeaderWorld& world,
                 std::string_view exact_tools = {});

// Adds the hash of this build's recipe (routes/recipe.hpp) to the key. Called when the cache entry under the key
// without a recipe was made by another build of graft with another recipe. The kernels of both builds then have
// separate cache entries.
void add_recipe(DiskKey& key, std::string_view recipe);

// Scans the headers of a request without making its key.
HeaderScan scan_headers(const Callback& callback, const Options& options, const HeaderWorld& world);

}  // namespace graft::plan
