#include "format/kernel_check.hpp"

#include <algorithm>
#include <bit>

#include "base/format.hpp"
#include "contract.h"
#include "format/elf.hpp"
#include "format/key_fields.hpp"

namespace graft::format {
namespace {

constexpr std::size_t kMostParameters = 64;
constexpr int kWidest = 16;
constexpr int kMostVectors = 16;
constexpr int kFewestThreads = 32;
constexpr int kMostRegisters = 255;

// Far beyond any tuning, and so far below what a grid can have that no sum overflows (launch/arguments.cpp).
constexpr int kMostFewTiles = 1 << 20;
constexpr std::uint64_t kMostSingle = std::uint64_t{1} << 32;

bool is_power_of_two(std::int64_t value, std::int64_t least, std::int64_t most) {
  return value >= least && value <= most && std::has_single_bit(static_cast<std::uint64_t>(value));
}

// C++ makes every size a multiple of the alignment. What a load or store callback moves has neither.
bool is_type(const ElementType& type, std::uint32_t largest, std::uint32_t largest_alignment) {
  if (type.kind == ElementKind::Opaque) return type.size == 0 && type.alignment == 1;
  return type.kind < ElementKind::Opaque && type.size >= 1 && type.size <= largest &&
         is_power_of_two(type.alignment, 1, largest_alignment) && type.size % type.alignment == 0;
}

bool is_parameter(const Parameter& parameter) {
  switch (parameter.role) {
    case Role::Input:
    case Role::Output:
      return is_type(parameter.type, GRAFT_MAX_ELEMENT_BYTES, GRAFT_MAX_ELEMENT_BYTES);
    case Role::State:
    case Role::Baked:
      return is_type(parameter.type, GRAFT_MAX_STATE_BYTES, kLargestStateAlignment);
    case Role::Index:
    case Role::None:
      return true;  // nothing is asked of their types
  }
  return false;
}

std::string objection_to_parameters(const Signature& signature) {
  const Parameter& result = signature.result();
  if (result.role != Role::Output && result.role != Role::None) return "its result is no output";
  if (!is_parameter(result)) return "its result has an impossible type";
  const std::vector<Parameter>& parameters = signature.parameters();
  if (parameters.size() > kMostParameters) return base::format("it has {} parameters", parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].role == Role::None || !is_parameter(parameters[i]))
      return base::format("parameter {} has an impossible role or type", i + 1);
  }
  const auto states = std::ranges::count_if(
      parameters, [](const Parameter& p) { return p.role == Role::State || p.role == Role::Baked; });
  return states > 1 ? base::format("it has {} states", states) : std::string();
}

std::string objection_to_arrays(const Signature& signature) {
  if (signature.inputs().size() > GRAFT_MAX_INPUTS)
    return base::format("it has {} inputs, and {} are the most", signature.inputs().size(), GRAFT_MAX_INPUTS);
  if (signature.outputs().size() > GRAFT_MAX_OUTPUTS)
    return base::format("it has {} outputs, and {} are the most", signature.outputs().size(), GRAFT_MAX_OUTPUTS);
  return signature.outputs().empty() ? "it has no output" : "";
}

// A thread keeps its part of an array in registers of a fixed number.
bool fits_share(const Report& report) {
  const auto fits = [&](const ElementType& type) {
    return type.size * static_cast<std::uint32_t>(report.tuning.vector_width) <= GRAFT_SHARE_BYTES;
  };
  return std::ranges::all_of(report.signature.inputs(), fits) && std::ranges::all_of(report.signature.outputs(), fits);
}

std::string objection_to_tuning(const Report& report) {
  if (!is_power_of_two(report.tuning.vector_width, 1, kWidest) || !fits_share(report))
    return base::format("its vector width is {}", report.tuning.vector_width);
  if (!is_power_of_two(report.tuning.vectors_per_thread, 1, kMostVectors))
    return base::format("it has {} vectors per thread", report.tuning.vectors_per_thread);
  if (report.tuning.body > Body::Rolled) return "it has an unknown body";
  if (!is_power_of_two(report.tuning.block_threads, kFewestThreads, GRAFT_BLOCK_THREADS))
    return base::format("it has {} threads per block", report.tuning.block_threads);
  if (report.tuning.few_tiles < 0 || report.tuning.few_tiles > kMostFewTiles)
    return base::format("{} tiles are few to it", report.tuning.few_tiles);
  if (report.tuning.single_below > kMostSingle)
    return base::format("{} elements are few to it", report.tuning.single_below);
  return {};
}

}  // namespace

std::string objection_to(const Signature& signature) {
  std::string why = objection_to_parameters(signature);
  if (why.empty()) why = objection_to_arrays(signature);
  return why.empty() ? why : "no callback has its signature: " + why;
}

std::string objection_to(const Report& report) {
  if (std::string why = objection_to(report.signature); !why.empty()) return why;
  if (std::string why = objection_to_tuning(report); !why.empty()) return why;
  if (report.route > Route::Host) return "it has an unknown route";
  const int registers = report.resources.registers;
  if (registers < 0 || registers > kMostRegisters) return base::format("it uses {} registers", registers);
  return {};
}

std::string objection_to_entry(std::string_view key, const Report& report, std::span<const std::byte> image) {
  if (std::string why = objection_to(report); !why.empty()) return why;
  if (report.route == Route::Host) return "it is a kernel of the host route, which is never kept";
  const std::optional<std::string_view> architecture = find_field(key, "architecture");
  if (!architecture) return "its key names no architecture";
  if (*architecture != report.architecture.sm())
    return base::format("its kernel is for {}, and its key names another architecture", report.architecture.sm());
  return is_whole_cubin(image) ? "" : "its image is no cubin";
}

}  // namespace graft::format
