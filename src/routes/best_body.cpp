// Holds the measurements from which the limits in best_body.hpp were chosen, and the order in which the two bodies are
// built. If the callback looks heavy, the rolled body is built first and then, if it is small enough, the vector body.
// Otherwise the vector body is built first, and the rolled body only if the vector body needs local memory.
#include "routes/best_body.hpp"

#include <optional>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "routes/kernel_report.hpp"

namespace graft::routes {

std::string heaviness_limits() {
  return base::format("{} {} {}", kLargestUnrolled, kLargestLightLtoIr, kLongestLightText);
}

// Up to kLargestUnrolled, a link of the vector body takes at most about a second. The table has measurements of links
// of both bodies for sm_90 with CUDA 13.0, in ms on one core of an idle machine. `bytes` is the size of the rolled
// body's machine code, `elements` is the number of elements per thread, and `product` is bytes times elements:
//
//     callback                 rolled: bytes   ms   elements   product   vector: ms
//     16 expf, unrolled                2,816   19          4    11,264           46
//     8 double divisions               3,584   22          2     7,168           51
//     4 sinf                           6,528   52          8    52,224          545
//     32 sin of double                28,928  145          2    57,856          429
//     1,024 fma                       17,152   60          4    68,608          275
//     8 sinf                          12,288   77          8    98,304          979
//     4 sinf of a byte                 6,528   52         16   104,448          599
//     16 powf                         20,224   83          8   161,792        1,122
//     4 sinf of a half                 6,656   69         32   212,992        1,849
//     16 sinf                         35,328  138          8   282,624        2,273
//     64 sinf                         91,008  560          8   728,064       16,787
bool is_too_heavy(std::uint64_t code_bytes, int elements_per_thread) {
  return code_bytes * static_cast<std::uint64_t>(elements_per_thread) > kLargestUnrolled;
}

// Both bodies need local memory for the callback's own arrays, and the vector body may need twice as much for some of
// them. The factor 2 keeps the vector body from being rejected for such arrays.
bool needs_less_memory(std::uint64_t rolled_bytes, std::uint64_t vector_bytes) {
  return rolled_bytes * 2 < vector_bytes;
}

link::Linked make_best(const std::function<link::Linked(const KernelSpec&)>& make, const BodyRequest& request,
                       families::Decided& decided, Stopwatch& watch) {
  const auto timed = [&](const KernelSpec& wanted, const std::string& name) {
    link::Linked linked = make(wanted);
    watch.step(name);
    return linked;
  };
  std::optional<families::LighterKernel> lighter = decided.family().lighter(decided.kernel, request.asked);
  if (!lighter) return timed(decided.kernel, request.step);
  const std::string light_step = base::format("{} {}", request.step, lighter->name);
  const auto take_lighter = [&](std::string reason) { decided = {std::move(lighter->kernel), std::move(reason)}; };
  std::optional<link::Linked> light;
  if (request.heavy) {
    light = timed(lighter->kernel, light_step);
    const int calls = lighter->calls_for_one;
    if (is_too_heavy(light->findings.code_bytes, calls)) {
      take_lighter(reason_of_heaviness(light->findings, calls));
      return std::move(*light);
    }
  }
  link::Linked full = timed(decided.kernel, request.step);
  if (full.findings.frame_bytes == 0) return full;
  if (!light) light = timed(lighter->kernel, light_step);
  if (!needs_less_memory(light->findings.frame_bytes, full.findings.frame_bytes)) return full;
  take_lighter(reason_of_spills(full.findings, lighter->name, light->findings));
  return std::move(*light);
}

}  // namespace graft::routes
