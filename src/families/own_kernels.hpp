// Kernels of the user's own (graft::Kernel), as a family: what loaded jobs, packs and the cache ask about a kernel.
// They have no callback of elements and no tuning, and routes/slot_route.cpp makes them.
#pragma once

#include <string>
#include <vector>

#include "base/record.hpp"
#include "families/family.hpp"
#include "graft/kernel.hpp"

namespace graft::families {

// What a request asks for, as the record of Step::request. The callbacks are the parts of the step's composition behind
// its first part, which is the code of the kernels.
struct AskedKernels {
  std::vector<std::string> entries = {};  // as KernelCode::entries
  std::vector<std::string> slots = {};    // the name of each callback's slot, and behind them those of the defaults
  std::uint64_t defaults = 0;             // how many of the callbacks are defaults
  std::vector<std::string> optional_slots = {}, optional_constants = {};  // pairs
  std::vector<std::string> always_inlined = {}, never_inlined = {};       // slots
  std::vector<std::string> constants = {};
  std::vector<std::uint64_t> values = {};           // of the constants, in two's complement
  std::uint64_t default_values = 0;                 // how many of the constants, the last ones, have the author's value
  std::vector<std::string> thread_word_slots = {};  // whose callbacks may use thread words
  // For packs: further values for which constants are compiled, as pairs; those of Options::headers that the pack has
  // for its callbacks; and whether the pack is that of the only callback, compiled for its slot.
  std::vector<std::string> further_constants = {};
  std::vector<std::uint64_t> further_values = {};
  std::vector<std::string> headers = {};
  bool is_for_slot = false;
};

template <class Codec, base::Is<AskedKernels> T>
void fields(Codec& codec, T& asked) {
  codec.field(1, asked.entries);
  codec.field(2, asked.slots);
  codec.field(3, asked.defaults);
  codec.field(4, asked.optional_slots);
  codec.field(5, asked.optional_constants);
  codec.field(6, asked.always_inlined);
  codec.field(7, asked.never_inlined);
  codec.field(8, asked.constants);
  codec.field(9, asked.values);
  codec.later_field(10, asked.default_values);
  codec.later_field(11, asked.thread_word_slots);
  codec.later_field(12, asked.further_constants);
  codec.later_field(13, asked.further_values);
  codec.later_field(14, asked.headers);
  codec.later_field(15, asked.is_for_slot);
  if (asked.defaults > asked.slots.size() || asked.default_values > asked.values.size() ||
      asked.optional_slots.size() != asked.optional_constants.size() || asked.constants.size() != asked.values.size() ||
      asked.further_constants.size() != asked.further_values.size())
    codec.refuse();
}

const Family& own_kernels();

// The job of the kernels of `code` with these callbacks. Throws Error(InvalidArgument) if a callback has no slot's
// name, or is a composition.
Job job_of_own_kernels(const KernelCode& code, const KernelCallbacks& callbacks);

// The job of the pack of the callback for its slot.
Job job_of_callback_for_slot(const KernelCode& code, const SlotCallback& callback);

// What is asked for by a KernelCode that a pack holds, if the pack was made for `asked`: its kernels are there, and the
// callbacks, which fill the slots of these names, are its defaults.
AskedKernels asked_of_pack(AskedKernels asked, std::vector<std::string> slots);

}  // namespace graft::families
