// NVRTC's compiles of a callback's program, and the words for what goes wrong in them.
#pragma once

#include <optional>

#include "build/flags.hpp"
#include "build/open_tools.hpp"
#include "graft/report.hpp"
#include "reflect/source_program.hpp"

namespace graft::building {

// NVRTC's, but for where the toolkit's own headers are.
std::vector<std::string> nvrtc_flags(const reflect::SourceProgram& program, const Options& options,
                                     Architecture architecture, CodeKind kind);

// For the report, where DeviceCompiler::exact gave nothing.
inline constexpr const char* kCompiledTwice =
    "the callback was compiled twice: the program that was written for its signature does not fit it";

struct Compiled {
  base::Bytes code;
  Signature signature;
  std::string source;
  std::string log;        // warnings, the user's only
  std::string ptxas_log;  // of a cubin
};

// Refers to all that it is made of.
class DeviceCompiler {
 public:
  // Throws Error of a program that is in doubt: CompileFailed, or the doubt.
  DeviceCompiler(const reflect::SourceProgram& program, Architecture architecture, const Options& options,
                 const OpenTools& tools);

  // Each throws Error: CompileFailed, NoSuchEntry, AmbiguousEntry, UnsupportedParameter, SignatureMismatch.

  // A text for whichever signature (families::Code), and the signature, in one compile.
  Compiled general(std::string text, CodeKind kind) const;

  // The signature alone: most of a compile's time is the front end's, but none of what follows is done.
  Signature signature() const;

  // A text whose signature is known, and is not read again.
  Compiled known(std::string text, const Signature& signature, CodeKind kind) const;

  // A text for exactly one kernel. Nothing where the compiler objects to something that is not the user's: the callback
  // is not what its text looks like.
  std::optional<Compiled> exact(std::string text, const Signature& signature, CodeKind kind) const;

  // The user's text without anything of graft's that makes code.
  Compiled text_alone(CodeKind kind) const;

  // A text of graft's alone, as LTO-IR that is no newer than this NVRTC.
  base::Bytes own(std::string text) const;

  // PTX of a source callback for a kernel that is compiled apart, with a function of its own signature
  // (reflect/separate_program.hpp). The second reads the signature in the same compile, and gives nothing where it is
  // another one, or the compiler objects to something that is not the user's.
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

  const reflect::SourceProgram& program_;
  Architecture architecture_;
  const Options& options_;
  const OpenTools& tools_;
  std::vector<ToolVersion> versions_;
};

}  // namespace graft::building
