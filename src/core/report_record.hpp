// A report as bytes: its fields one behind the other, as the cache keeps them. A kernel that is found on disk is ready
// when its report is read, so nothing is parsed twice: as CBOR the report took 60 % of the instructions of a hit.
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
