// Parses truncated .npy files, and headers with one flipped bit. The parser must refuse each file, or return a header
// that fits the file's size. Under AddressSanitizer the tests also show that the parser reads no byte past the end.
#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "base/bytes.hpp"
#include "cli/arrays/npy.hpp"
#include "cli/npy_files.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

const std::string& whole() {
  static const std::string file = test::npy("[('xyz', '<f4', (3,)), ('n', '|u1')]", "(2, 3)", std::string(78, 'd'), 2);
  return file;
}

// Parses the file from a buffer of exactly the file's size, so AddressSanitizer sees reads past the end. The parser may
// throw nothing but graft's Error.
std::optional<NpyHeader> parse(const std::string& file) {
  const std::vector<std::byte> exact(base::as_bytes(file).begin(), base::as_bytes(file).end());
  try {
    return parse_npy_header(exact, exact.size(), "a.npy");
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::FileUnreadable || error.code() == ErrorCode::TypeMismatch);
    return std::nullopt;
  }
}

void expect_sound(const std::optional<NpyHeader>& header, const std::string& file) {
  if (!header) return;
  EXPECT_EQ(header->data_offset + header->data_bytes(), file.size());
  EXPECT_GT(header->type.size, 0u);
}

TEST(NpyDamage, WholeFileIsRead) {
  ASSERT_TRUE(parse(whole()));
}

TEST(NpyDamage, EveryCut) {
  for (std::size_t size = 0; size < whole().size(); ++size) EXPECT_FALSE(parse(whole().substr(0, size))) << size;
}

TEST(NpyDamage, EveryFlippedBit) {
  for (std::size_t bit = 0; bit < 8 * whole().size(); ++bit) {
    std::string file = whole();
    file[bit / 8] = static_cast<char>(file[bit / 8] ^ 1 << bit % 8);
    expect_sound(parse(file), file);
  }
}

TEST(NpyDamage, RandomBytesInPlaceOfTheHeader) {
  std::mt19937 random(7);
  const std::string letters = "{}()[]',: descrfotan_shpeFTul<>|=-019\\\"\x93";
  for (int i = 0; i < 20'000; ++i) {
    std::string header(1 + random() % 100, ' ');
    for (char& c : header) c = letters[random() % letters.size()];
    const std::string file = test::npy_with_header("{'descr': " + header + ", 'shape': (1,)}", "data");
    expect_sound(parse(file), file);
  }
}

}  // namespace
}  // namespace graft::cli
