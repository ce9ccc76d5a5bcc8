// A report as CBOR and back, whole: what an image's file keeps of how it was made.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "graft/report.hpp"

namespace graft {

// Text of any bytes survives. The report's own `from_cache` does not: it says how this copy was come by.
base::Bytes report_to_cbor(const Report& report);

// Nothing for bytes that are no such report: a missing or mistyped field, a number that no value has.
std::optional<Report> report_from_cbor(std::span<const std::byte> bytes);

}  // namespace graft
