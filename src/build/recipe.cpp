#include "build/recipe.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/embedded.hpp"
#include "base/format.hpp"
#include "base/hash.hpp"
#include "build/best_body.hpp"
#include "build/compile_headers.hpp"
#include "build/device_compile.hpp"
#include "build/flags.hpp"
#include "build/lto_route.hpp"
#include "build/pack_contents.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"
#include "plan/route.hpp"
#include "reflect/separate_program.hpp"

namespace graft::building {
namespace {

using families::Code;
using families::Decided;
using families::TypesFrom;

// Of what is done to binaries and their declarations, and is no text: wide_integers.cpp, untyped_ptx.cpp,
// nvvm_compile.cpp, ptx_link.cpp, and the factor in needs_less_memory.
constexpr const char* kStepsVersion = "1";

class Recipe {
 public:
  Recipe(const reflect::SourceProgram& program, const Options& options, const KernelSpec& kernel)
      : program_(program), options_(options), kernel_(kernel), family_(families::of(kernel.family)) {}

  std::vector<Ingredient> of_pack() {
    decisions(decide(false));
    flags("link flag", link_flags(options_, kernel_.architecture, link_kind()));
    if (kernel_.route == Route::Lto) blocks(kernel_);
    if (kernel_.route == Route::Indirect) indirect();
    return std::move(all_);
  }

  std::vector<Ingredient> of_callback(bool is_source) {
    for (const auto& header : device_headers(program_, options_))
      add("header " + std::string(header.name), std::string(header.text));
    if (const std::optional<Code> code = family_.code({program_})) add("text", code->text);
    switch (kernel_.route) {
      case Route::Lto:
        texts(program_, {decide(true), decide(false)}, false);
        break;
      case Route::Program:
        texts(program_, {decide(true), decide(false)}, true);
        break;
      case Route::Ptx:
        if (is_source) add("text", reflect::entry_program_text(program_, kernel_.signature));
        texts(is_source ? reflect::stand_in_program(program_, kernel_.signature) : program_, {decide(false)}, true);
        break;
      case Route::Indirect:
        decisions(decide(false));
        indirect();
        break;
      case Route::Host:
        break;
    }
    flags("compile flag", nvrtc_flags(program_, options_, kernel_.architecture, compile_kind()));
    flags("link flag", link_flags(options_, kernel_.architecture, link_kind()));
    return std::move(all_);
  }

 private:
  // Each thing once: several kernels may be made of it.
  void add(std::string name, std::string content) {
    Ingredient one{std::move(name), std::move(content)};
    if (std::ranges::find(all_, one) == all_.end()) all_.push_back(std::move(one));
  }

  void flags(const char* name, const std::vector<std::string>& list) {
    for (const std::string& flag : list) add(name, flag);
  }

  Decided decide(bool writes_text) const {
    return families::decide({program_, kernel_.signature, kernel_.architecture, kernel_.route, options_, writes_text});
  }

  // And what may be made in its place.
  void decisions(const Decided& decided) {
    add("order of routes", plan::order_of_routes());
    add("steps", kStepsVersion);
    add("limits", heaviness_limits());
    tuning(decided.kernel);
    if (const auto lighter = family_.lighter(decided.kernel, options_.policy)) tuning(lighter->kernel);
  }

  void tuning(const KernelSpec& kernel) {
    add("kernel", kernel.name);
    for (const Tuning::Decision& decision : kernel.tuning.decisions())
      add("tuning " + decision.name, base::format("{}", decision.value));
  }

  // Each way of `caller`'s text, with what is linked to it.
  void texts(const reflect::SourceProgram& caller, const std::vector<Decided>& ways, bool is_whole) {
    for (const Decided& decided : ways) {
      decisions(decided);
      for (const TypesFrom types : {TypesFrom::Text, TypesFrom::Compiler}) {
        text(caller, decided.kernel, types, is_whole);
        if (const auto lighter = family_.lighter(decided.kernel, options_.policy))
          text(caller, lighter->kernel, types, is_whole);
      }
      if (!is_whole) blocks(decided.kernel);
    }
  }

  void text(const reflect::SourceProgram& caller, const KernelSpec& kernel, TypesFrom types, bool is_whole) {
    if (const std::optional<Code> code = family_.code({caller, &kernel, types, is_whole})) add("text", code->text);
  }

  void blocks(const KernelSpec& kernel) {
    for (const std::string& file : family_.blocks(kernel)) add("block " + file, std::string(base::embedded_file(file)));
    add("text", family_.block_text(kernel));
    if (const auto lighter = family_.lighter(kernel, options_.policy)) blocks(lighter->kernel);
  }

  void indirect() {
    const families::IndirectCode* const code = family_.indirect();
    if (code == nullptr) return;
    add("block", code->block());
    add("text", code->kernel(kernel_, {}));
    add("text", code->kernel(kernel_, "callback"));
    add("text", code->adapter(program_));
  }

  CodeKind compile_kind() const {
    if (kernel_.route == Route::Lto) return CodeKind::LtoIr;
    return kernel_.route == Route::Program ? CodeKind::Cubin : CodeKind::Ptx;
  }
  CodeKind link_kind() const { return kernel_.route == Route::Lto ? CodeKind::LtoIr : CodeKind::Ptx; }

  const reflect::SourceProgram& program_;
  const Options& options_;
  const KernelSpec& kernel_;
  const families::Family& family_;
  std::vector<Ingredient> all_;
};

// Names of files, and an order that macros do not have.
void forget_what_keys_do_not_say(reflect::ProgramParts& parts) {
  parts.callback_name = "callback.cu";
  std::ranges::stable_sort(parts.defines, {}, &Define::name);
  for (reflect::ProgramParts& member : parts.members) forget_what_keys_do_not_say(member);
}

}  // namespace

std::vector<Ingredient> recipe_of(const Callback& callback, const Options& options, const KernelSpec& kernel) {
  if (callback.form() != Form::Pack) {
    reflect::SourceProgram program = reflect::prepare_program(callback, options);
    forget_what_keys_do_not_say(program.parts);
    Options own = options;  // the headers' texts are in the key
    own.include_paths.clear();
    own.headers.clear();
    return Recipe(program, own, kernel).of_callback(callback.form() == Form::Source);
  }
  const format::Pack pack = read_pack(callback.bytes(), callback.name());
  const reflect::SourceProgram program = packed_program(pack, callback.name());
  const Options own = with_own(pack, options);
  return Recipe(program, own, kernel).of_pack();
}

std::string hash_of(const std::vector<Ingredient>& recipe) {
  std::string all;
  for (const Ingredient& one : recipe)
    base::append(all, "{}:{}{}:{}", one.name.size(), one.name, one.content.size(), one.content);
  return base::hash(all).hex();
}

std::string recipe_hash(const Callback& callback, const Options& options, const KernelSpec& kernel) {
  try {
    return hash_of(recipe_of(callback, options, kernel));
  } catch (const Error&) {
    return {};
  }
}

}  // namespace graft::building
