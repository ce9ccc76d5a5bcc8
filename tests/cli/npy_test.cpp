// Tests .npy headers: the meaning of each dtype, the error messages for invalid headers, and the headers that graft
// writes.
#include "cli/arrays/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "cli/npy_files.hpp"
#include "graft/error.hpp"
#include "support/errors.hpp"

namespace graft::cli {
namespace {

using test::npy;
using test::npy_with_header;
using testing::HasSubstr;

NpyHeader parse(const std::string& file) {
  return parse_npy_header(base::as_bytes(file), file.size(), "a.npy");
}

Error refusal(const std::string& file) {
  return test::error_of([&] { parse(file); });
}

struct TypeCase {
  const char* descr;
  ElementKind kind;
  std::size_t size;
};

class NpyType : public testing::TestWithParam<TypeCase> {};

TEST_P(NpyType, IsKnown) {
  const auto& [descr, kind, size] = GetParam();
  for (const int major : {1, 2, 3}) {
    const NpyHeader header = parse(npy(descr, "(3,)", std::string(3 * size, 'x'), major));
    EXPECT_EQ(header.type.descr, descr);
    EXPECT_EQ(header.type.kind, kind);
    EXPECT_EQ(header.type.size, size);
    EXPECT_EQ(header.count, 3u);
    EXPECT_EQ(header.data_offset % 64, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Npy, NpyType,
    testing::Values(TypeCase{"'|b1'", ElementKind::Bool, 1}, TypeCase{"'|i1'", ElementKind::Signed, 1},
                    TypeCase{"'<i2'", ElementKind::Signed, 2}, TypeCase{"'<i4'", ElementKind::Signed, 4},
                    TypeCase{"'<i8'", ElementKind::Signed, 8}, TypeCase{"'|u1'", ElementKind::Unsigned, 1},
                    TypeCase{"'<u2'", ElementKind::Unsigned, 2}, TypeCase{"'<u4'", ElementKind::Unsigned, 4},
                    TypeCase{"'<u8'", ElementKind::Unsigned, 8}, TypeCase{"'<f2'", ElementKind::Float, 2},
                    TypeCase{"'<f4'", ElementKind::Float, 4}, TypeCase{"'<f8'", ElementKind::Float, 8},
                    TypeCase{"'<c8'", ElementKind::Complex, 8}, TypeCase{"'<c16'", ElementKind::Complex, 16},
                    TypeCase{"'>u1'", ElementKind::Unsigned, 1},  // a single byte has no byte order
                    TypeCase{"'|V12'", ElementKind::Class, 12},
                    TypeCase{"[('r', '|u1'), ('g', '|u1'), ('b', '|u1')]", ElementKind::Class, 3},
                    TypeCase{"[('xyz', '<f4', (3,)), ('w', '<f8')]", ElementKind::Class, 20},
                    TypeCase{"[('m', '<f4', (2, 2))]", ElementKind::Class, 16},
                    TypeCase{"[('n', '<f4', 2)]", ElementKind::Class, 8},
                    TypeCase{"[(('a title', 'x'), '<i4'), ('', '|V4')]", ElementKind::Class, 8},
                    TypeCase{"[('in', [('a', '<i2'), ('b', '<i2')]), ('c', '<i4')]", ElementKind::Class, 8}));

TEST(Npy, Shapes) {
  EXPECT_EQ(parse(npy("'<f4'", "()", "1234")).count, 1u);
  EXPECT_TRUE(parse(npy("'<f4'", "()", "1234")).shape.empty());
  EXPECT_EQ(parse(npy("'<f4'", "(0,)", "")).count, 0u);
  EXPECT_EQ(parse(npy("'<f4'", "(1048576, 0, 7)", "")).count, 0u);
}

struct RefusedCase {
  const char* name;
  std::string file;
  ErrorCode code;
  const char* words;
};

class NpyRefused : public testing::TestWithParam<RefusedCase> {};

TEST_P(NpyRefused, SaysWhy) {
  const Error error = refusal(GetParam().file);
  EXPECT_EQ(error.code(), GetParam().code) << error.what();
  EXPECT_THAT(error.message(), HasSubstr(GetParam().words));
  EXPECT_THAT(error.message(), testing::StartsWith("a.npy: "));
  EXPECT_FALSE(error.remedy().empty());
}

constexpr auto kBad = ErrorCode::FileUnreadable;
constexpr auto kUnfit = ErrorCode::TypeMismatch;

INSTANTIATE_TEST_SUITE_P(
    Npy, NpyRefused,
    testing::Values(RefusedCase{"empty", "", kBad, "not an .npy file"},
                    RefusedCase{"other", "PK\3\4 a zip", kBad, "not an .npy file"},
                    RefusedCase{"magic_only", "\x93NUMPY", kBad, "ends within its header"},
                    RefusedCase{"version_4", npy("'<f4'", "(1,)", "1234", 4), kBad, "version 4.0"},
                    RefusedCase{"big_endian", npy("'>f4'", "(1,)", "1234"), kUnfit, "big-endian"},
                    RefusedCase{"big_endian_field", npy("[('a', '>i4')]", "(1,)", "1234"), kUnfit, "big-endian"},
                    RefusedCase{"objects", npy("'|O'", "(1,)", "12345678"), kUnfit, "Python objects"},
                    RefusedCase{"strings", npy("'<U2'", "(1,)", "12345678"), kUnfit, "strings"},
                    RefusedCase{"dates", npy("'<M8[ns]'", "(1,)", "12345678"), kUnfit, "dates"},
                    RefusedCase{"odd_size", npy("'<f3'", "(1,)", "123"), kBad, "not a NumPy type"},
                    RefusedCase{"no_size", npy("'|V0'", "(1,)", ""), kBad, "no size"},
                    RefusedCase{"no_field", npy("[]", "(1,)", ""), kBad, "not a NumPy type"},
                    RefusedCase{"odd_field", npy("[('a',)]", "(1,)", ""), kBad, "field"},
                    RefusedCase{"too_little_data", npy("'<f4'", "(3,)", "12345678"), kBad,
                                "declares 12 bytes of data, but the file has 8"},
                    RefusedCase{"too_much_data", npy("'<f4'", "(1,)", "12345678"), kBad,
                                "declares 4 bytes of data, but the file has 8"},
                    RefusedCase{"overflow", npy("'<f4'", "(4294967296, 4294967296)", ""), kBad, "more than 2^63"},
                    RefusedCase{"byte_overflow", npy("'<f8'", "(4611686018427387904,)", ""), kBad, "more than 2^63"},
                    RefusedCase{"field_overflow", npy("[('a', '<f8', (4611686018427387904,))]", "(1,)", ""), kBad,
                                "2^63"},
                    RefusedCase{"negative", npy("'<f4'", "(-1,)", ""), kBad, "not a dict"},
                    RefusedCase{"no_tuple", npy("'<f4'", "(1)", "1234"), kBad, "not a dict"},
                    RefusedCase{"a_name_in_shape", npy("'<f4'", "('x',)", ""), kBad, "shape"},
                    RefusedCase{"twice", npy_with_header("{'descr': '<f4', 'descr': '<f4', 'shape': (1,), }", "1234"),
                                kBad, "not a dict"},
                    RefusedCase{"code", npy_with_header("__import__('os')", ""), kBad, "not a dict"},
                    RefusedCase{"deep", npy_with_header(std::string(5000, '('), ""), kBad, "not a dict"}),
    [](const auto& refused) { return refused.param.name; });

TEST(Npy, FortranOrderIsThatOfSeveralDimensions) {
  const auto header_of = [](const char* shape) {
    const std::string file =
        npy_with_header(std::string("{'descr': '<f4', 'fortran_order': True, 'shape': ") + shape + ", }", "12345678");
    return parse_npy_header(base::as_bytes(file), file.size(), "a.npy");
  };
  EXPECT_TRUE(header_of("(1, 2)").is_fortran);
  EXPECT_FALSE(header_of("(2,)").is_fortran);
}

TEST(Npy, HeaderAboveALimitIsNotRead) {
  const Error error = refusal(npy_with_header(std::string(kMaxNpyHeader, ' '), "", 2));
  EXPECT_THAT(error.message(), HasSubstr("larger than 1 MiB"));
}

// The header must equal, byte for byte, the header that numpy.save writes for numpy.zeros((2, 3), numpy.float32).
TEST(Npy, WritesWhatNumPyWrites) {
  const std::string front = npy_front("'<f4'", {2, 3});
  EXPECT_EQ(front.size(), 128u);
  EXPECT_EQ(front.substr(0, 10), std::string("\x93NUMPY\x01\0\x76\0", 10));
  EXPECT_THAT(front, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  "));
  EXPECT_EQ(front.back(), '\n');
}

TEST(Npy, WhatItWritesItReads) {
  const std::string long_type = [] {
    std::string fields = "[";
    for (int i = 0; i < 9000; ++i) fields += "('f" + std::to_string(i) + "', '|u1'), ";
    return fields + "('\xC3\xA4', '|u1')]";
  }();
  for (const std::string& descr : {std::string("'<f8'"), std::string("[('a', '<f4'), ('\xC3\xA4', '<f4')]"), long_type})
    for (const std::vector<std::uint64_t>& shape : {std::vector<std::uint64_t>{}, {5}, {2, 1, 3}}) {
      const std::string front = npy_front(descr, shape);
      const std::size_t size = descr == long_type ? 9001 : 8;
      std::uint64_t count = 1;
      for (const std::uint64_t extent : shape) count *= extent;
      const NpyHeader header = parse(front + std::string(size * count, '\0'));
      EXPECT_EQ(header.shape, shape);
      EXPECT_EQ(header.type.descr, descr);
      EXPECT_EQ(front.size() % 64, 0u);
    }
}

TEST(Npy, ElementTypesAsDtypes) {
  EXPECT_EQ(descr_of(element_type<float>()), "'<f4'");
  EXPECT_EQ(descr_of(element_type<unsigned char>()), "'|u1'");
  EXPECT_EQ(descr_of(element_type<bool>()), "'|b1'");
  EXPECT_EQ(descr_of(element_type<long>()), "'<i8'");
  EXPECT_EQ(descr_of({ElementKind::Float, 2, 2}), "'<f2'");
  EXPECT_EQ(descr_of({ElementKind::Float, 16, 16}), "'<f16'");
  EXPECT_EQ(descr_of({ElementKind::Enum, 1, 1}), "'|i1'");
  EXPECT_EQ(descr_of({ElementKind::Complex, 8, 8}), "'<c8'");
  EXPECT_EQ(descr_of({ElementKind::Signed, 16, 16}), "'|V16'");
  EXPECT_EQ(descr_of({ElementKind::Complex, 4, 4}), "'|V4'");
  EXPECT_EQ(descr_of({ElementKind::Bfloat, 2, 2}), "'|V2'");
  EXPECT_EQ(descr_of({ElementKind::Class, 12, 4}), "'|V12'");
}

}  // namespace
}  // namespace graft::cli
