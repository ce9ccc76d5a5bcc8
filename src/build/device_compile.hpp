// NVRTC's compiles of a callback's program, and the words for what goes wrong in them.
#pragma once

#include <optional>

#include "build/flags.hpp"
#include "build/open_tools.hpp"
#include "build/plain_program.hpp"
#include "build/source_program.hpp"
#include "graft/report.hpp"
#include "kernel/policy.hpp"

namespace graft::building {

// For the report, where DeviceCompiler::plain gave nothing.
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
  DeviceCompiler(const SourceProgram& program, Architecture architecture, const Options& options,
                 const OpenTools& tools);

  // Each throws Error: CompileFailed, NoSuchEntry, AmbiguousEntry, UnsupportedParameter, SignatureMismatch.

  // Callback and adapter as LTO-IR, and the signature, in one compile.
  Compiled ltoir() const;

  // The signature alone: most of a compile's time is the front end's, but none of what follows is done.
  Signature signature() const;

  // Callback, adapter, policy and block as one program: whole, or PTX whose undefined functions are left to a linker.
  // The signature is not read again.
  Compiled kernel(const kernel::Policy& policy, CodeKind kind) const;

  // The same with an adapter for exactly this signature (plain_program.hpp), as LTO-IR without the block. Nothing where
  // the compiler objects to something that is not the user's: the callback is not what its text looks like.
  std::optional<Compiled> plain(const Signature& signature, TypesFrom types, const kernel::Policy& policy,
                                CodeKind kind) const;

  // The user's text without anything of graft's that makes code.
  Compiled text_alone(CodeKind kind) const;

  // Block and policy alone, as LTO-IR that is no newer than this NVRTC. `has_tile`: for a plain adapter.
  base::Bytes block(const kernel::Policy& policy, bool has_tile) const;

  // PTX of a source callback for a kernel that is compiled apart: with a function of its own signature
  // (separate_program.hpp), and with the adapter around it, which finds the arrays by itself (graft_element), and the
  // signature.
  Compiled entry(const Signature& signature) const;
  Compiled adapter_ptx() const;

 private:
  toolchain::NvrtcProgram request(CodeKind kind) const;
  toolchain::NvrtcResult compile(toolchain::NvrtcProgram request) const;
  toolchain::NvrtcResult run(const toolchain::NvrtcProgram& request) const;
  void check_uncertain_texts() const;  // throws Error(CompileFailed) unless each compiles alone
  [[noreturn]] void fail_compile(const std::string& log) const;
  Compiled probed(toolchain::NvrtcProgram wanted) const;  // compiles, and reads the signature
  Signature read_signature(const toolchain::NvrtcResult& result) const;

  const SourceProgram& program_;
  Architecture architecture_;
  const Options& options_;
  const OpenTools& tools_;
  std::vector<ToolVersion> versions_;
};

}  // namespace graft::building
