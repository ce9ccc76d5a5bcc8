// Converts the messages of a failed compile to the Error that the user sees, for every compiler.
//
// If a message is an error in the user's lines, graft reports the compiler's messages unchanged (CompileFailed). If all
// errors are in graft's lines, the callback does not fit the adapter (graft's code that calls the callback), and the
// words of the first error say why: NoSuchEntry, AmbiguousEntry, SignatureMismatch or UnsupportedParameter. Each
// compiler reports the same mistake in other words; compile_error.cpp lists these words side by side.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/source_program.hpp"
#include "compile/compile_log.hpp"
#include "graft/error.hpp"

namespace graft::compile {

// Throws graft's errors for one program that one compiler compiles. Keeps a reference to the program, which must
// outlive this object.
class CompileErrors {
 public:
  // Compiles the text of `parts` alone, without an adapter, and returns the compiler's messages.
  using CompileAlone = std::function<std::vector<CompileMessage>(const codegen::ProgramParts& parts)>;

  // `versions` are the versions of the tools, which every thrown Error contains.
  CompileErrors(const codegen::SourceProgram& program, Compiler compiler, std::vector<ToolVersion> versions)
      : program_(program), compiler_(compiler), versions_(std::move(versions)) {}

  const std::vector<ToolVersion>& versions() const noexcept { return versions_; }

  // Throws Error(CompileFailed) if a message is an error in the user's lines.
  void throw_users_error(const std::vector<CompileMessage>& messages) const;

  // Compiles each source that the lexical scan may have misread (SourceScan::uncertain), without an adapter. Throws
  // Error(CompileFailed) if a source has an error.
  void check_uncertain_texts(const CompileAlone& compile) const;

  // If the lexical scan found no entry function but may be wrong (SourceProgram::doubt is set), throws an Error:
  // CompileFailed if the user's source alone does not compile, and SourceProgram::doubt otherwise.
  void check_doubt(const CompileAlone& compile) const;

  // Throws the error for a compile that failed without an error in the user's lines. If the messages contain no error,
  // the compiler itself failed, and `log` is all that graft knows about the failure.
  [[noreturn]] void throw_own_error(const std::vector<CompileMessage>& messages, const std::string& log) const;

 private:
  [[noreturn]] void throw_misfit(const CompileMessage& first, const std::string& text) const;

  const codegen::SourceProgram& program_;
  Compiler compiler_;
  std::vector<ToolVersion> versions_;
};

}  // namespace graft::compile
