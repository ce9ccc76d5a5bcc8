// A checked copy of the caller's options, which an engine uses for one request; and absolute paths in those of the
// engine itself.
//
// Relative include folders become absolute paths. So a later chdir does not change the request, and no compiler
// mistakes the name of a folder for something else, for example "@x" for a file that contains options.
//
// In the closed mode (Options::closed), the constructor checks the request before any cache is searched, and sets
// max_registers to the smaller of Options::max_registers and Closed::max_registers. An Options::max_registers of 0
// means no limit, so Closed::max_registers is then the limit. A request that the closed mode refuses is told to the
// log: an administrator may want to know who sends such formulas.
#pragma once

#include <optional>
#include <span>

#include "graft/callback.hpp"
#include "graft/engine.hpp"
#include "graft/options.hpp"

namespace graft::engine {

class Logger;

// Refers to the caller's options, which must outlive it. Copies the options only if it has to change them.
class TakenOptions {
 public:
  // Throws Error(InvalidArgument) if a folder is relative and the working folder was removed, if an option is a number
  // that is no enumerator, or if the closed mode does not allow the request. `callbacks` are all those of the request.
  // `logger` is that of the engine, or null.
  TakenOptions(std::span<const Callback> callbacks, const Options& options, const Logger* logger = nullptr);
  TakenOptions(const Callback& callback, const Options& options, const Logger* logger = nullptr)
      : TakenOptions(std::span(&callback, 1), options, logger) {}

  const Options& get() const noexcept { return changed_ ? *changed_ : given_; }

 private:
  void make_folders_absolute();

  const Options& given_;
  std::optional<Options> changed_;
};

// Returns the engine's options with all paths absolute, so that they name the same files after a later chdir. A host
// compiler without a slash stays unchanged, because it is not a path but a name that graft looks up in PATH. Throws
// Error(SystemFailed) when a path is relative and the working folder was removed.
EngineOptions with_absolute_paths(EngineOptions options);

}  // namespace graft::engine
