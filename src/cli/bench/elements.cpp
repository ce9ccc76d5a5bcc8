#include "cli/bench/elements.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/small_float.hpp"

namespace graft::cli {
namespace {

constexpr int kMantissaOfHalf = 10, kMantissaOfBfloat = 7;

// What a part of an element is: a floating-point number, or bytes that are compared as they are.
enum class NumberKind : std::uint8_t { Bytes, Half, Bfloat, Float, Double };

NumberKind number_of(const ElementPart& part) {
  if (part.kind == ElementKind::Bfloat) return NumberKind::Bfloat;
  if (part.kind != ElementKind::Float) return NumberKind::Bytes;
  return part.size == 2   ? NumberKind::Half
         : part.size == 4 ? NumberKind::Float
         : part.size == 8 ? NumberKind::Double
                          : NumberKind::Bytes;
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

double value_of_number(NumberKind number, const std::byte* bytes) {
  switch (number) {
    case NumberKind::Half:
      return base::from_small_float(read_as<std::uint16_t>(bytes), kMantissaOfHalf);
    case NumberKind::Bfloat:
      return base::from_small_float(read_as<std::uint16_t>(bytes), kMantissaOfBfloat);
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
  const NumberKind number = number_of(part);
  if (number == NumberKind::Bytes) return false;
  return is_close(number, value_of_number(number, one), value_of_number(number, other), scale);
}

// Adds the numbers of a struct, a vector or an array. Offsets of fields count from the beginning of the whole struct.
void add_parts(const format::Field& field, std::vector<ElementPart>& parts) {
  if (field.parts.empty()) parts.push_back({field.element.kind, field.offset, field.element.size});
  for (const format::Field& part : field.parts) add_parts(part, parts);
}

}  // namespace

ElementLayout layout_of(const ElementType& type) {
  switch (type.kind) {
    case ElementKind::Complex: {
      const std::size_t half = type.size / 2;
      return {.size = type.size, .parts = {{ElementKind::Float, 0, half}, {ElementKind::Float, half, half}}};
    }
    case ElementKind::Class: {
      const std::size_t word = std::min<std::size_t>(type.alignment, sizeof(double));
      ElementLayout layout{.size = type.size, .parts = {}, .is_known = false};
      for (std::size_t at = 0; at < type.size; at += word)
        layout.parts.push_back({word < sizeof(float) ? ElementKind::Unsigned : ElementKind::Float, at, word});
      return layout;
    }
    case ElementKind::Bit:
      return {.size = 1, .parts = {{ElementKind::Bit, 0, 1}}};
    default:
      return {.size = type.size, .parts = {{type.kind, 0, type.size}}};
  }
}

ElementLayout layout_of(const ElementType& type, const format::Field& members) {
  ElementLayout layout{.size = type.size, .parts = {}};
  add_parts(members, layout.parts);
  return layout;
}

void fill_elements(Random& random, const ElementLayout& layout, std::span<std::byte> elements) {
  std::uniform_real_distribution<double> real(-2, 2);
  std::uniform_int_distribution<int> integer(1, 100), byte(0, 255), boolean(0, 1);
  std::ranges::fill(elements, std::byte{0});
  for (std::size_t at = 0; at + layout.size <= elements.size(); at += layout.size)
    for (const ElementPart& part : layout.parts) {
      std::byte* const bytes = elements.data() + at + part.offset;
      const NumberKind number = number_of(part);
      if (number != NumberKind::Bytes) write_number(number, bytes, real(random));
      else if (part.kind == ElementKind::Bit) *bytes = static_cast<std::byte>(byte(random));
      else  // the lowest byte of a little-endian integer
        *bytes = static_cast<std::byte>(part.kind == ElementKind::Bool ? boolean(random) : integer(random));
    }
}

std::uint64_t count_unlike(const ElementLayout& layout, std::span<const std::byte> one,
                           std::span<const std::byte> other, double scale) {
  std::uint64_t unlike = 0;
  for (std::size_t at = 0; at + layout.size <= one.size(); at += layout.size) {
    const bool is_same = std::ranges::all_of(layout.parts, [&](const ElementPart& part) {
      return is_like(part, &one[at + part.offset], &other[at + part.offset], scale);
    });
    if (!is_same) ++unlike;
  }
  return unlike;
}

double squared_difference(const ElementLayout& layout, std::span<const std::byte> one,
                          std::span<const std::byte> other) {
  double sum = 0;
  for (std::size_t at = 0; at + layout.size <= one.size(); at += layout.size)
    for (const ElementPart& part : layout.parts) {
      const NumberKind number = number_of(part);
      const double difference =
          value_of_number(number, &one[at + part.offset]) - value_of_number(number, &other[at + part.offset]);
      sum += difference * difference;
    }
  return sum;
}

double largest_magnitude(const ElementLayout& layout, std::span<const std::byte> elements) {
  double largest = 0;
  for (std::size_t at = 0; at + layout.size <= elements.size(); at += layout.size)
    for (const ElementPart& part : layout.parts) {
      const double magnitude = std::abs(value_of_number(number_of(part), &elements[at + part.offset]));
      if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
    }
  return largest;
}

}  // namespace graft::cli
