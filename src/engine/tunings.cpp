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

namespace {

// Reads the text without asking families whether kernels can have its numbers.
std::string parse(std::string_view text, format::TuningFile& file) {
  format::Outcome<format::TuningFile> found = format::read_tuning_file(text);
  if (!found) return found.error().message;
  for (const auto& [name, rows] : found->further)
    if (const families::Family* const family = families::find(name); family == nullptr || !family->has_tuning_rows())
      return "it has a member that graft does not know";
  file = std::move(*found);
  return {};
}

std::string objection_of(const families::Family& family, const format::TuningFile& file) {
  const std::string why = family.objection_to_tuning(file);
  return why.empty() ? why : base::format("it has a tuning that no kernel can have: {}", why);
}

}  // namespace

std::string read_tuning(std::string_view text, format::TuningFile& file) {
  format::TuningFile found;
  if (std::string why = parse(text, found); !why.empty()) return why;
  for (const families::Family* const family : families::all())
    if (std::string why = objection_of(*family, found); !why.empty()) return why;
  file = std::move(found);
  return {};
}

Tunings::Tunings(const CacheSettings& settings, std::filesystem::path named, const Logger& logger)
    : settings_(settings), named_path_(std::move(named)), logger_(logger) {}

// An engine that may not compile takes the kernels that there are, which were made somewhere else and not for this GPU.
bool Tunings::may_exist() const noexcept {
  return !named_path_.empty() || (settings_.uses_disk() && settings_.may_build());
}

const std::string& Tunings::problem_with(Known& known, const families::Family& family) {
  const auto [place, is_new] = known.problems.try_emplace(&family);
  if (is_new) place->second = objection_of(family, *known.file);
  return place->second;
}

Tunings::Pointer Tunings::of_gpu(const format::TunedGpu& gpu, Architecture architecture,
                                 const families::Family& family) {
  if (!may_exist()) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto fits = [&](const Pointer& file) {
    return file != nullptr && file->gpu == gpu && file->architecture == architecture.number;
  };
  if (!named_path_.empty()) return fits(read_named(family)) ? named_.file : nullptr;
  Known& known = in_cache(format::tuning_file_name(gpu));
  return fits(known.file) ? usable(known, family) : nullptr;
}

std::vector<Tunings::Pointer> Tunings::of_all_gpus(Architecture architecture, const families::Family& family) {
  std::vector<Pointer> found;
  const auto add = [&](Pointer file) {
    if (file != nullptr) found.push_back(std::move(file));
  };
  if (!named_path_.empty()) {
    add(named_for(architecture, family));
    return found;
  }
  if (!may_exist()) return found;
  const std::lock_guard lock(mutex_);
  for (const std::string& name : names_in_cache()) {
    Known& known = in_cache(name);
    if (known.file->architecture == architecture.number) add(usable(known, family));
  }
  return found;
}

// The names of the files that engines would find and could read.
const std::vector<std::string>& Tunings::names_in_cache() {
  if (names_in_cache_) return *names_in_cache_;
  const store::TuningNames listed = store::list_tunings(settings_.store);
  for (const std::string& problem : listed.problems) tell({}, problem);
  names_in_cache_.emplace();
  for (const std::string& name : listed.names) {
    const Known& known = in_cache(name);
    if (known.file == nullptr) continue;
    const std::string wanted = format::tuning_file_name(known.file->gpu);
    if (name == wanted) names_in_cache_->push_back(name);
    else tell(known.path, base::format("engines look for the tuning of its GPU under the name {}", wanted));
  }
  return *names_in_cache_;
}

Tunings::Known& Tunings::in_cache(const std::string& name) {
  const auto [place, is_new] = of_gpus_.try_emplace(name);
  if (is_new) place->second = look_for(name);
  return place->second;
}

Tunings::Pointer Tunings::usable(Known& known, const families::Family& family) {
  const bool is_asked_first = !known.problems.contains(&family);
  const std::string& problem = problem_with(known, family);
  if (is_asked_first && !problem.empty()) tell(known.path, problem);
  return problem.empty() ? known.file : nullptr;
}

Tunings::Pointer Tunings::named_for(Architecture architecture, const families::Family& family) {
  if (named_path_.empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  const Pointer& file = read_named(family);
  return file->architecture == architecture.number ? file : nullptr;
}

const Tunings::Pointer& Tunings::read_named(const families::Family& family) {
  if (named_.file == nullptr && named_problem_.empty()) {
    const base::FileContent text = base::read_file(named_path_, format::kLargestTuningFile);
    format::TuningFile file;
    named_problem_ = text ? parse(*text, file) : text.problem();
    if (named_problem_.empty()) named_.file = std::make_shared<const format::TuningFile>(std::move(file));
  }
  const std::string& problem = named_.file == nullptr ? named_problem_ : problem_with(named_, family);
  if (!problem.empty())
    fail(ErrorCode::FileUnreadable,
         base::format("the tuning file {} of EngineOptions::tuning_file cannot be used: {}", named_path_.string(),
                      problem),
         "Measure the GPU again with graft tune, or leave EngineOptions::tuning_file unset.");
  return named_.file;
}

Tunings::Known Tunings::look_for(const std::string& name) const {
  store::TuningText found = store::find_tuning(settings_.store, name);
  Known known{.path = found.path};
  format::TuningFile file;
  if (!found.text.empty()) {
    if (const std::string why = parse(found.text, file); !why.empty()) tell(found.path, why);
    else known.file = std::make_shared<const format::TuningFile>(std::move(file));
  }
  if (!found.problem.empty()) tell({}, found.problem);
  return known;
}

// `path`: that of a file that was read. Empty if the problem names it.
void Tunings::tell(const std::filesystem::path& path, const std::string& problem) const {
  logger_.tell(LogKind::CacheProblem, LogSeverity::Warning, {}, 0, [&] {
    return "tuning: " + (path.empty() ? problem : base::format("{} cannot be used: {}", path.string(), problem));
  });
}

}  // namespace graft::engine
