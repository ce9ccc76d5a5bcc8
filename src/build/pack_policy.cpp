#include "build/pack_policy.hpp"

#include <optional>
#include <string_view>

#include "base/format.hpp"

namespace graft::building {
namespace {

std::string_view word(Body body) {
  return body == Body::Vector ? "vector" : "rolled";
}

template <class Value, class Shown>
std::string compare(std::string_view name, const Value& own, const std::optional<Value>& asked, Shown shown) {
  if (!asked || *asked == own) return {};
  return base::format("{}={}, but this request asks for {}", name, shown(own), shown(*asked));
}

}  // namespace

std::string misfit(const format::PackKernel& kernel, const PolicyOverrides& asked) {
  const auto number = [](int value) { return value; };
  if (std::string why = compare("body", kernel.tuning.body, asked.body, word); !why.empty()) return why;
  // A rolled kernel that was asked for has one element per thread, whatever else was asked for (plan::rolled).
  if (asked.body != Body::Rolled) {
    if (std::string why = compare("vector_width", kernel.tuning.vector_width, asked.vector_width, number); !why.empty())
      return why;
    if (std::string why =
            compare("vectors_per_thread", kernel.tuning.vectors_per_thread, asked.vectors_per_thread, number);
        !why.empty())
      return why;
  }
  if (!asked.programmatic_launch.value_or(false)) return {};
  return compare("programmatic_launch", kernel.tuning.programmatic_launch, asked.programmatic_launch,
                 [](bool b) { return b; });
}

plan::Policy launch_policy(const format::PackKernel& kernel, const PolicyOverrides& asked) {
  plan::Policy policy;
  static_cast<Tuning&>(policy) = kernel.tuning;
  policy.reason = "chosen when the pack was made";
  if (kernel.route == Route::Indirect) return policy;
  // One element per thread, whatever the pack says: graft 0.1 wrote the width and vectors of the vector body here, and
  // a launch by those leaves elements out.
  if (policy.body == Body::Rolled) policy = plan::rolled(policy);
  if (asked.block_threads) policy.block_threads = *asked.block_threads;
  policy.programmatic_launch = asked.programmatic_launch.value_or(policy.programmatic_launch);
  if (asked.vectors_per_thread) {  // as plan::choose_policy: what is asked for holds for every number of elements
    policy.single_below = 0;
    policy.few_tiles = 0;
  }
  return policy;
}

}  // namespace graft::building
