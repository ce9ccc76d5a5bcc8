#include "engine/tunings.hpp"

#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "base/read_file.hpp"
#include "core/fail.hpp"
#include "engine/logger.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"
#include "store/tuning_place.hpp"

namespace graft::engine {

std::string read_tuning(std::string_view text, format::TuningFile& file) {
  format::Outcome<format::TuningFile> found = format::read_tuning_file(text);
  if (!found) return found.error().message;
  for (const families::Family* const family : families::all())
    if (const std::string why = family->objection_to_tuning(*found); !why.empty())
      return base::format("it has a tuning that no kernel can have: {}", why);
  file = std::move(*found);
  return {};
}

Tunings::Tunings(const CacheSettings& settings, std::filesystem::path named, const Logger& logger)
    : settings_(settings), named_path_(std::move(named)), logger_(logger) {}

// An engine that may not compile takes the kernels that there are, which were made somewhere else and not for this GPU.
bool Tunings::may_exist() const noexcept {
  return !named_path_.empty() || (settings_.uses_disk() && settings_.may_build());
}

Tunings::Pointer Tunings::of_gpu(const format::TunedGpu& gpu, Architecture architecture) {
  if (!may_exist()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto if_fitting = [&](const Pointer& file) {
    const bool fits = file != nullptr && file->gpu == gpu && file->architecture == architecture.number;
    return fits ? file : nullptr;
  };
  if (!named_path_.empty()) return if_fitting(read_named());
  const auto [place, is_new] = of_gpus_.try_emplace(format::tuning_file_name(gpu));
  if (is_new) place->second = look_for(gpu);
  return if_fitting(place->second);
}

Tunings::Pointer Tunings::named_for(Architecture architecture) {
  if (named_path_.empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  Pointer file = read_named();
  return file->architecture == architecture.number ? file : nullptr;
}

Tunings::Pointer Tunings::read_named() {
  if (named_ == nullptr && named_problem_.empty()) {
    const base::FileContent text = base::read_file(named_path_, format::kLargestTuningFile);
    format::TuningFile file;
    named_problem_ = text ? read_tuning(*text, file) : text.problem();
    if (named_problem_.empty()) named_ = std::make_shared<const format::TuningFile>(std::move(file));
  }
  if (named_ == nullptr)
    fail(ErrorCode::FileUnreadable,
         base::format("the tuning file {} of EngineOptions::tuning_file cannot be used: {}", named_path_.string(),
                      named_problem_),
         "Measure the GPU again with graft tune, or leave EngineOptions::tuning_file unset.");
  return named_;
}

Tunings::Pointer Tunings::look_for(const format::TunedGpu& gpu) const {
  store::TuningText found = store::find_tuning(settings_.store, format::tuning_file_name(gpu));
  format::TuningFile file;
  if (!found.text.empty())
    if (const std::string why = read_tuning(found.text, file); !why.empty())
      found.problem = base::format("{} cannot be used: {}", found.path.string(), why);
  if (!found.problem.empty())
    logger_.tell(LogKind::CacheProblem, LogSeverity::Warning, {}, 0, [&] { return "tuning: " + found.problem; });
  return file.architecture == 0 ? nullptr : std::make_shared<const format::TuningFile>(std::move(file));
}

}  // namespace graft::engine
