// Gives NVRTC the user's files from memory, as the scan for the cache key read them (plan/header_scan.hpp). The kernel
// is then made from the bytes that the key contains, also if somebody edits a header during the build.
//
//     #include <k.h>       becomes      #include "/dev/null/3"
//
// where "/dev/null/3" is the name of a header in memory, whose text begins with `#line 1 "/home/me/inc/k.h"`. NVRTC
// finds a header in memory only by the name as the #include spells it, so each #include gets the header's full name.
// The #line puts the path of the file into messages and line tables. NVRTC tells headers with #pragma once apart by the
// files that it finds under their names, or else by the names; no file can have a name below /dev/null.
#pragma once

#include <string>

#include "plan/header_scan.hpp"
#include "toolchain/nvrtc.hpp"

namespace graft::compile {

// Returns the program with the user's files as headers in memory. Leaves an #include alone if it names one of
// program.headers, or no file of the user's. HeaderScan::memory_only must be empty. The result has views into
// `program`, which must outlive it.
toolchain::NvrtcProgram with_scanned_headers(const toolchain::NvrtcProgram& program, const plan::HeaderScan& scan);

// Returns NVRTC's messages about such a program, with the paths of the files in place of the names below /dev/null.
std::string with_paths_of_files(std::string log, const plan::HeaderScan& scan);

}  // namespace graft::compile
