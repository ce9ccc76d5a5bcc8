// The key of a request: everything that decides what is built, and nothing else. It is a text of tagged fields
// (format/key_fields.hpp), so that a person can read why two requests differ. Fields with their default value are left
// out.
//
// There are two keys. The key in memory (request_key) contains the request as the caller wrote it, and the working
// folder when the request could include something from there. It is cheap, but a header that changes on disk goes
// unnoticed for the life of the engine. The key on disk (disk_key) contains what the request means on any machine:
// headers by content, no paths, and sorted where the order does not matter.
//
// Neither key says which build of graft makes the kernel: each cache entry has a recipe for that (routes/recipe.hpp).
//
// Pure functions, except that disk_key reads headers through its HeaderWorld.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "graft/architecture.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "plan/header_scan.hpp"

namespace graft::plan {

// The options alone, `devices` and `architecture` included. Empty for default options. `working_folder`: pass it for a
// request that can include something, and an empty one otherwise.
std::string options_key(const Options& options, std::string_view working_folder = {});

// Whether the request has an #include, or text that could be one. Errs on the side of yes.
bool can_include(const Callback& callback, const Options& options);

// The key in memory, for one architecture. Requests with equal keys share one image. `working_folder`: as for
// options_key.
std::string request_key(const Callback& callback, std::optional<Architecture> architecture, const Options& options,
                        std::string_view working_folder = {});

struct DiskKey {
  std::string text;
  base::Hash128 hash;  // of the text; names the cache entry
  // Why the request must not be cached on disk, one clause each; empty when it may be.
  std::vector<std::string> memory_only;
  HeaderScan headers;       // the scan from which the text was made
  bool has_recipe = false;  // add_recipe was called
};

// The key on disk. `exact_tools` identifies the tools when kernels by different tools must have different keys; else
// empty.
DiskKey disk_key(const Callback& callback, Architecture architecture, const Options& options, const HeaderWorld& world,
                 std::string_view exact_tools = {});

// Adds the recipe of this build of graft (routes/recipe.hpp) to the key. Used when the entry with the key as it was has
// another recipe: the kernels of both builds then have entries beside each other.
void add_recipe(DiskKey& key, std::string_view recipe);

// The header scan of a request, without its key.
HeaderScan scan_headers(const Callback& callback, const Options& options, const HeaderWorld& world);

}  // namespace graft::plan
