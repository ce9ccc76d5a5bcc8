// prepare_program() calls one function or class for each form of callback: prepare_source, prepare_binary, and Composer
// for compositions. Composer prepares each callback of the composition and merges the results.
#include "codegen/source_program.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "base/phrases.hpp"
#include "base/seen_file.hpp"
#include "codegen/lines.hpp"
#include "core/compiler_options.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "reflect/callback/cuda_functions.hpp"
#include "reflect/callback/generic.hpp"
#include "reflect/callback/mistaken_text.hpp"
#include "reflect/callback/struct_layouts.hpp"
#include "reflect/callback/thread_words.hpp"
#include "reflect/signature/declaration.hpp"
#include "reflect/signature/known_types.hpp"
#include "reflect/text/keywords.hpp"
#include "reflect/text/quoted_names.hpp"
#include "reflect/text/standard_names.hpp"

namespace graft::codegen {
namespace {

// Whether the entry is an expression that makes a function object ("Scale{2}", "make()", "[](float x) { ... }"). If
// not, the entry is the name of a function.
bool makes_object(std::string_view entry) {
  return entry.find_first_of("{([") != std::string_view::npos;
}

// Whether the text's callback of this name has instances for types of arrays (GenericCallback).
bool takes_types(const reflect::Text& text, std::string_view entry) {
  const std::optional<reflect::GenericFunction> function = reflect::find_function(text, entry);
  return function && function->is_generic;
}

// `is_text` says that the lambda is the callback's text, and not its entry.
void check_lambda(const reflect::Text& expression, std::string_view file, bool is_text) {
  const std::optional<reflect::LambdaFinding> finding = reflect::examine_lambda(expression);
  if (!finding) return;
  std::string remedy(finding->remedy);
  if (finding->is_generic && is_text && takes_types(expression, {}))
    remedy += base::format(" Or {}", reflect::kGiveTypes);
  fail(ErrorCode::UnsupportedParameter, base::format("{}({}): {}", file, finding->line, finding->problem),
       std::move(remedy));
}

[[noreturn]] void no_entry(std::string_view file, std::string_view text, std::string_view wanted,
                           const reflect::SourceScan& scan, const reflect::EntryChoice& choice) {
  for (const reflect::FunctionFound& function : scan.functions) {
    if (!wanted.empty() && function.name != wanted) continue;
    if (function.is_global)
      fail(ErrorCode::NoSuchEntry,
           base::format("{}({}): `{}` is a __global__ kernel, not a callback", file, function.line, function.name),
           "Make the callback a __device__ function that handles one element; graft writes the kernel around it.");
    if (!function.is_device)
      fail(ErrorCode::NoSuchEntry, base::format("{}({}): `{}` lacks __device__", file, function.line, function.name),
           base::format("Write `__device__` in front of `{}`.", function.name));
  }
  if (choice.candidates.empty() && !scan.scopes.empty() && text.find("operator") != std::string_view::npos)
    fail(
        ErrorCode::NoSuchEntry,
        base::format("{} defines no __device__ function at namespace scope, but the class `{}`", file,
                     scan.scopes.front()),
        base::format("To call the operator() of an object, make the object in Options::entry: \"{}{{}}\". Its elements "
                     "are parameters that are taken by value, `float x`; a `const float&` is the state.",
                     scan.scopes.front()));
  if (choice.candidates.empty())
    fail(ErrorCode::NoSuchEntry, base::format("{} defines no __device__ function at namespace scope", file),
         "Define the callback as a __device__ function, or give a lambda: `[](float x) { return 2 * x; }`.");
  const std::string guess = reflect::nearest(wanted, choice.candidates);
  fail(ErrorCode::NoSuchEntry,
       base::format("{} has no function `{}`; it defines {}", file, wanted, base::join(choice.candidates, ", ")),
       guess.empty() ? "Name one of these functions in Options::entry."
                     : base::format("Did you mean `{}`? Name the function in Options::entry.", guess));
}

// Refuses an entry that names a template without its template arguments.
void check_template(const SourceProgram& program, const std::string& entry) {
  if (entry.find('<') != std::string::npos) return;
  for (const reflect::FunctionFound& function : program.scan.functions) {
    if (function.name != entry || !function.is_template) continue;
    std::string remedy = base::format("Name an instantiation in Options::entry: \"{}<float>\".", entry);
    // Types do not choose a template that a plain function overloads.
    if (takes_types(program.parts.callback_text, entry)) remedy += base::format(" Or {}", reflect::kGiveTypes);
    fail(ErrorCode::AmbiguousEntry,
         base::format("{}({}): `{}` is a template", program.parts.callback_name, function.line, entry),
         std::move(remedy));
  }
}

// Returns the name of the callback's function. Throws if the text shows that no function or more than one function
// matches the wanted name.
std::string chosen_function(SourceProgram& program, const std::string& wanted) {
  const reflect::SourceScan& scan = program.scan;
  const std::string& file = program.parts.callback_name;
  const reflect::EntryChoice choice = reflect::choose_entry(scan, wanted);
  switch (choice.kind) {
    case reflect::EntryChoice::Found:
      break;
    case reflect::EntryChoice::None:
      no_entry(file, program.parts.callback_text.source(), wanted, scan, choice);
    case reflect::EntryChoice::Several:
      fail(ErrorCode::AmbiguousEntry,
           base::format("{} defines several __device__ functions: {}", file, base::join(choice.candidates, ", ")),
           "Name the callback in Options::entry.");
    case reflect::EntryChoice::Unsure:
      if (wanted.empty())
        fail(ErrorCode::AmbiguousEntry,
             base::format("{}: macros or conditional compilation hide which function is the callback", file),
             "Name the callback in Options::entry.");
      return wanted;  // a header may define the function; if not, the compiler reports that it is missing
    case reflect::EntryChoice::Member:
      // The scan does not read classes, so the function may be overloaded. A declared signature selects the overload.
      program.parts.pick_overload = !program.parts.declared.empty();
      return choice.name;
  }
  check_template(program, choice.name);
  const bool is_declared = !program.parts.declared.empty();
  program.parts.pick_overload = choice.overloaded && is_declared;
  // The text has several functions of this name. This is no error if a declared signature selects one of the functions.
  // It may be no error if the functions are in different branches of an #if (scan.uncertain is then true), because the
  // compiler may see only one of them.
  if (choice.overloaded && !is_declared && !scan.uncertain)
    fail(ErrorCode::AmbiguousEntry,
         base::format("{}: `{}` is overloaded: {}", file, choice.name, base::join(choice.candidates, ", ")),
         "Declare the signature of the overload to use: Transform::create<float(float)>(source), or "
         "Callback::with_signature(\"float(float)\").");
  return choice.name;
}

std::string choose_function(SourceProgram& program, const std::string& wanted) {
  try {
    return chosen_function(program, wanted);
  } catch (const Error& error) {
    if (!program.scan.uncertain) throw;
    program.doubt = error;
    return wanted;
  }
}

std::string shown_type(const reflect::SourceScan& scan, const std::string& entry) {
  std::string type;
  for (const reflect::FunctionFound& function : scan.functions) {
    if (function.name != entry || !function.is_definition) continue;
    if (function.is_template || function.result_text.empty() || scan.uncertain) return {};
    std::string other = base::format("{}({})", function.result_text, function.parameters_text);
    if (!type.empty() && type != other) return {};
    type = std::move(other);
  }
  return type;
}

// Returns the type of the function that the text defines with this name. Returns an empty text if the text hides the
// type, or defines functions of different types, as different branches of an #if may do.
std::string written_type(const reflect::SourceScan& scan, const std::string& name) {
  std::string type;
  for (const reflect::FunctionFound& function : scan.functions) {
    if (function.name != name || !function.is_definition) continue;
    if (function.is_template || (!type.empty() && function.type_text != type)) return {};
    type = function.type_text;
  }
  return type;
}

// Call this for a callback whose function has the same name as a function of CUDA's (abs, max) or of the C library's
// (remove). The name alone is then ambiguous, so the program selects the callback's function by its type.
void pick_own_overload(SourceProgram& program) {
  ProgramParts& parts = program.parts;
  if (parts.declared.empty()) {
    // Leave out the parameters' names if the types are known: a macro that the text defines may have such a name.
    const std::string written = written_type(program.scan, parts.entry);
    const std::optional<Signature> known = reflect::known_signature(written);
    parts.declared = known ? known->text() : written;
  }
  parts.pick_overload = !parts.declared.empty();
}

// Refuses a text that is not code but the path of a file, or a formula without a function. Does nothing if the
// application defines macros, because a macro may make a function of any text.
void check_is_code(const reflect::Text& whole, const std::string& file, const Options& options) {
  if (!options.defines.empty()) return;
  const std::string& text = whole.source();
  const reflect::TextKind kind = reflect::kind_of_text(whole);
  if (kind == reflect::TextKind::Path)
    fail(ErrorCode::NoSuchEntry, base::format("{} defines no __device__ function: its text is the path {}", file, text),
         base::format("Read the file: Callback::file(\"{}\").", text));
  constexpr std::size_t kLongestShown = 60;
  const bool is_shown = text.size() <= kLongestShown && text.find_first_of("\n\r;/") == text.npos;
  if (kind == reflect::TextKind::Formula)
    fail(ErrorCode::NoSuchEntry,
         base::format("{} defines no __device__ function: its text is a formula without a function", file),
         base::format("Write a function around it, such as the lambda `{}`.",
                      is_shown ? reflect::lambda_of(whole) : "[](float x) { return ...; }"));
}

// Refuses an entry that takes the address of a function.
void check_is_name(const std::string& wanted, const std::string& file) {
  if (!wanted.starts_with('&')) return;
  const std::size_t name = wanted.find_first_not_of("& \t");
  fail(ErrorCode::NoSuchEntry, base::format("{}: the entry `{}` is the address of a function", file, wanted),
       base::format("Name the function in Options::entry{}.",
                    name == wanted.npos ? "" : base::format(": `{}`", wanted.substr(name))));
}

const std::string& wanted_entry(const Callback& callback, const Options& options) {
  if (options.entry.empty() || options.entry == callback.entry()) return callback.entry();
  if (const auto instance = reflect::read_instance(callback.entry()))
    refuse(base::format("Options::entry would replace the entry of {}, which is the instance of `{}` for ({})",
                        callback.name(), instance->name, instance->types),
           "Leave Options::entry empty: the instance has an entry of its own.");
  return options.entry;
}

// Appends the values that `all` does not have yet.
template <class T>
void add_new(std::vector<T>& all, const std::vector<T>& values) {
  for (const T& value : values)
    if (std::ranges::find(all, value) == all.end()) all.push_back(value);
}

// Whether the text includes files of the user's, whose text is not read here.
bool includes_files(const reflect::SourceScan& scan, const Options& options) {
  return std::ranges::any_of(scan.includes, [&](std::string_view spelling) {
    const std::string_view name = spelling.substr(1, spelling.size() - 2);
    const bool is_read = std::ranges::find(options.headers, name, &Header::name) != options.headers.end();
    return !is_read && spelling != "\"graft/device.h\"" && (spelling.front() != '<' || !options.include_paths.empty());
  });
}

// What a program is made with, and the texts of Options::headers, which all members of a composition share.
struct Settings {
  Settings(const Options& all, const HasFile& has) : options(all), has_file(has) {
    for (const Header& header : options.headers) headers.emplace_back(header.text);
  }

  const Options& options;
  const HasFile& has_file;
  std::vector<reflect::Text> headers;
};

// Finds the math functions that need overloads, in all texts that the program is made of.
std::vector<reflect::MathFunction> find_math_calls(const SourceProgram& program, const Settings& settings,
                                                   const reflect::Text& entry) {
  reflect::MathCalls calls;
  calls.read(program.parts.callback_text);
  calls.read(entry);
  for (const reflect::Text& header : settings.headers) calls.read(header);
  for (const Define& define : settings.options.defines)
    calls.read(base::format("#define {} {}", define.name, define.value));
  if (program.includes_files) calls.take_all();
  return calls.ambiguous();
}

// Finds the files that a source includes from its own folder, or asks for there by __has_include. Headers in memory
// take precedence over files.
void find_neighbours(ProgramParts& parts, const Callback& callback, const Settings& settings) {
  const std::vector<Header>& headers = settings.options.headers;
  const std::string& folder = callback.folder();
  const bool can_be_spelled = folder.find_first_of("\"\n\r") == folder.npos;
  if (folder.empty() || !can_be_spelled || !callback.can_include()) return;
  for (const reflect::QuotedName& quoted : reflect::find_quoted_names(parts.callback_text)) {
    const std::string& name = quoted.name;
    if (name.starts_with('/') || std::ranges::find(headers, name, &Header::name) != headers.end()) continue;
    const std::string path = base::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/", name);
    if (settings.has_file(path)) parts.neighbours.push_back({name, path});
  }
}

// Scans the callback's text. Types of half precision may also stand only in the entry, as a template argument:
// "relu<__half>".
void scan_text(SourceProgram& program, const Settings& settings, const reflect::Text& entry = {}) {
  const Options& options = settings.options;
  program.scan = reflect::scan(program.parts.callback_text);
  const reflect::SourceScan scan_of_entry = reflect::scan(entry);
  program.scan.mentions_half |= scan_of_entry.mentions_half;
  program.scan.mentions_bfloat16 |= scan_of_entry.mentions_bfloat16;
  if (are_device_by_default(options.compiler_options)) reflect::mark_device_by_default(program.scan);
  ProgramParts& parts = program.parts;
  parts.max_registers = options.max_registers;
  parts.baked_state = options.baked_state;
  parts.defines = options.defines;
  parts.text_is_expression = program.scan.is_expression;
  for (const Define& define : options.defines)
    program.scan.mentions_shared_memory |= define.value.find("__shared__") != define.value.npos;
  parts.include_half = program.scan.mentions_half && !program.scan.includes_half_header;
  parts.include_bfloat16 = program.scan.mentions_bfloat16 && !program.scan.includes_bfloat16_header;
  reflect::add_std_headers(parts.callback_text.source(), parts.std_headers);
  parts.own_types = reflect::own_wide_types(parts.callback_text);
  for (const reflect::Text& header : settings.headers) {
    reflect::add_std_headers(header.source(), parts.std_headers);
    add_new(parts.own_types, reflect::own_wide_types(header));
  }
  program.includes_files = includes_files(program.scan, options);
  if (program.includes_files) parts.own_types.clear();  // the files may need the types of <cstdint>
  parts.math_calls = find_math_calls(program, settings, entry);
  parts.own_constants.assign(program.scan.own_constants.begin(), program.scan.own_constants.end());
}

SourceProgram prepare_binary(const Callback& callback, const Settings& settings) {
  reflect::DeclaredFunction declared =
      reflect::declare_function(callback.signature(), wanted_entry(callback, settings.options), callback.name());
  SourceProgram program;
  program.parts.callback_text = std::move(declared.text);
  program.parts.callback_name = base::format("signature of {}", callback.name());
  program.parts.entry = std::move(declared.entry);
  program.function_type = std::move(declared.function_type);
  program.title = base::format("{} in {}", program.parts.entry, callback.name());
  program.is_extern_c = declared.is_extern_c;
  scan_text(program, settings);
  return program;
}

SourceProgram prepare_source(const Callback& callback, const Settings& settings) {
  const Options& options = settings.options;
  SourceProgram program;
  ProgramParts& parts = program.parts;
  parts.callback_text = callback.text();
  parts.callback_name = callback.name();
  parts.declared = callback.signature();
  const std::string& wanted = wanted_entry(callback, options);
  const reflect::Text entry(wanted);
  scan_text(program, settings, entry);
  find_neighbours(parts, callback, settings);

  for (reflect::ThreadWord& found :
       reflect::find_thread_words(parts.callback_text, entry, are_device_by_default(options.compiler_options)))
    program.thread_words.push_back(std::move(found.word));
  parts.entry_is_expression = makes_object(wanted);
  if (parts.entry_is_expression) {
    check_lambda(entry, callback.name(), false);
    program.scan.mentions_shared_memory |= wanted.find("__shared__") != wanted.npos;
    parts.entry = wanted;
  } else if (program.scan.is_expression) {
    check_lambda(parts.callback_text, callback.name(), true);
  } else {
    check_is_name(wanted, callback.name());
    check_is_code(parts.callback_text, callback.name(), options);
    parts.entry = choose_function(program, wanted);
    program.function_type = shown_type(program.scan, parts.entry);
    if (reflect::is_overloaded(parts.entry)) pick_own_overload(program);
  }
  const std::optional<reflect::InstanceWords> instance = reflect::read_instance(parts.entry);
  const std::string name = parts.entry.empty() ? "lambda"
                           : instance          ? base::format("{}({})", instance->name, instance->types)
                                               : parts.entry;
  program.title = base::format("{} in {}", name, callback.name());
  return program;
}

SourceProgram prepare(const Callback& callback, const Settings& settings);

// Collects a composition's distinct callbacks, and writes the type that composes them: "graft_chain<graft_part_0,
// graft_part_1, graft_part_0>". A callback that occurs several times is collected once.
class Composer {
 public:
  explicit Composer(const Settings& settings) : settings_(settings) {
    whole_.parts.baked_state = settings.options.baked_state;
  }

  SourceProgram compose(const Callback& callback) {
    const Callback::Composition& composition = *callback.composition();
    if (composition.kind == Callback::Composition::Slots)
      refuse(base::format("{} is the code of kernels, and no callback of elements", callback.name()),
             "Make it by graft::Kernel.");
    if (!settings_.options.entry.empty())
      refuse("Options::entry names one function, but a composition has several callbacks",
             "Name the entry function of each callback with Callback::with_entry.");
    whole_.parts.composition =
        composition.kind == Callback::Composition::Chain ? chain(composition, kOp) : staged(composition);
    whole_.title = base::format("{} ({})", callback.name(), base::join(titles(), ", "));
    whole_.parts.callback_name = callback.name();
    whole_.parts.declared = callback.signature();
    whole_.parts.max_registers = settings_.options.max_registers;
    whole_.parts.shared_bytes = settings_.options.shared_bytes;
    if (kernel_name_.size() > kLongestKernelName) kernel_name_.resize(kLongestKernelName);
    whole_.parts.kernel_name = kernel_name_;
    return std::move(whole_);
  }

 private:
  std::vector<std::string> titles() const {
    std::vector<std::string> all;
    for (const SourceProgram::Member& member : whole_.members) all.push_back(member.title);
    return all;
  }

  enum Stage : std::size_t { kLoad, kOp, kStore };

  std::string chain(const Callback::Composition& composition, Stage stage) {
    std::vector<std::string> parts;
    std::optional<std::size_t> previous;
    for (const std::optional<Callback>& part : composition.parts) {
      previous = member(*part, true, previous);
      parts.push_back(base::format("{}{}", kPartName, *previous));
      whole_.chains.at(stage).push_back(*previous);
    }
    return base::format("graft_chain<{}>", base::join(parts, ", "));
  }

  std::string staged(const Callback::Composition& composition) {
    const std::string load = stage(composition.parts[0], kLoad);
    const std::string op = stage(composition.parts[1], kOp);
    const std::string store = stage(composition.parts[2], kStore);
    for (std::size_t i = 0; i < whole_.stages.size(); ++i) {
      const std::optional<Callback>& part = composition.parts[i];
      if (!part) continue;
      if (part->composition() == nullptr) whole_.stages[i] = place_of(*part);
      else whole_.has_chain_as_stage = true;
    }
    return base::format("graft_staged<{}, {}, {}>", load, op, store);
  }

  std::size_t place_of(const Callback& callback) const {
    return static_cast<std::size_t>(std::ranges::find(callbacks_, callback) - callbacks_.begin());
  }

  std::string stage(const std::optional<Callback>& callback, Stage stage) {
    if (!callback) return "graft_no_stage";
    if (callback->composition() != nullptr) return chain(*callback->composition(), stage);
    return base::format("{}{}", kPartName, member(*callback, stage == kOp));
  }

  // Returns the index of the member for a callback. Equal callbacks share one member, unless they take their instance
  // from the part before them (`previous`).
  std::size_t member(const Callback& callback, bool is_op, std::optional<std::size_t> previous = {}) {
    const bool is_own =
        previous && callback.form() == Form::Source && reflect::takes_from_previous(callback.entry(), callback.text());
    const std::size_t place = is_own ? callbacks_.size() : place_of(callback);
    if (place == callbacks_.size()) add(callback, is_op);
    if (is_own) whole_.parts.members[place].previous = base::format("{}{}", kPartName, *previous);
    const std::string own = kernel_name(whole_.parts.members[place]);
    // The name of the composition's kernel lists its callbacks: a callback whose own kernel would be named
    // "graft_transform_relu" adds "_relu".
    kernel_name_ += own.substr(own.find('_', own.find('_') + 1));
    return place;
  }

  // Messages about one of several callbacks say where its own entry is named.
  SourceProgram prepare_member(const Callback& callback) const {
    try {
      return prepare(callback, settings_);
    } catch (const Error& error) {
      throw with_remedy(error, base::with_phrase(error.remedy(), "in Options::entry", "with Callback::with_entry"));
    }
  }

  void add(const Callback& callback, bool is_op) {
    SourceProgram program = prepare_member(callback);
    program.parts.baked_state.clear();
    if (callback.form() == Form::Source) keep_apart(program);
    program.parts.is_declaration = callback.form() != Form::Source;
    add_needs(whole_, program);
    whole_.members.push_back({program.title, is_op, program.scan.uncertain, program.function_type});
    if (program.doubt && !whole_.doubt) whole_.doubt = program.doubt;
    whole_.parts.members.push_back(std::move(program.parts));
    callbacks_.push_back(callback);
  }

  // Prepares a source for the namespace that graft writes around it: refuses an #include that would be inside the
  // namespace, and lists the extern "C" functions that the text defines and the functions named like CUDA's. graft
  // renames the extern "C" functions, because their names ignore namespaces. A function that the text only declares
  // keeps its name, by which a link input defines it.
  static void keep_apart(SourceProgram& program) {
    program.parts.callback_text = without_include_guard(program.parts.callback_text);
    if (const int line = line_of_late_include(program.parts.callback_text))
      refuse(base::format("{}({}): an #include follows other code", program.parts.callback_name, line),
             "Put the #include lines first: in a composition, graft writes a namespace around the rest of each text.");
    // A definition is extern "C" too if only a declaration of the function is marked so.
    std::set<std::string_view> extern_c;
    for (const reflect::FunctionFound& function : program.scan.functions)
      if (function.is_extern_c) extern_c.insert(function.name);
    for (const reflect::FunctionFound& function : program.scan.functions) {
      const bool is_extern_c = extern_c.contains(function.name);
      const bool is_renamed = is_extern_c && (function.is_definition || program.scan.uncertain);
      if (is_renamed) program.parts.extern_c.push_back(function.name);
      else if (!is_extern_c && hides_cuda(program, function.name))
        program.parts.named_like_cuda.push_back(function.name);
    }
  }

  // Whether CUDA has functions of this name, which the text's function would hide inside a namespace. If the type of
  // the entry is not known, only its name selects it, so the namespace must have no other function of this name.
  static bool hides_cuda(const SourceProgram& program, const std::string& name) {
    const ProgramParts& parts = program.parts;
    return reflect::is_overloaded_by_cuda(name) &&
           std::ranges::find(parts.named_like_cuda, name) == parts.named_like_cuda.end() &&
           (name != parts.entry || parts.pick_overload);
  }

  const Settings& settings_;
  std::vector<Callback> callbacks_;
  std::string kernel_name_ = "graft_transform";
  SourceProgram whole_;
};

SourceProgram prepare(const Callback& callback, const Settings& settings) {
  switch (callback.form()) {
    case Form::Source:
      return prepare_source(callback, settings);
    case Form::Composition:
      return Composer(settings).compose(callback);
    default:
      return prepare_binary(callback, settings);
  }
}

}  // namespace

void add_needs(SourceProgram& whole, const SourceProgram& part) {
  whole.parts.include_half |= part.parts.include_half;
  whole.parts.include_bfloat16 |= part.parts.include_bfloat16;
  add_new(whole.parts.std_headers, part.parts.std_headers);
  add_new(whole.parts.math_calls, part.parts.math_calls);
  add_new(whole.thread_words, part.thread_words);
  whole.includes_files |= part.includes_files;
  reflect::SourceScan& all = whole.scan;
  all.mentions_half |= part.scan.mentions_half;
  all.mentions_bfloat16 |= part.scan.mentions_bfloat16;
  all.includes_half_header |= part.scan.includes_half_header;
  all.includes_bfloat16_header |= part.scan.includes_bfloat16_header;
  all.mentions_textures |= part.scan.mentions_textures;
  all.mentions_long_math |= part.scan.mentions_long_math;
  all.has_unroll_pragma |= part.scan.has_unroll_pragma;
  all.includes.insert(all.includes.end(), part.scan.includes.begin(), part.scan.includes.end());
  all.mentions_shared_memory |= part.scan.mentions_shared_memory;
}

SourceProgram prepare_text(const Callback& callback, const Options& options) {
  SourceProgram program;
  program.parts.callback_text = callback.text();
  program.parts.callback_name = callback.name();
  program.title = callback.name();
  const HasFile has_file = is_on_disk;
  const Settings settings(options, has_file);
  scan_text(program, settings);
  find_neighbours(program.parts, callback, settings);
  return program;
}

std::optional<Signature> shown_signature(const SourceProgram& program, const Options& options) {
  if (program.function_type.empty() || !options.baked_state.empty() || program.parts.pick_overload) return std::nullopt;
  // A header may open a namespace, and a macro may have a struct's name.
  const bool may_differ = !options.headers.empty() || !options.defines.empty() || program.includes_files;
  const reflect::StructLayouts structs =
      may_differ ? reflect::StructLayouts() : reflect::struct_layouts(program.parts.callback_text, program.scan);
  std::optional<Signature> signature = reflect::known_signature(program.function_type, structs);
  if (!signature || program.parts.declared.empty()) return signature;
  const auto declared = reflect::known_signature(reflect::function_type(program.parts.declared));
  return declared == signature ? signature : std::nullopt;
}

std::vector<const ProgramParts*> uncertain_texts(const SourceProgram& program) {
  if (program.members.empty())
    return program.scan.uncertain ? std::vector{&program.parts} : std::vector<const ProgramParts*>();
  std::vector<const ProgramParts*> texts;
  for (std::size_t i = 0; i < program.members.size(); ++i)
    if (program.members[i].is_uncertain) texts.push_back(&program.parts.members[i]);
  return texts;
}

bool is_on_disk(const std::string& path) {
  return base::see_file(path).kind != base::SeenFile::Kind::Missing;
}

SourceProgram prepare_program(const Step& step, const Options& options, const HasFile& has_file) {
  SourceProgram program = prepare(step.callback, {options, has_file});
  program.family = step.family;
  program.request = step.request;
  return program;
}

}  // namespace graft::codegen
