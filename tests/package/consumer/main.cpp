// Uses the installed graft as a user's program does. It makes a signature, catches an error, builds a kernel without a
// GPU, and uses callbacks that were compiled together with this program.
#include <cstdio>
#include <exception>

#include <graft/graft.hpp>

#include "gain.hpp"
#include "louder.hpp"

namespace {

bool signature_has_its_layout() {
  const graft::Signature signature = graft::Signature::of<float(float, double)>();
  std::printf("signature: %s\n", signature.text().c_str());
  return signature.inputs().size() == 2 && signature.outputs().size() == 1;
}

bool error_is_caught() {
  try {
    graft::Architecture::parse("no architecture");
  } catch (const graft::Error& error) {
    std::printf("caught: %s\n", error.message().c_str());
    return error.code() == graft::ErrorCode::InvalidArgument;
  }
  return false;
}

bool kernel_is_built() {
  const graft::Image image = graft::build("__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }", {90});
  std::printf("registers: %d, cubin: %zu bytes\n", image.report().resources.registers, image.bytes().size());
  return image.report().resources.registers > 0 && !image.bytes().empty();
}

// The callbacks are embedded as packs, so they need neither source nor NVRTC.
bool embedded_callbacks_are_built() {
  const graft::Image plain = graft::build(gain(), {90});
  const graft::Image instance = graft::build(louder(), {120});
  std::printf("embedded: %s for sm_90 and %s for sm_120\n", plain.report().kernel.name.c_str(),
              instance.report().kernel.name.c_str());
  return plain.report().inlined() && plain.report().kernel.name == "graft_transform_gain" &&
         instance.report().inlined() && instance.report().kernel.name == "graft_transform_louder_4";
}

}  // namespace

int main() {
  try {
    return signature_has_its_layout() && error_is_caught() && kernel_is_built() && embedded_callbacks_are_built() ? 0
                                                                                                                  : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
