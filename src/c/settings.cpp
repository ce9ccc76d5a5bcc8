// The options of engines and kernels of the C interface. Each option has a number; a setter checks the number's value
// and writes it to the member of graft::EngineOptions, by a table in this file, or of graft::Options, by the table of
// options (core/option_table.hpp). A value that no kernel can have is refused when it is set. graft checks the values
// that need knowledge about the kernel when it makes the kernel.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "c/c_words.hpp"
#include "c/handles.hpp"
#include "c/launch.hpp"
#include "compile/option_check.hpp"
#include "core/fail.hpp"
#include "core/option_table.hpp"

namespace graft::c {
namespace {

// What a setter takes, and the setter for the options that it does not take.
struct Kind {
  const char* is;
  const char* other_setter;
};
constexpr Kind kNumber = {"a number", "graft_options_set_text"};
constexpr Kind kText = {"a text", "graft_options_set"};
constexpr Kind kEngineNumber = {"a number", "graft_engine_options_set_text"};
constexpr Kind kEngineText = {"a text", "graft_engine_options_set"};

// `name`: the option's constant in graft.h, or empty if it has none.
[[noreturn, gnu::cold]] void refuse_option(int which, std::string_view name, const Kind& kind) {
  if (!name.empty())
    refuse(base::format("{} is not {}", name, kind.is), base::format("Set it with {}.", kind.other_setter));
  refuse(
      base::format("{} is not the number of an option", which),
      "Use the constants of graft.h; compare graft_abi_version() with GRAFT_ABI_VERSION if the constant is newer than "
      "the library.");
}

// An option's value, with checks that throw Error(InvalidArgument) and name the option.
struct Value {
  std::string_view name;
  std::int64_t value;

  std::int64_t between(std::int64_t least, std::int64_t most) const {
    if (value < least || value > most)
      refuse(base::format("{} is {}", name, value), base::format("Give a number from {} to {}.", least, most));
    return value;
  }
  std::int64_t between_bounds_of(const OptionFacts& row) const {
    if (row.choices[0] == 0) return between(row.least, row.most);
    const std::span<const int> choices(row.choices.begin(), std::ranges::find(row.choices, 0));
    if (!row.has_choice(value))
      refuse(base::format("{} is {}", name, value), base::format("Give one of {}.", base::join(choices, ", ")));
    return value;
  }
  bool flag() const { return between(0, 1) != 0; }
  int number() const { return static_cast<int>(between(0, std::numeric_limits<int>::max())); }
  std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(between(0, std::numeric_limits<std::int64_t>::max()));
  }
  // At most a day, so that no sum of times overflows.
  std::chrono::milliseconds milliseconds() const { return std::chrono::milliseconds(between(0, 86'400'000)); }
};

// Appends to a list of the options what graft accepts there.
template <class T>
void add(Options& options, std::vector<T> Options::*list, const T& given) {
  Options alone;
  (alone.*list).push_back(given);
  compile::check_options(alone);
  (options.*list).push_back(given);
}

// Adds a read-only layer of the cache. An empty path adds none, so that the list is empty and not unset.
void add_layer(CacheOptions& cache, const std::string& path) {
  if (!cache.layers) cache.layers.emplace();
  if (!path.empty()) cache.layers->emplace_back(path);
}

// An option of engines and its setter. `Given` is the type of what the setter takes.
template <class Given>
struct EngineOption {
  graft_engine_option which;
  std::string_view name;
  void (*set)(EngineOptions&, Given);
};
#define GRAFT_ENGINE(option) GRAFT_ENGINE_##option, "GRAFT_ENGINE_" #option

using EngineNumber = EngineOption<const Value&>;
constexpr std::array kEngineNumbers = {
    EngineNumber{GRAFT_ENGINE(CACHE_POLICY),
                 [](auto& to, auto& value) {
                   to.cache.policy =
                       static_cast<CachePolicy>(value.between(GRAFT_CACHE_OFF, GRAFT_CACHE_FORBID_COMPILING));
                 }},
    EngineNumber{GRAFT_ENGINE(CACHE_MAX_BYTES), [](auto& to, auto& value) { to.cache.max_bytes = value.bytes(); }},
    EngineNumber{GRAFT_ENGINE(CACHE_EXACT_TOOLS), [](auto& to, auto& value) { to.cache.exact_tools = value.flag(); }},
    EngineNumber{GRAFT_ENGINE(CACHE_LOCK_WAIT_MS),
                 [](auto& to, auto& value) { to.cache.lock_wait = value.milliseconds(); }},
    EngineNumber{GRAFT_ENGINE(MAX_BUILDS),
                 [](auto& to, auto& value) { to.max_builds = static_cast<unsigned>(value.number()); }},
    EngineNumber{GRAFT_ENGINE(MAX_UNUSED_IMAGE_BYTES),
                 [](auto& to, auto& value) { to.max_unused_image_bytes = value.bytes(); }},
    EngineNumber{GRAFT_ENGINE(THREADS),
                 [](auto& to, auto& value) { to.threads = static_cast<unsigned>(value.number()); }},
};

using EngineText = EngineOption<const std::string&>;
constexpr std::array kEngineTexts = {
    EngineText{GRAFT_ENGINE(CACHE_FOLDER), [](auto& to, auto& text) { to.cache.folder = text; }},
    EngineText{GRAFT_ENGINE(CACHE_LAYER), [](auto& to, auto& text) { add_layer(to.cache, text); }},
    EngineText{GRAFT_ENGINE(CUDA_PATH), [](auto& to, auto& text) { to.cuda_path = text; }},
    EngineText{GRAFT_ENGINE(HOST_COMPILER), [](auto& to, auto& text) { to.host_compiler = text; }},
    EngineText{GRAFT_ENGINE(PROGRAM), [](auto& to, auto& text) { to.program = text; }},
    EngineText{GRAFT_ENGINE(TUNING_FILE), [](auto& to, auto& text) { to.tuning_file = text; }},
};

#undef GRAFT_ENGINE

// Returns the option with this number. `others` are the options that the other setter takes.
const auto& find(const auto& options, const auto& others, int which, const Kind& kind) {
  for (const auto& option : options)
    if (option.which == which) return option;
  for (const auto& option : others)
    if (option.which == which) refuse_option(which, option.name, kind);
  refuse_option(which, {}, kind);
}

// A list gets one more item.
template <class Member, class Item>
void put(Member& member, Item item) {
  if constexpr (requires { member.push_back(item); }) member.push_back(std::move(item));
  else member = std::move(item);
}

// Writes to a member what the setter was given. Throws Error(InvalidArgument) if the setter is for the other kind.
template <class Member>
void assign(Member& member, const OptionFacts& row, std::int64_t number) {
  using Item = OptionItem<Member>;
  const std::string name = c_name(row);
  const Value value = {name, number};
  if constexpr (std::is_same_v<Item, Closed>) {
    if (!value.flag()) member.reset();
    else if (!member) member.emplace();
  } else if constexpr (std::is_arithmetic_v<Item> || std::is_enum_v<Item> ||
                       std::is_same_v<Item, std::chrono::milliseconds>) {
    put(member, static_cast<Item>(value.between_bounds_of(row)));
  } else {
    refuse_option(row.c, name, kNumber);
  }
}
template <class Member>
void assign(Member& member, const OptionFacts& row, const char* text) {
  using Item = OptionItem<Member>;
  const std::string name = c_name(row);
  if constexpr (std::is_same_v<Item, std::string>) put(member, std::string(checked_text(text, name)));
  else if constexpr (std::is_same_v<Item, Architecture>) put(member, Architecture::parse(checked_text(text, name)));
  else refuse_option(row.c, name, kText);
}

// Returns the member's value, or the defaults of an optional struct that is not set.
template <class T>
const T& value_of(const T& member) {
  return member;
}
template <class T>
T value_of(const std::optional<T>& member) {
  return member.value_or(T());
}

// Sets the option with this number in `options`, which has a table, or in a struct in it. Returns whether there is one.
// A bound of the closed mode switches the closed mode on.
template <class T, class Given>
bool set_in(T& options, int which, Given given) {
  bool is_set = false;
  for_each_option<T>([&](const auto& row) {
    auto& member = options.*row.member;
    using Item = OptionItem<decltype(member)>;
    if (row.c == which && which != 0) {
      assign(member, row, given);
      is_set = true;
    } else if constexpr (HasOptionTable<Item>) {
      Item part = value_of(member);
      if (!set_in(part, which, given)) return;
      member = std::move(part);
      is_set = true;
    }
  });
  return is_set;
}

// Sets the option after a trial with other options, so that a wrong value changes nothing.
template <class Given>
void set_option(Options& options, int which, Given given, const Kind& kind) {
  Options alone;
  if (!set_in(alone, which, given)) refuse_option(which, {}, kind);
  compile::check_options(alone);
  set_in(options, which, given);
}

void set_option(EngineOptions& options, int which, std::int64_t number) {
  const EngineNumber& option = find(kEngineNumbers, kEngineTexts, which, kEngineNumber);
  option.set(options, {option.name, number});
}

void set_option(EngineOptions& options, int which, const char* text) {
  const EngineText& option = find(kEngineTexts, kEngineNumbers, which, kEngineText);
  option.set(options, checked_text(text, option.name));
}

// Returns a log that calls a C function. Its texts end with a zero byte, which those of a LogEvent need not.
Log log_of(graft_log log, void* user) {
  if (log == nullptr) return {};
  return [log, user](const LogEvent& event) {
    const std::string text(event.text);
    const std::string callback(event.callback);
    const graft_log_event told = {text.c_str(), callback.c_str(), event.milliseconds,
                                  static_cast<std::int32_t>(event.kind), static_cast<std::int32_t>(event.severity)};
    log(user, &told);
  };
}

void bake(Options& options, const void* state, graft_type type) {
  const ElementType element = element_of(type);
  const auto* const first = &checked(static_cast<const std::byte*>(state), "the state");
  options.baked_state.assign(first, first + element.size);
  options.baked_type = element;
}

}  // namespace
}  // namespace graft::c

using graft::checked_text;
using graft::c::checked;
using graft::c::guarded;

extern "C" {

graft_error* graft_options_create(graft_options** result) {
  return graft::c::make_handle(result, [] { return graft::Options(); });
}

graft_error* graft_options_set(graft_options* options, graft_option which, int64_t value) {
  return guarded([&] { graft::c::set_option(checked(options, "options").value, which, value, graft::c::kNumber); });
}

graft_error* graft_options_set_text(graft_options* options, graft_option which, const char* value) {
  return guarded([&] { graft::c::set_option(checked(options, "options").value, which, value, graft::c::kText); });
}

graft_error* graft_options_add_header(graft_options* options, const char* name, const char* text) {
  return guarded([&] {
    graft::c::add(checked(options, "options").value, &graft::Options::headers,
                  {checked_text(name, "the header's name"), checked_text(text, "the header's text")});
  });
}

graft_error* graft_options_add_define(graft_options* options, const char* name, const char* value) {
  return guarded([&] {
    graft::c::add(checked(options, "options").value, &graft::Options::defines,
                  {checked_text(name, "the macro's name"), checked_text(value, "the macro's value")});
  });
}

graft_error* graft_options_add_shapes(graft_options* options, const graft_array* in, size_t in_count,
                                      const graft_array* out, size_t out_count) {
  return guarded([&] {
    graft::Options& to = checked(options, "options").value;
    to.shapes.emplace_back(graft::c::ArrayList(in, in_count, "inputs").refs(),
                           graft::c::ArrayList(out, out_count, "outputs").refs());
  });
}

graft_error* graft_options_bake(graft_options* options, const void* state, graft_type type) {
  return guarded([&] { graft::c::bake(checked(options, "options").value, state, type); });
}

void graft_options_destroy(graft_options* options) {
  delete options;
}

graft_error* graft_engine_options_create(graft_engine_options** result) {
  return graft::c::make_handle(result, [] { return graft::EngineOptions(); });
}

graft_error* graft_engine_options_set(graft_engine_options* options, graft_engine_option which, int64_t value) {
  return guarded([&] { graft::c::set_option(checked(options, "options").value, which, value); });
}

graft_error* graft_engine_options_set_text(graft_engine_options* options, graft_engine_option which,
                                           const char* value) {
  return guarded([&] { graft::c::set_option(checked(options, "options").value, which, value); });
}

graft_error* graft_engine_options_set_log(graft_engine_options* options, graft_log log, void* user) {
  return guarded([&] { checked(options, "options").value.log = graft::c::log_of(log, user); });
}

void graft_engine_options_destroy(graft_engine_options* options) {
  delete options;
}

}  // extern "C"
