// A request's options as it takes them over: include folders are absolute from here on, so that the process may enter
// another working folder, and no compiler is given a name that it could take for something else ("@file"). In the
// closed mode the request is checked here, before any cache is asked, and has the ceiling of registers that the mode
// sets.
#pragma once

#include <optional>

#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft {

// Refers to the options that it was made of, unless something had to be changed.
class TakenOptions {
 public:
  // Throws Error(InvalidArgument) where a folder is relative and the working folder was removed, and for what the
  // closed mode refuses.
  TakenOptions(const Callback& callback, const Options& options);

  const Options& get() const noexcept { return changed_ ? *changed_ : given_; }

 private:
  void make_folders_absolute();

  const Options& given_;
  std::optional<Options> changed_;
};

}  // namespace graft
