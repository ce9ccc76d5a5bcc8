#include "routes/slot_parts.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "core/serves.hpp"
#include "families/own_kernels.hpp"
#include "graft/error.hpp"
#include "routes/pack_contents.hpp"

namespace graft::routes {

using format::PackedKernel;
using format::PackPart;
using format::PackPartKind;

namespace {

[[noreturn]] void refuse_architecture(const PackedKernel& kernel, const std::string& name, Architecture wanted) {
  std::vector<std::string> held;
  for (const PackPart& part : kernel.parts)
    if (std::ranges::find(held, part.architecture.sm()) == held.end()) held.push_back(part.architecture.sm());
  fail(ErrorCode::ImageRefused,
       base::format("{} holds nothing for {}, only for {}", name, wanted.sm(), base::join(held, ", ")),
       "Make a pack for this architecture or an older one.");
}

}  // namespace

format::Pack read_kernel_pack(std::span<const std::byte> bytes, const std::string& name) {
  format::Pack pack = read_pack(bytes, name);
  const std::string_view own = families::own_kernels().name();
  for (const format::PackJob& job : pack.jobs)
    if (job.family != own)
      fail(ErrorCode::ImageRefused,
           base::format("{} is a pack of the family {}, not of a kernel of an application's "
                        "own",
                        name, job.family),
           "Give it to the class of that family: graft::Callback::pack takes the pack of a callback.");
  return pack;
}

std::vector<const PackPart*> newest_parts(const PackedKernel& kernel, PackPartKind kind, Architecture wanted) {
  std::vector<const PackPart*> found;
  for (const PackPart& part : kernel.parts) {
    if (part.kind != kind || !serves(part.architecture, wanted)) continue;
    if (!found.empty() && found.front()->architecture < part.architecture) found.clear();
    if (found.empty() || found.front()->architecture == part.architecture) found.push_back(&part);
  }
  return found;
}

std::vector<const PackPart*> required_parts(const PackedKernel& kernel, PackPartKind kind, Architecture wanted,
                                            const std::string& name) {
  std::vector<const PackPart*> found = newest_parts(kernel, kind, wanted);
  if (found.empty()) refuse_architecture(kernel, name, wanted);
  return found;
}

void refuse_record(const std::string& name) {
  fail(ErrorCode::ImageRefused, base::format("{} cannot be read as a pack: a part has a malformed description", name),
       "Make or copy the pack again.");
}

}  // namespace graft::routes
