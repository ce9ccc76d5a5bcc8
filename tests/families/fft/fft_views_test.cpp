// FFTs along axes of views, and real FFTs in place, on the host.
#include <array>
#include <cstring>
#include <numeric>

#include "families/fft/fft_test.hpp"
#include "families/fft/job.hpp"
#include "families/fft/places.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
template <class T>
using Complex = graft_fft::Complex<T>;
using Point = std::complex<float>;

Options on_host() {
  Options options;
  options.routes.required = Route::Host;
  return options;
}

std::vector<Point> points(std::size_t count, unsigned seed) {
  std::vector<Point> made;
  for (const auto& value : random_signal<float>(count, seed)) made.emplace_back(value.re, value.im);
  return made;
}

// An array of some shape, as the places of its elements in memory: a row-major array whose axes are turned, and in
// which some run backwards and have gaps.
struct Strided {
  std::vector<std::int64_t> shape, strides;
  std::int64_t first = 0;
  std::size_t elements = 1;

  Strided(std::vector<std::int64_t> its_shape, const std::vector<std::size_t>& order, std::int64_t gap,
          std::size_t backwards)
      : shape(std::move(its_shape)), strides(shape.size()) {
    std::int64_t stride = 1;
    for (const std::size_t axis : order) {
      strides[axis] = stride;
      stride *= shape[axis] + gap;
    }
    elements = static_cast<std::size_t>(stride);
    if (backwards < shape.size()) {
      first = strides[backwards] * (shape[backwards] - 1);
      strides[backwards] = -strides[backwards];
    }
  }
  template <class T>
  auto view_of(std::vector<T>& memory) const {
    return view(memory.data() + first, std::span<const std::int64_t>(shape), std::span<const std::int64_t>(strides));
  }
  std::size_t place(std::size_t index) const {
    std::int64_t at = first;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const auto extent = static_cast<std::size_t>(shape[d]);
      at += static_cast<std::int64_t>(index % extent) * strides[d];
      index /= extent;
    }
    return static_cast<std::size_t>(at);
  }
  std::size_t count() const {
    return static_cast<std::size_t>(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
  }
};

// FFTs along some axes of a row-major array, by its definition along one axis after the other.
std::vector<Wide> ffts_along(std::vector<Wide> values, const std::vector<std::int64_t>& shape,
                             const std::vector<int>& axes) {
  for (const int axis : axes) {
    const auto d = static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(shape.size()) : axis);
    const auto extent = static_cast<std::size_t>(shape[d]);
    std::size_t inner = 1;
    for (std::size_t i = d + 1; i < shape.size(); ++i) inner *= static_cast<std::size_t>(shape[i]);
    for (std::size_t outer = 0; outer < values.size() / (inner * extent); ++outer)
      for (std::size_t c = 0; c < inner; ++c) {
        std::vector<Wide> line;
        for (std::size_t p = 0; p < extent; ++p) line.push_back(values[(outer * extent + p) * inner + c]);
        line = reference_fft(line, -1);
        for (std::size_t p = 0; p < extent; ++p) values[(outer * extent + p) * inner + c] = line[p];
      }
  }
  return values;
}

struct Case {
  std::vector<std::int64_t> shape;
  std::vector<int> axes;
  std::vector<std::size_t> in_order, out_order;  // the fastest axis in memory first
};

FftPlan plan_of(const std::vector<std::int64_t>& shape, const std::vector<int>& axes) {
  FftPlan plan = {.has_strides = true, .batch = 64};
  for (const int axis : axes)
    plan.shape.push_back(shape[static_cast<std::size_t>(axis < 0 ? axis + static_cast<int>(shape.size()) : axis)]);
  if (plan.shape.size() == 1) {
    plan.length = plan.shape.front();
    plan.shape.clear();
  }
  return plan;
}

TEST(FftViews, AlongAnyAxes) {
  const std::vector<Case> cases = {
      {{6}, {0}, {0}, {0}},
      {{5, 12}, {}, {1, 0}, {0, 1}},
      {{12, 5}, {0}, {1, 0}, {1, 0}},
      {{4, 9, 6}, {1}, {2, 1, 0}, {0, 2, 1}},
      {{4, 9, 6}, {-1, 0}, {2, 1, 0}, {1, 0, 2}},
      {{3, 4, 5, 6}, {1, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}},
      {{2, 3, 4, 3, 2}, {4, 0, 2}, {4, 3, 2, 1, 0}, {0, 1, 2, 3, 4}},
      {{2, 2, 1, 3, 2, 2, 2, 5}, {7}, {7, 6, 5, 4, 3, 2, 1, 0}, {1, 3, 5, 7, 0, 2, 4, 6}},
      {{2, 160, 128}, {1, 2}, {2, 1, 0}, {2, 0, 1}},
  };
  for (const Case& one : cases)
    for (const std::size_t backwards : {std::size_t{99}, std::size_t{0}}) {
      const std::vector<int> axes =
          one.axes.empty() ? std::vector<int>{static_cast<int>(one.shape.size()) - 1} : one.axes;
      const Fft fft = Fft::create(plan_of(one.shape, axes), {}, on_host());
      const Strided in(one.shape, one.in_order, 1, backwards), out(one.shape, one.out_order, 2, backwards);
      std::vector<Point> from = points(in.elements, 3), to(out.elements, Point(77, 77));
      fft.execute(host, in.view_of(from), out.view_of(to), Direction::Forward, {.axes = one.axes});
      std::vector<Wide> values;
      for (std::size_t i = 0; i < in.count(); ++i) values.emplace_back(from[in.place(i)]);
      std::vector<Complex<float>> found;
      std::vector<bool> is_output(to.size());
      for (std::size_t i = 0; i < out.count(); ++i) {
        found.push_back({to[out.place(i)].real(), to[out.place(i)].imag()});
        is_output[out.place(i)] = true;
      }
      EXPECT_LT(rms_error(found, ffts_along(values, one.shape, axes)), 8) << one.shape.size() << " dimensions";
      for (std::size_t i = 0; i < to.size(); ++i) ASSERT_TRUE(is_output[i] || to[i] == Point(77, 77)) << i;
    }
}

// A part of a larger image, and its half spectrum in a part of another one.
TEST(FftViews, OfRealNumbersWithPitches) {
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>(6, 8), {7, 9}, {130, 128}}) {
    const Fft fft =
        Fft::create({.has_strides = true, .batch = 1, .shape = {rows, columns}, .kind = FftKind::Real}, {}, on_host());
    const std::int64_t pitch = columns + 5, kept = columns / 2 + 1, kept_pitch = kept + 3;
    std::vector<float> image, back(static_cast<std::size_t>(rows * pitch), 77.0F);
    for (const Point value : points(static_cast<std::size_t>(rows * pitch), 4)) image.push_back(value.real());
    std::vector<Point> spectrum(static_cast<std::size_t>(rows * kept_pitch), Point(77, 77));
    fft.execute(host, view(image.data(), {rows, columns}, {pitch, 1}),
                view(spectrum.data(), {rows, kept}, {kept_pitch, 1}));
    std::vector<Wide> numbers;
    for (std::int64_t i = 0; i < rows * columns; ++i)
      numbers.emplace_back(image[static_cast<std::size_t>(i / columns * pitch + i % columns)]);
    const std::vector<Wide> whole = ffts_along(numbers, {rows, columns}, {0, 1});
    std::vector<Wide> expected;
    std::vector<Complex<float>> found;
    for (std::int64_t i = 0; i < rows * kept; ++i) {
      expected.push_back(whole[static_cast<std::size_t>(i / kept * columns + i % kept)]);
      const Point value = spectrum[static_cast<std::size_t>(i / kept * kept_pitch + i % kept)];
      found.push_back({value.real(), value.imag()});
    }
    EXPECT_LT(rms_error(found, expected), 8);
    for (std::int64_t row = 0; row < rows; ++row)
      EXPECT_EQ(spectrum[static_cast<std::size_t>(row * kept_pitch + kept)], Point(77, 77));
    fft.execute(host, view(spectrum.data(), {rows, kept}, {kept_pitch, 1}),
                view(back.data(), {rows, columns}, {pitch, 1}), Direction::Inverse);
    for (std::int64_t i = 0; i < rows * pitch; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (i % pitch >= columns) ASSERT_EQ(back[at], 77.0F) << i;
      else
        ASSERT_NEAR(back[at], image[at] * static_cast<float>(rows * columns),
                    1e-3 * static_cast<double>(rows * columns))
            << i;
    }
  }
}

// Neighbours with a pitch between FFTs are a layout, so that kernels for strides of 1 take them.
TEST(FftViews, ThatAreLayoutsNeedNoStrides) {
  const Fft fft = Fft::create({.length = 8}, {}, on_host());
  std::vector<Point> in = points(30, 5), out(24);
  fft.execute(host, view(in.data(), {3, 8}, {10, 1}), view(out.data(), {3, 8}));
  std::vector<Complex<float>> found;
  for (const Point value : out) found.push_back({value.real(), value.imag()});
  std::vector<Wide> expected;
  for (std::size_t b = 0; b < 3; ++b)
    for (const Wide value : reference_fft(
             {in.begin() + static_cast<std::ptrdiff_t>(10 * b), in.begin() + static_cast<std::ptrdiff_t>(10 * b + 8)},
             -1))
      expected.push_back(value);
  EXPECT_LT(rms_error(found, expected), 8);
}

TEST(FftViews, InPlace) {
  const Fft fft = Fft::create({.length = 12, .has_strides = true}, {}, on_host());
  std::vector<Point> array = points(12 * 5, 6), other(array.size());
  const auto columns = [](std::vector<Point>& of) { return view(of.data(), {12, 5}); };
  fft.execute(host, columns(array), columns(other), Direction::Forward, {.axes = {0}});
  fft.execute(host, columns(array), columns(array), Direction::Forward, {.axes = {0}});
  EXPECT_EQ(array, other);
}

TEST(FftViews, MistakesAreRefused) {
  const Fft fft = Fft::create({.has_strides = true, .shape = {4, 6}}, {}, on_host());
  const Fft dense = Fft::create({.length = 6}, {}, on_host());
  std::vector<Point> x(1000), y(1000);
  const auto message = [&](const Fft& of, const auto& in, const auto& out, const FftLaunch& launch = {}) {
    const Error error = error_of([&] { of.execute(host, in, out, Direction::Forward, launch); });
    return std::string(error.what());
  };
  const auto in = view(x.data(), {3, 4, 6}), out = view(y.data(), {3, 4, 6});
  EXPECT_THAT(message(fft, view(x.data(), {6}), out),
              AllOf(HasSubstr("input 0 has 1 dimension, but an FFT of 2"), HasSubstr("Pass a view that has")));
  EXPECT_THAT(message(fft, in, out, {.axes = {1}}), HasSubstr("has 1 axis in FftLaunch, but an FFT has 2 dimensions"));
  EXPECT_THAT(message(fft, in, out, {.axes = {1, 3}}), HasSubstr("has no axis 3: it has 3 dimensions"));
  EXPECT_THAT(message(fft, in, out, {.axes = {1, -2}}),
              AllOf(HasSubstr("has axis -2 twice"), HasSubstr("Name every axis once")));
  EXPECT_THAT(message(fft, in, out, {.axes = {0, 2}}),
              HasSubstr("has 3 elements along axis 0, but an FFT has 4 there"));
  EXPECT_THAT(message(fft, in, view(y.data(), {2, 4, 6})),
              HasSubstr("the output has a batch of 2 FFTs, but there are 3"));
  EXPECT_THAT(message(fft, in, view(y.data(), {3, 4, 6}, {24, 6, 0})), HasSubstr("may be the same element"));
  EXPECT_THAT(message(fft, in, view(x.data() + 1, {3, 4, 6})), HasSubstr("the output overlaps input 0"));
  EXPECT_THAT(message(fft, in, out, {.in = {.distance = 30}}), HasSubstr("is a view, and its side of the FFT has a"));
  EXPECT_THAT(message(dense, view(x.data(), {5, 6}, {1, 5}), view(y.data(), {5, 6})),
              HasSubstr("Set FftPlan::has_strides"));
  EXPECT_THAT(message(fft, view(x.data(), {3, 4, 6}, {std::int64_t{1} << 40, 6, 1}), out), HasSubstr("at most 2^32"));
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(message(fft, view(x.data(), {3, 4, 6}, {kMost, 6, 1}), out), HasSubstr("more elements than any memory"));
  EXPECT_THAT(message(fft, view(x.data(), {kMost, kMost, 4, 6}, {1, 1, 6, 1}), out),
              HasSubstr("more elements than any"));
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT(message(fft, view(x.data(), {3, 4, 6}, {24, kLeast, 1}), out), HasSubstr("more elements than any"));
  EXPECT_THAT(message(fft, view(x.data(), {kLeast, 4, 6}), out),
              AllOf(HasSubstr("an extent below 0"), HasSubstr("Give extents of 0 or more")));
  const std::int64_t huge[] = {1, kMost, kMost, 4, 6};
  const ArrayRef dense_and_huge = ArrayRef::shaped(x.data(), element_type<Point>(), 5, huge, nullptr);
  EXPECT_THAT(message(fft, dense_and_huge, ArrayRef(out)), HasSubstr("more elements than any"));
  const auto of_rank_10 = std::array<std::int64_t, 10>{2, 2, 2, 2, 2, 2, 2, 2, 4, 6};
  const auto apart = std::array<std::int64_t, 10>{3000, 1000, 5000, 900, 7000, 600, 8000, 300, 6, 1};
  const ArrayRef many = ArrayRef::shaped(x.data(), element_type<Point>(), 10, of_rank_10.data(), apart.data());
  EXPECT_THAT(message(fft, many, ArrayRef(out)), HasSubstr("has 8 dimensions beside those of the FFT"));
}

TEST(FftViews, WithoutElementsLaunchNothing) {
  const Fft fft = Fft::create({.length = 6}, {}, on_host());
  fft.execute(host, view(static_cast<Point*>(nullptr), {0, 6}), view(static_cast<Point*>(nullptr), {0, 6}));
}

// Rows of numbers have room for their frequencies.
TEST(RealFftsInPlace, ArePadded) {
  EXPECT_EQ(padded_reals({5, 6}), (std::vector<std::int64_t>{5, 8}));
  EXPECT_EQ(padded_reals({9}), (std::vector<std::int64_t>{10}));
  for (const std::size_t n : {8U, 9U, 60U, 1000U}) {
    const Fft fft = Fft::create({.length = static_cast<std::int64_t>(n), .kind = FftKind::Real}, {}, on_host());
    const std::size_t kept = n / 2 + 1, room = 2 * kept;
    std::vector<float> array(3 * room);
    std::vector<Point> spectra(3 * kept);
    for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<float>(i * 7 % 11);
    const FftLaunch forward = {.batch = 3, .in = {.distance = room}}, inverse = {.batch = 3, .out = {.distance = room}};
    fft.execute(host, array, spectra, Direction::Forward, forward);
    const std::vector<float> before = array;
    const ArrayRef as_points = {array.data(), 3 * kept, element_type<Point>()};
    const ArrayRef as_numbers = {array.data(), array.size(), element_type<float>()};
    fft.execute(host, as_numbers, as_points, Direction::Forward, forward);
    EXPECT_EQ(std::memcmp(array.data(), spectra.data(), array.size() * sizeof(float)), 0);
    fft.execute(host, as_points, as_numbers, Direction::Inverse, inverse);
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (i % room >= n) continue;
      ASSERT_NEAR(array[i], before[i] * static_cast<float>(n), 2e-4 * static_cast<double>(n)) << i;
    }
    const Error error = error_of([&] { fft.execute(host, as_numbers, as_points, Direction::Forward, {.batch = 2}); });
    EXPECT_EQ(error.code(), ErrorCode::Overlap);
    EXPECT_THAT(std::string(error.what()), HasSubstr("(graft::padded_reals)"));
  }
}

// The remedy is about what is wrong: padding would not help these.
TEST(RealFftsInPlace, SaysWhereItIsImpossible) {
  const auto remedy = [](const Fft& fft, ArrayRefs in, ArrayRefs out, const FftLaunch& launch) {
    const Error error = error_of([&] { fft.execute(host, in, out, Direction::Forward, launch); });
    EXPECT_EQ(error.code(), ErrorCode::Overlap);
    return error.remedy();
  };
  std::vector<float> array(200);
  const Fft columns = Fft::create({.length = 8, .has_strides = true, .kind = FftKind::Real}, {}, on_host());
  const ArrayRef numbers = {array.data(), 80, element_type<float>()};
  const ArrayRef spectra = {array.data(), 50, element_type<Point>()};
  EXPECT_THAT(remedy(columns, numbers, spectra,
                     {.batch = 10, .in = {.stride = 10, .distance = 1}, .out = {.stride = 10, .distance = 1}}),
              HasSubstr("only if the numbers of a row are neighbours"));
  const Fft halves = Fft::create(
      {.length = 8, .directions = FftDirections::Forward, .kind = FftKind::Real, .storage_in = FftStorage::F16}, {},
      on_host());
  const ArrayRef as_halves = {array.data(), 8, ElementType::named("f16")};
  EXPECT_THAT(remedy(halves, as_halves, ArrayRef{array.data(), 5, element_type<Point>()}, {.batch = 1}),
              HasSubstr("only if a frequency takes the room of two numbers"));
}

// Which of the two kernels a call takes, by what they transfer of both arrays.
TEST(FftViews, ColumnsHaveAKernelOfTheirOwn) {
  const auto places = [](std::uint64_t count, std::uint64_t stride, std::uint64_t distance) {
    const std::array<std::int64_t, 1> extents = {64};
    return families::fft::places_of({count, stride, distance}, extents);
  };
  const auto rows = places(1000, 1, 64), columns = places(1000, 1000, 1), apart = places(1000, 3, 200);
  EXPECT_FALSE(families::fft::are_columns(rows, rows, 64, 8));
  EXPECT_TRUE(families::fft::are_columns(columns, columns, 64, 8));
  EXPECT_TRUE(families::fft::are_columns(columns, apart, 64, 8));
  EXPECT_FALSE(families::fft::are_columns(rows, apart, 64, 8));
  EXPECT_FALSE(families::fft::are_columns(places(1, 1000, 1), places(1, 1000, 1), 64, 8)) << "there is one column";
  EXPECT_FALSE(families::fft::are_columns(places(2, 2, 1), places(2, 2, 1), 64, 8)) << "pairs";
  const auto methods = [](const FftPlan& plan) {
    const families::Job job = families::fft::job_of(plan, {});
    std::string text;
    for (const families::Method& method : families::fft::schedule_of(job, Architecture(90)).methods) {
      text += method.name + ":";
      for (const std::size_t kernel : method.kernels) text += " " + std::to_string(kernel);
      text += "; ";
    }
    return text;
  };
  EXPECT_EQ(methods({.length = 48}), "forward: 0; inverse: 1; ");
  EXPECT_EQ(methods({.length = 48, .has_strides = true}),
            "forward: 0; forward columns: 1; inverse: 2; inverse columns: 3; ");
  EXPECT_EQ(methods({.length = 16384, .has_strides = true}),
            "forward: 0; forward columns: 0; inverse: 1; inverse columns: 1; ");
  // Kernels of convolutions serve both directions.
  EXPECT_EQ(methods({.length = 37}), "forward: 0; inverse: 0; ");
  EXPECT_EQ(methods({.length = 37, .has_strides = true}),
            "forward: 0; forward columns: 1; inverse: 0; inverse columns: 1; ");
  EXPECT_EQ(methods({.length = 10007}), "forward: 0 1 2; inverse: 0 1 2; ");
  EXPECT_EQ(methods({.length = 37, .kind = FftKind::Real}), "forward: 0; inverse: 1; ");
}

// Where there is one FFT, no distance matters.
TEST(RealFftsInPlace, OfOneFft) {
  const Fft fft = Fft::create({.length = 8, .has_strides = true, .kind = FftKind::Real}, {}, on_host());
  const auto expect_first = [&](const auto& execute) {
    std::vector<float> array(10);
    array[0] = 3;
    execute(array);
    for (std::size_t i = 0; i < array.size(); ++i) EXPECT_EQ(array[i], i % 2 == 0 ? 3 : 0) << i;
  };
  const auto points_of = [](std::vector<float>& array) { return reinterpret_cast<Point*>(array.data()); };
  expect_first([&](std::vector<float>& array) { fft.execute(host, {array.data(), 8}, {points_of(array), 5}); });
  expect_first([&](std::vector<float>& array) { fft.execute(host, view(array.data(), {8}), {points_of(array), 5}); });
  expect_first([&](std::vector<float>& array) {
    fft.execute(host, view(array.data(), {1, 8}, {10, 1}), {points_of(array), 5});
  });
}

TEST(RealFftsInPlace, OfRowsFromTheLastToTheFirst) {
  const Fft fft = Fft::create({.length = 8, .has_strides = true, .kind = FftKind::Real}, {}, on_host());
  std::vector<float> array(20);
  array[0] = 3;
  array[10] = 4;
  fft.execute(host, view(array.data() + 10, {2, 8}, {-10, 1}),
              view(reinterpret_cast<Point*>(array.data() + 10), {2, 5}, {-5, 1}));
  for (std::size_t i = 0; i < array.size(); ++i) EXPECT_EQ(array[i], i % 2 != 0 ? 0 : i < 10 ? 3 : 4) << i;
}

TEST(RealFftsInPlace, OfSeveralDimensions) {
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>(6, 8), {130, 128}}) {
    const Fft fft =
        Fft::create({.has_strides = true, .batch = 1, .shape = {rows, columns}, .kind = FftKind::Real}, {}, on_host());
    const std::int64_t kept = columns / 2 + 1;
    std::vector<float> array(static_cast<std::size_t>(rows * 2 * kept));
    for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<float>(i * 7 % 11);
    std::vector<Point> expected(static_cast<std::size_t>(rows * kept));
    const auto numbers = view(array.data(), {rows, columns}, {2 * kept, 1});
    fft.execute(host, numbers, view(expected.data(), {rows, kept}));
    fft.execute(host, numbers, view(reinterpret_cast<Point*>(array.data()), {rows, kept}));
    EXPECT_EQ(std::memcmp(array.data(), expected.data(), array.size() * sizeof(float)), 0);
  }
}

}  // namespace
}  // namespace graft::test
