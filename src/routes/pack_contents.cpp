// The images of a pack are its pieces of code: LTO-IR, PTX and finished kernels. Class PackOpener collects the images
// for one architecture. It leaves out an image whose kernel has another tuning than the request's options ask for, and
// remembers the reason. The reason becomes the error if no other image serves the request. Callback::pack is defined
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
#include "core/serves.hpp"
#include "families/kept_kernels.hpp"
#include "families/kernel_check.hpp"
#include "families/registry.hpp"
#include "format/ltoir.hpp"
#include "format/pack_set.hpp"
#include "graft/error.hpp"
#include "plan/agreement.hpp"
#include "reflect/known_types.hpp"

namespace graft::routes {
namespace {

using format::PackPart;
using format::PackPartKind;
using toolchain::LinkInputKind;

[[noreturn]] void refuse_pack(const std::string& name, std::string_view reason, format::Flaw flaw) {
  fail(ErrorCode::ImageRefused, base::format("{} cannot be read as a pack: {}", name, reason),
       flaw == format::Flaw::Newer       ? "Use a newer graft, or make the pack with this one."
       : flaw == format::Flaw::OfGraft01 ? "Precompile again with this graft."
                                         : "Make or copy the pack again: `precompile` did not make these bytes.");
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

void check_options(const format::Pack& pack, const std::string& name, const Options& options) {
  const bool says_nothing = options.floating_point == FloatingPoint{};
  const std::string own = plan::difference(pack.kernel.floating_point, options.floating_point);
  check(name, says_nothing || own.empty(), "floating_point." + own,
        plan::difference(options.floating_point, pack.kernel.floating_point));
  check_number(name, "max_registers", pack.kernel.max_registers, options.max_registers);
  check_number(name, "shared_bytes", pack.kernel.shared_bytes, options.shared_bytes);
  const auto word = [](CppStandard standard) { return base::format("C++{}", static_cast<int>(standard)); };
  check(name, options.standard == CppStandard::Cpp17 || options.standard == pack.standard,
        "standard=" + word(pack.standard), word(options.standard));
  check(name, !options.line_info || pack.line_info, "line_info=false", "true");
  const auto listed = [](const std::vector<std::string>& list) {
    return list.empty() ? std::string("none") : base::format("{}", base::join(list, " "));
  };
  const std::vector<std::string> compiler_options = canonical_compiler_options(options.compiler_options);
  check(name, compiler_options.empty() || compiler_options == pack.kernel.compiler_options,
        "compiler_options=" + listed(pack.kernel.compiler_options), listed(compiler_options));
  const auto unfit = [&](bool given, std::string_view what) {
    if (given)
      refuse(base::format("{} is already compiled: Options::{} comes too late", name, what), "Give it to precompile.");
  };
  unfit(!options.headers.empty(), "headers");
  unfit(!options.include_paths.empty(), "include_paths");
  unfit(!options.defines.empty(), "defines");
  unfit(!options.baked_state.empty(), "baked_state");
}

void check_function(const format::Pack& pack, const Callback& callback, const Options& options) {
  const std::string& entry = options.entry.empty() ? callback.entry() : options.entry;
  if (!entry.empty() && entry != pack.entry)
    fail(ErrorCode::NoSuchEntry,
         base::format("{} holds `{}`, but this request asks for `{}`", callback.name(),
                      pack.entry.empty() ? "a lambda" : pack.entry, entry),
         "Leave the entry out: a pack holds one callback.");
  std::optional<Signature> declared = callback.typed_signature();
  if (!declared && !callback.signature().empty())
    declared = reflect::known_signature(codegen::function_type(callback.signature()));
  const bool spelled_so = callback.signature().empty() || callback.signature() == pack.kernel.signature.text();
  if (declared ? *declared != pack.kernel.signature : !spelled_so)
    fail(ErrorCode::SignatureMismatch,
         base::format("{} has the signature {}, but {} was declared", callback.name(), pack.kernel.signature.text(),
                      callback.signature()),
         "Leave the declaration out: a pack contains its signature.");
}

class PackOpener {
 public:
  PackOpener(const Callback& callback, std::optional<Architecture> architecture, const Options& options)
      : name_(callback.name()), architecture_(architecture), options_(options) {
    contents_.pack = read_pack(callback.bytes(), name_);
    contents_.material = {.source = false, .types_known = true, .name = name_, .packed = true};
    contents_.material.ptx_made_by = version_of(contents_.pack.tools, "NVRTC");
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
    if (contents_.finished) material.finished = contents_.finished->kernel.route;
    const bool holds_any = material.ltoir || material.program || material.ptx || material.finished;
    if (architecture_ && !holds_any) refuse_all();
    return std::move(contents_);
  }

 private:
  const families::Family& family() const { return families::of(contents_.pack.kernel.family); }

  // Throws Error for options that no kernel can have. Call this before looking for images, because a request with such
  // options is wrong for every pack.
  void check_options_of_family() const {
    const codegen::SourceProgram program = packed_program(contents_.pack, name_);
    const Route route = Route::Lto;  // the route that supports the most options
    family().choose({program, contents_.pack.kernel.signature, *architecture_, route, options_});
  }

  // Returns whether the image serves the request's architecture. A finished kernel serves its own architecture only.
  bool is_here(const PackPart& image) const {
    if (image.kind == PackPartKind::Cubin) return image.architecture == architecture_;
    return architecture_ && serves(image.architecture, *architecture_);
  }

  std::string misfit_of(const PackPart& image) const {
    if (!holds_kernel(image)) return {};
    std::string why;
    family().serve(format::kernel_of(contents_.pack, image), options_.policy, why);
    return why;
  }

  std::optional<PackPart> newest(PackPartKind kind) const {
    std::optional<PackPart> found;
    for (const PackPart& image : contents_.pack.images)
      if (image.kind == kind && is_here(image) && misfit_of(image).empty() &&
          (!found || found->architecture < image.architecture))
        found = image;
    return found;
  }

  // Chooses the finished kernel. Checks its bytes, because they are passed to the driver unchanged, and the driver does
  // not check them.
  void add_finished() {
    contents_.finished = newest(PackPartKind::Cubin);
    if (!contents_.finished) return;
    const KernelSpec kernel = format::kernel_of(contents_.pack, *contents_.finished);
    if (const std::string why = families::objection_to_image(kernel, contents_.finished->bytes); !why.empty())
      refuse_pack(name_, base::format("its finished kernel for {} is none: {}", architecture_->sm(), why),
                  format::Flaw::Damaged);
  }

  void add_misfits() {
    for (const PackPart& image : contents_.pack.images) {
      const std::string why = is_here(image) ? misfit_of(image) : std::string();
      if (why.empty()) continue;
      const std::string text = base::format("{} was built with {}", name_, why);
      if (image.kind == PackPartKind::Cubin && !contents_.finished) contents_.finished_misfit = text;
      contents_.material.misfits.try_emplace(image.kernel.route, text);
    }
  }

  void add_ltoir() {
    const std::optional<PackPart> best = newest(PackPartKind::LtoIr);
    for (const PackPart& image : contents_.pack.images) {
      if (!best || image.kind != PackPartKind::LtoIr || image.architecture != best->architecture) continue;
      const auto header = format::read_ltoir(image.bytes);
      if (!header) refuse_pack(name_, header.error().message, header.error().flaw);
      Version& made_by = contents_.material.ltoir_made_by;
      made_by = std::max(made_by, header->producer());
      contents_.ltoir.push_back({LinkInputKind::LtoIr, image.bytes, name_});
      if (holds_kernel(image)) contents_.exact = image;
    }
  }

  [[noreturn]] void refuse_all() const {
    if (!contents_.material.misfits.empty())
      refuse(contents_.material.misfits.begin()->second,
             "Leave that field of Options::policy unset, or make a pack with that value.");
    std::set<std::string> held;
    for (const PackPart& image : contents_.pack.images)
      held.insert(base::format("{} for {}", to_string(image.kind), image.architecture.sm()));
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
  if (format::is_pack_set(bytes))
    fail(ErrorCode::ImageRefused, base::format("{} is the pack of an FFT, not of a callback", name),
         "Load it with graft::Fft::load.");
  // The application gets the error for a damaged pack from this call and not later from a build.
  routes::read_pack(bytes, name);
  return made_of(Form::Pack, std::string(base::as_text(bytes)), std::move(name));
}

namespace graft::routes {

format::Pack read_pack(std::span<const std::byte> bytes, const std::string& name) {
  format::Outcome<format::Pack> pack = families::read_pack(bytes);
  if (!pack) refuse_pack(name, pack.error().message, pack.error().flaw);
  return std::move(*pack);
}

PackContents open_pack(const Callback& callback, std::optional<Architecture> architecture, const Options& options) {
  PackContents contents = PackOpener(callback, architecture, options).open();
  check_options(contents.pack, callback.name(), options);
  check_function(contents.pack, callback, options);
  return contents;
}

Options with_own(const format::Pack& pack, const Options& asked) {
  Options options = asked;
  options.floating_point = pack.kernel.floating_point;
  options.max_registers = pack.kernel.max_registers;
  options.shared_bytes = pack.kernel.shared_bytes;
  options.compiler_options = pack.kernel.compiler_options;
  options.standard = pack.standard;
  options.line_info = pack.line_info;
  return options;
}

codegen::SourceProgram packed_program(const format::Pack& pack, const std::string& name) {
  codegen::SourceProgram program;
  program.family = pack.kernel.family;
  program.request = pack.kernel.request;
  program.parts.entry = pack.entry;
  program.parts.kernel_name = pack.kernel.name;
  program.parts.max_registers = pack.kernel.max_registers;
  program.thread_words = pack.thread_words;
  program.scan.mentions_shared_memory = std::ranges::find(pack.thread_words, "__shared__") != pack.thread_words.end();
  program.scan.mentions_long_math = pack.has_long_math;
  program.title = base::format("{} in {}", pack.entry.empty() ? "lambda" : pack.entry, name);
  return program;
}

}  // namespace graft::routes
