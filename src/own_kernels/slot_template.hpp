// A callback that is a template takes its types from the slot: `template <class T> __device__ T l1(T a, T b)` fills
// float metric(float, float). The compiler deduces the arguments from a call with the slot's types, which graft writes
// as the callback's entry:
//
//     [](float p0, float p1, const void* p2) { return huber(p0, p1, ::graft_slot_state{p2}); }
#pragma once

#include <optional>
#include <string>

#include "graft/callback.hpp"
#include "own_kernels/code_shape.hpp"

namespace graft::own_kernels {

// Whether the callback is a source whose entry is a template without arguments.
bool takes_types(const Callback& callback);

struct TypedCallback {
  Callback callback;
  std::string name;  // of the template
};

// Returns the callback with such an entry, or nothing if it takes no types. Throws Error: SignatureMismatch if the
// numbers of parameters differ, AmbiguousEntry if the slot's name shows no types.
std::optional<TypedCallback> with_types_of(const Callback& callback, const Slot& slot, const std::string& code);

}  // namespace graft::own_kernels
