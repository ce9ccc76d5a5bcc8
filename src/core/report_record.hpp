// A report as bytes (core/fields.hpp): what the cache keeps, and one process hands to another.
#pragma once

#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "graft/report.hpp"

namespace graft {

// Text of any bytes survives. The report's own `from_cache` does not: it says how this copy was come by.
base::Bytes write_report(const Report& report);

// Nothing for bytes that are no such report: cut, too long, or with a number that no value has.
std::optional<Report> read_report(std::span<const std::byte> bytes);

}  // namespace graft
