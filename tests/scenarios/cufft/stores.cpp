// Store callbacks: filters, powers, other formats of numbers, parts of spectra, sums.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "scenarios/cufft/patterns.hpp"

namespace graft::test::cufft {
namespace {

using Doubles = std::vector<double>;

void put(Doubles& out, std::size_t i, const Wide& z) {
  out[2 * i] = z.real();
  out[2 * i + 1] = z.imag();
}

void add_points(List& list) {
  list.store<float>(
          "ScaledProduct", R"(
#include <cufft.h>
#include <cufftXt.h>
typedef struct { float scale; cufftComplex filter[16]; } params_t;

static __device__ inline cufftComplex ComplexMul(cufftComplex a, cufftComplex b)
{
    cufftComplex c;
    c.x = a.x * b.x - a.y * b.y;
    c.y = a.x * b.y + a.y * b.x;
    return c;
}

__device__ void multiply(void *dataOut, size_t offset, cufftComplex element, void *callerInfo, void *sharedPtr)
{
    params_t *params = (params_t *)callerInfo;
    cufftComplex z = ComplexMul(params->filter[offset % 16], element);
    z.x *= params->scale;
    z.y *= params->scale;
    ((cufftComplex *)dataOut)[offset] = z;
}
__device__ cufftCallbackStoreC d_multiply = multiply;
)",
          [] {
            std::vector<float> info = {0.5F, 0};
            for (std::size_t k = 0; k < kLength; ++k) info.insert(info.end(), {static_cast<float>(k), 1});
            return bytes_of(info);
          }(),
          2 * kCount, 0, 1e-3,
          [](Doubles& out, std::size_t i, const Wide& z) {
            put(out, i, z * Wide(static_cast<double>(i % kLength), 1) * 0.5);
          })
      .entry = "multiply";
  list.store<double, double>(
      "DoublePrecision", R"(
#include <cufftXt.h>
__device__ void normalise(void* data, size_t offset, cufftDoubleComplex z, void* info, void* shared) {
  const cufftDoubleReal n = *(cufftDoubleReal*)info;
  ((cufftDoubleComplex*)data)[offset] = make_double2(z.x / n, z.y / n);
}
__device__ cufftCallbackStoreZ d_normalise = normalise;
)",
      bytes_of(Doubles{kLength}), 2 * kCount, 0, 1e-12,
      [](Doubles& out, std::size_t i, const Wide& z) { put(out, i, z / static_cast<double>(kLength)); });
  list.store<float>("ShiftedSpectrum", R"(
#include <cufftXt.h>
__device__ void shift(void* data, size_t offset, cufftComplex z, void* info, void* shared) {
  const size_t n = 16, row = offset / n * n;
  ((cufftComplex*)data)[row + (offset + n / 2) % n] = z;
}
__device__ cufftCallbackStoreC d_shift = shift;
)",
                    {}, 2 * kCount, 0, 1e-4, [](Doubles& out, std::size_t i, const Wide& z) {
                      put(out, i / kLength * kLength + (i + kLength / 2) % kLength, z);
                    });
  list.store<float>("Transposed", R"(
#include <cufftXt.h>
__device__ void transpose(void* data, size_t offset, cufftComplex z, void* info, void* shared) {
  const size_t row = offset / 16, column = offset % 16;
  ((cufftComplex*)data)[column * 3 + row] = z;
}
__device__ cufftCallbackStoreC d_transpose = transpose;
)",
                    {}, 2 * kCount, 0, 1e-4, [](Doubles& out, std::size_t i, const Wide& z) {
                      put(out, i % kLength * kBatch + i / kLength, z);
                    });
  list.store<float>("WhereStrong", R"(
#include <cufftXt.h>
__device__ void threshold(void* data, size_t offset, cufftComplex z, void* info, void* shared) {
  if (z.x * z.x + z.y * z.y < *(float*)info) return;
  ((cufftComplex*)data)[offset] = z;
}
__device__ cufftCallbackStoreC d_threshold = threshold;
)",
                    bytes_of(std::vector<float>{9.7F}), 2 * kCount, -7, 1e-4,
                    [](Doubles& out, std::size_t i, const Wide& z) {
                      if (std::norm(z) >= 9.7) put(out, i, z);
                    });
  list.store<float>("HalfOfTheSpectrum", R"(
#include <cufftXt.h>
__device__ void keep_half(void* data, size_t offset, cufftComplex z, void* info, void* shared) {
  if (offset % 16 < 9) ((cufftComplex*)data)[offset / 16 * 9 + offset % 16] = z;
}
__device__ cufftCallbackStoreC d_keep_half = keep_half;
)",
                    {}, 2 * kBatch * 9, 0, 1e-4, [](Doubles& out, std::size_t i, const Wide& z) {
                      if (i % kLength < 9) put(out, i / kLength * 9 + i % kLength, z);
                    });
}

void add_reals(List& list) {
  list.store<float>("Power", R"(
#include <cufft.h>
#include <cufftXt.h>
__device__ void power(void *p_v_out, size_t offset, cufftComplex element, void *p_v_user, void *p_v_shared) {
  const float pwr = element.x * element.x + element.y * element.y;
  ((float *)p_v_out)[offset] = pwr;
}
static __device__ cufftCallbackStoreC d_power = power;
)",
                    {}, kCount, 0, 1e-3, [](Doubles& out, std::size_t i, const Wide& z) { out[i] = std::norm(z); });
  list.store<float>("AccumulatedPower", R"(
#include <cufftXt.h>
__device__ void accumulate(void* data, size_t offset, cufftComplex z, void* info, void* shared) {
  ((cufftReal*)data)[offset] += z.x * z.x + z.y * z.y;
}
__device__ cufftCallbackStoreC d_accumulate = accumulate;
)",
                    {}, kCount, 100, 1e-3, [](Doubles& out, std::size_t i, const Wide& z) { out[i] += std::norm(z); });
  list.store<float>("Decibels", R"(
#include <cufftXt.h>
__device__ void decibels(void* data, size_t offset, cufftComplex z, void* info, void* shared) {
  ((float*)data)[offset] = 10.0f * log10f(fmaxf(z.x * z.x + z.y * z.y, 1e-3f));
}
__device__ cufftCallbackStoreC d_decibels = decibels;
)",
                    {}, kCount, 0, 1e-2, [](Doubles& out, std::size_t i, const Wide& z) {
                      out[i] = 10 * std::log10(std::max(std::norm(z), 1e-3));
                    });
  list.store<float>("SumOfABatch", R"(
#include <cufftXt.h>
__device__ void add_up(void* data, size_t offset, cufftComplex z, void* info, void* shared) {
  atomicAdd((float*)data + offset % 16, hypotf(z.x, z.y));
}
__device__ cufftCallbackStoreC d_add_up = add_up;
)",
                    {}, kLength, 0, 1e-3,
                    [](Doubles& out, std::size_t i, const Wide& z) { out[i % kLength] += std::abs(z); });
  list.store<std::int16_t>("Rounded", R"(
#include <cufftXt.h>
__device__ __forceinline__ short to_short(float x) { return (short)fminf(fmaxf(rintf(x), -32768.f), 32767.f); }
__device__ void round_points(void* data, size_t offset, cufftComplex z, void* info, void* shared) {
  const float scale = *(const float*)info;
  ((short2*)data)[offset] = make_short2(to_short(scale * z.x), to_short(scale * z.y));
}
__device__ cufftCallbackStoreC d_round_points = round_points;
)",
                           bytes_of(std::vector<float>{6000}), 2 * kCount, 0, 1,
                           [](Doubles& out, std::size_t i, const Wide& z) {
                             const auto limited = [](double x) { return std::clamp(x, -32768.0, 32767.0); };
                             put(out, i, {limited(6000 * z.real()), limited(6000 * z.imag())});
                           })
      .entry = "round_points";
  list.store<float>("RealPartOfLtoCallback", R"(
#include <cufftXt.h>
__device__ void real_part(void* data, unsigned long long offset, cufftComplex z, void* info, void* shared) {
  ((cufftReal*)data)[offset] = z.x;
}
__device__ cufftJITCallbackStoreC d_real_part = real_part;
)",
                    {}, kCount, 0, 1e-4, [](Doubles& out, std::size_t i, const Wide& z) { out[i] = z.real(); });
}

}  // namespace

void add_stores(List& list) {
  add_points(list);
  add_reals(list);
}

}  // namespace graft::test::cufft
