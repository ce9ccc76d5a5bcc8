#include "engine/taken_options.hpp"

#include <algorithm>
#include <string>

#include "base/format.hpp"
#include "base/seen_file.hpp"
#include "core/enumerators.hpp"
#include "core/fail.hpp"
#include "engine/closed_check.hpp"
#include "engine/logger.hpp"

namespace graft::engine {
namespace {

void check_enumerators(const Options& options) {
  if (options.standard != CppStandard::Cpp17 && options.standard != CppStandard::Cpp20)
    refuse(base::format("Options::standard is {}, which is no enumerator", static_cast<int>(options.standard)),
           "Use CppStandard::Cpp17 or CppStandard::Cpp20.");
  if (options.policy.body) check_enumerator(*options.policy.body, Body::Rolled, "Options::policy.body");
  if (options.routes.required) check_enumerator(*options.routes.required, Route::Host, "Options::routes.required");
  for (const Route route : options.routes.forbidden) check_enumerator(route, Route::Host, "Options::routes.forbidden");
}

}  // namespace

TakenOptions::TakenOptions(std::span<const Callback> callbacks, const Options& options, const Logger* logger)
    : given_(options) {
  check_enumerators(options);
  if (options.closed) {
    static const Logger kNoLog{Log()};
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

}  // namespace graft::engine
