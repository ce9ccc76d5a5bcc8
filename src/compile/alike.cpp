#include "compile/alike.hpp"

namespace graft::compile {

Callback like(const Callback& original, Callback made) {
  made = made.with_entry(original.entry()).for_family(original.family(), original.asked());
  if (original.typed_signature()) return made.with_signature(*original.typed_signature());
  return original.signature().empty() ? made : made.with_signature(original.signature());
}

Callback composed_as(const Callback& original, const std::vector<std::optional<Callback>>& parts) {
  if (original.composition()->kind == Callback::Composition::Staged)
    return like(original, Stages{.load = parts[0], .op = parts[1], .store = parts[2]});
  std::vector<Callback> chained;
  for (const std::optional<Callback>& part : parts) chained.push_back(*part);
  return like(original, chain(chained));
}

}  // namespace graft::compile
