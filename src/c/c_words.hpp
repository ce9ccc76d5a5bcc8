// The words of the C interface in place of C++'s. Errors and notes of the library name members of C++ classes
// ("Options::entry"); users of graft.h get the function, constant or member that they have for it
// ("GRAFT_OPTION_ENTRY").
#pragma once

#include <string>
#include <string_view>

#include "graft/error.hpp"
#include "graft/report.hpp"

namespace graft::c {

std::string in_c_words(std::string text);
// Message and remedy; the log is the compiler's, and stays.
Error in_c_words(const Error& error);
// The notes and the reason of the tuning.
Report in_c_words(Report report);

// The constant's name, "GRAFT_OPTION_ENTRY", or an empty text for a number that is no option.
std::string_view option_name(int option) noexcept;
std::string_view engine_option_name(int option) noexcept;

}  // namespace graft::c
