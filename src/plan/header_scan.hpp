// Finds the headers that a callback may include, without running a compiler. The cache key on disk lists the headers
// that this scan finds.
//
//     #include "filter.h"     records and scans every filter.h that a compiler could find: the one given in memory, the
//                             one beside the including file, and the one in each of the user's include folders
//
// The scan records too much rather than too little. It follows all branches of every #if, and records every candidate
// instead of only the first. A header that is found nowhere is assumed to be one of the tools' own (NVRTC's or the
// toolkit's), and the key does not contain its content. Sometimes a scan without a preprocessor cannot decide what is
// compiled, for example with a computed #include or __has_include. Such a request is not cached on disk.
//
// The scan opens paths as compilers spell them, so that the system resolves links and "..". For a quoted name, NVRTC
// and g++ search first beside the including file, using the path by which they opened that file, and then in the
// include folders. For a name in angle brackets they search only in the include folders. The callback's source and the
// headers in memory count as files in the working folder that have the names they were given, and a source may have a
// folder of its own that is searched first (Callback::with_folder). NVRTC reads a file with #pragma once only once,
// whatever paths lead to the file, but reads two different files with equal content twice. So the key also records
// which of the found headers are the same file. NVRTC does not tell two files apart whose paths are the same text
// without "..", so that requests with both are not cached on disk.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.hpp"
#include "base/seen_file.hpp"
#include "graft/options.hpp"

namespace graft::plan {

// The scan's access to the file system. A test can replace it by a file system that does not exist. All paths are
// absolute.
struct HeaderWorld {
  std::function<base::SeenFile(const std::string& path)> read;
  // Returns the absolute path of the working folder. Empty when the folder was removed.
  std::function<std::string()> working_folder;
  // Returns a string that identifies the toolkit whose headers are in an include folder. Returns an empty string for a
  // folder of the user's headers.
  std::function<std::string(const std::string& folder)> toolkit_in = {};
  // Like `read`, without reading the text. The scan uses it for toolkit headers.
  std::function<base::SeenFile(const std::string& path)> see = {};
};

// The files of this machine, among which no toolkit's are told apart.
HeaderWorld world_on_disk();

// The limit in bytes for one header, and also for all headers of a request together. A request above the limit is not
// cached on disk, because so many headers are not worth reading at every start of a program.
inline constexpr std::uint64_t kLargestHeader = std::uint64_t{64} << 20;

// A header that the scan found for an #include. It is one candidate; a compiler may choose another.
struct HeaderFound {
  // Where the header was found: "memory", "neighbour" (in memory, beside the including header), "beside" (beside the
  // including file), "linked" (beside the target of a symbolic link), "here" (in the working folder), "folder" (in an
  // include folder of the user) or "toolkit".
  std::string where;
  // The name as the #include spells it.
  std::string name;
  // The path on disk. Empty for a header in memory.
  std::string path;
  std::uint64_t size = 0;
  // The hash of the header's text. For a toolkit's header, the hash of the string from HeaderWorld::toolkit_in.
  base::Hash128 hash;
  // The number of the text that contains the #include. 0 means a text of the user, and -n the n-th of the user's texts
  // if this text has a folder of its own.
  int includer = 0;
  // The number of the header's text in the order of the scan. 0 when the header was not scanned.
  int text = 0;
  // The number of the file. Two names or paths of the same file have the same number.
  int file = 0;
  bool operator==(const HeaderFound&) const = default;
};

// A path at which the scan looked for a header, and what the scan found there.
struct HeaderLook {
  std::string path;
  // What was found, without its text.
  base::SeenFile file;
  // True when compilers search this path too. False when only the scan looks there, because it prefers a header too
  // many to a header too few.
  bool is_searched = false;
};

// A text that the scan read: a file or a header in memory.
struct ScannedText {
  std::string text;
  base::Hash128 hash = base::hash(text);
  // The name of a header in memory. For a file, the path by which compilers open it, which their messages show. Empty
  // for a file that compilers do not open.
  std::string name = {};
  bool is_file = false;
  // For each #include (its name, and whether the name is in angle brackets) for which compilers open a file of the
  // user's: the number of the file's text. Compilers prefer a header in memory whose name is the #include's name.
  std::map<std::pair<std::string, bool>, int> files = {};
  // The number under which compilers get the text. All texts of a file with #pragma once have the same number.
  int number = 0;
};

struct HeaderScan {
  // In the order of the scan. A file is listed once for each #include that may mean the file.
  std::vector<HeaderFound> headers;
  // The texts by their numbers (HeaderFound::text). The first one stands for all texts of the user and has only
  // `files`. For a text with a folder of its own, the names of the files in this folder are their paths.
  std::deque<ScannedText> texts;
  // Every path at which the scan looked for a header, in the order of the scan.
  std::vector<HeaderLook> looks;
  // One string for each toolkit whose headers were found, as HeaderWorld::toolkit_in returns it.
  std::vector<std::string> toolkits;
  // The reasons why the request must not be cached on disk. Each element is a clause that says why the scan cannot
  // decide what is compiled: "it uses __has_include". Empty when the request may be cached.
  std::vector<std::string> memory_only;
  // Names a header that a compiler would open and never finish reading: "<path> is a FIFO". Empty when there is no such
  // header.
  std::string endless;
  std::string working_folder;
  // True when a text includes a header that was found nowhere, and that the tools therefore must have.
  bool has_tools_headers = false;

  // Returns whether the scan found a file at this path.
  bool found(const std::string& path) const;
};

// A text of the user that is compiled: a callback's source, a macro, an entry name, a signature.
struct UserText {
  std::string_view text;
  // The absolute path of the folder in which quoted #includes are searched before the working folder
  // (Callback::with_folder). Empty for none.
  std::string_view folder = {};
};

HeaderScan scan_headers(const std::vector<UserText>& texts, const Options& options, const HeaderWorld& world);

// Returns the path of a file that is there now, although the scan found none where compilers look for a header. Empty
// when there is no such file, and when the scan found a header for each #include, because compilers then open no other.
std::string appeared_since(const HeaderScan& scan, const HeaderWorld& world);

}  // namespace graft::plan
