// Tests that no two options share a tag, a number or a name. That each member has a row is a static_assert of the
// table.
#include "core/option_table.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace graft {
namespace {

template <class T>
void expect_own_tags() {
  std::set<std::uint16_t> tags;
  for_each_option<T>([&](const auto& row) { EXPECT_TRUE(row.tag == 0 || tags.insert(row.tag).second) << row.name; });
}

TEST(OptionTable, EachRecordHasEachTagOnce) {
  expect_own_tags<Options>();
  expect_own_tags<FloatingPoint>();
  expect_own_tags<PolicyOverrides>();
  expect_own_tags<MeasuredPolicy>();
  expect_own_tags<RouteChoice>();
  expect_own_tags<Closed>();
}

TEST(OptionTable, OnlyWhatTheLoadingProcessNeedsIsInNoRecord) {
  for_each_named_option([](const std::string& name, const auto& row) {
    const bool is_known_here = name == "Options::devices" || name == "Options::any_shape" ||
                               name == "Options::shapes" || name == "Options::host_threads" ||
                               name == "Options::shipped_tuning";
    EXPECT_EQ(row.tag == 0, is_known_here) << name;
  });
}

TEST(OptionTable, EachNameMeansOneOption) {
  std::set<std::string_view> keys, flags;
  std::set<int> numbers;
  for_each_named_option([&](const std::string& option, const OptionFacts& row) {
    EXPECT_TRUE(keys.insert(row.key).second) << option;
    EXPECT_TRUE(row.c == 0 || numbers.insert(row.c).second) << option;
    EXPECT_TRUE(row.flag.empty() || flags.insert(row.flag).second) << option;
  });
}

}  // namespace
}  // namespace graft
