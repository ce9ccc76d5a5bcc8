#include "build/best_body.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace graft::building {
namespace {

constexpr double kQuick = 100;    // ms: a link of an ordinary callback takes 20 to 60
constexpr double kLongest = 600;  // ms, guessed from the rolled one

bool spills(const Linked& linked) {
  return linked.findings.resources.spill_store_bytes > 0;
}

}  // namespace

Linked make_best(const std::function<Linked(const plan::Policy&)>& make, BodyRequest request, const char* step,
                 plan::Policy& policy, Stopwatch& watch) {
  const auto timed = [&](const plan::Policy& wanted, const std::string& name) {
    Linked linked = make(wanted);
    watch.step(name);
    return linked;
  };
  const std::string rolled_step = fmt::format("{} rolled", step);
  plan::Policy rolled = plan::rolled(policy);
  if (request.is_given || (policy.vector_width * policy.vectors_per_thread == 1 && !request.heavy))
    return timed(policy, step);
  std::optional<Linked> first;
  if (request.heavy) {
    first = timed(rolled, rolled_step);
    const double taken = watch.milliseconds_of_last();
    if (taken > kQuick && taken * policy.vector_width * policy.vectors_per_thread > kLongest) {
      policy = rolled;
      policy.reason = fmt::format("the callback is heavy: the rolled {} took {:.0f} ms", step, taken);
      return std::move(*first);
    }
  }
  Linked vector = timed(policy, step);
  if (!spills(vector)) return vector;
  if (!first) first = timed(rolled, rolled_step);
  if (spills(*first)) return vector;
  rolled.reason = fmt::format("unrolled, the callback spills {} bytes", vector.findings.resources.spill_store_bytes);
  policy = rolled;
  return std::move(*first);
}

}  // namespace graft::building
