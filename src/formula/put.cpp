#include "formula/put.hpp"

#include <cstdint>
#include <cstring>

#include "base/small_float.hpp"

namespace graft::formulas {
namespace {

template <class T>
void put_bytes(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

void put_real(std::byte* at, Type type, double value) {
  switch (type) {
    case Type::F16:
      return put_bytes(at, base::to_small_float(value, 10));
    case Type::Bf16:
      return put_bytes(at, base::to_small_float(value, 7));
    case Type::F32:
      return put_bytes(at, static_cast<float>(value));
    default:
      return put_bytes(at, value);
  }
}

}  // namespace

void put(std::byte* at, Type type, const Constant& value) {
  if (type == Type::Bool) return put_bytes(at, !value.is_zero());
  if (is_integer(type)) {
    const auto low = static_cast<std::uint64_t>(value.integer);
    std::memcpy(at, &low, static_cast<std::size_t>(bits_of(type)) / 8);  // little-endian
    return;
  }
  const Type part = real_of(type);
  put_real(at, part, value.as_real());
  if (is_complex(type)) put_real(at + (part == Type::F32 ? 4 : 8), part, value.imaginary);
}

}  // namespace graft::formulas
