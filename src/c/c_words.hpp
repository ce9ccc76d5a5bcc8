// The words of the C interface in place of C++'s. Errors and notes of the library name members of C++ classes
// ("Options::entry"); users of graft.h get the function, constant or member that they have for it
// ("GRAFT_OPTION_ENTRY").
#pragma once

#include <string>

#include "core/option_table.hpp"
#include "graft/error.hpp"
#include "graft/report.hpp"

namespace graft::c {

std::string in_c_words(std::string text);
// Message and remedy; the log is the compiler's, and stays.
Error in_c_words(const Error& error);
// The notes and the reason of the tuning.
Report in_c_words(Report report);

// The name of the option in C, "GRAFT_OPTION_ENTRY" or "graft_options_bake", or an empty text if C does not have it.
std::string c_name(const OptionFacts& row);

}  // namespace graft::c
