#include "build/signature_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace graft::building {
namespace {

std::string text(const reflect::Probe& probe) {
  const std::vector<std::string> types = reflect::spellings(probe.function);
  const std::vector<std::string> parameters(types.begin() + 1, types.end());
  return fmt::format("{}({})", types[0], fmt::join(parameters, ", "));
}

}  // namespace

void check_declared(const reflect::Probe& found, const reflect::Probe& declared, std::string_view title,
                    const std::vector<ToolVersion>& versions) {
  // Layouts, not spellings: `long` and `long long`, float2 and graft::complex<float> are the same to a kernel.
  if (found.facts == declared.facts) return;
  throw Error(
      ErrorCode::SignatureMismatch,
      {.message = fmt::format("{} has the signature {}, and {} was declared", title, text(found), text(declared)),
       .remedy = "Declare what the source defines, or leave the declaration out: graft reads it from the source.",
       .log = {},
       .versions = versions});
}

}  // namespace graft::building
