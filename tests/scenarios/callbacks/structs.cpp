// Structs, enums, many arrays and the index: the shapes that records and simulations have.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

struct alignas(8) Particle {
  using Scalar = float;
  float x, y, vx, vy;
};
struct World {
  float dt, gravity, floor;
};
struct Wide {
  std::int64_t parts[4];
};
struct Bytes3 {
  std::uint8_t a, b, c;
};
#pragma pack(push, 1)
struct Record {
  char tag;
  int value;
  short scale;
};
#pragma pack(pop)
struct Optional {
  int value;
  int has_value;
};
enum class Token : std::uint8_t { Space, Digit, Letter, Other };
enum Phase : int { kSolid, kLiquid, kGas };
struct Shape {
  std::int32_t kind;
  float a, b;
};

Optional checked_quotient(int a, int b) {
  return b == 0 ? Optional{0, 0} : Optional{a / b, 1};
}

}  // namespace

void add_structs(Table& table) {
  table.begin_kind("Structs, enums and many arrays");

  table
      .add(
          "particle_step", "Particle(Particle, const World&)", R"(
struct __align__(8) Particle { float x, y, vx, vy; };
struct World { float dt, gravity, floor; };
__device__ Particle step(Particle p, const World& w) {
  p.vy -= w.gravity * w.dt;
  p.x += p.vx * w.dt;
  p.y += p.vy * w.dt;
  if (p.y < w.floor) {
    p.y = 2 * w.floor - p.y;
    p.vy = -p.vy;
  }
  return p;
})",
          from(vectors<Particle>(-2, 2)),
          [](Particle p) {
            const double vy = p.vy - 10 * 0.125, y = p.y + vy * 0.125;
            const bool bounces = y < -1;
            return Particle{static_cast<float>(p.x + p.vx * 0.125), static_cast<float>(bounces ? -2 - y : y), p.vx,
                            static_cast<float>(bounces ? -vy : vy)};
          },
          within(0, 2e-6))
      .state(World{0.125f, 10, -1});

  table.add("thirty_two_bytes", "Wide(Wide)", R"(
struct Wide { long long parts[4]; };
__device__ Wide rotate(Wide w) { return {{w.parts[3], w.parts[0], w.parts[1], w.parts[2]}}; })",
            from(any<Wide>()), [](Wide w) {
              std::rotate(w.parts, w.parts + 3, w.parts + 4);
              return w;
            });

  table.add("three_bytes_sorted", "Three(Three)", R"(
struct Three { unsigned char a, b, c; };
__device__ Three sorted(Three t) {
  const unsigned char low = min(min(t.a, t.b), t.c), high = max(max(t.a, t.b), t.c);
  return {low, static_cast<unsigned char>(t.a + t.b + t.c - low - high), high};
})",
            from(any<Bytes3>()), [](Bytes3 t) {
              std::array<std::uint8_t, 3> x = {t.a, t.b, t.c};
              std::sort(x.begin(), x.end());
              return Bytes3{x[0], x[1], x[2]};
            });

  table.add("packed_record", "long long(Record)", R"(
#pragma pack(push, 1)
struct Record { char tag; int value; short scale; };
#pragma pack(pop)
__device__ long long scaled(Record r) { return r.tag > 0 ? 1ll * r.value * r.scale : 0; })",
            from(any<Record>()),
            [](Record r) { return r.tag > 0 ? static_cast<long long>(static_cast<double>(r.value) * r.scale) : 0ll; });

  table.add("optional_quotient", "Optional(int, int)", R"(
struct Optional { int value; int has_value; };
__device__ Optional divide(int a, int b) {
  Optional result{};
  if (b != 0) result = {a / b, true};
  return result;
})",
            from(integers<int>(-100, 100), integers<int>(-3, 3)), checked_quotient);

  table.add("token_class", "Token(char)", R"(
enum class Token : uint8_t { Space, Digit, Letter, Other };
__device__ Token classify(char c) {
  if (c == ' ' || (c >= '\t' && c <= '\r')) return Token::Space;
  if (c >= '0' && c <= '9') return Token::Digit;
  return (c | 32) >= 'a' && (c | 32) <= 'z' ? Token::Letter : Token::Other;
})",
            from(integers<char>(0, 127)), [](char c) {
              const int code = static_cast<unsigned char>(c);
              if (std::isspace(code)) return Token::Space;
              if (std::isdigit(code)) return Token::Digit;
              return std::isalpha(code) ? Token::Letter : Token::Other;
            });

  table.add("phase_of_water", "Phase(float, float)", R"(
enum Phase : int { kSolid, kLiquid, kGas };
__device__ Phase phase(float celsius, float boiling) {
  switch ((celsius >= 0) + (celsius >= boiling)) {
    case 0: return kSolid;
    case 1: return kLiquid;
  }
  return kGas;
})",
            from(reals(-50, 150), reals(60, 120)), [](float celsius, float boiling) {
              return celsius < 0 ? kSolid : celsius < boiling ? kLiquid : kGas;
            });

  table.add(
      "tagged_shape_area", "float(Shape)", R"(
struct Shape {
  int kind;
  union { float side; float radius; float width; };
  float height;
};
__device__ float area(Shape s) {
  switch (s.kind) {
    case 0: return s.side * s.side;
    case 1: return 3.14159265f * s.radius * s.radius;
    default: return s.width * s.height / (s.kind == 2 ? 1 : 2);
  }
})",
      from([](Random& random) {
        return Shape{integers<std::int32_t>(0, 3)(random), reals(0, 9)(random), reals(0, 9)(random)};
      }),
      [](Shape s) {
        const double a = s.a, all[] = {a * a, M_PI * a * a, a * s.b, a * s.b / 2};
        return static_cast<float>(all[s.kind]);
      },
      within(1e-6));

  table.add("eight_inputs", "double(float, double, int, short, unsigned char, long long, bool, char)", R"(
__device__ double total(float a, double b, int c, short d, unsigned char e, long long f, bool g, char h) {
  return g ? a + b + c + d + e + f + h : -1.0;
})",
            from(
                integers<float>(-99, 99), integers<double>(-99, 99), integers<int>(-99, 99), integers<short>(-99, 99),
                any<std::uint8_t>(), integers<long long>(-99, 99), [](Random& random) { return random() % 2 == 0; },
                integers<char>(-99, 99)),
            [](float a, double b, int c, short d, std::uint8_t e, long long f, bool g, char h) {
              const std::array<double, 7> x = {a, b, double(c), double(d), double(e), double(f), double(h)};
              double sum = 0;
              for (const double term : x) sum += term;
              return g ? sum : -1.0;
            });

  table.add("four_outputs", "int(int, int, long long&, bool&, float&)", R"(
__device__ int compare(int a, int b, long long& product, bool& less, float& ratio) {
  product = static_cast<long long>(a) * b;
  less = a < b;
  ratio = static_cast<float>(a) / static_cast<float>(b);
  return (a > b) - (a < b);
})",
            from(integers<int>(-1000000, 1000000), integers<int>(1, 1000000)), [](int a, int b) {
              const auto product = static_cast<long long>(static_cast<double>(a) * b);
              return std::tuple(std::clamp(a - b, -1, 1), product, a - b < 0,
                                static_cast<float>(static_cast<double>(a) / b));
            });

  table.add("outputs_left_unwritten", "void(int, int&, unsigned char&)", R"(
__device__ void positive_only(int x, int& root, unsigned char& flag) {
  if (x < 0) return;
  root = x / 2;
  flag = 1;
})",
            from(any<int>()),
            [](int x) { return x < 0 ? std::tuple(0, std::uint8_t{0}) : std::tuple(x >> 1, std::uint8_t{1}); });

  table
      .add("row_and_column_of_the_index", "int2(graft::Index, const unsigned int&)", R"(
__device__ int2 place(graft::Index i, const unsigned& width) {
  return make_int2(static_cast<int>(i / width), static_cast<int>(i % width));
})",
           from(),
           [](Index i) {
             struct alignas(8) Place {
               int row, column;
             };
             const auto n = static_cast<int>(i.value);
             return Place{n / 29, n - n / 29 * 29};
           })
      .state(29u);

  table.add("alternating_sign_of_the_index", "float(float, graft::Index)", R"(
__device__ float alternate(float x, graft::Index i) { return i % 2 == 0 ? x : -x; })",
            from(reals(-9, 9)), [](float x, Index i) { return x * (1.0f - 2.0f * static_cast<float>(i.value & 1)); });

  table
      .add("counted_by_atomics", "bool(int, const Counter&)", R"(
struct Counter { int* zeros; };
__device__ bool is_zero(int x, const Counter& counter) {
  if (x == 0) atomicAdd(counter.zeros, 1);
  return x == 0;
})",
           from(integers<int>(-2, 2)), [](int x) { return x * x < 1; })
      .state([](Memory& memory) {
        struct Counter {
          int* zeros;
        };
        return Counter{memory.copy(std::vector<int>{0})};
      });
}

}  // namespace graft::test::table
