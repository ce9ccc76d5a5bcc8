// Runs a transform whose callback has one of the shapes in cells.hpp (such as several outputs, or a state) and compares
// its results with those of a C++ loop in this file that computes the same. The template parameter Place provides
// arrays (made from a vector and returned as a vector) and `execute`, either on the host or on a GPU.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "graft/graft.hpp"
#include "scenarios/matrix/cells.hpp"

namespace graft::test {

// Returns small whole numbers. All operations on them are exact, so all routes give equal results, whether or not they
// fuse a multiplication with an addition.
template <class T>
std::vector<T> whole_numbers(unsigned seed) {
  constexpr std::size_t kCount = 10'007;
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> numbers(-100, 100);
  std::vector<T> values(kCount);
  for (T& value : values) value = static_cast<T>(numbers(generator));
  return values;
}

struct Line {
  float slope;
  short offset;
};
struct Pair {
  short x, y;
};
struct Both {
  int sum;
  float product;
};

template <class Place>
class Numbers {
 public:
  explicit Numbers(const Transform& transform) : transform_(transform) {}

  void check(Shape shape) const {
    switch (shape) {
      case Shape::Value:
        return check_value();
      case Shape::Index:
        return check_index();
      case Shape::State:
        return check_state();
      case Shape::Outputs:
        return check_outputs();
      case Shape::Selective:
        return check_selective();
      case Shape::Struct:
        return check_struct();
      case Shape::Stages:
        return check_stages();
      case Shape::Chain:
        return check_chain();
    }
  }

 private:
  template <class T>
  using Array = typename Place::template Array<T>;

  template <class In, class Expected, class... More>
  void expect(const std::vector<In>& x, Expected expected, const More&... more) const {
    using Out = decltype(expected(x[0], std::size_t{}));
    const Array<In> in(x);
    const Array<Out> out(std::vector<Out>(x.size()));
    Place::execute(transform_, Place::inputs(in), Place::outputs(out), more...);
    const std::vector<Out> found = out.host();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Out wanted = expected(x[i], i);
      ASSERT_EQ(std::memcmp(&found[i], &wanted, sizeof wanted), 0) << "element " << i;
    }
  }

  void check_value() const {
    expect(whole_numbers<float>(1), [](float x, std::size_t) { return 3 * x + 1; });
  }
  void check_index() const {
    expect(whole_numbers<float>(2), [](float x, std::size_t i) { return x + static_cast<float>(i); });
  }
  void check_state() const {
    const Line line{5, -7};
    expect(
        whole_numbers<float>(3), [&](float x, std::size_t) { return line.slope * x + line.offset; }, line);
  }

  void check_outputs() const {
    const auto x = whole_numbers<float>(4);
    const Array<float> in(x);
    const Array<float> twice(std::vector<float>(x.size()));
    const Array<std::int16_t> less(std::vector<std::int16_t>(x.size()));
    Place::execute(transform_, Place::inputs(in), Place::outputs(twice, less));
    const auto floats = twice.host();
    const auto shorts = less.host();
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(floats[i], 2 * x[i]) << i;
      ASSERT_EQ(shorts[i], static_cast<std::int16_t>(x[i]) - 1) << i;
    }
  }

  void check_selective() const {
    const auto x = whole_numbers<float>(9);
    const Array<float> in(x);
    const Array<float> twice(std::vector<float>(x.size(), 0.5f));
    const Array<std::int16_t> less(std::vector<std::int16_t>(x.size(), 5));
    Place::execute(transform_, Place::inputs(in), Place::outputs(twice, less));
    const auto floats = twice.host();
    const auto shorts = less.host();
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(floats[i], x[i] > 0 ? 2 * x[i] : 0.5f) << i;
      ASSERT_EQ(shorts[i], x[i] > 0 ? static_cast<std::int16_t>(x[i]) - 1 : 5) << i;
    }
  }

  void check_struct() const {
    const auto numbers = whole_numbers<short>(5);
    std::vector<Pair> pairs;
    for (const short number : numbers) pairs.push_back({number, static_cast<short>(number / 3 - 5)});
    expect(pairs, [](Pair p, std::size_t) { return Both{p.x + p.y, static_cast<float>(p.x * p.y)}; });
  }

  void check_stages() const {
    const Array<float> factor(std::vector<float>{10});
    const Array<int> shift(std::vector<int>{-5});
    const CallerInfo info{.load = factor.data(), .store = shift.data()};
    expect(
        whole_numbers<std::int8_t>(6),
        [](std::int8_t x, std::size_t) { return static_cast<std::int16_t>(3 * (10 * x) + 1 - 5); }, info);
  }

  void check_chain() const {
    const auto x = whole_numbers<float>(7);
    const auto y = whole_numbers<float>(8);
    const Array<float> in_x(x);
    const Array<float> in_y(y);
    const Array<float> out(std::vector<float>(x.size()));
    Place::execute(transform_, Place::inputs(in_x, in_y), Place::outputs(out));
    const auto found = out.host();
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(found[i], 3 * (3 * x[i] + 1 - y[i]) + 1) << i;
  }

  const Transform& transform_;
};

}  // namespace graft::test
