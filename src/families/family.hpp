// The interface of a family of kernels: transforms, sums, convolutions. One Family object implements everything
// that differs between families: what a callback means, which kernels a job takes (families/job.hpp), which kernel spec
// (graft::KernelSpec, the description of one kernel) each of them gets, the code of a kernel spec, and the launches of
// a call. The rest of graft reads callbacks, chooses routes, runs tools, caches and loads kernels through this
// interface, and contains no family's name.
//
// All functions are pure and thread-safe. A kernel spec is made once, by decide() in registry.hpp. Its request is the
// record of a struct of the family, and its tuning a list of named numbers; only the family interprets them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/phrases.hpp"
#include "codegen/source_program.hpp"
#include "families/call.hpp"
#include "families/job.hpp"
#include "format/tuning_file.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"
#include "reflect/signature/refusal.hpp"

namespace graft::families {

// The facts from which a kernel spec is chosen.
struct Request {
  // The prepared callback. It also holds the name of the family, and what the family is asked for.
  const codegen::SourceProgram& program;
  const Signature& signature;  // the callback's signature
  Architecture architecture;   // architecture number 0 means the host
  Route route = Route::Lto;
  const Options& options;
  // Whether the build writes code for exactly the chosen kernel spec. False if the code is general, that is, valid for
  // every signature, or if the code exists already.
  bool writes_text = false;
};

// A callback of a composition that a family refuses.
struct RefusedCallback {
  std::size_t stage = 0;                // 0 load, 1 op, 2 store
  std::vector<std::string> types = {};  // of its result and parameters, as the compiler spells them; empty for a chain
  // Its signature, or that of the first and the last part of a chain. Null for a callback of cuFFT's shape.
  const Signature* first = nullptr;
  const Signature* last = nullptr;
};

struct Choice {
  Tuning tuning;
  std::string reason;  // why the tuning was chosen, for the report
};

// A variant of a kernel with less code, which compiles in a short time even for a heavy callback.
struct LighterKernel {
  KernelSpec kernel;
  const char* name;  // the variant's name: "rolled"
  // How many calls of the callback the original kernel contains for each call in this kernel.
  int calls_for_one = 1;
};

// Where graft learns the callback's types for the text that it generates. With Text, graft reads the types in the
// callback's text, and the generated text makes the compiler check the types. With Compiler, graft gets the types from
// a reading pass, a compile that only reads the signature.
enum class TypesFrom { Text, Compiler };

struct CodeRequest {
  const codegen::SourceProgram& program;
  // Null while the signature is not known, because a kernel spec contains the signature.
  const KernelSpec* kernel = nullptr;
  TypesFrom types = TypesFrom::Compiler;
  // Whether the text must also contain the building blocks, which are otherwise linked (Family::blocks).
  bool is_whole = false;
};

struct Code {
  std::string text;
  // Whether the text is valid for every signature. The name of the probe in the compiled text
  // (reflect/signature/probe.hpp) tells the callback's signature, and graft then chooses the kernel spec.
  bool is_general = false;
};

// Code for the indirect route, for families that support it. Its building block was compiled when graft was built, and
// calls the callback through a pointer.
class IndirectCode {
 public:
  virtual ~IndirectCode() = default;
  // Returns the PTX of the building block that the kernel is linked with.
  virtual std::string block(const KernelSpec& kernel) const = 0;
  // Returns the PTX of the kernel. The kernel calls the function `callback`; if `callback` is empty, it calls the
  // function that adapter() defines.
  virtual std::string kernel(const KernelSpec& kernel, const std::string& callback) const = 0;
  // Returns the C++ text of the adapter for a source callback.
  virtual std::string adapter(const codegen::SourceProgram& program) const = 0;
};

// How messages speak of kernels whose registers no bound changes.
struct FixedRegisters {
  std::string_view whose;   // "a sum", in "the kernel graft_sum_relu of a sum needs 200 registers"
  std::string_view remedy;  // what to change in place of the bound, and why the bound has no effect; without a period
};

// Returns the names of the overrides that are set.
std::vector<std::string> names_of(const PolicyOverrides& asked);

class Family {
 public:
  virtual ~Family() = default;
  virtual std::string_view name() const noexcept = 0;

  // The class by which users reach the family.
  struct Face {
    std::string_view job;     // what messages call what it makes: "a sum"
    std::string_view remedy;  // says what takes its packs: "Load it with graft::Sum::load."
    // What to call for a job of the host route.
    std::string_view on_host = "Call execute(graft::host, in, out)";
  };
  // Returns the family's face. By default, it is empty, and Callback::pack takes packs of one kernel.
  virtual Face face() const noexcept { return {}; }

  // Whether the kernels have a callback of elements, and so a signature. Not those of the user's own.
  virtual bool has_elements() const noexcept { return true; }

  // ---- jobs ----

  // Returns the kernels of a job for an architecture or, without one, for the host. By default, there is one kernel,
  // with one method, which calls the job's only callback and is asked for what the job asks for. Throws
  // Error(InvalidArgument).
  virtual Schedule schedule(const Job& job, std::optional<Architecture> architecture) const;

  // Returns what messages call a job: "a sum of 4096 rows". By default, the name of its callback.
  virtual std::string title(const Job& job) const;

  // Returns the request of the job (Job::request) to which a finished kernel belongs.
  virtual base::Bytes job_request(const KernelSpec& kernel) const { return kernel.request; }

  // Returns the request of the job (Job::request) with what a tuning file has for it, which then is in the requests of
  // its kernels, and so in their keys. For families whose tuning may change results; of the others, the numbers are
  // options of a kernel (measured()). By default, the request as it is.
  virtual base::Bytes tuned_request(const Job& job, const format::TuningFile&) const { return job.request; }

  // Returns the request of a job without what tuned_request() adds. By default, the request as it is.
  virtual base::Bytes shipped_request(const base::Bytes& request) const { return request; }

  // Changes the description of a kernel in a pack of version 2 to what it is since version 3. By default, both are the
  // same.
  virtual void upgrade(KernelSpec& /*kernel*/) const {}

  // Returns what the request of a kernel asks for, for people to read: "length=4096", "kernel=0". By default, and for a
  // request that cannot be read, there are no words.
  virtual std::vector<std::string> words_on(std::span<const std::byte> request) const;

  // ---- kernel specs ----

  // Chooses the tuning. Throws Error: UnsupportedParameter for a signature that the family has no kernel for,
  // InvalidArgument for options that no kernel of the family can have.
  virtual Choice choose(const Request& request) const = 0;

  // Returns the numbers that a tuning file has for the kernel of a step (Options::measured). Returns nothing if the
  // file has none, or if the callback's text does not show what they depend on. Throws Error if the text cannot be
  // read. By default, returns nothing.
  virtual std::optional<MeasuredPolicy> measured(const Step&, const Options&, const format::TuningFile&) const {
    return std::nullopt;
  }

  // Returns the reason why kernels of the family cannot have the numbers that a tuning file has for them, as a clause
  // ("its vector width is 3"). Empty if they can.
  virtual std::string objection_to_tuning(const format::TuningFile&) const { return {}; }

  // Whether tuning files may have rows of the family (TuningFile::further).
  virtual bool has_tuning_rows() const noexcept { return false; }

  // Returns the lighter variant of a kernel. Returns nothing if the family has none, or if the overrides in `asked`
  // forbid it.
  virtual std::optional<LighterKernel> lighter(const KernelSpec& kernel, const PolicyOverrides& asked) const;

  // Returns the reason why the family cannot have made this kernel, as a clause ("its vector width is 3"). Returns an
  // empty text if the family can have made the kernel. Call caller() and describe() only for kernels for which the
  // result is empty.
  virtual std::string objection_to(const KernelSpec& kernel) const = 0;

  // Returns the tuning with which a finished kernel, for example a kernel of a pack, is launched for a request. The
  // request may ask for another tuning than that of the kernel. Returns nothing if the kernel cannot serve the request,
  // and puts the reason into `why`: "vectors_per_thread=4, but this request asks for 2".
  virtual std::optional<Tuning> serve(const KernelSpec& finished, const PolicyOverrides& asked, std::string& why) const;

  // Returns one sentence for each override that has no effect on this kernel, and for each way in which the callback's
  // types make the kernel slow.
  virtual std::vector<std::string> notes_on(const PolicyOverrides& asked, const KernelSpec& kernel) const;

  // Returns what the report should say about the callback's text.
  virtual std::vector<std::string> notes_on_text(const codegen::SourceProgram& program) const;

  virtual std::string describe(const KernelSpec& kernel) const = 0;  // one line about the tuning, for people to read

  // Returns how to speak of the kernels if they ignore a bound on registers (KernelSpec::max_registers).
  virtual std::optional<FixedRegisters> fixed_registers() const { return std::nullopt; }

  // ---- callbacks ----

  // Throws Error(InvalidArgument) if the family has no use for a composition of this form.
  virtual void check(const Callback::Composition&) const {}

  // Whether the load and store callbacks of a composition must have cuFFT's signature. If not, they may also have that
  // of a callback of graft's, which the compiler then reads and checks as it does for any callback.
  virtual bool stages_need_cufft_signature() const noexcept { return false; }

  // Whether the callbacks of a composition may pass each other values that are larger than elements may be. The facts
  // of the composition then refuse what the family does not take.
  virtual bool stages_pass_large_values() const noexcept { return false; }

  // Returns what messages call the callbacks that are given at named places, such as load and store.
  virtual std::string_view stages_word() const noexcept { return "callbacks"; }

  // Returns the public type to which users give load and store callbacks of cuFFT's signature, or an empty text.
  virtual std::string_view taker_of_cufft_callbacks() const noexcept { return {}; }

  // Returns the words for a refusal of the family's own. `number` is graft_adapter::kFirstFamilyRefusal or more; the
  // family's building blocks define it. Throws std::out_of_range for a number that the family does not define.
  virtual reflect::RefusalWords refusal(unsigned number) const;

  // Returns what messages call a callback that is given at a place: 0 load, 1 op, 2 store.
  virtual std::string_view stage_word(std::size_t stage) const;

  // Returns what is wrong with a callback that the family refuses, and what this request needs in its place: "it
  // returns float, and a sum of doubles needs one that returns double". Returns an empty text if the words of the
  // refusal say it all.
  virtual std::string difference(const codegen::SourceProgram& program, unsigned number,
                                 const RefusedCallback& callback) const;

  // Returns the word behind "graft_" in the names of kernels: "sum" in graft_sum_relu.
  virtual std::string_view kernel_word() const noexcept { return name(); }

  // Returns the phrases of messages that name the family's C++ interface, and what they are in the C interface.
  virtual std::span<const base::Phrase> c_words() const { return {}; }

  // ---- code ----

  // Returns the family's code for the request. Returns nothing in two cases: the family can write this code only after
  // a compiler has read the signature, because the code depends on the tuning or on the types; or the types are to come
  // from the callback's text (TypesFrom::Text) and the family has no way to spell one of them in its code.
  virtual std::optional<Code> code(const CodeRequest& request) const = 0;

  // Returns the signature that the callback's text shows. A program for it (TypesFrom::Text) makes the compiler confirm
  // it. By default, codegen::shown_signature().
  virtual std::optional<Signature> shown_signature(const codegen::SourceProgram& program, const Options& options) const;

  // Whether the kernel of a source callback needs no more compiles as one program with the building blocks
  // (CodeRequest::is_whole) than without them. `shown` is the signature that the callback's text shows. By default, and
  // for a family whose programs are general, it needs more.
  virtual bool is_sooner_whole(const codegen::SourceProgram&, const std::optional<Signature>& /*shown*/) const {
    return false;
  }

  // Returns a program from which a compiler reads the callback's signature without making code. By default, that of the
  // callback as a function of elements.
  virtual std::string reading_text(const codegen::SourceProgram& program) const;

  // blocks() returns the names of the embedded LTO-IR files of the building blocks that are linked with the text.
  // building_block_text() returns these building blocks as C++ text.
  // links_blocks() is false for a family whose blocks() is empty for every kernel.
  virtual bool links_blocks() const noexcept { return false; }
  virtual std::vector<std::string> blocks(const KernelSpec& kernel) const;
  virtual std::string building_block_text(const KernelSpec& kernel) const;

  // Returns the names of the embedded files that the family's texts include, as written in #include.
  virtual std::vector<std::string_view> headers() const { return {}; }

  virtual const IndirectCode* indirect() const noexcept { return nullptr; }

  // Returns text for the host's C++ compiler. graft puts #include "graft/host.h" in front of the text. The text defines
  // the names that the probe uses (kProbe in codegen/program.hpp), and the function
  //     extern "C" void graft_host_run(const void* parameter, unsigned long long begin, unsigned long long end)
  // which handles the elements from `begin` to `end` of a launch.
  virtual std::string host_text(const codegen::SourceProgram& program) const = 0;

  // ---- calls ----

  // Returns the caller of a job whose kernels were made. `kernels` are those of the schedule. Throws
  // Error(ImageRefused) if they do not belong together, because they came from files.
  virtual std::unique_ptr<const Caller> caller(const Job& job, const Schedule& schedule,
                                               std::span<const KernelSpec* const> kernels) const = 0;

  // Returns the bytes that a kernel reads and no launch changes, such as a table. They are copied to the device once
  // for each context.
  virtual base::Bytes constants(const KernelSpec& kernel) const;

  // Returns the most dynamic shared memory that a launch of the kernel has per thread block, in bytes. 0 if that is at
  // most what CUDA gives without being asked.
  virtual std::uint32_t most_shared_bytes(const KernelSpec& /*kernel*/) const { return 0; }
};

}  // namespace graft::families
