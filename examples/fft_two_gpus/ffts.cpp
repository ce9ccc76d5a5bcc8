// Creates the FFTs. The store callback is a template over the widths of rows and blocks. graft compiles it when these
// are known, so that it divides by constants.
#include "ffts.hpp"

#include <fmt/format.h>

#include <string>

namespace fft_two_gpus {
namespace {

// [store]
constexpr const char* kStore = R"(
// Stores point `offset` of the rows in the block for the slab that transforms its column.
template <unsigned int columns, unsigned int slab_columns>
__device__ void store_in_block(void*, unsigned long long offset, float2 point, void* blocks, void*) {
  const unsigned long long row = offset / columns;
  const unsigned int column = offset % columns;
  float2* const block = static_cast<float2* const*>(blocks)[column / slab_columns];
  block[row * slab_columns + column % slab_columns] = point;
}
)";
// [/store]

// The Hartley transform: for real samples, one number for each frequency has all the information of the complex
// spectrum, in half the memory. Powers would be a poor check of the exchange: they stay the same if rows are rotated.
constexpr const char* kHartley = "__device__ float hartley(float2 z) { return z.x - z.y; }";

// A hash, so that each slab makes its own samples on its GPU.
constexpr const char* kNoise = R"(
__device__ short noise(graft::Index i, const unsigned long long& first) {
  unsigned long long z = (first + i + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return static_cast<short>(z >> 48);
}
)";

graft::Callback windowed_samples() {
  return graft::chain(graft::Callback::ready_made("int16_to_real<float>"), graft::Callback::ready_made("hann<float>"),
                      graft::Callback::ready_made("real_to_complex<float>"));
}

// Whether the kernels need offsets of more than 32 bits.
bool is_long(std::size_t points) {
  return points >> 32 != 0;
}

}  // namespace

graft::Fft rows_of_slab(const Shape& shape, const graft::Options& options) {
  const graft::FftPlan plan = {.length = static_cast<std::int64_t>(shape.columns),
                               .directions = graft::FftDirections::Forward,
                               .has_long_arrays = is_long(shape.slab_points())};
  const graft::Callback store =
      graft::Callback(kStore).with_entry(fmt::format("store_in_block<{}, {}>", shape.columns, shape.slab_columns()));
  return graft::Fft::create(plan, {.load = windowed_samples(), .store = store}, options);
}

graft::Fft columns_of_slab(const Shape& shape, const graft::Options& options) {
  return graft::Fft::create({.length = static_cast<std::int64_t>(shape.rows),
                             .directions = graft::FftDirections::Forward,
                             .has_strides = true,
                             .has_long_arrays = is_long(shape.slab_points())},
                            {.store = kHartley}, options);
}

graft::Fft whole_array(const Shape& shape, const graft::Options& options) {
  return graft::Fft::create(
      {.directions = graft::FftDirections::Forward,
       .shape = {static_cast<std::int64_t>(shape.rows), static_cast<std::int64_t>(shape.columns)}},
      {.load = windowed_samples(), .store = kHartley}, options);
}

graft::Transform noise(const graft::Options& options) {
  return graft::Transform::create(kNoise, options);
}

}  // namespace fft_two_gpus
