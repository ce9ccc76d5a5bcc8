// Tests how reports are written to bytes and read back. Every field must be the same afterwards, and the reader must
// refuse invalid bytes.
#include "core/fields.hpp"

#include <gtest/gtest.h>

#include "support/reports.hpp"

namespace graft {
namespace {

// Adding a field to Report changes its size and makes this assertion fail. Add the field to core/fields.hpp and
// full_report, then update the number.
static_assert(sizeof(Report) == 808, "add the new field to core/fields.hpp and tests/support/reports.hpp");

// to_json() writes only the text of the signature's parameters. describe() also writes their roles and element types,
// so both are compared.
void expect_equal(const Report& a, const Report& b) {
  EXPECT_EQ(a.to_json(), b.to_json());
  EXPECT_EQ(a.kernel.signature.describe(), b.kernel.signature.describe());
  EXPECT_EQ(a.kernel, b.kernel);
  EXPECT_EQ(a.versions, b.versions);
  EXPECT_EQ(a.source, b.source);
}

// What the kernels of other families have, beyond the fields of a transform's.
Report report_of_another_family() {
  Report report = test::full_report();
  report.kernel.family = "sum";
  report.kernel.request = {std::byte{7}, std::byte{0}};
  report.kernel.signature = Signature({Role::Output, element_type<float>(), "float"},
                                      {{Role::Input, element_type<float>(), "float"},
                                       {Role::Accumulator, ElementType::structure(48, 16), "Accumulator<Moments>"}});
  report.kernel.further_entries = {"graft_transform_second"};
  report.slots = {{"metric(float, const S&)", "l1 in l1.cu", "inlined", 24, 8}, {.declaration = "f()", .how = "empty"}};
  return report;
}

bool is_damaged(std::span<const std::byte> bytes) {
  const auto read = base::examine_record<Report>(bytes);
  const auto* const fault = std::get_if<base::RecordFault>(&read);
  return fault != nullptr && *fault == base::RecordFault::Damaged;
}

TEST(ReportRecord, ComesBack) {
  for (const Report& report : {test::full_report(), report_of_another_family(), Report{}}) {
    const auto read = base::examine_record<Report>(base::write_record(report));
    ASSERT_TRUE(std::holds_alternative<Report>(read));
    expect_equal(std::get<Report>(read), report);
  }
}

TEST(ReportRecord, DoesNotSayWhereThisCopyCameFrom) {
  Report report = test::full_report();
  report.from_cache = true;
  EXPECT_FALSE(std::get<Report>(base::examine_record<Report>(base::write_record(report))).from_cache);
}

TEST(ReportRecord, IsRefusedCutOrWithMoreBehindIt) {
  base::Bytes whole = base::write_record(report_of_another_family());
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_TRUE(is_damaged(std::span(whole).first(size))) << size;
  whole.push_back(std::byte{0});
  EXPECT_TRUE(is_damaged(whole));
}

// A count with a changed byte may claim more items than the bytes hold. The reader must not allocate memory for items
// that are not there.
TEST(ReportRecord, AnyByteMayBeWrong) {
  const base::Bytes whole = base::write_record(report_of_another_family());
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const unsigned value : {0x00u, 0x7fu, 0xffu}) {
      base::Bytes changed = whole;
      changed[at] = static_cast<std::byte>(value);
      (void)base::examine_record<Report>(changed);
    }
}

TEST(ReportRecord, RefusesNumbersWithoutAMeaning) {
  using Change = void (*)(Report&);
  const Change changes[] = {
      [](Report& r) { r.kernel.route = static_cast<Route>(5); },
      [](Report& r) { r.routes_not_taken[0].route = static_cast<Route>(9); },
      [](Report& r) { r.kernel.tuning.set("vector_width", -1); },
      [](Report& r) { r.kernel.tuning.set("vectors_per_thread", -(1 << 30)); },
      [](Report& r) { r.resources.registers = -1; },
      [](Report& r) { r.kernel.architecture = Architecture(10'000); },
      [](Report& r) { r.kernel.architecture = Architecture(-90); },
      [](Report& r) { r.kernel.architecture = Architecture(90, 'x'); },
      [](Report& r) {
        r.kernel.signature = Signature({static_cast<Role>(12), {ElementKind::Float, 4, 4}, "float"}, {});
      },
      [](Report& r) {
        r.kernel.signature = Signature({Role::Output, {static_cast<ElementKind>(99), 4, 4}, "float"}, {});
      },
  };
  for (const Change change : changes) {
    Report report = test::full_report();
    change(report);
    EXPECT_TRUE(is_damaged(base::write_record(report))) << &change - changes;
  }
}

}  // namespace
}  // namespace graft
