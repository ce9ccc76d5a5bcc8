// Tests what graft computes for launches with bit arrays: where the tiles begin, what the kernel's parameter says about
// each bit array, and which arrays overlap.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "families/elementwise/geometries.hpp"
#include "graft/error.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

std::uint32_t* words_at(std::uintptr_t address) {
  return reinterpret_cast<std::uint32_t*>(address);
}

struct LaidOut {
  LaidOut(const elementwise::LaunchGeometry& geometry, const families::Arguments& arguments) {
    std::memset(bytes, 0xee, sizeof bytes);
    const std::size_t count = elementwise::check(geometry, arguments);
    elementwise::lay_out_arguments(geometry, arguments, count, bytes);
    std::memcpy(&launch, bytes, sizeof launch);
  }
  graft_mask mask(std::size_t pointers, std::size_t i) const {
    graft_mask found;
    std::memcpy(&found, bytes + sizeof launch + pointers * sizeof(void*) + i * sizeof found, sizeof found);
    return found;
  }

  alignas(families::kParameterAlignment) std::byte bytes[families::kMostParameterBytes + 64];
  graft_launch launch;
};

TEST(BitArrays, AreDescribedBehindThePointers) {
  const elementwise::LaunchGeometry geometry = geometry_of<Bit(float, Bit, InOut<Bit>, double&, Bit&, const int&)>();
  const std::vector<ArrayRef> inputs = {array_at<float>(0x1000, 100), bits(words_at(0x2000), 67, 100)};
  const std::vector<ArrayRef> outputs = {bits(words_at(0x3000), 100).count_zeros(reinterpret_cast<long*>(0x9000)),
                                         bits(words_at(0x4000), 5, 100), array_at<double>(0x5000, 100),
                                         bits(words_at(0x6000), 32, 100)};
  const int state = 77;
  const LaidOut laid_out(geometry, {inputs, outputs, &state, element_type<int>()});
  const std::uintptr_t pointers[] = {0x1000, 0x2008, 0x4000, 0x3000, 0x4000, 0x5000, 0x6004};
  for (std::size_t i = 0; i < std::size(pointers); ++i) {
    std::uintptr_t found = 0;
    std::memcpy(&found, laid_out.bytes + sizeof(graft_launch) + i * sizeof found, sizeof found);
    EXPECT_EQ(found, pointers[i]) << i;
  }
  struct {
    unsigned offset, clears_rest;
    std::uintptr_t zeros;
  } const expected[] = {{3, 0, 0}, {5, 0, 0}, {0, 1, 0x9000}, {5, 0, 0}, {0, 0, 0}};
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const graft_mask mask = laid_out.mask(std::size(pointers), i);
    EXPECT_EQ(mask.offset, expected[i].offset) << i;
    EXPECT_EQ(mask.clears_rest, expected[i].clears_rest) << i;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(mask.zeros), expected[i].zeros) << i;
  }
  EXPECT_EQ(geometry.state_offset, sizeof(graft_launch) + 7 * sizeof(void*) + 5 * sizeof(graft_mask));
  EXPECT_EQ(std::memcmp(laid_out.bytes + geometry.state_offset, &state, sizeof state), 0);
  for (std::size_t i = geometry.parameter_bytes; i < sizeof laid_out.bytes; ++i)
    ASSERT_EQ(laid_out.bytes[i], std::byte{0xee}) << i;
}

// ---- where the tiles begin: a tile has 1024 elements here ----

struct Start {
  const char* name;
  std::uintptr_t input;   // address of the floats
  std::uintptr_t output;  // address of the floats
  std::size_t in_offset, out_offset;
  unsigned head, tiles;
  bool differently_aligned = false;
};

void PrintTo(const Start& start, std::ostream* out) {
  *out << start.name;
}

class BitArrayStart : public testing::TestWithParam<Start> {};

TEST_P(BitArrayStart, IsAtAWordOfTheOutput) {
  const Start& start = GetParam();
  constexpr std::size_t kCount = 3000;
  const std::vector<ArrayRef> inputs = {array_at<float>(start.input, kCount),
                                        bits(words_at(0x100000), start.in_offset, kCount)};
  const std::vector<ArrayRef> outputs = {bits(words_at(0x200000), start.out_offset, kCount),
                                         array_at<float>(start.output, kCount)};
  const LaidOut laid_out(geometry_of<Bit(float, Bit, float&)>(), {inputs, outputs, nullptr, {}});
  EXPECT_EQ(laid_out.launch.head, start.head);
  EXPECT_EQ(laid_out.launch.tiles, start.tiles);
  EXPECT_EQ(laid_out.launch.differently_aligned, start.differently_aligned);
}

INSTANTIATE_TEST_SUITE_P(Cases, BitArrayStart,
                         testing::Values(Start{"Aligned", 0x10000, 0x20000, 0, 0, 0, 2},
                                         Start{"InputBitsNeedNoAlignment", 0x10000, 0x20000, 7, 64, 0, 2},
                                         // 0x10014 is element 5 of an aligned array, and so is bit 5 of a word
                                         Start{"SlicesOfAlignedArrays", 0x10014, 0x20014, 5, 5, 27, 2},
                                         Start{"LastBit", 0x1007c, 0x2007c, 31, 31, 1, 2},
                                         Start{"InputElsewhere", 0x10000, 0x20014, 5, 5, 27, 2, true},
                                         Start{"HeadBehindTheMargin", 0x10000, 0x2007c, 5, 31, 33, 2, true},
                                         Start{"OutputsDoNotMeet", 0x10000, 0x20000, 0, 5, 0, 0}),
                         name_of_row<Start>);

// ---- which arrays overlap ----

const elementwise::LaunchGeometry kBoth = geometry_of<Bit(Bit, Bit&)>();

bool overlaps(const ArrayRef& input, const ArrayRef& first, const ArrayRef& second) {
  const std::vector<ArrayRef> inputs = {input};
  const std::vector<ArrayRef> outputs = {first, second};
  try {
    elementwise::check(kBoth, {inputs, outputs, nullptr, {}});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Overlap);
    EXPECT_THAT(error.what(), HasSubstr("bits from bit"));
    return true;
  }
  return false;
}

TEST(BitArrays, OverlapBitByBit) {
  const ArrayRef apart = bits(words_at(0x90000), 40);
  const auto at = [](std::size_t offset) { return ArrayRef(bits(words_at(0x1000), offset, 40)); };
  EXPECT_FALSE(overlaps(apart, at(3), at(43)));
  EXPECT_FALSE(overlaps(at(83), at(43), at(3)));
  EXPECT_FALSE(overlaps(at(3), at(3), at(43))) << "in place";
  EXPECT_TRUE(overlaps(apart, at(3), at(42)));
  EXPECT_TRUE(overlaps(at(2), at(3), at(43)));
  EXPECT_TRUE(overlaps(apart, bits(words_at(0x1000), 40), at(63))) << "the rest of the word is cleared";
  EXPECT_FALSE(overlaps(apart, bits(words_at(0x1000), 40), at(64)));
  EXPECT_FALSE(overlaps(at(40), bits(words_at(0x1000), 0, 40), apart));
}

TEST(BitArrays, AreRefusedWithTheReason) {
  const auto refusal = [](const ArrayRef& input) {
    const std::vector<ArrayRef> inputs = {input};
    const std::vector<ArrayRef> outputs = {bits(words_at(0x2000), 10), bits(words_at(0x3000), 10)};
    return error_of([&] { elementwise::check(kBoth, {inputs, outputs, nullptr, {}}); });
  };
  const Error plain = refusal(array_at<bool>(0x1000, 10));
  EXPECT_EQ(plain.code(), ErrorCode::TypeMismatch);
  EXPECT_THAT(plain.what(), HasSubstr("input 0 holds bool, but the callback takes single bits (graft::Bit)"));
  EXPECT_THAT(plain.remedy(), HasSubstr("graft::bits(words, offset, count)"));
  const Error misaligned = refusal(bits(reinterpret_cast<std::uint8_t*>(0x1002), 10));
  EXPECT_EQ(misaligned.code(), ErrorCode::Misaligned);
  EXPECT_THAT(misaligned.what(), HasSubstr("not aligned to the 4 bytes of a word"));
  const std::vector<ArrayRef> fitting = {bits(words_at(0x1000), 10)};
  const std::vector<ArrayRef> outputs = {
      bits(words_at(0x2000), 10).count_zeros(reinterpret_cast<std::uint64_t*>(0x9004)), bits(words_at(0x3000), 10)};
  const Error counter = error_of([&] { elementwise::check(kBoth, {fitting, outputs, nullptr, {}}); });
  EXPECT_EQ(counter.code(), ErrorCode::Misaligned);
  EXPECT_THAT(counter.what(), HasSubstr("the counter of the zeros of output 0 is at 0x9004"));
  const std::vector<ArrayRef> beside = {
      bits(words_at(0x2000), 10).count_zeros(reinterpret_cast<std::uint64_t*>(0x3000)), bits(words_at(0x3000), 10)};
  const Error inside = error_of([&] { elementwise::check(kBoth, {fitting, beside, nullptr, {}}); });
  EXPECT_EQ(inside.code(), ErrorCode::Overlap);
  EXPECT_THAT(inside.what(), HasSubstr("the counter of the zeros of output 0 at 0x3000 lies in output 1 (10 bits"));
  EXPECT_THAT(refusal(bits(words_at(0x1000), 10).count_zeros(reinterpret_cast<std::uint64_t*>(0x9000))).what(),
              HasSubstr("input 0 has a counter of zeros, but only those of an output are counted"));
  EXPECT_EQ(refusal(bits(words_at(0x1000), 11)).code(), ErrorCode::CountMismatch);
  EXPECT_EQ(refusal(bits(words_at(0), 10)).code(), ErrorCode::InvalidArgument);
}

// A counter that lies in an array is refused, whatever the array is for: the kernel changes the counter while other
// threads read or write the array. The last byte of an array counts, and the first byte behind it does not.
TEST(BitArrays, ACounterOfZerosLiesInNoArray) {
  const elementwise::LaunchGeometry geometry = geometry_of<Bit(float, Bit, InOut<double>)>();
  const std::vector<ArrayRef> inputs = {array_at<float>(0x1000, 100), bits(words_at(0x2000), 67, 100)};
  const auto refusal = [&](std::uintptr_t at) -> std::string {
    const std::vector<ArrayRef> outputs = {bits(words_at(0x3000), 100).count_zeros(reinterpret_cast<long*>(at)),
                                           array_at<double>(0x4000, 100)};
    try {
      elementwise::check(geometry, {inputs, outputs, nullptr, {}});
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::Overlap);
      return error.what();
    }
    return {};
  };
  const struct {
    std::uintptr_t begin, end;
    const char* array;
  } rows[] = {{0x1000, 0x1190, "input 0"},
              {0x2008, 0x2018, "input 1"},
              {0x3000, 0x3010, "output 0"},
              {0x4000, 0x4320, "output 1"}};
  for (const auto& row : rows) {
    const std::string words = std::string(" lies in ") + row.array + " (";
    for (const std::uintptr_t at : {row.begin, row.end - 8})
      EXPECT_THAT(refusal(at), HasSubstr(words)) << std::hex << at;
    for (const std::uintptr_t at : {row.begin - 8, row.end}) EXPECT_EQ(refusal(at), "") << std::hex << at;
  }
}

}  // namespace
}  // namespace graft::test
