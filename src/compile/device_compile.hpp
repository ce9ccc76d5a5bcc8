// Compiles a callback's program with NVRTC. compile_error.hpp converts NVRTC's messages to graft's errors.
//
// The functions of DeviceCompiler differ in how they learn the callback's signature. general() reads the signature in
// the compile that makes the code. signature() reads the signature and makes no code. known() and exact() get the
// signature from the caller.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/source_program.hpp"
#include "compile/compile_error.hpp"
#include "compile/flags.hpp"
#include "compile/open_tools.hpp"
#include "graft/report.hpp"

namespace graft::compile {

// The flags for NVRTC, except the flags for the include folders of the toolkit.
std::vector<std::string> nvrtc_flags(const codegen::SourceProgram& program, const Options& options,
                                     Architecture architecture, CodeKind kind, const plan::HeaderScan* scan = nullptr);

// A note in the kernel's report. It is added if DeviceCompiler::exact() or entry_if_so() returned nothing, so that the
// callback had to be compiled again.
inline constexpr const char* kCompiledTwice =
    "the callback was compiled twice: the first program, written for exactly one signature, does not fit the callback";

struct Compiled {
  base::Bytes code;
  Signature signature;
  std::string source;     // the program that was compiled
  std::string log;        // warnings about the user's source
  std::string ptxas_log;  // the lines of ptxas if the code is a cubin; otherwise empty
  base::Bytes ptx;        // the PTX of a cubin
};

// Keeps references to the constructor's arguments, which must outlive the DeviceCompiler.
class DeviceCompiler {
 public:
  // Throws an Error if the lexical scan found no entry function (CompileErrors::check_doubt).
  DeviceCompiler(const codegen::SourceProgram& program, Architecture architecture, const Options& options,
                 const OpenTools& tools);

  // Each function below throws Error: CompileFailed, NoSuchEntry, AmbiguousEntry, UnsupportedParameter,
  // SignatureMismatch.

  // Compiles a program that fits any signature (families::Code::is_general), and reads the callback's signature in the
  // same compile.
  Compiled general(std::string text, CodeKind kind) const;

  // Reads the signature and makes no code. NVRTC stops after its front end, which still takes most of a compile's time.
  Signature signature() const;

  // Compiles a program for a callback with the given signature, without reading the signature from the source.
  Compiled known(std::string text, const Signature& signature, CodeKind kind) const;

  // Compiles a program that was written for exactly one signature. Returns nothing if the program does not compile
  // although the compiler finds no error in the user's lines. The callback's signature is then not the one that its
  // source seems to have.
  std::optional<Compiled> exact(std::string text, const Signature& signature, CodeKind kind) const;

  // Compiles the user's unadapted source. graft's lines in the program generate no code.
  Compiled text_alone(CodeKind kind) const;

  // Compiles a program that calls the callback as something else than a function of elements, or that has no callback.
  // Also returns the lowered names of `expressions`. SyntaxOnly makes no code: NVRTC stops after its front end. Code is
  // LTO-IR, Ptx is for a linker, and Whole is a cubin.
  enum class Extent : std::uint8_t { SyntaxOnly, Code, Ptx, Whole };
  struct Named {
    Compiled compiled;  // without a signature
    std::vector<std::string> lowered_names;
  };
  Named named(std::string text, std::vector<std::string> expressions, Extent extent) const;

  // Compiles a program to a cubin with debug information.
  base::Bytes with_debug_info(std::string text) const;

  // Compiles a source of graft's own to LTO-IR, for an nvJitLink that does not accept the LTO-IR that graft ships.
  base::Bytes own(std::string text) const;

  // entry() and entry_if_so() compile a source callback to PTX that defines one function, which has the callback's
  // signature. A separately compiled kernel calls this function (codegen/separate_program.hpp). entry_if_so() also
  // reads the signature in the same compile. `shown` is the signature that the source seems to have. entry_if_so()
  // returns nothing if the compiler finds another signature, or if the program does not compile although the compiler
  // finds no error in the user's lines.
  Compiled entry(const Signature& signature) const;
  std::optional<Compiled> entry_if_so(const Signature& shown) const;

 private:
  toolchain::NvrtcProgram request(std::string text, CodeKind kind) const;
  // A flag that makes errors of warnings, and the messages about lines that should not fail because of it.
  struct Exemption {
    std::function<bool(std::string_view flag)> is_flag;
    std::function<bool(const CompileMessage& message)> is_exempt;
  };
  toolchain::NvrtcResult compile(toolchain::NvrtcProgram request) const;
  toolchain::NvrtcResult compile(toolchain::NvrtcProgram request, std::span<const Exemption> exemptions) const;
  toolchain::NvrtcResult run(const toolchain::NvrtcProgram& request) const;
  [[noreturn]] void fail_compile(const std::string& log) const;
  void check_variables(const toolchain::NvrtcProgram& program, const toolchain::NvrtcResult& result) const;
  std::vector<CompileMessage> compile_alone(const codegen::ProgramParts& parts) const;  // without an adapter
  Compiled probed(toolchain::NvrtcProgram wanted) const;  // compiles `wanted` and reads the signature
  Signature signature_in(const toolchain::NvrtcResult& result) const;

  const codegen::SourceProgram& program_;
  Architecture architecture_;
  const Options& options_;
  const OpenTools& tools_;
  CompileErrors errors_;
};

}  // namespace graft::compile
