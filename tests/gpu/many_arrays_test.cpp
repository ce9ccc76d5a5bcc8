// Runs callbacks with the most arrays that a callback can have, at awkward counts, with arrays that are aligned alike
// and differently. Results must match a loop on the host bit for bit, and no byte outside the outputs may change.
#include <cstdint>
#include <memory>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

using Word = std::uint32_t;
constexpr std::size_t kInputs = 16;
constexpr std::size_t kOutputs = 8;

// Output k is the sum of inputs 2 * k and 2 * k + 1, each times a number of its own. Output k and its inputs have one
// type, so the arrays hold elements of four sizes.
constexpr const char* kSource = R"(
__device__ void f(unsigned a, unsigned b, unsigned c, unsigned d, uint16_t e, uint16_t f, uint8_t g, uint8_t h,
                  uint64_t i, uint64_t j, unsigned k, unsigned l, unsigned m, unsigned n, uint8_t o, uint8_t p,
                  unsigned& q, unsigned& r, uint16_t& s, uint8_t& t, uint64_t& u, unsigned& v, unsigned& w,
                  uint8_t& x) {
  q = a + 2 * b;
  r = c + 3 * d;
  s = e + 4 * f;
  t = g + 5 * h;
  u = i + 6 * j;
  v = k + 7 * l;
  w = m + 8 * n;
  x = o + 9 * p;
}
)";
constexpr std::size_t kSizes[kOutputs] = {4, 4, 2, 1, 8, 4, 4, 1};

ElementType type_of(std::size_t pair) {
  return {ElementKind::Unsigned, static_cast<std::uint32_t>(kSizes[pair]), static_cast<std::uint32_t>(kSizes[pair])};
}

std::uint64_t number_at(const std::vector<std::byte>& bytes, std::size_t size, std::size_t i) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data() + i * size, size);
  return number;
}

// An array of `count` elements of `size` bytes that starts `shift` elements after a 256-byte boundary.
using Array = DeviceArray<std::byte>;
std::unique_ptr<Array> array_of(const std::vector<std::byte>& bytes, std::size_t size, std::size_t shift) {
  return std::make_unique<Array>(bytes, shift * size);
}

void check_once(const Transform& transform, std::size_t count, bool alike) {
  std::vector<std::vector<std::byte>> values;
  std::vector<std::unique_ptr<Array>> in, out;
  std::vector<ArrayRef> inputs, outputs;
  for (std::size_t k = 0; k < kInputs; ++k) {
    values.push_back(random_bytes<std::byte>(count * kSizes[k / 2], static_cast<unsigned>(k)));
    in.push_back(array_of(values[k], kSizes[k / 2], alike ? 1 : k % 5));
    inputs.emplace_back(in[k]->data(), count, type_of(k / 2));
  }
  for (std::size_t k = 0; k < kOutputs; ++k) {
    out.push_back(array_of(random_bytes<std::byte>(count * kSizes[k], 99), kSizes[k], alike ? 1 : k % 3));
    outputs.emplace_back(out[k]->data(), count, type_of(k));
  }
  transform.execute(nullptr, inputs, outputs);
  check(cudaDeviceSynchronize());
  for (std::size_t k = 0; k < kOutputs; ++k) {
    ASSERT_TRUE(out[k]->guards_are_intact()) << k;
    const std::vector<std::byte> made = out[k]->host();
    const std::uint64_t mask = kSizes[k] == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * kSizes[k])) - 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t expected =
          number_at(values[2 * k], kSizes[k], i) + (k + 2) * number_at(values[2 * k + 1], kSizes[k], i);
      ASSERT_EQ(number_at(made, kSizes[k], i), expected & mask) << "output " << k << ", element " << i;
    }
  }
  for (std::size_t k = 0; k < kInputs; ++k) ASSERT_TRUE(same_bytes(in[k]->host(), values[k])) << k;
}

class GpuManyArrays : public Gpu {};

TEST_F(GpuManyArrays, SixteenInputsAndEightOutputs) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    Options options;
    options.routes.required = route;
    const Transform transform = Transform::create(kSource, options);
    for (const std::size_t count : awkward_counts(transform.report()))
      for (const bool alike : {true, false}) {
        SCOPED_TRACE(testing::Message() << name(route) << ", count " << count << ", alike " << alike);
        check_once(transform, count, alike);
        if (testing::Test::HasFatalFailure()) return;
      }
  }
}

}  // namespace
}  // namespace graft::test
