// Tests how a state is read from text. Numbers are converted to the callback's type, bytes are taken as they are, and
// invalid texts are refused.
#include "cli/arrays/state_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "graft/error.hpp"
#include "support/errors.hpp"

namespace graft::cli {
namespace {

constexpr ElementType kHalf{ElementKind::Float, 2, 2};
constexpr ElementType kFloat{ElementKind::Float, 4, 4};
constexpr ElementType kDouble{ElementKind::Float, 8, 8};
constexpr ElementType kBfloat{ElementKind::Bfloat, 2, 2};
constexpr ElementType kInt{ElementKind::Signed, 4, 4};
constexpr ElementType kByte{ElementKind::Unsigned, 1, 1};
constexpr ElementType kShort{ElementKind::Signed, 2, 2};
constexpr ElementType kBool{ElementKind::Bool, 1, 1};
constexpr ElementType kEnum{ElementKind::Enum, 1, 1};
constexpr ElementType kStruct{ElementKind::Class, 8, 4};

std::string hex(const base::Bytes& bytes) {
  std::string text;
  for (const std::byte b : bytes) {
    text += "0123456789abcdef"[std::to_integer<int>(b) >> 4];
    text += "0123456789abcdef"[std::to_integer<int>(b) & 15];
  }
  return text;
}

base::Bytes parse(const std::string& text, const ElementType& type) {
  return parse_state(text, type, []() -> format::Outcome<format::Field> {
    return format::FormatError{format::Flaw::Unfit, "no fields", 0};
  });
}

struct GoodCase {
  const char* text;
  ElementType type;
  const char* bytes;
};

class StateText : public testing::TestWithParam<GoodCase> {};

TEST_P(StateText, Bytes) {
  EXPECT_EQ(hex(parse(GetParam().text, GetParam().type)), GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(
    StateText, StateText,
    testing::Values(GoodCase{"2.5", kFloat, "00002040"}, GoodCase{"-1", kDouble, "000000000000f0bf"},
                    GoodCase{"1", kHalf, "003c"}, GoodCase{"-2", kHalf, "00c0"}, GoodCase{"65504", kHalf, "ff7b"},
                    GoodCase{"65520", kHalf, "007c"},                  // rounds to infinity
                    GoodCase{"65519", kHalf, "ff7b"},                  // rounds to 65504, the largest half
                    GoodCase{"1.00048828125", kHalf, "003c"},          // a tie rounds to the even half, here downwards
                    GoodCase{"1.00146484375", kHalf, "023c"},          // a tie rounds to the even half, here upwards
                    GoodCase{"5.9604644775390625e-8", kHalf, "0100"},  // the smallest subnormal half
                    GoodCase{"2.98e-8", kHalf, "0000"}, GoodCase{"6.1035156e-5", kHalf, "0004"},
                    GoodCase{"6.1e-5", kHalf, "ff03"}, GoodCase{"1e300", kHalf, "007c"}, GoodCase{"0", kHalf, "0000"},
                    GoodCase{"-0.0", kHalf, "0080"}, GoodCase{"inf", kHalf, "007c"}, GoodCase{"nan", kHalf, "007e"},
                    GoodCase{"1", kBfloat, "803f"}, GoodCase{"3.14159", kBfloat, "4940"},
                    GoodCase{"3.3895314e38", kBfloat, "7f7f"}, GoodCase{"-7", kInt, "f9ffffff"},
                    GoodCase{"255", kByte, "ff"}, GoodCase{"-32768", kShort, "0080"}, GoodCase{"true", kBool, "01"},
                    GoodCase{"0", kBool, "00"}, GoodCase{"-1", kEnum, "ff"}, GoodCase{"200", kEnum, "c8"},
                    GoodCase{"hex:0000803f", kFloat, "0000803f"},
                    GoodCase{"hex:00112233aAbBcCdD", kStruct, "00112233aabbccdd"}));

struct BadCase {
  const char* text;
  ElementType type;
  ErrorCode code;
  const char* words;
};

class StateTextRefused : public testing::TestWithParam<BadCase> {};

TEST_P(StateTextRefused, SaysWhy) {
  const Error error = test::error_of([] { parse(GetParam().text, GetParam().type); });
  EXPECT_EQ(error.code(), GetParam().code);
  EXPECT_THAT(error.message(), testing::HasSubstr(GetParam().words));
}

INSTANTIATE_TEST_SUITE_P(
    StateText, StateTextRefused,
    testing::Values(BadCase{"x", kFloat, ErrorCode::InvalidArgument, "`x` is not a valid value"},
                    BadCase{"1.5", kInt, ErrorCode::InvalidArgument, "int32"},
                    BadCase{"1.5x", kFloat, ErrorCode::InvalidArgument, "float"},
                    BadCase{"256", kByte, ErrorCode::InvalidArgument, "uint8"},
                    BadCase{"-1", kByte, ErrorCode::InvalidArgument, "uint8"},
                    BadCase{"32768", kShort, ErrorCode::InvalidArgument, "int16"},
                    BadCase{"2", kBool, ErrorCode::InvalidArgument, "bool"},
                    BadCase{"2.5", kStruct, ErrorCode::TypeMismatch, "not a number"},
                    BadCase{"hex:000080", kFloat, ErrorCode::TypeMismatch, "has 4 bytes, and 3 were given"},
                    BadCase{"hex:0", kFloat, ErrorCode::InvalidArgument, "not a sequence of hexadecimal bytes"},
                    BadCase{"hex:0g", kFloat, ErrorCode::InvalidArgument, "not a sequence of hexadecimal bytes"},
                    BadCase{"@/no/such/file", kFloat, ErrorCode::FileUnreadable, "/no/such/file"}));

TEST(StateText, File) {
  const base::TemporaryFolder folder;
  const std::string path = (folder.path() / "state").string();
  ASSERT_TRUE(base::write_file(path, base::as_bytes("12345678")));
  EXPECT_EQ(hex(parse("@" + path, kStruct)), "3132333435363738");
  EXPECT_EQ(test::error_of([&] { parse("@" + path, kFloat); }).code(), ErrorCode::TypeMismatch);
}

}  // namespace
}  // namespace graft::cli
