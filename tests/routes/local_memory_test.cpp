// Tests that kernels need no local memory. In version 0.1, for many ordinary signatures the kernel used 16,400 bytes of
// local memory per thread on sm_100 and newer, and on some older architectures. The compiler kept the elements that a
// thread had loaded in memory instead of in registers. Every launch pays for this stack frame, and graft reported no
// note about it.
//
// The test builds each signature on one route for one architecture, or everywhere (support/rotation.hpp). It reads the
// size of each kernel's stack from the cubin.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <memory>
#include <vector>

#include "core/image_data.hpp"
#include "families/elementwise/shapes/shape_class.hpp"
#include "format/cubin.hpp"
#include "graft/graft.hpp"
#include "link/ptx_text.hpp"
#include "routes/builder.hpp"
#include "support/compile.hpp"
#include "support/rotation.hpp"
#include "support/sweep.hpp"

namespace graft::test {
namespace {

constexpr std::array kLocalMemoryArchitectures = {75, 80, 86, 89, 90, 100, 103, 120};
constexpr std::array kInliningRoutes = {Route::Lto, Route::Program, Route::Ptx};

const char* const kSources[] = {
    "struct S{float a;}; __device__ float f(float x, unsigned char b, const S& s){ return x*b*s.a; }",
    "__device__ bool f(float2 a, float2 b){ return a.x==b.x && a.y==b.y; }",
    "struct Rgb{unsigned char r,g,b;}; __device__ float f(Rgb p, float w){ return (p.r+p.g+p.b)*w; }",
    "struct U{unsigned char a,b;}; __device__ U f(U u, unsigned char c){ u.a+=c; return u; }",
    "union U{unsigned int i; float f; }; __device__ U f(U u, unsigned char c){ u.i+=c; return u; }",
    "struct W{double a[4];}; struct Rgb{unsigned char r,g,b;}; __device__ W f(W w, Rgb p, float4 q){ w.a[0]+=p.r; "
    "w.a[1]+=p.g*q.x; w.a[2]+=p.b; w.a[3]*=q.w; return w; }",
    "struct W{unsigned int a[8];}; struct Rgb{unsigned char r,g,b;}; __device__ W f(W w, Rgb p, float4 q){ "
    "w.a[0]+=p.r; w.a[1]+=p.g; w.a[2]+=p.b; w.a[7]+=(unsigned)q.w; return w; }",
    "struct W{float a[8];}; struct Rgb{unsigned char r,g,b;}; __device__ W f(W w, Rgb p, float4 q){ w.a[0]+=p.r*q.x; "
    "w.a[1]+=p.g*q.y; w.a[2]+=p.b*q.z; w.a[7]+=q.w; return w; }",
    "__device__ float f(float a, float b){ return a*b; }",
    "__device__ float f(float a, double b){ return a*b; }",
    "__device__ double f(float a, double b){ return a*b; }",
    "__device__ float f(float a, unsigned char b){ return a*b; }",
    "__device__ unsigned char f(float a){ return a; }",
    "__device__ unsigned char f(unsigned char a, unsigned char b){ return a+b; }",
    "__device__ short f(signed char a, short b){ return a+b; }",
    "__device__ __half f(__half x, bool b){ return b?x:__hadd(x,x); }",
    "__device__ __half f(__half x, float y){ return __hadd(x,__float2half(y)); }",
    "__device__ __nv_bfloat16 f(__nv_bfloat16 x, unsigned char c){ return c>3?x:__hadd(x,x); }",
    "__device__ long long f(long long a, signed char b){ return a+b; }",
    "__device__ double f(double a, unsigned char b, short c){ return a+b*c; }",
    "__device__ graft::complex<float> f(graft::complex<float> a, graft::complex<float> b){ return a*b; }",
    "__device__ graft::complex<float> f(graft::complex<float> a, float b){ return {a.real()*b,a.imag()*b}; }",
    "__device__ graft::complex<double> f(graft::complex<double> a, unsigned char b){ return {a.real()*b,a.imag()}; }",
    "struct S{float2 g;}; __device__ graft::complex<float> f(graft::complex<float> a, const S& s){ return "
    "a*graft::complex<float>{s.g.x,s.g.y}; }",
    "__device__ float f(float2 a, float b){ return a.x*b+a.y; }",
    "__device__ float f(float3 a, float b){ return a.x*b+a.y*a.z; }",
    "__device__ float3 f(float3 a, float3 b){ return {a.x*b.x,a.y+b.y,a.z}; }",
    "__device__ float4 f(float4 a, float b){ return {a.x*b,a.y,a.z,a.w}; }",
    "__device__ float4 f(float4 a, float4 b, unsigned char c){ return {a.x*b.x,a.y*c,a.z,b.w}; }",
    "__device__ __half f(float4 a, __half b){ return __hadd(b,__float2half(a.x+a.w)); }",
    "__device__ bool f(float4 a, float4 b){ return a.x<b.y||a.z>b.w; }",
    "__device__ bool f(double a, double b){ return a<b; }",
    "__device__ bool f(float a, int b){ return a<b; }",
    "__device__ bool f(float3 a, float b){ return a.x+a.y<b*a.z; }",
    "struct Rgb{unsigned char r,g,b;}; __device__ unsigned char f(Rgb p){ return (p.r+p.g+p.b)/3; }",
    "struct Rgb{unsigned char r,g,b;}; __device__ Rgb f(Rgb a, Rgb b){ return {(unsigned char)(a.r+b.r),a.g,b.b}; }",
    "struct Rgb{unsigned char r,g,b;}; struct S{float a,b;}; __device__ Rgb f(Rgb a, const S& s){ a.r=a.r*s.a+s.b; "
    "return a; }",
    "struct Rgb{unsigned char r,g,b;}; __device__ unsigned char f(Rgb p, graft::Index i){ return p.g+i; }",
    "struct Rgb{unsigned char r,g,b;}; __device__ double f(Rgb p, double w){ return p.r*w+p.b; }",
    "struct Rgb{unsigned char r,g,b;}; __device__ short f(Rgb p, short w){ return p.r*w+p.b; }",
    "struct P{unsigned char r,g,b,a;}; __device__ float f(P p, float w){ return p.r*w+p.a; }",
    "struct P{unsigned char b[5];}; __device__ unsigned char f(P p, unsigned char w){ return p.b[0]*w+p.b[4]; }",
    "struct P{unsigned char b[7];}; __device__ float f(P p, float w){ return p.b[0]*w+p.b[6]; }",
    "struct S{short a,b,c;}; __device__ S f(S s, S t){ return {t.a,s.b,s.c}; }",
    "struct S{short a,b,c;}; __device__ float f(S s, float t){ return s.a*t+s.c; }",
    "struct S{short a,b,c;}; __device__ S f(S s, unsigned char t){ s.a+=t; return s; }",
    "struct S{short a[5];}; __device__ float f(S s, float t){ return s.a[0]*t+s.a[4]; }",
    "struct S{float a,b,c;}; __device__ S f(S s, unsigned char t){ s.a+=t; return s; }",
    "struct S{float a,b,c;}; __device__ S f(S s, S t){ s.a+=t.c; return s; }",
    "struct S{float a,b,c;}; __device__ double f(S s, double t){ return s.a*t+s.c; }",
    "struct S{double a;int b,c;float d;}; __device__ S f(S s, float t){ s.a+=t; return s; }",
    "struct S{double a,b,c;}; __device__ S f(S s, S t){ s.a+=t.c; return s; }",
    "struct S{double a,b,c;}; __device__ double f(S s, unsigned char t){ return s.a*t+s.c; }",
    "struct S{float a[5];}; __device__ __half f(S s, __half t){ return __hadd(t,__float2half(s.a[0]+s.a[4])); }",
    "struct S{int a[7];}; __device__ int f(S s, unsigned char t){ return s.a[0]+s.a[6]*t; }",
    "struct S{double a[4];}; __device__ double f(S s, S t){ return s.a[0]*t.a[3]+s.a[2]-t.a[1]; }",
    "struct S{double a[4];}; __device__ double f(S s, float t){ return s.a[0]*t+s.a[3]; }",
    "struct S{unsigned char a[32];}; __device__ short f(S s, short t){ return s.a[0]*t+s.a[31]; }",
    "struct S{unsigned char a[16];}; __device__ float f(S s, float t){ return s.a[0]*t+s.a[15]; }",
    "__device__ float f(float x, unsigned char y, double& o){ o=x*2.0; return x*y; }",
    "__device__ float f(float x, short y, float& a, double& b, unsigned char& c){ a=y; b=x; c=y; return x; }",
    "__device__ void f(float2 x, unsigned char y, float& a, bool& b){ a=x.x*y; b=x.y>0; }",
    "__device__ float f(float a,float b,float c,float d,float e,float g,float h,float i){ return a+b*c+d*e+g*h+i; }",
    "__device__ float f(float a,unsigned char b,short c,double d,float e,signed char g,int h,float i){ return "
    "a+b*c+d*e+g*h+i; }",
    "__device__ unsigned char f(unsigned char a,unsigned char b,unsigned char c,unsigned char d,unsigned char "
    "e,unsigned char g,unsigned char h,unsigned char i){ return a+b*c+d*e+g*h+i; }",
    "__device__ float f(float x, unsigned char b, graft::Index i){ return x*b+i.value; }",
    "struct S{float t[64];}; __device__ float f(float x, signed char b, const S& s, graft::Index i){ return "
    "x*b+s.t[3]+i.value; }",
    "struct S{float t[256];}; __device__ float f(float x, short b, const S& s){ return x*b+s.t[255]; }",
    "struct S{float t[256];}; __device__ float f(float x, unsigned char b, const S& s){ return x*s.t[b]; }",
    "[](float2 x, signed char c) { return float4{x.x, x.y, float(c), 1}; }",
    "[](float x, unsigned char c) { return x * c; }",
    "enum E : unsigned char { A, B }; __device__ float f(E e, float x){ return e==A?x:-x; }",
    "__device__ int f(uchar3 a, int b){ return a.x+a.y*b+a.z; }",
    "__device__ short4 f(uchar4 a, short4 b){ return {(short)(a.x+b.x),b.y,b.z,(short)a.w}; }",
    "struct H{__half a,b;}; __device__ float f(H h, float x){ return __half2float(h.a)*x+__half2float(h.b); }",
    "struct H{__half a,b,c;}; __device__ H f(H h, __half x){ h.a=__hadd(h.a,x); return h; }",
    "__device__ double f(__half h, double x){ return x*__half2float(h); }",
};

// Returns the chain that docs/callbacks.md shows.
Callback chained() {
  return chain(
      Callback(
          "struct Rgb { unsigned char r, g, b; }; __device__ float gray(Rgb p) { return (p.r + p.g + p.b) / 3.0f; }"),
      Callback(
          "struct Scale { float a, b; }; __device__ float scale(float x, const Scale& s) { return s.a * x + s.b; }"),
      Callback("__device__ unsigned char clamp(float x) { return x < 0 ? 0 : x > 255 ? 255 : (unsigned char)x; }"));
}

Callback staged() {
  return Stages{
      .load = Callback("__device__ float load(void* data, unsigned long long offset, void*, void*) {"
                       " return static_cast<unsigned char*>(data)[offset]; }"),
      .op = Callback("struct S { float a; }; __device__ float op(float x, unsigned char b, const S& s) {"
                     " return x * b * s.a; }"),
      .store = Callback("__device__ void store(void* data, unsigned long long offset, float x, void*, void*) {"
                        " static_cast<float*>(data)[offset] = x; }")};
}

std::vector<Callback> callbacks() {
  std::vector<Callback> all(std::begin(kSources), std::end(kSources));
  all.push_back(chained());
  all.push_back(staged());
  return all;
}

// Returns the stack size that the cubin states for the kernel and the functions that it calls, or ~0 if the cubin
// states no stack size.
std::uint64_t stack_of(const Image& image) {
  const auto elf = format::read_elf(image.bytes());
  if (!elf) return ~0u;
  const format::Cubin cubin = format::read_cubin(*elf);
  const format::CubinFunction* const kernel = cubin.find(image.report().kernel.name);
  return kernel == nullptr ? ~0u : kernel->stack_bytes.value_or(~0u);
}

// On the ptx route the kernel calls the callback as a function. The calling convention puts outputs by reference, and
// arguments that do not fit in registers, into memory. A kernel with the rolled body makes one call per thread, so its
// stack size shows how much memory one call may use.
std::uint64_t stack_of_calls(const Callback& callback, Architecture architecture, Options options) {
  if (options.routes.required != Route::Ptx || callback.form() == Form::Pack) return 0;
  options.policy.body = Body::Rolled;
  return stack_of(build(callback, architecture, options));
}

void expect_no_local_memory(const Callback& callback, Architecture architecture, const Options& options) {
  const Image image = build(callback, architecture, options);
  const Report& report = image.report();
  EXPECT_EQ(static_cast<Body>(report.kernel.tuning["body"]), Body::Vector) << report.to_text();
  if (stack_of(image) == 0) return;
  const std::uint64_t calls =
      static_cast<std::uint64_t>(report.kernel.tuning["vector_width"]) * report.kernel.tuning["vectors_per_thread"];
  EXPECT_LE(stack_of(image), calls * stack_of_calls(callback, architecture, options)) << report.to_text();
}

// Builds the callbacks of callbacks() whose turn it is on the architecture kLocalMemoryArchitectures[place].
void check(std::size_t place) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  SCOPED_TRACE(rotation_text());
  const std::vector<Callback> all = callbacks();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_turn_of(place, i, kLocalMemoryArchitectures.size())) continue;
    for (const Route route : in_turn(kInliningRoutes, i / kLocalMemoryArchitectures.size())) {
      SCOPED_TRACE(fmt::format("{} on sm_{}: {}", name(route), kLocalMemoryArchitectures[place], all[i].text()));
      Options options;
      options.routes.required = route;
      expect_no_local_memory(all[i], Architecture(kLocalMemoryArchitectures[place]), options);
    }
  }
}

TEST(NoLocalMemory, OnSm75) {
  check(0);
}
TEST(NoLocalMemory, OnSm80) {
  check(1);
}
TEST(NoLocalMemory, OnSm86) {
  check(2);
}
TEST(NoLocalMemory, OnSm89) {
  check(3);
}
TEST(NoLocalMemory, OnSm90) {
  check(4);
}
TEST(NoLocalMemory, OnSm100) {
  check(5);
}
TEST(NoLocalMemory, OnSm103) {
  check(6);
}
TEST(NoLocalMemory, OnSm120) {
  check(7);
}

// Kernels for arrays of any shape keep the places of an element in registers, too.
TEST(NoLocalMemory, KernelsForViews) {
  const std::vector<Callback> all = callbacks();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t place = 0; place < kLocalMemoryArchitectures.size(); ++place) {
      if (!is_turn_of(place, i, kLocalMemoryArchitectures.size())) continue;
      for (const Route route : in_turn(kInliningRoutes, i / kLocalMemoryArchitectures.size())) {
        SCOPED_TRACE(fmt::format("{} on sm_{}: {}", name(route), kLocalMemoryArchitectures[place], all[i].text()));
        const Options options{.routes = {.required = route}};
        std::vector<elementwise::KernelShapes> kernels = {elementwise::ShapeClass::Strided};
        const Signature signature = build(all[i], Architecture(75), options).report().kernel.signature;
        if (const std::uint32_t inputs = elementwise::in_tiles(signature, ~0u, 0); inputs != 0)
          kernels.emplace_back(elementwise::ShapeClass::Transposed, inputs);
        for (const elementwise::KernelShapes& shapes : kernels) {
          const Step step(all[i], kElementwise, elementwise::request_of(shapes));
          const Image image = Image::Data::image(std::make_shared<Image::Data>(
              routes::build_image(step, Architecture(kLocalMemoryArchitectures[place]), options, toolbox())));
          const auto calls = static_cast<std::uint64_t>(image.report().kernel.tuning["vector_width"]);
          EXPECT_LE(stack_of(image),
                    calls * stack_of_calls(all[i], Architecture(kLocalMemoryArchitectures[place]), options))
              << image.report().to_text();
        }
      }
    }
}

// With the unrolled body, the compiler for sm_100 keeps this callback's array in memory. With the rolled body, the
// array stays in registers.
constexpr const char* kArray =
    "__device__ float f(float x, int n) {\n"
    "  float t[32];\n"
    "  for (int i = 0; i < 32; ++i) t[i] = x * i;\n"
    "  return t[n & 31] + t[n >> 5 & 31];\n"
    "}\n";

TEST(NoLocalMemory, AVectorBodyThatNeedsLocalMemoryIsGivenUp) {
  for (const Route route : {Route::Lto, Route::Program}) {
    SCOPED_TRACE(name(route));
    Options options;
    options.routes.required = route;
    const Image image = build(kArray, Architecture(100), options);
    EXPECT_EQ(static_cast<Body>(image.report().kernel.tuning["body"]), Body::Rolled);
    EXPECT_EQ(stack_of(image), 0u);
    EXPECT_EQ(image.report().resources.local_bytes, 0u);
    EXPECT_THAT(image.report().policy_reason,
                testing::ContainsRegex("unrolled, the kernel needs [1-9][0-9]* bytes of local memory per thread .0 of "
                                       "them spilled.; rolled, it needs 0"));
    options.policy.body = Body::Vector;  // explicit request for the vector body
    EXPECT_GT(stack_of(build(kArray, Architecture(100), options)), 0u);
  }
}

// The PTX in a pack is compiled on the user's machine, possibly for a newer architecture than the one for which the
// pack was made. Packs for sm_75 and for sm_100 must both need no local memory on sm_100.
TEST(NoLocalMemory, PacksHaveNone) {
  for (const char* source : {kSources[0], kSources[1], kSources[2]}) {
    for (const int oldest : {75, 100}) {
      const Callback pack = Callback::pack(Callback(source).precompile({Architecture(oldest)}));
      for (const Route route : kInliningRoutes) {
        SCOPED_TRACE(fmt::format("{} of a pack for sm_{}: {}", name(route), oldest, source));
        Options options;
        options.routes.required = route;
        expect_no_local_memory(pack, Architecture(100), options);
      }
    }
  }
}

// If the vector body in a pack's PTX would need more than twice the local memory of the rolled body, graft puts the
// rolled body into the pack.
TEST(NoLocalMemory, APacksProgramHasTheBodyThatNeedsLess) {
  const auto stack_with = [](std::optional<Body> body) {
    Options options;
    options.policy.body = body;
    const auto bytes = Callback(kArray).precompile({Architecture(100)}, PrecompileFormat::Pack, options);
    Options by_program;
    by_program.routes.required = Route::Program;
    return stack_of(build(Callback::pack(bytes), Architecture(100), by_program));
  };
  EXPECT_LE(stack_with(std::nullopt), 2 * stack_with(Body::Rolled));
}

TEST(NoLocalMemory, PtxShowsTheFramesOfKernels) {
  constexpr std::string_view kPtx =
      ".visible .func (.param .b32 r) f(.param .b32 p)\n{\n\t.local .align 16 .b8 \t__local_depot0[128];\n"
      "\tmov.u64 %SPL, __local_depot0;\n}\n"
      ".visible .entry graft_transform_f(.param .b32 p)\n{\n\t.local .align 16 .b8 \t__local_depot1[16400];\n"
      "\tmov.u64 %SPL, __local_depot1;\n}\n"
      ".func g()\n{\n\t.local .align 4 .b8 \t__local_depot2[8];\n}\n";
  EXPECT_EQ(link::ptx_frame_bytes(kPtx), 16400u);
  EXPECT_EQ(link::ptx_frame_bytes(kPtx.substr(0, kPtx.find(".visible .entry"))), 0u);
  EXPECT_EQ(link::ptx_frame_bytes(""), 0u);
  EXPECT_EQ(link::ptx_frame_bytes(".entry k() { __local_depot0["), 0u);
}

}  // namespace
}  // namespace graft::test
