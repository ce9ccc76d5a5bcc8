// Tests the names of element types, and which other element types execute accepts in place of a parameter's type.
#include "graft/element.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <limits>

#include "core/named_elements.hpp"
#include "graft/device.h"
#include "support/errors.hpp"

namespace graft {
namespace {

enum class Small : signed char { A };
struct Rgb {
  std::uint8_t r, g, b;
};
struct Wide {
  float v[3];
};

TEST(Element, PrintsItself) {
  struct Row {
    ElementType type;
    const char* text;
  };
  const Row rows[] = {
      {element_type<bool>(), "bool"},
      {element_type<std::int8_t>(), "int8"},
      {element_type<long>(), "int64"},
      {element_type<unsigned>(), "uint32"},
      {element_type<char16_t>(), "uint16"},
      {element_type<float>(), "float"},
      {element_type<const double>(), "double"},
      {{ElementKind::Float, 2, 2}, "half"},
      {{ElementKind::Float, 16, 16}, "float128"},
      {{ElementKind::Bfloat, 2, 2}, "bfloat16"},
      {element_type<std::complex<float>>(), "complex<float>"},
      {element_type<complex<double>>(), "complex<double>"},
      {element_type<Small>(), "enum8"},
      {element_type<Rgb>(), "3-byte class aligned to 1"},
      {element_type<Wide>(), "12-byte class aligned to 4"},
  };
  for (const Row& row : rows) EXPECT_EQ(to_string(row.type), row.text);
}

struct Name {
  const char* short_name;
  const char* long_name;
  ElementType type;
};

// Half and bfloat16 are given by kind, size and alignment because this file includes no CUDA header. The short names
// exist for programs without CUDA headers.
const Name kNames[] = {
    {"bool", "bool", element_type<bool>()},
    {"i8", "int8", element_type<std::int8_t>()},
    {"i16", "int16", element_type<std::int16_t>()},
    {"i32", "int32", element_type<std::int32_t>()},
    {"i64", "int64", element_type<std::int64_t>()},
    {"u8", "uint8", element_type<std::uint8_t>()},
    {"u16", "uint16", element_type<std::uint16_t>()},
    {"u32", "uint32", element_type<std::uint32_t>()},
    {"u64", "uint64", element_type<std::uint64_t>()},
    {"f16", "half", {ElementKind::Float, 2, 2}},
    {"bf16", "bfloat16", {ElementKind::Bfloat, 2, 2}},
    {"f32", "float", element_type<float>()},
    {"f64", "double", element_type<double>()},
    {"c32", "complex<half>", {ElementKind::Complex, 4, 4}},
    {"c64", "complex<float>", element_type<complex<float>>()},
    {"c128", "complex<double>", element_type<complex<double>>()},
    {"enum8", "enum8", element_type<Small>()},
    {"enum16", "enum16", {ElementKind::Enum, 2, 2}},
    {"enum32", "enum32", {ElementKind::Enum, 4, 4}},
    {"enum64", "enum64", {ElementKind::Enum, 8, 8}},
};

TEST(Element, HasAShortNameAndTheOneOfMessages) {
  for (const auto& [short_name, long_name, type] : kNames) {
    EXPECT_EQ(ElementType::named(short_name), type) << short_name;
    EXPECT_EQ(ElementType::named(long_name), type) << long_name;
    EXPECT_EQ(to_string(type), long_name);
  }
}

TEST(Element, HasTheNamesOfNumpy) {
  constexpr std::pair<const char*, const char*> kRows[] = {
      {"bool_", "bool"},    {"float16", "f16"}, {"float32", "f32"},   {"float64", "f64"},
      {"int8", "i8"},       {"uint64", "u64"},  {"complex64", "c64"}, {"complex128", "c128"},
      {"bfloat16", "bf16"}, {"half", "f16"},    {"single", "f32"},    {"double", "f64"}};
  for (const auto& [in_numpy, name] : kRows) EXPECT_EQ(ElementType::named(in_numpy), ElementType::named(name));
}

TEST(Element, HasItsNamesInCpp) {
  struct Row {
    const char* name;
    ElementType type;
  };
  const Row rows[] = {
      {"bool", element_type<bool>()},
      {"char", element_type<char>()},
      {"signed char", element_type<signed char>()},
      {"short", element_type<short>()},
      {"int", element_type<int>()},
      {"long", element_type<long>()},
      {"long long", element_type<long long>()},
      {"unsigned char", element_type<unsigned char>()},
      {"unsigned short", element_type<unsigned short>()},
      {"unsigned int", element_type<unsigned int>()},
      {"unsigned long", element_type<unsigned long>()},
      {"unsigned long long", element_type<unsigned long long>()},
      {"float", element_type<float>()},
      {"double", element_type<double>()},
      {"__half", {ElementKind::Float, 2, 2}},
      {"__nv_bfloat16", {ElementKind::Bfloat, 2, 2}},
      {"float2", {ElementKind::Complex, 8, 8}},
      {"double2", {ElementKind::Complex, 16, 16}},
      {"graft::complex<float>", element_type<complex<float>>()},
      {"graft::complex<double>", element_type<complex<double>>()},
  };
  for (const Row& row : rows) {
    const std::optional<ElementType> type = element_in_cpp(row.name);
    ASSERT_TRUE(type) << row.name;
    EXPECT_EQ(*type, row.type) << row.name;
  }
  for (const char* name : {"", "f32", "half", "unsigned", "float3", "S"}) EXPECT_EQ(element_in_cpp(name), std::nullopt);
}

TEST(Element, OfAnotherNameIsAnErrorThatListsTheNames) {
  for (const char* name : {"", "f33", "F32", " f32", "float ", "int", "anything", "4-byte class aligned to 4"}) {
    const Error error = test::error_of([&] { ElementType::named(name); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_THAT(error.message(), testing::StartsWith("`" + std::string(name) + "` is not an element type"));
    for (const Name& known : kNames) {
      EXPECT_THAT(error.message(), testing::HasSubstr(known.short_name));
      EXPECT_THAT(error.message(), testing::HasSubstr(known.long_name));
    }
    EXPECT_THAT(error.remedy(), testing::HasSubstr("ElementType::structure"));
  }
}

TEST(Element, OfAStructIsItsLayout) {
  EXPECT_EQ(ElementType::structure(sizeof(Rgb), alignof(Rgb)), element_type<Rgb>());
  EXPECT_EQ(ElementType::structure(sizeof(Wide), alignof(Wide)), element_type<Wide>());
  struct Layout {
    std::size_t size;
    std::size_t alignment;
  };
  const std::size_t too_large = std::size_t{std::numeric_limits<std::uint32_t>::max()} + 1;
  for (const Layout layout :
       {Layout{0, 1}, Layout{4, 0}, Layout{12, 3}, Layout{12, 8}, Layout{4, 8}, Layout{too_large, 4}}) {
    const Error error = test::error_of([&] { ElementType::structure(layout.size, layout.alignment); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error.message(), "no struct has a size of " + std::to_string(layout.size) +
                                   " bytes and an alignment of " + std::to_string(layout.alignment));
  }
}

TEST(Element, MayStandForAnother) {
  struct Row {
    ElementType given;
    ElementType wanted;
    bool allowed;
  };
  const Row rows[] = {
      {element_type<float>(), element_type<float>(), true},
      {element_type<float>(), element_type<double>(), false},
      {element_type<float>(), element_type<int>(), false},
      {element_type<int>(), element_type<unsigned>(), false},
      {element_type<long>(), element_type<long long>(), true},
      {element_type<char>(), element_type<signed char>(), true},
      {element_type<bool>(), element_type<std::uint8_t>(), false},
      // An array of std::complex<float>, which is aligned to 4, is accepted for graft's complex<float>, which is
      // aligned to 8.
      {element_type<std::complex<float>>(), element_type<complex<float>>(), true},
      {element_type<std::complex<float>>(), element_type<complex<double>>(), false},
      {element_type<std::complex<float>>(), element_type<double>(), false},
      {{ElementKind::Float, 2, 2}, {ElementKind::Bfloat, 2, 2}, false},
      {element_type<Small>(), element_type<std::int8_t>(), true},
      {element_type<std::uint8_t>(), element_type<Small>(), true},
      {element_type<Small>(), element_type<int>(), false},
      {element_type<Small>(), element_type<bool>(), false},
      {{ElementKind::Enum, 4, 4}, {ElementKind::Float, 4, 4}, false},
      {element_type<Rgb>(), {ElementKind::Class, 3, 1}, true},
      // Structs of the same members as short2 and float4, which CUDA aligns to their size. execute checks the pointer.
      {{ElementKind::Class, 4, 2}, {ElementKind::Class, 4, 4}, true},
      {{ElementKind::Class, 16, 4}, {ElementKind::Class, 16, 16}, true},
      {{ElementKind::Class, 16, 16}, {ElementKind::Class, 16, 4}, true},
      {{ElementKind::Class, 12, 4}, {ElementKind::Class, 16, 4}, false},
      {{ElementKind::Class, 4, 4}, element_type<float>(), false},
  };
  for (const Row& row : rows)
    EXPECT_EQ(interchangeable(row.given, row.wanted), row.allowed)
        << to_string(row.given) << " for " << to_string(row.wanted);
}

}  // namespace
}  // namespace graft
