// Tests compositions (chains, load and store callbacks, and chains between load and store callbacks) on every route
// that compiles. On the host route the compositions also run, and their results are checked.
#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

const Callback kGain = Callback::source("__device__ float gain(float x) { return 3 * x; }", "gain.cu");
const Callback kOffset = Callback::source(
    "struct Offset { float by; };\n__device__ float gain(float x, const Offset& s) { return x + s.by; }", "offset.cu");
const Callback kProduct =
    Callback::source("__device__ float product(float x, float y) { return x * y; }", "product.cu");
const Callback kSplit = Callback::source(
    "__device__ void split(float x, float& whole, short& part) { whole = (int)x; part = 100 * (x - (int)x); }",
    "split.cu");
const Callback kIndexed =
    Callback::source("__device__ float indexed(float x, graft::Index i) { return x + i.value; }", "indexed.cu");
const Callback kLoad = Callback::source(
    "__device__ float load(void* data, unsigned long long offset, void* info, void*) {\n"
    "  return static_cast<signed char*>(data)[offset] * *static_cast<float*>(info);\n}",
    "load.cu");
const Callback kStore = Callback::source(
    "__device__ void store(void* data, unsigned long long offset, float element, void*, void*) {\n"
    "  static_cast<short*>(data)[offset] = element;\n}",
    "store.cu");

constexpr Route kRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host};

// Builds the callback on every route and returns its signature, which must be the same everywhere. On routes that
// inline code, values must pass from part to part without local memory.
std::string signature_everywhere(const Callback& callback) {
  std::string text;
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    const Report report = build(callback, Architecture(90), by(route)).report();
    EXPECT_EQ(report.kernel.route, route);
    if (route == Route::Lto || route == Route::Program) {
      EXPECT_TRUE(report.inlined());
      EXPECT_EQ(report.resources.local_bytes, 0u);
    }
    EXPECT_TRUE(text.empty() || text == report.kernel.signature.text()) << report.kernel.signature.text();
    text = report.kernel.signature.text();
  }
  return text;
}

TEST(Chain, HasTheSignatureOfTheWholeOnEveryRoute) {
  EXPECT_EQ(signature_everywhere(chain(kGain, kIndexed)), "float(float, graft::Index)");
  EXPECT_EQ(signature_everywhere(chain(kGain, kProduct)), "float(float, float)");
  EXPECT_EQ(signature_everywhere(chain(kProduct, kSplit)), "void(float, float, float&, short&)");
  EXPECT_EQ(signature_everywhere(chain(kGain, kGain, kGain)), "float(float)");
  EXPECT_EQ(signature_everywhere(chain(kGain, "[](float x) { return x > 0; }")), "bool(float)");
}

Options on_host() {
  return by(Route::Host);
}

TEST(Chain, ComputesTheComposition) {
  const std::vector<float> x = {1.5f, -2, 0, 100};
  const std::vector<float> y = {2, 3, 4, 5};
  std::vector<float> out(4);
  Transform::create(chain(kGain, kGain, kProduct), on_host()).execute(host, host_inputs(x, y), out);
  EXPECT_EQ(out, (std::vector<float>{27, -54, 0, 4500}));
  Transform::create(chain(kGain, kOffset), on_host()).execute(host, x, out, 0.5f);
  EXPECT_EQ(out, (std::vector<float>{5, -5.5f, 0.5f, 300.5f}));
  std::vector<short> part(4);
  Transform::create(chain(kGain, kSplit), on_host()).execute(host, x, host_outputs(out, part));
  EXPECT_EQ(out, (std::vector<float>{4, -6, 0, 300}));
  EXPECT_EQ(part, (std::vector<short>{50, 0, 0, 0}));
}

const Callback kAdvance = Callback::source(
    "__device__ float advance(float v, graft::InOut<float> x, float dt, graft::InOut<short> steps) {\n"
    "  x += dt * v;\n  ++steps;\n  return v;\n}",
    "advance.cu");

TEST(Chain, UpdatesArraysInItsLastPart) {
  EXPECT_EQ(signature_everywhere(chain(kGain, kAdvance)),
            "float(float, float, graft::InOut<float>, graft::InOut<short>)");
  const std::vector<float> v = {1, 2, 3};
  const std::vector<float> dt = {10, 20, 30};
  std::vector<float> x = {0.5f, 1.5f, 2.5f};
  std::vector<float> made(3);
  std::vector<short> steps = {7, 8, 9};
  Transform::create(chain(kGain, kAdvance), on_host()).execute(host, host_inputs(v, dt), host_outputs(made, x, steps));
  EXPECT_EQ(made, (std::vector<float>{3, 6, 9}));
  EXPECT_EQ(x, (std::vector<float>{30.5f, 121.5f, 272.5f}));
  EXPECT_EQ(steps, (std::vector<short>{8, 9, 10}));
}

TEST(Chain, NeedsNoOutputs) {
  const Callback count = Callback::source(
      "__device__ void count(float x, int* const& above) { if (x > 4) atomicAdd(above, 1); }", "count.cu");
  EXPECT_EQ(signature_everywhere(chain(kGain, count)), "void(float, int* const&)");
  const std::vector<float> x = {1, 2, 3};
  int above = 0;
  Transform::create(chain(kGain, count), on_host()).execute(host, host_inputs(x), host_outputs(), &above);
  EXPECT_EQ(above, 2);
}

TEST(Chain, TakesTheStatesOfItsPartsAsOneStruct) {
  const Callback scale = Callback::source(
      "struct Scale { double a; char pad; };\n__device__ float scale(float x, const Scale& s) { return s.a * x + "
      "s.pad; }",
      "scale.cu");
  struct Both {
    struct {
      float by;
    } offset;
    struct {
      double a;
      char pad;
    } scale;
  } const state = {{1}, {2, 3}};
  const std::vector<float> x = {1, 2};
  std::vector<float> out(2);
  Transform::create(chain(kOffset, scale), on_host()).execute(host, x, out, state);
  EXPECT_EQ(out, (std::vector<float>{7, 9}));
}

TEST(Chain, KeepsEqualNamesAndMacrosApart) {
  const Callback a = Callback::source(
      "#define N 2\nstruct P { float v; };\nextern \"C\" __device__ float f(float x) { return P{x}.v * N; }", "a.cu");
  const Callback b = Callback::source(
      "#include <cmath>\n#define N 5\nstruct P { float v, w; };\n"
      "extern \"C\" __device__ float f(float x) { return std::fabs(P{x, 0}.v) * N; }",
      "b.cu");
  EXPECT_EQ(signature_everywhere(chain(a, b)), "float(float)");
  const std::vector<float> x = {-3};
  std::vector<float> out(1);
  Transform::create(chain(a, b), on_host()).execute(host, x, out);
  EXPECT_EQ(out[0], 30);
}

// A definition is extern "C" if only a declaration in front of it says so.
TEST(Chain, KeepsExternCFunctionsApartThatOnlyADeclarationMarks) {
  const auto part = [](const char* factor, const char* name) {
    return Callback::source(fmt::format("extern \"C\" __device__ float g(float);\n"
                                        "__device__ float g(float x) {{ return {} * x; }}\n"
                                        "__device__ float f(float x) {{ return g(x); }}",
                                        factor),
                            name)
        .with_entry("f");
  };
  const Callback both = chain(part("2", "a.cu"), part("5", "b.cu"));
  EXPECT_EQ(signature_everywhere(both), "float(float)");
  const std::vector<float> x = {-3};
  std::vector<float> out(1);
  Transform::create(both, on_host()).execute(host, x, out);
  EXPECT_EQ(out[0], -30);
}

TEST(Chain, HandsStructsOnByLayout) {
  const Callback a = Callback::source("struct P { short x, y; };\n__device__ P a(short x) { return {x, 7}; }", "a.cu");
  const Callback b = Callback::source("struct Q { short u, v; };\n__device__ int b(Q q) { return q.u * q.v; }", "b.cu");
  const std::vector<std::int16_t> x = {3, -5};
  std::vector<int> out(2);
  Transform::create(chain(a, b), on_host()).execute(host, x, out);
  EXPECT_EQ(out, (std::vector<int>{21, -35}));
}

TEST(Chain, LeavesElementsAlone) {
  const Callback keep = Callback::source(
      "__device__ graft::Store keep(float x, float& y, int& n) { y = x; n = 1; return graft::Store(x > 0); }",
      "keep.cu");
  EXPECT_EQ(signature_everywhere(chain(kGain, keep)), "graft::Store(float, float&, int&)");
  const std::vector<float> x = {1, -2, 3};
  std::vector<float> y = {10, 20, 30};
  std::vector<int> n = {5, 5, 5};
  Transform::create(chain(kGain, keep), on_host()).execute(host, x, host_outputs(y, n));
  EXPECT_EQ(y, (std::vector<float>{3, 20, 9}));
  EXPECT_EQ(n, (std::vector<int>{1, 5, 1}));

  const Error error = error_of([&] { Transform::create(chain(keep, kProduct), on_host()); });
  EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter);
  const std::string why = "part 1 returns graft::Store, but only the last part of a chain can";
  EXPECT_NE(error.message().find(why), std::string::npos) << error.what();
}

TEST(Chain, LinksBinariesAndSourcesTogether) {
  const Callback binary = compiled(Form::LtoIr, "gain.ltoir").with_signature("extern \"C\" float gain(float)");
  const Report report = build(chain(binary, kGain, binary), Architecture(90)).report();
  EXPECT_EQ(report.kernel.route, Route::Lto);
  EXPECT_TRUE(report.inlined()) << report.to_text();
  EXPECT_EQ(report.kernel.signature.text(), "float(float)");
}

Callback binary_of(const char* text, PrecompileFormat format, const char* name) {
  const std::vector<std::byte> bytes = Callback(text).precompile({90}, format);
  if (format == PrecompileFormat::LtoIr) return Callback::ltoir(bytes, name);
  if (format == PrecompileFormat::Ptx) return Callback::ptx(std::string(base::as_text(bytes)), name);
  return Callback::object(bytes, name);
}

// If two PTX images define the same function, nvJitLink links them without a warning and then calls one of the two
// functions for both.
TEST(Chain, RefusesEqualSymbolsOfTwoBinariesByName) {
  for (const PrecompileFormat format : {PrecompileFormat::LtoIr, PrecompileFormat::Ptx, PrecompileFormat::Cubin}) {
    SCOPED_TRACE(name(format));
    const Callback first =
        binary_of("__device__ float helper(float x) { return x; } __device__ float f(float x) { return helper(x); }",
                  format, "first.bin");
    const Callback second =
        binary_of("__device__ float helper(float x) { return -x; } __device__ float g(float x) { return helper(x); }",
                  format, "second.bin");
    const Error error = error_of(
        [&] { build(chain(first.with_signature("float f(float)"), second.with_signature("float g(float)")), {90}); });
    EXPECT_EQ(error.code(), ErrorCode::LinkFailed);
    EXPECT_EQ(error.message(), "`helper(float)` is defined by first.bin and by second.bin too");
    EXPECT_FALSE(error.remedy().empty());
    // Two functions of one callback binary do not conflict, and instances of one template are merged.
    const Callback both = chain(first.with_signature("float f(float)"), first.with_signature("float helper(float)"));
    EXPECT_EQ(build(both, {90}).report().kernel.signature.text(), "float(float)");
    const char* weak = "template <class T> __device__ __noinline__ T twice(T x) { return x + x; }\n";
    const std::string a = fmt::format("{}__device__ float a(float x) {{ return twice(x); }}", weak);
    const std::string b = fmt::format("{}__device__ float b(float x) {{ return twice(x) + 1; }}", weak);
    build(chain(binary_of(a.c_str(), format, "a.bin").with_signature("float a(float)"),
                binary_of(b.c_str(), format, "b.bin").with_signature("float b(float)")),
          {90});
  }
}

TEST(Chain, RefusesWhatDoesNotFit) {
  const auto message = [](const Callback& callback) {
    const Error error = error_of([&] { build(callback, Architecture(90)); });
    EXPECT_FALSE(error.remedy().empty());
    return fmt::format("{} [{}]", error.message(), name(error.code()));
  };
  const Callback to_int = Callback::source("__device__ int round(float x) { return x; }", "round.cu");
  EXPECT_EQ(
      message(chain(kSplit, kGain)),
      "chain of split.cu, gain.cu (split in split.cu, gain in gain.cu): part 2 has fewer inputs than the previous part "
      "has outputs [UnsupportedParameter]");
  EXPECT_EQ(message(chain(to_int, kGain)),
            "chain of round.cu, gain.cu (round in round.cu, gain in gain.cu): part 2 (gain in gain.cu) takes float as "
            "its input 0, but part 1 (round in round.cu) gives int32 [UnsupportedParameter]");
  EXPECT_EQ(message(chain(kGain, Callback::source("__device__ float f(float* p) { return *p; }", "p.cu"))),
            "f in p.cu: its parameter 1 (float*) is a pointer or an array, but graft loads and stores the data itself "
            "[UnsupportedParameter]");
  EXPECT_EQ(message(chain(kGain, Callback::source("__device__ float f(float p) { return q; }", "p.cu"))),
            "p.cu does not compile: line 1 [CompileFailed]");
  EXPECT_EQ(message(chain(kGain,
                          Callback::source("int n;\n#include <cmath>\n__device__ int f(int i) { return i; }", "p.cu"))),
            "p.cu(2): an #include follows other code [InvalidArgument]");
  EXPECT_EQ(
      message(chain(kAdvance, kGain)),
      "chain of advance.cu, gain.cu (advance in advance.cu, gain in gain.cu): part 1 has a graft::InOut parameter, "
      "but only the last part of a chain writes arrays [UnsupportedParameter]");
  EXPECT_EQ(message(chain(kGain, kGain.with_entry("gane"))),
            "gain.cu has no function `gane`; it defines gain (line 1) [NoSuchEntry]");
  EXPECT_EQ(error_of([] { chain({}); }).message(), "graft::chain was given 0 parts");
  EXPECT_EQ(error_of([] { chain(kGain, Stages{.load = kLoad}); }).code(), ErrorCode::InvalidArgument);
}

// Each part is accepted, but the inputs or the states of all parts are too many for one kernel. The error names the
// parts, also if the chain is the op of graft::Stages.
TEST(Chain, RefusesTooMuchTogetherAndNamesTheParts) {
  const Callback nine = Callback::source(
      "__device__ float nine(float a, float b, float c, float d, float e, float f, float g, float h, float i) "
      "{ return a + b + c + d + e + f + g + h + i; }",
      "nine.cu");
  const Callback table = Callback::source(
      "struct Table { float t[257]; };\n__device__ float table(float x, const Table& s) { return s.t[(int)x]; }",
      "table.cu");
  const auto message = [](const Callback& callback, Route route) {
    const Error error = error_of([&] { build(callback, Architecture(90), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << error.what();
    EXPECT_FALSE(error.remedy().empty());
    return error.message();
  };
  const std::string inputs =
      "the parts take more than 16 inputs together: part 1 (nine in nine.cu) 9, part 2 (nine in "
      "nine.cu) 8";
  const std::string states =
      "the states of the parts are larger than 2048 bytes together: part 1 (table in table.cu) "
      "1028, part 3 (table in table.cu) 1028 bytes";
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    EXPECT_EQ(message(chain(nine, nine), route), "chain of nine.cu, nine.cu (nine in nine.cu): " + inputs);
    EXPECT_EQ(message(Stages{.load = kLoad, .op = chain(nine, nine)}, route),
              "stages of load.cu, chain of nine.cu, nine.cu (load in load.cu, nine in nine.cu): " + inputs);
    EXPECT_EQ(message(chain(table, kGain, table), route),
              "chain of table.cu, gain.cu, table.cu (table in table.cu, gain in gain.cu): " + states);
    EXPECT_EQ(message(Stages{.op = chain(table, kGain, table), .store = kStore}, route),
              "stages of chain of table.cu, gain.cu, table.cu, store.cu (table in table.cu, gain in gain.cu, store in "
              "store.cu): " +
                  states);
  }
}

// A user can declare the signature of a whole chain or of a part, as text or as C++ types. Both the GPU's compiler and
// the host's compiler must check the declaration.
TEST(Chain, HoldsWhatIsDeclared) {
  const auto message = [](const Callback& callback, Route route) {
    const Error error = error_of([&] { build(callback, Architecture(90), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
    return error.message();
  };
  for (const Route route : {Route::Lto, Route::Host}) {
    SCOPED_TRACE(name(route));
    const Callback twice = chain(kGain, kGain);
    build(twice.with_signature("float(float)"), Architecture(90), by(route));
    build(twice.with_signature(Signature::of<float(float)>()), Architecture(90), by(route));
    build(chain(kGain.with_signature("float gain(float)"), kIndexed), Architecture(90), by(route));
    EXPECT_EQ(message(twice.with_signature(Signature::of<double(float)>()), route),
              "chain of gain.cu, gain.cu (gain in gain.cu) has the signature float(float), but double(float) was "
              "declared");
    EXPECT_EQ(message(chain(kIndexed, kGain.with_signature("float(int)")), route),
              "gain in gain.cu has the signature float(float), but float(int) was declared");
    EXPECT_NE(message(twice.with_signature("Unknown(float)"), route).find("\"Unknown(float)\""), std::string::npos);
  }
}

// A chain that becomes part of another composition is replaced by its parts, so nothing would hold its declaration.
TEST(Chain, RefusesTheDeclarationOfAChainInside) {
  const Callback inner = chain(kGain, kGain).with_signature("double(float)");
  const auto message = [](const auto& compose) {
    const Error error = error_of(compose);
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_NE(error.remedy().find("Declare the signatures of the chain's parts"), std::string::npos);
    return error.message();
  };
  const std::string refused =
      "chain of gain.cu, gain.cu has a declared signature, but becomes part of another composition";
  EXPECT_EQ(message([&] { chain(inner, kIndexed); }), refused);
  EXPECT_EQ(message([&] { chain({inner.with_signature(Signature::of<float(float)>())}); }), refused);
  EXPECT_EQ(message([&] { Callback(Stages{.load = kLoad, .op = inner}); }), refused);
  build(chain(chain(kGain, kGain), kIndexed).with_signature("float(float, graft::Index)"), Architecture(90));
}

FloatingPoint without_contraction() {
  return {.contraction = false};
}

TEST(Chain, AgreesOnFloatingPoint) {
  const Callback fused = Callback::source("__device__ float f(float x) { return x * x + x; }", "f.cu");
  const Callback exact = kGain.with_floating_point(without_contraction());
  // Floating-point options that are declared for one part of a chain apply to the whole kernel.
  EXPECT_NE(base::as_text(build(chain(fused, kGain), Architecture(90)).bytes()),
            base::as_text(build(chain(fused, exact), Architecture(90)).bytes()));
  Options asked;
  asked.floating_point = without_contraction();
  EXPECT_EQ(base::as_text(build(chain(fused, kGain), Architecture(90), asked).bytes()),
            base::as_text(build(chain(fused, exact), Architecture(90)).bytes()));
  build(chain(fused.with_floating_point(without_contraction()), exact), Architecture(90), asked);

  const Callback fast = fused.with_floating_point({.fast_math = true});
  Error error = error_of([&] { build(chain(exact, fast), Architecture(90)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.message(),
            "gain.cu has fast_math off, and f.cu has fast_math on: a kernel has one set of floating-point options");
  error = error_of([&] { build(Stages{.op = chain(kGain, fast), .store = kStore}, Architecture(90), asked); });
  EXPECT_EQ(error.message(),
            "f.cu has fast_math on, and Options::floating_point has fast_math off: a kernel has one set of "
            "floating-point options");
  // A chain that becomes part of another chain keeps its options.
  const auto with_options = [](const Callback& callback, const FloatingPoint& options) {
    return chain({callback}).with_floating_point(options);
  };
  const Callback exact_chain = with_options(fused, without_contraction());
  EXPECT_EQ(base::as_text(build(chain(exact_chain, kGain), Architecture(90)).bytes()),
            base::as_text(build(chain(fused, exact), Architecture(90)).bytes()));
  error = error_of([&] { chain(exact_chain, with_options(fused, {.fast_math = true})); });
  EXPECT_EQ(error.message(), "two chains in one chain have different floating-point options");
  error = error_of([&] { chain(exact, fast).precompile({75}); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
}

TEST(Stages, SurroundAnOpOnEveryRoute) {
  EXPECT_EQ(signature_everywhere(Stages{.load = kLoad, .op = kGain, .store = kStore}), "float(float)");
  EXPECT_EQ(signature_everywhere(Stages{.load = kLoad, .op = kProduct}), "float(float, float)");
  EXPECT_EQ(signature_everywhere(Stages{.op = chain(kGain, kSplit), .store = kStore}), "void(float, float&, short&)");
  EXPECT_EQ(signature_everywhere(Stages{.load = kLoad, .store = kStore}), "float(float)");
}

TEST(Stages, MoveTheirOwnData) {
  const std::vector<std::int8_t> x = {1, -2, 3};
  std::vector<short> out(3);
  float factor = 10;
  const CallerInfo info{.load = &factor};
  Transform::create(Stages{.load = kLoad, .op = kGain, .store = kStore}, on_host()).execute(host, x, out, info);
  EXPECT_EQ(out, (std::vector<short>{30, -60, 90}));
  Transform::create(Stages{.load = kLoad, .store = kStore}, on_host()).execute(host, x, out, info);
  EXPECT_EQ(out, (std::vector<short>{10, -20, 30}));
  // graft does not check the array that a load callback reads. It checks the array of the other input and takes the
  // element count, 2, from this array. A call can pass both a state and CallerInfo.
  std::vector<float> y = {1, 2};
  std::vector<float> two(2);
  const Transform shifted = Transform::create(Stages{.load = kLoad, .op = chain(kProduct, kOffset)}, on_host());
  shifted.execute(host, host_inputs(x, y), two, 0.5f, info);
  EXPECT_EQ(two, (std::vector<float>{10.5f, -39.5f}));
  EXPECT_EQ(error_of([&] { shifted.execute(host, host_inputs(x, y), out, 0.5f, info); }).code(),
            ErrorCode::TypeMismatch);
}

// `shared` points to the thread block's shared memory and is null if none was requested. On the host each thread counts
// as a thread block of its own.
TEST(Stages, GetSharedMemoryOnTheHostToo) {
  const Callback load(
      "__device__ float load(void* data, unsigned long long i, void*, void* shared) {\n"
      "  if (shared == nullptr) return -1;\n"
      "  float* const floats = static_cast<float*>(shared);\n"
      "  for (int k = 0; k < 1024; ++k) floats[k] = static_cast<float*>(data)[i];\n"
      "  return floats[1023] + (reinterpret_cast<unsigned long long>(shared) % 16 == 0 ? 0.5f : 0.0f);\n}");
  Options options = on_host();
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> out(3);
  Transform::create(Stages{.load = load}, options).execute(host, x, out);
  EXPECT_EQ(out, (std::vector<float>{-1, -1, -1}));
  options.shared_bytes = 4096;
  const Transform transform = Transform::create(Stages{.load = load}, options);
  EXPECT_EQ(transform.report().kernel.shared_bytes, 4096);
  transform.execute(host, x, out);
  EXPECT_EQ(out, (std::vector<float>{1.5f, 2.5f, 3.5f}));
}

TEST(Stages, RefuseOtherSignatures) {
  const auto message = [](const Callback& callback) {
    return error_of([&] { build(callback, Architecture(90)); }).message();
  };
  EXPECT_NE(message(Stages{.load = kGain, .op = kGain})
                .find("the load callback does not have the signature of a load callback"),
            std::string::npos);
  EXPECT_NE(message(Stages{.op = kGain, .store = kLoad})
                .find("the store callback does not have the signature of a store callback"),
            std::string::npos);
  const Callback ints = Callback::source("__device__ int twice(int x) { return 2 * x; }", "twice.cu");
  EXPECT_NE(message(Stages{.load = kLoad, .op = ints})
                .find("the load callback returns another type than the op's first input"),
            std::string::npos);
  EXPECT_NE(message(Stages{.load = kLoad, .op = kAdvance}).find("which an op of graft::Stages cannot have"),
            std::string::npos);
  // The parts of an op that is a chain must fit, too.
  const Callback keeps = "__device__ graft::Store keeps(float x, float& y) { y = x; return graft::Store(x > 0); }";
  const Callback moves = "__device__ void moves(graft::InOut<float> x, float& y) { y = x; }";
  EXPECT_NE(message(Stages{.load = kLoad, .op = chain(keeps, kGain)})
                .find("part 1 returns graft::Store, but only the last part of a chain can"),
            std::string::npos);
  EXPECT_NE(message(Stages{.load = kLoad, .op = chain(moves, kGain)})
                .find("part 1 has a graft::InOut parameter, but only the last part of a chain writes arrays"),
            std::string::npos);
  EXPECT_NE(message(Stages{.load = kLoad, .op = chain(kGain, ints)})
                .find("part 2 (twice in twice.cu) takes int32 as its input 0, but part 1"),
            std::string::npos);
  // An op without outputs has nothing that a store callback could store.
  const Callback counts =
      "struct S { int* n; }; __device__ void counts(float x, const S& s) { if (x > 0) atomicAdd(s.n, 1); }";
  const Callback byte =
      "struct M { unsigned char b; };\n"
      "__device__ void st(void* d, unsigned long long i, M m, void*, void*) { static_cast<M*>(d)[i] = m; }";
  EXPECT_NE(message(Stages{.op = counts, .store = byte})
                .find("the store callback takes an element of another type than the op's first output"),
            std::string::npos);
  EXPECT_EQ(message(Stages{.op = kGain}), "graft::Stages has neither a load nor a store callback");
  EXPECT_EQ(message(Stages{.load = chain(kGain, kGain)}),
            "a load or store callback of graft::Stages is itself a composition");
  EXPECT_EQ(message(Stages{}), "graft::Stages has neither a load nor a store callback");
}

// The offset of cuFFT's legacy callbacks has the type size_t.
TEST(Stages, TakeAnOffsetOfTypeSizeT) {
  const Callback load =
      "__device__ float load(void* data, size_t offset, void* info, void* shared) {\n"
      "  return static_cast<float*>(data)[offset] + 1;\n}";
  const Callback store =
      "__device__ void store(void* data, size_t offset, float x, void* info, void* shared) {\n"
      "  static_cast<float*>(data)[offset] = 2 * x;\n}";
  for (const Route route : {Route::Lto, Route::Program}) {
    SCOPED_TRACE(name(route));
    for (const Stages& stages : {Stages{.load = load}, Stages{.store = store}, Stages{.load = load, .store = store}})
      EXPECT_TRUE(build(stages, Architecture(90), by(route)).report().inlined());
  }
  const std::vector<float> in = {1, 2, 3};
  std::vector<float> out(3);
  Transform::create(Stages{.load = load, .store = store}, on_host()).execute(host, in, out);
  EXPECT_EQ(out, (std::vector<float>{4, 6, 8}));
}

}  // namespace
}  // namespace graft::test
