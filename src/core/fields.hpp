// Lists the record fields (base/record.hpp) of the types that graft writes to cache entries and packs and sends to
// other processes. Files on disk depend on the tags: do not change a tag. Give a new field a new tag, and never use the
// tag of a removed field again.
#pragma once

#include <chrono>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/record.hpp"
#include "core/image_data.hpp"
#include "core/option_table.hpp"
#include "graft/architecture.hpp"
#include "graft/element.hpp"
#include "graft/error.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"
#include "graft/report.hpp"
#include "graft/signature.hpp"
#include "graft/tuning.hpp"

namespace graft {

template <class Codec, base::Is<Parameter> T>
void fields(Codec& codec, T& parameter) {
  codec.choice(1, parameter.role, Role::Accumulator);
  codec.choice(2, parameter.type.kind, ElementKind::Bit);
  codec.field(3, parameter.type.size);
  codec.field(4, parameter.type.alignment);
  codec.field(5, parameter.spelling);
}

template <class Codec, base::Is<Signature> T>
void fields(Codec& codec, T& signature) {
  if constexpr (Codec::kReads) {
    Parameter result;
    std::vector<Parameter> parameters;
    codec.field(1, result);
    codec.field(2, parameters);
    if (codec.good()) signature = Signature(std::move(result), std::move(parameters));
  } else {
    codec.field(1, signature.result());
    codec.field(2, signature.parameters());
  }
}

template <class Codec, base::Is<Architecture> T>
void fields(Codec& codec, T& architecture) {
  constexpr int kLargestNumber = 9999;
  int number = architecture.number;
  std::uint32_t suffix = static_cast<unsigned char>(architecture.suffix);
  codec.field(1, number);
  codec.field(2, suffix);
  if constexpr (Codec::kReads) {
    if (number > kLargestNumber || (suffix != 0 && suffix != 'a' && suffix != 'f')) codec.refuse();
    if (codec.good()) architecture = Architecture(number, static_cast<char>(suffix));
  }
}

template <class Codec, base::Is<Tuning::Decision> T>
void fields(Codec& codec, T& decision) {
  codec.field(1, decision.name);
  codec.field(2, decision.value);
}

template <class Codec, base::Is<Tuning> T>
void fields(Codec& codec, T& tuning) {
  if constexpr (Codec::kReads) {
    std::vector<Tuning::Decision> decisions;
    codec.field(1, decisions);
    if (codec.good()) tuning = Tuning(std::move(decisions));
  } else {
    codec.field(1, tuning.decisions());
  }
}

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

// One option. A number without a least value may be negative, because options are sent before they are checked: the
// process that builds the kernel reports a wrong value with its own message.
template <class Codec, class Row, class Value>
void option_field(Codec& codec, const Row& row, Value& value) {
  using Item = OptionItem<Value>;
  if constexpr (std::is_enum_v<Item>) {
    codec.choice(row.tag, value, static_cast<Item>(row.most));
  } else if constexpr (std::is_same_v<Item, std::chrono::milliseconds>) {
    std::int64_t count = value.count();
    codec.field(row.tag, count);
    if constexpr (Codec::kReads) value = std::chrono::milliseconds(count);
  } else if constexpr (std::is_same_v<Item, int> && !std::is_same_v<std::remove_const_t<Value>, std::vector<int>>) {
    if (row.least == 0) codec.signed_field(row.tag, value);
    else codec.field(row.tag, value);
  } else {
    codec.field(row.tag, value);
  }
  if constexpr (std::is_same_v<Item, CppStandard>)
    if (!row.has_choice(static_cast<int>(value))) codec.refuse();
}

// The options, and the structs in them: the rows of their table, in the order of the tags.
template <class Codec, class T>
requires HasOptionTable<std::remove_const_t<T>>
void fields(Codec& codec, T& options) {
  using Struct = std::remove_const_t<T>;
  for (std::uint16_t tag = 1; tag <= last_option_tag<Struct>(); ++tag)
    for_each_option<Struct>([&](const auto& row) {
      auto& value = options.*row.member;
      if constexpr (!std::is_same_v<OptionItem<decltype(value)>, CallShapes>)  // in no record
        if (row.tag == tag) option_field(codec, row, value);
    });
}

template <class Codec, base::Is<KernelSpec> T>
void fields(Codec& codec, T& kernel) {
  codec.field(1, kernel.family);
  codec.field(2, kernel.name);
  codec.choice(3, kernel.route, Route::Host);
  codec.field(4, kernel.architecture);
  codec.field(5, kernel.signature);
  codec.field(6, kernel.tuning);
  codec.field(7, kernel.floating_point);
  codec.field(8, kernel.max_registers);
  codec.field(9, kernel.shared_bytes);
  codec.later_field(10, kernel.compiler_options);
  codec.later_field(11, kernel.request);
  codec.later_field(12, kernel.further_entries);
}

template <class Codec, base::Is<ToolVersion> T>
void fields(Codec& codec, T& tool) {
  codec.field(1, tool.tool);
  codec.field(2, tool.version);
}

template <class Codec, base::Is<Report::RouteNotTaken> T>
void fields(Codec& codec, T& other) {
  codec.choice(1, other.route, Route::Host);
  codec.field(2, other.reason);
}

template <class Codec, base::Is<Report::Step> T>
void fields(Codec& codec, T& step) {
  codec.field(1, step.name);
  codec.field(2, step.milliseconds);
}

template <class Codec, base::Is<Report::Slot> T>
void fields(Codec& codec, T& slot) {
  codec.field(1, slot.declaration);
  codec.field(2, slot.callback);
  codec.field(3, slot.how);
  codec.field(4, slot.state_bytes);
  codec.field(5, slot.state_alignment);
}

template <class Codec, base::Is<Report::Resources> T>
void fields(Codec& codec, T& resources) {
  codec.field(1, resources.registers);
  codec.field(2, resources.stack_bytes);
  codec.field(3, resources.spill_store_bytes);
  codec.field(4, resources.spill_load_bytes);
  codec.field(5, resources.local_bytes);
  codec.field(6, resources.constant_bytes);
}

// Lists all fields except `from_cache`, which says whether a process got the kernel from the cache. Each process that
// reads the record sets `from_cache` itself.
template <class Codec, base::Is<Report> T>
void fields(Codec& codec, T& report) {
  codec.field(1, report.kernel);
  codec.field(2, report.routes_not_taken);
  codec.field(3, report.policy_reason);
  codec.field(4, report.resources);
  codec.field(5, report.remaining_calls);
  codec.field(6, report.cuda_helpers);
  codec.field(7, report.image_bytes);
  codec.field(8, report.toolkit);
  codec.field(9, report.versions);
  codec.field(10, report.steps);
  codec.field(11, report.notes);
  codec.field(12, report.compiler_log);
  codec.field(13, report.linker_log);
  codec.field(14, report.source);
  codec.field(15, report.shape);
  if (Codec::kReads || !report.slots.empty()) codec.field(16, report.slots);
}

// Lists the fields of a built kernel that a child process sends to its parent process. These fields are not written to
// disk, because a cache entry stores the report and the bytes separately.
template <class Codec, base::Is<Image::Data> T>
void fields(Codec& codec, T& image) {
  codec.field(1, image.report);
  codec.field(2, image.bytes);
  codec.field(3, image.is_from_disk);
  codec.field(4, image.depends_on_tools);
  // The record of the report does not contain from_cache, so the reader sets from_cache here.
  if constexpr (Codec::kReads) image.report.from_cache = image.is_from_disk;
}

}  // namespace graft
