// The tuning files of an engine (format/tuning_file.hpp): the one that EngineOptions::tuning_file names, or those that
// `graft tune` left in the cache's folder and in its layers. Each is read once, when a kernel for its GPU is first
// requested.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/cache_settings.hpp"
#include "format/tuning_file.hpp"
#include "graft/architecture.hpp"

namespace graft::engine {

class Logger;

// The functions are thread-safe.
class Tunings {
 public:
  using Pointer = std::shared_ptr<const format::TuningFile>;

  // `settings` and `logger` must outlive this object. `named`: EngineOptions::tuning_file.
  Tunings(const CacheSettings& settings, std::filesystem::path named, const Logger& logger);

  // Whether a GPU could have a file: false if none is named and the engine does not look for any.
  bool may_exist() const noexcept;

  // Returns what was measured on the GPU, for kernels of this architecture. Null if nothing was. Equal questions have
  // equal answers. Throws Error(FileUnreadable) if the named file cannot be used; a problem with another file is told
  // to the log.
  Pointer of_gpu(const format::TunedGpu& gpu, Architecture architecture);

  // Returns the named file if it is of this architecture, for kernels that are made without a GPU. Null otherwise.
  // Throws Error(FileUnreadable) if the named file cannot be used.
  Pointer named_for(Architecture architecture);

 private:
  Pointer read_named();
  Pointer look_for(const format::TunedGpu& gpu) const;

  const CacheSettings& settings_;
  const std::filesystem::path named_path_;
  const Logger& logger_;
  std::mutex mutex_;
  Pointer named_;
  std::string named_problem_;
  std::map<std::string, Pointer> of_gpus_;  // by name of the file
};

// Reads the text of a tuning file, and checks it with all families. Returns the reason why it cannot be used as a
// clause, or an empty text if `file` was read.
std::string read_tuning(std::string_view text, format::TuningFile& file);

}  // namespace graft::engine
