#include "api/instance_check.hpp"

#include <algorithm>
#include <vector>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft {
namespace {

bool fit_signature(const std::vector<ElementType>& found, const std::vector<InstanceType>& given) {
  return std::ranges::equal(given, found, [](const InstanceType& wanted, const ElementType& type) {
    return !wanted.element || interchangeable(*wanted.element, type);
  });
}

}  // namespace

void check_types(const Signature& signature, const InstanceTypes& types, const std::string& callback) {
  const bool has_inputs = fit_signature(signature.inputs(), types.inputs());
  const bool has_outputs = types.outputs().empty() || fit_signature(signature.outputs(), types.outputs());
  // The parameters of a formula are one struct, and those of a chain are the states of its parts.
  const bool has_state = types.state().empty() ||
                         (signature.state() && (types.state().size() != 1 || !types.state().front().element ||
                                                signature.state()->kind == ElementKind::Class ||
                                                interchangeable(*types.state().front().element, *signature.state())));
  if (has_inputs && has_outputs && has_state) return;
  fail(ErrorCode::SignatureMismatch,
       base::format("{} has the signature {}, and the types ({}) were given", callback, signature.text(), types.text()),
       "Give the types that the callback has, because nothing is converted. A template or a lambda with `auto` "
       "parameters takes the types that are given.");
}

}  // namespace graft
