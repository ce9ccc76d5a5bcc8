#include "cli/bench/elements.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/small_float.hpp"

namespace graft::cli {
namespace {

constexpr int kMantissaOfHalf = 10, kMantissaOfBfloat = 7;

// What a part of an element is: a number, or bytes that are compared as they are.
enum class NumberKind : std::uint8_t { Bytes, Half, Bfloat, Float, Double };

struct ElementPart {
  NumberKind number;
  std::size_t size;  // in bytes
};

// The parts of which an element consists, all alike.
ElementPart part_of(const ElementType& type) {
  const auto floating = [](std::size_t size) {
    return size == 2   ? NumberKind::Half
           : size == 4 ? NumberKind::Float
           : size == 8 ? NumberKind::Double
                       : NumberKind::Bytes;
  };
  switch (type.kind) {
    case ElementKind::Float:
      return {floating(type.size), type.size};
    case ElementKind::Bfloat:
      return {NumberKind::Bfloat, type.size};
    case ElementKind::Complex:
      return {floating(type.size / 2), type.size / 2};
    case ElementKind::Class: {
      const std::size_t word = std::min<std::size_t>(type.alignment, sizeof(double));
      return {word < sizeof(float) ? NumberKind::Bytes : floating(word), word};
    }
    case ElementKind::Bit:
      return {NumberKind::Bytes, 1};
    default:
      return {NumberKind::Bytes, type.size};
  }
}

template <class Value>
Value read_as(const std::byte* bytes) {
  Value value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class Value>
void write_as(std::byte* bytes, Value value) {
  std::memcpy(bytes, &value, sizeof value);
}

// The value of a number of 16 bits: a sign, an exponent and `mantissa_bits` bits.
double small_float(std::uint16_t bits, int mantissa_bits) {
  const int exponent_bits = 15 - mantissa_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) return mantissa != 0 ? std::nan("") : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, 1 - bias - mantissa_bits);
  return sign * std::ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

double value_of_number(NumberKind number, const std::byte* bytes) {
  switch (number) {
    case NumberKind::Half:
      return small_float(read_as<std::uint16_t>(bytes), kMantissaOfHalf);
    case NumberKind::Bfloat:
      return small_float(read_as<std::uint16_t>(bytes), kMantissaOfBfloat);
    case NumberKind::Float:
      return static_cast<double>(read_as<float>(bytes));
    case NumberKind::Double:
      return read_as<double>(bytes);
    case NumberKind::Bytes:
      break;
  }
  return 0;
}

void write_number(NumberKind number, std::byte* bytes, double value) {
  switch (number) {
    case NumberKind::Half:
      return write_as(bytes, base::to_small_float(value, kMantissaOfHalf));
    case NumberKind::Bfloat:
      return write_as(bytes, base::to_small_float(value, kMantissaOfBfloat));
    case NumberKind::Float:
      return write_as(bytes, static_cast<float>(value));
    case NumberKind::Double:
      return write_as(bytes, value);
    case NumberKind::Bytes:
      return;
  }
}

// About a thousand units in the last place of float and double, a few of the smaller types: callbacks may call several
// functions, and subtract similar numbers.
double tolerance_of(NumberKind number) {
  switch (number) {
    case NumberKind::Half:
      return 1e-2;
    case NumberKind::Bfloat:
      return 4e-2;
    case NumberKind::Float:
      return 1e-4;
    default:
      return 1e-11;
  }
}

bool is_close(NumberKind number, double a, double b, double scale) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance_of(number) * std::max(scale, std::abs(b));
}

bool is_like(const ElementPart& part, const std::byte* one, const std::byte* other, double scale) {
  if (std::memcmp(one, other, part.size) == 0) return true;
  if (part.number == NumberKind::Bytes) return false;
  return is_close(part.number, value_of_number(part.number, one), value_of_number(part.number, other), scale);
}

// A word of 8 bytes in a struct may also be two of 4.
bool is_like_in_struct(const ElementPart& part, const std::byte* one, const std::byte* other, double scale) {
  if (is_like(part, one, other, scale)) return true;
  const ElementPart half = {NumberKind::Float, sizeof(float)};
  return part.number == NumberKind::Double && is_like(half, one, other, scale) &&
         is_like(half, one + sizeof(float), other + sizeof(float), scale);
}

}  // namespace

void fill_elements(Random& random, const ElementType& type, std::span<std::byte> elements) {
  const ElementPart part = part_of(type);
  std::uniform_real_distribution<double> number(-2, 2), of_struct(1, 2);
  std::uniform_int_distribution<int> integer(1, 100), byte(0, 255), boolean(0, 1);
  const bool is_struct = type.kind == ElementKind::Class;
  for (std::size_t at = 0; at + part.size <= elements.size(); at += part.size) {
    std::byte* const bytes = elements.data() + at;
    if (part.number != NumberKind::Bytes)
      write_number(part.number, bytes, is_struct ? of_struct(random) : number(random));
    else if (type.kind == ElementKind::Bit) *bytes = static_cast<std::byte>(byte(random));
    else {
      std::memset(bytes, 0, part.size);  // a little-endian integer
      *bytes = static_cast<std::byte>(type.kind == ElementKind::Bool ? boolean(random) : integer(random));
    }
  }
}

std::uint64_t count_unlike(const ElementType& type, std::span<const std::byte> one, std::span<const std::byte> other,
                           double scale) {
  const ElementPart part = part_of(type);
  const std::size_t size = std::max<std::size_t>(type.kind == ElementKind::Bit ? 1 : type.size, part.size);
  std::uint64_t unlike = 0;
  for (std::size_t at = 0; at + size <= one.size(); at += size) {
    bool is_same = true;
    for (std::size_t i = at; i < at + size && is_same; i += part.size)
      is_same = type.kind == ElementKind::Class ? is_like_in_struct(part, &one[i], &other[i], scale)
                                                : is_like(part, &one[i], &other[i], scale);
    if (!is_same) ++unlike;
  }
  return unlike;
}

double largest_magnitude(const ElementType& type, std::span<const std::byte> elements) {
  const ElementPart part = part_of(type);
  double largest = 0;
  for (std::size_t at = 0; at + part.size <= elements.size(); at += part.size) {
    const double magnitude = std::abs(value_of_number(part.number, &elements[at]));
    if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
  }
  return largest;
}

}  // namespace graft::cli
