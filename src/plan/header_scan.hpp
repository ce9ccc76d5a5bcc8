// Finds the headers that a callback may include, without running a compiler. The cache key lists what the scan finds.
//
//     #include "filter.h"     records and scans every filter.h that a compiler could find: one given in memory, one
//                             beside the including file, one in each of the user's include folders
//
// The scan errs on the side of too much: it follows all branches of every #if, and records every candidate and not only
// the first. A name that is found nowhere belongs to the tools, and is in the key only with the text that includes it.
// Where a scan without a preprocessor cannot decide what is compiled (a computed #include, __has_include), the request
// is not cached on disk.
//
// Paths are opened as compilers spell them, so that the system resolves links and "..". NVRTC and g++ look for a quoted
// name beside the including file, by the path under which that file was opened, and then in the include folders; for a
// name in angle brackets they look in the include folders alone. The program and the headers in memory count as files
// in the working folder with the name that they were given. NVRTC reads a file with #pragma once only once, whatever
// paths lead to it, but reads two equal files twice. So the key tells which headers are the same file.
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

// The scan's access to the file system, so that a test can provide a file system that does not exist. Paths are
// absolute.
struct HeaderWorld {
  std::function<base::SeenFile(const std::string& path)> read;
  std::function<std::string()> working_folder;  // its absolute path; empty when it was removed
  // Identifies the toolkit whose headers are in an include folder; empty for a folder of the user's headers.
  std::function<std::string(const std::string& folder)> toolkit_in = {};
  std::function<base::SeenFile(const std::string& path)> see = {};  // like read, without the text: for toolkit headers
};

// The limit in bytes for one header, and for all headers of a request together: a larger tree is not worth reading at
// every start of a program.
inline constexpr std::uint64_t kLargestHeader = std::uint64_t{64} << 20;

// A header that an #include may mean.
struct HeaderFound {
  std::string where;  // "memory", "beside" (the including file), "linked" (beside the target of a symbolic link),
                      // "here" (the working folder), "folder" (an include folder of the user), "toolkit"
  std::string name;   // as spelled in the #include
  std::string path;   // empty for a header in memory
  std::uint64_t size = 0;
  base::Hash128 hash;  // of the text; for a toolkit's header, of the toolkit_in string
  int includer = 0;    // the number of the text with the #include; 0: the callback's own text
  int text = 0;        // the header's number as a scanned text, in the order of the scan; 0: not scanned
  int file = 0;        // the same number for one file under several names, also in several folders
  bool operator==(const HeaderFound&) const = default;
};

// A path at which the scan looked for a header, and what was there.
struct HeaderLook {
  std::string path;
  base::SeenFile file;       // without its text
  base::Hash128 hash;        // of the text
  bool is_searched = false;  // compilers look there too; false: the scan looks there to be on the safe side
};

struct HeaderScan {
  std::vector<HeaderFound> headers;      // in the order of the scan; a file once for each #include that may mean it
  std::vector<HeaderLook> looks;         // in the order of the scan
  std::vector<std::string> toolkits;     // the toolkit_in strings of the toolkits whose headers were found
  std::vector<std::string> memory_only;  // why the scan cannot decide what is compiled, one clause each; else empty
  std::string endless;  // "<path> is a FIFO": a header that compilers would open and never read to its end; else empty
  std::string working_folder;
  base::FileTime begun;  // when the scan began
};

// `texts`: the callback's source, and all other text of the user that is compiled (macros, entry names, signatures).
HeaderScan scan_headers(const std::vector<std::string_view>& texts, const Options& options, const HeaderWorld& world);

}  // namespace graft::plan
