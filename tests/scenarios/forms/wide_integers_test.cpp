// Tests 64-bit integers. nvcc mangles std::int64_t as `l` (long) and NVRTC mangles it as `x` (long long). A declared
// signature must find a function whose name has either spelling; in version 0.1, it did not.
#include <gtest/gtest.h>

#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"
#include "support/rotation.hpp"

namespace graft::test {
namespace {

Callback made_by_graft(PrecompileFormat format, const char* name) {
  const Callback source = Callback::source(
      base::read_file(std::string(GRAFT_SOURCE_DIR) + "/tests/scenarios/forms/wide_integers.cu").value(), name);
  const std::vector<std::byte> bytes = source.precompile({75}, format);
  if (format == PrecompileFormat::LtoIr) return Callback::ltoir(bytes, name);
  if (format == PrecompileFormat::Ptx) return Callback::ptx(std::string(base::as_text(bytes)), name);
  if (format == PrecompileFormat::Fatbin) return Callback::fatbin(bytes, name);
  return Callback::object(bytes, name);
}

// Callback binaries made by nvcc and by graft. Binaries whose code is compressed or encoded do not show which functions
// they contain. The test parameter is a file name so that machines without libnvfatbin have the same list of tests.
constexpr const char* kWideImages[] = {"wide.ltoir",      "wide.ptx",  "wide.cubin", "wide_lto.o", "wide_lto.fatbin",
                                       "wide_ptx.fatbin", "own.ltoir", "own.ptx",    "own.cubin",  "own.fatbin"};

struct WideImage {
  Callback callback;
  std::vector<Route> routes;
};

WideImage wide_image(const std::string& name) {
  if (name == "wide.ltoir") return {compiled(Form::LtoIr, name), {Route::Lto}};
  if (name == "wide.ptx") return {compiled(Form::Ptx, name), {Route::Ptx, Route::Indirect}};
  if (name == "wide.cubin") return {compiled(Form::Object, name), {Route::Ptx, Route::Indirect}};
  if (name == "wide_lto.o") return {compiled(Form::Object, name), {Route::Lto}};
  if (name == "wide_lto.fatbin") return {compiled(Form::Fatbin, name), {Route::Lto}};
  if (name == "wide_ptx.fatbin") return {compiled(Form::Fatbin, name), {Route::Ptx, Route::Indirect}};
  if (name == "own.ltoir") return {made_by_graft(PrecompileFormat::LtoIr, "own.ltoir"), {Route::Lto}};
  if (name == "own.ptx") return {made_by_graft(PrecompileFormat::Ptx, "own.ptx"), {Route::Ptx, Route::Indirect}};
  if (name == "own.cubin") return {made_by_graft(PrecompileFormat::Cubin, "own.cubin"), {Route::Ptx, Route::Indirect}};
  return {made_by_graft(PrecompileFormat::Fatbin, "own.fatbin"), {Route::Lto, Route::Ptx}};
}

bool can_be_made(const std::string& name) {
  std::string why;
  return name != "own.fatbin" || toolbox().toolkit().nvfatbin(why) != nullptr;
}

constexpr const char* kDeclarations[] = {
    "int64_t add(int64_t, uint64_t)",
    "#include <cstdint>\nstd::int64_t add(std::int64_t x, ::uint64_t y)",
    "long add(long, unsigned long)",
    "long long int add(long long, unsigned long long int)",
    "long long mixed(int64_t, long long, uint64_t&)",
    "uint64_t math::scaled(uint64_t, const int64_t&)",
    "struct Pair { int64_t a, b; };\nint64_t of_pair(Pair, const Pair&)",
    "float narrow(float)",
};

class WideIntegers : public testing::TestWithParam<const char*> {};

TEST_P(WideIntegers, AreFoundUnderEitherSpelling) {
  if (!can_be_made(GetParam())) GTEST_SKIP() << "this callback binary cannot be made without libnvfatbin";
  const WideImage compiled = wide_image(GetParam());
  std::size_t row = 0;
  for (const char* declaration : kDeclarations)
    for (const Route route : in_turn(compiled.routes, row++)) {
      SCOPED_TRACE(testing::Message() << rotation_text() << ", " << name(route) << ": " << declaration);
      try {
        EXPECT_EQ(
            build(compiled.callback.with_signature(declaration), Architecture(75), by(route)).report().kernel.route,
            route);
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
}

TEST_P(WideIntegers, AreFoundByTypes) {
  if (!can_be_made(GetParam())) GTEST_SKIP() << "this callback binary cannot be made without libnvfatbin";
  const WideImage compiled = wide_image(GetParam());
  const Signature types[] = {Signature::of<std::int64_t(std::int64_t, std::uint64_t)>(),
                             Signature::of<long long(long long, unsigned long long)>()};
  for (const Signature& signature : types)
    for (const Route route : compiled.routes) {
      SCOPED_TRACE(testing::Message() << name(route) << ": " << signature.text());
      const Callback callback = compiled.callback.with_signature(signature).with_entry("add");
      EXPECT_EQ(build(callback, Architecture(75), by(route)).signature(), signature);
    }
}

TEST_P(WideIntegers, AreStillMissedWhereThereIsNoSuchFunction) {
  if (!can_be_made(GetParam())) GTEST_SKIP() << "this callback binary cannot be made without libnvfatbin";
  const WideImage compiled = wide_image(GetParam());
  for (const Route route : compiled.routes) {
    const Callback absent = compiled.callback.with_signature("int64_t absent(int64_t)");
    const Error error = error_of([&] { build(absent, Architecture(75), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::NoSuchEntry) << error.what();
    EXPECT_NE(error.message().find("absent"), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Binaries, WideIntegers, testing::ValuesIn(kWideImages), [](const auto& row) {
  std::string name = row.param;
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
});

// The callback binary has two overloads, one with `long` and one with `long long`. A declared signature must select the
// overload with exactly the type that it names.
TEST(WideIntegers, OfTwoOverloadsTheDeclaredOneIsCalled) {
  const auto added = [](const char* declaration) {
    const Callback callback = compiled(Form::LtoIr, "wide.ltoir").with_signature(declaration);
    const std::string ptx = lto_kernel_ptx(callback, Architecture(90));
    std::smatch found;
    return std::regex_search(ptx, found, std::regex(R"(add\.s64\s+%rd\d+, %rd\d+, ([12]);)")) ? found[1].str() : ptx;
  };
  EXPECT_EQ(added("long both(long)"), "1");
  EXPECT_EQ(added("long long both(long long)"), "2");
}

TEST(WideIntegers, PartsOfAChainAndPacksFindThem) {
  const Callback nvccs = wide_image("wide.ltoir").callback.with_signature("int64_t add(int64_t, uint64_t)");
  const std::vector<std::byte> ltoir =
      Callback("__device__ uint64_t less(uint64_t x, const int64_t& by) { return x - by; }")
          .precompile({75}, PrecompileFormat::LtoIr);
  const Callback ours = Callback::ltoir(ltoir, "less.ltoir").with_signature("uint64_t less(uint64_t, const int64_t&)");
  const Callback source = "__device__ uint64_t bits(int64_t x) { return x; }";
  EXPECT_EQ(build(chain(nvccs, source, ours), Architecture(90)).report().kernel.route, Route::Lto);
  for (const char* name : {"wide.ltoir", "own.ltoir"}) {
    const Callback callback = wide_image(name).callback.with_signature("int64_t add(int64_t, uint64_t)");
    const Callback pack = Callback::pack(callback.precompile({75}));
    EXPECT_EQ(build(pack, Architecture(90)).report().kernel.route, Route::Lto) << name;
  }
}

// On the host, std::int64_t is `long`. A signature made from host types must select the matching overload in a
// callback's source.
TEST(WideIntegers, ATypedSignaturePicksAnOverload) {
  const Callback source = "__device__ int64_t f(int64_t x) { return x; }\n__device__ float f(float x) { return x; }";
  for (const Route route : kAllRoutes) {
    SCOPED_TRACE(name(route));
    const Callback typed = source.with_entry("f").with_signature(Signature::of<std::int64_t(std::int64_t)>());
    EXPECT_EQ(build(typed, Architecture(90), by(route)).signature(), Signature::of<std::int64_t(std::int64_t)>());
    const Error error =
        error_of([&] { build(source.with_entry("f").with_signature("int(int)"), Architecture(90), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
  }
}

TEST(WideIntegers, AreLongLongUnderNvrtc) {
  const char* text =
      "template <class A, class B> struct Same { enum { value = 0 }; };\n"
      "template <class A> struct Same<A, A> { enum { value = 1 }; };\n"
      "static_assert(Same<int64_t, long long>::value && Same<uint64_t, unsigned long long>::value);\n"
      "static_assert(Same<intptr_t, long long>::value && Same<uintptr_t, unsigned long long>::value);\n"
      "__device__ int64_t f(uint64_t x) { return x; }";
  for (const Route route : kGpuRoutes)
    EXPECT_EQ(build(Callback(text).with_entry("f"), Architecture(90), by(route)).signature().text(),
              "long long(unsigned long long)");
}

// The source of a callback with 64-bit integers shows the callback's signature, so graft must write the exact adapter
// (code for this one signature) and not use the templates in graft/adapter.h.
TEST(WideIntegers, ATextWithWideIntegersIsPlain) {
  const Report report =
      build("__device__ int64_t f(int64_t x, uint64_t y) { return x + y; }", Architecture(90)).report();
  EXPECT_EQ(report.source.find("graft/adapter.h"), std::string::npos);
}

}  // namespace
}  // namespace graft::test
