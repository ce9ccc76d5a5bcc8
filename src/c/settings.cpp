// The options of engines and kernels of the C interface. Each option has a number; a setter checks the number's value
// and writes it to the member of graft::EngineOptions or graft::Options. A value that no kernel can have is refused
// when it is set. graft checks the values that need knowledge about the kernel when it makes the kernel.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "c/c_words.hpp"
#include "c/handles.hpp"
#include "compile/option_check.hpp"
#include "core/fail.hpp"
#include "engine/closed_check.hpp"

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
  int which;
  std::string_view name;
  std::int64_t value;

  std::int64_t between(std::int64_t least, std::int64_t most) const {
    if (value < least || value > most)
      refuse(base::format("{} is {}", name, value), base::format("Give a number from {} to {}.", least, most));
    return value;
  }
  int one_of(std::initializer_list<int> allowed) const {
    if (std::ranges::find(allowed, value) == allowed.end())
      refuse(base::format("{} is {}", name, value), base::format("Give one of {}.", base::join(allowed, ", ")));
    return static_cast<int>(value);
  }
  bool flag() const { return between(0, 1) != 0; }
  int number() const { return static_cast<int>(between(0, std::numeric_limits<int>::max())); }
  std::uint64_t bytes(std::int64_t least = 0) const {
    return static_cast<std::uint64_t>(between(least, std::numeric_limits<std::int64_t>::max()));
  }
  // At most a day, so that no sum of times overflows.
  std::chrono::milliseconds milliseconds() const { return std::chrono::milliseconds(between(0, 86'400'000)); }
  Route route() const { return static_cast<Route>(between(GRAFT_ROUTE_LTO, GRAFT_ROUTE_HOST)); }
};

// A bound that graft checks, with its own words, as soon as it is set.
int checked_number(int Options::*member, const Value& value) {
  Options alone;
  alone.*member = value.number();
  compile::check_options(alone);
  return alone.*member;
}

// Appends to a list of the options what graft accepts there.
template <class T>
void add(Options& options, std::vector<T> Options::*list, const T& given) {
  Options alone;
  (alone.*list).push_back(given);
  compile::check_options(alone);
  (options.*list).push_back(given);
}

Closed& closed_of(Options& options) {
  if (!options.closed) options.closed.emplace();
  return *options.closed;
}

void switch_closed(Options& options, bool on) {
  if (on) closed_of(options);
  else options.closed.reset();
}

// Adds a read-only layer of the cache. An empty path adds none, so that the list is empty and not unset.
void add_layer(CacheOptions& cache, const std::string& path) {
  if (!cache.layers) cache.layers.emplace();
  if (!path.empty()) cache.layers->emplace_back(path);
}

// An option and its setter. `Which` is the type of its number in graft.h, `Given` of what the setter takes.
template <class Which, class Target, class Given>
struct Option {
  Which which;
  void (*set)(Target&, Given);
};

using Number = Option<graft_option, Options, const Value&>;
constexpr std::array kNumbers = {
    // Floating-point arithmetic.
    Number{GRAFT_OPTION_FAST_MATH, [](auto& to, auto& value) { to.floating_point.fast_math = value.flag(); }},
    Number{GRAFT_OPTION_CONTRACTION, [](auto& to, auto& value) { to.floating_point.contraction = value.flag(); }},
    Number{GRAFT_OPTION_FLUSH_TO_ZERO, [](auto& to, auto& value) { to.floating_point.flush_to_zero = value.flag(); }},
    Number{GRAFT_OPTION_PRECISE_DIVISION,
           [](auto& to, auto& value) { to.floating_point.precise_division = value.flag(); }},
    Number{GRAFT_OPTION_PRECISE_SQUARE_ROOT,
           [](auto& to, auto& value) { to.floating_point.precise_square_root = value.flag(); }},
    // The caller's part of the tuning.
    Number{GRAFT_OPTION_VECTOR_WIDTH,
           [](auto& to, auto& value) {
             to.policy.vector_width = value.one_of({1, 2, 4, 8, 16});
           }},
    Number{GRAFT_OPTION_VECTORS_PER_THREAD,
           [](auto& to, auto& value) {
             to.policy.vectors_per_thread = value.one_of({1, 2, 4});
           }},
    Number{GRAFT_OPTION_BODY,
           [](auto& to, auto& value) { to.policy.body = value.flag() ? Body::Rolled : Body::Vector; }},
    Number{GRAFT_OPTION_BLOCK_THREADS,
           [](auto& to, auto& value) {
             to.policy.block_threads = value.one_of({64, 128, 256});
           }},
    Number{GRAFT_OPTION_PROGRAMMATIC_LAUNCH,
           [](auto& to, auto& value) { to.policy.programmatic_launch = value.flag(); }},
    // The closed mode.
    Number{GRAFT_OPTION_CLOSED, [](auto& to, auto& value) { switch_closed(to, value.flag()); }},
    Number{GRAFT_OPTION_CLOSED_MAX_REGISTERS,
           [](auto& to, auto& value) {
             closed_of(to).max_registers = static_cast<int>(value.between(engine::kLeastClosedRegisters, 255));
           }},
    Number{GRAFT_OPTION_CLOSED_TIME_MS,
           [](auto& to, auto& value) { closed_of(to).time = std::chrono::milliseconds(value.between(1, 3'600'000)); }},
    Number{GRAFT_OPTION_CLOSED_MEMORY,
           [](auto& to, auto& value) { closed_of(to).memory = value.bytes(engine::kLeastClosedMemory); }},
    // The others.
    Number{GRAFT_OPTION_MAX_REGISTERS,
           [](auto& to, auto& value) { to.max_registers = checked_number(&Options::max_registers, value); }},
    Number{GRAFT_OPTION_SHARED_BYTES,
           [](auto& to, auto& value) { to.shared_bytes = checked_number(&Options::shared_bytes, value); }},
    Number{GRAFT_OPTION_LINE_INFO, [](auto& to, auto& value) { to.line_info = value.flag(); }},
    Number{GRAFT_OPTION_CPP_STANDARD,
           [](auto& to, auto& value) {
             to.standard = static_cast<CppStandard>(value.one_of({17, 20}));
           }},
    Number{GRAFT_OPTION_ALLOW_THREAD_WORDS, [](auto& to, auto& value) { to.allow_thread_words = value.flag(); }},
    Number{GRAFT_OPTION_REQUIRED_ROUTE, [](auto& to, auto& value) { to.routes.required = value.route(); }},
    Number{GRAFT_OPTION_FORBIDDEN_ROUTE, [](auto& to, auto& value) { to.routes.forbidden.push_back(value.route()); }},
    Number{GRAFT_OPTION_DEVICE, [](auto& to, auto& value) { to.devices.push_back(value.number()); }},
};

using Text = Option<graft_option, Options, const std::string&>;
constexpr std::array kTexts = {
    Text{GRAFT_OPTION_ENTRY, [](auto& to, auto& text) { to.entry = text; }},
    Text{GRAFT_OPTION_ARCHITECTURE, [](auto& to, auto& text) { to.architecture = Architecture::parse(text); }},
    Text{GRAFT_OPTION_INCLUDE_PATH, [](auto& to, auto& text) { add(to, &Options::include_paths, text); }},
    Text{GRAFT_OPTION_COMPILER_OPTION, [](auto& to, auto& text) { add(to, &Options::compiler_options, text); }},
};

using EngineNumber = Option<graft_engine_option, EngineOptions, const Value&>;
constexpr std::array kEngineNumbers = {
    EngineNumber{GRAFT_ENGINE_CACHE_POLICY,
                 [](auto& to, auto& value) {
                   to.cache.policy =
                       static_cast<CachePolicy>(value.between(GRAFT_CACHE_OFF, GRAFT_CACHE_FORBID_COMPILING));
                 }},
    EngineNumber{GRAFT_ENGINE_CACHE_MAX_BYTES, [](auto& to, auto& value) { to.cache.max_bytes = value.bytes(); }},
    EngineNumber{GRAFT_ENGINE_CACHE_EXACT_TOOLS, [](auto& to, auto& value) { to.cache.exact_tools = value.flag(); }},
    EngineNumber{GRAFT_ENGINE_CACHE_LOCK_WAIT_MS,
                 [](auto& to, auto& value) { to.cache.lock_wait = value.milliseconds(); }},
    EngineNumber{GRAFT_ENGINE_MAX_BUILDS,
                 [](auto& to, auto& value) { to.max_builds = static_cast<unsigned>(value.number()); }},
    EngineNumber{GRAFT_ENGINE_MAX_UNUSED_IMAGE_BYTES,
                 [](auto& to, auto& value) { to.max_unused_image_bytes = value.bytes(); }},
    EngineNumber{GRAFT_ENGINE_THREADS,
                 [](auto& to, auto& value) { to.threads = static_cast<unsigned>(value.number()); }},
};

using EngineText = Option<graft_engine_option, EngineOptions, const std::string&>;
constexpr std::array kEngineTexts = {
    EngineText{GRAFT_ENGINE_CACHE_FOLDER, [](auto& to, auto& text) { to.cache.folder = text; }},
    EngineText{GRAFT_ENGINE_CACHE_LAYER, [](auto& to, auto& text) { add_layer(to.cache, text); }},
    EngineText{GRAFT_ENGINE_CUDA_PATH, [](auto& to, auto& text) { to.cuda_path = text; }},
    EngineText{GRAFT_ENGINE_HOST_COMPILER, [](auto& to, auto& text) { to.host_compiler = text; }},
    EngineText{GRAFT_ENGINE_PROGRAM, [](auto& to, auto& text) { to.program = text; }},
};

// Returns the option with this number. `name` and `kind` are for the message if there is none.
template <class Options>
const typename Options::value_type& find(const Options& options, int which, std::string_view name, const Kind& kind) {
  const auto found = std::ranges::find(options, which, [](const auto& one) { return static_cast<int>(one.which); });
  if (found == options.end()) refuse_option(which, name, kind);
  return *found;
}

void set_number(Options& options, const Value& value) {
  find(kNumbers, value.which, value.name, kNumber).set(options, value);
}

void set_number(EngineOptions& options, const Value& value) {
  find(kEngineNumbers, value.which, value.name, kEngineNumber).set(options, value);
}

void set_text(Options& options, graft_option which, const char* value) {
  const std::string_view name = option_name(which);
  const Text& option = find(kTexts, which, name, kText);
  option.set(options, checked_text(value, name));
}

void set_text(EngineOptions& options, graft_engine_option which, const char* value) {
  const std::string_view name = engine_option_name(which);
  const EngineText& option = find(kEngineTexts, which, name, kEngineText);
  option.set(options, checked_text(value, name));
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
  return guarded([&] {
    graft::c::set_number(checked(options, "options").value, {which, graft::c::option_name(which), value});
  });
}

graft_error* graft_options_set_text(graft_options* options, graft_option which, const char* value) {
  return guarded([&] { graft::c::set_text(checked(options, "options").value, which, value); });
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
  return guarded([&] {
    graft::c::set_number(checked(options, "options").value, {which, graft::c::engine_option_name(which), value});
  });
}

graft_error* graft_engine_options_set_text(graft_engine_options* options, graft_engine_option which,
                                           const char* value) {
  return guarded([&] { graft::c::set_text(checked(options, "options").value, which, value); });
}

graft_error* graft_engine_options_set_log(graft_engine_options* options, graft_log log, void* user) {
  return guarded([&] { checked(options, "options").value.log = graft::c::log_of(log, user); });
}

void graft_engine_options_destroy(graft_engine_options* options) {
  delete options;
}

}  // extern "C"
