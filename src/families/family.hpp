// A family of kernels: elementwise transforms, sums, FFTs. One object of this class says everything about a family that
// the rest of graft does not know: what a callback means to it, which description a request gets (graft::KernelSpec),
// the code of a description, and the launches of a call. What reads callbacks, chooses routes, runs tools, keeps
// kernels and loads them asks this, and knows no family by name.
//
// All functions are pure and thread-safe. A description is made once, by decide (registry.hpp), and never changed by
// hand; its tuning is named numbers that only the family reads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "families/call.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"
#include "reflect/source_program.hpp"

namespace graft::families {

// What a description is chosen from.
struct Request {
  const reflect::SourceProgram& program;  // the callback, its family, and what that was asked for
  const Signature& signature;             // of the callback
  Architecture architecture;              // number 0: of the host
  Route route = Route::Lto;
  const Options& options;
  bool writes_text = false;  // for exactly this description; else the code is general, or there already
};

struct Choice {
  Tuning tuning;
  std::string reason;  // for the report
};

// The same kernel, made in a way that cannot go wrong for a heavy callback.
struct LighterKernel {
  KernelSpec kernel;
  const char* name;       // of the way: "rolled"
  int calls_for_one = 1;  // calls that the other makes where this one makes one
};

// Where the types of a text come from: from the callback's text, and then the text that is written asks the compiler
// whether they are these; or from a reading pass of the compiler's.
enum class TypesFrom { Text, Compiler };

struct CodeRequest {
  const reflect::SourceProgram& program;
  // Nothing: the signature is not known yet, so there is no description.
  const KernelSpec* kernel = nullptr;
  TypesFrom types = TypesFrom::Compiler;
  bool is_whole = false;  // with what would be linked from blocks() in it
};

struct Code {
  std::string text;
  // For whichever signature: the text answers the question for it (reflect/program.hpp), and the description follows.
  bool is_general = false;
};

// Code for the route `indirect`, where graft has it: a kernel made when graft was built, that calls the callback by its
// address.
class IndirectCode {
 public:
  virtual ~IndirectCode() = default;
  // PTX of the block; PTX of the kernel, which calls the symbol `callback` (empty: what adapter() defines); and C++ of
  // a source's adapter.
  virtual std::string block() const = 0;
  virtual std::string kernel(const KernelSpec& kernel, const std::string& callback) const = 0;
  virtual std::string adapter(const reflect::SourceProgram& program) const = 0;
};

// The names of those that are given.
std::vector<std::string> names_of(const PolicyOverrides& asked);

class Family {
 public:
  virtual ~Family() = default;
  virtual std::string_view name() const noexcept = 0;

  // ---- descriptions ----

  // Throws Error: UnsupportedParameter for a signature that it has no kernel for, InvalidArgument for options.
  virtual Choice choose(const Request& request) const = 0;

  // Nothing where there is none, or where the options leave no choice.
  virtual std::optional<LighterKernel> lighter(const KernelSpec& kernel, const PolicyOverrides& asked) const;

  // Why no kernel of the family's is like that, as a clause ("its vector width is 3"), or nothing. What launcher() and
  // describe() are given has passed it.
  virtual std::string objection_to(const KernelSpec& kernel) const = 0;

  // The tuning by which a finished kernel is launched for a request that may ask for another; nothing where it does not
  // serve the request, and `why` says so: "block_threads=128, but this request asks for 256".
  virtual std::optional<Tuning> serve(const KernelSpec& finished, const PolicyOverrides& asked, std::string& why) const;

  // A sentence on each thing that was asked for and has no effect on a kernel like this.
  virtual std::vector<std::string> notes_on(const PolicyOverrides& asked, const KernelSpec& kernel) const;

  virtual std::string describe(const KernelSpec& kernel) const = 0;  // for people

  // ---- code ----

  // Nothing where the signature has to be known first.
  virtual std::optional<Code> code(const CodeRequest& request) const = 0;

  // LTO-IR that is linked with the text: files among those embedded. And C++ of all of it.
  virtual std::vector<std::string> blocks(const KernelSpec& kernel) const;
  virtual std::string block_text(const KernelSpec& kernel) const;

  // Files among those embedded that its texts include, by their names for #include.
  virtual std::vector<std::string_view> headers() const { return {}; }

  virtual const IndirectCode* indirect() const noexcept { return nullptr; }

  // For a C++ compiler, behind "graft/host.h": it defines what the probe names (reflect/program.hpp) and
  //     extern "C" void graft_host_run(const void* parameter, unsigned long long begin, unsigned long long end)
  // which handles those items of a launch.
  virtual std::string host_text(const reflect::SourceProgram& program) const = 0;

  // ---- launches ----

  virtual std::unique_ptr<const Launcher> launcher(const KernelSpec& kernel) const = 0;
};

}  // namespace graft::families
