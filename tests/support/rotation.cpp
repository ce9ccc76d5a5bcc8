#include "support/rotation.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <string_view>

namespace graft::test {

std::size_t test_round() {
  const char* const round = std::getenv("GRAFT_TEST_ROUND");
  return round == nullptr ? 0 : std::strtoull(round, nullptr, 10);
}

bool wants_all_architectures() {
  const char* const wanted = std::getenv("GRAFT_ALL_ARCHITECTURES");
  return wanted != nullptr && std::string_view(wanted) == "1";
}

bool is_turn_of(std::size_t place, std::size_t row, std::size_t places) {
  return wants_all_architectures() || (row + test_round()) % places == place;
}

std::size_t row_of_test() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  return std::hash<std::string>()(std::string(test.test_suite_name()) + test.name());
}

std::string rotation_text() {
  return wants_all_architectures() ? "GRAFT_ALL_ARCHITECTURES=1" : "GRAFT_TEST_ROUND=" + std::to_string(test_round());
}

}  // namespace graft::test
