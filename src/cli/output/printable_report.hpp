// Makes the texts in signatures, reports and errors printable (printable.hpp), because these texts contain names from
// files.
//
// Each field is printed within one line, so line ends in a field become escapes. The log of a compiler or linker keeps
// its lines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "graft/error.hpp"
#include "graft/report.hpp"
#include "graft/signature.hpp"

namespace graft::cli {

Signature printable(const Signature& signature);
Report printable(Report report);

// Returns the text of Error::what(), composed from printable fields, with the options of the command line in place of
// C++ members (option_words.hpp).
std::string text_of(const Error& error);

// Returns the parts of an error, with the compiler's messages as data:
//
//     {"error": {"code": "CompileFailed", "message": ..., "remedy": ..., "log": ...,
//                "versions": [{"tool": "NVRTC", "version": "13.0"}],
//                "diagnostics": [{"file": "callback.cu", "line": 1, "column": 46, "severity": "error", "text": ...}]}}
nlohmann::json json_of(const Error& error);

// Returns the same object for a failure that is no graft::Error.
nlohmann::json json_of_failure(std::string_view code, const std::string& message, const std::string& remedy);

}  // namespace graft::cli
