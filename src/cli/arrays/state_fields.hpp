// Makes the bytes of a struct from the values of its fields: `a=2.5,w={1,2,3}`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "format/debug_types.hpp"

namespace graft::cli {

// Returns the bytes of the struct; padding is zero. The text gives each number of the struct exactly once: by name
// (`a=1`, `inner.b=2`, `w[0]=3`), or in braces by name or in order (`inner={a=1,b=2}`, `w={1,2,3}`). A pointer can be 0
// only. Throws Error(InvalidArgument), with a list of the fields, if the text gives something else.
base::Bytes bytes_of_fields(std::string_view text, const format::Field& structure);

// Splits a list of values at the commas that are outside of braces. Returns the items without the spaces around them,
// or nothing if the braces do not match.
std::optional<std::vector<std::string_view>> split_items(std::string_view list);

// Returns "a (float), w (float[3])".
std::string list_of_fields(const format::Field& structure);

}  // namespace graft::cli
