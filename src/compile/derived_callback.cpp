#include "compile/derived_callback.hpp"

namespace graft::compile {

Callback with_interface_of(const Callback& original, Callback made) {
  made = made.with_entry(original.entry());
  for (const Callback& input : original.link_inputs()) made = made.with_link_input(input);
  if (original.typed_signature()) return made.with_signature(*original.typed_signature());
  return original.signature().empty() ? made : made.with_signature(original.signature());
}

Callback with_parts(const Callback& composition, const std::vector<std::optional<Callback>>& parts) {
  if (composition.composition()->kind == Callback::Composition::Staged)
    return with_interface_of(composition, Stages{.load = parts[0], .op = parts[1], .store = parts[2]});
  std::vector<Callback> chained;
  for (const std::optional<Callback>& part : parts) chained.push_back(*part);
  return with_interface_of(composition, chain(chained));
}

}  // namespace graft::compile
