// Reports as CBOR: every field comes back, and nothing else is taken for a report.
#include "core/report_cbor.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/cbor.hpp"
#include "support/reports.hpp"

namespace graft {
namespace {

using nlohmann::json;

// Who adds a field to Report changes its size, fails here, and adds it to report_cbor.cpp and to full_report too.
static_assert(sizeof(Report) == 576, "add the new field to report_cbor.cpp and tests/support/reports.hpp");

// JSON leaves out what the signature's parameters are besides their text; describe() has it.
void expect_equal(const Report& a, const Report& b) {
  EXPECT_EQ(a.to_json(), b.to_json());
  EXPECT_EQ(a.signature.describe(), b.signature.describe());
  EXPECT_EQ(a.signature, b.signature);
  EXPECT_EQ(a.versions, b.versions);
  EXPECT_EQ(a.source, b.source);
}

TEST(ReportCbor, ComesBack) {
  for (const Report& report : {test::full_report(), Report{}}) {
    const auto read = report_from_cbor(report_to_cbor(report));
    ASSERT_TRUE(read);
    expect_equal(*read, report);
  }
}

TEST(ReportCbor, DoesNotSayWhereThisCopyCameFrom) {
  Report report = test::full_report();
  report.from_cache = true;
  EXPECT_FALSE(report_from_cbor(report_to_cbor(report))->from_cache);
}

TEST(ReportCbor, RefusesWhatLacksAField) {
  const json whole = base::from_cbor(report_to_cbor(test::full_report()));
  for (const auto& [name, value] : whole.items()) {
    json lacking = whole;
    lacking.erase(name);
    EXPECT_FALSE(report_from_cbor(base::to_cbor(lacking))) << name;
    json mistyped = whole;
    mistyped[name] = true;
    EXPECT_FALSE(report_from_cbor(base::to_cbor(mistyped))) << name;
  }
  EXPECT_FALSE(report_from_cbor(base::to_cbor(json::array())));
}

TEST(ReportCbor, RefusesNumbersWithoutAMeaning) {
  const json whole = base::from_cbor(report_to_cbor(test::full_report()));
  const std::pair<const char*, json> changes[] = {
      {"route", 5},
      {"body", 2},
      {"vector_width", -1},
      {"vector_width", 1.5},
      {"image_bytes", -1},
      {"architecture", "x"},
      {"vectors_per_thread", 1ll << 40},
      {"signature", json::array()},
      {"signature", {{9, 0, 4, 4, "float"}}},
      {"signature", {{0, 9, 4, 4, "float"}}},
      {"signature", {{0, 0, 4, 4}}},
      {"resources", {1, 2, 3}},
  };
  for (const auto& [name, value] : changes) {
    json changed = whole;
    changed[name] = value;
    EXPECT_FALSE(report_from_cbor(base::to_cbor(changed))) << name << " " << value;
  }
}

}  // namespace
}  // namespace graft
