// The key of a request: everything that decides what is built, and nothing else. Text of tagged fields
// (format/key_fields.hpp), so that a person can read why two requests differ; what has its default value is left out.
//
// There are two. In memory a request is told apart by what it says, and by the working folder where it could include
// something from there: that costs nothing, but a header that changed on disk is not seen until the engine goes. On
// disk it is told apart by what it means on any machine: headers by content, no paths, and no order of what has none.
// Neither says which graft makes the kernel: an entry keeps what it was made of (build/recipe.hpp).
//
// Pure, but for the headers that the HeaderWorld gives.
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

// All that the options say, `devices` and `architecture` too. Empty for default options. `working_folder`: of a request
// that can include something; else empty.
std::string options_key(const Options& options, std::string_view working_folder = {});

// Whether the request has an #include, or what could be one. Errs on the side of yes.
bool can_include(const Callback& callback, const Options& options);

// In memory, for one architecture. Two requests with equal keys share one image. `working_folder`: as above.
std::string request_key(const Callback& callback, std::optional<Architecture> architecture, const Options& options,
                        std::string_view working_folder = {});

struct DiskKey {
  std::string text;
  base::Hash128 hash;  // of the text: the entry's name
  // Why the request may be answered from memory alone; empty when it may go to disk.
  std::vector<std::string> memory_only;
  HeaderScan headers;  // that the text was made of
  bool has_recipe = false;
};

// `exact_tools` names the tools for a caller who wants others to make another kernel; else empty.
DiskKey disk_key(const Callback& callback, Architecture architecture, const Options& options, const HeaderWorld& world,
                 std::string_view exact_tools = {});

// The same request as a build asks for whose kernel is made of something else than the one that has the plain key:
// `recipe` says of what (build/recipe.hpp).
void add_recipe(DiskKey& key, std::string_view recipe);

// The headers alone, of any request.
HeaderScan scan_headers(const Callback& callback, const Options& options, const HeaderWorld& world);

}  // namespace graft::plan
