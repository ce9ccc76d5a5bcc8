// The kernels whose text is tested: of lengths in both precisions, each with other callbacks, strides, direction and
// scaling; with an inverse FFT in the same kernel; of several dimensions; of convolutions; of real FFTs, forward,
// inverse and both in one kernel, by halves, as complex ones, and of half of the slowest frequencies; and of columns.
// fft_texts.cpp writes their texts when the tests are built, text_on_host_test.cpp runs them on the CPU, and
// text_compiles_test.cpp compiles them for GPUs.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "families/fft/lengths.hpp"
#include "families/fft/program.hpp"

namespace graft::test {

// Which callbacks load and store: none, or those of cuFFT's or graft's shape.
enum class Shape { None, Cufft, Graft };

struct TextCase {
  int number = 0;
  Shape shape = Shape::None;
  bool has_between = false;
  families::fft::ProgramRequest request;  // of the first kernel; the others differ in `kernel` and `name`
  std::string callbacks;                  // their text, and the parts that call them
  // Makes the request's plan for an architecture.
  std::function<families::fft::Plan(Architecture)> make_plan;

  bool is_double() const { return request.plan.precision == families::fft::Precision::Double; }
};

// What stands in front of the callbacks.
inline constexpr const char* kIncludes =
    "#include \"graft/device.h\"\n#include \"graft/contract.h\"\n#include \"graft/cells.h\"\n"
    "#include \"graft/adapter.h\"\n"
    "#include \"graft/behind.h\"\n#include \"graft/compose.h\"\n"
    "#include \"graft/fft/refusals.h\"\n#include \"graft/fft/hooks.h\"\n";

inline std::string kernel_name(int number, std::size_t kernel) {
  return base::format("graft_text_{}_{}", number, kernel);
}

// The callbacks. text_on_host_test.cpp computes the same:
//   Cufft  load: multiplies by info[offset % 7]; store: multiplies by info[offset % 5]
//   Graft  load: (a, b, state, index) -> a * (state.gain + index % 3) + b, where b is a 16-bit integer
//          between: (value, index, state) -> value * (state.scale * (index % 5) - 1)
//          store: (value, other, state, index) -> {value.y * other, value.x + state.offset * (index % 4)}
// The callbacks for numbers are the same for a real part alone, but for the last one, which returns
// value * other + state.offset * (index % 4).
inline std::string callbacks_text(bool is_double) {
  const char* const real = is_double ? "double" : "float";
  std::string text;
  base::append(text, R"(typedef {0} user_real;
typedef {0}2 user_complex;
__device__ user_complex user_cufft_load(void* data, unsigned long long offset, void* info, void*) {{
  user_complex value = ((user_complex*)data)[offset];
  const user_real factor = ((const user_real*)info)[offset % 7];
  value.x *= factor;
  value.y *= factor;
  return value;
}}
__device__ void user_cufft_store(void* data, unsigned long long offset, user_complex value, void* info, void*) {{
  const user_real factor = ((const user_real*)info)[offset % 5];
  value.x *= factor;
  value.y *= factor;
  ((user_complex*)data)[offset] = value;
}}
struct UserGain {{ user_real gain; }};
__device__ user_complex user_load(user_complex a, short b, const UserGain& state, graft::Index index) {{
  const user_real factor = state.gain + (user_real)(index % 3);
  a.x = a.x * factor + (user_real)b;
  a.y = a.y * factor;
  return a;
}}
struct UserFilter {{ user_real scale; }};
__device__ user_complex user_between(const user_complex value, graft::Index index, const UserFilter& state) {{
  const user_real factor = state.scale * (user_real)(index % 5) - 1;
  user_complex result;
  result.x = value.x * factor;
  result.y = value.y * factor;
  return result;
}}
struct UserOffset {{ user_real before; user_real offset; }};
__device__ user_complex user_store(user_complex value, user_real other, graft::Index index,
                                   const UserOffset& state) {{
  user_complex result;
  result.x = value.y * other;
  result.y = value.x + state.offset * (user_real)(index % 4);
  return result;
}}
__device__ user_real user_cufft_load_number(void* data, unsigned long long offset, void* info, void*) {{
  return ((user_real*)data)[offset] * ((const user_real*)info)[offset % 7];
}}
__device__ void user_cufft_store_number(void* data, unsigned long long offset, user_real value, void* info, void*) {{
  ((user_real*)data)[offset] = value * ((const user_real*)info)[offset % 5];
}}
__device__ user_real user_load_number(user_real a, short b, const UserGain& state, graft::Index index) {{
  return a * (state.gain + (user_real)(index % 3)) + (user_real)b;
}}
__device__ user_real user_store_number(user_real value, user_real other, graft::Index index, const UserOffset& state) {{
  return value * other + state.offset * (user_real)(index % 4);
}}
GRAFT_PART(user_cufft_load_part, user_cufft_load)
GRAFT_PART(user_cufft_store_part, user_cufft_store)
GRAFT_PART(user_load_part, user_load)
GRAFT_PART(user_between_part, user_between)
GRAFT_PART(user_store_part, user_store)
GRAFT_PART(user_cufft_load_number_part, user_cufft_load_number)
GRAFT_PART(user_cufft_store_number_part, user_cufft_store_number)
GRAFT_PART(user_load_number_part, user_load_number)
GRAFT_PART(user_store_number_part, user_store_number)
)",
               real);
  return text;
}

inline std::vector<TextCase> text_cases() {
  std::vector<TextCase> cases;
  // Adds the case of a plan, which make_plan(architecture) makes.
  const auto add_plan = [&](bool has_inverse, std::function<families::fft::Plan(Architecture)> make_plan) {
    TextCase c;
    c.number = static_cast<int>(cases.size());
    const int kind = (c.number / 2 + c.number) % 6;
    c.request.plan = make_plan(Architecture(c.number % 8 < 6 ? 90 : 75));
    c.make_plan = std::move(make_plan);
    const families::fft::Layout &in = c.request.plan.kernels.front().in, &out = c.request.plan.kernels.back().out;
    const bool is_real = in.has_numbers() || out.has_numbers();
    c.request.name = kernel_name(c.number, 0);
    c.request.is_inverse = !has_inverse && (is_real ? out.has_numbers() : c.number % 4 >= 2);
    if (c.number % 3 == 0) c.request.scale = 1 / static_cast<double>(c.request.plan.length);
    c.request.has_unit_stride_in = kind < 4;
    c.request.has_unit_stride_out = kind % 2 == 0;
    c.request.has_long_arrays = c.number % 5 == 0;
    c.callbacks = callbacks_text(c.is_double());
    c.shape = static_cast<Shape>(kind % 3);
    c.has_between = has_inverse && c.number % 4 != 3;
    if (c.shape != Shape::None || c.has_between) {
      const std::string name = c.shape == Shape::Cufft ? "user_cufft" : "user";
      const auto part = [](bool is_there, const std::string& of) { return is_there ? of + "_part" : "graft_no_stage"; };
      const auto of_side = [&](const families::fft::Layout& side, const char* stage) {
        return part(c.shape != Shape::None, name + stage + (side.has_numbers() ? "_number" : ""));
      };
      const auto point = [](const families::fft::Layout& side) {
        return side.has_numbers() ? "user_real" : "graft_complex";
      };
      c.request.hooks =
          base::format("graft_fft_hooks<graft_staged<{}, {}, {}>, graft_complex, {}, {}>", of_side(in, "_load"),
                       part(c.has_between, "user_between"), of_side(out, "_store"), point(in), point(out));
    }
    cases.push_back(std::move(c));
  };
  const auto add = [&](std::int64_t length, families::fft::Precision precision, bool has_inverse,
                       const families::fft::Choices& choices = {}) {
    add_plan(has_inverse, [=](Architecture architecture) {
      return has_inverse ? families::fft::make_plan_with_inverse(length, precision, architecture, choices).value()
                         : families::fft::make_plan(length, precision, architecture);
    });
  };
  for (const std::int64_t length :
       {1,    2,    3,    4,    5,    6,    7,    8,     9,     10,     11,    12,   13,   14,   15,
        16,   17,   19,   23,   29,   31,   46,   323,   961,   7429,   14973, 18,   20,   21,   22,
        24,   25,   26,   27,   28,   32,   33,   35,    40,    48,     49,    64,   81,   100,  121,
        125,  128,  169,  200,  243,  256,  343,  360,   512,   625,    1000,  1001, 1024, 1331, 1536,
        2000, 2048, 2187, 2197, 4096, 5000, 8192, 16384, 65536, 100000, 12005, 15379})
    for (const auto precision : {families::fft::Precision::Single, families::fft::Precision::Double})
      add(length, precision, false);
  for (const std::int64_t length : {1, 2, 8, 16, 100, 243, 1000, 1024, 2197, 4096})
    for (const auto precision : {families::fft::Precision::Single, families::fft::Precision::Double})
      add(length, precision, true);
  // Two and three factors.
  for (const auto precision : {families::fft::Precision::Single, families::fft::Precision::Double}) {
    add(32768, precision, true);
    add(720, precision, true, {.factors = {8, 9, 10}});
    add(1716, precision, true, {.factors = {11, 13, 12}});
    add(700, precision, true, {.factors = {20, 35}});
  }
  // Several dimensions, in one kernel and in several.
  for (const std::vector<std::int64_t>& shape : std::initializer_list<std::vector<std::int64_t>>{{2, 2},
                                                                                                 {3, 4},
                                                                                                 {12, 20},
                                                                                                 {16, 16},
                                                                                                 {32, 64},
                                                                                                 {15, 1, 16},
                                                                                                 {8, 9, 10},
                                                                                                 {16, 16, 16},
                                                                                                 {100, 360},
                                                                                                 {24, 30, 40}})
    for (const bool has_inverse : {false, true})
      for (const auto precision : {families::fft::Precision::Single, families::fft::Precision::Double})
        add_plan(has_inverse, [=](Architecture architecture) {
          return families::fft::make_plan_of_shape(shape, precision, architecture, has_inverse).value();
        });
  for (const std::int64_t half : {1, 2, 3, 4, 8, 15, 50, 128, 243, 512, 1000, 4096})
    for (const auto what : {families::fft::Half::Stored, families::fft::Half::Loaded, families::fft::Half::Between}) {
      const auto precision =
          cases.size() % 2 == 0 ? families::fft::Precision::Single : families::fft::Precision::Double;
      add_plan(what == families::fft::Half::Between, [=](Architecture architecture) {
        return families::fft::make_plan_of_half(half, precision, architecture, what).value();
      });
    }
  // Of any extents, by convolutions.
  for (const std::vector<std::int64_t>& shape : std::initializer_list<std::vector<std::int64_t>>{
           {6, 37}, {37, 6}, {41, 43}, {3, 74, 5}, {37, 3, 4}, {100, 307}, {509, 8}})
    for (const auto precision : {families::fft::Precision::Single, families::fft::Precision::Double})
      add_plan(false, [=](Architecture architecture) {
        return families::fft::make_plan_of_shape(shape, precision, architecture, false).value();
      });
  for (const std::vector<std::int64_t>& shape :
       std::initializer_list<std::vector<std::int64_t>>{{37, 8}, {41, 100}, {4, 37, 30}})
    for (const auto what : {families::fft::Half::Stored, families::fft::Half::Loaded}) {
      const auto precision =
          cases.size() % 2 == 0 ? families::fft::Precision::Single : families::fft::Precision::Double;
      add_plan(false, [=](Architecture architecture) {
        return families::fft::make_plan_of_real_shape(shape, precision, architecture, what).value();
      });
    }
  for (const std::vector<std::int64_t>& shape : std::initializer_list<std::vector<std::int64_t>>{
           {3, 2}, {5, 4}, {12, 20}, {33, 64}, {7, 90}, {1, 16, 30}, {3, 4, 6}, {6, 5, 8}, {24, 30, 40}, {100, 360}})
    for (const auto what : {families::fft::Half::Stored, families::fft::Half::Loaded, families::fft::Half::Between}) {
      const auto precision =
          cases.size() % 2 == 0 ? families::fft::Precision::Single : families::fft::Precision::Double;
      add_plan(what == families::fft::Half::Between, [=](Architecture architecture) {
        return families::fft::make_plan_of_real_shape(shape, precision, architecture, what).value();
      });
    }
  for (const std::int64_t length : {37, 41, 43, 59, 67, 74, 127, 206, 257, 509, 1021, 1111, 4099, 10007}) {
    const auto precision = cases.size() % 4 < 2 ? families::fft::Precision::Single : families::fft::Precision::Double;
    add_plan(false, [=](Architecture architecture) {
      return families::fft::make_plan_of_convolution(length, precision, architecture).value();
    });
  }
  // Complex FFTs that take or make numbers.
  const auto add_real = [&](std::int64_t points, bool is_filter, const auto& plan_of) {
    const auto precision = cases.size() % 4 < 2 ? families::fft::Precision::Single : families::fft::Precision::Double;
    const auto what = is_filter               ? families::fft::Half::Between
                      : cases.size() % 2 == 0 ? families::fft::Half::Stored
                                              : families::fft::Half::Loaded;
    add_plan(is_filter,
             [=](Architecture architecture) { return with_numbers(plan_of(precision, architecture), points, what); });
  };
  for (const std::int64_t length : {1, 3, 9, 15, 81, 343, 1001, 40000})
    for (const bool is_filter : {false, true})
      add_real(length, is_filter, [=](families::fft::Precision precision, Architecture architecture) {
        return is_filter ? families::fft::make_plan_with_inverse(length, precision, architecture).value()
                         : families::fft::make_plan(length, precision, architecture);
      });
  for (const std::int64_t length : {37, 82, 10007})
    add_real(length, false, [=](families::fft::Precision precision, Architecture architecture) {
      return families::fft::make_plan_of_convolution(length, precision, architecture).value();
    });
  for (const std::vector<std::int64_t>& shape : std::initializer_list<std::vector<std::int64_t>>{
           {4, 6}, {5, 9}, {16, 1}, {3, 4, 6}, {100, 360}, {24, 30, 40}, {5, 37}, {8, 82}, {43, 9}})
    for (const bool is_filter : {false, true, false}) {
      if (is_filter && !std::ranges::all_of(shape, families::fft::is_good_length)) continue;
      add_real(shape.back(), is_filter, [=](families::fft::Precision precision, Architecture architecture) {
        return families::fft::make_plan_of_shape(shape, precision, architecture, is_filter).value();
      });
    }
  // Of FFTs that are neighbours in memory.
  const auto add_columns = [&](const std::vector<std::int64_t>& shape, bool has_inverse,
                               std::optional<families::fft::Half> half) {
    const auto precision = cases.size() % 4 < 2 ? families::fft::Precision::Single : families::fft::Precision::Double;
    add_plan(has_inverse, [=](Architecture architecture) {
      return families::fft::make_plan_of_columns(shape, precision, architecture, has_inverse, half).value();
    });
  };
  for (const std::vector<std::int64_t>& shape : std::initializer_list<std::vector<std::int64_t>>{
           {2}, {7}, {16}, {37}, {60}, {100}, {243}, {512}, {1000}, {3, 4}, {16, 16}, {12, 20}, {4, 6, 5}})
    for (const bool has_inverse : {false, true})
      if (!has_inverse || std::ranges::all_of(shape, families::fft::is_good_length))
        add_columns(shape, has_inverse, std::nullopt);
  for (const std::vector<std::int64_t>& shape :
       std::initializer_list<std::vector<std::int64_t>>{{2}, {14}, {32}, {100}, {15}, {243}, {500}, {4, 6}, {5, 9}})
    for (const auto what : {families::fft::Half::Stored, families::fft::Half::Loaded, families::fft::Half::Between})
      add_columns(shape, what == families::fft::Half::Between, what);
  // Of the first half of the slowest frequencies.
  for (const std::int64_t length : {16, 64, 720, 4096, 6000, 65536})
    for (const bool is_inverse : {false, true}) {
      const auto precision = cases.size() % 4 < 2 ? families::fft::Precision::Single : families::fft::Precision::Double;
      add_plan(false, [=](Architecture architecture) {
        return families::fft::make_plan_of_long_real(length, precision, architecture, is_inverse).value();
      });
    }
  for (const std::vector<std::int64_t>& shape : std::initializer_list<std::vector<std::int64_t>>{
           {2, 6}, {16, 1, 30}, {4, 9, 16}, {8, 6, 5}, {18, 25}, {6, 200, 160}, {128, 96}})
    for (const auto half : {families::fft::Half::Stored, families::fft::Half::Loaded}) {
      const auto precision = cases.size() % 4 < 2 ? families::fft::Precision::Single : families::fft::Precision::Double;
      add_plan(false, [=](Architecture architecture) {
        return families::fft::make_plan_of_real_shape(shape, precision, architecture, half).value();
      });
    }
  for (const std::vector<std::int64_t>& shape : std::initializer_list<std::vector<std::int64_t>>{{16, 1}, {1, 16}})
    for (const auto what : {families::fft::Half::Stored, families::fft::Half::Loaded, families::fft::Half::Between})
      add_columns(shape, what == families::fft::Half::Between, what);
  // Of several dimensions of which one is split: with the factor that is left in the kernel of the faster ones, and
  // with one of its own.
  using Extents = std::vector<std::int64_t>;
  const auto add_split = [&](const Extents& shape, int dimension, const Extents& factors, bool is_real) {
    const auto precision = cases.size() % 4 < 2 ? families::fft::Precision::Single : families::fft::Precision::Double;
    const auto plan_of = [=](Architecture architecture) {
      families::fft::Choices choices;
      choices.factors = factors;
      choices.split = dimension;
      return families::fft::make_plan_of_shape(shape, precision, architecture, false, choices).value();
    };
    if (!is_real) return add_plan(false, plan_of);
    for (const auto half : {families::fft::Half::Stored, families::fft::Half::Loaded})
      add_plan(false,
               [=](Architecture architecture) { return with_numbers(plan_of(architecture), shape.back(), half); });
  };
  for (const bool is_real : {false, true, false}) {
    add_split({24, 5}, 1, {6}, is_real);
    add_split({256, 32}, 1, {16}, is_real);
    add_split({30, 3, 4}, 2, {10}, is_real);
    add_split({24, 30}, 1, {6, 4}, is_real);
    add_split({4, 36}, 0, {9, 4}, is_real);
    add_split({5, 24, 7}, 1, {4, 6}, is_real);
    add_split({3, 4, 128}, 0, {16, 8}, is_real);
  }
  // Of long real FFTs in three kernels.
  for (const Extents& factors : std::initializer_list<Extents>{{4, 3, 6}, {16, 4, 8}, {64, 16, 32}, {18, 10, 10}})
    for (const bool is_inverse : {false, true, true, false}) {
      const auto precision = cases.size() % 4 < 2 ? families::fft::Precision::Single : families::fft::Precision::Double;
      const std::int64_t length = factors[0] * factors[1] * factors[2];
      add_plan(false, [=](Architecture architecture) {
        families::fft::Choices choices;
        choices.factors = factors;
        return families::fft::make_plan_of_long_real(length, precision, architecture, is_inverse, choices).value();
      });
    }
  return cases;
}

}  // namespace graft::test
