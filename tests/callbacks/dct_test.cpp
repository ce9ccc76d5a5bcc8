// Runs the ready-made cosine and sine transforms on the host, and compares with their sums in long double.
#include "tests/callbacks/fft_callbacks.hpp"

namespace graft::test {
namespace {

constexpr std::size_t kBatch = 3;

enum class Kind { Dct2, Dct3, Dst2, Dst3 };

// Output number k of the numbers x[0] to x[n - 1], by the definition.
long double expected_at(Kind kind, const long double* x, std::size_t n, std::size_t k) {
  const auto angle = [&](std::size_t numerator) {
    return M_PIl * static_cast<long double>(numerator % (4 * n)) / static_cast<long double>(2 * n);
  };
  long double sum = 0;
  for (std::size_t i = 0; i < n; ++i) switch (kind) {
      case Kind::Dct2:
        sum += 2 * x[i] * std::cos(angle(k * (2 * i + 1)));
        break;
      case Kind::Dct3:
        sum += (i == 0 ? 1 : 2) * x[i] * std::cos(angle(i * (2 * k + 1)));
        break;
      case Kind::Dst2:
        sum += 2 * x[i] * std::sin(angle((k + 1) * (2 * i + 1)));
        break;
      case Kind::Dst3:
        sum += (i + 1 == n ? 1 : 2) * x[i] * std::sin(angle((i + 1) * (2 * k + 1)));
        break;
    }
  return sum;
}

template <class T>
Fft transform_of(Kind kind, unsigned n) {
  const bool is_second = kind == Kind::Dct2 || kind == Kind::Dst2;
  const std::string name = kind == Kind::Dct2   ? "dct2"
                           : kind == Kind::Dct3 ? "dct3"
                           : kind == Kind::Dst2 ? "dst2"
                                                : "dst3";
  Options options;
  options.routes.required = Route::Host;
  return Fft::create(
      {.length = n,
       .precision = precision_of<T>(),
       .directions = is_second ? FftDirections::Forward : FftDirections::Inverse,
       .kind = FftKind::Real},
      {.load = ready<T>("dct", "load_" + name + "<{}>"), .store = ready<T>("dct", "store_" + name + "<{}>")}, options);
}

template <class T>
std::vector<T> run(const Fft& fft, const std::vector<T>& x, unsigned n) {
  std::vector<T> y(x.size(), T(NAN));
  own::Dct dct = {n};
  fft.execute(host, x, y, fft.plan().directions == FftDirections::Forward ? Direction::Forward : Direction::Inverse,
              {.batch = kBatch, .info = {.load = &dct, .store = &dct}});
  return y;
}

template <class T>
class CosineTransforms : public testing::Test {};
TYPED_TEST_SUITE(CosineTransforms, Reals);

TYPED_TEST(CosineTransforms, AreTheirSums) {
  using T = TypeParam;
  for (const Kind kind : {Kind::Dct2, Kind::Dct3, Kind::Dst2, Kind::Dst3})
    for (const unsigned n : {1U, 2U, 3U, 8U, 15U, 64U, 74U}) {
      SCOPED_TRACE(fmt::format("kind {}, {} numbers", static_cast<int>(kind), n));
      const std::vector<T> x = random_numbers<T>(kBatch * n, n);
      const std::vector<long double> wide(x.begin(), x.end());
      std::vector<Wide> expected;
      for (std::size_t i = 0; i < x.size(); ++i)
        expected.emplace_back(expected_at(kind, wide.data() + i / n * n, n, i % n));
      EXPECT_LT(rms_in_roundings(run(transform_of<T>(kind, n), x, n), expected), 8);
    }
}

TYPED_TEST(CosineTransforms, OfTypesTwoAndThreeUndoEachOther) {
  using T = TypeParam;
  constexpr unsigned kLength = 1000;
  for (const auto& [second, third] : {std::pair(Kind::Dct2, Kind::Dct3), std::pair(Kind::Dst2, Kind::Dst3)}) {
    const std::vector<T> x = random_numbers<T>(kBatch * kLength, 5);
    std::vector<Wide> expected;
    for (const T value : x) expected.emplace_back(2.0L * kLength * value);
    const std::vector<T> y = run(transform_of<T>(second, kLength), x, kLength);
    EXPECT_LT(rms_in_roundings(run(transform_of<T>(third, kLength), y, kLength), expected), 10);
  }
}

}  // namespace
}  // namespace graft::test
