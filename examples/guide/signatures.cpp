// The meaning of a callback's parameters, and how to name the callback if a source defines several functions.
#include <cmath>
#include <complex>
#include <cstdint>

#include "chapter.hpp"
#include "support/cuda.hpp"

namespace guide {

using examples::DeviceBuffer;

void outputs(cudaStream_t stream) {
  // [outputs]
  const char* callback = R"(
      __device__ void polar(graft::complex<float> z, float& radius, float& angle) {
        radius = hypotf(z.re, z.im);
        angle = atan2f(z.im, z.re);
      }
  )";
  // [/outputs]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<std::complex<float>> points(std::vector<std::complex<float>>{{3, 4}, {0, 2}});
  const DeviceBuffer<float> radius(2), angle(2);
  // [outputs]
  const graft::Transform polar = graft::Transform::create(callback);
  polar.execute(stream, points, graft::outputs(radius, angle));  // points: an array of std::complex<float>
  // [/outputs]
  const std::vector<float> r = on_host(radius), a = on_host(angle);
  expect(std::abs(r[0] - 5) < 1e-5f && std::abs(r[1] - 2) < 1e-5f);
  expect(std::abs(a[0] - std::atan2(4.0f, 3.0f)) < 1e-5f && std::abs(a[1] - std::atan2(2.0f, 0.0f)) < 1e-5f);
}

void index(cudaStream_t stream) {
  // [index]
  const char* callback = R"(
      __device__ float ramp(graft::Index i, const float& step) { return step * i; }
  )";
  // [/index]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> out(4);
  // [index]
  const graft::Transform ramp = graft::Transform::create(callback);
  ramp.execute(stream, graft::inputs(), out, 0.5f);
  // [/index]
  expect(on_host(out) == std::vector<float>{0, 0.5f, 1, 1.5f});
}

void store(cudaStream_t stream) {
  // [store]
  const char* callback = R"(
      __device__ graft::Store update(float price, bool is_valid, float& last) {
        last = price;
        return graft::Store(is_valid);
      }
  )";
  // [/store]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> prices(std::vector<float>{1, 2, 3, 4}), last(std::vector<float>{10, 20, 30, 40});
  const DeviceBuffer<unsigned char> flags(std::vector<unsigned char>{1, 0, 0, 1});
  const std::span<bool> valid(reinterpret_cast<bool*>(flags.data()), flags.size());
  // [store]
  const graft::Transform update = graft::Transform::create(callback);
  update.execute(stream, graft::inputs(prices, valid), last);  // arrays of float and bool; `last` keeps old prices
  // [/store]
  expect(on_host(last) == std::vector<float>{1, 20, 30, 4});
}

void bits(cudaStream_t stream) {
  // [bits]
  const char* callback = R"(
      __device__ graft::Bit divide(float x, float y, graft::Bit is_valid, float& quotient) {
        quotient = x / y;
        return is_valid && y != 0;
      }
  )";
  // [/bits]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<float> x(std::vector<float>{1, 2, 3, 4}), y(std::vector<float>{2, 0, 4, 8}), quotient(4);
  const DeviceBuffer<std::uint32_t> valid(std::vector<std::uint32_t>{0b0111}), result(1);
  const DeviceBuffer<std::uint64_t> nulls(std::vector<std::uint64_t>{0});
  // [bits]
  const graft::Transform divide = graft::Transform::create(callback);
  divide.execute(stream, graft::inputs(x, y, graft::bits(valid.data(), x.size())),
                 graft::outputs(graft::bits(result.data(), x.size()).count_zeros(nulls.data()), quotient));
  // [/bits]
  expect(on_host(result) == std::vector<std::uint32_t>{0b0101});
  expect(on_host(nulls) == std::vector<std::uint64_t>{2});
  expect(on_host(quotient)[2] == 0.75f);
}

void structs(cudaStream_t stream) {
  // [structs]
  const char* callback = R"(
      struct Rgb { uint8_t r, g, b; };
      __device__ uint8_t gray(Rgb p) { return (77 * p.r + 150 * p.g + 29 * p.b) >> 8; }
  )";
  struct Rgb {
    std::uint8_t r, g, b;
  };
  // [/structs]
  if (only_built(stream, callback)) return;
  const DeviceBuffer<Rgb> pixels(std::vector<Rgb>{{255, 255, 255}, {0, 0, 0}, {100, 0, 0}});
  const DeviceBuffer<std::uint8_t> levels(3);
  // [structs]
  const graft::Transform gray = graft::Transform::create(callback);
  gray.execute(stream, pixels, levels);  // arrays of Rgb and of std::uint8_t
  // [/structs]
  expect(on_host(levels) == std::vector<std::uint8_t>{255, 0, 30});
}

void entries(cudaStream_t) {
  // [entries]
  const graft::Callback library = R"(
      namespace shapes {
      __device__ float step(float x) { return x < 0 ? 0 : 1; }
      template <class T> __device__ T square(T x) { return x * x; }
      __device__ int half(int x) { return x / 2; }
      __device__ float half(float x) { return x / 2; }
      }
      struct Power {
        int exponent;
        __device__ float operator()(float x) const {
          float y = 1;
          for (int i = 0; i < exponent; ++i) y *= x;
          return y;
        }
      };
  )";
  const graft::Callback function = library.with_entry("shapes::step");
  const graft::Callback instance = library.with_entry("shapes::square<double>");
  const graft::Callback overload = library.with_entry("shapes::half").with_signature("float(float)");
  const graft::Callback object = library.with_entry("Power{3}");
  const graft::Callback lambda = "[](float x) { return 2 * x; }";
  // [/entries]
  const auto signature = [](const graft::Callback& callback) {
    return graft::build(callback, graft::Architecture(90)).signature().text();
  };
  for (const graft::Callback& callback : {function, overload, object, lambda})
    expect(signature(callback) == "float(float)");
  expect(signature(instance) == "double(double)");
}

void generic(cudaStream_t stream) {
  // [generic]
  const graft::GenericCallback mix =
      "template <class T> __device__ T mix(T a, T b, float t) { return a + t * (b - a); }";
  const graft::GenericCallback square = "[](auto x) { return x * x; }";
  // [/generic]
  if (only_built(stream, mix.instance(graft::types("f64, f64, f32")))) return;
  const DeviceBuffer<double> a(std::vector<double>{1, 2}), b(std::vector<double>{3, 4}), mixed(2), squares(2);
  const DeviceBuffer<float> t(std::vector<float>{0.5f, 0.25f}), x(std::vector<float>{2, 3}), y(2);
  // [generic]
  const graft::Transform doubles = graft::Transform::create(mix, graft::types("f64, f64, f32"));
  doubles.execute(stream, graft::inputs(a, b, t), mixed);  // arrays of double, double and float

  graft::GenericTransform any(square);
  any.prepare(graft::types<float>());
  any.prepare(graft::types<double>());
  any.execute(stream, x, y);        // arrays of float
  any.execute(stream, a, squares);  // and of double
  // [/generic]
  expect(on_host(mixed) == std::vector<double>{2, 2.5});
  expect(on_host(y) == std::vector<float>{4, 9});
  expect(on_host(squares) == std::vector<double>{1, 4});
}

}  // namespace guide
