// Tests ArrayRef and StateRef, whose element types are known only at run time. The tests run on the host route. Results
// and error messages must equal those of calls with arrays of C++ types.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Transform on_host(const Callback& source) {
  Options options;
  options.routes.required = Route::Host;
  return Transform::create(source, options);
}

template <class T>
ArrayRef ref(const std::vector<T>& values, const char* type) {
  return {values.data(), values.size(), ElementType::named(type)};
}

struct Scale {
  float factor, offset;
};
constexpr const char* kScale = R"(
    struct Scale { float factor, offset; };
    __device__ float scale(float x, const Scale& s) { return s.factor * x + s.offset; }
)";
constexpr const char* kSum = "__device__ float sum(float x, int y) { return x + y; }";

const std::vector<float> kX = {1, 2, 3, 4};
const std::vector<int> kY = {10, 20, 30, 40};

// ---- the arguments that execute takes ----

TEST(ArrayRefs, ComeAsAnyRangeOrByThemselves) {
  const Transform sum = on_host(kSum);
  const std::vector<ArrayRef> in_vector = {ref(kX, "f32"), ref(kY, "i32")};
  const std::array<ArrayRef, 2> in_array = {in_vector[0], in_vector[1]};
  const ArrayRef in_c[] = {in_vector[0], in_vector[1]};
  std::vector<float> out;
  const auto run = [&](auto call) {
    out.assign(4, -1.0f);
    call(ref(out, "f32"));
    EXPECT_THAT(out, ElementsAre(11, 22, 33, 44));
  };
  run([&](const ArrayRef& to) { sum.execute(host, in_vector, to); });
  run([&](const ArrayRef& to) { sum.execute(host, in_array, std::vector{to}); });
  run([&](const ArrayRef& to) { sum.execute(host, in_c, {to}); });
  run([&](const ArrayRef& to) { sum.execute(host, std::span(in_vector), std::span(&to, 1)); });
  run([&](const ArrayRef& to) { sum.execute(host, {in_c, 2}, {&to, 1}); });
  run([&](const ArrayRef& to) { sum.execute(host, {ref(kX, "float"), ref(kY, "int32")}, {to}); });
}

TEST(ArrayRefs, MayBeNone) {
  const Transform ramp = on_host("__device__ int ramp(graft::Index i, const int& step) { return step * int(i); }");
  std::vector<int> out(4);
  ramp.execute(host, {}, ref(out, "i32"), 3);
  EXPECT_THAT(out, ElementsAre(0, 3, 6, 9));
}

TEST(ArrayRefs, OfNoElementsNeedNoMemory) {
  const ArrayRef floats(nullptr, 0, ElementType::named("f32"));
  const ArrayRef ints(nullptr, 0, ElementType::named("i32"));
  on_host(kSum).execute(host, {floats, ints}, floats);
}

TEST(ArrayRefs, MayBeInPlace) {
  const Transform negate = on_host("__device__ float negate(float x) { return -x; }");
  std::vector<float> x = kX;
  negate.execute(host, ref(x, "f32"), ref(x, "f32"));
  EXPECT_THAT(x, ElementsAre(-1, -2, -3, -4));
}

TEST(ArrayRefs, HaveSeveralOutputs) {
  const Transform split = on_host("__device__ int64_t split(double x, bool& negative) { negative = x < 0; return x; }");
  const std::vector<double> x = {-1.5, 2.5};
  std::vector<std::int64_t> whole(2);
  std::vector<std::uint8_t> negative(2);
  const std::vector<ArrayRef> out = {ref(whole, "i64"), {negative.data(), 2, ElementType::named("bool")}};
  split.execute(host, ref(x, "f64"), out);
  EXPECT_THAT(whole, ElementsAre(-1, 2));
  EXPECT_THAT(negative, ElementsAre(1, 0));
}

// Half and complex elements are passed as raw bytes, as in a program that reads them from files, because this file
// includes no CUDA header.
TEST(ArrayRefs, OfTypesThatThisCompilerDoesNotKnow) {
  const Transform twice = on_host("__device__ __half twice(__half x) { return __float2half(2 * __half2float(x)); }");
  const std::vector<std::uint16_t> halves = {0x3c00, 0xc000};  // 1 and -2
  std::vector<std::uint16_t> doubled(2);
  twice.execute(host, ref(halves, "f16"), ref(doubled, "f16"));
  EXPECT_THAT(doubled, ElementsAre(0x4000, 0xc400));

  const Transform conjugate = on_host("__device__ float2 f(float2 z) { return make_float2(z.x, -z.y); }");
  const std::vector<std::complex<float>> z = {{1, 2}, {3, -4}};
  std::vector<std::complex<float>> out(2);
  conjugate.execute(host, ref(z, "c64"), ref(out, "complex<float>"));
  EXPECT_THAT(out, ElementsAre(std::complex<float>(1, -2), std::complex<float>(3, 4)));
}

TEST(ArrayRefs, OfStructsByTheirLayout) {
  const Transform gray = on_host(R"(
      struct Rgb { uint8_t r, g, b; };
      __device__ uint8_t gray(Rgb p) { return (p.r + p.g + p.b) / 3; }
  )");
  const std::vector<std::uint8_t> bytes = {3, 6, 9, 30, 60, 90};
  std::vector<std::uint8_t> out(2);
  gray.execute(host, ArrayRef(bytes.data(), 2, ElementType::structure(3, 1)), ref(out, "u8"));
  EXPECT_THAT(out, ElementsAre(6, 60));
}

// ---- states whose type is known only at run time ----

TEST(StateRef, IsBytesAndTheirType) {
  const Transform scale = on_host(kScale);
  const Scale value = {2, 0.5f};
  std::vector<std::byte> bytes(1 + sizeof value);  // the odd address is allowed, because execute copies the bytes
  std::memcpy(bytes.data() + 1, &value, sizeof value);
  const StateRef state(bytes.data() + 1, ElementType::structure(sizeof(Scale), alignof(Scale)));
  std::vector<float> out(4);
  const auto run = [&](auto call) {
    out.assign(4, -1.0f);
    call();
    EXPECT_THAT(out, ElementsAre(2.5f, 4.5f, 6.5f, 8.5f));
  };
  run([&] { scale.execute(host, ref(kX, "f32"), ref(out, "f32"), state); });
  run([&] { scale.execute(host, kX, out, state); });
  run([&] { scale.execute(host, ref(kX, "f32"), ref(out, "f32"), value); });
  run([&] { scale.execute(host, ref(kX, "f32"), ref(out, "f32"), {bytes.data() + 1, *scale.signature().state()}); });
}

TEST(StateRef, ComesBeforeCallerInfo) {
  const Transform gain = on_host(R"(
      __device__ float gain(float x, const float& a) { return a * x; }
  )");
  std::vector<float> out(4);
  gain.execute(host, ref(kX, "f32"), ref(out, "f32"), 2.0f, CallerInfo{});
  EXPECT_THAT(out, ElementsAre(2, 4, 6, 8));
}

TEST(CallerInfo, ReachesAStageOverArrayRefs) {
  Options options;
  options.routes.required = Route::Host;
  const Callback load = R"(
      __device__ float load(void* data, unsigned long long offset, void* caller_info, void* shared) {
        return static_cast<const float*>(data)[offset] * *static_cast<const float*>(caller_info);
      }
  )";
  const Transform transform = Transform::create(Stages{.load = load}, options);
  float factor = 3;
  std::vector<float> out(4);
  // A load callback may read elements of any type, so an input of type u8 is accepted here.
  transform.execute(host, ref(kX, "u8"), ref(out, "f32"), CallerInfo{.load = &factor});
  EXPECT_THAT(out, ElementsAre(3, 6, 9, 12));
}

// ---- calls that graft refuses ----

struct Refusal {
  const char* name;
  std::function<void()> typed;
  std::function<void()> untyped;
  ErrorCode code;
  const char* words;
};

class ArrayRefsAreRefused : public testing::TestWithParam<Refusal> {};

TEST_P(ArrayRefsAreRefused, InTheWordsOfTypedArrays) {
  const Error typed = error_of(GetParam().typed);
  const Error untyped = error_of(GetParam().untyped);
  EXPECT_EQ(untyped.code(), GetParam().code);
  EXPECT_THAT(untyped.message(), HasSubstr(GetParam().words));
  EXPECT_EQ(untyped.code(), typed.code());
  EXPECT_EQ(std::string(untyped.what()), typed.what());
}

const Transform& sum() {
  static const Transform transform = on_host(kSum);
  return transform;
}
const Transform& scale() {
  static const Transform transform = on_host(kScale);
  return transform;
}
const Transform& offset() {
  static const Transform transform = on_host("__device__ float offset(float x, const float& by) { return x + by; }");
  return transform;
}

// A functor as Thrust's users write it, with its element by reference.
const Transform& functor() {
  static const Transform transform =
      on_host(Callback("struct square { __device__ float operator()(const float& x) const { return x * x; } };")
                  .with_entry("square{}"));
  return transform;
}

// The output arrays and input arrays of the refused calls below. Refused calls must not write to the outputs.
std::vector<float> to_write(4);
const float* const kBetween = reinterpret_cast<const float*>(reinterpret_cast<const char*>(kX.data()) + 2);
const std::vector<double> kDoubles = {1, 2, 3, 4};
const ArrayRef kTo = ref(to_write, "f32");
const Scale kValue = {2, 1};

INSTANTIATE_TEST_SUITE_P(
    Cases, ArrayRefsAreRefused,
    testing::Values(
        Refusal{"TooFewInputs", [] { sum().execute(host, kX, to_write); },
                [] { sum().execute(host, ref(kX, "f32"), kTo); }, ErrorCode::CountMismatch,
                "it takes 2 input and 1 output arrays, but was given 1 and 1"},
        Refusal{"AnElementByReference", [] { functor().execute(host, kX, to_write); },
                [] { functor().execute(host, ref(kX, "f32"), kTo); }, ErrorCode::CountMismatch,
                "it takes 0 input arrays and a state, but was given 1 and no state"},
        Refusal{"NoOutput", [] { sum().execute(host, host_inputs(kX, kY), host_outputs()); },
                [] {
                  sum().execute(host, {ref(kX, "f32"), ref(kY, "i32")}, std::vector<ArrayRef>());
                },
                ErrorCode::CountMismatch, "was given 2 and 0"},
        Refusal{"MoreThanAnyCallbackTakes",
                [] { sum().execute(host, host_inputs(kX, kX, kX, kX, kX, kX, kX, kX), to_write); },
                [] { sum().execute(host, std::vector(8, ref(kX, "f32")), kTo); }, ErrorCode::CountMismatch,
                "was given 8 and 1"},
        Refusal{"ShorterInput", [] { sum().execute(host, host_inputs(kX, std::span(kY).first(3)), to_write); },
                [] {
                  sum().execute(host, {ref(kX, "f32"), {kY.data(), 3, ElementType::named("i32")}}, kTo);
                },
                ErrorCode::CountMismatch, "input 0 has 4 elements, but input 1 has 3"},
        Refusal{"AnotherKind", [] { sum().execute(host, host_inputs(kX, kX), to_write); },
                [] {
                  sum().execute(host, {ref(kX, "f32"), ref(kX, "f32")}, kTo);
                },
                ErrorCode::TypeMismatch, "input 1 holds float, but the callback takes int32"},
        Refusal{"AnotherSize", [] { sum().execute(host, host_inputs(kDoubles, kY), to_write); },
                [] {
                  sum().execute(host, {ref(kDoubles, "f64"), ref(kY, "i32")}, kTo);
                },
                ErrorCode::TypeMismatch, "input 0 holds double, but the callback takes float"},
        Refusal{"AStructForANumber",
                [] { sum().execute(host, host_inputs(std::vector<std::array<char, 4>>(4), kY), to_write); },
                [] {
                  sum().execute(host, {{kX.data(), 4, ElementType::structure(4, 1)}, ref(kY, "i32")}, kTo);
                },
                ErrorCode::TypeMismatch, "input 0 holds 4-byte class aligned to 1, but the callback takes float"},
        Refusal{
            "NullPointer",
            [] {
              sum().execute(host, host_inputs(kX, std::span<const int>(kY)), {static_cast<float*>(nullptr), 4});
            },
            [] {
              sum().execute(host, {ref(kX, "f32"), ref(kY, "i32")}, ArrayRef(nullptr, 4, ElementType::named("f32")));
            },
            ErrorCode::InvalidArgument, "output 0 is a null pointer, with a count of 4"},
        Refusal{"Misaligned",
                [] {
                  scale().execute(host, {kBetween, 3}, {to_write.data(), 3}, kValue);
                },
                [] {
                  scale().execute(host, ArrayRef(kBetween, 3, ElementType::named("f32")),
                                  ArrayRef(to_write.data(), 3, ElementType::named("f32")), kValue);
                },
                ErrorCode::Misaligned, "which is not aligned to the 4 bytes that its element, float, needs"},
        Refusal{"Overlap",
                [] {
                  scale().execute(host, {to_write.data(), 3}, {to_write.data() + 1, 3}, kValue);
                },
                [] {
                  scale().execute(host, ArrayRef(to_write.data(), 3, ElementType::named("f32")),
                                  ArrayRef(to_write.data() + 1, 3, ElementType::named("f32")), kValue);
                },
                ErrorCode::Overlap, "output 0 (12 bytes at "},
        Refusal{"MissingState", [] { scale().execute(host, kX, to_write); },
                [] { scale().execute(host, ref(kX, "f32"), kTo); }, ErrorCode::TypeMismatch,
                "its state of 8 bytes is missing"},
        Refusal{"NullState", [] { scale().execute(host, kX, to_write); },
                [] { scale().execute(host, ref(kX, "f32"), kTo, StateRef(nullptr, ElementType::structure(8, 4))); },
                ErrorCode::TypeMismatch, "its state of 8 bytes is missing"},
        Refusal{"UnwantedState", [] { sum().execute(host, host_inputs(kX, kY), to_write, 1.0f); },
                [] {
                  sum().execute(host, {ref(kX, "f32"), ref(kY, "i32")}, kTo, {kX.data(), ElementType::named("f32")});
                },
                ErrorCode::TypeMismatch, "it has no state, but a state was given"},
        Refusal{"StateOfAnotherSize", [] { scale().execute(host, kX, to_write, std::array<float, 3>()); },
                [] {
                  scale().execute(host, ref(kX, "f32"), kTo, {kX.data(), ElementType::structure(12, 4)});
                },
                ErrorCode::TypeMismatch, "its state has 8 bytes, but 12 bytes were given"},
        Refusal{"StateOfAnotherKind", [] { offset().execute(host, kX, to_write, 2); },
                [] {
                  offset().execute(host, ref(kX, "f32"), kTo, {kY.data(), ElementType::named("i32")});
                },
                ErrorCode::TypeMismatch, "its state is float, but int32 was given"},
        Refusal{"OnAStream", [] { sum().execute(nullptr, inputs(device(kX), device(kY)), device(to_write)); },
                [] {
                  sum().execute(nullptr, {ref(kX, "f32"), ref(kY, "i32")}, kTo);
                },
                ErrorCode::InvalidArgument, "runs on the host: it takes no stream and no device"},
        Refusal{"DescribedForAStream",
                [] { sum().launch_parameters(inputs(device(kX), device(kY)), device(to_write)); },
                [] {
                  sum().launch_parameters({ref(kX, "f32"), ref(kY, "i32")}, kTo);
                },
                ErrorCode::InvalidArgument, "runs on the host: it takes no stream and no device"}),
    [](const auto& refusal) { return std::string(refusal.param.name); });

TEST(ArrayRefsAreRefused, WhereTheyAreMoreThanATypedCallCanGive) {
  const Error error = error_of([&] { sum().execute(host, std::vector(40, ref(kX, "f32")), kTo); });
  EXPECT_EQ(error.code(), ErrorCode::CountMismatch);
  EXPECT_THAT(error.message(), HasSubstr("was given 40 and 1"));
}

struct Iq {
  std::int16_t i, q;
};

// A user's struct of two shorts is aligned to 2 bytes, and the callback's short2 to 4. The pointer must fit.
TEST(ArrayRefs, OfAClassMayBeAlignedOtherwise) {
  const Transform sum = on_host("__device__ int sum(short2 z) { return z.x + z.y; }");
  alignas(4) std::array<Iq, 3> samples = {Iq{1, 2}, {3, 4}, {5, 6}};
  std::array<int, 2> out = {};
  sum.execute(host, std::span(samples).first(2), out);
  EXPECT_THAT(out, ElementsAre(3, 7));
  const Iq* const between = reinterpret_cast<const Iq*>(&samples[0].q);
  const Error error = error_of([&] { sum.execute(host, std::span(between, 2), out); });
  EXPECT_EQ(error.code(), ErrorCode::Misaligned);
  EXPECT_THAT(error.message(), HasSubstr("which is not aligned to the 4 bytes that its element, 4-byte class"));
}

// The host and the device may align a class differently. A state of class type is therefore compared by its size alone.
TEST(StateRef, OfAClassMayBeAlignedOtherwise) {
  std::vector<float> out(4);
  scale().execute(host, ref(kX, "f32"), ref(out, "f32"), {&kValue, ElementType::structure(8, 8)});
  EXPECT_THAT(out, ElementsAre(3, 5, 7, 9));
}

}  // namespace
}  // namespace graft::test
