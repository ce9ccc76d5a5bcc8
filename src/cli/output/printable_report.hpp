// Makes the texts in signatures, reports and errors printable (printable.hpp), because these texts contain names from
// files.
//
// Each field is printed within one line, so line ends in a field become escapes. The log of a compiler or linker keeps
// its lines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "graft/error.hpp"
#include "graft/report.hpp"
#include "graft/signature.hpp"

namespace graft::cli {

Signature printable(const Signature& signature);
Report printable(Report report);

// Returns the text of Error::what(), composed from printable fields.
std::string text_of(const Error& error);

// Returns the parts of an error, with the compiler's messages as data:
//
//     {"error": {"code": "CompileFailed", "message": ..., "remedy": ..., "log": ...,
//                "versions": [{"tool": "NVRTC", "version": "13.0"}],
//                "diagnostics": [{"file": "callback.cu", "line": 1, "column": 46, "severity": "error", "text": ...}]}}
nlohmann::json json_of(const Error& error);

}  // namespace graft::cli
