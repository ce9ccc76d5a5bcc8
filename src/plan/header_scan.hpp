// The headers that a callback may include, by graft's own scan: what the cache key needs, without a compiler.
//
//     #include "filter.h"     every filter.h that any search could find counts, and what each of them includes:
//                             one given in memory, one beside the file that includes it, one in a user's folder
//
// It errs on the side of too much: all branches of every #if, and every candidate rather than the first. A name that is
// nowhere is the tools' own, which counts by name, that is by the text which includes it. What such a scan cannot see
// keeps the request off the disk.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graft/options.hpp"

namespace graft::plan {

// The text of a header file; nothing when there is none. Empty names and folders are never asked for.
using ReadHeader = std::function<std::optional<std::string>(const std::filesystem::path&)>;

struct HeaderFound {
  std::string where;           // "memory", "beside" (the file that includes it), "here" (the working folder), "folder"
  std::string name;            // as the #include says
  std::filesystem::path path;  // empty for one in memory
  std::string text;
};

struct HeaderScan {
  std::vector<HeaderFound> headers;      // in the order of the scan, a file once for each #include that may mean it
  std::vector<std::string> memory_only;  // why the scan does not decide what is compiled; one phrase each
};

// `texts`: the callback's own, and whatever else is compiled that the user wrote.
HeaderScan scan_headers(const std::vector<std::string_view>& texts, const Options& options, const ReadHeader& read);

}  // namespace graft::plan
