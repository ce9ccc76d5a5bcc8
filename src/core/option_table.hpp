// The table of the caller's options: a row for each member of Options and of the structs in it.
//
// A row says how records (core/fields.hpp), keys (plan/key.cpp), the C interface (src/c), packs and the messages of the
// program graft name the option and which values it has. Each of these loops over the table and handles a value by its
// type. So a new option needs a member in options.hpp, a row here, a constant in graft.h if C has the option, and a row
// in cli/commands/build_options.cpp if the command line has it. A member without a row does not compile.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "base/bytes.hpp"
#include "graft/options.hpp"
#include "graft/route.hpp"

namespace graft {

// The keys that contain an option as its row says. Each key contains also the options of the later enumerators.
enum class InKey : std::uint8_t {
  OfOptions,  // the key of the options; the keys of a request contain the value in another form, or do not need it
  InMemory,   // the keys in memory; the key on disk contains the value in another form, or does not need it
  OnDisk,     // all keys
};

struct OptionFacts {
  std::string_view key = {};  // the tag in keys, if it is not the member's name
  InKey in_key = InKey::OnDisk;
  int c = 0;                     // the number of the constant in graft.h, or 0
  std::string_view c_name = {};  // the constant or function in C, if it is not GRAFT_OPTION_ and the key in capitals
  std::string_view flag = {};    // on the command line, which does not have the other options
  std::int64_t least = 0;        // the bounds of a number or an enumeration
  std::int64_t most = std::numeric_limits<int>::max();
  std::array<int, 5> choices = {};  // the only values of a number, followed by zeros; all zeros: no such list
  bool too_late_for_packs = false;  // a request that opens a pack is refused if it has the option

  constexpr bool has_choice(std::int64_t value) const {
    return choices[0] == 0 || (value != 0 && std::ranges::find(choices, value) != choices.end());
  }
};

template <class T, class Value>
struct OptionRow : OptionFacts {
  Value T::*member;
  std::string_view name;  // of the member
  std::uint16_t tag;      // in records; 0: not in records. Do not change a tag (core/fields.hpp).
};

template <class T, class Value>
constexpr OptionRow<T, Value> option(Value T::*member, std::string_view name, std::uint16_t tag, OptionFacts facts) {
  if (facts.key.empty()) facts.key = name;
  if constexpr (std::is_same_v<Value, bool>) facts.most = 1;
  return {facts, member, name, tag};
}

// The smallest Closed::memory that is accepted, in bytes. NVRTC and nvJitLink need about 350 MiB of address space for a
// callback of one line (CUDA 13.0).
inline constexpr std::int64_t kLeastClosedMemory = std::int64_t{512} << 20;

// The smallest Closed::max_registers that is accepted. If the limit is smaller than 24, NVIDIA's compilers raise it to
// 24 for functions that are called and not inlined (CUDA 13.0), so a smaller bound could not be kept.
inline constexpr int kLeastClosedRegisters = 24;

// The largest MeasuredPolicy::single_below, in elements.
inline constexpr std::int64_t kMostSingleBelow = std::int64_t{1} << 32;

inline constexpr int kLastRoute = static_cast<int>(Route::Host);

// The rows of a struct, in the order of the keys' fields. A struct without a table has none.
template <class T>
inline constexpr std::tuple<> kOptionTable;

template <>
inline constexpr auto kOptionTable<FloatingPoint> = std::tuple{
    option(&FloatingPoint::fast_math, "fast_math", 1, {.c = 1, .flag = "--fast-math"}),
    option(&FloatingPoint::contraction, "contraction", 2, {.c = 2, .flag = "--no-contraction"}),
    option(&FloatingPoint::flush_to_zero, "flush_to_zero", 3, {.c = 3, .flag = "--flush-to-zero"}),
    option(&FloatingPoint::precise_division, "precise_division", 4, {.c = 4, .flag = "--approximate-division"}),
    option(&FloatingPoint::precise_square_root, "precise_square_root", 5,
           {.c = 5, .flag = "--approximate-square-root"})};

template <>
inline constexpr auto kOptionTable<PolicyOverrides> =
    std::tuple{option(&PolicyOverrides::vector_width, "vector_width", 1, {.c = 14, .choices = {1, 2, 4, 8, 16}}),
               option(&PolicyOverrides::vectors_per_thread, "vectors_per_thread", 2, {.c = 15, .choices = {1, 2, 4}}),
               option(&PolicyOverrides::body, "body", 3, {.c = 16, .most = static_cast<int>(Body::Rolled)}),
               option(&PolicyOverrides::block_threads, "block_threads", 4, {.c = 17, .choices = {64, 128, 256}}),
               option(&PolicyOverrides::programmatic_launch, "programmatic_launch", 5, {.c = 18, .most = 1})};

template <>
inline constexpr auto kOptionTable<MeasuredPolicy> =
    std::tuple{option(&MeasuredPolicy::vector_width, "vector_width", 1,
                      {.key = "measured_vector_width", .choices = {1, 2, 4, 8, 16}}),
               option(&MeasuredPolicy::vectors_per_thread, "vectors_per_thread", 2,
                      {.key = "measured_vectors_per_thread", .choices = {1, 2, 4}}),
               option(&MeasuredPolicy::block_threads, "block_threads", 3,
                      {.key = "measured_block_threads", .choices = {64, 128, 256}}),
               option(&MeasuredPolicy::single_below, "single_below", 4,
                      {.key = "measured_single_below", .most = kMostSingleBelow})};

template <>
inline constexpr auto kOptionTable<RouteChoice> =
    std::tuple{option(&RouteChoice::required, "required", 1,
                      {.key = "required_route", .c = 11, .flag = "--route", .most = kLastRoute}),
               option(&RouteChoice::forbidden, "forbidden", 2,
                      {.key = "forbidden_route", .c = 12, .flag = "--forbid-route", .most = kLastRoute})};

template <>
inline constexpr auto kOptionTable<Closed> =
    std::tuple{option(&Closed::max_registers, "max_registers", 1,
                      {.key = "closed_registers",
                       .c = 20,
                       .c_name = "GRAFT_OPTION_CLOSED_MAX_REGISTERS",
                       .least = kLeastClosedRegisters,
                       .most = 255}),  // a thread of a GPU has at most 255 registers
               option(&Closed::time, "time", 2,
                      {.key = "closed_time",
                       .c = 21,
                       .c_name = "GRAFT_OPTION_CLOSED_TIME_MS",
                       .least = 1,
                       .most = 3'600'000}),  // one hour
               option(&Closed::memory, "memory", 3,
                      {.key = "closed_memory",
                       .c = 22,
                       .least = kLeastClosedMemory,
                       .most = std::numeric_limits<std::int64_t>::max()})};

// The bounds of `closed` are only in the keys in memory: a request in the closed mode must not wait for a build outside
// the closed mode, and the bounds of one request must not end the build of another. `allow_thread_words` is only there
// so that a kernel made with the option never serves a request without it; the option does not change the kernel, and
// the engine checks the callback before it searches the disk. `devices`, `any_shape`, `shapes`, `host_threads` and
// `shipped_tuning` are not in records, because the process that asks for a kernel loads and calls the kernel, and knows
// which kernels its job has and what was measured on its GPU.
inline constexpr int kMostHostThreads = 1024;
template <>
inline constexpr auto kOptionTable<Options> = std::tuple{
    option(&Options::entry, "entry", 1, {.in_key = InKey::OfOptions, .c = 101, .flag = "--entry"}),
    option(&Options::architecture, "architecture", 15, {.in_key = InKey::OfOptions, .c = 102, .flag = "--arch"}),
    option(&Options::devices, "devices", 0, {.key = "device", .in_key = InKey::OfOptions, .c = 13}),
    option(&Options::any_shape, "any_shape", 0, {.in_key = InKey::OfOptions, .c = 23}),
    option(&Options::shapes, "shapes", 0, {.in_key = InKey::OfOptions, .c_name = "graft_options_add_shapes"}),
    option(&Options::host_threads, "host_threads", 0, {.in_key = InKey::OfOptions, .c = 24, .most = kMostHostThreads}),
    option(&Options::standard, "standard", 5,
           {.c = 8, .c_name = "GRAFT_OPTION_CPP_STANDARD", .flag = "--std", .most = 20, .choices = {17, 20}}),
    option(&Options::floating_point, "floating_point", 6, {}),
    option(&Options::max_registers, "max_registers", 7, {.c = 6, .flag = "--max-registers"}),
    option(&Options::line_info, "line_info", 8, {.c = 7, .flag = "--line-info"}),
    option(&Options::shared_bytes, "shared_bytes", 11, {.c = 9}),
    option(&Options::baked_state, "baked_state", 9, {.c_name = "graft_options_bake", .too_late_for_packs = true}),
    option(&Options::baked_type, "baked_type", 10, {}),  // in keys, because it decides whether graft refuses a request
    option(&Options::policy, "policy", 12, {}),
    option(&Options::shipped_tuning, "shipped_tuning", 0, {.in_key = InKey::OfOptions, .c = 25}),
    option(&Options::measured, "measured", 21, {}),
    option(&Options::routes, "routes", 13, {}),
    option(&Options::closed, "closed", 14, {.in_key = InKey::InMemory, .c = 19, .flag = "--closed"}),
    option(&Options::allow_thread_words, "allow_thread_words", 20,
           {.in_key = InKey::InMemory, .c = 10, .flag = "--allow-thread-words"}),
    option(&Options::defines, "defines", 4,
           {.in_key = InKey::InMemory,
            .c_name = "graft_options_add_define",
            .flag = "--define",
            .too_late_for_packs = true}),
    option(&Options::headers, "headers", 2,
           {.in_key = InKey::InMemory, .c_name = "graft_options_add_header", .too_late_for_packs = true}),
    option(
        &Options::include_paths, "include_paths", 3,
        {.key = "include_path", .in_key = InKey::InMemory, .c = 103, .flag = "--include", .too_late_for_packs = true}),
    option(&Options::compiler_options, "compiler_options", 16,
           {.key = "compiler_option", .in_key = InKey::InMemory, .c = 104, .flag = "--compiler-option"})};

template <class T>
concept HasOptionTable = (std::tuple_size_v<decltype(kOptionTable<T>)> != 0);

// Calls `visit` with each row of the struct.
template <class T, class Visit>
constexpr void for_each_option(Visit visit) {
  std::apply([&](const auto&... rows) { (visit(rows), ...); }, kOptionTable<T>);
}

template <class T>
constexpr std::uint16_t last_option_tag() {
  return std::apply([](const auto&... rows) { return std::max({rows.tag...}); }, kOptionTable<T>);
}

// Calls visit(name, row) with each row of Options and of the structs in it. `name` is what messages call the option:
// "Options::entry", "Closed::time".
template <class Visit>
void for_each_named_option(Visit visit) {
  const auto each = [&]<class T>(std::string_view prefix, const T&) {
    for_each_option<T>([&](const auto& row) { visit(std::string(prefix) + std::string(row.name), row); });
  };
  each("Options::floating_point.", FloatingPoint());
  each("Options::policy.", PolicyOverrides());
  each("Options::measured.", MeasuredPolicy());
  each("Options::routes.", RouteChoice());
  each("Closed::", Closed());
  each("Options::", Options());
}

template <class T>
concept HasItems = !std::is_same_v<T, std::string> && !std::is_same_v<T, base::Bytes> && requires {
  typename T::value_type;
};

// The type of a member, or of the items of a list or an optional value. Text and bytes are one value.
template <class T>
struct OptionItemOf : std::type_identity<T> {};
template <HasItems T>
struct OptionItemOf<T> : std::type_identity<typename T::value_type> {};
template <class T>
using OptionItem = typename OptionItemOf<std::remove_cvref_t<T>>::type;

namespace detail {

// Converts to the type of any member, which tells how many members a struct has.
struct AnyMember {
  template <class Member>
  operator Member() const;
};

template <class T, class... Any>
consteval std::size_t count_members(Any... any) {
  if constexpr (requires { T{any..., AnyMember()}; }) return count_members<T>(any..., AnyMember());
  else return sizeof...(Any);
}

template <class... T>
inline constexpr bool kTablesAreComplete = ((std::tuple_size_v<decltype(kOptionTable<T>)> == count_members<T>()) &&
                                            ...);
static_assert(kTablesAreComplete<Options, FloatingPoint, PolicyOverrides, MeasuredPolicy, RouteChoice, Closed>,
              "an option has no row in the table");

}  // namespace detail
}  // namespace graft
