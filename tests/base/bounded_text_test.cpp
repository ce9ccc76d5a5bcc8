// Tests bounded_text, which shortens a long text in the middle and keeps its beginning and its end.
#include "base/bounded_text.hpp"

#include <gtest/gtest.h>

namespace graft::base {
namespace {

std::string kept(std::size_t most, const std::vector<std::string>& parts) {
  BoundedText text(most);
  for (const std::string& part : parts) text.append(part);
  return std::move(text).text();
}

TEST(BoundedText, KeepsAllThatFits) {
  EXPECT_EQ(kept(10, {}), "");
  EXPECT_EQ(kept(10, {"12345", "67890"}), "1234567890");
  EXPECT_EQ(kept(10, {"1234567", "890"}), "1234567890");
}

TEST(BoundedText, SaysHowMuchOfTheMiddleIsLeftOut) {
  EXPECT_EQ(kept(10, {"12345xxx67890"}), "12345\n[3 bytes left out]\n67890");
  EXPECT_EQ(kept(10, {"123", "45x", "x", "x67", "890"}), "12345\n[3 bytes left out]\n67890");
  EXPECT_EQ(kept(10, {"12345", std::string(1000, 'x'), "67890"}), "12345\n[1000 bytes left out]\n67890");
  std::vector<std::string> bits(5000, "x");
  bits.insert(bits.begin(), "12345");
  bits.emplace_back("67890");
  EXPECT_EQ(kept(10, bits), "12345\n[5000 bytes left out]\n67890");
}

}  // namespace
}  // namespace graft::base
