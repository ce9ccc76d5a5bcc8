// A report as bytes (core/fields.hpp): what the cache keeps, and one process hands to another.
#pragma once

#include <span>
#include <variant>

#include "base/bytes.hpp"
#include "base/record.hpp"
#include "graft/report.hpp"

namespace graft {

// Text of any bytes survives. The report's own `from_cache` does not: it says how this copy was come by.
base::Bytes write_report(const Report& report);

std::variant<Report, base::RecordFault> read_report(std::span<const std::byte> bytes);

}  // namespace graft
