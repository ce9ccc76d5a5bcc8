// Table look-up: through pointers in the state, in constant arrays, in arrays inside the state; with interpolation and
// searches.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

std::vector<float> squares(int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>(i * i));
  return values;
}
std::vector<int> shuffled(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  std::shuffle(values.begin(), values.end(), std::mt19937(3));
  return values;
}
const std::vector<float> kBreaks = {-2.5f, -1, 0, 0.5f, 3};

struct Floats {
  const float* values;
  int count;
};
struct Grid {
  const float* values;
  int width, height;
};
struct Inside {
  float knots[16];
};
struct alignas(4) Rgba {
  std::uint8_t r, g, b, a;
};
struct Strings {
  const char* text;
  const int* offsets;
};
struct Slots {
  const unsigned *keys, *values;
  unsigned mask;
};

}  // namespace

void add_look_ups(Table& table) {
  table.begin_kind("Table look-up");

  table
      .add("gather", "float(int, const Floats&)", R"(
struct Floats { const float* values; int count; };
__device__ float gather(int i, const Floats& f) { return i < 0 || i >= f.count ? -1.0f : __ldg(f.values + i); })",
           from(integers<int>(-5, 105)),
           [](int i) { return i >= 0 && i < 100 ? static_cast<float>(i) * static_cast<float>(i) : -1.0f; })
      .state([](Memory& memory) {
        return Floats{memory.copy(squares(100)), 100};
      });

  table
      .add(
          "linear_interpolation", "float(float, const Floats&)", R"(
struct Floats { const float* values; int count; };
__device__ float interpolate(float x, const Floats& f) {
  const float place = fminf(fmaxf(x, 0.0f), f.count - 1.0f);
  const int i = min(static_cast<int>(place), f.count - 2);
  const float t = place - i;
  return f.values[i] + t * (f.values[i + 1] - f.values[i]);
})",
          from(reals(-3, 70)),
          [](double x) {
            const double place = std::clamp(x, 0.0, 63.0), low = std::floor(place);
            return static_cast<float>(low * low + (place - low) * (2 * low + 1));
          },
          within(1e-6, 1e-5))
      .state([](Memory& memory) {
        return Floats{memory.copy(squares(64)), 64};
      });

  table
      .add(
          "bilinear_interpolation", "float(float, float, const Grid&)", R"(
struct Grid {
  const float* values;
  int width, height;
  __device__ float at(int x, int y) const { return values[min(y, height - 1) * width + min(x, width - 1)]; }
};
__device__ float bilinear(float x, float y, const Grid& grid) {
  const int i = static_cast<int>(x), j = static_cast<int>(y);
  const float u = x - i, v = y - j;
  const float top = grid.at(i, j) * (1 - u) + grid.at(i + 1, j) * u;
  const float bottom = grid.at(i, j + 1) * (1 - u) + grid.at(i + 1, j + 1) * u;
  return top * (1 - v) + bottom * v;
})",
          from(reals(0, 15), reals(0, 7)), [](double x, double y) { return static_cast<float>(3 * x - 2 * y + x * y); },
          within(2e-6, 1e-4))
      .state([](Memory& memory) {  // a bilinear function, which bilinear interpolation gives back
        std::vector<float> values;
        for (int y = 0; y < 8; ++y)
          for (int x = 0; x < 16; ++x) values.push_back(static_cast<float>(3 * x - 2 * y + x * y));
        return Grid{memory.copy(values), 16, 8};
      });

  table
      .add(
          "cubic_interpolation_in_the_state", "float(float, const Knots&)", R"(
struct Knots { float y[16]; };
__device__ float catmull_rom(float x, const Knots& k) {
  const int i = min(max(static_cast<int>(x), 1), 13);
  const float t = x - i, a = k.y[i - 1], b = k.y[i], c = k.y[i + 1], d = k.y[i + 2];
  return b + 0.5f * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
})",
          from(reals(1, 13.99)),
          [](double x) {
            return static_cast<float>(0.25 * x * x - x + 2);
          },  // cubics of Catmull and Rom keep parabolas
          within(4e-6, 1e-4))
      .state([](Memory&) {
        Inside knots;
        for (int i = 0; i < 16; ++i) knots.knots[i] = 0.25f * static_cast<float>(i * i) - static_cast<float>(i) + 2;
        return knots;
      });

  table
      .add("interval_by_binary_search", "int(float, const Floats&)", R"(
struct Floats { const float* values; int count; };
__device__ int interval(float x, const Floats& breaks) {
  int low = 0, high = breaks.count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (breaks.values[middle] <= x) low = middle + 1;
    else high = middle;
  }
  return low;
})",
           from(reals(-4, 4)),
           [](float x) { return static_cast<int>(std::ranges::count_if(kBreaks, [&](float b) { return b <= x; })); })
      .state([](Memory& memory) {
        return Floats{memory.copy(kBreaks), 5};
      });

  table.add(
      "palette", "uchar4(unsigned char)", R"(
__constant__ uchar4 palette[5] = {{0, 0, 0, 255}, {255, 0, 0, 255}, {0, 255, 0, 128}, {0, 0, 255, 64}, {9, 8, 7, 6}};
__device__ uchar4 look(unsigned char i) { return palette[i % 5]; })",
      from(any<std::uint8_t>()), [](std::uint8_t i) {
        const Rgba colours[] = {{0, 0, 0, 255}, {255, 0, 0, 255}, {0, 255, 0, 128}, {0, 0, 255, 64}, {9, 8, 7, 6}};
        return colours[i % 5];
      });

  table
      .add("permutation_of_the_index", "int(graft::Index, const Permutation&)", R"(
struct Permutation { const int* to; unsigned count; };
__device__ int permuted(graft::Index i, const Permutation& p) {
  return static_cast<int>(i / p.count * p.count) + p.to[i % p.count];
})",
           from(),
           [](Index i) {
             static const std::vector<int> to = shuffled(37);
             return static_cast<int>(i.value - i.value % 37) + to[i.value % 37];
           })
      .state([](Memory& memory) {
        struct Permutation {
          const int* to;
          unsigned count;
        };
        return Permutation{memory.copy(shuffled(37)), 37};
      });

  table.add("sine_by_quarter_table", "short(unsigned char)", R"(
__device__ short sine(unsigned char phase) {
  static const short quarter[17] = {0,     3212,  6393,  9512,  12539, 15446, 18204, 20787, 23170,
                                    25329, 27245, 28898, 30273, 31356, 32137, 32609, 32767};
  const int step = (phase & 63) >> 2, size = quarter[phase & 64 ? 16 - step : step];
  return static_cast<short>(phase & 128 ? -size : size);
})",
            from(any<std::uint8_t>()), [](std::uint8_t phase) {
              const int k = phase % 64 / 4, place = phase / 64 % 2 == 0 ? k : 16 - k;
              const double s = std::round(32767 * std::sin(place * 3.14159265358979 / 32));
              return static_cast<short>(phase < 128 ? s : -s);
            });

  table
      .add("string_length_by_offsets", "void(unsigned char, int&, char&, const Strings&)", R"(
struct Strings { const char* text; const int* offsets; };
__device__ void measure(unsigned char row, int& length, char& last, const Strings& s) {
  const int begin = s.offsets[row & 3], end = s.offsets[(row & 3) + 1];
  length = end - begin;
  last = length > 0 ? s.text[end - 1] : '-';
})",
           from(any<std::uint8_t>()),
           [](std::uint8_t row) {
             const std::array<std::string, 4> strings = {"lorem", "", "ipsum dolor", "x"};
             const std::string& s = strings[row % 4];
             return std::tuple(static_cast<int>(s.size()), s.empty() ? '-' : s.back());
           })
      .state([](Memory& memory) {
        const std::string text = "loremipsum dolorx";
        return Strings{memory.copy(std::vector<char>(text.begin(), text.end())),
                       memory.copy(std::vector<int>{0, 5, 5, 16, 17})};
      });

  table
      .add("hash_table_probe", "unsigned int(unsigned int, const Slots&)", R"(
struct Slots { const unsigned* keys; const unsigned* values; unsigned mask; };
__device__ unsigned find(unsigned key, const Slots& s) {
  for (unsigned slot = key * 2654435761u >> 16;; ++slot) {
    const unsigned found = s.keys[slot & s.mask];
    if (found == key) return s.values[slot & s.mask];
    if (found == 0xffffffffu) return 0;
  }
})",
           from(integers<unsigned>(0, 400)), [](unsigned key) { return key % 7 == 3 ? 10 * key + 1 : 0; })
      .state([](Memory& memory) {
        std::vector<unsigned> keys(128, 0xffffffffu), values(128);
        for (unsigned key = 3; key <= 400; key += 7) {
          unsigned slot = key * 2654435761u >> 16;
          while (keys[slot & 127] != 0xffffffffu) ++slot;
          keys[slot & 127] = key, values[slot & 127] = 10 * key + 1;
        }
        return Slots{memory.copy(keys), memory.copy(values), 127};
      });

  table.add("roman_digit", "int(char)", R"(
__device__ int value(char letter) {
  switch (letter) {
    case 'I': return 1;
    case 'V': return 5;
    case 'X': return 10;
    case 'L': return 50;
    case 'C': return 100;
    case 'D': return 500;
    case 'M': return 1000;
  }
  return -1;
})",
            from(integers<char>('A', 'Z')), [](char letter) {
              const std::map<char, int> values = {{'I', 1},   {'V', 5},   {'X', 10},  {'L', 50},
                                                  {'C', 100}, {'D', 500}, {'M', 1000}};
              const auto found = values.find(letter);
              return found == values.end() ? -1 : found->second;
            });
}

}  // namespace graft::test::table
