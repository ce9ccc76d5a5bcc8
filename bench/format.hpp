// Describes the element type of an array as a scalar type and a number of components, so that one kernel can read any
// array as doubles.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstddef>
#include <type_traits>

namespace graft::bench {

enum class Scalar : unsigned char { I8, U8, I16, I32, F16, Bf16, F32, F64 };

constexpr std::size_t size_of(Scalar scalar) {
  switch (scalar) {
    case Scalar::I8:
    case Scalar::U8:
      return 1;
    case Scalar::I16:
    case Scalar::F16:
    case Scalar::Bf16:
      return 2;
    case Scalar::I32:
    case Scalar::F32:
      return 4;
    case Scalar::F64:
      break;
  }
  return 8;
}

inline constexpr int kMaxComponents = 3;

struct Format {
  Scalar scalar = Scalar::F32;
  int components = 1;

  constexpr std::size_t bytes() const { return size_of(scalar) * static_cast<std::size_t>(components); }
  bool operator==(const Format&) const = default;
};

template <class T>
constexpr Format format_of() {
  if constexpr (std::is_same_v<T, signed char>) return {Scalar::I8, 1};
  else if constexpr (std::is_same_v<T, unsigned char>) return {Scalar::U8, 1};
  else if constexpr (std::is_same_v<T, uchar3>) return {Scalar::U8, 3};
  else if constexpr (std::is_same_v<T, short>) return {Scalar::I16, 1};
  else if constexpr (std::is_same_v<T, short3>) return {Scalar::I16, 3};
  else if constexpr (std::is_same_v<T, int>) return {Scalar::I32, 1};
  else if constexpr (std::is_same_v<T, __half>) return {Scalar::F16, 1};
  else if constexpr (std::is_same_v<T, __nv_bfloat16>) return {Scalar::Bf16, 1};
  else if constexpr (std::is_same_v<T, float>) return {Scalar::F32, 1};
  else if constexpr (std::is_same_v<T, float2>) return {Scalar::F32, 2};
  else if constexpr (std::is_same_v<T, float3>) return {Scalar::F32, 3};
  else if constexpr (std::is_same_v<T, double>) return {Scalar::F64, 1};
  else if constexpr (std::is_same_v<T, double2>) return {Scalar::F64, 2};
  else {
    static_assert(std::is_same_v<T, double3>, "a type that format.hpp does not know");
    return {Scalar::F64, 3};
  }
}

}  // namespace graft::bench
