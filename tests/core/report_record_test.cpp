// Reports as bytes: every field comes back, and nothing else is taken for a report.
#include "core/report_record.hpp"

#include <gtest/gtest.h>

#include "support/reports.hpp"

namespace graft {
namespace {

// Who adds a field to Report changes its size, fails here, and adds it to core/fields.hpp and to full_report too.
static_assert(sizeof(Report) == 592, "add the new field to core/fields.hpp and tests/support/reports.hpp");

// JSON leaves out what the signature's parameters are besides their text; describe() has it.
void expect_equal(const Report& a, const Report& b) {
  EXPECT_EQ(a.to_json(), b.to_json());
  EXPECT_EQ(a.signature.describe(), b.signature.describe());
  EXPECT_EQ(a.signature, b.signature);
  EXPECT_EQ(a.versions, b.versions);
  EXPECT_EQ(a.source, b.source);
}

TEST(ReportRecord, ComesBack) {
  for (const Report& report : {test::full_report(), Report{}}) {
    const auto read = read_report(write_report(report));
    ASSERT_TRUE(read);
    expect_equal(*read, report);
  }
}

TEST(ReportRecord, DoesNotSayWhereThisCopyCameFrom) {
  Report report = test::full_report();
  report.from_cache = true;
  EXPECT_FALSE(read_report(write_report(report))->from_cache);
}

TEST(ReportRecord, IsRefusedCutOrWithMoreBehindIt) {
  base::Bytes whole = write_report(test::full_report());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_report(std::span(whole).first(size))) << size;
  whole.push_back(std::byte{0});
  EXPECT_FALSE(read_report(whole));
}

// A count may claim more than there is: nothing is made room for that the bytes do not hold.
TEST(ReportRecord, AnyByteMayBeWrong) {
  const base::Bytes whole = write_report(test::full_report());
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const unsigned value : {0x00u, 0x7fu, 0xffu}) {
      base::Bytes changed = whole;
      changed[at] = static_cast<std::byte>(value);
      (void)read_report(changed);
    }
}

TEST(ReportRecord, RefusesNumbersWithoutAMeaning) {
  using Change = void (*)(Report&);
  const Change changes[] = {
      [](Report& r) { r.route = static_cast<Route>(5); },
      [](Report& r) { r.tuning.body = static_cast<Body>(2); },
      [](Report& r) { r.routes_not_taken[0].route = static_cast<Route>(9); },
      [](Report& r) { r.tuning.vector_width = -1; },
      [](Report& r) { r.tuning.vectors_per_thread = -(1 << 30); },
      [](Report& r) { r.resources.registers = -1; },
      [](Report& r) { r.architecture = Architecture(10'000); },
      [](Report& r) { r.architecture = Architecture(-90); },
      [](Report& r) { r.architecture = Architecture(90, 'x'); },
      [](Report& r) {
        r.signature = Signature({static_cast<Role>(9), {ElementKind::Float, 4, 4}, "float"}, {});
      },
      [](Report& r) {
        r.signature = Signature({Role::Output, {static_cast<ElementKind>(99), 4, 4}, "float"}, {});
      },
  };
  for (const Change change : changes) {
    Report report = test::full_report();
    change(report);
    EXPECT_FALSE(read_report(write_report(report))) << &change - changes;
  }
}

}  // namespace
}  // namespace graft
