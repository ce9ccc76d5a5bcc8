// Tests the text form of cache keys: parse_key() must return the fields that KeyWriter wrote, and compare_keys() must
// find the fields in which two keys differ.
#include "format/key_fields.hpp"

#include <gtest/gtest.h>

namespace graft::format {
namespace {

std::vector<KeyField> fields(std::initializer_list<KeyField> list) {
  return list;
}

TEST(KeyFields, AreText) {
  KeyWriter key;
  key.add("architecture", "sm_90");
  key.add("max_registers", 32);
  key.add("offset", -5);
  key.add("empty", "");
  EXPECT_EQ(key.text(), "architecture 5:sm_90\nmax_registers 2:32\noffset 2:-5\nempty 0:\n");
}

TEST(KeyFields, ComeBack) {
  const auto list = fields({{"source", "a\nsource 1:b\n"}, {"define", std::string("x\0y", 3)}, {"define", ""}});
  KeyWriter key;
  for (const KeyField& field : list) key.add(field.tag, field.value);
  EXPECT_EQ(parse_key(key.text()), list);
  EXPECT_EQ(parse_key(""), std::vector<KeyField>());
}

TEST(KeyFields, OneIsFoundByItsTag) {
  const std::string key = "architecture 5:sm_90\nsource 21:architecture 5:sm_80\n\ndefine 1:A\ndefine 1:B\n";
  ASSERT_TRUE(parse_key(key));
  EXPECT_EQ(find_field(key, "architecture"), "sm_90") << "text inside a value must not be taken for a field";
  EXPECT_EQ(find_field(key, "define"), std::nullopt) << "a tag that occurs twice has no single value";
  EXPECT_EQ(find_field(key, "route"), std::nullopt);
  EXPECT_EQ(find_field(key + "x", "architecture"), std::nullopt) << "a malformed key has no fields";
  EXPECT_EQ(find_field("", "architecture"), std::nullopt);
}

TEST(KeyFields, OthersAreRefused) {
  for (const char* text :
       {"a", "a 1", "a 1:", "a 1:x", "a 2:x\n", "a 1:xy\n", "a 0:x\n", " 1:x\n", "a x:x\n", "a -1:x\n",
        "a 99999999999999999999:x\n", "A 1:x\n", "a 18446744073709551615:x\n", "a 1:x\n\n", "a 01:x\n", "a 00:\n"})
    EXPECT_FALSE(parse_key(text)) << text;
}

TEST(KeyFields, DifferencesAreNamed) {
  const auto left = fields({{"a", "1"}, {"b", "2"}, {"d", "x"}, {"d", "y"}});
  const auto right = fields({{"a", "1"}, {"b", "3"}, {"d", "x"}, {"e", "4"}});
  const std::vector<KeyDifference> expected = {{"b", "2", "3"}, {"d", "y", std::nullopt}, {"e", std::nullopt, "4"}};
  EXPECT_EQ(compare_keys(left, right), expected);
  EXPECT_TRUE(compare_keys(left, left).empty());
}

}  // namespace
}  // namespace graft::format
