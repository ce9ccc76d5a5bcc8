// Load callbacks: other formats of numbers, windows, shifts, padding, reordering, several arrays.
#include <cmath>
#include <cstdint>
#include <numbers>

#include "scenarios/cufft/patterns.hpp"

namespace graft::test::cufft {
namespace {

std::int16_t sample_at(std::size_t i) {
  return static_cast<std::int16_t>(std::lround(number_at(i) * 1000));
}
std::int8_t byte_at(std::size_t i) {
  return static_cast<std::int8_t>(std::lround(number_at(i) * 127));
}
float float_at(std::size_t i) {
  return static_cast<float>(number_at(i));
}

void add_formats(List& list) {
  list.load("Unchanged", R"(
#include <cufft.h>
#include <cufftXt.h>

__device__ cufftComplex read_point(void *dataIn, size_t offset, void *callerInfo, void *sharedPtr)
{
    return ((cufftComplex *)dataIn)[offset];
}

__device__ cufftCallbackLoadC d_read_point = read_point;
)",
            complexes<float>(), {}, complex_at);
  list.load("Samples16", R"(
#include <cufftXt.h>
static __device__ cufftComplex samples_to_points(void* data, size_t offset, void* info, void* smem) {
  cufftComplex z;
  z.x = static_cast<const short*>(data)[offset] / 32768.0f;
  z.y = 0.0f;
  return z;
}
__device__ cufftCallbackLoadC samples_callback = samples_to_points;
)",
            array_of(kCount, sample_at), {}, [](std::size_t i) { return Wide(sample_at(i) / 32768.0); });
  list.load("PairsOfBytes", R"(
#include <cufft.h>
#include <cufftXt.h>
#include <stdint.h>
typedef struct { int8_t re; int8_t im; } sample_t;
__device__ cufftComplex to_point(float re, float im);
__device__ cufftComplex unpack(void* p_in, size_t offset, void* p_user, void* p_shared)
{
  const sample_t s = ((sample_t *)p_in)[offset];
  return to_point(s.re / 128.f, s.im / 128.f);
}
__device__ cufftComplex to_point(float re, float im) { return make_float2(re, im); }
static __device__ cufftCallbackLoadC d_unpack = unpack;
)",
            array_of(2 * kCount, byte_at), {},
            [](std::size_t i) { return Wide(byte_at(2 * i), byte_at(2 * i + 1)) / 128.0; })
      .entry = "unpack";
  list.load("Nibbles", R"(
#include <cufftXt.h>
#define SIGN_EXTEND(n) ((int)((n) << 28) >> 28)
__device__ cufftComplex from_nibbles(void* data, size_t offset, void*, void*) {
  const unsigned int both = ((unsigned char*)data)[offset];
  return make_float2(SIGN_EXTEND(both >> 4), SIGN_EXTEND(both & 15u));
}
__device__ cufftCallbackLoadC d_from_nibbles = from_nibbles;
)",
            array_of(kCount, byte_at), {}, [](std::size_t i) {
              const int both = static_cast<std::uint8_t>(byte_at(i));
              const auto extended = [](int nibble) { return nibble < 8 ? nibble : nibble - 16; };
              return Wide(extended(both >> 4), extended(both & 15));
            });
  list.load("RealsAsPoints", R"(
#include <cufftXt.h>
__device__ cufftComplex widen(void* data, size_t offset, void* info, void* shared) {
  return {((cufftReal*)data)[offset], 0};
}
__device__ cufftCallbackLoadC d_widen = widen;
)",
            array_of(kCount, float_at), {}, [](std::size_t i) { return Wide(number_at(i)); });
  list.load<double>("DoublePrecision", R"(
#include <cufft.h>
#include <cufftXt.h>
__device__ cufftDoubleComplex halve(void* data, size_t offset, void* info, void* shared) {
  cufftDoubleComplex z = ((cufftDoubleComplex*)data)[offset];
  z.x *= 0.5; z.y *= 0.5;
  return z;
}
__device__ cufftCallbackLoadZ d_halve = halve;
)",
                    complexes<double>(), {}, [](std::size_t i) { return complex_at(i) * 0.5; });
}

void add_arithmetic(List& list) {
  list.load(
      "Window", R"(
#include <cufftXt.h>
struct WindowParams { int n; float weights[16]; };
__device__ cufftComplex apply_window(void* data, size_t offset, void* info, void* shared) {
  const WindowParams* p = (const WindowParams*)info;
  const float w = p->weights[offset % p->n];
  cufftComplex z = ((cufftComplex*)data)[offset];
  z.x *= w;
  z.y *= w;
  return z;
}
__device__ cufftCallbackLoadC h_window = apply_window;
)",
      complexes<float>(),
      [] {
        Bytes info = bytes_of(std::vector<int>{static_cast<int>(kLength)});
        const Bytes weights = array_of(kLength, [](std::size_t i) { return 1 / (1 + static_cast<float>(i)); });
        info.insert(info.end(), weights.begin(), weights.end());
        return info;
      }(),
      [](std::size_t i) { return complex_at(i) / (1.0 + static_cast<double>(i % kLength)); });
  list.load("Hann", R"(
#include <math.h>
#include <cufftXt.h>
#define N 16
#define PI 3.14159265358979f
__device__ cufftComplex hann(void* data, size_t offset, void* info, void* shared) {
  const float w = 0.5f * (1.0f - cosf(2.0f * PI * (offset % N) / N));
  const cufftComplex z = ((cufftComplex*)data)[offset];
  return make_float2(w * z.x, w * z.y);
}
__device__ cufftCallbackLoadC d_hann = hann;
)",
            complexes<float>(), {}, [](std::size_t i) {
              const double turns = static_cast<double>(i % kLength) / static_cast<double>(kLength);
              return complex_at(i) * (0.5 - 0.5 * std::cos(2 * std::numbers::pi * turns));
            });
  list.load("SignsOfAShiftedSpectrum", R"(
#include <cufftXt.h>
__device__ cufftComplex alternate(void *in, size_t offset, void *, void *) {
  cufftComplex z = reinterpret_cast<cufftComplex *>(in)[offset];
  if (offset & 1) { z.x = -z.x; z.y = -z.y; }
  return z;
}
__device__ cufftCallbackLoadC d_alternate = alternate;
)",
            complexes<float>(), {}, [](std::size_t i) { return i % 2 == 0 ? complex_at(i) : -complex_at(i); });
  list.load("Mixer", R"(
#include <cufftXt.h>
struct Oscillator { double turns_per_sample; };
__device__ cufftComplex mix(void* data, size_t offset, void* info, void* shared) {
  const double turns = static_cast<Oscillator*>(info)->turns_per_sample * (double)offset;
  float s, c;
  __sincosf((float)(turns - floor(turns)) * 6.2831853f, &s, &c);
  const cufftComplex z = static_cast<cufftComplex*>(data)[offset];
  return make_float2(z.x * c - z.y * s, z.x * s + z.y * c);
}
__device__ cufftCallbackLoadC d_mix = mix;
)",
            complexes<float>(), bytes_of(std::vector<double>{0.3}), [](std::size_t i) {
              return complex_at(i) * std::polar(1.0, 2 * std::numbers::pi * 0.3 * static_cast<double>(i));
            });
  list.load("Conjugate", R"(
#include <cufft.h>
#include <cufftXt.h>
namespace callbacks {
__device__ __forceinline__ cufftComplex conj(cufftComplex z) { return make_float2(z.x, -z.y); }
}
__device__ cufftComplex load_conjugate(void* data, size_t offset, void* info, void* shared) {
  return callbacks::conj(((cufftComplex*)data)[offset]);
}
__device__ cufftCallbackLoadC d_load_conjugate = load_conjugate;
)",
            complexes<float>(), {}, [](std::size_t i) { return std::conj(complex_at(i)); })
      .entry = "load_conjugate";
  list.load("FunctionsOfCuComplex", R"(
#include <cuda.h>
#include <cufftXt.h>
#include <cuComplex.h>
__device__ cufftComplex load_by_functions(void* data, size_t offset, void* info, void* shared) {
  const cuComplex z = ((cufftComplex*)data)[offset], one = make_cuComplex(1.0f, 0.0f);
  const cuDoubleComplex wide = cuCdiv(cuComplexFloatToDouble(z), make_cuDoubleComplex(0.0, 1.0));
  const cuComplex turned = cuComplexDoubleToFloat(cuCmul(wide, make_cuDoubleComplex(0.0, 1.0)));
  const float length = cuCabsf(make_cuFloatComplex(3e30f, 4e30f)) / 5e30f;
  return cuCsubf(cuCaddf(cuCmulf(turned, cuConjf(turned)), cuCfmaf(one, one, one)),
                 make_cuComplex(cuCrealf(turned) + 2 * length, cuCimagf(turned)));
}
__device__ cufftCallbackLoadC d_load_by_functions = load_by_functions;
)",
            complexes<float>(), {}, [](std::size_t i) { return std::norm(complex_at(i)) - complex_at(i); })
      .entry = "load_by_functions";
  list.load("Managed", R"(
#include <cufftXt.h>
__device__ __managed__ float unused[4];
__device__ cufftComplex load_managed(void* data, size_t offset, void* info, void* shared) {
  return make_float2(((cufftComplex*)data)[offset].x + unused[1], 0.0f);
}
__device__ cufftCallbackLoadC d_load_managed = load_managed;
)",
            complexes<float>(), {}, [](std::size_t i) { return Wide(complex_at(i).real()); })
      .entry = "load_managed";
  list.load("ConstantTable", R"(
#include <cufftXt.h>
__constant__ float taps[4] = {0.25f, 0.5f, 0.75f, 1.0f};
__device__ cufftComplex with_taps(void* data, size_t offset, void* info, void* shared) {
  const cufftComplex z = ((cufftComplex*)data)[offset];
  const float tap = taps[offset & 3];
  return make_float2(tap * z.x, tap * z.y);
}
__device__ cufftCallbackLoadC d_with_taps = with_taps;
)",
            complexes<float>(), {},
            [](std::size_t i) { return complex_at(i) * (0.25 * static_cast<double>(i % 4 + 1)); });
  list.load("Templates", R"(
#include <cufftXt.h>
template <typename T> struct Scale { T factor; __device__ T operator()(T x) const { return factor * x; } };
template <typename T> __device__ cufftComplex scaled(const T* data, size_t offset, T factor) {
  const Scale<T> scale = {factor};
  return make_float2(scale(data[2 * offset]), scale(data[2 * offset + 1]));
}
__device__ cufftComplex load_scaled(void* data, size_t offset, void* info, void* shared) {
  return scaled<float>((const float*)data, offset, *(const float*)info);
}
__device__ cufftCallbackLoadC d_load_scaled = load_scaled;
)",
            complexes<float>(), bytes_of(std::vector<float>{3}), [](std::size_t i) { return complex_at(i) * 3.0; })
      .entry = "load_scaled";
}

void add_places(List& list) {
  list.load("ZeroPadding", R"(
#include <cufftXt.h>
struct Rows { unsigned int fft, used; };
__device__ cufftComplex pad(void* data, size_t offset, void* info, void* shared) {
  const Rows rows = *(Rows*)info;
  const size_t row = offset / rows.fft, column = offset % rows.fft;
  if (column >= rows.used) return make_float2(0.0f, 0.0f);
  return ((cufftComplex*)data)[row * rows.used + column];
}
__device__ cufftCallbackLoadC d_pad = pad;
)",
            complexes<float>(), bytes_of(std::vector<unsigned>{kLength, 10}),
            [](std::size_t i) { return i % kLength < 10 ? complex_at(i / kLength * 10 + i % kLength) : Wide(); });
  list.load("Gather", R"(
#include <cufftXt.h>
__device__ cufftComplex gather(void* data, size_t offset, void* info, void* shared) {
  return ((cufftComplex*)data)[((const int*)info)[offset]];
}
__device__ cufftCallbackLoadC d_gather = gather;
)",
            complexes<float>(), array_of(kCount, [](std::size_t i) { return static_cast<int>(i * 7 % kCount); }),
            [](std::size_t i) { return complex_at(i * 7 % kCount); });
  list.load("SeparatePlanes", R"(
#include <cufftXt.h>
__device__ cufftComplex from_planes(void* re, size_t offset, void* im, void* shared) {
  return make_float2(((float*)re)[offset], ((float*)im)[offset]);
}
__device__ cufftCallbackLoadC d_from_planes = from_planes;
)",
            array_of(kCount, float_at), array_of(kCount, [](std::size_t i) { return float_at(i + 5); }),
            [](std::size_t i) { return Wide(number_at(i), number_at(i + 5)); });
  list.load("DifferenceOfNeighbours", R"(
#include <cufftXt.h>
__device__ cufftComplex difference(void* data, size_t offset, void* info, void* shared) {
  const cufftComplex* z = (const cufftComplex*)data + offset;
  if (offset == 0) return *z;
  return make_float2(z->x - (z - 1)->x, z->y - (z - 1)->y);
}
__device__ cufftCallbackLoadC d_difference = difference;
)",
            complexes<float>(), {},
            [](std::size_t i) { return i == 0 ? complex_at(0) : complex_at(i) - complex_at(i - 1); });
  list.load("TypeOfLtoCallbacks", R"(
#include <cufftXt.h>
__device__ cufftComplex doubled(void* data, unsigned long long offset, void* info, void* shared) {
  const cufftComplex z = ((cufftComplex*)data)[offset];
  return make_float2(2 * z.x, 2 * z.y);
}
__device__ cufftJITCallbackLoadC d_doubled = doubled;
)",
            complexes<float>(), {}, [](std::size_t i) { return complex_at(i) * 2.0; });
  list.load("ExternC", R"(
#include "cufft.h"
#include "cufftXt.h"
extern "C" __device__ cufftComplex negated(void* data, size_t offset, void* info, void* shared) {
  const cufftComplex z = ((cufftComplex*)data)[offset];
  return make_float2(-z.x, -z.y);
}
extern "C" __device__ cufftCallbackLoadC d_negated = negated;
)",
            complexes<float>(), {}, [](std::size_t i) { return -complex_at(i); });
  Pattern& shared = list.load("ScratchOfAThread", R"(
#include <cufftXt.h>
__device__ cufftComplex through_scratch(void* data, size_t offset, void* info, void* shared) {
  volatile float* scratch = (float*)shared + 2 * threadIdx.x;
  const cufftComplex z = ((cufftComplex*)data)[offset];
  scratch[0] = z.y;
  scratch[1] = z.x;
  return make_float2(scratch[0], scratch[1]);
}
__device__ cufftCallbackLoadC d_through_scratch = through_scratch;
)",
                              complexes<float>(), {}, [](std::size_t i) {
                                const Wide z = complex_at(i);
                                return Wide(z.imag(), z.real());
                              });
  shared.shared_bytes = 1024 * 8;
  shared.runs_on_host = false;
}

}  // namespace

void add_loads(List& list) {
  add_formats(list);
  add_arithmetic(list);
  add_places(list);
}

}  // namespace graft::test::cufft
