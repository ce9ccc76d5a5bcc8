// Tests bit arrays (arrays of graft::Bit) as inputs, outputs and in-out arrays: at every offset in a word, beside
// arrays of other sizes, with every tuning. All words are compared, also the bits around an output's elements, which
// must keep their values, and which two kernels change at the same time in one test.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr Route kRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};

Options on(Route route, const PolicyOverrides& policy = {}) {
  Options options;
  options.routes.required = route;
  options.policy = policy;
  return options;
}

class GpuBits : public Gpu {};

// A bit array on the host, and its copy on the device. Bits that are not elements are random.
class Mask {
 public:
  Mask(std::size_t offset, std::size_t count, unsigned seed)
      : words_(random_bytes<std::uint32_t>((offset + count + 31) / 32 + 1, seed)),
        device_(words_),
        offset_(offset),
        count_(count) {}

  bool operator[](std::size_t i) const { return (words_[place(i) / 32] >> (place(i) % 32) & 1) != 0; }
  void set(std::size_t i, bool value) {
    const std::uint32_t bit = std::uint32_t{1} << (place(i) % 32);
    std::uint32_t& word = words_[place(i) / 32];
    word = value ? word | bit : word & ~bit;
  }
  void clear_rest() {
    const std::size_t end = place(count_);
    if (end % 32 != 0) words_[end / 32] &= (std::uint32_t{1} << (end % 32)) - 1;
  }

  auto part() const { return bits(device_.data(), offset_, count_); }
  auto whole() const { return bits(device_.data(), count_); }
  ::testing::AssertionResult is_as_expected() const {
    if (!device_.guards_are_intact()) return ::testing::AssertionFailure() << "written outside of the words";
    const std::vector<std::uint32_t> words = device_.host();
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] != words_[i])
        return ::testing::AssertionFailure()
               << fmt::format("word {} of {} is {:08x}, not {:08x}", i, words.size(), words[i], words_[i]);
    return ::testing::AssertionSuccess();
  }

 private:
  std::size_t place(std::size_t i) const { return offset_ + i; }

  std::vector<std::uint32_t> words_;  // as they should be on the device
  DeviceArray<std::uint32_t> device_;
  std::size_t offset_;
  std::size_t count_;
};

class Counter {
 public:
  explicit Counter(std::uint64_t begin) : device_(std::vector<std::uint64_t>{begin}) {}
  std::uint64_t* get() const { return device_.data(); }
  std::uint64_t value() const { return device_.host()[0]; }

 private:
  DeviceArray<std::uint64_t> device_;
};

constexpr const char* kSafeRoot =
    "__device__ graft::Bit safe_root(float x, graft::Bit is_valid, float& root, graft::Bit& is_large) {\n"
    "  root = is_valid && x >= 0 ? sqrtf(x) : -1.0f; is_large = x > 50; return is_valid && x >= 0;\n}";

// The places of the masks in their words, and of the arrays behind an aligned address.
struct Places {
  std::size_t valid, result, large, numbers;
};

void check_masks(const Transform& transform, std::size_t count, const Places& places) {
  SCOPED_TRACE(fmt::format("{} elements, offsets {}, {}, {}, arrays moved by {}", count, places.valid, places.result,
                           places.large, places.numbers));
  const auto x = random_numbers<float>(count, 1);
  std::vector<float> roots(count);
  const DeviceArray<float> in(x, places.numbers);
  const DeviceArray<float> out(random_bytes<float>(count, 2), places.numbers);
  const Mask valid(places.valid, count, 3);
  Mask result(places.result, count, 4), large(places.large, count, 5);
  const Counter zeros(1000);
  transform.execute(nullptr, graft::inputs(in, valid.part()),
                    graft::outputs(result.part().count_zeros(zeros.get()), out, large.part()));
  std::uint64_t expected_zeros = 1000;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_valid = valid[i] && x[i] >= 0;
    result.set(i, is_valid);
    large.set(i, x[i] > 50);
    roots[i] = is_valid ? std::sqrt(x[i]) : -1.0f;
    expected_zeros += is_valid ? 0 : 1;
  }
  EXPECT_TRUE(valid.is_as_expected());
  EXPECT_TRUE(result.is_as_expected());
  EXPECT_TRUE(large.is_as_expected());
  EXPECT_TRUE(same_bytes(out.host(), roots));
  EXPECT_TRUE(out.guards_are_intact());
  EXPECT_EQ(zeros.value(), expected_zeros);
}

TEST_F(GpuBits, AtEveryPlaceInAWord) {
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    const Transform transform = Transform::create(kSafeRoot, on(route));
    for (std::size_t offset = 0; offset < 34; ++offset)
      for (const std::size_t count : {std::size_t{20'003}, std::size_t{1} + offset})
        check_masks(transform, count, {7, offset, offset, (32 - offset % 32) % 4});
  }
}

TEST_F(GpuBits, WithAwkwardCounts) {
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    const Transform transform = Transform::create(kSafeRoot, on(route));
    for (const std::size_t count : awkward_counts(transform.report()))
      for (const Places& places : {Places{0, 0, 0, 0}, Places{5, 64, 32, 0}, Places{31, 3, 3, 1}, Places{1, 2, 3, 3}})
        check_masks(transform, count, places);
  }
}

TEST_F(GpuBits, WithEveryTuning) {
  for (const Route route : {Route::Lto, Route::Program}) {
    SCOPED_TRACE(name(route));
    for (const int width : {1, 2, 4, 8, 16})
      for (const int vectors : {1, 2, 4})
        for (const int threads : {64, 256}) {
          SCOPED_TRACE(fmt::format("{} elements x {}, {} threads", width, vectors, threads));
          const PolicyOverrides policy = {
              .vector_width = width, .vectors_per_thread = vectors, .body = Body::Vector, .block_threads = threads};
          const Transform transform = Transform::create(kSafeRoot, on(route, policy));
          check_masks(transform, 300'007, {0, 0, 0, 0});
          check_masks(transform, 300'007, {9, 13, 45, 3});
        }
    check_masks(Transform::create(kSafeRoot, on(route, {.body = Body::Rolled})), 300'007, {9, 13, 45, 3});
  }
}

TEST_F(GpuBits, BesideElementsOfOtherSizes) {
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    for (const char* const type : {"unsigned char", "unsigned short", "double", "float4"}) {
      SCOPED_TRACE(type);
      const std::string member = std::string_view(type) == "float4" ? ".x" : "";
      const Transform transform = Transform::create(
          fmt::format("__device__ graft::Bit f({0} x, graft::Bit keep, {0}& y) {{ y = x; return keep && x{1} != 0; }}",
                      type, member),
          on(route));
      const ElementType element = transform.signature().inputs()[0];
      for (const std::size_t count : {1, 97, 70'001}) {
        const std::vector<std::byte> bytes(count * element.size);
        std::vector<std::byte> given = random_bytes<std::byte>(bytes.size(), 1);
        for (std::size_t i = 0; i < count; i += 3)
          std::fill_n(given.begin() + static_cast<std::ptrdiff_t>(i * element.size), element.size, std::byte{0});
        const DeviceArray<std::byte> x(given), y(bytes);
        const Mask keep(3, count, 2);
        Mask result(29, count, 3);
        const std::vector<ArrayRef> in = {{x.data(), count, element}, keep.part()};
        transform.execute(nullptr, in, {result.part(), ArrayRef(y.data(), count, element)});
        for (std::size_t i = 0; i < count; ++i) {
          const bool is_zero = std::string_view(type) == "float4"
                                   ? [&] {
                                       float first = 0;
                                       std::memcpy(&first, &given[i * element.size], sizeof first);
                                       return first == 0;
                                     }()
                                   : std::all_of(&given[i * element.size], &given[i * element.size] + element.size,
                                                 [](std::byte b) { return b == std::byte{0}; });
          result.set(i, keep[i] && !is_zero);
        }
        EXPECT_TRUE(result.is_as_expected()) << count;
        EXPECT_TRUE(same_bytes(y.host(), given)) << count;
      }
    }
  }
}

TEST_F(GpuBits, OnlyBitsInPlaceAndCleared) {
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    const Transform both =
        Transform::create("__device__ graft::Bit both(graft::Bit a, graft::Bit b) { return a && b; }", on(route));
    const Transform flip = Transform::create(
        "__device__ void flip(graft::InOut<graft::Bit> a, graft::Index i) { if (i % 3 == 0) a = !a; }", on(route));
    for (const std::size_t count : {1, 31, 32, 33, 5'000, 1'000'001})
      for (const std::size_t offset : {0, 1, 32, 50}) {
        SCOPED_TRACE(fmt::format("{} elements, offset {}", count, offset));
        const Mask a(offset, count, 1), b(4, count, 2);
        Mask result(0, count, 3);
        const Counter zeros(0);
        both.execute(nullptr, graft::inputs(a.part(), b.part()), result.whole().count_zeros(zeros.get()));
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < count; ++i) {
          result.set(i, a[i] && b[i]);
          expected += result[i] ? 0 : 1;
        }
        result.clear_rest();
        EXPECT_TRUE(result.is_as_expected());
        EXPECT_EQ(zeros.value(), expected);

        Mask flipped(offset, count, 4);
        flip.execute(nullptr, graft::inputs(), flipped.part());
        for (std::size_t i = 0; i < count; i += 3) flipped.set(i, !flipped[i]);
        EXPECT_TRUE(flipped.is_as_expected());
        Mask own(offset, count, 5);
        both.execute(nullptr, graft::inputs(own.part(), b.part()), own.part());
        for (std::size_t i = 0; i < count; ++i) own.set(i, own[i] && b[i]);
        EXPECT_TRUE(own.is_as_expected());
      }
  }
}

// A selective callback leaves bits alone as it leaves elements alone, and counts only the zeros that it stores.
TEST_F(GpuBits, BitsThatAreLeftAloneKeepTheirValues) {
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    const Transform transform = Transform::create(
        "__device__ graft::Store f(graft::Index i, graft::Bit stored, float& y, graft::Bit& mask) {\n"
        "  y = i; mask = i % 5 == 0; return graft::Store(stored || i / 4096 % 2 == 0);\n}",
        on(route));
    for (const std::size_t count : {1, 100, 300'007})
      for (const std::size_t offset : {0, 11}) {
        SCOPED_TRACE(fmt::format("{} elements, offset {}", count, offset));
        const Mask stored(2, count, 1);
        Mask mask(offset, count, 2);
        auto y = random_bytes<float>(count, 3);
        const DeviceArray<float> out(y);
        const Counter zeros(0);
        transform.execute(nullptr, stored.part(), graft::outputs(out, mask.part().count_zeros(zeros.get())));
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < count; ++i) {
          if (!stored[i] && i / 4096 % 2 != 0) continue;
          y[i] = static_cast<float>(i);
          mask.set(i, i % 5 == 0);
          expected += i % 5 == 0 ? 0 : 1;
        }
        EXPECT_TRUE(mask.is_as_expected());
        EXPECT_TRUE(same_bytes(out.host(), y));
        EXPECT_EQ(zeros.value(), expected);
      }
  }
}

TEST_F(GpuBits, InAChainAndWithABakedState) {
  const Callback mark = "__device__ void mark(float x, float& y, graft::Bit& is_kept) { y = 2 * x; is_kept = x > 0; }";
  const Callback keep =
      "__device__ graft::Bit keep(float y, graft::Bit is_kept, graft::Bit other, const float& limit) {\n"
      "  return is_kept && other && y < limit;\n}";
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    const Transform transform = Transform::create(chain(mark, keep), on(route));
    const auto x = random_numbers<float>(100'003, 1);
    const DeviceArray<float> in(x);
    const Mask other(17, x.size(), 2);
    Mask result(1, x.size(), 3);
    transform.execute(nullptr, graft::inputs(in, other.part()), result.part(), 100.0f);
    for (std::size_t i = 0; i < x.size(); ++i) result.set(i, x[i] > 0 && other[i] && 2 * x[i] < 100);
    EXPECT_TRUE(result.is_as_expected());
  }
}

// A store callback accesses the first output itself. The bits of the elements beside one that is left alone must not
// change.
TEST_F(GpuBits, BesideAStoreCallback) {
  const Callback op =
      "__device__ graft::Store op(float x, float& y, graft::Bit& is_large) { y = 2 * x; is_large = x > 1; return "
      "graft::Store(x > 0); }";
  const Callback store =
      "__device__ void store(void* data, unsigned long long offset, float element, void*, void*) {\n"
      "  static_cast<float*>(data)[offset] = element + 1;\n}";
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    const Transform transform = Transform::create(Stages{.op = op, .store = store}, on(route));
    const auto x = random_numbers<float>(300'007, 1, -2, 3);
    auto y = random_bytes<float>(x.size(), 2);
    const DeviceArray<float> in(x), out(y);
    Mask large(6, x.size(), 3);
    const Counter zeros(0);
    transform.execute(nullptr, in, graft::outputs(out, large.part().count_zeros(zeros.get())));
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!(x[i] > 0)) continue;
      y[i] = 2 * x[i] + 1;
      large.set(i, x[i] > 1);
      expected += x[i] > 1 ? 0 : 1;
    }
    EXPECT_TRUE(large.is_as_expected());
    EXPECT_TRUE(same_bytes(out.host(), y));
    EXPECT_EQ(zeros.value(), expected);
  }
}

// The building block needs no shared memory: all of it may be the callback's.
TEST_F(GpuBits, WithAllSharedMemoryForTheCallback) {
  for (const Route route : {Route::Lto, Route::Program}) {
    SCOPED_TRACE(name(route));
    Options options = on(route);
    options.shared_bytes = 49'152;
    const Callback load =
        "__device__ float load(void* data, unsigned long long i, void*, void* shared) {\n"
        "  return static_cast<const float*>(data)[i] + (shared == nullptr ? 1 : 0);\n}";
    const Transform transform =
        Transform::create(Stages{.load = load, .op = "__device__ graft::Bit op(float x) { return x > 0; }"}, options);
    const auto x = random_numbers<float>(100'003, 1);
    const DeviceArray<float> in(x);
    Mask mask(3, x.size(), 2);
    transform.execute(nullptr, in, mask.part());
    for (std::size_t i = 0; i < x.size(); ++i) mask.set(i, x[i] > 0);
    EXPECT_TRUE(mask.is_as_expected());
  }
}

// Two streams write adjacent parts of one mask, which meet within a word, many times.
TEST_F(GpuBits, AdjacentPartsMayBeWrittenAtTheSameTime) {
  constexpr std::size_t kSplit = 50'013;
  constexpr std::size_t kCount = 100'100;
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    const Transform transform = Transform::create(
        "__device__ graft::Bit f(graft::Index i, const unsigned& seed) { return ((i + seed) * 2654435761u >> 13) & 1; "
        "}",
        on(route));
    Mask mask(0, kCount, 1);
    cudaStream_t streams[2] = {};
    for (cudaStream_t& stream : streams) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    check(cudaDeviceSynchronize());
    std::uint32_t* const words = mask.part().words;
    for (unsigned round = 0; round < 100; ++round) {
      transform.execute(streams[0], graft::inputs(), bits(words, 0, kSplit), round);
      transform.execute(streams[1], graft::inputs(), bits(words, kSplit, kCount - kSplit), round + 7);
    }
    for (cudaStream_t stream : streams) {
      check(cudaStreamSynchronize(stream));
      check(cudaStreamDestroy(stream));
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::uint64_t n = i < kSplit ? i + 99 : i - kSplit + 106;
      mask.set(i, (n * 2654435761u >> 13 & 1) != 0);
    }
    EXPECT_TRUE(mask.is_as_expected());
  }
}

// PTX of a callback, on a machine that has only the driver: graft's thunk calls it.
TEST_F(GpuBits, InAPtxCallbackWithoutACompiler) {
  const auto bytes = Callback(
                         "__device__ void f(float x, graft::Bit a, graft::InOut<graft::Bit> b, graft::Bit& c) {\n"
                         "  b = b != a; c = x > 0 && a;\n}")
                         .precompile({75}, PrecompileFormat::Ptx);
  const Callback ptx = Callback::ptx(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()))
                           .with_signature("void f(float, graft::Bit, graft::InOut<graft::Bit>, graft::Bit&)");
  const Transform transform = Transform::create(ptx, on(Route::Indirect));
  for (const std::size_t count : {1, 40, 70'003}) {
    const auto x = random_numbers<float>(count, 1);
    const DeviceArray<float> in(x);
    const Mask a(3, count, 2);
    Mask b(0, count, 3), c(40, count, 4);
    transform.execute(nullptr, graft::inputs(in, a.part()), graft::outputs(b.whole(), c.part()));
    for (std::size_t i = 0; i < count; ++i) {
      b.set(i, b[i] != a[i]);
      c.set(i, x[i] > 0 && a[i]);
    }
    b.clear_rest();
    EXPECT_TRUE(b.is_as_expected());
    EXPECT_TRUE(c.is_as_expected());
  }
}

}  // namespace
}  // namespace graft::test
