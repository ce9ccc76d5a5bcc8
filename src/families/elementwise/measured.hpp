// What a tuning file (format/tuning_file.hpp) says of elementwise kernels: for which callbacks, and whether a kernel
// can have the numbers.
//
// A row of the file replaces the shape of a tile: the vector width, the vectors per thread, the threads per block, and
// below how many elements a launch uses tiles of one vector per thread. The other numbers stay as the rules choose
// them. So a row is found by the facts on which the rules depend: the sizes of the elements, whether they are short
// integers, and whether the callback calls long math functions.
#pragma once

#include <optional>
#include <string>

#include "families/elementwise/policy.hpp"
#include "format/tuning_file.hpp"
#include "graft/options.hpp"
#include "graft/signature.hpp"

namespace graft::elementwise {

// Returns the facts of a callback by which its tuning is measured. Returns nothing for callbacks whose tuning is not
// measured: those with bit arrays, in-out arrays, arrays that they access themselves, and selective ones.
std::optional<format::MeasuredKind> measured_kind(const Signature& signature, bool long_math);

// Returns the numbers of the file for such a callback, or nothing.
std::optional<MeasuredPolicy> find_measured(const Signature& signature, bool long_math, const format::TuningFile& file);

// Returns the policy with the measured numbers in place of the rules'. For a callback whose tuning is not measured,
// returns the rules' policy. Throws Error(InvalidArgument) if no kernel of this signature can have the numbers.
Policy with_measured(Policy rules, const MeasuredPolicy& measured, const Signature& signature);

// Returns the reason why no kernel can have the numbers of the row, as a clause. Empty if one can.
std::string objection_to(const format::MeasuredRow& row);

}  // namespace graft::elementwise
