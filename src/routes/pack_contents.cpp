// The parts of a packed kernel are its pieces of code: LTO-IR, PTX and finished kernels. Class PackOpener collects the
// parts for one architecture. It leaves out a part whose kernel has another tuning than the request's options ask for,
// and remembers the reason. The reason becomes the error if no other part serves the request. Callback::pack is defined
// here, because it reads the pack.
#include "routes/pack_contents.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "codegen/program.hpp"
#include "compile/flags.hpp"
#include "core/compiler_options.hpp"
#include "core/fail.hpp"
#include "core/option_table.hpp"
#include "core/serves.hpp"
#include "families/kept_kernels.hpp"
#include "families/kernel_check.hpp"
#include "families/registry.hpp"
#include "format/compressed_pack.hpp"
#include "format/ltoir.hpp"
#include "graft/error.hpp"
#include "plan/agreement.hpp"
#include "routes/pack_entry.hpp"

namespace graft::routes {
namespace {

using format::PackedKernel;
using format::PackPart;
using format::PackPartKind;
using toolchain::LinkInputKind;

[[noreturn]] void refuse_pack(const std::string& name, std::string_view reason, format::Flaw flaw) {
  fail(ErrorCode::ImageRefused, base::format("{} cannot be read as a pack: {}", name, reason),
       flaw == format::Flaw::Newer       ? "Use a newer graft, or make the pack with this one."
       : flaw == format::Flaw::OfGraft01 ? "Precompile again with this graft."
       : flaw == format::Flaw::Compressed
           ? "Build graft with libzstd (CMake's option GRAFT_ZSTD), or make the pack with this build."
           : "Make or copy the pack again: `precompile` did not make these bytes.");
}

base::Bytes written(format::Outcome<base::Bytes> pack, const std::string& title) {
  if (pack) return std::move(*pack);
  refuse(base::format("no pack can be made of {}: {}", title, pack.error().message),
         "Ask for fewer architectures, or put fewer callbacks into the pack.");
}

Version version_of(const std::vector<ToolVersion>& tools, std::string_view tool) {
  Version version;
  for (const ToolVersion& other : tools) {
    if (other.tool != tool) continue;
    const char* const end = other.version.data() + other.version.size();
    const char* const dot = std::from_chars(other.version.data(), end, version.major).ptr;
    if (dot != end) std::from_chars(dot + 1, end, version.minor);
  }
  return version;
}

// Refuses a request whose value of an option differs from the value that the pack was made with. `built_with` is the
// pack's value, as "max_registers=64".
void check(const std::string& name, bool same, std::string_view built_with, std::string_view asked) {
  if (!same)
    refuse(base::format("{} was built with {}, but this request asks for {}", name, built_with, asked),
           "Give the options that the pack was built with, or make another pack.");
}

// Does the same for an option that is a number: `own` is the pack's number, `asked` the request's. `asked` is 0 if the
// request does not set the option.
void check_number(const std::string& name, std::string_view option, int own, int asked) {
  check(name, asked == 0 || asked == own, base::format("{}={}", option, own), base::format("{}", asked));
}

void check_options(const PackedKernel& packed, const std::string& name, const Options& options) {
  const bool says_nothing = options.floating_point == FloatingPoint{};
  const std::string own = plan::difference(packed.spec.floating_point, options.floating_point);
  check(name, says_nothing || own.empty(), "floating_point." + own,
        plan::difference(options.floating_point, packed.spec.floating_point));
  check_number(name, "max_registers", packed.spec.max_registers, options.max_registers);
  check_number(name, "shared_bytes", packed.spec.shared_bytes, options.shared_bytes);
  const auto word = [](CppStandard standard) { return base::format("C++{}", static_cast<int>(standard)); };
  check(name, options.standard == CppStandard::Cpp17 || options.standard == packed.standard,
        "standard=" + word(packed.standard), word(options.standard));
  check(name, !options.line_info || packed.line_info, "line_info=false", "true");
  const auto listed = [](const std::vector<std::string>& list) {
    return list.empty() ? std::string("none") : base::format("{}", base::join(list, " "));
  };
  const std::vector<std::string> compiler_options = canonical_compiler_options(options.compiler_options);
  check(name, compiler_options.empty() || compiler_options == packed.spec.compiler_options,
        "compiler_options=" + listed(packed.spec.compiler_options), listed(compiler_options));
  for_each_option<Options>([&](const auto& row) {
    if constexpr (requires { (options.*row.member).empty(); })
      if (row.too_late_for_packs && !(options.*row.member).empty())
        refuse(base::format("{} is already compiled: Options::{} comes too late", name, row.name),
               "Give it to precompile.");
  });
}

void check_signature(const PackedKernel& packed, const Callback& callback) {
  if (!has_declared_signature(packed, callback))
    fail(ErrorCode::SignatureMismatch,
         base::format("{} has the signature {}, but {} was declared", callback.name(), packed.spec.signature.text(),
                      callback.signature()),
         "Leave the declaration out: a pack contains its signature.");
}

class PackOpener {
 public:
  PackOpener(const Callback& callback, std::optional<Architecture> architecture, const Options& options)
      : name_(callback.name()), architecture_(architecture), options_(options) {
    contents_.kernel = read_packed_kernel(callback, options);
    contents_.material = {.source = false, .types_known = true, .name = name_, .packed = true};
    contents_.material.ptx_made_by = version_of(contents_.kernel.tools, "NVRTC");
  }

  PackContents open() {
    if (architecture_) check_options_of_family();
    add_ltoir();
    contents_.program = newest(PackPartKind::Program);
    contents_.callback_ptx = newest(PackPartKind::CallbackPtx);
    contents_.adapter_ptx = newest(PackPartKind::AdapterPtx);
    add_finished();
    add_misfits();

    plan::Material& material = contents_.material;
    material.ltoir = !contents_.ltoir.empty();
    material.program = contents_.program.has_value();
    material.ptx = contents_.callback_ptx.has_value();
    material.ptx_kernel = contents_.adapter_ptx.has_value();
    if (contents_.finished) material.finished = contents_.finished->facts->route;
    const bool holds_any = material.ltoir || material.program || material.ptx || material.finished;
    if (architecture_ && !holds_any) refuse_all();
    return std::move(contents_);
  }

 private:
  const families::Family& family() const { return families::of(contents_.kernel.spec.family); }

  // Throws Error for options that no kernel can have. Call this before looking for parts, because a request with such
  // options is wrong for every pack.
  void check_options_of_family() const {
    const codegen::SourceProgram program = packed_program(contents_.kernel, name_);
    const Route route = Route::Lto;  // the route that supports the most options
    family().choose({program, contents_.kernel.spec.signature, *architecture_, route, options_});
  }

  // Returns whether the part serves the request's architecture. A finished kernel serves its own architecture only.
  bool is_here(const PackPart& part) const {
    if (part.kind == PackPartKind::Cubin) return part.architecture == architecture_;
    return architecture_ && serves(part.architecture, *architecture_);
  }

  std::string misfit_of(const PackPart& part) const {
    if (!part.facts) return {};
    std::string why;
    family().serve(format::spec_of(contents_.kernel, part), options_.policy, why);
    return why;
  }

  std::optional<PackPart> newest(PackPartKind kind) const {
    std::optional<PackPart> found;
    for (const PackPart& part : contents_.kernel.parts)
      if (part.kind == kind && is_here(part) && misfit_of(part).empty() &&
          (!found || found->architecture < part.architecture))
        found = part;
    return found;
  }

  // Chooses the finished kernel. Checks its bytes, because they are passed to the driver unchanged, and the driver does
  // not check them.
  void add_finished() {
    contents_.finished = newest(PackPartKind::Cubin);
    if (!contents_.finished) return;
    const KernelSpec kernel = format::spec_of(contents_.kernel, *contents_.finished);
    if (const std::string why = families::objection_to_image(kernel, contents_.finished->bytes); !why.empty())
      refuse_pack(name_, base::format("its finished kernel for {} is none: {}", architecture_->sm(), why),
                  format::Flaw::Damaged);
  }

  void add_misfits() {
    for (const PackPart& part : contents_.kernel.parts) {
      const std::string why = is_here(part) ? misfit_of(part) : std::string();
      if (why.empty()) continue;
      const std::string text = base::format("{} was built with {}", name_, why);
      if (part.kind == PackPartKind::Cubin && !contents_.finished) contents_.finished_misfit = text;
      contents_.material.misfits.try_emplace(part.facts->route, text);
    }
  }

  void add_ltoir() {
    const std::optional<PackPart> best = newest(PackPartKind::LtoIr);
    for (const PackPart& part : contents_.kernel.parts) {
      if (!best || part.kind != PackPartKind::LtoIr || part.architecture != best->architecture) continue;
      const auto header = format::read_ltoir(part.bytes);
      if (!header) refuse_pack(name_, header.error().message, header.error().flaw);
      Version& made_by = contents_.material.ltoir_made_by;
      made_by = std::max(made_by, header->producer());
      contents_.ltoir.push_back({LinkInputKind::LtoIr, part.bytes, name_});
      if (part.facts) contents_.exact = part;
    }
  }

  [[noreturn]] void refuse_all() const {
    if (!contents_.material.misfits.empty())
      refuse(contents_.material.misfits.begin()->second,
             "Leave that field of Options::policy unset, or make a pack with that value.");
    std::set<std::string> held;
    for (const PackPart& part : contents_.kernel.parts)
      held.insert(base::format("{} for {}", to_string(part.kind), part.architecture.sm()));
    fail(ErrorCode::ImageRefused,
         base::format("{} holds nothing for {}, only {}", name_, architecture_->sm(),
                      held.empty() ? "its signature" : base::format("{}", base::join(held, ", "))),
         "Make a pack for this architecture or an older one.");
  }

  std::string name_;
  std::optional<Architecture> architecture_;
  const Options& options_;
  PackContents contents_;
};

}  // namespace
}  // namespace graft::routes

graft::Callback graft::Callback::pack(std::span<const std::byte> bytes, std::string name) {
  // The application gets the error for a damaged pack from this call and not later from a build.
  std::string plain = routes::plain_pack(bytes, name);
  routes::check_has_callbacks(routes::read_pack(base::as_bytes(plain), name), name);
  return made_of(Form::Pack, std::move(plain), std::move(name));
}

namespace graft::routes {

format::Pack read_pack(std::span<const std::byte> bytes, const std::string& name) {
  format::Outcome<format::Pack> pack = families::read_pack(bytes);
  if (!pack) refuse_pack(name, pack.error().message, pack.error().flaw);
  return std::move(*pack);
}

std::string plain_pack(std::span<const std::byte> bytes, const std::string& name) {
  if (!format::is_compressed_pack(bytes)) return std::string(base::as_text(bytes));
  const format::Outcome<base::Bytes> plain = format::decompressed_pack(bytes);
  if (!plain) refuse_pack(name, plain.error().message, plain.error().flaw);
  return std::string(base::as_text(*plain));
}

base::Bytes pack_of(format::PackJob job, const std::string& title) {
  return written_pack({.jobs = {std::move(job)}}, title);
}

base::Bytes written_pack(const format::Pack& pack, const std::string& title) {
  return written(families::write_pack(pack), title);
}

// families::write_pack would read the pack to check it, which Callback::pack does too.
Callback callback_of(PackedKernel kernel, const std::string& name) {
  const std::string family = kernel.spec.family;
  const format::Pack pack = {.jobs = {{.family = family, .kernels = {std::move(kernel)}}}};
  return Callback::pack(written(format::write_pack(pack), name), name);
}

PackContents open_pack(const Callback& callback, std::optional<Architecture> architecture, const Options& options) {
  PackContents contents = PackOpener(callback, architecture, options).open();
  check_options(contents.kernel, callback.name(), options);
  check_signature(contents.kernel, callback);
  return contents;
}

Options with_own(const PackedKernel& packed, const Options& asked) {
  Options options = asked;
  options.floating_point = packed.spec.floating_point;
  options.max_registers = packed.spec.max_registers;
  options.shared_bytes = packed.spec.shared_bytes;
  options.compiler_options = packed.spec.compiler_options;
  options.standard = packed.standard;
  options.line_info = packed.line_info;
  return options;
}

void keep_callback_alone(PackContents& contents, const base::Bytes& request) {
  if (!contents.material.ptx)
    fail(
        ErrorCode::RouteUnavailable,
        base::format("{} has no PTX of its callback, which a kernel for arrays of any shape could call",
                     contents.material.name),
        "Make the transform for arrays of one dimension alone, or of the callback. Packs of a single source have PTX.");
  contents.kernel.spec.request = request;
  contents.ltoir.clear();
  contents.exact.reset();
  contents.program.reset();
  contents.adapter_ptx.reset();
  contents.finished.reset();
  contents.finished_misfit.clear();
  plan::Material& material = contents.material;
  material.ltoir = material.program = material.ptx_kernel = false;
  material.finished.reset();
  material.misfits.clear();
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx})
    material.misfits[route] = "a pack has no code of this kernel, and can only call its callback through a pointer";
}

codegen::SourceProgram packed_program(const PackedKernel& packed, const std::string& name) {
  codegen::SourceProgram program;
  program.family = packed.spec.family;
  program.request = packed.spec.request;
  program.parts.entry = packed.entry;
  program.parts.kernel_name = packed.spec.name;
  program.parts.max_registers = packed.spec.max_registers;
  program.thread_words = packed.thread_words;
  program.scan.mentions_shared_memory =
      std::ranges::find(packed.thread_words, "__shared__") != packed.thread_words.end();
  program.scan.mentions_long_math = packed.has_long_math;
  program.title = base::format("{} in {}", packed.entry.empty() ? "lambda" : packed.entry, name);
  return program;
}

}  // namespace graft::routes
