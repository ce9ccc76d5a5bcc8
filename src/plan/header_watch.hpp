// Decides whether a kernel was built from the same headers that the scan before the build saw. Compilers open headers
// themselves and do not report which, and somebody may edit a header during the build. So graft scans the headers again
// after the build. The kernel counts as built from the scanned headers only when nothing changed between the two scans.
//
// Equal file times prove that a file did not change only if two changes cannot have the same time. The clock for file
// times advances in steps of up to 10 ms, so a file that changed just before the first scan may change again with the
// same time. A header that changed less than 20 ms before the first scan therefore counts as changed during the build.
// Where file times are whole seconds, the limit is 2 s.
#pragma once

#include <string>

#include "base/path_stamps.hpp"
#include "plan/header_scan.hpp"

namespace graft::plan {

class HeaderWatch {
 public:
  // Construct the HeaderWatch after the first scan and before the build. `before` must outlive the HeaderWatch.
  // `temporary` is the folder for temporary files. A change of this folder is no objection, because graft itself makes
  // files there during a build.
  HeaderWatch(const HeaderScan& before, const std::string& temporary);

  // `after` must be a scan of the same request after the build. Returns why the kernel may have been built from other
  // headers than the first scan saw, for example "the header /x/k.h changed while the kernel was built". Empty when the
  // kernel was built from the headers of the first scan.
  std::string objection(const HeaderScan& after) const;

 private:
  const HeaderScan& before_;
  const base::FileIdentity temporary_;
  const base::PathStamps stamps_;
};

}  // namespace graft::plan
