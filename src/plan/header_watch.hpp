// Whether a kernel was made of the headers that the scan before its build saw. Compilers open headers themselves, and
// say not which; a header that somebody edits meanwhile may have been read before or after. So the scan runs again
// after the build, and a kernel counts as made of what both saw only when nothing moved in between.
//
// Two looks that see the same state prove that nothing moved when file times can tell: the clock that they come from
// advances in steps of up to 10 ms, so what was changed just before the first look might have changed again unseen. A
// system whose file times are whole seconds shows them so.
#pragma once

#include <string>

#include "base/path_stamps.hpp"
#include "plan/header_scan.hpp"

namespace graft::plan {

class HeaderWatch {
 public:
  // To be made after the scan and before the build begins. `before` must outlive it. `temporary`: the folder for
  // temporary files, which changes all the time, also by graft itself, and says nothing of headers.
  HeaderWatch(const HeaderScan& before, const std::string& temporary);

  // `after`: a scan of the same request when the build has ended. Why the kernel may not be one of the headers that
  // were seen before: "the header /x/k.h changed while the kernel was built". Empty where it is.
  std::string objection(const HeaderScan& after) const;

 private:
  const HeaderScan& before_;
  const base::FileIdentity temporary_;
  const base::PathStamps stamps_;
};

}  // namespace graft::plan
