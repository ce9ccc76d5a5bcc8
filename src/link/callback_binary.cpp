// Class Examination reads one callback binary of any form: format::visit_code() finds the device code in the bytes, and
// Examination decides for each unit whether it can be linked for the architecture. examine_parts() reads the binaries
// of a composition and merges the results. check_prototype() compares a function in PTX or machine code with the
// declared signature, after converting the signature to the form in which compilers pass parameters (Passed).
#include "link/callback_binary.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "core/element_spelling.hpp"
#include "core/fail.hpp"
#include "core/serves.hpp"
#include "format/cubin.hpp"
#include "format/device_code.hpp"
#include "format/mangled.hpp"
#include "graft/error.hpp"
#include "link/link_error.hpp"
#include "reflect/signature/known_types.hpp"

namespace graft::link {
namespace {

using format::FileKind;
using toolchain::LinkInputKind;

// Visits the units of device code in one callback binary. Collects in `image_` the units that can be linked for the
// architecture, and in `others_` the units for other architectures.
class Examination : public format::CodeVisitor {
 public:
  Examination(const Callback& callback, std::optional<Architecture> architecture)
      : callback_(callback), architecture_(architecture) {
    image_.material = {.source = false, .name = callback.name()};
    image_.lists_all_functions = true;
  }

  CallbackBinary examine() {
    switch (callback_.form()) {
      case Form::Source:
      case Form::Composition:
      // Sources, compositions, packs and NVVM IR are not callback binaries. The callers of this class treat them
      // separately.
      case Form::Pack:
      case Form::Nvvm:
        break;
      case Form::LtoIr:
        read(FileKind::LtoIr, LinkInputKind::LtoIr);
        break;
      case Form::Fatbin:
        read(FileKind::Fatbin, LinkInputKind::Fatbin);
        break;
      case Form::Ptx:
        read(FileKind::Ptx, LinkInputKind::Ptx);
        break;
      case Form::Object:
        read_object();
        break;
    }
    const plan::Material& material = image_.material;
    if (!material.ltoir && !material.ptx && !material.machine_code) refuse_architecture();
    return std::move(image_);
  }

  std::optional<format::FormatError> visit(format::CodeUnit& unit) override {
    switch (unit.code.kind) {
      case format::CodeKind::LtoIr:
        add_ltoir(unit);
        break;
      case format::CodeKind::Ptx:
        add_ptx(unit);
        break;
      case format::CodeKind::Cubin:
        add_cubin(unit);
        break;
      case format::CodeKind::Other:
        break;
    }
    return std::nullopt;
  }

 private:
  void read(FileKind kind, LinkInputKind input) {
    if (const auto flaw = format::visit_code(kind, callback_.bytes(), format::CodeScope::LinkerInputs, *this))
      fail(ErrorCode::ImageRefused,
           base::format("{} cannot be read as {}: {}", callback_.name(), name(callback_.form()), flaw->error.message),
           "Pass the compiler's unchanged output to the function of graft::Callback for its form: ltoir, fatbin, ptx "
           "or object.");
    image_.inputs.push_back({input, callback_.bytes(), callback_.name()});
  }

  // Reads a cubin, a host object or an archive. The user passes all three to Callback::object, so only the bytes tell
  // them apart. Bytes of any other kind are read as a host object, so that its reader reports the error.
  void read_object() {
    const format::Outcome<FileKind> kind = format::file_kind(callback_.bytes());
    if (kind && *kind == FileKind::Archive) return read(*kind, LinkInputKind::Library);
    if (kind && *kind == FileKind::Cubin) return read(*kind, LinkInputKind::Cubin);
    read(FileKind::Object, LinkInputKind::Object);
  }

  [[noreturn]] void refuse_architecture() const {
    const std::string wanted = architecture_ ? architecture_->sm() : "this architecture";
    fail(ErrorCode::ImageRefused,
         others_.empty()
             ? base::format("{} holds no device code that can be linked", callback_.name())
             : base::format("{} holds nothing for {}, only {}", callback_.name(), wanted, base::join(others_, ", ")),
         others_.empty() ? "Compile the callback with -rdc=true, or to LTO-IR or PTX."
                         : "Compile the callback for this architecture; LTO-IR and PTX for an older one work too.");
  }

  bool serves(const format::DeviceCode& code, std::string_view what) {
    const bool is_machine_code = code.kind == format::CodeKind::Cubin;
    const bool fits = !architecture_ || graft::serves(code.architecture, *architecture_, is_machine_code);
    if (!fits) others_.insert(base::format("{} for {}", what, code.architecture.sm()));
    return fits;
  }

  void add_ltoir(const format::CodeUnit& unit) {
    image_.lists_all_functions = false;
    if (!serves(unit.code, "LTO-IR")) return;
    image_.material.ltoir = true;
    image_.material.ltoir_made_by = unit.code.producer;
  }

  void add_ptx(const format::CodeUnit& unit) {
    // PTX in a fatbin is usually compressed, so graft cannot list all of its functions.
    if (unit.is_in_fatbin) image_.lists_all_functions = false;
    if (!serves(unit.code, "PTX")) return;
    image_.material.ptx = true;
    if (!unit.ptx) return;
    for (const format::PtxFunction& function : unit.ptx->functions) {
      if (!function.is_callable()) continue;
      image_.functions.emplace_back(function.name);
      if (function.linkage == format::PtxFunction::Visible) image_.own_functions.emplace_back(function.name);
      image_.prototypes.push_back(function);
    }
  }

  void add_cubin(format::CodeUnit& unit) {
    // A cubin in a fatbin is usually compressed, so graft cannot list its functions.
    if (unit.is_in_fatbin) image_.lists_all_functions = false;
    else if (unit.cubin) add_functions(*unit.cubin);
    if (!serves(unit.code, "machine code")) return;
    image_.material.machine_code = true;
    // If read_code() finds damage inside a fatbin, ignore the damage here, because the linker reports it. The cubin
    // then has no prototypes that could be compared with the signature.
    if (!format::read_code(unit) && unit.cubin) add_prototypes(*unit.cubin);
  }

  void add_functions(const format::ElfFile& cubin) {
    for (const format::ElfFunction& function : cubin.functions) {
      if (function.is_kernel) continue;
      image_.functions.emplace_back(function.name);
      if (!function.is_weak) image_.own_functions.emplace_back(function.name);
    }
  }

  void add_prototypes(const format::ElfFile& cubin) {
    for (format::PtxFunction& function : format::read_cubin(cubin).prototypes)
      if (function.is_defined && function.linkage == format::PtxFunction::Visible)
        image_.prototypes.push_back(std::move(function));
  }

  const Callback& callback_;
  std::optional<Architecture> architecture_;
  std::set<std::string> others_;  // units that are only for other architectures: "PTX for sm_100"
  CallbackBinary image_;
};

bool is_scalar(const ElementType& type) {
  return type.kind != ElementKind::Class && type.kind != ElementKind::Bit && type.kind != ElementKind::Complex &&
         type.kind != ElementKind::Bfloat && !(type.kind == ElementKind::Float && type.size < 4);
}

using Prototype = format::PtxParameter;

// Returns how compilers pass a parameter. Integers of less than 4 bytes are passed as 4 bytes, references and types
// that are passed by pointer as 8 bytes, and all other values in their own size.
Prototype as_passed(const Parameter& parameter) {
  if (parameter.role == Role::State || parameter.role == Role::Baked || reflect::goes_by_pointer(parameter))
    return {8, 8, Prototype::Integer};
  if (is_scalar(parameter.type)) {
    const std::uint64_t size = std::max<std::uint64_t>(parameter.type.size, 4);
    return {size, size, parameter.type.kind == ElementKind::Float ? Prototype::Float : Prototype::Integer};
  }
  return {parameter.type.size, parameter.type.alignment};
}

// The results and parameters of a function, in the form in which compiled code passes them.
struct Passed {
  std::vector<Prototype> results;
  std::vector<Prototype> parameters;
};

Passed passed(const Signature& signature) {
  Passed passed;
  // If the result is returned through a pointer, the caller passes the pointer as the first parameter.
  const bool by_pointer = reflect::goes_by_pointer(signature.result());
  if (signature.result().role == Role::Output || signature.result().role == Role::Store)
    (by_pointer ? passed.parameters : passed.results).push_back(as_passed(signature.result()));
  for (const Parameter& parameter : signature.parameters())
    passed.parameters.push_back(parameter.role == Role::Output || parameter.role == Role::InOut
                                    ? Prototype{8, 8, Prototype::Integer}
                                    : as_passed(parameter));
  return passed;
}

// Writes the sizes of parameters and results: "(4, 4) -> (8)". With kinds, the sizes have their kinds beside them: "(4
// float, 4) -> (8)". Messages show kinds if only the kinds differ.
std::string spelled(const std::vector<Prototype>& results, const std::vector<Prototype>& parameters, bool with_kinds) {
  const auto list = [&](const std::vector<Prototype>& all) {
    std::vector<std::string> words;
    for (const Prototype& one : all) {
      const std::string_view kind = one.number == Prototype::Float     ? " float"
                                    : one.number == Prototype::Integer ? " integer"
                                                                       : "";
      words.push_back(base::format("{}{}", one.size, with_kinds ? kind : ""));
    }
    return base::format("({})", base::join(words, ", "));
  };
  return base::format("{} -> {}", list(parameters), list(results));
}

bool same_sizes(const std::vector<Prototype>& a, const std::vector<Prototype>& b) {
  return std::ranges::equal(a, b, {}, &Prototype::size, &Prototype::size);
}

// Compares the kinds (integer or floating point). An unknown kind matches every kind.
bool same_kinds(const std::vector<Prototype>& a, const std::vector<Prototype>& b) {
  return std::ranges::equal(a, b, [](const Prototype& one, const Prototype& other) {
    return one.number == Prototype::Unknown || other.number == Prototype::Unknown || one.number == other.number;
  });
}

bool shows_kinds(const std::vector<Prototype>& all) {
  return std::ranges::none_of(all, [](const Prototype& one) { return one.number == Prototype::Unknown; });
}

std::vector<std::string> canonical_parameters(const Signature& signature) {
  std::vector<std::string> types;
  for (const Parameter& parameter : signature.parameters())
    types.push_back(parameter.role == Role::InOut  // a symbol contains what graft::InOut<T> is a name for
                        ? format::canonical_type(element_spelling(parameter.spelling)) + "&&"
                        : format::canonical_type(parameter.spelling));
  return types;
}

std::vector<Callback> distinct_parts(const Callback& callback) {
  std::vector<Callback> distinct;
  const auto add = [&](const Callback& part) {
    if (std::ranges::find(distinct, part) == distinct.end()) distinct.push_back(part);
  };
  for (const std::optional<Callback>& part : callback.composition()->parts) {
    if (!part) continue;
    if (part->composition() == nullptr) add(*part);
    else
      for (const Callback& inner : distinct_parts(*part)) add(inner);
  }
  return distinct;
}

bool same_bytes(const toolchain::LinkInput& a, const toolchain::LinkInput& b) {
  return std::ranges::equal(a.bytes, b.bytes);
}

// Maps a function's symbol to the name of the binary that defines the function.
using Definers = std::unordered_map<std::string, std::string>;

// Adds the functions of one more binary. Throws Error(LinkFailed) if another binary defines one of them, because
// nvJitLink does not always report such a function.
void add_definitions(Definers& definers, const CallbackBinary& image) {
  for (const std::string& function : image.own_functions)
    if (const auto known = definers.find(function); known != definers.end())
      fail(ErrorCode::LinkFailed,
           base::format("`{}` is defined by {} and by {} too", base::readable(function), known->second,
                        image.material.name),
           kOneDefinition);
  for (const std::string& function : image.own_functions) definers.emplace(function, image.material.name);
}

// Examines the callback binaries of a composition and merges the results. A binary that several parts share is added
// once.
CallbackBinary examine_parts(const Callback& callback, std::optional<Architecture> architecture) {
  CallbackBinary all;
  all.material = {.source = true, .ltoir = true, .ptx = true, .machine_code = true, .name = callback.name()};
  Definers definers;
  for (const Callback& part : distinct_parts(callback)) {
    if (part.form() == Form::Source) continue;
    all.material.source = false;
    CallbackBinary image = Examination(part, architecture).examine();
    const auto known = [&](const toolchain::LinkInput& input) {
      return std::ranges::any_of(all.inputs, [&](const auto& linked) { return same_bytes(linked, input); });
    };
    if (std::ranges::all_of(image.inputs, known)) continue;
    add_definitions(definers, image);
    all.material.ltoir &= image.material.ltoir;
    all.material.ptx &= image.material.ptx;
    all.material.machine_code &= image.material.machine_code;
    all.material.ltoir_made_by = std::max(all.material.ltoir_made_by, image.material.ltoir_made_by);
    all.inputs.insert(all.inputs.end(), image.inputs.begin(), image.inputs.end());
    all.functions.insert(all.functions.end(), image.functions.begin(), image.functions.end());
    all.own_functions.insert(all.own_functions.end(), image.own_functions.begin(), image.own_functions.end());
    all.prototypes.insert(all.prototypes.end(), image.prototypes.begin(), image.prototypes.end());
  }
  if (all.material.source) all.material = {.source = true, .name = callback.name()};
  return all;
}

CallbackBinary examine_without_link_inputs(const Callback& callback, std::optional<Architecture> architecture) {
  if (callback.form() == Form::Composition) return examine_parts(callback, architecture);
  if (callback.form() != Form::Source) return Examination(callback, architecture).examine();
  CallbackBinary image;
  image.material = {.source = true, .name = callback.name()};
  return image;
}

// Collects the link inputs of a callback and of all its parts, also of parts that are compositions; each once.
void collect_link_inputs(const Callback& callback, std::vector<Callback>& all) {
  for (const Callback& input : callback.link_inputs())
    if (std::ranges::find(all, input) == all.end()) all.push_back(input);
  if (callback.composition() == nullptr) return;
  for (const std::optional<Callback>& part : callback.composition()->parts)
    if (part) collect_link_inputs(*part, all);
}

// Adds one link input to what was found in the callback's bytes. `definers` has the functions of everything that was
// added before.
void add_link_input(CallbackBinary& all, CallbackBinary input, Definers& definers) {
  const auto is_linked = [&](const toolchain::LinkInput& one) {
    return std::ranges::any_of(all.inputs, [&](const auto& other) { return same_bytes(one, other); });
  };
  if (std::ranges::all_of(input.inputs, is_linked)) return;
  add_definitions(definers, input);
  plan::Material& material = all.material;
  material.has_link_inputs = true;
  if (!input.material.ptx && !input.material.machine_code) material.link_input_without_code = input.material.name;
  if (input.material.ltoir_made_by > material.ltoir_made_by) {
    material.ltoir_made_by = input.material.ltoir_made_by;
    material.newest_ltoir = input.material.name;
  }
  all.link_input_count += input.inputs.size();
  all.inputs.insert(all.inputs.end(), input.inputs.begin(), input.inputs.end());
  for (std::string& function : input.own_functions)
    all.linked_functions.emplace(std::move(function), input.material.name);
  for (format::PtxFunction& prototype : input.prototypes) {
    std::string name(prototype.name);
    all.linked_prototypes.emplace(std::move(name), std::move(prototype));
  }
}

}  // namespace

CallbackBinary examine(const Callback& callback, std::optional<Architecture> architecture) {
  CallbackBinary image = examine_without_link_inputs(callback, architecture);
  std::vector<Callback> inputs;
  collect_link_inputs(callback, inputs);
  if (inputs.empty()) return image;
  Definers definers;
  for (const std::string& function : image.own_functions) definers.emplace(function, image.material.name);
  for (const Callback& input : inputs) add_link_input(image, Examination(input, architecture).examine(), definers);
  return image;
}

void check_link_inputs(const base::Bytes& ptx, const CallbackBinary& image, const std::string& title) {
  if (image.link_input_count == 0) return;
  const format::Outcome<format::Ptx> read = format::read_ptx(base::as_text(ptx));
  if (!read) return;  // the linker reports what is wrong
  for (const format::PtxFunction& function : read->functions) {
    if (function.is_kernel) continue;
    const std::string symbol(function.name);
    const auto defined = image.linked_functions.find(symbol);
    if (defined != image.linked_functions.end() && function.is_defined &&
        function.linkage == format::PtxFunction::Visible)
      fail(ErrorCode::LinkFailed,
           base::format("`{}` is defined by {} and by {} too", base::readable(function.name), title, defined->second),
           kOneDefinition);
    const auto found = image.linked_prototypes.find(symbol);
    if (function.is_defined || found == image.linked_prototypes.end()) continue;
    const format::PtxFunction& linked = found->second;
    if (same_sizes(function.results, linked.results) && same_sizes(function.parameters, linked.parameters)) continue;
    fail(ErrorCode::LinkFailed,
         base::format("{} declares `{}` with parameters and result of {} bytes, but its link input has {}", title,
                      base::readable(function.name), spelled(function.results, function.parameters, false),
                      spelled(linked.results, linked.parameters, false)),
         "Declare the function as its source does.");
  }
}

std::string find_symbol(const CallbackBinary& image, const codegen::SourceProgram& program, const Signature& signature,
                        const std::string& callback) {
  const std::string& entry = program.parts.entry;
  if (!image.lists_all_functions)
    fail(ErrorCode::NoSuchEntry,
         base::format(
             "the names of the functions in {} cannot be read, and there is no compiler to mangle the name `{}`",
             callback, entry),
         "Pass the mangled name as the entry, or pass the callback as PTX text.");
  const std::vector<std::string_view> functions(image.functions.begin(), image.functions.end());
  std::vector<std::string_view> found = format::symbols_called(entry, functions);
  if (found.size() > 1)
    std::erase_if(found, [&](std::string_view symbol) {
      const auto name = format::read_function_name(symbol);
      return !name || name->parameters != canonical_parameters(signature);
    });
  if (found.size() == 1) return std::string(found[0]);
  if (found.empty())
    fail(ErrorCode::NoSuchEntry,
         base::format("{} has no function `{}`; it exports {}", callback, entry,
                      image.functions.empty() ? "none" : base::format("{}", base::join(image.functions, ", "))),
         "Use the name of an exported function. Compile the callback with -rdc=true: without it, no function is "
         "exported.");
  fail(ErrorCode::AmbiguousEntry,
       base::format("{} has several functions `{}`: {}", callback, entry, base::join(found, ", ")),
       "Pass the mangled name of one of these functions as the entry.");
}

void check_prototype(const CallbackBinary& image, const std::string& symbol, const Signature& signature,
                     const std::string& title) {
  const auto found = std::ranges::find(image.prototypes, symbol, &format::PtxFunction::name);
  // Without a prototype there is nothing to compare. If the binary lacks the function, the linker reports that the
  // function is undefined.
  if (found == image.prototypes.end()) return;
  const Passed declared = passed(signature);
  const bool same_size =
      same_sizes(found->results, declared.results) && same_sizes(found->parameters, declared.parameters);
  if (same_size && same_kinds(found->results, declared.results) && same_kinds(found->parameters, declared.parameters))
    return;
  fail(ErrorCode::SignatureMismatch,
       base::format(
           "{}: the declared signature {} has parameters and result of {} bytes, but the compiled function has {}",
           title, signature.text(), spelled(declared.results, declared.parameters, same_size),
           spelled(found->results, found->parameters, same_size)),
       "Declare the function as its source does.");
}

namespace {

bool is_compiled(const Callback& callback) {
  return callback.form() != Form::Source && callback.form() != Form::Composition && callback.form() != Form::Pack;
}

// Whether the symbol is the function's unmangled name, which contains no types.
bool has_bare_name(const codegen::SourceProgram& program) {
  return program.is_extern_c && !program.parts.entry.starts_with("_Z");
}

}  // namespace

void check_parts(const Callback& composition, const CallbackBinary& image) {
  for (const Callback& part : distinct_parts(composition)) {
    if (!is_compiled(part)) continue;
    const codegen::SourceProgram program = codegen::prepare_program({part}, {});
    const std::optional<Signature> signature =
        part.typed_signature() ? part.typed_signature() : reflect::known_signature(program.function_type);
    if (signature && has_bare_name(program)) check_prototype(image, program.parts.entry, *signature, program.title);
  }
}

std::vector<std::string> unconfirmed_types(const Callback& callback, const CallbackBinary& image,
                                           const Options& options) {
  std::vector<std::string> notes;
  if (callback.form() == Form::Composition) {
    for (const Callback& part : distinct_parts(callback))
      for (std::string& note : unconfirmed_types(part, image, {})) notes.push_back(std::move(note));
    return notes;
  }
  if (!is_compiled(callback)) return notes;
  const codegen::SourceProgram program = codegen::prepare_program({callback}, options);
  if (!has_bare_name(program)) return notes;
  const auto found = std::ranges::find(image.prototypes, program.parts.entry, &format::PtxFunction::name);
  const bool has_sizes = found != image.prototypes.end();
  if (has_sizes && shows_kinds(found->results) && shows_kinds(found->parameters)) return notes;
  notes.push_back(
      base::format("{} is extern \"C\", and its code shows {}: graft cannot check the types of the declared signature",
                   program.title, has_sizes ? "only the sizes of its parameters" : "nothing about its parameters"));
  return notes;
}

}  // namespace graft::link
