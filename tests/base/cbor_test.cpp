// CBOR: what graft writes comes back, and what could hurt the parser behind it is refused in front of it.
#include "base/cbor.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace graft::base {
namespace {

using nlohmann::json;

json read(std::string_view bytes) {
  return from_cbor(as_bytes(bytes));
}

TEST(Cbor, ComesBack) {
  const json values[] = {nullptr,
                         true,
                         0,
                         -1,
                         1.5,
                         std::uint64_t{1} << 63,
                         "text",
                         std::string("any \0 byte \xff", 12),
                         json::array(),
                         {1, {2, {3, "x"}}},
                         {{"a", 1}, {"b", {{"c", json::array({1, 2})}}}},
                         json::binary({1, 2, 255})};
  for (const json& value : values) EXPECT_EQ(from_cbor(to_cbor(value)), value) << value.type_name();
}

TEST(Cbor, RefusesWhatIsNotOneWholeValue) {
  const Bytes whole = to_cbor({{"name", "relu"}, {"list", {1, 1000, 1.25}}});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(from_cbor(std::span(whole).first(size)).is_discarded()) << size;
  Bytes longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_TRUE(from_cbor(longer).is_discarded());
}

// Each would make a recursive parser run out of stack, or of memory.
TEST(Cbor, RefusesBombs) {
  constexpr std::size_t kMany = 1'000'000;
  const std::pair<const char*, std::string> bombs[] = {
      {"arrays in arrays", std::string(kMany, '\x81') + '\x01'},
      {"maps in maps", std::string(kMany, '\xa1')},
      {"indefinite arrays", std::string(kMany, '\x9f')},
      {"indefinite strings", std::string(kMany, '\x7f')},
      {"indefinite bytes", std::string(kMany, '\x5f')},
      {"tags", std::string(kMany, '\xc1') + '\x01'},
      {"an array of 2^63", std::string("\x9b\x80\0\0\0\0\0\0\0\x01", 10)},
      {"a string of 2^40", std::string("\x7b\0\0\1\0\0\0\0\0x", 10)},
      {"a map of 2^32", std::string("\xba\xff\xff\xff\xff\x01", 6)},
  };
  for (const auto& [what, bytes] : bombs) EXPECT_TRUE(read(bytes).is_discarded()) << what;
  EXPECT_TRUE(read(std::string(15, '\x81') + '\x01').is_array());  // as deep as graft's own may be
  EXPECT_TRUE(read(std::string(16, '\x81') + '\x01').is_discarded());
}

}  // namespace
}  // namespace graft::base
