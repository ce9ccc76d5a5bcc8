// Converts a failed link to an Error that names the callback and says what to do. The linkers' own messages name only
// symbols and inputs, and say nothing about a remedy.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/source_program.hpp"
#include "graft/architecture.hpp"
#include "graft/error.hpp"
#include "link/callback_binary.hpp"

namespace graft::link {

struct FailedLink {
  const codegen::SourceProgram& program;
  const CallbackBinary& callback;
  Architecture architecture;
  std::string failure;  // the name of the linker's function that failed, and its result code
  std::string log;
  std::vector<ToolVersion> versions;
};

// The remedy in errors that report two definitions of the same function.
inline constexpr const char* kOneDefinition =
    "Rename one of the two functions, put it into a namespace, or make it static.";

// Whether the log says that a function is called with another prototype than it has. nvJitLink writes this into its log
// of errors, and makes a wrong kernel nevertheless.
bool reports_mismatch(std::string_view log);

// Throws Error(LinkFailed) if the linker reports an undefined variable. nvJitLink with -lto links it as 0, and reports
// success.
void check_variables(const FailedLink& link);

// Whether the symbol is the function `entry`, mangled or not: "_ZN4math4reluEf" is the symbol of `math::relu`.
bool is_symbol_of(const std::string& symbol, const std::string& entry);

// Returns the error, whose code is LinkFailed, NoSuchEntry, ToolTooOld or ImageRefused.
Error link_error(const FailedLink& link);

}  // namespace graft::link
