// Element types as text, and which may stand for which.
#include "graft/element.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>

#include "graft/device.h"

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
      {element_type<std::complex<float>>(), element_type<complex<float>>(), true},  // aligned to 4, and to 8
      {element_type<std::complex<float>>(), element_type<complex<double>>(), false},
      {element_type<std::complex<float>>(), element_type<double>(), false},
      {{ElementKind::Float, 2, 2}, {ElementKind::Bfloat, 2, 2}, false},
      {element_type<Small>(), element_type<std::int8_t>(), true},
      {element_type<std::uint8_t>(), element_type<Small>(), true},
      {element_type<Small>(), element_type<int>(), false},
      {element_type<Small>(), element_type<bool>(), false},
      {{ElementKind::Enum, 4, 4}, {ElementKind::Float, 4, 4}, false},
      {element_type<Rgb>(), {ElementKind::Class, 3, 1}, true},
      {{ElementKind::Class, 16, 4}, {ElementKind::Class, 16, 16}, false},
      {{ElementKind::Class, 4, 4}, element_type<float>(), false},
  };
  for (const Row& row : rows)
    EXPECT_EQ(interchangeable(row.given, row.wanted), row.allowed)
        << to_string(row.given) << " for " << to_string(row.wanted);
}

}  // namespace
}  // namespace graft
