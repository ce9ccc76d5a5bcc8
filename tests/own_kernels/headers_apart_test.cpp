// Tests that the inline functions of a callback's headers are not those of the kernel's, and that headers which refer
// to the kernel still do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/demangle.hpp"
#include "base/files.hpp"
#include "base/format.hpp"
#include "format/cubin.hpp"
#include "format/elf.hpp"
#include "graft/graft.hpp"
#include "graft/kernel.hpp"
#include "support/errors.hpp"

namespace graft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The functions of the image, but for its kernels, as their symbols name them.
std::vector<std::string> functions_of(const Image& image) {
  const auto elf = format::read_elf(image.bytes());
  std::vector<std::string> names;
  for (const format::CubinFunction& function : format::read_cubin(*elf).functions)
    if (!function.is_kernel)  // "$k$_Z6helperf"
      names.push_back(base::demangled(function.name.substr(std::min(function.name.find("_Z"), function.name.size()))));
  std::ranges::sort(names);
  return names;
}

constexpr const char* kKernel = R"(
inline __device__ __noinline__ float helper(float x) { return 2 * x; }
__device__ float f(float x);
extern "C" __global__ void k(float* x) { x[threadIdx.x] = helper(f(x[threadIdx.x])); }
)";
constexpr const char* kHeader =
    "#pragma once\ninline __device__ __noinline__ float helper(float x) { return 5 + x; }\n";
const Callback kCallback = "#include \"mine.h\"\n__device__ float f(float x) { return helper(x); }\n";

TEST(HeadersApart, InMemoryDoNotMeet) {
  const Image image = build(kKernel, {{"f", kCallback}}, 90, {.headers = {{"mine.h", kHeader}}});
  EXPECT_THAT(functions_of(image), ElementsAre("graft_text_0_headers::helper(float)", "helper(float)"));
}

TEST(HeadersApart, FilesDoNotMeet) {
  const base::TemporaryFolder folder;
  ASSERT_TRUE(base::write_file(folder.path() / "mine.h",
                               base::as_bytes("#ifndef MINE_H\n#define MINE_H\n"
                                              "#include <cuda_fp16.h>\n#include \"deep.h\"\n"
                                              "inline __device__ float2 unused(float2 x) { return x; }\n"
                                              "#endif\n")));
  ASSERT_TRUE(base::write_file(folder.path() / "deep.h", base::as_bytes(kHeader)));
  const Callback callback = kCallback.with_folder(folder.path());
  const auto names = ElementsAre("graft_text_0_headers::helper(float)", "helper(float)");
  EXPECT_THAT(functions_of(build(kKernel, {{"f", callback}}, 90)), names);
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}});
  EXPECT_THAT(functions_of(build(engine, kKernel, {{"f", callback}}, 90)), names);

  const std::vector<std::byte> pack = KernelCode(kKernel).precompile_for({"f", callback}, {90});
  EXPECT_THAT(functions_of(build(kKernel, {{"f", Callback::pack(pack)}}, 90)), testing::SizeIs(2));
  const Error error = test::error_of([&] {
    const Callback wrong = "#include \"mine.h\"\n\n__device__ float f(float x) { return helper(y); }\n";
    build(kKernel, {{"f", wrong.with_folder(folder.path())}}, 90);
  });
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_THAT(error.log(), HasSubstr("(3): error: identifier \"y\" is undefined"));
}

TEST(HeadersApart, TwoCallbacksDoNotMeet) {
  const KernelCode code = R"(
__device__ float f(float x);
__device__ float g(float x);
extern "C" __global__ void k(float* x) { x[threadIdx.x] = g(f(x[threadIdx.x])); }
)";
  const base::TemporaryFolder a, b;
  ASSERT_TRUE(base::write_file(a.path() / "mine.h", base::as_bytes(kHeader)));
  std::string other = kHeader;
  other.replace(other.find('5'), 1, "7");
  ASSERT_TRUE(base::write_file(b.path() / "mine.h", base::as_bytes(other)));
  const Image image = build(code, {{"f", kCallback.with_folder(a.path())}, {"g", kCallback.with_folder(b.path())}}, 90);
  EXPECT_THAT(functions_of(image),
              ElementsAre("graft_text_0_headers::helper(float)", "graft_text_1_headers::helper(float)"));
}

// A class of the author's header is the same class, by value and as a state.
TEST(HeadersApart, ClassesStayWhatTheyAre) {
  const KernelCode code = KernelCode::source(R"(
#include "ray.h"
namespace lib { __device__ float shade(Ray ray, const Scene& scene); }
extern "C" __global__ void k(float* x, const __grid_constant__ lib::Scene s) { x[0] = lib::shade({x[0], x[1]}, s); }
)")
                              .with_header("ray.h", R"(#pragma once
namespace lib {
struct Ray { float a, b; __device__ float sum() const { return a + b; } };
struct Scene { double light; };
}
)");
  for (const char* callback : {"__device__ float f(lib::Ray r, const lib::Scene& s) { return r.sum() * s.light; }",
                               "__device__ float f(lib::Ray r, const ::lib::Scene& s) { return r.sum(); }",
                               "using namespace lib;\n__device__ float f(Ray r, const Scene& s) { return r.sum(); }"}) {
    SCOPED_TRACE(callback);
    const Callback filled(base::format("#include \"ray.h\"\n{}", callback));
    EXPECT_TRUE(build(code, {{"shade", filled}}, 90).report().inlined());
  }
}

// What a header declares and the kernel defines stays the kernel's: a function, a variable, and a member function.
TEST(HeadersApart, HeadersMayReferToTheKernel) {
  struct Row {
    const char *header, *in_kernel, *in_callback;
  };
  for (const Row& row : {
           Row{"__device__ float of_kernel(float x);", "__device__ float of_kernel(float x) { return 3 * x; }",
               "of_kernel(x)"},
           Row{"extern __device__ float table[4];", "__device__ float table[4] = {1, 2, 3, 4};", "x + table[1]"},
           Row{"struct Tools { static __device__ float of_class(float x); };",
               "#include \"lib.h\"\n__device__ float Tools::of_class(float x) { return 3 * x; }", "Tools::of_class(x)"},
       }) {
    SCOPED_TRACE(row.header);
    const KernelCode code = KernelCode::source(base::format("{}\n{}", row.in_kernel, R"(
__device__ float f(float x);
extern "C" __global__ void k(float* x) { x[threadIdx.x] = f(x[threadIdx.x]); }
)"))
                                .with_header("lib.h", base::format("#pragma once\n{}\n", row.header));
    const Callback callback(
        base::format("#include \"lib.h\"\n__device__ float f(float x) {{ return {}; }}", row.in_callback));
    EXPECT_TRUE(build(code, {{"f", callback}}, 90).report().inlined());
  }
}

// A variable of a header is one for both sides, and is found by its name.
TEST(HeadersApart, VariablesAreShared) {
  for (const auto& [header, is_shared] : {
           std::pair("inline __device__ int hits = 3;\n", true),
           std::pair("struct Count { static __device__ int& hits() { static int c; return c; } };\n", true),
           std::pair("template <class T> __device__ T hits;\n", true),
           std::pair("__constant__ float table[16];\n", true),
           std::pair("struct Tools { static __device__ float twice(float x) { return 2 * x; } };\n", false),
           std::pair(
               "template <class T> __device__ T twice(T x) { return 2 * x; }\nstruct Later;\nusing real = float;\n"
               "namespace lib { enum class Kind : int { A = 1 }; template <class T> struct Box { T a = 1; }; }\n",
               false),
           std::pair("constexpr __device__ float table[2] = {1, 2};\n", false),
           std::pair("inline __device__ const int limit = 3;\n", false),
       }) {
    SCOPED_TRACE(header);
    const std::string text = base::format("#pragma once\n{}{}", header, std::string_view(kHeader).substr(13));
    const std::size_t functions =
        functions_of(build(kKernel, {{"f", kCallback}}, 90, {.headers = {{"mine.h", text}}})).size();
    EXPECT_EQ(functions, is_shared ? 1u : 2u);
  }
}

// A header that adds to a namespace of the tools', or that includes behind code, is left as it is.
TEST(HeadersApart, OtherHeadersStayAsTheyAre) {
  for (const char* header :
       {"namespace std { struct mine_only {}; }\ninline __device__ float twice(float x) { return 2 * x; }",
        "inline __device__ float twice(float x) { return 2 * x; }\n#include <cuda_fp16.h>\n",
        "template <class T> struct Traits;\ntemplate <> struct Traits<float> { static constexpr float k = 2; };\n"
        "inline __device__ float twice(float x) { return Traits<float>::k * x; }"}) {
    SCOPED_TRACE(header);
    const Callback callback = "#include \"mine.h\"\n__device__ float f(float x) { return twice(x); }\n";
    EXPECT_EQ(functions_of(build(kKernel, {{"f", callback}}, 90, {.headers = {{"mine.h", header}}})).size(), 1u);
  }
}

}  // namespace
}  // namespace graft
