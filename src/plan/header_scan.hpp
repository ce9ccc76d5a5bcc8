// The headers that a callback may include, by graft's own scan: what the cache key needs, without a compiler.
//
//     #include "filter.h"     every filter.h that any search could find counts, and what each of them includes:
//                             one given in memory, one beside the file that includes it, one in a user's folder
//
// It errs on the side of too much: all branches of every #if, and every candidate rather than the first. A name that is
// nowhere is the tools' own, which counts by name, that is by the text which includes it. What such a scan cannot see
// keeps the request off the disk.
//
// Paths are left as compilers spell them, and opened: what a link or ".." leads to is for the system to say. NVRTC and
// g++ look for a quoted name beside the file that includes it, by the path under which that file was opened, and then
// in the include folders; for a name in angles in the include folders alone. A program, and a header in memory, stand
// in the working folder, at their name. NVRTC reads a file once that says #pragma once, whatever its names, and two
// equal files twice: so the key tells which of the headers are one file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "base/seen_file.hpp"
#include "graft/options.hpp"

namespace graft::plan {

// What the scan asks of the machine, so that a test can answer for a disk that does not exist. Paths are absolute.
struct HeaderWorld {
  std::function<base::SeenFile(const std::string& path)> read;
  std::function<std::string()> working_folder;  // empty where it was removed
  // Which toolkit's own headers are in an include folder; empty where they are the user's.
  std::function<std::string(const std::string& folder)> toolkit_in = {};
  std::function<base::SeenFile(const std::string& path)> see = {};  // without the text: for a toolkit's files
};

// Of a file, and of all files of a request together: a larger tree is not worth reading at every start of a program.
inline constexpr std::uint64_t kLargestHeader = std::uint64_t{64} << 20;

// A header that an #include may mean.
struct HeaderFound {
  std::string where;  // "memory", "beside" (the file that includes it), "linked" (beside the file that a link leads
                      // to), "here" (the working folder), "folder", "toolkit"
  std::string name;   // as the #include says
  std::string path;   // empty for one in memory
  std::uint64_t size = 0;
  base::Hash128 hash;  // of the text; of a toolkit's, of what toolkit_in says
  int includer = 0;    // the text with the #include: 0 for the callback's own, then the headers in order of the scan
  int text = 0;        // its own number as such a text; 0: not scanned
  int file = 0;        // equal for one file under several names, be it in several folders
  bool operator==(const HeaderFound&) const = default;
};

// A path at which a header was looked for, and what was there.
struct HeaderLook {
  std::string path;
  base::SeenFile file;       // without its text
  base::Hash128 hash;        // of the text
  bool is_searched = false;  // compilers look there too; else it is looked at to be on the safe side
};

struct HeaderScan {
  std::vector<HeaderFound> headers;      // in the order of the scan, a file once for each #include that may mean it
  std::vector<HeaderLook> looks;         // in the order of the scan, each path once
  std::vector<std::string> toolkits;     // whose headers are among them, as toolkit_in says
  std::vector<std::string> memory_only;  // why the scan does not decide what is compiled; one phrase each
  std::string endless;  // "<path> is a FIFO": the file that compilers take for a header, and never read to its end
  std::string working_folder;
  base::FileTime begun;
};

// `texts`: the callback's own, and whatever else is compiled that the user wrote.
HeaderScan scan_headers(const std::vector<std::string_view>& texts, const Options& options, const HeaderWorld& world);

}  // namespace graft::plan
