// Hash functions and checksums of small keys. The references work byte by byte or bit by bit, or with 128-bit integers.
#include <array>
#include <bit>
#include <cstdint>
#include <string>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ using u128 = unsigned __int128;

struct Bytes8 {
  u8 bytes[8];
};
struct alignas(8) Words2 {
  u32 x, y;
};
struct alignas(16) Wide2 {
  u64 x, y;
};
struct SipKey {
  u64 k0, k1;
};

u32 product(u32 a, u32 b) {
  return static_cast<u32>(static_cast<u128>(a) * b);
}
u64 product(u64 a, u64 b) {
  return static_cast<u64>(static_cast<u128>(a) * b);
}

// The remainder of a message's polynomial, one bit at a time; `reflected` takes the lowest bit of a byte first.
u32 crc(const u8* bytes, std::size_t count, int width, u32 polynomial, bool reflected, u32 start) {
  const u32 top = 1u << (width - 1), all = top | (top - 1);
  u32 remainder = start;
  for (std::size_t i = 0; i < 8 * count; ++i) {
    const std::size_t place = reflected ? i % 8 : 7 - i % 8;
    const bool bit = (bytes[i / 8] >> place & 1) != 0;
    const bool carry = ((remainder & top) != 0) != bit;
    remainder = (remainder << 1 & all) ^ (carry ? polynomial : 0);
  }
  return remainder;
}
u32 mirrored(u32 x) {
  u32 y = 0;
  for (int i = 0; i < 32; ++i) y |= (x >> i & 1) << (31 - i);
  return y;
}

u64 siphash_2_4(u64 message, SipKey key) {
  std::array<u64, 4> v = {key.k0 ^ 0x736f6d6570736575u, key.k1 ^ 0x646f72616e646f6du, key.k0 ^ 0x6c7967656e657261u,
                          key.k1 ^ 0x7465646279746573u};
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      v[0] += v[1], v[2] += v[3];
      v[1] = std::rotl(v[1], 13) ^ v[0], v[3] = std::rotl(v[3], 16) ^ v[2];
      v[0] = std::rotl(v[0], 32);
      v[2] += v[1], v[0] += v[3];
      v[1] = std::rotl(v[1], 17) ^ v[2], v[3] = std::rotl(v[3], 21) ^ v[0];
      v[2] = std::rotl(v[2], 32);
    }
  };
  for (const u64 word : {message, u64{8} << 56}) v[3] ^= word, rounds(2), v[0] ^= word;
  v[2] ^= 0xff;
  rounds(4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

}  // namespace

void add_hashes(Table& table) {
  table.begin_kind("Hashes and checksums");

  table.add("murmur3_finaliser_32", "unsigned int(unsigned int)", R"(
__device__ unsigned fmix32(unsigned h) {
  h ^= h >> 16;
  h *= 0x85ebca6b;
  h ^= h >> 13;
  h *= 0xc2b2ae35;
  h ^= h >> 16;
  return h;
})",
            from(any<u32>()), [](u32 h) {
              h = product(h ^ h / 65536, 0x85ebca6bu);
              h = product(h ^ h / 8192, 0xc2b2ae35u);
              return h ^ h / 65536;
            });

  table.add("murmur3_finaliser_64", "unsigned long long(unsigned long long)", R"(
#include <stdint.h>
__device__ uint64_t fmix64(uint64_t k) {
  k = (k ^ k >> 33) * UINT64_C(0xff51afd7ed558ccd);
  k = (k ^ k >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
  return k ^ k >> 33;
})",
            from(any<u64>()), [](u64 k) {
              for (const u64 factor : {0xff51afd7ed558ccdu, 0xc4ceb9fe1a85ec53u})
                k = product(k ^ k / (u64{1} << 33), factor);
              return k ^ k / (u64{1} << 33);
            });

  table
      .add("xxh32_of_a_word", "unsigned int(unsigned int, const unsigned int&)", R"(
#define XXH_PRIME1 2654435761u
#define XXH_PRIME2 2246822519u
#define XXH_PRIME3 3266489917u
#define XXH_PRIME4 668265263u
#define XXH_PRIME5 374761393u
#define XXH_ROTATE(x, r) (((x) << (r)) | ((x) >> (32 - (r))))
__device__ unsigned xxh32(unsigned word, const unsigned& seed) {
  unsigned h = seed + XXH_PRIME5 + 4;
  h += word * XXH_PRIME3;
  h = XXH_ROTATE(h, 17) * XXH_PRIME4;
  h ^= h >> 15; h *= XXH_PRIME2;
  h ^= h >> 13; h *= XXH_PRIME3;
  return h ^ h >> 16;
})",
           from(any<u32>()), [](u32 word) { return static_cast<u32>(XXH32(&word, sizeof word, 2026)); })
      .state(2026u);

  table.add("xxh64_of_a_word", "unsigned long long(unsigned long long)", R"(
__device__ unsigned long long xxh64(unsigned long long word) {
  constexpr unsigned long long p1 = 11400714785074694791ull, p2 = 14029467366897019727ull,
                               p3 = 1609587929392839161ull, p4 = 9650029242287828579ull, p5 = 2870177450012600261ull;
  auto rotate = [](unsigned long long x, int r) { return (x << r) | (x >> (64 - r)); };
  unsigned long long h = p5 + 8;
  h ^= rotate(word * p2, 31) * p1;
  h = rotate(h, 27) * p1 + p4;
  h = (h ^ (h >> 33)) * p2;
  h = (h ^ (h >> 29)) * p3;
  return h ^ (h >> 32);
})",
            from(any<unsigned long long>()),
            [](unsigned long long word) { return static_cast<unsigned long long>(XXH64(&word, sizeof word, 0)); });

  table.add("fnv1a_of_a_struct", "unsigned long long(Key)", R"(
struct Key { unsigned char bytes[8]; };
__device__ unsigned long long fnv1a(Key key) {
  unsigned long long h = 0xcbf29ce484222325ull;
  for (unsigned char byte : key.bytes) {
    h ^= byte;
    h *= 0x100000001b3ull;
  }
  return h;
})",
            from(any<Bytes8>()), [](Bytes8 key) {
              u64 h = 14695981039346656037u;
              for (const u8 byte : key.bytes) h = product(h ^ byte, u64{1099511628211u});
              return static_cast<unsigned long long>(h);
            });

  table.add("djb2_of_a_struct", "unsigned int(Key)", R"(
typedef struct { char c[8]; } Key;
__device__ unsigned djb2(Key key) {
  unsigned h = 5381;
  for (int i = 0; i < 8; i++) h = (h << 5) + h + (unsigned char)key.c[i];
  return h;
})",
            from(any<Bytes8>()), [](Bytes8 key) {
              u32 h = 5381;
              for (const u8 byte : key.bytes) h = 33 * h + byte;
              return h;
            });

  table.add("crc32_by_table", "unsigned int(unsigned int)", R"(
__constant__ uint32_t crc_table[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
__device__ uint32_t crc32(uint32_t word) {
  uint32_t c = 0xffffffffu;
  for (int i = 0; i < 4; ++i) {
    c ^= word >> (8 * i) & 0xff;
    c = c >> 4 ^ crc_table[c & 15];
    c = c >> 4 ^ crc_table[c & 15];
  }
  return ~c;
})",
            from(any<u32>()), [](u32 word) {
              const auto bytes = std::bit_cast<std::array<u8, 4>>(word);
              return ~mirrored(crc(bytes.data(), 4, 32, 0x04c11db7, true, 0xffffffff));
            });

  table.add("crc16_ccitt_by_bits", "unsigned short(unsigned long long)", R"(
__device__ unsigned short crc16(unsigned long long message) {
  unsigned short crc = 0xffff;
  for (int byte = 0; byte < 8; ++byte) {
    crc ^= static_cast<unsigned short>((message >> (8 * byte) & 0xff) << 8);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
  }
  return crc;
})",
            from(any<unsigned long long>()), [](unsigned long long message) {
              const auto bytes = std::bit_cast<std::array<u8, 8>>(message);
              return static_cast<u16>(crc(bytes.data(), 8, 16, 0x1021, false, 0xffff));
            });

  table.add("crc8_of_a_byte", "unsigned char(unsigned char)", R"(
__device__ unsigned char crc8(unsigned char x) {
#pragma unroll
  for (int i = 0; i < 8; ++i) x = (x << 1) ^ ((x & 0x80) ? 0x07 : 0);
  return x;
})",
            from(any<u8>()), [](u8 x) { return static_cast<u8>(crc(&x, 1, 8, 0x07, false, 0)); });

  table.add("adler32", "unsigned int(uint2)", R"(
__device__ unsigned adler32(uint2 words) {
  unsigned a = 1, b = 0;
  for (int i = 0; i < 8; ++i) {
    a = (a + ((i < 4 ? words.x : words.y) >> 8 * (i % 4) & 255)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
})",
            from(any<Words2>()), [](Words2 words) {
              const auto bytes = std::bit_cast<std::array<u8, 8>>(words);
              u32 a = 1, b = 8;
              for (u32 i = 0; i < 8; ++i) a += bytes[i], b += (8 - i) * bytes[i];
              return b * 65536 + a;
            });

  table
      .add("siphash_2_4", "unsigned long long(unsigned long long, const SipKey&)", R"(
typedef unsigned long long Word;
struct SipKey { Word k0, k1; };
struct SipState {
  Word a, b, c, d;
  static __device__ Word rotl(Word x, int by) { return x << by | x >> (64 - by); }
  __device__ void round() {
    a += b; b = rotl(b, 13); b ^= a; a = rotl(a, 32);
    c += d; d = rotl(d, 16); d ^= c;
    a += d; d = rotl(d, 21); d ^= a;
    c += b; b = rotl(b, 17); b ^= c; c = rotl(c, 32);
  }
  __device__ void absorb(Word m) { d ^= m; round(); round(); a ^= m; }
};
__device__ Word siphash(Word message, const SipKey& key) {
  SipState s = {key.k0 ^ 0x736f6d6570736575, key.k1 ^ 0x646f72616e646f6d,
                key.k0 ^ 0x6c7967656e657261, key.k1 ^ 0x7465646279746573};
  s.absorb(message);
  s.absorb(8ull << 56);
  s.c ^= 0xff;
  for (int i = 0; i < 4; ++i) s.round();
  return s.a ^ s.b ^ s.c ^ s.d;
})",
           from(any<unsigned long long>()),
           [](unsigned long long message) {
             return static_cast<unsigned long long>(siphash_2_4(message, {0x0706050403020100, 0x0f0e0d0c0b0a0908}));
           })
      .state(SipKey{0x0706050403020100, 0x0f0e0d0c0b0a0908});

  table.add("jenkins_one_at_a_time", "unsigned int(unsigned int)", R"(
__device__ unsigned one_at_a_time(unsigned key) {
  unsigned h = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    h += key >> shift & 0xffu;
    h += h << 10;
    h ^= h >> 6;
  }
  h += h << 3;
  h ^= h >> 11;
  h += h << 15;
  return h;
})",
            from(any<u32>()), [](u32 key) {
              u32 h = 0;
              for (const u8 byte : std::bit_cast<std::array<u8, 4>>(key)) h = product(h + byte, 1025u), h ^= h / 64;
              h = product(h, 9u);
              return product(h ^ h / 2048, 32769u);
            });

  table.add("hash_combine", "unsigned long(unsigned long, int)", R"(
__device__ size_t combine(size_t seed, int value) {
  return seed ^ (static_cast<size_t>(value) + 0x9e3779b97f4a7c15 + (seed << 6) + (seed >> 2));
})",
            from(any<std::size_t>(), any<int>()), [](std::size_t seed, int value) {
              const auto wide = static_cast<u128>(seed) * 64 + seed / 4 + 0x9e3779b97f4a7c15u;
              return seed ^ static_cast<std::size_t>(wide + static_cast<u128>(value));
            });

  table
      .add("bucket_by_multiplication", "unsigned short(unsigned int, const int&)", R"(
__device__ unsigned short bucket(unsigned key, const int& bits) { return (key * 2654435769u) >> (32 - bits); })",
           from(any<u32>()),
           [](u32 key) {  // the first 10 bits of the fraction of key times the golden ratio
             return static_cast<u16>(product(key, 2654435769u) / (1u << 22));
           })
      .state(10);

  table.add("mixed_128_to_64", "unsigned long long(ulonglong2)", R"(
__device__ unsigned long long mix(ulonglong2 v) {
  const unsigned __int128 x = v.x ^ 0xa0761d6478bd642full, p = x * (v.y ^ 0xe7037ed1a0b428dbull);
  return static_cast<unsigned long long>(p ^ p >> 64);
})",
            from(any<Wide2>()),
            [](Wide2 v) {  // the product from four products of halves
              const u64 x = v.x ^ 0xa0761d6478bd642fu, y = v.y ^ 0xe7037ed1a0b428dbu, half = 0xffffffffu;
              const u64 low = (x & half) * (y & half), middle1 = (x >> 32) * (y & half),
                        middle2 = (x & half) * (y >> 32);
              const u64 carry = ((low >> 32) + (middle1 & half) + (middle2 & half)) >> 32;
              const u64 high = (x >> 32) * (y >> 32) + (middle1 >> 32) + (middle2 >> 32) + carry;
              return static_cast<unsigned long long>((x * y) ^ high);
            });
}

}  // namespace graft::test::table
