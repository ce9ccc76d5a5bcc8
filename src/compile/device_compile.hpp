// Compiles a callback's program with NVRTC, and turns NVRTC's messages into graft's errors.
//
// The functions of DeviceCompiler differ in what is known of the callback's signature: general() reads it in the
// compile that makes the code, signature() reads it and makes no code, known() and exact() get it.
#pragma once

#include <optional>

#include "codegen/source_program.hpp"
#include "compile/flags.hpp"
#include "compile/open_tools.hpp"
#include "graft/report.hpp"

namespace graft::compile {

// The flags for NVRTC, without the include folders of the toolkit.
std::vector<std::string> nvrtc_flags(const codegen::SourceProgram& program, const Options& options,
                                     Architecture architecture, CodeKind kind);

// The note for the report after exact() or entry_if_so() returned nothing.
inline constexpr const char* kCompiledTwice =
    "the callback was compiled twice: the first program, written for exactly one signature, does not fit it";

struct Compiled {
  base::Bytes code;
  Signature signature;
  std::string source;
  std::string log;        // warnings about the user's text
  std::string ptxas_log;  // for a cubin
};

// Holds references to the constructor's arguments.
class DeviceCompiler {
 public:
  // If the scan left a doubt about the program (SourceProgram::doubt), throws Error: CompileFailed if the user's text
  // does not compile, else the doubt.
  DeviceCompiler(const codegen::SourceProgram& program, Architecture architecture, const Options& options,
                 const OpenTools& tools);

  // Each throws Error: CompileFailed, NoSuchEntry, AmbiguousEntry, UnsupportedParameter, SignatureMismatch.

  // Compiles a text that fits any signature (families::Code::is_general), and reads the signature in the same compile.
  Compiled general(std::string text, CodeKind kind) const;

  // Reads the signature and makes no code: NVRTC stops after its front end. That still takes most of a compile's time.
  Signature signature() const;

  // Compiles a text whose signature is known and is not read again.
  Compiled known(std::string text, const Signature& signature, CodeKind kind) const;

  // Compiles a text that was written for exactly one kernel. Returns nothing if the compiler objects to lines that are
  // not the user's: the callback is then not what its text looks like.
  std::optional<Compiled> exact(std::string text, const Signature& signature, CodeKind kind) const;

  // Compiles the user's unadapted source: nothing of graft's in the program generates code.
  Compiled text_alone(CodeKind kind) const;

  // Compiles a text of graft's own to LTO-IR, for an nvJitLink that does not take the LTO-IR that graft ships.
  base::Bytes own(std::string text) const;

  // Compile a source callback to PTX with a function of the callback's signature, for a kernel that is compiled
  // separately (codegen/separate_program.hpp). entry_if_so also reads the signature in this compile. It returns nothing
  // if the signature is not `shown`, or if the compiler objects to lines that are not the user's.
  Compiled entry(const Signature& signature) const;
  std::optional<Compiled> entry_if_so(const Signature& shown) const;

 private:
  toolchain::NvrtcProgram request(std::string text, CodeKind kind) const;
  toolchain::NvrtcResult compile(toolchain::NvrtcProgram request) const;
  toolchain::NvrtcResult run(const toolchain::NvrtcProgram& request) const;
  void check_uncertain_texts() const;  // throws Error(CompileFailed) unless each compiles alone
  [[noreturn]] void fail_compile(const std::string& log) const;
  Compiled probed(toolchain::NvrtcProgram wanted) const;  // compiles, and reads the signature
  Signature read_signature(const toolchain::NvrtcResult& result) const;

  const codegen::SourceProgram& program_;
  Architecture architecture_;
  const Options& options_;
  const OpenTools& tools_;
  std::vector<ToolVersion> versions_;
};

}  // namespace graft::compile
