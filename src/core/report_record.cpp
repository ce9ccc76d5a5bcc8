#include "core/report_record.hpp"

#include "core/fields.hpp"

namespace graft {

base::Bytes write_report(const Report& report) {
  return base::write_record(report);
}

std::optional<Report> read_report(std::span<const std::byte> bytes) {
  return base::read_record<Report>(bytes);
}

}  // namespace graft
