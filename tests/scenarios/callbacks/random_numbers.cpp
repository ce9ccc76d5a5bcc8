// Random numbers that are functions of an element's index or of an input: hash generators, counter-based generators,
// cuRAND's device functions, and distributions. The references use 128-bit integers, std::bitset and the definitions.
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ using u128 = unsigned __int128;

struct Key {
  u32 k0, k1;
};
struct alignas(16) Words4 {
  using Scalar = u32;
  std::array<u32, 4> words;
};
struct Seed {
  u64 seed;
};

// Multiplication modulo 2^32 by the grade-school method, so that no reference shares an expression with its callback.
u32 times(u32 a, u32 b) {
  u32 sum = 0;
  for (int bit = 0; bit < 32; ++bit)
    if (b >> bit & 1) sum += a << bit;
  return sum;
}

// Philox 4x32-10 (Salmon et al., 2011).
std::array<u32, 4> philox4x32(std::array<u32, 4> c, u64 key) {
  for (u64 round = 0; round < 10; ++round) {
    const u32 k0 = static_cast<u32>(key + round * 0x9E3779B9u),
              k1 = static_cast<u32>((key >> 32) + round * 0xBB67AE85u);
    const u64 p0 = u64{0xD2511F53u} * c[0], p1 = u64{0xCD9E8D57u} * c[2];
    c = {static_cast<u32>(p1 >> 32) ^ c[1] ^ k0, static_cast<u32>(p1), static_cast<u32>(p0 >> 32) ^ c[3] ^ k1,
         static_cast<u32>(p0)};
  }
  return c;
}
u32 threefry2x32(u32 x0, u32 x1, Key key) {
  const u32 keys[3] = {key.k0, key.k1, 0x1BD11BDA ^ key.k0 ^ key.k1};
  const int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  x0 += keys[0], x1 += keys[1];
  for (int round = 0; round < 20; ++round) {
    x0 += x1;
    x1 = (x1 << rotations[round % 8] | x1 >> (32 - rotations[round % 8])) ^ x0;
    if (round % 4 == 3) {
      const u32 group = static_cast<u32>(round / 4 + 1);
      x0 += keys[group % 3], x1 += keys[(group + 1) % 3] + group;
    }
  }
  return x0 ^ x1;
}
u64 splitmix(u64 z) {
  u128 x = z;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u % (static_cast<u128>(1) << 64);
  x = (x ^ x >> 27) * 0x94D049BB133111EBu % (static_cast<u128>(1) << 64);
  return static_cast<u64>(x ^ x >> 31);
}
double mirrored_digits(u64 n, u64 base) {
  double value = 0, digit = 1.0 / static_cast<double>(base);
  for (; n > 0; n /= base, digit /= static_cast<double>(base)) value += digit * static_cast<double>(n % base);
  return value;
}

}  // namespace

void add_random_numbers(Table& table) {
  table.begin_kind("Random numbers");

  table.add("wang_hash", "unsigned int(unsigned int)", R"(
__device__ unsigned wang(unsigned x) {
  x = (x ^ 61) ^ (x >> 16);
  x *= 9;
  x = x ^ (x >> 4);
  x *= 0x27d4eb2d;
  return x ^ (x >> 15);
})",
            from(any<u32>()), [](u32 x) {
              x = x ^ 61 ^ x / 65536;
              x = times(x, 9);
              x = times(x ^ x / 16, 0x27d4eb2d);
              return x ^ x / 32768;
            });

  table.add("pcg_hash", "unsigned int(unsigned int)", R"(
__device__ uint32_t pcg(uint32_t input) {
  const uint32_t state = input * 747796405u + 2891336453u;
  const uint32_t word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
  return (word >> 22u) ^ word;
})",
            from(any<u32>()), [](u32 x) {
              const u32 state = times(x, 747796405u) + 2891336453u;
              const u32 word = times(static_cast<u32>(state / std::exp2(state / 268435456 + 4)) ^ state, 277803737u);
              return word ^ word / 4194304;
            });

  table
      .add("splitmix_of_the_index", "unsigned long long(graft::Index, const unsigned long long&)", R"(
__device__ uint64_t splitmix(graft::Index i, const uint64_t& seed) {
  uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
})",
           from(), [](Index i) { return splitmix(99 + (i.value + 1) * 0x9E3779B97F4A7C15u); })
      .state(u64{99});

  table.add("xorshift_step", "void(unsigned long long, unsigned long long&, float&)", R"(
__device__ void xorshift(unsigned long long state, unsigned long long& next, float& uniform) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  next = state;
  uniform = static_cast<float>(state >> 40) * 0x1p-24f;
})",
            from(any<unsigned long long>()), [](unsigned long long x) {
              for (const int shift : {13, -7, 17}) x ^= shift > 0 ? x << shift : x >> -shift;
              return std::tuple(x, static_cast<float>(std::ldexp(static_cast<double>(x / (1ull << 40)), -24)));
            });

  table.add("minimal_standard_generator", "unsigned int(unsigned int)", R"(
__device__ unsigned minstd(unsigned seed) { return static_cast<unsigned>(seed * 48271ull % 2147483647ull); })",
            from(integers<u32>(1, 2147483646)), [](u32 seed) { return static_cast<u32>(std::minstd_rand(seed)()); });

  table
      .add("threefry_2x32", "unsigned int(graft::Index, const Key&)", R"(
struct Key { unsigned k0, k1; };
__device__ unsigned rotated(unsigned x, int by) { return x << by | x >> (32 - by); }
template <int A, int B, int C, int D>
__device__ void four_rounds(unsigned& x, unsigned& y) {
  x += y; y = rotated(y, A) ^ x;
  x += y; y = rotated(y, B) ^ x;
  x += y; y = rotated(y, C) ^ x;
  x += y; y = rotated(y, D) ^ x;
}
__device__ unsigned threefry(graft::Index i, const Key& key) {
  const unsigned k2 = 0x1BD11BDAu ^ key.k0 ^ key.k1;
  unsigned x = static_cast<unsigned>(i) + key.k0, y = static_cast<unsigned>(i >> 32) + key.k1;
  four_rounds<13, 15, 26, 6>(x, y);  x += key.k1; y += k2 + 1;
  four_rounds<17, 29, 16, 24>(x, y); x += k2;     y += key.k0 + 2;
  four_rounds<13, 15, 26, 6>(x, y);  x += key.k0; y += key.k1 + 3;
  four_rounds<17, 29, 16, 24>(x, y); x += key.k1; y += k2 + 4;
  four_rounds<13, 15, 26, 6>(x, y);  x += k2;     y += key.k0 + 5;
  return x ^ y;
})",
           from(),
           [](Index i) {
             return threefry2x32(static_cast<u32>(i.value), static_cast<u32>(i.value >> 32), {17, 0xdeadbeef});
           })
      .entry("threefry")
      .state(Key{17, 0xdeadbeef});

  table
      .add("curand_philox_bits", "uint4(graft::Index, const Seed&)", R"(
#include <curand_kernel.h>
struct Seed { unsigned long long seed; };
__device__ uint4 bits(graft::Index i, const Seed& s) {
  curandStatePhilox4_32_10_t state;
  curand_init(s.seed, i, 0, &state);
  return curand4(&state);
})",
           from(),
           [](Index i) {
             const auto words =
                 philox4x32({0, 0, static_cast<u32>(i.value), static_cast<u32>(i.value >> 32)}, 0x123456789abcull);
             return Words4{words};
           })
      .entry("bits")
      .refused({{Route::Host}, ErrorCode::CompileFailed, "curand_kernel.h", "callbacks/random.cuh"})
      .state(Seed{0x123456789abcull});

  table
      .add(
          "curand_uniform", "float(graft::Index, const Seed&)", R"(
#include <curand_kernel.h>
struct Seed { unsigned long long seed; };
__device__ float uniform(graft::Index i, const Seed& s) {
  curandStatePhilox4_32_10_t state;
  curand_init(s.seed, i, 0, &state);
  return curand_uniform(&state);
})",
          from(),
          [](Index i) {
            const auto words = philox4x32({0, 0, static_cast<u32>(i.value), 0}, 7);
            return static_cast<float>((static_cast<double>(words[0]) + 0.5) / 4294967296.0);
          },
          within(2e-7))
      .entry("uniform")
      .refused({{Route::Host}, ErrorCode::CompileFailed, "curand_kernel.h", "callbacks/random.cuh"})
      .state(Seed{7});

  table.add(
      "box_muller", "void(float, float, float&, float&)", R"(
__device__ void box_muller(float u, float v, float& a, float& b) {
  const float radius = sqrtf(-2 * logf(u));
  float s, c;
  sincosf(6.283185307f * v, &s, &c);
  a = radius * c;
  b = radius * s;
})",
      from(reals(0.0001, 1), reals(0, 1)),
      [](double u, double v) {
        const auto z = std::polar(std::sqrt(-2 * std::log(u)), 2 * std::numbers::pi * v);
        return std::tuple(static_cast<float>(z.real()), static_cast<float>(z.imag()));
      },
      within(0, 8e-6));

  table
      .add(
          "exponential_variate", "float(unsigned int, const float&)", R"(
__device__ float exponential(unsigned bits, const float& rate) {
  const float u = (bits >> 8) * 0x1p-24f;
  return -log1pf(-u) / rate;
})",
          from(any<u32>()),
          [](u32 bits) { return static_cast<float>(-std::log(1 - std::floor(bits / 256.0) / 16777216) / 0.25); },
          within(4e-6))
      .state(0.25f);

  table
      .add("bernoulli", "bool(unsigned int, const double&)", R"(
__device__ bool bernoulli(unsigned bits, const double& p) { return bits < p * 4294967296.0; })",
           from(any<u32>()), [](u32 bits) { return bits / 4294967296.0 < 0.3; })
      .state(0.3);

  table
      .add("uniform_integer_below", "unsigned int(unsigned int, const unsigned int&)", R"(
__device__ unsigned below(unsigned bits, const unsigned& n) {
  return static_cast<unsigned>(static_cast<unsigned long long>(bits) * n >> 32);
})",
           from(any<u32>()), [](u32 bits) { return static_cast<u32>(std::floor(bits * 6.0 / 4294967296.0)); })
      .state(6u);

  table.add("poisson_by_products", "int(unsigned int)", R"(
// Knuth's method for mean 3, with a generator of its own for each element.
__device__ int poisson(unsigned state) {
  const float limit = 0.0498125f;
  float product = 1;
  int k = -1;
  do {
    state = state * 1664525u + 1013904223u;
    product *= ((state >> 9) | 1) * 0x1p-23f;
    ++k;
  } while (product > limit && k < 60);
  return k;
})",
            from(any<u32>()),
            [](u32 state) {  // products are rounded as in float, but formed in double
              double product = 1;
              int k = -1;
              while (k < 60 && (k < 0 || product > static_cast<double>(0.0498125f))) {
                state = times(state, 1664525u) + 1013904223u;
                product = static_cast<float>(product * (state / 512 / 2 * 2 + 1) / 8388608.0);
                ++k;
              }
              return k;
            });

  table.add("van_der_corput_base_2", "float(graft::Index)", R"(
__device__ float van_der_corput(graft::Index i) {
  unsigned x = static_cast<unsigned>(i);
  x = x << 16 | x >> 16;
  x = (x & 0x00ff00ffu) << 8 | (x & 0xff00ff00u) >> 8;
  x = (x & 0x0f0f0f0fu) << 4 | (x & 0xf0f0f0f0u) >> 4;
  x = (x & 0x33333333u) << 2 | (x & 0xccccccccu) >> 2;
  x = (x & 0x55555555u) << 1 | (x & 0xaaaaaaaau) >> 1;
  return x * 2.3283064365386963e-10f;
})",
            from(), [](Index i) { return static_cast<float>(mirrored_digits(i.value, 2)); });

  table
      .add(
          "halton_point", "double2(graft::Index)", R"(
template <unsigned Base>
__device__ double radical_inverse(unsigned long long n) {
  double value = 0, scale = 1;
  while (n != 0) {
    scale /= Base;
    value += scale * (n % Base);
    n /= Base;
  }
  return value;
}
__device__ double2 halton(graft::Index i) { return make_double2(radical_inverse<3>(i), radical_inverse<5>(i)); })",
          from(),
          [](Index i) { return std::complex<double>(mirrored_digits(i.value, 3), mirrored_digits(i.value, 5)); },
          within(1e-14))
      .entry("halton");
}

}  // namespace graft::test::table
