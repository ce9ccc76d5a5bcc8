#include "families/reduce/job.hpp"

#include <optional>

#include "base/format.hpp"
#include "base/record.hpp"
#include "contract.h"
#include "core/fail.hpp"
#include "families/reduce/reduce.hpp"
#include "reduce/order.h"

namespace graft::families::reduce {
namespace {

// What a kernel is asked for. A kernel of another order makes other bits, so the order is part of the request.
struct ReduceRequest {
  std::int64_t order = GRAFT_REDUCE_ORDER;
};

template <class Codec, base::Is<ReduceRequest> T>
void fields(Codec& codec, T& request) {
  codec.field(1, request.order);
}

void check_callback(const Callback& callback) {
  if (callback.form() == Form::Pack)
    refuse(base::format("{} is a pack, and a pack cannot be the callback of a reduction", callback.name()),
           "Give the callback that the pack was made of.");
  const Callback::Composition* const composition = callback.composition();
  if (composition != nullptr && composition->kind == Callback::Composition::Staged)
    refuse("a callback of the reduction has load or store callbacks",
           "Give map, combine and finish in one graft::ReduceCallbacks.");
}

}  // namespace

Job job_of(const ReduceCallbacks& callbacks) {
  Job job{.family = kFamily, .request = base::write_record(ReduceRequest())};
  const auto add = [&](const char* name, const std::optional<Callback>& callback) {
    if (!callback) return;
    check_callback(*callback);
    job.callbacks.push_back({name, *callback});
  };
  add("map", callbacks.map);
  add("combine", callbacks.combine);
  add("finish", callbacks.finish);
  return job;
}

// The callbacks are the stages of one composition: map comes before combine, and finish behind it.
Schedule schedule_of(const Job& job) {
  const Callback composition = Stages{.load = job.find("map"), .op = job.find("combine"), .store = job.find("finish")};
  return {.kernels = {Step(composition, kFamily, job.request)}, .methods = {{"", {0}}}};
}

std::string objection_to_request(std::span<const std::byte> bytes) {
  const std::optional<ReduceRequest> request = base::read_record<ReduceRequest>(bytes);
  if (!request) return "its request is none of a reduction";
  return request->order == GRAFT_REDUCE_ORDER ? ""
                                              : base::format("its order is {}, and this version of graft has order {}",
                                                             request->order, GRAFT_REDUCE_ORDER);
}

}  // namespace graft::families::reduce
