// Writes the fields of the two keys that key.hpp describes. A field with its default value is left out, so a new option
// does not change the keys of requests that do not use the option. Which options a key contains:
// core/option_table.hpp.
#include "plan/key.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <set>
#include <type_traits>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "base/hash.hpp"
#include "base/immortal.hpp"
#include "core/compiler_options.hpp"
#include "core/include_words.hpp"
#include "core/option_table.hpp"
#include "core/slots.hpp"
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

// fast_math overrides all other options but `contraction`.
FloatingPoint canonical(const FloatingPoint& fp) {
  return fp.fast_math ? FloatingPoint{.fast_math = true, .contraction = fp.contraction} : fp;
}

RouteChoice canonical(const RouteChoice& routes) {
  std::set<Route> forbidden(routes.forbidden.begin(), routes.forbidden.end());
  // Forbidding the host route has an effect only if the same request requires it, because graft never takes the host
  // route otherwise.
  if (routes.required != Route::Host) forbidden.erase(Route::Host);
  return {routes.required, {forbidden.begin(), forbidden.end()}};
}

void add_define(KeyWriter& key, const Define& define) {
  key.add("define", define.name);
  key.add("value", define.value);
}

void add_header(KeyWriter& key, const Header& header) {
  key.add("header", header.name);
  key.add("text", header.text);
}

void add_shapes(KeyWriter& key, const CallShapes& shapes) {
  const auto add = [&](std::string_view tag, const std::vector<CallShapes::Array>& arrays) {
    for (const CallShapes::Array& array : arrays) {
      key.add(tag, to_string(array.type));
      key.add("is_view", std::int64_t{array.is_view});
      for (const std::int64_t extent : array.extents) key.add("extent", extent);
      for (const std::int64_t stride : array.strides) key.add("stride", stride);
    }
  };
  add("input", shapes.inputs());
  add("output", shapes.outputs());
  key.add("shapes", "end");
}

template <class T>
void add_options(KeyWriter& key, const T& options, InKey in_key, bool with_defaults = false);

// Adds a value of an option: each item of a list, and each option of a struct.
template <class T>
void add_value(KeyWriter& key, std::string_view tag, const T& value) {
  if constexpr (std::is_same_v<T, Route>) key.add(tag, name(value));
  else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) key.add(tag, static_cast<std::int64_t>(value));
  else if constexpr (std::is_same_v<T, std::chrono::milliseconds>) key.add(tag, std::int64_t{value.count()});
  else if constexpr (std::is_same_v<T, Architecture>) key.add(tag, value.sm());
  else if constexpr (std::is_same_v<T, ElementType>) key.add(tag, to_string(value));
  else if constexpr (std::is_same_v<T, Define>) add_define(key, value);
  else if constexpr (std::is_same_v<T, Header>) add_header(key, value);
  else if constexpr (std::is_same_v<T, CallShapes>) add_shapes(key, value);
  else if constexpr (HasOptionTable<T>) add_options(key, value, InKey::OnDisk, std::is_same_v<T, Closed>);
  else key.add(tag, value);
}
void add_value(KeyWriter& key, std::string_view tag, const base::Bytes& bytes) {
  add_text(key, tag, base::as_text(bytes));
}
template <class T>
void add_value(KeyWriter& key, std::string_view tag, const std::optional<T>& value) {
  if (value) add_value(key, tag, *value);
}
template <class T>
void add_value(KeyWriter& key, std::string_view tag, const std::vector<T>& values) {
  for (const T& value : values) add_value(key, tag, value);
}

// Adds the options that a key of this kind contains. A value that is its default is left out, but the bounds of the
// closed mode are not: with them, the key differs from the key of a request outside the closed mode.
template <class T>
void add_options(KeyWriter& key, const T& options, InKey in_key, bool with_defaults) {
  static const auto& defaults = base::immortal<T>();
  for_each_option<T>([&](const auto& row) {
    const auto& value = options.*row.member;
    if (row.in_key < in_key) return;
    using Value = std::remove_cvref_t<decltype(value)>;
    if constexpr (std::is_same_v<OptionItem<Value>, Value> && !HasOptionTable<Value>)
      if (!with_defaults && value == defaults.*row.member) return;
    if constexpr (requires { canonical(value); }) add_value(key, row.key, canonical(value));
    else add_value(key, row.key, value);
  });
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

const char* word_of(Callback::Composition::Kind kind) {
  switch (kind) {
    case Callback::Composition::Chain:
      return "chain";
    case Callback::Composition::Staged:
      return "stages";
    case Callback::Composition::Slots:
      break;
  }
  return "slots";
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
    key.add("composition", word_of(composition->kind));
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
  add_options(key, options, InKey::OfOptions);
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
  add_options(key, options, InKey::InMemory);
  return key.take();
}

DiskKey disk_key(const Step& step, Architecture architecture, const Options& options, const HeaderWorld& world,
                 std::string_view exact_tools) {
  const Callback& callback = step.callback;
  KeyWriter key;
  key.add("key", kKeyVersion);
  key.add("architecture", architecture.sm());
  add_step(key, step, options);
  add_options(key, options, InKey::OnDisk);
  // The closed mode checks the callbacks of own kernels while it builds, and bounds their registers in another way.
  if (options.closed && has_slots(callback)) key.add("closed_registers", options.closed->max_registers);
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
