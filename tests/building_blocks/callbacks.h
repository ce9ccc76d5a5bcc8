// The callbacks with which the tests run the building block (building_blocks/elementwise/transform.cu) on the CPU.
// Together the callbacks cover every element size that changes how data moves (1 to 32 bytes, powers of two and
// others), every number of arrays, and every parameter role. No type has padding, so results can be compared as bytes.
#pragma once

#include "graft/device.h"

namespace callbacks {

struct Rgb {
  unsigned char r, g, b;
};
struct Short3 {
  short x, y, z;
};
struct Float3 {
  float x, y, z;
};
struct Double3 {
  double x, y, z;
};
struct Double4 {  // 32 bytes aligned to 8, so an element may start in the middle of a 16-byte word
  double x, y, z, w;
};
struct Pair {
  unsigned long long low, high;
};

__device__ inline unsigned char invert(unsigned char x) {
  return static_cast<unsigned char>(255 - x);
}
__device__ inline short twice(short x) {
  return static_cast<short>(2 * x);
}
__device__ inline float relu(float x) {
  return x > 8.0f ? x : 0.0f;
}
__device__ inline double square(double x) {
  return x * x;
}
__device__ inline graft::complex<double> conjugate(graft::complex<double> z) {
  return graft::conj(z);
}

__device__ inline unsigned char gray(Rgb c) {
  return static_cast<unsigned char>((77 * c.r + 150 * c.g + 29 * c.b) >> 8);
}
__device__ inline Rgb swap_red_and_blue(Rgb c) {
  return {c.b, c.g, c.r};
}
__device__ inline Short3 rotate(Short3 v) {
  return {v.y, v.z, v.x};
}
__device__ inline Float3 scale(Float3 v, float a) {
  return {a * v.x, a * v.y, a * v.z};
}
__device__ inline Double3 reverse(Double3 v) {
  return {v.z, v.y, v.x};
}
__device__ inline Double4 shuffle(Double4 a, unsigned char lane) {
  return lane % 2 == 0 ? a : Double4{a.y, a.x, a.w, a.z};
}

__device__ inline float mixed(float x, double y, int n, double& sum) {
  sum = x + y + n;
  return x - static_cast<float>(n);
}
__device__ inline long long sum_of_eight(int a, short b, unsigned char c, long long d, int e, unsigned int f,
                                         signed char g, double h) {
  return static_cast<long long>(h > 1.0) + d / 8 + a + b + c + e + f + g;
}
// More inputs than one integer of packed sizes has room for (kPacked in adapter.h), and the most outputs.
__device__ inline void sixteen_to_eight(int a, short b, unsigned char c, long long d, int e, unsigned int f,
                                        signed char g, double h, int i, short j, unsigned char k, long long l, int m,
                                        unsigned int n, signed char o, double p, long long& q, unsigned int& r,
                                        short& s, double& t, unsigned char& u, int& v, signed char& w, double& x) {
  q = d / 8 + l / 8 + a + i;
  r = f ^ n;
  s = static_cast<short>(b ^ j);
  t = h;
  u = c ^ k;
  v = e ^ m;
  w = static_cast<signed char>(g ^ o);
  x = p;
}
__device__ inline float four_outputs(float x, unsigned char& low, double& wide, Pair& untouched) {
  low = static_cast<unsigned char>(x > 1.0f);
  if (x > 1.0f) wide = 2.0 * x;  // otherwise `wide` stays zero, its value on entry
  if (low > 7) untouched.low = 1;
  return -x;
}
__device__ inline void without_result(unsigned short x, unsigned int& y) {
  y = 3u * x;
}
__device__ inline unsigned long long with_index(unsigned int x, graft::Index i) {
  return x + 1000 * i;
}
__device__ inline unsigned int no_inputs(graft::Index i) {
  return static_cast<unsigned int>(7 * i + 1);
}

// Leaves some elements alone. The elements come in long runs of stored ones, because whole vectors then are stored.
__device__ inline graft::Store keep_some(float x, graft::Index i, float& y, Rgb& colour, double& wide) {
  y = x;
  colour = {1, 2, static_cast<unsigned char>(i)};
  wide = 3.0 * x;
  return graft::Store(i % 256 < 128 || i % 3 == 0);
}
// Whether an element is stored depends on random bytes.
__device__ inline graft::Store keep_even(unsigned char x, unsigned char& y) {
  y = static_cast<unsigned char>(x + 1);
  return graft::Store(x % 2 == 0);
}
__device__ inline graft::Store keep_pairs(Short3 v, Pair& made) {
  made = {static_cast<unsigned long long>(v.x), static_cast<unsigned long long>(v.y)};
  return graft::Store(v.x > 20);
}

struct alignas(16) Table {
  int values[64];
};
__device__ inline int look_up(unsigned char x, const Table& table) {
  return table.values[x % 64];
}

// ---- with bit arrays ----

__device__ inline graft::Bit masked(float x, graft::Bit is_valid, float& y) {
  y = 2 * x;
  return is_valid && x > 0;
}
__device__ inline graft::Bit both(graft::Bit a, graft::Bit b) {
  return a && b;
}
__device__ inline void flip_thirds(graft::InOut<graft::Bit> a, graft::Index i) {
  if (i % 3 == 0) a = !a;
}
__device__ inline graft::Store keep_masked(graft::Bit is_stored, graft::Index i, float& y, graft::Bit& mask) {
  y = static_cast<float>(i.value);
  mask = i % 5 == 0;
  return graft::Store(is_stored);
}

}  // namespace callbacks
