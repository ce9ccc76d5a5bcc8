// The options of engines and kernels of the C interface. Each option has a number; a setter checks the number's value
// and writes it to the member of graft::EngineOptions or graft::Options. A value that no kernel can have is refused
// when it is set. graft checks the values that need knowledge about the kernel when it makes the kernel.
#include <algorithm>
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
  std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(between(0, std::numeric_limits<std::int64_t>::max()));
  }
  // At most a day, so that no sum of times overflows.
  std::chrono::milliseconds milliseconds() const { return std::chrono::milliseconds(between(0, 86'400'000)); }
  Route route() const { return static_cast<Route>(between(GRAFT_ROUTE_LTO, GRAFT_ROUTE_HOST)); }
};

CppStandard standard_of(const Value& value) {
  return value.one_of({17, 20}) == 17 ? CppStandard::Cpp17 : CppStandard::Cpp20;
}

// A bound that graft checks, with its own words, as soon as it is set.
int checked_registers(const Value& value) {
  Options options;
  options.max_registers = value.number();
  compile::check_options(options);
  return options.max_registers;
}

int checked_shared_bytes(const Value& value) {
  Options options;
  options.shared_bytes = value.number();
  compile::check_options(options);
  return options.shared_bytes;
}

Closed& closed_of(Options& options) {
  if (!options.closed) options.closed.emplace();
  return *options.closed;
}

void switch_closed(Options& options, bool on) {
  if (on) closed_of(options);
  else options.closed.reset();
}

// Sets one of the options of floating-point arithmetic. Returns false for any other option.
bool set_floating_point(FloatingPoint& options, const Value& value) {
  switch (value.which) {
    case GRAFT_OPTION_FAST_MATH:
      options.fast_math = value.flag();
      return true;
    case GRAFT_OPTION_CONTRACTION:
      options.contraction = value.flag();
      return true;
    case GRAFT_OPTION_FLUSH_TO_ZERO:
      options.flush_to_zero = value.flag();
      return true;
    case GRAFT_OPTION_PRECISE_DIVISION:
      options.precise_division = value.flag();
      return true;
    case GRAFT_OPTION_PRECISE_SQUARE_ROOT:
      options.precise_square_root = value.flag();
      return true;
    default:
      return false;
  }
}

// The same for the caller's part of the tuning.
bool set_policy(PolicyOverrides& policy, const Value& value) {
  switch (value.which) {
    case GRAFT_OPTION_VECTOR_WIDTH:
      policy.vector_width = value.one_of({1, 2, 4, 8, 16});
      return true;
    case GRAFT_OPTION_VECTORS_PER_THREAD:
      policy.vectors_per_thread = value.one_of({1, 2, 4});
      return true;
    case GRAFT_OPTION_BODY:
      policy.body = value.flag() ? Body::Rolled : Body::Vector;
      return true;
    case GRAFT_OPTION_BLOCK_THREADS:
      policy.block_threads = value.one_of({64, 128, 256});
      return true;
    case GRAFT_OPTION_PROGRAMMATIC_LAUNCH:
      policy.programmatic_launch = value.flag();
      return true;
    default:
      return false;
  }
}

// The same for the closed mode.
bool set_closed(Options& options, const Value& value) {
  switch (value.which) {
    case GRAFT_OPTION_CLOSED:
      switch_closed(options, value.flag());
      return true;
    case GRAFT_OPTION_CLOSED_MAX_REGISTERS:
      closed_of(options).max_registers = static_cast<int>(value.between(engine::kLeastClosedRegisters, 255));
      return true;
    case GRAFT_OPTION_CLOSED_TIME_MS:
      closed_of(options).time = std::chrono::milliseconds(value.between(1, 3'600'000));
      return true;
    case GRAFT_OPTION_CLOSED_MEMORY:
      closed_of(options).memory = static_cast<std::uint64_t>(
          value.between(std::int64_t{engine::kLeastClosedMemory}, std::numeric_limits<std::int64_t>::max()));
      return true;
    default:
      return false;
  }
}

void set_number(Options& options, const Value& value) {
  if (set_floating_point(options.floating_point, value) || set_policy(options.policy, value) ||
      set_closed(options, value))
    return;
  switch (value.which) {
    case GRAFT_OPTION_MAX_REGISTERS:
      options.max_registers = checked_registers(value);
      return;
    case GRAFT_OPTION_LINE_INFO:
      options.line_info = value.flag();
      return;
    case GRAFT_OPTION_CPP_STANDARD:
      options.standard = standard_of(value);
      return;
    case GRAFT_OPTION_SHARED_BYTES:
      options.shared_bytes = checked_shared_bytes(value);
      return;
    case GRAFT_OPTION_ALLOW_THREAD_WORDS:
      options.allow_thread_words = value.flag();
      return;
    case GRAFT_OPTION_REQUIRED_ROUTE:
      options.routes.required = value.route();
      return;
    case GRAFT_OPTION_FORBIDDEN_ROUTE:
      options.routes.forbidden.push_back(value.route());
      return;
    case GRAFT_OPTION_DEVICE:
      options.devices.push_back(value.number());
      return;
    default:
      refuse_option(value.which, value.name, kNumber);
  }
}

// Appends to a list of the options what graft accepts there.
template <class T>
void add(Options& options, std::vector<T> Options::*list, const T& given) {
  Options alone;
  (alone.*list).push_back(given);
  compile::check_options(alone);
  (options.*list).push_back(given);
}

void set_text(Options& options, graft_option which, const char* value) {
  switch (which) {
    case GRAFT_OPTION_ENTRY:
      options.entry = checked_text(value, "GRAFT_OPTION_ENTRY");
      return;
    case GRAFT_OPTION_ARCHITECTURE:
      options.architecture = Architecture::parse(checked_text(value, "GRAFT_OPTION_ARCHITECTURE"));
      return;
    case GRAFT_OPTION_INCLUDE_PATH:
      add(options, &Options::include_paths, checked_text(value, "GRAFT_OPTION_INCLUDE_PATH"));
      return;
    case GRAFT_OPTION_COMPILER_OPTION:
      add(options, &Options::compiler_options, checked_text(value, "GRAFT_OPTION_COMPILER_OPTION"));
      return;
    default:
      refuse_option(which, option_name(which), kText);
  }
}

void set_number(EngineOptions& options, const Value& value) {
  switch (value.which) {
    case GRAFT_ENGINE_CACHE_POLICY:
      options.cache.policy = static_cast<CachePolicy>(value.between(GRAFT_CACHE_OFF, GRAFT_CACHE_FORBID_COMPILING));
      return;
    case GRAFT_ENGINE_CACHE_MAX_BYTES:
      options.cache.max_bytes = value.bytes();
      return;
    case GRAFT_ENGINE_CACHE_EXACT_TOOLS:
      options.cache.exact_tools = value.flag();
      return;
    case GRAFT_ENGINE_CACHE_LOCK_WAIT_MS:
      options.cache.lock_wait = value.milliseconds();
      return;
    case GRAFT_ENGINE_MAX_BUILDS:
      options.max_builds = static_cast<unsigned>(value.number());
      return;
    case GRAFT_ENGINE_MAX_UNUSED_IMAGE_BYTES:
      options.max_unused_image_bytes = value.bytes();
      return;
    case GRAFT_ENGINE_THREADS:
      options.threads = static_cast<unsigned>(value.number());
      return;
    default:
      refuse_option(value.which, value.name, kEngineNumber);
  }
}

// Adds a read-only layer of the cache. An empty path adds none, so that the list is empty and not unset.
void add_layer(CacheOptions& cache, const std::string& path) {
  if (!cache.layers) cache.layers.emplace();
  if (!path.empty()) cache.layers->emplace_back(path);
}

void set_text(EngineOptions& options, graft_engine_option which, const char* value) {
  switch (which) {
    case GRAFT_ENGINE_CACHE_FOLDER:
      options.cache.folder = checked_text(value, "GRAFT_ENGINE_CACHE_FOLDER");
      return;
    case GRAFT_ENGINE_CACHE_LAYER:
      add_layer(options.cache, checked_text(value, "GRAFT_ENGINE_CACHE_LAYER"));
      return;
    case GRAFT_ENGINE_CUDA_PATH:
      options.cuda_path = checked_text(value, "GRAFT_ENGINE_CUDA_PATH");
      return;
    case GRAFT_ENGINE_HOST_COMPILER:
      options.host_compiler = checked_text(value, "GRAFT_ENGINE_HOST_COMPILER");
      return;
    case GRAFT_ENGINE_PROGRAM:
      options.program = checked_text(value, "GRAFT_ENGINE_PROGRAM");
      return;
    default:
      refuse_option(which, engine_option_name(which), kEngineText);
  }
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
