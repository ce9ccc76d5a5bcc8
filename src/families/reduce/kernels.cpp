#include "families/reduce/kernels.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/record.hpp"
#include "contract.h"
#include "families/reduce/arithmetic.hpp"
#include "reduce/order.h"

namespace graft::families::reduce {
namespace {

struct RequestRecord {
  std::int64_t order = GRAFT_REDUCE_ORDER;
  std::int64_t kind = 0;
  base::Bytes initial = {};
  std::int64_t initial_kind = 0;
  std::int64_t layout = 0;
  std::string inexact_function = {};
};

template <class Codec, base::Is<RequestRecord> T>
void fields(Codec& codec, T& request) {
  codec.field(1, request.order);
  codec.field(2, request.kind);
  codec.later_field(3, request.initial);
  codec.later_field(4, request.initial_kind);
  codec.later_field(5, request.layout);
  codec.later_field(6, request.inexact_function);
}

}  // namespace

const char* name(KernelKind kind) {
  switch (kind) {
    case KernelKind::Whole:
      return "whole";
    case KernelKind::Short:
      return "short";
    case KernelKind::Long:
      return "long";
    case KernelKind::Columns:
      return "columns";
    case KernelKind::ShortSegments:
      return "short_segments";
    case KernelKind::LongSegments:
      return "long_segments";
    case KernelKind::Tiny:
      return "tiny";
    case KernelKind::Chunks:
      return "chunks";
  }
  return "";
}

std::string method_of(KernelKind kind) {
  return kind == KernelKind::Whole ? "" : name(kind);
}

std::optional<KernelKind> kernel_of(std::string_view method) {
  const auto found = std::ranges::find(kKinds, method, [](KernelKind kind) { return method_of(kind); });
  return found == kKinds.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string> methods_for_any_shape() {
  return {method_of(KernelKind::Whole), method_of(KernelKind::Tiny),   method_of(KernelKind::Short),
          method_of(KernelKind::Long),  method_of(KernelKind::Chunks), method_of(KernelKind::Columns)};
}

std::vector<std::string> methods_for_segments() {
  return {method_of(KernelKind::ShortSegments), method_of(KernelKind::LongSegments)};
}

std::vector<std::string> all_methods() {
  std::vector<std::string> all;
  for (const KernelKind kind : kKinds) all.push_back(method_of(kind));
  return all;
}

base::Bytes request_of(const KernelRequest& request) {
  return base::write_record(RequestRecord{.kind = static_cast<std::int64_t>(request.kind),
                                          .initial = request.initial,
                                          .initial_kind = static_cast<std::int64_t>(request.initial_kind),
                                          .layout = GRAFT_REDUCE_LAYOUT,
                                          .inexact_function = request.inexact_function});
}

std::optional<KernelRequest> read_request(std::span<const std::byte> request, std::string& why) {
  const std::optional<RequestRecord> read = base::read_record<RequestRecord>(request);
  if (!read) {
    why = "its request is none of a reduction";
    return std::nullopt;
  }
  if (read->order != GRAFT_REDUCE_ORDER) {
    why = base::format("its order is {}, and this version of graft has order {}", read->order, GRAFT_REDUCE_ORDER);
    return std::nullopt;
  }
  if (read->layout != GRAFT_REDUCE_LAYOUT) {
    why = base::format("its parameters have the layout {}, and this version of graft has layout {}", read->layout,
                       GRAFT_REDUCE_LAYOUT);
    return std::nullopt;
  }
  const auto kind =
      std::ranges::find(kKinds, read->kind, [](KernelKind one) { return static_cast<std::int64_t>(one); });
  const bool has_kind = read->initial_kind >= 0 && read->initial_kind <= static_cast<std::int64_t>(ElementKind::Enum);
  if (kind == kKinds.end() || !has_kind || read->initial.size() > GRAFT_MAX_ACCUMULATOR_BYTES) {
    why = "it asks for a kernel that reductions do not have";
    return std::nullopt;
  }
  const auto is_of_name = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (read->inexact_function != kUnknownFunctions && !std::ranges::all_of(read->inexact_function, is_of_name)) {
    why = "it names a function that is none";
    return std::nullopt;
  }
  return KernelRequest{*kind, read->initial, static_cast<ElementKind>(read->initial_kind), read->inexact_function};
}

}  // namespace graft::families::reduce
