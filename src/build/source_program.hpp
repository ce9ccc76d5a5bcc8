// From a source callback to the text that is compiled: which function is the callback, and what its text needs.
#pragma once

#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "reflect/program.hpp"
#include "reflect/scan.hpp"

namespace graft::building {

struct SourceProgram {
  reflect::ProgramParts parts;  // views into the callback, which must outlive this
  reflect::SourceScan scan;
  std::string title;  // for messages: "relu in callback.cu"
};

// Lexical only: nothing is compiled. Throws Error: NoSuchEntry, AmbiguousEntry, UnsupportedParameter.
SourceProgram prepare_source(const Callback& callback, const Options& options);

}  // namespace graft::building
