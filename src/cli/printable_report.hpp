// Signatures, reports and errors whose texts come from files, for people. Each field is one line of what is printed,
// so a line end in a field is shown as an escape. The words of a compiler or linker keep their lines.
#pragma once

#include <string>

#include "graft/error.hpp"
#include "graft/report.hpp"
#include "graft/signature.hpp"

namespace graft::cli {

Signature printable(const Signature& signature);
Report printable(Report report);

// What Error::what() says.
std::string text_of(const Error& error);

}  // namespace graft::cli
