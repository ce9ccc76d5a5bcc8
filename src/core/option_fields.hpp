// The record fields of the caller's options (base/record.hpp), for a separate process that builds the kernel.
//
// Each function names all members of its struct in a structured binding. So adding a member to the struct breaks the
// compile here until its field is added too. Without that check, a forgotten field would silently build the kernel as
// if the option had not been given. The tags follow the rule of core/fields.hpp.
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
  codec.choice(1, kind, ElementKind::Opaque);
  codec.field(2, size);
  codec.field(3, alignment);
}

template <class Codec, base::Is<PolicyOverrides> T>
void fields(Codec& codec, T& policy) {
  // The tag of a field is its place in visit_fields. The structured binding checks that the struct has no more members.
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

// The bounds were checked before, so no value is negative.
template <class Codec, base::Is<Closed> T>
void fields(Codec& codec, T& closed) {
  auto& [max_registers, time, memory] = closed;
  std::int64_t milliseconds = time.count();
  codec.field(1, max_registers);
  codec.field(2, milliseconds);
  codec.field(3, memory);
  if constexpr (Codec::kReads) time = std::chrono::milliseconds(milliseconds);
}

// All members but `devices`: they say where the asking process loads the kernel, and no kernel depends on them.
//
// Numbers may be negative, because the options are not checked yet: the process that builds the kernel refuses wrong
// values with its own message.
template <class Codec, base::Is<Options> T>
void fields(Codec& codec, T& options) {
  auto& [entry, headers, include_paths, defines, standard, floating_point, max_registers, line_info, baked_state,
         baked_type, shared_bytes, policy, routes, closed, architecture, devices] = options;
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
  if (standard != CppStandard::Cpp17 && standard != CppStandard::Cpp20) codec.refuse();
}

}  // namespace graft
