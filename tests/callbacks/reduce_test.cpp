// Compares the ready-made parts of reductions with plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

Reduce reduction(const std::optional<Callback>& map, const Callback& combine,
                 const std::optional<Callback>& finish = {}) {
  return Reduce::create({.map = map, .combine = combine, .finish = finish}, {.routes = {.required = Route::Host}});
}

Callback part(const char* entry) {
  return ready_made("reduce", entry);
}
Callback arithmetic(const char* entry) {
  return ready_made("arithmetic", entry);
}

template <class R, class T>
R result(const Reduce& reduce, const std::vector<T>& x) {
  std::vector<R> out(1);
  reduce.execute(host, x, out);
  return out[0];
}

constexpr float kNanF = std::numeric_limits<float>::quiet_NaN();

TEST(ReadyReductions, SumsProductsAndExtremes) {
  std::vector<int> x(1000);
  std::iota(x.begin(), x.end(), -300);
  EXPECT_EQ(result<int>(reduction({}, arithmetic("add<int>")), x), std::accumulate(x.begin(), x.end(), 0));
  EXPECT_EQ(result<int>(reduction({}, arithmetic("minimum<int>")), x), -300);
  EXPECT_EQ(result<int>(reduction({}, arithmetic("maximum<int>")), x), 699);
  EXPECT_EQ(result<double>(reduction({}, arithmetic("multiply<double>")), std::vector<double>{2, 3, 0.5, 7}), 21);
  EXPECT_TRUE(std::isnan(result<float>(reduction({}, arithmetic("maximum<float>")), std::vector<float>{1, kNanF, 3})));
  EXPECT_TRUE(std::isnan(result<float>(reduction({}, arithmetic("minimum<float>")), std::vector<float>{1, kNanF, 3})));
}

TEST(ReadyReductions, PlacesOfExtremes) {
  std::vector<float> x(5000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 1009);
  const Reduce argmin = reduction(part("with_place<float>"), part("smaller<float>"), part("place_of<float>"));
  const Reduce argmax = reduction(part("with_place<float>"), part("larger<float>"), part("place_and_value<float>"));
  EXPECT_EQ(result<unsigned long long>(argmin, x),
            static_cast<unsigned long long>(std::min_element(x.begin(), x.end()) - x.begin()));
  std::vector<unsigned long long> place(1);
  std::vector<float> value(1);
  argmax.execute(host, x, outputs(place, value));
  const auto largest = std::max_element(x.begin(), x.end());  // the first of equals
  EXPECT_EQ(place[0], static_cast<unsigned long long>(largest - x.begin()));
  EXPECT_EQ(value[0], *largest);
  x[4000] = x[3000] = kNanF;
  EXPECT_EQ(result<unsigned long long>(argmin, x), 3000u);
  argmax.execute(host, x, outputs(place, value));
  EXPECT_EQ(place[0], 3000u);
  EXPECT_TRUE(std::isnan(value[0]));
}

TEST(ReadyReductions, MeanAndVariance) {
  std::vector<float> x(100000);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 1000 + static_cast<float>(i % 7);
    sum += x[i];
  }
  const double mean = sum / 100000;
  for (const float value : x) squares += (value - mean) * (value - mean);
  std::vector<float> means(1), variances(1);
  reduction(part("moments_of<float>"), part("join_moments<float>"), part("mean_and_variance<float>"))
      .execute(host, x, outputs(means, variances));
  EXPECT_NEAR(means[0], mean, 1e-3);
  EXPECT_NEAR(variances[0], squares / 100000, 1e-3);
  EXPECT_NEAR(
      result<float>(
          reduction(part("moments_of<float>"), part("join_moments<float>"), part("sample_variance_of<float>")), x),
      squares / 99999, 1e-3);
  const Reduce mean_alone = reduction(part("moments_of<float>"), part("join_moments<float>"), part("mean_of<float>"));
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(result<float>(mean_alone, std::vector<float>{infinity, 1, 2}), infinity);
  EXPECT_EQ(result<float>(mean_alone, std::vector<float>{1, 2, -infinity}), -infinity);
  EXPECT_TRUE(std::isnan(result<float>(mean_alone, std::vector<float>{infinity, -infinity})));
  for (const char* name : {"variance_of<float>", "sample_variance_of<float>"}) {
    const Reduce variance = reduction(part("moments_of<float>"), part("join_moments<float>"), part(name));
    for (const std::vector<float>& y :
         std::vector<std::vector<float>>{{infinity, -infinity}, {1, infinity}, {-infinity, 5, 2}, {infinity, infinity}})
      EXPECT_TRUE(std::isnan(result<float>(variance, y))) << name;
  }
}

TEST(ReadyReductions, LogarithmOfASumOfExponentials) {
  const Reduce log_sum =
      reduction(part("exponential_of<double>"), part("add_exponentials<double>"), part("log_of_exponentials<double>"));
  std::vector<double> x(3000);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = 900 + static_cast<double>(i % 50);
    sum += std::exp(x[i] - 949);
  }
  EXPECT_NEAR(result<double>(log_sum, x), 949 + std::log(sum), 1e-9);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(result<double>(log_sum, std::vector<double>{-infinity, -infinity}), -infinity);
  EXPECT_EQ(result<double>(log_sum, std::vector<double>{infinity, infinity, 1}), infinity);
  EXPECT_EQ(result<double>(log_sum, std::vector<double>{-infinity, 5}), 5);
  EXPECT_TRUE(std::isnan(result<double>(log_sum, std::vector<double>{1, std::nan(""), infinity})));
}

TEST(ReadyReductions, CompensatedSumsLoseNothing) {
  std::vector<float> x(100001, 1e-4f);
  x[0] = 1e8f;
  x.push_back(-1e8f);
  const float plain = result<float>(reduction({}, arithmetic("add<float>")), x);
  const float exact = result<float>(
      reduction(part("compensated<float>"), part("add_compensated<float>"), part("compensated_sum<float>")), x);
  EXPECT_NEAR(exact, 10, 1e-5);
  EXPECT_GT(std::abs(plain - 10), 1e-2);
  const Reduce sum =
      reduction(part("compensated<float>"), part("add_compensated<float>"), part("compensated_sum<float>"));
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(result<float>(sum, std::vector<float>{1, -infinity, 3}), -infinity);
  EXPECT_EQ(result<float>(sum, std::vector<float>{3e38f, 3e38f}), infinity);
  EXPECT_TRUE(std::isnan(result<float>(sum, std::vector<float>{infinity, -infinity})));
}

TEST(ReadyReductions, NormsCountsAndQuestions) {
  const std::vector<float> x = {3, 0, 4, 0};
  EXPECT_EQ(result<float>(reduction(part("square<float>"), arithmetic("add<float>"), part("root_of<float>")), x), 5);
  EXPECT_EQ(
      result<unsigned long long>(reduction(part("count_nonzero<float>"), arithmetic("add<unsigned long long>")), x),
      2u);
  const Reduce any = reduction(part("is_nonzero<float>"), part("either"));
  const Reduce all = reduction(part("is_nonzero<float>"), part("both"));
  const auto asks = [](const Reduce& question, const std::vector<float>& values) {
    bool answer = false;
    question.execute(host, values, std::span(&answer, 1));
    return answer;
  };
  EXPECT_TRUE(asks(any, x));
  EXPECT_FALSE(asks(all, x));
  EXPECT_FALSE(asks(any, {0, 0, 0}));
  EXPECT_TRUE(asks(all, {1, kNanF}));
  std::vector<float> dot(1);
  reduction(arithmetic("multiply<float>"), arithmetic("add<float>")).execute(host, inputs(x, x), dot);
  EXPECT_EQ(dot[0], 25);
}

}  // namespace
}  // namespace graft::test
