// Tests bit arrays (graft::bits) through the public interface: what execute computes on the host for every offset and
// for counts that many threads share, and that every route builds kernels with bit arrays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using testing::HasSubstr;

Options on(Route route) {
  Options options;
  options.routes.required = route;
  return options;
}

std::vector<std::uint32_t> random_words(std::size_t bits, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint32_t> words((bits + 31) / 32 + 1);
  for (std::uint32_t& word : words) word = random();
  return words;
}
bool bit(const std::vector<std::uint32_t>& words, std::size_t i) {
  return (words[i / 32] >> (i % 32) & 1) != 0;
}
void set(std::vector<std::uint32_t>& words, std::size_t i, bool value) {
  const std::uint32_t one = std::uint32_t{1} << (i % 32);
  words[i / 32] = value ? words[i / 32] | one : words[i / 32] & ~one;
}

constexpr const char* kSafeRoot =
    "__device__ graft::Bit safe_root(float x, graft::Bit is_valid, float& root) {\n"
    "  root = is_valid && x >= 0 ? sqrtf(x) : 0.0f; return is_valid && x >= 0;\n}";

TEST(Bits, AreWrittenAloneOnTheHost) {
  const Transform transform = Transform::create(kSafeRoot, on(Route::Host));
  for (const std::size_t count : {1, 31, 32, 33, 1'000, 300'007})
    for (const std::size_t offset : {0, 1, 31, 32, 45}) {
      SCOPED_TRACE(testing::Message() << count << " elements, offset " << offset);
      std::vector<float> x(count), root(count);
      std::mt19937 random(1);
      for (float& value : x) value = static_cast<float>(static_cast<std::int32_t>(random()));
      const std::vector<std::uint32_t> valid = random_words(count + 7, 2);
      std::vector<std::uint32_t> mask = random_words(offset + count, 3), expected = mask;
      std::uint64_t zeros = 5, expected_zeros = 5;
      transform.execute(host, host_inputs(x, bits(valid.data(), 7, count)),
                        host_outputs(bits(mask.data(), offset, count).count_zeros(&zeros), root));
      for (std::size_t i = 0; i < count; ++i) {
        const bool is_valid = bit(valid, 7 + i) && x[i] >= 0;
        set(expected, offset + i, is_valid);
        expected_zeros += is_valid ? 0 : 1;
        ASSERT_EQ(root[i], is_valid ? std::sqrt(x[i]) : 0.0f);
      }
      EXPECT_EQ(mask, expected);
      EXPECT_EQ(zeros, expected_zeros);
    }
}

TEST(Bits, TheRestOfAWholeArrayIsCleared) {
  const Transform transform =
      Transform::create("__device__ graft::Bit f(graft::Index i) { return i % 2 == 0; }", on(Route::Host));
  std::vector<std::uint32_t> words(3, 0xffffffff);
  transform.execute(host, host_inputs(), bits(words.data(), 37));
  EXPECT_EQ(words, (std::vector<std::uint32_t>{0x55555555, 0x15, 0xffffffff}));
}

TEST(Bits, InPlaceAndLeftAlone) {
  const Transform flip = Transform::create(
      "__device__ graft::Store flip(graft::InOut<graft::Bit> a, graft::Index i) { a = !a; return graft::Store(i % 3 == "
      "0); }",
      on(Route::Host));
  constexpr std::size_t kCount = 200'000;
  std::vector<std::uint32_t> words = random_words(kCount + 9, 1), expected = words;
  flip.execute(host, host_inputs(), bits(words.data(), 9, kCount));
  for (std::size_t i = 0; i < kCount; i += 3) set(expected, 9 + i, !bit(expected, 9 + i));
  EXPECT_EQ(words, expected);
}

// Bytes and 64-bit words hold the same bits in the same order as 32-bit words.
TEST(Bits, InWordsOfEverySize) {
  const Transform negate = Transform::create("__device__ graft::Bit f(graft::Bit a) { return !a; }", on(Route::Host));
  const std::vector<std::uint64_t> in = {0x0123456789abcdef, 0xfedcba9876543210};
  alignas(4) std::uint8_t out[16] = {};
  negate.execute(host, bits(in.data(), 128), bits(out, 128));
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(out[i], 0xff & ~(in[i / 8] >> (i % 8 * 8))) << i;
}

TEST(Bits, AreElementsOfAKindOfTheirOwn) {
  const Signature signature = Signature::of<Bit(float, Bit, InOut<Bit>)>();
  EXPECT_EQ(signature.inputs()[1], ElementType::named("bit"));
  EXPECT_EQ(signature.text(), "graft::Bit(float, graft::Bit, graft::InOut<graft::Bit>)");
  EXPECT_EQ(to_string(element_type<Bit>()), "bit");
  const Image image = build(kSafeRoot, Architecture(90));
  EXPECT_EQ(image.signature(), (Signature::of<Bit(float, Bit, float&)>()));
}

TEST(Bits, EveryRouteBuildsThem) {
  const Callback ptx = [] {
    const auto bytes = Callback(kSafeRoot).precompile({75}, PrecompileFormat::Ptx);
    return Callback::ptx(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()))
        .with_signature("graft::Bit safe_root(float, graft::Bit, float&)");
  }();
  const Callback selective =
      "__device__ graft::Store f(float x, graft::InOut<graft::Bit> a, graft::Bit& b) {\n"
      "  b = a; a = x > 0; return graft::Store(x != 1);\n}";
  const Callback chained = chain("__device__ void f(float x, float& y, graft::Bit& b) { y = x; b = x > 0; }",
                                 "__device__ graft::Bit g(float y, graft::Bit b, graft::Bit c) { return b && c; }");
  const auto selective_bytes = selective.precompile({75}, PrecompileFormat::Ptx);
  const Callback selective_ptx =
      Callback::ptx(std::string(reinterpret_cast<const char*>(selective_bytes.data()), selective_bytes.size()))
          .with_signature("graft::Store f(float, graft::InOut<graft::Bit>, graft::Bit&)");
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect})
    for (const Callback& callback : {Callback(kSafeRoot), selective, chained}) {
      SCOPED_TRACE(std::string(name(route)) + " " + callback.name());
      EXPECT_EQ(build(callback, Architecture(90), on(route)).report().kernel.route, route);
    }
  for (const Route route : {Route::Ptx, Route::Indirect})
    for (const Callback& callback : {ptx, selective_ptx})
      EXPECT_EQ(build(callback, Architecture(90), on(route)).report().kernel.route, route);
  const Callback pack = Callback::pack(Callback(kSafeRoot).precompile({75, 90}, PrecompileFormat::PackWithCubins));
  EXPECT_EQ(build(pack, Architecture(90)).signature(), (Signature::of<Bit(float, Bit, float&)>()));
}

TEST(Bits, AreNoElementsOfLoadAndStoreCallbacks) {
  const Callback load = "__device__ graft::Bit load(void* data, unsigned long long i, void*, void*) { return true; }";
  const Error error = error_of([&] {
    build(Stages{.load = load, .op = "__device__ float f(graft::Bit b) { return b ? 1 : 0; }"}, Architecture(90));
  });
  EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter);
  EXPECT_THAT(error.what(), HasSubstr("Let the load callback return a bool"));
}

// The callback gets a pointer, so the offset of a bit array would be lost.
TEST(Bits, AreNoArraysOfLoadAndStoreCallbacks) {
  const Transform transform =
      Transform::create(Stages{.load = "__device__ bool load(void* data, unsigned long long i, void*, void*) {\n"
                                       "  return static_cast<const unsigned*>(data)[i / 32] >> (i % 32) & 1;\n}",
                               .op = "__device__ float f(bool b) { return b ? 1 : 0; }"},
                        on(Route::Host));
  const std::vector<std::uint32_t> words = {0b1011, 0};
  std::vector<float> out(40);
  transform.execute(host, words, out);
  EXPECT_EQ(out[1], 1);
  EXPECT_EQ(out[2], 0);
  const Error error = error_of([&] { transform.execute(host, bits(words.data(), 3, 40), out); });
  EXPECT_EQ(error.code(), ErrorCode::TypeMismatch);
  EXPECT_THAT(error.what(), HasSubstr("input 0 is a bit array, but a load or store callback accesses"));
}

TEST(Bits, OfALastElementThatIsLeftAloneAndBehindItAreKept) {
  const Transform transform = Transform::create(
      "__device__ graft::Store f(graft::Index i, graft::Bit& b) { b = false; return graft::Store(i % 2 == 0); }",
      on(Route::Host));
  std::vector<std::uint32_t> words = {0xffffffff};
  transform.execute(host, host_inputs(), bits(words.data(), 8));
  EXPECT_EQ(words[0], 0xffffffaa);
  transform.execute(host, host_inputs(), bits(words.data(), 7));
  EXPECT_EQ(words[0], 0x2au);
}

TEST(Bits, CombineWithBools) {
  const Transform transform = Transform::create(
      "__device__ void f(bool x, graft::InOut<graft::Bit> a, graft::InOut<graft::Bit> o, graft::InOut<graft::Bit> d) "
      "{\n"
      "  a &= x; o |= x; d ^= x;\n}",
      on(Route::Host));
  const std::vector<std::uint8_t> flags = {0, 1, 0, 1};
  std::uint32_t all = 0b1100, any = 0b1100, different = 0b1100;
  transform.execute(host, std::span(reinterpret_cast<const bool*>(flags.data()), 4),
                    host_outputs(bits(&all, 0, 4), bits(&any, 0, 4), bits(&different, 0, 4)));
  EXPECT_EQ(all, 0b1000u);
  EXPECT_EQ(any, 0b1110u);
  EXPECT_EQ(different, 0b0110u);
}

TEST(Bits, HaveTheOperatorsOfSingleBits) {
  const Transform transform = Transform::create(
      "__device__ graft::Bit f(graft::Bit a, graft::Bit b, graft::Bit& x, graft::Bit& y) {\n"
      "  x = ~(a | b); y = a ^ ~b; return a & b & true;\n}",
      on(Route::Host));
  const std::uint32_t a = 0b0101, b = 0b0011;
  std::uint32_t both = 0, neither = 0, equal = 0;
  transform.execute(host, host_inputs(bits(&a, 4), bits(&b, 4)),
                    host_outputs(bits(&both, 4), bits(&neither, 4), bits(&equal, 4)));
  EXPECT_EQ(both, 0b0001u);
  EXPECT_EQ(neither, 0b1000u);
  EXPECT_EQ(equal, 0b1001u);
}

TEST(Bits, OfAContainer) {
  const Transform negate = Transform::create("__device__ graft::Bit f(graft::Bit a) { return !a; }", on(Route::Host));
  const std::vector<std::uint32_t> in = {0xff, 1};
  std::vector<std::uint64_t> out(1);
  negate.execute(host, bits(in, 4, 40), bits(std::span(out), 40));
  EXPECT_EQ(out[0], 0xffeffffff0u);
}

}  // namespace
}  // namespace graft::test
