// An ingredient is one part of a recipe (recipe.hpp). Class Recipe gets each ingredient from the functions that builds
// use (Family::code, device_headers, nvrtc_flags, ...), so a change to any of these functions changes recipes without
// further work. Which of several texts a build compiles may depend on what the compiler reports. No compiler runs here,
// so all of these texts are ingredients.
#include "routes/recipe.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/embedded.hpp"
#include "base/format.hpp"
#include "base/hash.hpp"
#include "codegen/separate_program.hpp"
#include "compile/compile_headers.hpp"
#include "compile/device_compile.hpp"
#include "compile/flags.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"
#include "plan/route.hpp"
#include "routes/attempts.hpp"
#include "routes/best_body.hpp"
#include "routes/pack_contents.hpp"
#include "routes/pack_entry.hpp"
#include "routes/routes.hpp"

namespace graft::routes {
namespace {

using families::Code;
using families::TypesFrom;

// The version of the build steps that no ingredient shows: the changes that wide_integers.cpp, ptx_text.cpp,
// nvvm_compile.cpp and ptx_link.cpp make to binaries and their declarations, the flags of compile::nvvm_flags, and the
// factor in needs_less_memory.
constexpr const char* kStepsVersion = "1";

class Recipe {
 public:
  Recipe(const codegen::SourceProgram& program, const Options& options, const KernelSpec& kernel)
      : program_(program), options_(options), kernel_(kernel), family_(families::of(kernel.family)) {}

  std::vector<Ingredient> of_pack() {
    rules();
    for (const KernelSpec& kernel : decided()) tuning(kernel);
    if (kernel_.route == Route::Lto)
      for (const KernelSpec& kernel : with_lighter(kernel_)) blocks(kernel);
    if (kernel_.route == Route::Indirect) indirect();
    flags("link flag", compile::link_flags(options_, kernel_.architecture, link_kind()));
    return std::move(all_);
  }

  std::vector<Ingredient> of_callback(bool is_source) {
    rules();
    for (const auto& header : compile::device_headers(program_, options_))
      add_file("header " + std::string(header.name), header.text);
    if (const std::optional<Code> code = family_.code({program_})) add("text", code->text);
    switch (kernel_.route) {
      case Route::Lto:
      case Route::Program:
        attempts();
        break;
      case Route::Ptx:
        if (is_source) add("text", codegen::entry_program_text(program_, kernel_.signature));
        whole_texts(is_source ? codegen::stand_in_program(program_, kernel_.signature) : program_);
        break;
      case Route::Indirect:
        for (const KernelSpec& kernel : decided()) tuning(kernel);
        indirect();
        break;
      case Route::Host:
        break;
    }
    flags("compile flag", compile::nvrtc_flags(program_, options_, kernel_.architecture, compile_kind()));
    flags("link flag", compile::link_flags(options_, kernel_.architecture, link_kind()));
    return std::move(all_);
  }

 private:
  // Adds an ingredient, unless another kernel has already added the same one.
  void add(std::string name, std::string content) {
    Ingredient one{std::move(name), std::move(content)};
    if (std::ranges::find(all_, one) == all_.end()) all_.push_back(std::move(one));
  }

  // Adds the hash of a file and not its text, because the headers for half precision are a megabyte long.
  void add_file(std::string name, std::string_view text) { add(std::move(name), base::hash(text).hex()); }

  void flags(const char* name, const std::vector<std::string>& list) {
    for (const std::string& flag : list) add(name, flag);
  }

  // Adds the rules by which a build chooses among kernels.
  void rules() {
    add("orders of routes", plan::orders_of_routes());
    add("steps", kStepsVersion);
    add("limits", heaviness_limits());
  }

  // Returns the kernel, and the lighter one that a build may choose instead (best_body.hpp).
  std::vector<KernelSpec> with_lighter(const KernelSpec& kernel) const {
    std::vector<KernelSpec> kernels = {kernel};
    if (auto lighter = family_.lighter(kernel, options_.policy)) kernels.push_back(std::move(lighter->kernel));
    return kernels;
  }

  std::vector<KernelSpec> decided() const {
    return with_lighter(
        families::decide({program_, kernel_.signature, kernel_.architecture, kernel_.route, options_}).kernel);
  }

  void tuning(const KernelSpec& kernel) {
    add("kernel", kernel.name);
    for (const Tuning::Decision& decision : kernel.tuning.decisions())
      add("tuning " + decision.name, base::format("{}", decision.value));
  }

  // Adds the texts of all attempts for these kernels, and the building blocks that are linked with the texts.
  void attempts() {
    Attempts attempts(program_, kernel_.architecture, kernel_.route, options_);
    while (const std::optional<Attempt> attempt = attempts.next(kernel_.signature)) {
      if (attempt->kind == Attempt::Read) continue;
      const bool is_general = attempt->kind == Attempt::General;
      if (is_general) add("text", attempt->code.text);
      for (const KernelSpec& kernel : is_general ? decided() : with_lighter(attempt->decided->kernel)) {
        tuning(kernel);
        const std::optional<Code> code = is_general ? std::nullopt : attempts.code(&kernel, attempt->types);
        if (code) add("text", code->text);
        if (kernel_.route == Route::Lto) blocks(kernel);
      }
    }
  }

  // Adds the texts of the program `caller`, which contain the building blocks.
  void whole_texts(const codegen::SourceProgram& caller) {
    for (const KernelSpec& kernel : decided()) {
      tuning(kernel);
      if (const std::optional<Code> code = family_.code({caller, &kernel, TypesFrom::Compiler, true}))
        add("text", code->text);
    }
  }

  void blocks(const KernelSpec& kernel) {
    for (const std::string& file : family_.blocks(kernel))
      for (const std::string_view folder : base::kBlockFolders) {
        const std::string name = std::string(folder) + file;
        if (const std::string_view code = base::embedded_file(name); !code.empty()) add_file("block " + name, code);
      }
    add("text", family_.building_block_text(kernel));
  }

  void indirect() {
    const families::IndirectCode* const code = family_.indirect();
    if (code == nullptr) return;
    add("block", code->block(kernel_));
    add("text", code->kernel(kernel_, {}));
    add("text", code->kernel(kernel_, "callback"));
    add("text", code->adapter(program_));
  }

  compile::CodeKind compile_kind() const {
    if (kernel_.route == Route::Lto) return compile::CodeKind::LtoIr;
    return kernel_.route == Route::Program ? compile::CodeKind::Cubin : compile::CodeKind::Ptx;
  }
  compile::CodeKind link_kind() const {
    return kernel_.route == Route::Lto ? compile::CodeKind::LtoIr : compile::CodeKind::Ptx;
  }

  const codegen::SourceProgram& program_;
  const Options& options_;
  const KernelSpec& kernel_;
  const families::Family& family_;
  std::vector<Ingredient> all_;
};

// Removes what is not part of a request's key: names of files, and the order of macros. Requests with equal keys must
// have equal recipes.
void forget_what_keys_do_not_say(codegen::ProgramParts& parts) {
  parts.callback_name = "callback.cu";
  parts.neighbours.clear();
  std::ranges::stable_sort(parts.defines, {}, &Define::name);
  for (codegen::ProgramParts& member : parts.members) forget_what_keys_do_not_say(member);
}

}  // namespace

std::vector<Ingredient> recipe_of(const Step& step, const Options& options, const KernelSpec& kernel) {
  const Callback& callback = step.callback;
  if (callback.form() != Form::Pack) {
    codegen::SourceProgram program = families::prepare_program(step, options);
    forget_what_keys_do_not_say(program.parts);
    Options own = options;  // the texts of the user's headers are in the request's key already
    own.include_paths.clear();
    own.headers.clear();
    return Recipe(program, own, kernel).of_callback(callback.form() == Form::Source);
  }
  const format::PackedKernel packed = read_packed_kernel(callback, options);
  const codegen::SourceProgram program = packed_program(packed, callback.name());
  const Options own = with_own(packed, options);
  return Recipe(program, own, kernel).of_pack();
}

std::string hash_of(const std::vector<Ingredient>& recipe) {
  std::string all;
  for (const Ingredient& one : recipe)
    base::append(all, "{}:{}{}:{}", one.name.size(), one.name, one.content.size(), one.content);
  return base::hash(all).hex();
}

std::string recipe_hash(const Step& step, const Options& options, const KernelSpec& kernel) {
  try {
    return hash_of(recipe_of(step, options, kernel));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace graft::routes
