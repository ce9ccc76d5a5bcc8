// Ways to write a callback: lambdas, function objects, template instances, macros, standard headers, helpers of many
// kinds.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

using u32 = std::uint32_t;

double polynomial(double x) {
  return 1 + 2 * x + 3 * x * x + 4 * x * x * x;
}

}  // namespace

void add_forms(Table& table) {
  table.begin_kind("Forms of source");

  table.add("lambda_with_a_body", "float(float, float)", R"([](float x, float y) -> float {
  const float low = x < y ? x : y;
  return low * low;
})",
            from(reals(-3, 3), reals(-3, 3)), [](float x, float y) { return std::min(x, y) * std::min(x, y); });

  table.add("lambda_of_two_results", "void(int, int&, int&)",
            "[](int x, int& half, int& rest) { half = x >> 1; rest = x & 1; }", from(any<int>()),
            [](int x) { return std::tuple(static_cast<int>(std::floor(x / 2.0)), x % 2 == 0 ? 0 : 1); });

  table
      .add("function_object", "double(double)", R"(
struct Polynomial {
  double c[4];
  __device__ double operator()(double x) const { return c[0] + x * (c[1] + x * (c[2] + x * c[3])); }
};)",
           from(doubles(-2, 2)), polynomial, within(1e-14, 1e-14))
      .entry("Polynomial{{1, 2, 3, 4}}");

  table
      .add("function_object_of_a_template", "int(int)", R"(
template <int N> struct Wrap {
  __device__ int operator()(int x) const { const int r = x % N; return r < 0 ? r + N : r; }
};)",
           from(any<int>()),
           [](int x) { return static_cast<int>(x - 12 * static_cast<std::int64_t>(std::floor(x / 12.0))); })
      .entry("Wrap<12>{}");

  table
      .add("template_of_two_types", "unsigned char(float)", R"(
template <class To, class From>
__device__ To rounded(From x) { return x < 0 ? To(0) : static_cast<To>(x + From(0.5)); })",
           from(reals(-10, 250)),
           [](float x) { return static_cast<std::uint8_t>(x < 0 ? 0 : std::floor(static_cast<double>(x + 0.5f))); })
      .entry("rounded<unsigned char, float>");

  table
      .add(
          "template_over_a_number", "float(float)", R"(
template <unsigned N>
__device__ float power(float x) {
  if constexpr (N == 0) return 1;
  else if constexpr (N % 2 == 1) return x * power<N - 1>(x);
  else { const float half = power<N / 2>(x); return half * half; }
})",
          from(reals(-2, 2)), [](double x) { return static_cast<float>(std::pow(x, 13)); }, within(2e-6, 1e-30))
      .entry("power<13>");

  table
      .add("namespaces_and_overloads", "int(int)", R"(
namespace outer { inline namespace v2 {
__device__ int twice(int x) { return 2 * x; }
__device__ double twice(double x) { return 2.5 * x; }
} }
namespace alias = outer::v2;
__device__ int callback(int x) { return alias::twice(x) + static_cast<int>(outer::twice(1.0)); })",
           from(integers<int>(-1000, 1000)), [](int x) { return x + x + 2; })
      .entry("callback");

  table
      .add(
          "defined_by_a_macro", "float(float)", R"(
#define UNARY(name, expression) __device__ float name(float x) { return expression; }
#define SQUARE(x) ((x) * (x))
UNARY(lorentzian, 1.0f / (1.0f + SQUARE(x)))
#undef UNARY)",
          from(reals(-5, 5)), [](double x) { return static_cast<float>(1 / (1 + x * x)); }, within(1e-6))
      .entry("lorentzian");

  table.add("macros_named_like_everything", "float(float)", R"(
#define N 3
#define T float
#define I j
#define value 7
#define size(x) (x)
#define pi 3.0f
__device__ T series(T x) {
  T sum = 0;
  for (int I = 0; I < N; ++I) sum += size(x) * pi + value;
  return sum;
})",
            from(integers<float>(-99, 99)), [](float x) { return 9 * x + 21; });

  table.add("conditional_compilation", "int(int)", R"(
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 9000
#define FOLD(x) ((x) + 1)
#else
#define FOLD(x) (1 + (x))
#endif
__device__ int fold(int x) { return FOLD(x); })",
            from(integers<int>(-1000, 1000)), [](int x) { return -~x; });

  table
      .add("recursive_helper", "unsigned int(unsigned char)", R"(
__device__ __noinline__ unsigned ackermann_like(unsigned m, unsigned n) {
  return m == 0 ? n + 1 : n == 0 ? ackermann_like(m - 1, 1) : ackermann_like(m - 1, ackermann_like(m, n - 1));
}
__device__ unsigned callback(unsigned char n) { return ackermann_like(1, n & 15); })",
           from(any<std::uint8_t>()), [](std::uint8_t n) { return n % 16 + 2u; })
      .entry("callback")
      .calls("ackermann_like(unsigned int, unsigned int)");

  table
      .add(
          "variadic_helpers", "double(double, double, double)", R"(
template <class... T>
__device__ auto mean(T... x) { return (x + ...) / sizeof...(x); }
template <class... T>
__device__ auto squared_sum(T... x) { return (0.0 + ... + (x * x)); }
__device__ double variance(double a, double b, double c) {
  const double m = mean(a, b, c);
  return squared_sum(a - m, b - m, c - m) / 2;
})",
          from(doubles(-9, 9), doubles(-9, 9), doubles(-9, 9)),
          [](double a, double b, double c) { return ((a - b) * (a - b) + (b - c) * (b - c) + (c - a) * (c - a)) / 6; },
          within(1e-13, 1e-13))
      .entry("variance");

  table
      .add("constexpr_table", "unsigned int(unsigned char)", R"(
struct Primes {
  unsigned p[16] = {};
  constexpr __host__ __device__ Primes() {
    int found = 0;
    for (unsigned n = 2; found < 16; ++n) {
      bool prime = true;
      for (unsigned d = 2; d * d <= n; ++d) prime = prime && n % d != 0;
      if (prime) p[found++] = n;
    }
  }
};
__device__ unsigned prime(unsigned char i) {
  constexpr Primes primes;
  return primes.p[i & 15];
})",
           from(any<std::uint8_t>()),
           [](std::uint8_t i) {
             const u32 primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
             return primes[i % 16];
           })
      .entry("prime");

  table.add(
      "inner_lambda_captures", "float(float, float)", R"(
__device__ float newton_root(float a, float start) {
  float x = start;
  const auto improve = [&x, a](int times) {
    while (times-- > 0) x = 0.5f * (x + a / x);
  };
  improve(12);
  return x;
})",
      from(reals(0.5, 100), reals(0.5, 10)), [](double a, float) { return static_cast<float>(std::sqrt(a)); },
      within(1e-6));

  table
      .add(
          "c_style", "float(float, const params&)", R"(
typedef struct params { float a; int n; } params_t;
static __device__ __inline__ float helper(const float x) { return x * x; }
extern "C" __device__ float c_style(float x, const params_t &p)
{
    int i;
    float y = x;
    for (i = 0; i < p.n; i++)
        y = p.a * helper(y);
    return y;
})",
          from(reals(-1, 1)), [](double x) { return static_cast<float>(0.125 * std::pow(x, 4)); }, within(1e-6, 1e-20))
      .entry("c_style")
      .state([](Memory&) {
        struct Parameters {
          float a;
          int n;
        };
        return Parameters{0.5f, 2};
      });

  table.add(
      "standard_mathematics", "double(double)", R"(
#include <cmath>
__device__ double f(double x) {
  using std::abs;
  return std::isfinite(x) ? std::fma(x, x, std::cbrt(x)) + abs(x) + std::hypot(x, 1.0) : x - x;
})",
      from(doubles(-9, 9)),
      [](double x) {
        return x * x + std::copysign(std::pow(std::fabs(x), 1.0 / 3), x) + std::fabs(x) + std::sqrt(x * x + 1);
      },
      within(1e-13, 1e-13));

  table.add(
      "standard_nan", "double(double)", R"(
#include <cmath>
__device__ double root(double x) { return x < 0 ? std::nan("") : std::sqrt(x); })",
      from(doubles(-2, 4)), [](double x) { return std::pow(x, 0.5); }, within(1e-15));

  table
      .add("standard_limits", "int(float)", R"(
#include <limits>
#include <type_traits>
template <class T> __device__ T saturated(float x) {
  using L = std::numeric_limits<T>;
  static_assert(std::is_integral<T>::value && L::digits == 31);
  if (x >= static_cast<float>(L::max())) return L::max();
  return x < static_cast<float>(L::min()) ? L::min() : static_cast<T>(x);
}
__device__ int callback(float x) { return saturated<int>(x); })",
           from(reals(-5e9, 5e9)),
           [](float x) {
             return static_cast<int>(std::trunc(std::clamp(static_cast<double>(x), -2147483648.0, 2147483647.0)));
           })
      .entry("callback");

  table.add("standard_algorithms", "float(float, float, float)", R"(
#include <algorithm>
#include <array>
#include <utility>
__device__ float median(float a, float b, float c) {
  std::array<float, 3> x = {a, b, c};
  if (x[1] < x[0]) std::swap(x[0], x[1]);
  return std::clamp(x[2], x[0], std::max(x[0], x[1]));
})",
            from(reals(-9, 9), reals(-9, 9), reals(-9, 9)), [](float a, float b, float c) {
              std::array<float, 3> x = {a, b, c};
              std::nth_element(x.begin(), x.begin() + 1, x.end());
              return x[1];
            });

  table
      .add(
          "standard_bits_and_numbers", "double(unsigned int)", R"(
#include <bit>
#include <numbers>
__device__ double f(unsigned x) { return std::popcount(x) * std::numbers::pi + std::countl_zero(x); })",
          from(any<u32>()),
          [](u32 x) { return std::numbers::pi * __builtin_popcount(x) + (x == 0 ? 32 : __builtin_clz(x)); },
          within(1e-15, 1e-14))
      .standard(CppStandard::Cpp20);

  table
      .add("cccl_containers", "int(int)", R"(
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/utility>
__device__ int f(int x) {
  const cuda::std::array<int, 3> weights = {1, 10, 100};
  const auto [quotient, rest] = cuda::std::make_pair(x / 3, x % 3);
  return quotient * weights[1] + rest * weights[2] + cuda::std::get<0>(cuda::std::make_tuple(weights[0], 'x'));
})",
           from(integers<int>(0, 100000)), [](int x) { return (x - x % 3) / 3 * 10 + 100 * (x % 3) + 1; })
      .refused({{Route::Host}, ErrorCode::CompileFailed, "cuda/std/array", "include_paths"});

  table.add("comments_and_strings", "char(unsigned char)", R"(
/* __device__ int not_a_callback(int); */
// __device__ float nor_this(float x) { return x; }
__device__ char letter(unsigned char i) {
  const char* text = "/* no comment */ \" } { // neither";  // a trailing comment with a brace {
  return text[i % 16];
})",
            from(any<std::uint8_t>()), [](std::uint8_t i) { return std::string("/* no comment */")[i % 16]; });
}

}  // namespace graft::test::table
