// The tuning files of an engine (format/tuning_file.hpp): the one that EngineOptions::tuning_file names, or those that
// `graft tune` left in the cache's folder and in its layers. Each is read once, when a kernel for its GPU is first
// requested. A family checks it when a kernel of the family is first requested, because a check may take some
// milliseconds for each row. A file that cannot be used for one family can be used for the others.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/cache_settings.hpp"
#include "families/family.hpp"
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

  // Returns what was measured on the GPU, for kernels of this architecture and family. Null if nothing was. Equal
  // questions have equal answers. Throws Error(FileUnreadable) if the named file cannot be used; a problem with another
  // file is told to the log.
  Pointer of_gpu(const format::TunedGpu& gpu, Architecture architecture, const families::Family& family);

  // Returns the named file if it is of this architecture, for kernels that are made without a GPU. Null otherwise.
  // Throws Error(FileUnreadable) if the named file cannot be used.
  Pointer named_for(Architecture architecture, const families::Family& family);

  // Returns what was measured on any GPU of this architecture, for kernels that are made without one: the named file,
  // or all those that engines with this cache could find on such GPUs. Throws Error(FileUnreadable) if the named file
  // cannot be used; a problem with another file is told to the log.
  std::vector<Pointer> of_all_gpus(Architecture architecture, const families::Family& family);

 private:
  // A file that was read, and what the families that were asked found wrong with it: nothing, or why it cannot be used.
  struct Known {
    Pointer file = {};  // null if there is none
    std::filesystem::path path = {};
    std::map<const families::Family*, std::string> problems = {};
  };

  static const std::string& problem_with(Known& known, const families::Family& family);
  const Pointer& read_named(const families::Family& family);
  // The file of this name in the cache. The caller holds the mutex, as for all functions that return a Known.
  Known& in_cache(const std::string& name);
  Known look_for(const std::string& name) const;
  // The file, if kernels of the family can have its numbers. Null otherwise; why is told once.
  Pointer usable(Known& known, const families::Family& family);
  const std::vector<std::string>& names_in_cache();
  void tell(const std::filesystem::path& path, const std::string& problem) const;

  const CacheSettings& settings_;
  const std::filesystem::path named_path_;
  const Logger& logger_;
  std::mutex mutex_;
  Known named_;
  std::string named_problem_;
  std::map<std::string, Known> of_gpus_;  // by name of the file
  std::optional<std::vector<std::string>> names_in_cache_;
};

// Reads the text of a tuning file, and checks it with all families. Returns the reason why it cannot be used as a
// clause, or an empty text if `file` was read.
std::string read_tuning(std::string_view text, format::TuningFile& file);

}  // namespace graft::engine
