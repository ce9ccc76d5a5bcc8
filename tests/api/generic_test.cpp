// Tests instances of generic callbacks: on the host route what they compute, and for a GPU that each route builds them.
#include <gtest/gtest.h>

#include <complex>
#include <string>
#include <thread>
#include <vector>

#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

constexpr const char* kMix = "template <class T> __device__ T mix(T a, T b, float t) { return a + T(t) * (b - a); }";
constexpr const char* kSquare = "[](auto x) { return x * x; }";
constexpr const char* kPoint = R"(
    struct Point { float x, y; };
    template <class P> __device__ auto turned(P p) { P q; q.x = -p.y; q.y = p.x; return q; }
)";

const Options kHost = by(Route::Host);

struct Point {
  float x, y;
  bool operator==(const Point&) const = default;
};

template <class T>
std::vector<T> squares_of(const std::vector<T>& values) {
  std::vector<T> squares(values.size());
  Transform::create(kSquare, types<T>(), kHost).execute(host, values, squares);
  return squares;
}

Error create_error(const GenericCallback& callback, const InstanceTypes& given, const Options& options = kHost) {
  return error_of([&] { Transform::create(callback, given, options); });
}

// ---- types ----

TEST(InstanceTypes, AreReadFromALine) {
  EXPECT_EQ(types("f32, unsigned int, c64, shapes::Pair<int, 2>").text(),
            "float, unsigned int, graft::complex<float>, shapes::Pair<int, 2>");
  EXPECT_EQ(types(" f64 ,Point ; Scale -> f32,bit ").text(), "double, Point; Scale -> float, graft::Bit");
  EXPECT_EQ(types("f32 x, y, f64 z; i32 n").text(), "float x, float y, double z; int n");
  EXPECT_EQ(types("").text(), "");
  EXPECT_EQ(types("").inputs().size(), 0u);
  EXPECT_EQ(types("float").inputs().front().element, element_type<float>());
  EXPECT_EQ(types("float3").inputs().front().element->size, 12u);
  EXPECT_FALSE(types("Point").inputs().front().element);
  EXPECT_EQ(types("f32 ->"), types("f32"));
}

TEST(InstanceTypes, AreMadeOfTypes) {
  EXPECT_EQ((types<float, std::complex<double>, long, Bit>().text()),
            "float, graft::complex<double>, long long, graft::Bit");
  EXPECT_EQ(types<Point>().text(), "Point");
  EXPECT_EQ(types<Point>().inputs().front().element, element_type<Point>());
  const InstanceTypes braces = {element_type<float>(), ElementType::named("f64")};
  EXPECT_EQ(braces, types("f32, f64"));
  EXPECT_EQ(types<float>().with_outputs(types<double>()).with_state(types<int>()), types("f32; i32 -> f64"));
}

TEST(InstanceTypes, OfALocalStructHaveItsNameAlone) {
  struct Local {
    float x;
  };
  EXPECT_EQ(types<Local>().text(), "Local");
  const auto of_lambda = [] {
    struct Inner {
      float x;
    };
    return types<Inner>().text();
  };
  EXPECT_EQ(of_lambda(), "Inner");
  const ElementType pair = ElementType::structure(8, 4);
  const auto in_cpp = [&](const char* function) { return detail::instance_type(pair, function).in_cpp; };
  EXPECT_EQ(in_cpp("const char* f() [with T = a::{anonymous}::Pair<b::C>]"), "Pair<b::C>");
  EXPECT_EQ(in_cpp("const char* f() [T = (anonymous namespace)::Pair<int>]"), "Pair<int>");
  EXPECT_EQ(in_cpp("const char* f() [with T = main()::<lambda()>::Local]"), "Local");
}

// The names become part of a text that is compiled.
TEST(InstanceTypes, ThatAreNoNamesAreRefused) {
  for (const char* line : {"f32) { while (true); } (", "float x; }", "f32,", ",", "Point*", "a b", "1", "<", "Pair<int",
                           "Pair<(1)>", "f(x)", "x\n#include", "auto&", "\"a\"", "A::B-C", "-> ,"}) {
    const Error error = error_of([&] { types(line); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << line;
  }
  EXPECT_EQ(error_of([] { (void)InstanceTypes(ElementType::structure(8, 4)); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([] { (void)types("enum32"); }).code(), ErrorCode::InvalidArgument);
}

// ---- what instances compute ----

TEST(GenericCallback, ALambdaSquaresWhateverItIsGiven) {
  EXPECT_EQ(squares_of<float>({-1.5f, 3}), (std::vector<float>{2.25f, 9}));
  EXPECT_EQ(squares_of<double>({1e100, -2}), (std::vector<double>{1e100 * 1e100, 4}));
  EXPECT_EQ(squares_of<int>({-3, 5}), (std::vector<int>{9, 25}));
  EXPECT_EQ(squares_of<std::complex<float>>({{0, 2}}), (std::vector<std::complex<float>>{{-4, 0}}));
}

TEST(GenericCallback, AHalfIsWrittenAsAHalf) {
  const std::vector<std::uint16_t> x = {0x4000, 0xbc00};  // 2 and -1
  std::vector<std::uint16_t> y(2);
  const ElementType half = ElementType::named("f16");
  const Transform square = Transform::create(kSquare, {half}, kHost);
  EXPECT_EQ(square.signature().text(), "__half(__half)");
  square.execute(host, {ArrayRef(x.data(), x.size(), half)}, {ArrayRef(y.data(), y.size(), half)});
  EXPECT_EQ(y, (std::vector<std::uint16_t>{0x4400, 0x3c00}));
}

TEST(GenericCallback, ATemplateTakesItsInstanceFromTheTypes) {
  const std::vector<double> a = {1, 2}, b = {3, 10};
  const std::vector<float> t = {0.5f, 0.25f};
  std::vector<double> y(2);
  const Transform mix = Transform::create(kMix, types<double, double, float>(), kHost);
  EXPECT_EQ(mix.signature().text(), "double(double, double, float)");
  mix.execute(host, inputs(a, b, t), outputs(y));
  EXPECT_EQ(y, (std::vector<double>{2, 4}));
  EXPECT_NE(mix.report().kernel.name.find("mix"), std::string::npos) << mix.report().kernel.name;
}

TEST(GenericCallback, AStructIsCalledAsTheTextCallsIt) {
  const std::vector<Point> in = {{1, 2}, {-3, 0}};
  std::vector<Point> out(2);
  Transform::create(kPoint, types<Point>(), kHost).execute(host, in, out);
  EXPECT_EQ(out, (std::vector<Point>{{-2, 1}, {0, -3}}));
  Transform::create(kPoint, types("Point"), kHost).execute(host, in, out);
  EXPECT_EQ(out, (std::vector<Point>{{-2, 1}, {0, -3}}));
}

TEST(GenericCallback, OutputsAndStateMayFollowFromTheInputs) {
  const char* text = R"(
      template <class T> __device__ void split(T x, const T& limit, T& below, T& above) {
        below = x < limit ? x : limit;
        above = x < limit ? limit : x;
      })";
  const std::vector<int> x = {1, 7};
  std::vector<int> below(2), above(2);
  Transform::create(text, types<int>(), kHost).execute(host, inputs(x), outputs(below, above), 4);
  EXPECT_EQ(below, (std::vector<int>{1, 4}));
  EXPECT_EQ(above, (std::vector<int>{4, 7}));
}

TEST(GenericCallback, OutputsAndStateCanBeGiven) {
  const char* text = R"(
      struct Scale { double a; };
      template <class T, class U, class S> __device__ void scaled(T x, const S& s, U& y) { y = U(s.a * x); })";
  struct Scale {
    double a;
  };
  const std::vector<float> x = {1, 2};
  std::vector<double> y(2);
  const Transform scaled = Transform::create(text, types("f32; Scale -> f64"), kHost);
  scaled.execute(host, x, y, Scale{0.5});
  EXPECT_EQ(y, (std::vector<double>{0.5, 1}));
  EXPECT_EQ(create_error(text, types("f32; Scale")).code(), ErrorCode::AmbiguousEntry);
}

TEST(GenericCallback, ATemplateNamedLikeAFunctionOfCudaIsTheTexts) {
  const char* text = "template <class T> __device__ T max(T a, T b) { return a > b ? a + 100 : b + 100; }";
  const std::vector<float> a = {1, 5}, b = {2, 3};
  std::vector<float> y(2);
  Transform::create(text, types<float, float>(), kHost).execute(host, inputs(a, b), outputs(y));
  EXPECT_EQ(y, (std::vector<float>{102, 105}));
  Transform::create(chain(Callback(text), Callback(kSquare)), types<float, float>(), kHost)
      .execute(host, inputs(a, b), outputs(y));
  EXPECT_EQ(y, (std::vector<float>{102 * 102, 105 * 105}));
}

TEST(GenericCallback, ArgumentsThatComeFirstCanBeNamed) {
  const char* text = "template <class R, class T> __device__ R convert(T x) { return R(x); }";
  Options options = kHost;
  options.entry = "convert<int>";
  const std::vector<double> x = {2.9, -2.9};
  std::vector<int> y(2);
  Transform::create(text, types<double>(), options).execute(host, x, y);
  EXPECT_EQ(y, (std::vector<int>{2, -2}));
  const Error error = create_error(text, types<double>());
  EXPECT_EQ(error.code(), ErrorCode::AmbiguousEntry);
  EXPECT_NE(error.message().find("template parameter R of `convert`"), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find("\"convert<float>\""), std::string::npos) << error.remedy();
}

TEST(GenericCallback, AnInstanceIsACallbackLikeAnyOther) {
  const Callback square = GenericCallback(kSquare).instance(types<float>());
  const std::vector<float> x = {3};
  std::vector<float> y(1);
  Transform::create(chain(square, square, square), kHost).execute(host, x, y);
  EXPECT_EQ(y[0], 6561);
  EXPECT_EQ(square, Callback("[](float x) { return x * x; }"));  // and has the same kernel
  const char* loaded =
      "__device__ float at(void* data, size_t i, void*, void*) { return static_cast<float*>(data)[i]; }";
  Transform::create(Callback(Stages{.load = loaded, .op = square}), kHost).execute(host, x, y);
  EXPECT_EQ(y[0], 9);
}

// ---- refusals ----

TEST(GenericCallback, ATypeForAStateThatIsNotThereIsRefused) {
  const Error lambda = create_error("[](auto x) { return x; }", types("f32; i32"));
  EXPECT_EQ(lambda.code(), ErrorCode::SignatureMismatch);
  EXPECT_EQ(lambda.message(), "the lambda in callback.cu has no state, for which int was given");
  const Error hidden = create_error("using real = float; __device__ real f(real x) { return x; }", types("f32; i32"));
  EXPECT_EQ(hidden.code(), ErrorCode::SignatureMismatch) << hidden.what();
  const Error chained = create_error(chain(Callback(kSquare), Callback(kSquare)), types("f32; i32, f32"));
  EXPECT_EQ(chained.code(), ErrorCode::SignatureMismatch);
  EXPECT_EQ(chained.message(),
            "the parts of the chain take 0 types of states together, and 2 were given: (float; int, float)");
}

TEST(GenericCallback, AnEntryDoesNotReplaceAnInstance) {
  Options options = kHost;
  options.entry = "mix";
  const Callback instance = GenericCallback(kMix).instance(types<double, double, float>());
  const Error error = error_of([&] { Transform::create(instance, options); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(
      error.message(),
      "Options::entry would replace the entry of callback.cu, which is the instance of `mix` for (double, double, "
      "float)");
}

// Types are no remedy where no types make an instance.
TEST(GenericCallback, OnlyWhatTakesTypesIsAdvisedToTakeThem) {
  const auto advises_types = [](const Callback& callback) {
    return error_of([&] { Transform::create(callback, kHost); }).remedy().find("types(") != std::string::npos;
  };
  EXPECT_TRUE(advises_types(kMix));
  EXPECT_TRUE(advises_types(kSquare));
  EXPECT_FALSE(advises_types("[](auto... x) { return (x + ...); }"));
  EXPECT_FALSE(
      advises_types(Callback("__device__ float f(float x) { return x; }").with_entry("[](auto x) { return x; }")));
  EXPECT_FALSE(advises_types(
      "template <class T> __device__ T f(T x) { return x; } __device__ float f(float x, float y) { return x + y; }"));
  const Error staged = error_of([&] {
    const char* load =
        "__device__ float at(void* data, size_t i, void*, void*) { return static_cast<float*>(data)[i]; }";
    Transform::create(GenericCallback(Callback(Stages{.load = load, .op = kSquare})), types<float>(), kHost);
  });
  EXPECT_NE(staged.remedy().find("graft::Stages graft::GenericCallback(part).instance("), std::string::npos)
      << staged.what();
}

TEST(GenericCallback, WithoutAnInstanceNamesTemplateAndTypes) {
  const char* same = "template <class T> __device__ T sum(T a, T b) { return a + b; }";
  for (const Route route : {Route::Host, Route::Lto}) {
    Options options = by(route);
    options.architecture = Architecture(90);
    const auto error = error_of([&] {
      const Callback instance = GenericCallback(same).instance(types<float, int>());
      if (route == Route::Host) Transform::create(instance, options);
      else build(instance, 90, options);
    });
    EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
    EXPECT_EQ(error.message(), "`sum` in callback.cu has no instance for (float, int)");
    EXPECT_NE(error.remedy().find("\"sum<float>\""), std::string::npos) << error.remedy();
    EXPECT_FALSE(error.log().empty());
  }
}

TEST(GenericCallback, AMistakeInTheBodyNamesTheTypes) {
  const Error error = create_error("template <class T>\n__device__ T f(T x) { return x.real(); }", types<float>());
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_EQ(error.message(), "callback.cu does not compile: line 2, as `f` for (float)");
}

TEST(GenericCallback, WithATypeOfAnotherTextIsRefused) {
  const Error error = create_error("template <class T> __device__ T f(T x) { return x; }", types("Missing"));
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
  EXPECT_EQ(error.message(), "`f` in callback.cu has no instance for (Missing)");
}

TEST(GenericCallback, AConcreteCallbackOfOtherTypesIsRefusedWithBothNamed) {
  const char* relu = "__device__ float relu(float x) { return x > 0 ? x : 0; }";
  const Error error = create_error(relu, types<double>());
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
  EXPECT_EQ(error.message(), "`relu` in callback.cu has a parameter of the type float, for which double was given");
  const Error compiled = create_error("using real = float; __device__ real f(real x) { return x; }", types<double>());
  EXPECT_EQ(compiled.code(), ErrorCode::SignatureMismatch);
  EXPECT_EQ(compiled.message(), "callback.cu has the signature float(float), and the types (double) were given");
  EXPECT_EQ(create_error(relu, types<float, float>()).code(), ErrorCode::SignatureMismatch);
  EXPECT_EQ(create_error(relu, types("f32 -> f64")).code(), ErrorCode::SignatureMismatch);
  EXPECT_EQ(create_error(formula("2 * x", "f32 x"), types("f64")).code(), ErrorCode::SignatureMismatch);
  const std::vector<float> x = {-1, 1};
  std::vector<float> y(2);
  Transform::create(relu, types("f32 -> f32"), kHost).execute(host, x, y);
  EXPECT_EQ(y, (std::vector<float>{0, 1}));
}

TEST(GenericCallback, WithoutTypesSaysHowToGiveThem) {
  for (const char* text : {kMix, kSquare}) {
    const Error error = error_of([&] { Transform::create(text, kHost); });
    EXPECT_NE(error.remedy().find("graft::types("), std::string::npos) << error.what();
  }
}

TEST(GenericCallback, ALambdaStillCapturesNothing) {
  EXPECT_EQ(create_error("[=](auto x) { return x; }", types<float>()).code(), ErrorCode::UnsupportedParameter);
}

TEST(GenericCallback, SaysWhetherItTakesTypes) {
  const auto takes_types = [](const Callback& callback) { return GenericCallback(callback).takes_types(); };
  EXPECT_TRUE(takes_types(kMix));
  EXPECT_TRUE(takes_types(kSquare));
  EXPECT_TRUE(takes_types(chain("[](float x) { return x; }", kSquare)));
  EXPECT_TRUE(GenericCallback::formula("x + 1").takes_types());
  EXPECT_FALSE(takes_types("[](float x) { return x; }"));
  EXPECT_FALSE(takes_types(Callback(kMix).with_entry("mix<float>")));
  EXPECT_FALSE(takes_types(Callback(kMix).with_signature("float mix(float, float, float)")));
  EXPECT_FALSE(takes_types(GenericCallback(kSquare).instance(types("f32"))));
  EXPECT_FALSE(takes_types(graft::formula("max(x, 0)", "f32 x")));
  const std::string helper = "template <class T> __device__ T twice(T x) { return 2 * x; }";
  EXPECT_TRUE(takes_types(Callback(helper + "__device__ float f(float x) { return twice(x); }").with_entry("twice")));
  EXPECT_FALSE(takes_types(Callback(helper + "__device__ float f(float x) { return twice(x); }").with_entry("f")));
}

TEST(GenericCallback, ThreadWordsAreStillRefused) {
  const Error error = create_error("[](auto x) { return x * threadIdx.x; }", types<float>());
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
  const char* text = "template <class T> __device__ T f(T x) { __syncthreads(); return x; }";
  EXPECT_EQ(create_error(text, types<float>()).code(), ErrorCode::InvalidArgument);
}

// ---- formulas ----

TEST(GenericFormula, TakesTypesInTheOrderOfItsNames) {
  const GenericCallback line = GenericCallback::formula("x; a, b => a * max(x, 0) + b");
  struct Line {
    float a, b;
  };
  const std::vector<float> x = {-1, 2};
  std::vector<float> y(2);
  Transform::create(line, types("f32; f32, f32"), kHost).execute(host, x, y, Line{2, 1});
  EXPECT_EQ(y, (std::vector<float>{1, 5}));
  const Transform doubles = Transform::create(line, types("f64; f64, f32"), kHost);
  EXPECT_EQ(doubles.signature().outputs().front(), element_type<double>());
}

TEST(GenericFormula, TakesNamesWithTheTypes) {
  const GenericCallback bare = GenericCallback::formula("a * max(x, 0) + b");
  const std::vector<float> x = {-1, 2};
  std::vector<float> y(2);
  Parameters values("f32 a, b");
  values.set("a", 3);
  Transform::create(bare, types("f32 x; f32 a, b"), kHost).execute(host, x, y, values.state());
  EXPECT_EQ(y, (std::vector<float>{0, 6}));
  // Without names, the variables are inputs in the order in which they occur.
  const std::vector<float> a = {2, 2}, b = {1, 1};
  Transform::create(bare, types<float, float, float>(), kHost).execute(host, inputs(a, x, b), outputs(y));
  EXPECT_EQ(y, (std::vector<float>{1, 5}));
  EXPECT_EQ(bare.instance(types("f32 x; f32 a, b")), formula("a * max(x, 0) + b", "f32 x; f32 a, b"));
}

TEST(GenericFormula, SaysWhichVariablesItHas) {
  const GenericCallback bare = GenericCallback::formula("a * x");
  const Error error = create_error(bare, types<float>());
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
  EXPECT_EQ(error.message(), "the formula has the variables `a, x`, and the types `float` were given");
  EXPECT_EQ(create_error(bare, types("f32 x")).code(), ErrorCode::CompileFailed);  // `a` is not known
  EXPECT_EQ(create_error(bare, types("Point, Point")).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(create_error(bare, types("f32 x; f32 a"),
                         [] {
                           Options options = kHost;
                           options.entry = "f";
                           return options;
                         }())
                .code(),
            ErrorCode::InvalidArgument);
}

TEST(GenericFormula, MistakesAreFoundBeforeThereAreTypes) {
  EXPECT_EQ(error_of([] { GenericCallback::formula("x +"); }).code(), ErrorCode::CompileFailed);
  EXPECT_EQ(error_of([] { GenericCallback::formula("x => x $ 1"); }).code(), ErrorCode::CompileFailed);
  EXPECT_EQ(error_of([] { GenericCallback::formula("f32 x => x"); }).code(), ErrorCode::InvalidArgument);
}

// ---- chains ----

TEST(GenericChain, EachPartTakesItsInstanceFromTheOneBefore) {
  // What `half_of` returns, only the compiler knows: double of an int.
  const Callback half_of = "[](auto x) { return x / 2.0; }";
  const Callback add = "template <class T, class U> __device__ auto add(T x, U y) { return x + y; }";
  const std::vector<int> x = {1, 5};
  const std::vector<float> y = {0.25f, 0.5f};
  std::vector<double> z(2);
  const Transform whole = Transform::create(chain(half_of, add, kSquare), types<int, float>(), kHost);
  EXPECT_EQ(whole.signature().outputs().front(), element_type<double>());
  whole.execute(host, inputs(x, y), outputs(z));
  EXPECT_EQ(z, (std::vector<double>{0.75 * 0.75, 3.0 * 3.0}));
}

TEST(GenericChain, EqualPartsAreDifferentInstances) {
  // int, then double, then double: the second and the third have equal texts and different parts before them.
  const Callback grow = "[](auto x) { return x + sizeof(x) * 0.5; }";
  const std::vector<int> x = {1};
  std::vector<double> y(1);
  Transform::create(chain(grow, grow, grow), types<int>(), kHost).execute(host, x, y);
  EXPECT_EQ(y[0], 1 + 2 + 4 + 4);
}

TEST(GenericChain, StructsOfThePartBeforeAreKnown) {
  const Callback swapped = "template <class P> __device__ float difference(P p) { return p.x - p.y; }";
  const std::vector<Point> in = {{1, 2}};
  std::vector<float> out(1);
  const Callback point = kPoint;
  Transform::create(chain(point, swapped), types<Point>(), kHost).execute(host, in, out);
  EXPECT_EQ(out[0], -3);
}

TEST(GenericChain, FormulasTakeTypesThatTheTextShows) {
  const GenericCallback line = GenericCallback::chain({kSquare, GenericCallback::formula("x; s => s * x")});
  EXPECT_EQ(create_error(line, types("f32; f32")).code(), ErrorCode::InvalidArgument);  // the lambda's result is hidden
  const GenericCallback shown =
      GenericCallback::chain({"template <class T> __device__ T twice(T x) { return 2 * x; }",
                              GenericCallback::formula("x, y; s => s * x + y"), GenericCallback::formula("sqrt(x)")});
  const std::vector<double> x = {4}, y = {1};
  std::vector<double> z(1);
  Transform::create(shown, types("f64, f64; f64"), kHost).execute(host, inputs(x, y), outputs(z), 3.0);
  EXPECT_EQ(z[0], 5);
}

TEST(GenericChain, OfConcreteCallbacksIsWhatItWas) {
  const Callback whole = chain("[](float x) { return x + 1; }", "[](float x) { return 2 * x; }");
  EXPECT_EQ(GenericCallback(whole).instance(types<float>()), whole);
  EXPECT_EQ(create_error(whole, types<int>()).code(), ErrorCode::SignatureMismatch);
}

TEST(GenericChain, WrongNumbersOfTypesAreRefused) {
  const Callback twice = chain(kSquare, kSquare);
  EXPECT_EQ(create_error(twice, types<float, float>()).code(), ErrorCode::SignatureMismatch);
  EXPECT_EQ(create_error(twice, types("")).code(), ErrorCode::SignatureMismatch);
  const Callback object =
      Callback("struct F { __device__ float operator()(float x) const { return x; } };").with_entry("F{}");
  const Error error = create_error(chain(object, kSquare), types<float>());
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_NE(error.message().find("whose text does not show"), std::string::npos) << error.what();
}

// ---- a transform for several types ----

TEST(GenericTransform, ExecutesThePreparedInstance) {
  GenericTransform square(kSquare, kHost);
  EXPECT_EQ(square.prepare(types<float>()).signature().text(), "float(float)");
  square.prepare({element_type<int>()});
  square.prepare(types<float>());
  EXPECT_EQ(square.instances().size(), 2u);
  const std::vector<float> x = {1.5f};
  const std::vector<int> n = {-4};
  std::vector<float> y(1);
  std::vector<int> m(1);
  square.execute(host, x, y);
  square.execute(host, n, m);
  EXPECT_EQ(y[0], 2.25f);
  EXPECT_EQ(m[0], 16);
  const GenericTransform copy = square;
  const ElementType f32 = ElementType::named("f32");
  copy.execute(host, {ArrayRef(x.data(), 1, f32)}, {ArrayRef(y.data(), 1, f32)});
  EXPECT_EQ(&copy.at(ArrayRef(x.data(), 1, f32), ArrayRef(y.data(), 1, f32)).report(), &square.instances()[0].report());
}

TEST(GenericTransform, RefusesTypesThatWereNotPrepared) {
  GenericTransform mix(kMix, kHost);
  const std::vector<float> a = {1}, b = {2}, t = {0.5f};
  std::vector<float> y(1);
  std::vector<double> wide(1);
  const Error none = error_of([&] { mix.execute(host, inputs(a, b, t), outputs(y)); });
  EXPECT_EQ(none.code(), ErrorCode::NotPrepared);
  EXPECT_EQ(none.message(),
            "callback.cu is not prepared for arrays of the types (float, float, float) -> (float); it is prepared for "
            "none");
  mix.prepare(types<float, float, float>());
  mix.execute(host, inputs(a, b, t), outputs(y));
  EXPECT_EQ(y[0], 1.5f);
  const Error other = error_of([&] { mix.execute(host, inputs(a, b, t), outputs(wide)); });
  EXPECT_EQ(other.code(), ErrorCode::NotPrepared);
  EXPECT_EQ(other.message(),
            "callback.cu is not prepared for arrays of the types (float, float, float) -> (double); it is prepared for "
            "(float, float, float) -> (float)");
  EXPECT_NE(other.remedy().find("GenericTransform::prepare"), std::string::npos);
  EXPECT_EQ(error_of([&] { mix.execute(host, inputs(a), outputs(y)); }).code(), ErrorCode::NotPrepared);
}

TEST(GenericTransform, RefusesStructsThatArraysCannotTellApart) {
  GenericTransform keep(
      "struct A { float x, y; }; struct B { int x, y; }; template <class T> __device__ T f(T x) { return x; }", kHost);
  keep.prepare(types("A"));
  const Error error = error_of([&] { keep.prepare(types("B")); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_NE(error.message().find("prepared for (A), and arrays of (B) cannot be told"), std::string::npos)
      << error.what();
  EXPECT_EQ(keep.instances().size(), 1u);
}

// The signatures of these are equal, and what they compute is not.
TEST(GenericTransform, RefusesAFormulaWithItsVariablesInAnotherOrder) {
  GenericTransform minus(GenericCallback::formula("x - y"), kHost);
  minus.prepare(types("f32 x, y"));
  const Error error = error_of([&] { minus.prepare(types("f32 y, x")); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.message(),
            "formula was prepared for (float x, float y), and arrays of (float y, float x) cannot be told from those: "
            "(float, float) -> (float)");
  minus.prepare(types("f32, f32"));
  minus.prepare(types("f64 y, x"));
  EXPECT_EQ(minus.instances().size(), 2u);
  const std::vector<float> a = {5}, b = {3};
  const std::vector<double> c = {5}, d = {3};
  std::vector<float> y(1);
  std::vector<double> z(1);
  minus.execute(host, inputs(a, b), outputs(y));
  minus.execute(host, inputs(c, d), outputs(z));
  EXPECT_EQ(y[0], 2);
  EXPECT_EQ(z[0], -2);
}

TEST(GenericTransform, TakesTheTemplateThatTheOptionsName) {
  Options options = kHost;
  options.entry = "twice";
  const char* text =
      "template <class T> __device__ T once(T x) { return x; } template <class T> __device__ T twice(T x) { return 2 * "
      "x; }";
  GenericTransform twice(text, options);
  twice.prepare(types<float>());
  const std::vector<float> x = {3};
  std::vector<float> y(1);
  twice.execute(host, x, y);
  EXPECT_EQ(y[0], 6);
  EXPECT_EQ(error_of([&] { GenericTransform(GenericCallback::formula("x"), options); }).code(),
            ErrorCode::InvalidArgument);
}

TEST(GenericTransform, AFailedPrepareLeavesTheOthers) {
  GenericTransform f("template <class T> __device__ T f(T x) { return x & 1; }", kHost);
  f.prepare(types<int>());
  EXPECT_EQ(error_of([&] { f.prepare(types<float>()); }).code(), ErrorCode::CompileFailed);
  const std::vector<int> x = {3};
  std::vector<int> y(1);
  f.execute(host, x, y);
  EXPECT_EQ(y[0], 1);
}

TEST(GenericTransform, PreparesAndExecutesInManyThreads) {
  GenericTransform square(kSquare, kHost);
  square.prepare(types<float>());
  std::vector<std::thread> threads;
  const auto prepare_in_thread = [&](const char* type) {
    threads.emplace_back([&square, type] { square.prepare(types(type)); });
  };
  for (const char* type : {"i32", "f64", "i32", "f32"}) prepare_in_thread(type);
  std::vector<int> wrong(2);
  for (int& count : wrong)
    threads.emplace_back([&square, &count] {
      const std::vector<float> x = {3};
      for (int i = 0; i < 2000; ++i) {
        std::vector<float> y(1);
        square.execute(host, x, y);
        count += y[0] != 9;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::vector<int>{0, 0}));
  EXPECT_EQ(square.instances().size(), 3u);
}

// ---- for GPUs ----

TEST(GenericCallback, EachRouteBuildsInstances) {
  const Callback half_of = "[](auto x) { return x / 2; }";
  const std::vector<std::pair<Callback, std::string>> rows = {
      {GenericCallback(kSquare).instance(types<float>()), "float(float)"},
      {GenericCallback(kSquare).instance(types("f16")), "__half(__half)"},
      {GenericCallback(kMix).instance(types<double, double, float>()), "double(double, double, float)"},
      {GenericCallback(kPoint).instance(types<Point>()), "Point(Point)"},
      {GenericCallback(kSquare).instance(types("c64")), "graft::complex<float>(graft::complex<float>)"},
      {GenericCallback(chain(half_of, kSquare)).instance(types<int>()), "int(int)"},
      {GenericCallback::formula("x * y").instance(types<float, double>()), "double(float, double)"},
  };
  for (const Route route : kGpuRoutes)
    for (const auto& [callback, signature] : rows) {
      const Image image = build(callback, 90, by(route));
      EXPECT_EQ(image.signature().text(), signature) << name(route);
      EXPECT_EQ(image.report().kernel.route, route);
    }
}

TEST(GenericCallback, AnInstanceCanBePrecompiled) {
  const std::vector<std::byte> pack = GenericCallback(kSquare).instance(types<float>()).precompile({90});
  EXPECT_EQ(build(Callback::pack(pack), 90).signature().text(), "float(float)");
}

}  // namespace
}  // namespace graft::test
