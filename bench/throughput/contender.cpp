// Makes the contenders of one operation. If a contender cannot be made, its `error` holds the reason, the failure is
// reported, and the other contenders are still measured.
#include "contender.hpp"

#include "../cuda_check.hpp"
#include "peers.hpp"

namespace graft::bench {
namespace {

nlohmann::json about_kernel(const Report& report) {
  return {{"route", std::string(name(report.kernel.route))},
          {"vector_width", report.kernel.tuning["vector_width"]},
          {"vectors_per_thread", report.kernel.tuning["vectors_per_thread"]},
          {"body", static_cast<Body>(report.kernel.tuning["body"]) == Body::Vector ? "vector" : "rolled"},
          {"policy_reason", report.policy_reason},
          {"registers", report.resources.registers},
          {"local_bytes", report.resources.local_bytes},
          {"inlined", report.inlined()}};
}

Contender by_graft(std::string_view called, const Operation& operation, const Options& options, nlohmann::json& about) {
  Contender contender{std::string(called), {}, {}};
  try {
    const Transform transform = Transform::create(operation.source, options);
    about[contender.name] = about_kernel(transform.report());
    contender.launch = [transform, &operation](cudaStream_t stream, const Launch& launch) {
      operation.execute(transform, stream, launch);
    };
  } catch (const std::exception& error) {
    contender.error = error.what();
  }
  return contender;
}

Contender by_peer(std::string_view called, const Operation& operation, const std::vector<NamedLauncher>& peers) {
  for (const NamedLauncher& peer : peers)
    if (peer.callback == operation.callback) return {std::string(called), peer.launch, {}};
  return {std::string(called), {}, "not compiled for this operation"};
}

Contender by_copy(const Operation& operation) {
  return {std::string(kMemcpy),
          [bytes = operation.largest_element()](cudaStream_t stream, const Launch& launch) {
            check(cudaMemcpyAsync(launch.out[0], launch.in[0], bytes * launch.count, cudaMemcpyDeviceToDevice, stream));
          },
          {},
          false};
}

}  // namespace

std::vector<Contender> contenders_of(const Operation& operation, const ThroughputOptions& options,
                                     nlohmann::json& about) {
  static const std::vector<NamedLauncher> hand = kernels_by_hand();
  static const std::vector<NamedLauncher> cub = cub_transforms();
  static const std::vector<NamedLauncher> thrust = thrust_transforms();
  std::vector<Contender> all = {by_graft(kGraft, operation, {}, about), by_peer(kByHand, operation, hand),
                                by_peer(kCub, operation, cub), by_peer(kThrust, operation, thrust), by_copy(operation)};
  if (options.policy) {
    Options with_policy;
    with_policy.policy = *options.policy;
    all.push_back(by_graft(kGraftWithPolicy, operation, with_policy, about));
  }
  return all;
}

}  // namespace graft::bench
