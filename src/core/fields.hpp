// The fields of what graft keeps in files and hands to other processes (base/record.hpp). Tags are those of files: a
// new field takes a new one, and none is used again.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/record.hpp"
#include "graft/architecture.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"
#include "graft/report.hpp"
#include "graft/signature.hpp"
#include "graft/tuning.hpp"

namespace graft {

template <class Codec, base::Is<Parameter> T>
void fields(Codec& codec, T& parameter) {
  codec.choice(1, parameter.role, Role::Baked);
  codec.choice(2, parameter.type.kind, ElementKind::Opaque);
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
  constexpr int kMostDigits = 9999;
  int number = architecture.number;
  std::uint32_t suffix = static_cast<unsigned char>(architecture.suffix);
  codec.field(1, number);
  codec.field(2, suffix);
  if constexpr (Codec::kReads) {
    if (number > kMostDigits || (suffix != 0 && suffix != 'a' && suffix != 'f')) codec.refuse();
    if (codec.good()) architecture = Architecture(number, static_cast<char>(suffix));
  }
}

// The place in Tuning::visit_fields is the tag.
template <class Codec, base::Is<Tuning> T>
void fields(Codec& codec, T& tuning) {
  std::uint16_t tag = 0;
  Tuning::visit_fields([&](const char*, auto member) {
    if constexpr (std::is_same_v<decltype(member), Body Tuning::*>) codec.choice(++tag, tuning.*member, Body::Rolled);
    else codec.field(++tag, tuning.*member);
  });
}

template <class Codec, base::Is<FloatingPoint> T>
void fields(Codec& codec, T& fp) {
  codec.field(1, fp.fast_math);
  codec.field(2, fp.contraction);
  codec.field(3, fp.flush_to_zero);
  codec.field(4, fp.precise_division);
  codec.field(5, fp.precise_square_root);
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

template <class Codec, base::Is<Report::Resources> T>
void fields(Codec& codec, T& resources) {
  codec.field(1, resources.registers);
  codec.field(2, resources.stack_bytes);
  codec.field(3, resources.spill_store_bytes);
  codec.field(4, resources.spill_load_bytes);
  codec.field(5, resources.local_bytes);
  codec.field(6, resources.constant_bytes);
}

// All but `from_cache`, which says how a copy was come by.
template <class Codec, base::Is<Report> T>
void fields(Codec& codec, T& report) {
  codec.field(1, report.kernel_name);
  codec.field(2, report.signature);
  codec.choice(3, report.route, Route::Host);
  codec.field(4, report.routes_not_taken);
  codec.field(5, report.architecture);
  codec.field(6, report.tuning);
  codec.field(7, report.policy_reason);
  codec.field(8, report.resources);
  codec.field(9, report.remaining_calls);
  codec.field(10, report.cuda_helpers);
  codec.field(11, report.image_bytes);
  codec.field(12, report.toolkit);
  codec.field(13, report.versions);
  codec.field(14, report.steps);
  codec.field(15, report.notes);
  codec.field(16, report.compiler_log);
  codec.field(17, report.linker_log);
  codec.field(18, report.source);
}

}  // namespace graft
