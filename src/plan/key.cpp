// Writes the fields of the two keys that key.hpp describes. A field with its default value is left out, so a new option
// does not change the keys of requests that do not use the option.
#include "plan/key.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "base/hash.hpp"
#include "core/compiler_options.hpp"
#include "core/include_words.hpp"
#include "format/key_fields.hpp"
#include "graft/kernel_spec.hpp"

namespace graft::plan {
namespace {

using format::KeyWriter;

// The version of the fields' meaning. Raise it when the text of a key would otherwise mean another kernel than in an
// earlier version of graft.
constexpr int kKeyVersion = 2;

void add_text(KeyWriter& key, std::string_view tag, std::string_view value) {
  if (!value.empty()) key.add(tag, value);
}

void add_number(KeyWriter& key, std::string_view tag, std::int64_t value, std::int64_t usual) {
  if (value != usual) key.add(tag, value);
}

void add_floating_point(KeyWriter& key, const FloatingPoint& fp) {
  add_number(key, "fast_math", fp.fast_math, 0);
  add_number(key, "contraction", fp.contraction, 1);
  // fast_math overrides the three options below.
  if (fp.fast_math) return;
  add_number(key, "flush_to_zero", fp.flush_to_zero, 0);
  add_number(key, "precise_division", fp.precise_division, 1);
  add_number(key, "precise_square_root", fp.precise_square_root, 1);
}

void add_policy(KeyWriter& key, const PolicyOverrides& policy) {
  PolicyOverrides::visit_fields([&](const char* name, auto member) {
    if (policy.*member) key.add(name, static_cast<std::int64_t>(*(policy.*member)));
  });
}

void add_routes(KeyWriter& key, const RouteChoice& routes) {
  if (routes.required) key.add("required_route", name(*routes.required));
  std::set<Route> forbidden(routes.forbidden.begin(), routes.forbidden.end());
  // Forbidding the host route has an effect only if the same request requires it, because graft never takes the host
  // route otherwise.
  if (routes.required != Route::Host) forbidden.erase(Route::Host);
  for (const Route route : forbidden) key.add("forbidden_route", name(route));
}

// Adds the options that are in the key in memory and in the key on disk.
void add_choices(KeyWriter& key, const Options& options) {
  add_number(key, "standard", static_cast<std::int64_t>(options.standard), 17);
  add_floating_point(key, options.floating_point);
  add_number(key, "max_registers", options.max_registers, 0);
  add_number(key, "line_info", options.line_info, 0);
  add_number(key, "shared_bytes", options.shared_bytes, 0);
  add_text(key, "baked_state", base::as_text(options.baked_state));
  if (options.baked_type.size != 0)
    // The type is in the key because it decides whether graft refuses the request.
    key.add("baked_type", to_string(options.baked_type));
  add_policy(key, options.policy);
  add_routes(key, options.routes);
}

// Adds the bounds of the closed mode (Options::closed). Only the key in memory contains them: a request in the closed
// mode must not wait for a build outside the closed mode, and the bounds of one request must not end the build of
// another.
void add_closed(KeyWriter& key, const Options& options) {
  if (!options.closed) return;
  key.add("closed_registers", options.closed->max_registers);
  key.add("closed_time", options.closed->time.count());
  key.add("closed_memory", static_cast<std::int64_t>(options.closed->memory));
}

// Adds Options::allow_thread_words. Only the key in memory contains it, so that a kernel made with the option never
// serves a request without it. The option does not change the kernel, so the key on disk does not contain it; the
// engine checks the callback before it searches the disk.
void add_thread_words(KeyWriter& key, const Options& options) {
  add_number(key, "allow_thread_words", options.allow_thread_words, 0);
}

void add_define(KeyWriter& key, const Define& define) {
  key.add("define", define.name);
  key.add("value", define.value);
}

void add_surroundings(KeyWriter& key, const Options& options) {
  for (const Define& define : options.defines) add_define(key, define);
  for (const Header& header : options.headers) {
    key.add("header", header.name);
    key.add("text", header.text);
  }
  for (const std::string& path : options.include_paths) key.add("include_path", path);
  for (const std::string& option : options.compiler_options) key.add("compiler_option", option);
}

// Returns whether the macro is defined without parameters.
bool is_plain(const Define& define) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !define.name.empty() && std::ranges::all_of(define.name, is_word);
}

// Adds the macros, sorted by name if their order does not matter. The order matters if a macro is defined twice. "F"
// and "F(x)" are different names here but define the same macro F, so a list with parameters in a name is not sorted.
void add_macros(KeyWriter& key, const std::vector<Define>& defines) {
  std::vector<Define> sorted = defines;
  std::ranges::stable_sort(sorted, {}, &Define::name);
  const bool is_set =
      std::ranges::adjacent_find(sorted, {}, &Define::name) == sorted.end() && std::ranges::all_of(sorted, is_plain);
  for (const Define& define : is_set ? sorted : defines) add_define(key, define);
}

// Adds a header as "a.h folder 120 <hash> 0 1 1". The words are the members name, where, size, hash, includer, text and
// file of HeaderFound (header_scan.hpp).
void add_header(KeyWriter& key, const HeaderFound& header, bool with_path) {
  key.add("header", base::format("{} {} {} {} {} {} {}", header.name, header.where, header.size, header.hash.hex(),
                                 header.includer, header.text, header.file));
  if (with_path && !header.path.empty()) key.add("header_path", header.path);
}

void add_callback(KeyWriter& key, const Callback& callback, const Options& options) {
  key.add("form", name(callback.form()));
  key.add("source", callback.text());
  add_number(key, "libdevice", static_cast<std::int64_t>(callback.libdevice()), 0);
  add_text(key, "entry", options.entry.empty() ? callback.entry() : options.entry);
  add_text(key, "signature", callback.signature());
  // A callback binary contains no types, so the kernel depends on the layout that the caller declared. For a source,
  // the compiler finds the layout.
  if (callback.form() != Form::Source && callback.typed_signature())
    key.add("layout", callback.typed_signature()->describe());
  for (const Callback& input : callback.link_inputs()) {
    const std::string_view bytes = base::as_text(input.bytes());
    key.add("link_input", base::format("{} {} {}", name(input.form()), bytes.size(), base::hash(bytes).hex()));
  }
  if (const Callback::Composition* composition = callback.composition()) {
    key.add("composition", composition->kind == Callback::Composition::Chain ? "chain" : "stages");
    for (const std::optional<Callback>& part : composition->parts) {
      if (part) add_callback(key, *part, {});
      else key.add("no_part", 0);
    }
  }
}

void add_step(KeyWriter& key, const Step& step, const Options& options) {
  if (step.family != kElementwise) key.add("family", step.family);
  add_text(key, "request", base::as_text(step.request));
  add_callback(key, step.callback, options);
}

// Adds the absolute file names of the callback and of all its parts.
void add_file_names(KeyWriter& key, const Callback& callback, const std::filesystem::path& working_folder) {
  if (callback.composition() == nullptr) {
    key.add("name", (working_folder / callback.name()).lexically_normal().string());
    return;
  }
  for (const std::optional<Callback>& part : callback.composition()->parts)
    if (part) add_file_names(key, *part, working_folder);
}

// Whether a text of the callback or of one of its parts may include a file from a folder of its own
// (Callback::with_folder).
bool uses_folder(const Callback& callback) {
  if (!callback.can_include()) return false;
  if (callback.composition() == nullptr) return !callback.folder().empty();
  return std::ranges::any_of(callback.composition()->parts,
                             [](const std::optional<Callback>& part) { return part && uses_folder(*part); });
}

// Adds the folders of the callback or of all its parts, also the empty folders: they tell which part has which folder.
void add_each_folder(KeyWriter& key, const Callback& callback) {
  if (callback.composition() == nullptr) return key.add("folder", callback.folder());
  for (const std::optional<Callback>& part : callback.composition()->parts)
    if (part) add_each_folder(key, *part);
}

std::vector<UserText> texts_of(const Callback& callback, const Options& options) {
  std::vector<UserText> texts = {{callback.entry()}, {callback.signature()}, {options.entry}};
  if (callback.form() == Form::Source) texts.insert(texts.begin(), {callback.text(), callback.folder()});
  if (callback.composition() != nullptr)
    for (const std::optional<Callback>& part : callback.composition()->parts)
      if (part) std::ranges::copy(texts_of(*part, {}), std::back_inserter(texts));
  for (const Define& define : options.defines) {
    texts.push_back({define.name});
    texts.push_back({define.value});
  }
  return texts;
}

}  // namespace

std::string options_key(const Options& options, std::string_view working_folder) {
  KeyWriter key;
  add_text(key, "working_folder", working_folder);
  add_text(key, "entry", options.entry);
  if (options.architecture) key.add("architecture", options.architecture->sm());
  for (const int device : options.devices) key.add("device", device);
  add_choices(key, options);
  add_closed(key, options);
  add_thread_words(key, options);
  add_surroundings(key, options);
  return key.take();
}

bool can_include(const Callback& callback, const Options& options) {
  const auto text_can = [](const auto& one) { return graft::can_include(one.text); };
  const auto value_can = [](const Define& one) { return graft::can_include(one.value); };
  return callback.can_include() || (!options.entry.empty() && graft::can_include(options.entry)) ||
         std::ranges::any_of(options.headers, text_can) || std::ranges::any_of(options.defines, value_can);
}

std::string request_key(const Step& step, std::optional<Architecture> architecture, const Options& options,
                        std::string_view working_folder) {
  const Callback& callback = step.callback;
  KeyWriter key;
  add_text(key, "working_folder", working_folder);
  if (architecture) key.add("architecture", architecture->sm());
  add_step(key, step, options);
  key.add("name", callback.name());
  if (uses_folder(callback)) add_each_folder(key, callback);
  add_choices(key, options);
  add_closed(key, options);
  add_thread_words(key, options);
  add_surroundings(key, options);
  return key.take();
}

DiskKey disk_key(const Step& step, Architecture architecture, const Options& options, const HeaderWorld& world,
                 std::string_view exact_tools) {
  const Callback& callback = step.callback;
  KeyWriter key;
  key.add("key", kKeyVersion);
  key.add("architecture", architecture.sm());
  add_step(key, step, options);
  add_choices(key, options);
  // With line_info, the kernel contains line tables, and these contain file names.
  const std::string working_folder = options.line_info ? world.working_folder() : std::string();
  if (options.line_info) add_file_names(key, callback, working_folder);
  add_macros(key, options.defines);
  HeaderScan scan = scan_headers(callback, options, world);
  for (const HeaderFound& header : scan.headers) add_header(key, header, options.line_info);
  for (const std::string& toolkit : scan.toolkits) key.add("toolkit_headers", toolkit);
  for (const std::string& option : canonical_compiler_options(options.compiler_options))
    key.add("compiler_option", option);
  add_text(key, "tools", exact_tools);

  DiskKey result{key.take(), {}, scan.memory_only, std::move(scan)};
  if (options.line_info && working_folder.empty())
    result.memory_only.emplace_back("its line tables name the working folder, which was removed");
  result.hash = base::hash(result.text);
  return result;
}

void add_recipe(DiskKey& key, std::string_view recipe) {
  KeyWriter more;
  more.add("recipe", recipe);
  key.text += more.take();
  key.hash = base::hash(key.text);
  key.has_recipe = true;
}

HeaderScan scan_headers(const Callback& callback, const Options& options, const HeaderWorld& world) {
  return scan_headers(texts_of(callback, options), options, world);
}

}  // namespace graft::plan
