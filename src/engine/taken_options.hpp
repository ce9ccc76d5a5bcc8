// The caller's options as an engine takes them over.
//
// Include folders become absolute. A later chdir then does not change the request, and no compiler gets a relative name
// that it could take for something else ("@file").
//
// In the closed mode (Options::closed) the request is checked here, before any cache is asked, and max_registers
// becomes the ceiling of that mode.
#pragma once

#include <optional>

#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft::engine {

// Refers to the caller's options; holds a copy only if something had to be changed.
class TakenOptions {
 public:
  // Throws Error(InvalidArgument) for a relative folder if the working folder was removed, and for what the closed mode
  // refuses.
  TakenOptions(const Callback& callback, const Options& options);

  const Options& get() const noexcept { return changed_ ? *changed_ : given_; }

 private:
  void make_folders_absolute();

  const Options& given_;
  std::optional<Options> changed_;
};

}  // namespace graft::engine
