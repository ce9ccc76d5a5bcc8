#include "families/reduce/job.hpp"

#include <optional>

#include "base/format.hpp"
#include "contract.h"
#include "core/fail.hpp"
#include "families/reduce/arithmetic.hpp"
#include "families/reduce/kernels.hpp"
#include "families/reduce/reduce.hpp"

namespace graft::families::reduce {
namespace {

void check_callback(const Callback& callback) {
  if (callback.form() == Form::Pack)
    refuse(base::format("{} is a pack, and a pack cannot be the callback of a reduction", callback.name()),
           "Give the callback that the pack was made of.");
  const Callback::Composition* const composition = callback.composition();
  if (composition != nullptr && composition->kind == Callback::Composition::Staged)
    refuse("a callback of the reduction has load or store callbacks",
           "Give map, combine and finish in one graft::ReduceCallbacks.");
}

KernelRequest initial_of(const ReduceCallbacks& callbacks) {
  KernelRequest request;
  if (!callbacks.initial) return request;
  const std::size_t bytes = callbacks.initial->bytes().size();
  if (bytes == 0 || bytes > GRAFT_MAX_ACCUMULATOR_BYTES || bytes != callbacks.initial->type().size)
    refuse(
        base::format("ReduceCallbacks::initial has {} bytes, and is a {}", bytes, to_string(callbacks.initial->type())),
        base::format("Give an accumulator: up to {} bytes, of the size of its type.", GRAFT_MAX_ACCUMULATOR_BYTES));
  request.initial.assign(callbacks.initial->bytes().begin(), callbacks.initial->bytes().end());
  request.initial_kind = callbacks.initial->type().kind;
  return request;
}

}  // namespace

Job job_of(const ReduceCallbacks& callbacks) {
  Job job{.family = kFamily, .methods = {method_of(KernelKind::Whole)}};
  KernelRequest request = initial_of(callbacks);
  const auto add = [&](const char* name, const std::optional<Callback>& callback) {
    if (!callback) return;
    check_callback(*callback);
    add_inexact_function(request.inexact_function, inexact_function_of(*callback));
    job.callbacks.push_back({name, *callback});
  };
  add("map", callbacks.map);
  add("combine", callbacks.combine);
  add("finish", callbacks.finish);
  job.request = request_of(request);
  return job;
}

// The callbacks are the stages of one composition: map comes before combine, and finish behind it.
Schedule schedule_of(const Job& job, bool is_on_host) {
  const Callback composition = Stages{.load = job.find("map"), .op = job.find("combine"), .store = job.find("finish")};
  std::string why;
  KernelRequest request = read_request(job.request, why).value_or(KernelRequest());
  Schedule schedule = {.kernels = {Step(composition, kFamily, job.request)}, .methods = {{"", {0}}}};
  for (const std::string& method : job.methods.empty() ? all_methods() : job.methods) {
    const std::optional<KernelKind> kind = kernel_of(method);
    if (!kind || *kind == KernelKind::Whole) continue;
    request.kind = *kind;
    if (!is_on_host) schedule.kernels.emplace_back(composition, kFamily, request_of(request));
    schedule.methods.push_back({method, {schedule.kernels.size() - 1}});
  }
  return schedule;
}

}  // namespace graft::families::reduce
