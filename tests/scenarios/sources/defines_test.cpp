// Tests Options::defines and #define lines in front of a text: their names never meet graft's own. In version 0.1,
// defines with everyday names (`N`, `i`, `count`, `state`) broke graft's own headers, and the error said that the
// callback cannot be called. A define must have the effect of a #define line at the top of the user's source.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "scenarios/sources/macro_names.hpp"
#include "support/compile.hpp"
#include "support/host_bytes.hpp"
#include "support/rotation.hpp"
#include "support/routes.hpp"
#include "support/sweep.hpp"

namespace graft::test {
namespace {

const Callback kLoad =
    "__device__ float zzl(void* zzd, unsigned long long zzn, void*, void*) { return ((const short*)zzd)[zzn]; }";
const Callback kStore =
    "__device__ void zzs(void* zzd, unsigned long long zzn, float zzv, void*, void*) { ((short*)zzd)[zzn] = zzv; }";
const Callback kGain =
    "struct Zz { float zza; };\n__device__ float zzg(float zzv, const Zz& zz) { return zz.zza * zzv; }";

std::vector<Callback> callbacks() {
  return {
      "__device__ float zzf(float zzv) { return 2 * zzv; }",
      "__device__ float zzf(float zzv, unsigned char zzw, const double& zzt) { return zzt * zzv + zzw; }",
      "__device__ void zzf(float2 zzv, double2& zzw) { zzw = {}; }",
      "__device__ double zzf(__half zzv, __nv_bfloat16 zzw) { return __half2float(zzv) + __bfloat162float(zzw); }",
      "__device__ half zzf(half zzv) { const float zzw = __half2float(zzv); return __float2half(erff(zzw)); }",
      "struct Zz { float zza; char zzb; };\n__device__ Zz zzf(Zz zzv, float& zzw, const Zz& zzt) { zzw = zzt.zza; "
      "return zzv; }",
      "__device__ half2 zzf(half2 zzv, float3 zzw) { return zzv; }",
      "[](float zzv, int zzw) { return zzv + zzw; }",
      Callback("struct Zz { int zza; __device__ float operator()(float zzv) const { return zza * zzv; } };")
          .with_entry("Zz{4}"),
      Callback("namespace zz { template <class Zz> __device__ Zz zzf(Zz zzv) { return zzv; } }")
          .with_entry("zz::zzf<double>"),
      Callback("__device__ float zzf(float zzv) { return zzv; }\n__device__ int zzf(int zzv) { return zzv; }")
          .with_entry("zzf")
          .with_signature("int(int)"),
      Callback("__device__ float zzf(float zzv) { return std::sin(zzv); }").with_signature("float(float)"),
      chain(kGain, "__device__ float zzh(float zzv, float zzw) { return zzv * zzw; }", kGain,
            "[](float zzv) { return zzv; }"),
      Stages{.load = kLoad, .op = chain(kGain, kGain), .store = kStore},
      Stages{.load = kLoad, .store = kStore},
  };
}

// Returns the words of a callback's texts, which no macro may change.
std::set<std::string> own_words(const Callback& callback) {
  std::set<std::string> words;
  const auto add = [&](std::string_view text) {
    for (const std::string& word : words_in(text)) words.insert(word);
  };
  add(callback.text());
  add(callback.entry());
  add(callback.signature());
  if (callback.composition() != nullptr)
    for (const std::optional<Callback>& part : callback.composition()->parts)
      if (part) words.merge(own_words(*part));
  return words;
}

// Returns the names that the tests define as macros: all names of the sweep (macro_names.hpp) that the callback does
// not use.
std::vector<std::string> names(const Callback& callback) {
  static const std::vector<std::string> all = sweep_names();
  const std::set<std::string> own = own_words(callback);
  std::vector<std::string> unused;
  std::ranges::copy_if(all, std::back_inserter(unused), [&](const std::string& name) { return !own.contains(name); });
  return unused;
}

// Returns defines that define each name in names(callback) as `value`.
std::vector<Define> defines(const Callback& callback, const char* value) {
  std::vector<Define> all;
  for (const std::string& name : names(callback)) all.push_back({name, value});
  return all;
}

// Returns the callback's text behind #define lines that define each name in names(callback) as `value`.
std::string behind_lines(const Callback& callback, const std::string& value) {
  std::string lines;
  for (const std::string& name : names(callback)) lines += "#define " + name + " " + value + "\n";
  return lines + callback.text();
}

// Selects every `every`-th callback, beginning with the one at index `first`. Callers pass a different `first` for each
// route, so that different routes build different callbacks. Of these callbacks, a third has its turn in each run.
std::vector<Callback> some_callbacks(std::size_t every, std::size_t first) {
  const std::vector<Callback> all = callbacks();
  std::vector<Callback> some;
  std::size_t row = first;
  for (std::size_t i = first % every; i < all.size(); i += every)
    if (is_turn_of(0, row++, 3)) some.push_back(all[i]);
  return some;
}

void expect_build(Route route, const char* value, std::size_t every = 1) {
  for (const Callback& callback : some_callbacks(every, static_cast<std::size_t>(route))) {
    SCOPED_TRACE(testing::Message() << name(route) << ", value '" << value << "': " << callback.text());
    Options options = by(route);
    options.defines = defines(callback, value);
    try {
      EXPECT_EQ(build(callback, Architecture(90), options).report().kernel.route, route);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(Defines, EverydayNamesOnLto) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  expect_build(Route::Lto, "3");
  expect_build(Route::Lto, "", 3);
}
TEST(Defines, EverydayNamesOnProgram) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  expect_build(Route::Program, "3");
  expect_build(Route::Program, "", 3);
}
TEST(Defines, EverydayNamesOnPtx) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  for (const char* value : {"3", ""})
    for (const Callback& callback : some_callbacks(*value == 0 ? 3 : 1, 0)) {
      if (callback.composition() == nullptr && callback.text().find("zz") == std::string::npos) continue;
      Options options = by(Route::Ptx);
      options.defines = defines(callback, value);
      EXPECT_EQ(build(callback, Architecture(90), options).report().kernel.route, Route::Ptx) << callback.text();
    }
}
TEST(Defines, EverydayNamesOnIndirect) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  expect_build(Route::Indirect, "3");
  expect_build(Route::Indirect, "", 3);
}
TEST(Defines, EverydayNamesOnHost) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  expect_build(Route::Host, "3");
  expect_build(Route::Host, "", 3);
}

TEST(Defines, EverydayNamesInPacksPlainFormatsAndBakedStates) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  for (const char* value : {"3", ""}) {
    Options options;
    for (const Callback& callback : some_callbacks(3, *value == 0)) {
      options.defines = defines(callback, value);
      EXPECT_FALSE(callback.precompile({90}, PrecompileFormat::Pack, options).empty());
    }
    const Callback plain =
        "struct Zz { float zza; };\nextern \"C\" __device__ float zzf(float zzv, const Zz& zz) { return zz.zza * zzv; "
        "}";
    options.defines = defines(plain, value);
    for (const PrecompileFormat format : {PrecompileFormat::LtoIr, PrecompileFormat::Ptx, PrecompileFormat::Cubin})
      EXPECT_FALSE(plain.precompile({90}, format, options).empty());
    options.bake(3.0f);
    for (const Route route : kAllRoutes) {
      options.routes.required = route;
      EXPECT_EQ(build(plain, Architecture(90), options).report().kernel.route, route);
    }
  }
}

// In version 0.1, the build also failed if #define lines in the source, and not Options::defines, defined the names.
TEST(Defines, EverydayNamesAsLinesOfTheText) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  for (const Route route : kAllRoutes)
    for (const char* value : {"3", ""}) {
      for (const Callback& callback : some_callbacks(3, static_cast<std::size_t>(route) + (*value == 0))) {
        if (callback.composition() != nullptr || callback.text().starts_with('[')) continue;
        SCOPED_TRACE(testing::Message() << name(route) << ": " << callback.text());
        Callback longer = Callback(behind_lines(callback, value)).with_entry(callback.entry());
        if (!callback.signature().empty()) longer = longer.with_signature(callback.signature());
        EXPECT_EQ(build(longer, Architecture(90), by(route)).report().kernel.route, route);
      }
    }
}

// In version 0.1, #define lines met words of graft's own behind the text: `inputs outputs call apply` with structs on
// route lto, `x y z w size count index k i` on route program, `R P F I type` on route ptx.
TEST(Defines, LinesOfTheTextLeaveTheKernelAsItIs) {
  const char* texts[] = {
      "__device__ float zzf(float zzv, int zzn) { return zzv * zzn; }",
      "struct Zz { float zza[3]; };\n__device__ Zz zzf(Zz zzv) { zzv.zza[0] = 1; return zzv; }",
      "struct Zz { float zza, zzb; };\n"
      "__device__ void zzf(float zzv, const Zz& zzs, float& zzo, double& zzp) { zzo = zzv * zzs.zza; zzp = zzs.zzb; }",
      "__device__ unsigned long long zzf(graft::Index zzi) { return zzi + 1; }",
      "[](float zzv) { return 2 * zzv; }",
  };
  std::size_t row = 0;
  for (const char* text : texts)
    for (const Route route : in_turn(kGpuRoutes, row++)) {
      SCOPED_TRACE(testing::Message() << name(route) << ", " << rotation_text() << ": " << text);
      const Image plain = build(text, Architecture(90), by(route));
      const Image defined = build(behind_lines(text, "-1 +"), Architecture(90), by(route));
      EXPECT_EQ(base::as_text(defined.bytes()), base::as_text(plain.bytes()));
      EXPECT_EQ(defined.signature(), plain.signature());
    }
  const std::vector<float> in = {1.5f, -2};
  const std::vector<int> times = {2, 3};
  std::vector<float> out(2);
  Transform::create(behind_lines(texts[0], "-1 +"), by(Route::Host)).execute(host, host_inputs(in, times), out);
  EXPECT_EQ(out, (std::vector<float>{3, -6}));
}

// A define in Options and the same #define line in the source must make the same kernel.
TEST(Defines, ADefineIsALineInFrontOfTheText) {
  const char* texts[] = {
      "__device__ float zzf(float zzv) { return N * zzv; }",
      // N is the parameter's name in this source, so the value of the macro N must be an identifier.
      "__device__ float zzf(float N) { return N; }",
      "struct Zz { float zza[N]; };\n__device__ float zzf(float zzv, const Zz& zz) { return zz.zza[1] * zzv; }",
  };
  for (const Route route : kAllRoutes)
    for (const char* text : texts) {
      const std::string value = std::string(text).find("float N") != std::string::npos ? "zzw" : "3";
      SCOPED_TRACE(testing::Message() << name(route) << ": " << text);
      Options options = by(route);
      options.defines = {{"N", value}};
      const Image defined = build(text, Architecture(90), options);
      const Image written = build("#define N " + value + "\n" + text, Architecture(90), by(route));
      EXPECT_EQ(base::as_text(defined.bytes()), base::as_text(written.bytes()));
      EXPECT_EQ(defined.signature(), written.signature());
    }
}

TEST(Defines, FunctionsLikeMacrosRedefinitionsAndMembersOfAChain) {
  for (const Route route : {Route::Lto, Route::Program, Route::Host}) {
    SCOPED_TRACE(name(route));
    Options options = by(route);
    options.defines = {{"TWICE(x)", "(2 * (x))"}, {"EMPTY", ""}, {"ONE"}, {"N", "3"}, {"TYPE", "float"}};
    const char* text = "#undef N\n#define N 5\n__device__ TYPE EMPTY zzf(TYPE zzv) { return TWICE(zzv) + ONE + N; }";
    EXPECT_EQ(build(text, Architecture(90), options).signature().text(), "float(float)");
    // Each part of a chain sees the original defines, even if the part before it has redefined a macro.
    const Callback other = "__device__ float zzg(float zzv) { static_assert(N == 3); return N * zzv; }";
    EXPECT_EQ(build(chain(text, other, other), Architecture(90), options).signature().text(), "float(float)");
  }
  Options options;
  options.defines = {{"TWICE(x)", "(2 * (x))"}, {"N", "3"}};
  const HostBytes run(Callback("__device__ float f(float x) { return TWICE(x) + N; }"), options);
  const float x = 4;
  ByteArray in(4);
  std::memcpy(in.data(), &x, 4);
  float out = 0;
  std::memcpy(&out, run.run({in}, {}, 1)[0].data(), 4);
  EXPECT_EQ(out, 11);
}

TEST(Defines, NdebugSwitchesAssertOff) {
  const char* text = "__device__ float zzf(float zzv) { assert(zzv > 0); return zzv; }";
  const char* with = "#include <cassert>\n__device__ float zzf(float zzv) { assert(zzv > 0); return zzv; }";
  for (const char* each : {text, with}) {
    Options options;
    options.defines = {{"NDEBUG"}};
    const auto calls_fail = [&](const Options& o) {
      const std::string ptx = lto_kernel_ptx(each, Architecture(90), o);
      return ptx.find("__assertfail") != std::string::npos;
    };
    EXPECT_TRUE(calls_fail({}));
    EXPECT_FALSE(calls_fail(options));
    const HostBytes run(Callback(each), options);
    EXPECT_EQ(run.run({ByteArray(4)}, {}, 1)[0], ByteArray(4));
  }
}

// An error in a define must name the define by its number.
TEST(Defines, MessagesNameTheDefine) {
  Options options;
  options.defines = {{"ONE"}, {"F(x)", "#y"}};
  for (const Route route : kAllRoutes) {
    SCOPED_TRACE(name(route));
    options.routes.required = route;
    const Error error =
        error_of([&] { build("__device__ float zzf(float zzv) { return zzv; }", Architecture(90), options); });
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << error.what();
    EXPECT_EQ(error.message(), "Options::defines does not compile: line 2") << error.log();
  }
}

// A value that ends in a backslash would join the next line of the source to the define, so graft refuses the value.
TEST(Defines, AValueEndsWithItsLine) {
  for (const Route route : {Route::Lto, Route::Host}) {
    Options options = by(route);
    options.defines = {{"A", "1 \\"}, {"B", "2"}};
    const Error error = error_of(
        [&] { build("__device__ float zzf(float zzv) {\n return A + B + zzw;\n}", Architecture(90), options); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_NE(error.message().find("the value of `A` in Options::defines ends in a backslash"), std::string::npos);
  }
}

}  // namespace
}  // namespace graft::test
