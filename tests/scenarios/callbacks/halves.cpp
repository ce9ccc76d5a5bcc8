// half, half2 and bfloat16 arithmetic. An operation on halves is the exact result rounded once, so that most references
// compute in double and round.
#include <algorithm>
#include <bit>
#include <cmath>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

struct alignas(4) Pair {  // has the layout of half2
  using Scalar = __half;
  __half x, y;
};
struct alignas(4) BfloatPair {
  using Scalar = __nv_bfloat16;
  __nv_bfloat16 x, y;
};

double real(__half x) {
  return __half2float(x);
}
double real(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
__half half_of(double x) {
  return __double2half(x);
}

auto pairs(double low, double high) {
  return [=](Random& random) {
    const __half x = halves(low, high)(random), y = halves(low, high)(random);
    return Pair{x, y};
  };
}

}  // namespace

void add_halves(Table& table) {
  table.begin_kind("Half precision");

  table.add(
      "half_fused_multiply_add", "__half(__half, __half, __half)", R"(
#include <cuda_fp16.h>
__device__ __half fma(__half a, __half b, __half c) { return __hfma(a, b, c); })",
      from(halves(-4, 4), halves(-4, 4), halves(-4, 4)),
      [](__half a, __half b, __half c) { return half_of(real(a) * real(b) + real(c)); }, within(1e-3, 1e-6));

  table.add("half_operators", "__half(__half, __half)", R"(
#include <cuda_fp16.h>
__device__ half average(half a, half b) { return (a + b) * half(0.5f); })",
            from(halves(-100, 100), halves(-100, 100)),
            [](__half a, __half b) { return half_of(real(half_of(real(a) + real(b))) / 2); });

  table
      .add(
          "half2_axpy", "__half2(__half2, __half2, const __half2&)", R"(
#include <cuda_fp16.h>
__device__ __half2 axpy(__half2 x, __half2 y, const __half2& a) { return __hadd2(__hmul2(a, x), y); })",
          from(pairs(-8, 8), pairs(-8, 8)),
          [](Pair x, Pair y) {
            return Pair{half_of(real(half_of(1.5 * real(x.x))) + real(y.x)),
                        half_of(real(half_of(-0.25 * real(x.y))) + real(y.y))};
          },
          within(2e-3, 2e-2))
      .state(Pair{__float2half(1.5f), __float2half(-0.25f)});

  table.add(
      "half2_complex_product", "__half2(__half2, __half2)", R"(
#include <cuda_fp16.h>
__device__ __half2 multiply(__half2 a, __half2 b) {
  const float2 x = __half22float2(a), y = __half22float2(b);
  return __floats2half2_rn(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
})",
      from(pairs(-2, 2), pairs(-2, 2)),
      [](Pair a, Pair b) {
        const auto z = std::complex(real(a.x), real(a.y)) * std::complex(real(b.x), real(b.y));
        return Pair{half_of(z.real()), half_of(z.imag())};
      },
      within(1e-3, 1e-6));

  table.add("struct_of_half2", "Four(Four)", R"(
#include <cuda_fp16.h>
struct Four { half2 a, b; };
__device__ Four swapped(Four v) { return {__lowhigh2highlow(v.b), __lowhigh2highlow(v.a)}; })",
            from([](Random& random) {
              const Pair a = pairs(-9, 9)(random), b = pairs(-9, 9)(random);
              struct alignas(4) Four {
                Pair a, b;
              };
              return Four{a, b};
            }),
            [](const auto& v) {
              return std::remove_cvref_t<decltype(v)>{{v.b.y, v.b.x}, {v.a.y, v.a.x}};
            });

  table.add("half_relu_with_max", "__half(__half)", R"(
#include <cuda_fp16.h>
__device__ __half relu(__half x) { return __hmax(x, __float2half(0.0f)); })",
            from(halves(-4, 4)), [](__half x) { return half_of(std::max(real(x), 0.0)); });

  table.add(
      "half_silu_in_float", "__half(__half)", R"(
#include <cuda_fp16.h>
__device__ __half silu(__half h) {
  const float x = h;
  return x / (1.0f + __expf(-x));
})",
      from(halves(-10, 10)), [](__half x) { return half_of(real(x) / (1 + std::exp(-real(x)))); }, within(1e-3, 1e-6));

  table.add(
      "half_square_root", "__half(__half)", R"(
#include <cuda_fp16.h>
__device__ __half root(__half x) { return hsqrt(__habs(x)); })",
      from(halves(-100, 100)), [](__half x) { return half_of(std::sqrt(std::fabs(real(x)))); }, within(1e-3));

  table.add("half_comparison", "bool(__half, __half)", R"(
#include <cuda_fp16.h>
__device__ bool is_near(__half a, __half b) { return __hle(__habs(__hsub(a, b)), __half(0.5)); })",
            from(halves(-1, 1), halves(-1, 1)),
            [](__half a, __half b) { return real(half_of(std::fabs(real(a) - real(b)))) <= 0.5; });

  table.add("half_bits", "unsigned short(__half)", R"(
#include <cuda_fp16.h>
__device__ unsigned short next_up(__half x) {
  const unsigned short bits = __half_as_ushort(x);
  return bits & 0x8000 ? bits - 1 : bits + 1;
})",
            from(halves(1, 1000)),
            [](__half x) {  // one unit of the 10-bit fraction more
              const double unit = std::ldexp(1.0, std::ilogb(real(x)) - 10);
              return std::bit_cast<unsigned short>(half_of(real(x) + unit));
            });

  table.add("bfloat16_sum_of_squares", "float(__nv_bfloat16, __nv_bfloat16)", R"(
#include <cuda_bf16.h>
__device__ float squares(__nv_bfloat16 a, __nv_bfloat16 b) {
  const float x = __bfloat162float(a), y = __bfloat162float(b);
  return fmaf(x, x, y * y);
})",
            from(bfloats(-10, 10), bfloats(-10, 10)),
            [](__nv_bfloat16 a, __nv_bfloat16 b) { return static_cast<float>(real(a) * real(a) + real(b) * real(b)); });

  table.add("bfloat16_pair_sum", "__nv_bfloat162(__nv_bfloat162, __nv_bfloat162)", R"(
#include <cuda_bf16.h>
__device__ __nv_bfloat162 sum(__nv_bfloat162 a, __nv_bfloat162 b) { return __hadd2(a, b); })",
            from(
                [](Random& random) {
                  return BfloatPair{bfloats(-9, 9)(random), bfloats(-9, 9)(random)};
                },
                [](Random& random) {
                  return BfloatPair{bfloats(-9, 9)(random), bfloats(-9, 9)(random)};
                }),
            [](BfloatPair a, BfloatPair b) {
              return BfloatPair{__double2bfloat16(real(a.x) + real(b.x)), __double2bfloat16(real(a.y) + real(b.y))};
            });

  table.add("mixed_precision_update", "void(float, __nv_bfloat16, float&, __half&, __nv_bfloat16&)", R"(
#include <cuda_bf16.h>
#include <cuda_fp16.h>
__device__ void update(float weight, __nv_bfloat16 gradient, float& master, __half& h, __nv_bfloat16& b) {
  master = weight - 0.5f * static_cast<float>(gradient);
  h = __float2half_rn(master);
  b = __float2bfloat16_rn(master);
})",
            from(reals(-4, 4), bfloats(-1, 1)), [](float weight, __nv_bfloat16 gradient) {
              const auto master = static_cast<float>(weight - 0.5 * real(gradient));
              return std::tuple(master, half_of(master), __double2bfloat16(master));
            });
}

}  // namespace graft::test::table
