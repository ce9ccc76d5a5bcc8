// The interface of a family of kernels: elementwise transforms, sums, FFTs. One object of this class answers everything
// that differs between families: what a callback means, which kernel spec (graft::KernelSpec) a request gets, the code
// of a kernel spec, and the launches of a call. The rest of graft reads callbacks, chooses routes, runs tools, caches
// and loads kernels through this interface, and knows no family by name.
//
// All functions are pure and thread-safe. A kernel spec is made once, by decide() in registry.hpp. Its tuning is a list
// of named numbers; only the family interprets and changes them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/source_program.hpp"
#include "families/call.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"

namespace graft::families {

// What a kernel spec is chosen from.
struct Request {
  const codegen::SourceProgram& program;  // the callback, its family, and the family's own numbers
  const Signature& signature;             // of the callback
  Architecture architecture;              // number 0: the host
  Route route = Route::Lto;
  const Options& options;
  bool writes_text = false;  // code is written for exactly this kernel spec; false: it is general, or exists already
};

struct Choice {
  Tuning tuning;
  std::string reason;  // for the report
};

// A variant of a kernel with less code, which compiles safely even for a heavy callback.
struct LighterKernel {
  KernelSpec kernel;
  const char* name;       // of the variant: "rolled"
  int calls_for_one = 1;  // how many calls of the callback the original kernel contains for each one of this kernel
};

// Where a generated text gets the callback's types from. Text: from the callback's text; the generated text then asks
// the compiler whether they are right. Compiler: from a reading pass of the compiler.
enum class TypesFrom { Text, Compiler };

struct CodeRequest {
  const codegen::SourceProgram& program;
  // Null: the signature is not known yet, so there is no kernel spec.
  const KernelSpec* kernel = nullptr;
  TypesFrom types = TypesFrom::Compiler;
  bool is_whole = false;  // also contains the code that would otherwise be linked from blocks()
};

struct Code {
  std::string text;
  // The text is valid for every signature. Compiling it tells the callback's signature through the probe
  // (codegen/program.hpp), and the kernel spec is chosen then.
  bool is_general = false;
};

// Code for the route `indirect`, for families that have it: a building block that was compiled when graft was built,
// and calls the callback through a pointer.
class IndirectCode {
 public:
  virtual ~IndirectCode() = default;
  // PTX of the building block.
  virtual std::string block() const = 0;
  // PTX of the kernel. It calls the symbol `callback`, or if that is empty the function that adapter() defines.
  virtual std::string kernel(const KernelSpec& kernel, const std::string& callback) const = 0;
  // C++ text of the adapter for a source callback.
  virtual std::string adapter(const codegen::SourceProgram& program) const = 0;
};

// The names of the overrides that are set.
std::vector<std::string> names_of(const PolicyOverrides& asked);

class Family {
 public:
  virtual ~Family() = default;
  virtual std::string_view name() const noexcept = 0;

  // ---- kernel specs ----

  // Throws Error: UnsupportedParameter for a signature that the family has no kernel for, InvalidArgument for options.
  virtual Choice choose(const Request& request) const = 0;

  // Nothing if the family has no lighter kernel for this one, or if `asked` rules it out.
  virtual std::optional<LighterKernel> lighter(const KernelSpec& kernel, const PolicyOverrides& asked) const;

  // Why the family cannot have made such a kernel, as a clause ("its vector width is 3"); empty if it can. launcher()
  // and describe() require a kernel without objection.
  virtual std::string objection_to(const KernelSpec& kernel) const = 0;

  // The tuning with which a finished kernel is launched for a request that may ask for another tuning. Nothing if the
  // kernel cannot serve the request; `why` then tells the reason: "vector_width=4, but this request asks for 2".
  virtual std::optional<Tuning> serve(const KernelSpec& finished, const PolicyOverrides& asked, std::string& why) const;

  // One sentence for each override that has no effect on this kernel.
  virtual std::vector<std::string> notes_on(const PolicyOverrides& asked, const KernelSpec& kernel) const;

  virtual std::string describe(const KernelSpec& kernel) const = 0;  // for people

  // ---- code ----

  // Nothing if the family must know the signature first, or cannot write it with types from the callback's text.
  virtual std::optional<Code> code(const CodeRequest& request) const = 0;

  // The building blocks that are linked with the text, as names of embedded LTO-IR files; and the same as C++ text.
  virtual std::vector<std::string> blocks(const KernelSpec& kernel) const;
  virtual std::string building_block_text(const KernelSpec& kernel) const;

  // The embedded files that the family's texts include, by their names in #include.
  virtual std::vector<std::string_view> headers() const { return {}; }

  virtual const IndirectCode* indirect() const noexcept { return nullptr; }

  // Text for the host's C++ compiler, to follow "graft/host.h". It defines the names that the probe uses
  // (codegen/program.hpp), and
  //     extern "C" void graft_host_run(const void* parameter, unsigned long long begin, unsigned long long end)
  // which handles the items from `begin` to `end` of a launch.
  virtual std::string host_text(const codegen::SourceProgram& program) const = 0;

  // ---- launches ----

  virtual std::unique_ptr<const Launcher> launcher(const KernelSpec& kernel) const = 0;
};

}  // namespace graft::families
