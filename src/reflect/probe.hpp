// Reading a signature out of a probe's lowered name.
//
// The adapter spells the callback's type and the facts about it into the name of a variable template:
//
//     _Z11graft_probeIFffEN13graft_adapter5FactsIJLj0ELj0E...EEEE
//     graft_probe<float (float), graft_adapter::Facts<0u, 0u, 1u, 4u, 4u, 4u, 0u, 4u, 4u, 4u> >
//
// Facts are the refusal (0: none), its position (0: the result), then role, size, alignment and kind of the result and
// of each parameter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graft/signature.hpp"

namespace graft::reflect {

struct Probe {
  std::string function;  // "float (float, Scale const&)"
  std::vector<unsigned> facts;
  bool operator==(const Probe&) const = default;
};

// Empty facts when the name is not a probe's.
Probe parse_probe(const std::string& lowered_name);

// "Scale const&" -> "const Scale&"
std::string west_const(std::string_view type);

// Splits "float (float, Scale const&)" into the result and each parameter, spelled as in west_const.
std::vector<std::string> spellings(std::string_view function);

// The callback's signature. Throws Error(UnsupportedParameter), with the remedy, when the facts say that it is refused.
// `callback` names it in the message: "relu in callback.cu".
Signature to_signature(const Probe& probe, std::string_view callback);

}  // namespace graft::reflect
