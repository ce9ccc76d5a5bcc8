// Decides whether a kernel was built from the headers that the scan before its build saw. Compilers open headers
// themselves and do not say which, and somebody may edit a header during the build. So the headers are scanned again
// after the build, and the kernel counts as built from them only when nothing changed in between.
//
// Equal file times prove that nothing changed only if two changes cannot have the same time. The clock for file times
// advances in steps of up to 10 ms, so a file that was changed just before the first scan may change again unseen. A
// header whose change is less than 20 ms older than the first scan is therefore refused too; where file times are whole
// seconds, less than 2 s.
#pragma once

#include <string>

#include "base/path_stamps.hpp"
#include "plan/header_scan.hpp"

namespace graft::plan {

class HeaderWatch {
 public:
  // Construct it after the first scan and before the build. `before` must outlive the HeaderWatch. `temporary`: the
  // folder for temporary files, whose own changes are ignored, because graft itself makes files there during a build.
  HeaderWatch(const HeaderScan& before, const std::string& temporary);

  // `after`: a scan of the same request after the build. Returns why the kernel may have been built from other headers
  // than the first scan saw: "the header /x/k.h changed while the kernel was built". Empty when it was built from them.
  std::string objection(const HeaderScan& after) const;

 private:
  const HeaderScan& before_;
  const base::FileIdentity temporary_;
  const base::PathStamps stamps_;
};

}  // namespace graft::plan
