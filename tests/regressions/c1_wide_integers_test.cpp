// C1: nvcc mangles std::int64_t as `l` (long) and NVRTC mangles it as `x` (long long). A declared signature must find a
// function whose name has either spelling.
#include <gtest/gtest.h>

#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

std::string bytes_of(const std::string& file) {
  return base::read_file(std::string(GRAFT_WIDE_FOLDER) + "/" + file).value_or("");
}

Callback own(PrecompileFormat format, const char* name) {
  const Callback source =
      Callback::source(base::read_file(std::string(GRAFT_SOURCE_DIR) + "/tests/regressions/c1_wide.cu").value(), name);
  const std::vector<std::byte> bytes = source.precompile({75}, format);
  if (format == PrecompileFormat::LtoIr) return Callback::ltoir(bytes, name);
  if (format == PrecompileFormat::Ptx) return Callback::ptx(std::string(base::as_text(bytes)), name);
  if (format == PrecompileFormat::Fatbin) return Callback::fatbin(bytes, name);
  return Callback::object(bytes, name);
}

// Callback binaries made by nvcc and by graft. Binaries whose code is compressed or encoded do not show which functions
// they contain. The test parameter is a file name so that machines without libnvfatbin have the same list of tests.
constexpr const char* kImages[] = {"wide.ltoir",      "wide.ptx",  "wide.cubin", "wide_lto.o", "wide_lto.fatbin",
                                   "wide_ptx.fatbin", "own.ltoir", "own.ptx",    "own.cubin",  "own.fatbin"};

struct Image_ {
  Callback callback;
  std::vector<Route> routes;
};

Image_ image(const std::string& name) {
  const std::string nvccs = bytes_of(name);
  if (name == "wide.ltoir") return {Callback::ltoir(base::as_bytes(nvccs)), {Route::Lto}};
  if (name == "wide.ptx") return {Callback::ptx(nvccs), {Route::Ptx, Route::Indirect}};
  if (name == "wide.cubin") return {Callback::object(base::as_bytes(nvccs)), {Route::Ptx, Route::Indirect}};
  if (name == "wide_lto.o") return {Callback::object(base::as_bytes(nvccs)), {Route::Lto}};
  if (name == "wide_lto.fatbin") return {Callback::fatbin(base::as_bytes(nvccs)), {Route::Lto}};
  if (name == "wide_ptx.fatbin") return {Callback::fatbin(base::as_bytes(nvccs)), {Route::Ptx, Route::Indirect}};
  if (name == "own.ltoir") return {own(PrecompileFormat::LtoIr, "own.ltoir"), {Route::Lto}};
  if (name == "own.ptx") return {own(PrecompileFormat::Ptx, "own.ptx"), {Route::Ptx, Route::Indirect}};
  if (name == "own.cubin") return {own(PrecompileFormat::Cubin, "own.cubin"), {Route::Ptx, Route::Indirect}};
  return {own(PrecompileFormat::Fatbin, "own.fatbin"), {Route::Lto, Route::Ptx}};
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
  const Image_ compiled = image(GetParam());
  for (const char* declaration : kDeclarations)
    for (const Route route : compiled.routes) {
      SCOPED_TRACE(testing::Message() << name(route) << ": " << declaration);
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
  const Image_ compiled = image(GetParam());
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
  const Image_ compiled = image(GetParam());
  for (const Route route : compiled.routes) {
    const Callback absent = compiled.callback.with_signature("int64_t absent(int64_t)");
    const Error error = error_of([&] { build(absent, Architecture(75), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::NoSuchEntry) << error.what();
    EXPECT_NE(error.message().find("absent"), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(C1, WideIntegers, testing::ValuesIn(kImages), [](const auto& row) {
  std::string name = row.param;
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
});

// The callback binary has two overloads, one with `long` and one with `long long`. A declared signature must select the
// overload with exactly the type that it names.
TEST(C1, OfTwoOverloadsTheDeclaredOneIsCalled) {
  const auto added = [](const char* declaration) {
    const Callback callback = Callback::ltoir(base::as_bytes(bytes_of("wide.ltoir"))).with_signature(declaration);
    const std::string ptx = lto_kernel_ptx(callback, Architecture(90));
    std::smatch found;
    return std::regex_search(ptx, found, std::regex(R"(add\.s64\s+%rd\d+, %rd\d+, ([12]);)")) ? found[1].str() : ptx;
  };
  EXPECT_EQ(added("long both(long)"), "1");
  EXPECT_EQ(added("long long both(long long)"), "2");
}

TEST(C1, PartsOfAChainAndPacksFindThem) {
  const Callback nvccs = image("wide.ltoir").callback.with_signature("int64_t add(int64_t, uint64_t)");
  const std::vector<std::byte> ltoir =
      Callback("__device__ uint64_t less(uint64_t x, const int64_t& by) { return x - by; }")
          .precompile({75}, PrecompileFormat::LtoIr);
  const Callback ours = Callback::ltoir(ltoir, "less.ltoir").with_signature("uint64_t less(uint64_t, const int64_t&)");
  const Callback source = "__device__ uint64_t bits(int64_t x) { return x; }";
  EXPECT_EQ(build(chain(nvccs, source, ours), Architecture(90)).report().kernel.route, Route::Lto);
  for (const char* name : {"wide.ltoir", "own.ltoir"}) {
    const Callback callback = image(name).callback.with_signature("int64_t add(int64_t, uint64_t)");
    const Callback pack = Callback::pack(callback.precompile({75}));
    EXPECT_EQ(build(pack, Architecture(90)).report().kernel.route, Route::Lto) << name;
  }
}

// On the host, std::int64_t is `long`. A signature made from host types must select the matching overload in a
// callback's source.
TEST(C1, ATypedSignaturePicksAnOverload) {
  const Callback source = "__device__ int64_t f(int64_t x) { return x; }\n__device__ float f(float x) { return x; }";
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host}) {
    SCOPED_TRACE(name(route));
    const Callback typed = source.with_entry("f").with_signature(Signature::of<std::int64_t(std::int64_t)>());
    EXPECT_EQ(build(typed, Architecture(90), by(route)).signature(), Signature::of<std::int64_t(std::int64_t)>());
    const Error error =
        error_of([&] { build(source.with_entry("f").with_signature("int(int)"), Architecture(90), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
  }
}

}  // namespace
}  // namespace graft::test
