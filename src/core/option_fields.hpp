// Lists the record fields (base/record.hpp) of the caller's options. In the closed mode (Options::closed), graft sends
// these fields to the child process that builds the kernel.
//
// Each function names all members of its struct in a structured binding. When a member is added to the struct, the
// structured binding no longer compiles until the member is added here too. Without this check, a forgotten field would
// be lost, and the kernel would be built as if the option had not been given. The tags follow the rule in
// core/fields.hpp.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/record.hpp"
#include "core/fields.hpp"
#include "graft/element.hpp"
#include "graft/options.hpp"
#include "graft/route.hpp"

namespace graft {

template <class Codec, base::Is<Header> T>
void fields(Codec& codec, T& header) {
  auto& [name, text] = header;
  codec.field(1, name);
  codec.field(2, text);
}

template <class Codec, base::Is<Define> T>
void fields(Codec& codec, T& define) {
  auto& [name, value] = define;
  codec.field(1, name);
  codec.field(2, value);
}

template <class Codec, base::Is<ElementType> T>
void fields(Codec& codec, T& type) {
  auto& [kind, size, alignment] = type;
  codec.choice(1, kind, ElementKind::Bit);
  codec.field(2, size);
  codec.field(3, alignment);
}

template <class Codec, base::Is<PolicyOverrides> T>
void fields(Codec& codec, T& policy) {
  // visit_fields visits the five members in order, and the tag of a field is its position in that order. The structured
  // binding fails to compile when the struct has another number of members.
  [[maybe_unused]] auto& [first, second, third, fourth, fifth] = policy;
  std::uint16_t tag = 0;
  PolicyOverrides::visit_fields([&]<class Value>(const char*, std::optional<Value> PolicyOverrides::*member) {
    ++tag;
    if constexpr (std::is_enum_v<Value>) codec.choice(tag, policy.*member, Value::Rolled);
    else if constexpr (std::is_same_v<Value, int>) codec.signed_field(tag, policy.*member);
    else codec.field(tag, policy.*member);
  });
  if (tag != 5) codec.refuse();
}

template <class Codec, base::Is<RouteChoice> T>
void fields(Codec& codec, T& routes) {
  auto& [required, forbidden] = routes;
  codec.choice(1, required, Route::Host);
  codec.choice(2, forbidden, Route::Host);
}

// The parent process has checked the bounds (check_closed) before it writes this record, so all values are positive.
template <class Codec, base::Is<Closed> T>
void fields(Codec& codec, T& closed) {
  auto& [max_registers, time, memory] = closed;
  std::int64_t milliseconds = time.count();
  codec.field(1, max_registers);
  codec.field(2, milliseconds);
  codec.field(3, memory);
  if constexpr (Codec::kReads) time = std::chrono::milliseconds(milliseconds);
}

// Lists all members except `devices`: `devices` selects where the parent process loads the kernel, and does not change
// the kernel.
//
// Numbers may be negative, because the options are not checked yet. The process that builds the kernel checks them, and
// reports a wrong value with its own message.
template <class Codec, base::Is<Options> T>
void fields(Codec& codec, T& options) {
  auto& [entry, headers, include_paths, defines, standard, floating_point, max_registers, line_info, compiler_options,
         baked_state, baked_type, shared_bytes, policy, routes, closed, allow_thread_words, architecture, devices] =
      options;
  codec.field(1, entry);
  codec.field(2, headers);
  codec.field(3, include_paths);
  codec.field(4, defines);
  codec.choice(5, standard, CppStandard::Cpp20);
  codec.field(6, floating_point);
  codec.signed_field(7, max_registers);
  codec.field(8, line_info);
  codec.field(9, baked_state);
  codec.field(10, baked_type);
  codec.signed_field(11, shared_bytes);
  codec.field(12, policy);
  codec.field(13, routes);
  codec.field(14, closed);
  codec.field(15, architecture);
  codec.field(16, compiler_options);
  codec.field(20, allow_thread_words);
  if (standard != CppStandard::Cpp17 && standard != CppStandard::Cpp20) codec.refuse();
}

}  // namespace graft
