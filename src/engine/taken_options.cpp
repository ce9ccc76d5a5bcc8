#include "engine/taken_options.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/format.hpp"
#include "base/immortal.hpp"
#include "base/seen_file.hpp"
#include "core/enumerators.hpp"
#include "core/fail.hpp"
#include "core/option_table.hpp"
#include "engine/closed_check.hpp"
#include "engine/logger.hpp"

namespace graft::engine {
namespace {

// Checks what no key of a kernel contains, so that a cached kernel does not hide a mistake, and enumerators.
void check_values(const Options& options) {
  if (options.standard != CppStandard::Cpp17 && options.standard != CppStandard::Cpp20)
    refuse(base::format("Options::standard is {}, which is no enumerator", static_cast<int>(options.standard)),
           "Use CppStandard::Cpp17 or CppStandard::Cpp20.");
  if (options.host_threads < 0 || options.host_threads > kMostHostThreads)
    refuse(base::format("Options::host_threads is {}", options.host_threads),
           base::format("Use 1 to {} threads, or 0 for one for each processor.", kMostHostThreads));
  if (options.policy.body) check_enumerator(*options.policy.body, Body::Rolled, "Options::policy.body");
  if (options.routes.required) check_enumerator(*options.routes.required, Route::Host, "Options::routes.required");
  for (const Route route : options.routes.forbidden) check_enumerator(route, Route::Host, "Options::routes.forbidden");
}

void make_absolute(std::filesystem::path& path, const char* option) {
  if (path.empty() || path.is_absolute()) return;
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error)
    fail(ErrorCode::SystemFailed,
         base::format("{} is the relative path \"{}\", but the working folder cannot be read: {}", option,
                      path.string(), error.message()),
         "Give an absolute path.");
  path = std::move(absolute);
}

}  // namespace

TakenOptions::TakenOptions(std::span<const Callback> callbacks, const Options& options, const Logger* logger)
    : given_(options) {
  check_values(options);
  if (options.closed) {
    static const auto& kNoLog = base::immortal(Logger{Log()});
    const Logger& told = logger == nullptr ? kNoLog : *logger;
    for (const Callback& callback : callbacks)
      told_if_it_fails(told, callback.name(), [&] { check_closed(callback, options); });
    told_if_it_fails(told, callbacks.empty() ? "" : callbacks.front().name(), [&] { check_closed(options); });
    changed_ = options;
    changed_->max_registers = closed_registers(options);
  } else {
    make_folders_absolute();
  }
}

// Prepends the working folder to each relative path. Does not simplify "folder/.." to ".", because the two are
// different folders if `folder` is a symbolic link.
void TakenOptions::make_folders_absolute() {
  const auto is_relative = [](const std::string& path) { return !path.empty() && !path.starts_with('/'); };
  const auto first = std::ranges::find_if(given_.include_paths, is_relative);
  if (first == given_.include_paths.end()) return;
  const std::string here = base::working_folder();
  if (here.empty())
    refuse(base::format("the include folder {} is relative, and the working folder was removed", *first),
           "Give an absolute folder in Options::include_paths, or change to a working folder that exists.");
  changed_ = given_;
  for (std::string& path : changed_->include_paths)
    if (is_relative(path)) path.insert(0, here.ends_with('/') ? here : here + '/');
}

EngineOptions with_absolute_paths(EngineOptions options) {
  make_absolute(options.cuda_path, "EngineOptions::cuda_path");
  if (options.host_compiler.has_parent_path()) make_absolute(options.host_compiler, "EngineOptions::host_compiler");
  make_absolute(options.program, "EngineOptions::program");
  make_absolute(options.tuning_file, "EngineOptions::tuning_file");
  make_absolute(options.cache.folder, "CacheOptions::folder");
  if (options.cache.layers)
    for (std::filesystem::path& layer : *options.cache.layers) make_absolute(layer, "CacheOptions::layers");
  return options;
}

}  // namespace graft::engine
