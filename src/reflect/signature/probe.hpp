// Reads a callback's signature from the lowered (mangled) name of a probe.
//
// The probe is a variable template of the adapter. Its template arguments are the callback's type and facts about that
// type, so the compiler writes both into the variable's name. An example of such a name, mangled and demangled:
//
//     _Z11graft_probeIFffEN13graft_adapter5FactsIJLj0ELj0E...EEEE
//     graft_probe<float (float), graft_adapter::Facts<0u, 0u, 1u, 0u, 4u, 4u, 4u, 4u, 4u, 4u> >
//
// The facts are numbers. The first is the reason why graft refuses the signature (0 if graft accepts it), and the
// second is the position of the refused parameter (0 is the result). Then come all roles, all sizes, all alignments and
// all kinds. Each of these four lists has the number of the result first and then one number for each parameter.
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

// Reads the callback's type and the facts from a lowered name. Both are empty if the name is not that of a probe.
Probe parse_probe(const std::string& lowered_name);

// Returns the numbers in a text, such as the facts "0u, 4u".
std::vector<unsigned> numbers(std::string_view text);

// Moves `const` in front of the type: "Scale const&" -> "const Scale&".
std::string west_const(std::string_view type);

// Splits "float (float, Scale const&)" into the result and each parameter, spelled as in west_const.
std::vector<std::string> spellings(std::string_view function);

// Throws Error(UnsupportedParameter) if the types of the probe's function have longer names than any sensible callback.
// A few lines of templates can spell a type with gigabytes of text, and every report, cache entry and message would
// contain this text. `callback` names the callback in the message.
void check_length(const Probe& probe, std::string_view callback);

// Converts a probe to the callback's signature. Throws Error(UnsupportedParameter), with a remedy, if the facts hold a
// refusal of contract.h. `callback` names the callback in the message: "relu in callback.cu". `takers_of_cufft` is that
// of refusal_error().
Signature to_signature(const Probe& probe, std::string_view callback, std::string_view takers_of_cufft = {});

}  // namespace graft::reflect
