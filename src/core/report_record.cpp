#include "core/report_record.hpp"

#include "core/fields.hpp"

namespace graft {

base::Bytes write_report(const Report& report) {
  return base::write_record(report);
}

std::variant<Report, base::RecordFault> read_report(std::span<const std::byte> bytes) {
  return base::examine_record<Report>(bytes);
}

}  // namespace graft
