// Tests which signature graft reads from a source, with a table of sources and the expected texts.
#include <fmt/format.h>

#include "support/compile.hpp"

namespace graft::test {
namespace {

struct Row {
  const char* name;
  const char* source;
  const char* signature;  // the expected text of the signature
  const char* arrays;     // the expected arrays, in the format of arrays_of
  const char* entry = "";
  const char* declared = "";
};

// Describes the arrays, for example "float, int8 -> double | state 8 | index".
std::string arrays_of(const Signature& signature) {
  std::string text;
  for (const ElementType& type : signature.inputs()) text += (text.empty() ? "" : ", ") + to_string(type);
  text += text.empty() ? "->" : " ->";
  const char* separator = " ";
  for (const ElementType& type : signature.outputs()) {
    text += separator + to_string(type);
    separator = ", ";
  }
  if (signature.state()) text += fmt::format(" | state {}", signature.state()->size);
  if (signature.takes_index()) text += " | index";
  return text;
}

const Row kRows[] = {
    // The user's macros have short names, as in <complex.h> and much existing code. They must not change graft's own
    // code.
    {"OneLetterMacros",
     "#define I 1\n#define N 3\n#define T float\n#define R double\n#define P *\n#define A 0\n#define B 1\n"
     "#define type int\n#define value 2\n#define in 1\n#define out 2\n"
     "__device__ T f(R x) { return x * N; }",
     "float(double)", "double -> float"},
    // The parameters and results have fundamental types.
    {"Float", "__device__ float f(float x) { return x; }", "float(float)", "float -> float"},
    {"Double", "__device__ double f(double x) { return x; }", "double(double)", "double -> double"},
    {"Bool", "__device__ bool f(bool x) { return !x; }", "bool(bool)", "bool -> bool"},
    {"Char", "__device__ char f(char x) { return x; }", "char(char)", "int8 -> int8"},
    {"SignedChar", "__device__ signed char f(signed char x) { return x; }", "signed char(signed char)", "int8 -> int8"},
    {"UnsignedChar", "__device__ unsigned char f(unsigned char x) { return x; }", "unsigned char(unsigned char)",
     "uint8 -> uint8"},
    {"Short", "__device__ short f(unsigned short x) { return x; }", "short(unsigned short)", "uint16 -> int16"},
    {"Int", "__device__ int f(unsigned x) { return x; }", "int(unsigned int)", "uint32 -> int32"},
    {"Long", "__device__ long f(unsigned long x) { return x; }", "long(unsigned long)", "uint64 -> int64"},
    {"LongLong", "__device__ long long f(unsigned long long x) { return x; }", "long long(unsigned long long)",
     "uint64 -> int64"},
    {"FixedWidth", "__device__ uint8_t f(int64_t a, uint16_t b) { return a + b; }",
     "unsigned char(long long, unsigned short)", "int64, uint16 -> uint8"},
    {"Cstdint", "#include <cstdint>\n__device__ std::int32_t f(std::uint64_t a) { return a; }",
     "int(unsigned long long)", "uint64 -> int32"},
    {"WideCharacters", "__device__ char16_t f(char32_t x) { return x; }", "char16_t(char32_t)", "uint32 -> uint16"},
    // The result says whether the outputs are stored.
    {"Store", "__device__ graft::Store f(float x, float& y) { y = x; return graft::Store(x > 0); }",
     "graft::Store(float, float&)", "float -> float"},
    {"ConstStore", "__device__ const graft::Store f(float x, float& y) { y = x; return graft::Store(x > 0); }",
     "graft::Store(float, float&)", "float -> float"},
    {"StoreByAnotherName",
     "using namespace graft;\n__device__ Store f(float x, float& y) { y = x; return Store(x > 0); }",
     "graft::Store(float, float&)", "float -> float"},
    {"UnnamedNamespace", "namespace { struct P { float a; }; }\n__device__ float f(P p) { return p.a; }",
     "float((anonymous namespace)::P)", "4-byte class aligned to 4 -> float"},
    // The parameters and results are half, bfloat16 or complex numbers.
    {"Half", "__device__ __half f(__half x) { return x; }", "__half(__half)", "half -> half"},
    {"HalfIncluded", "#include <cuda_fp16.h>\n__device__ half f(half x) { return x + x; }", "__half(__half)",
     "half -> half"},
    {"Bfloat16", "__device__ __nv_bfloat16 f(__nv_bfloat16 x) { return x; }", "__nv_bfloat16(__nv_bfloat16)",
     "bfloat16 -> bfloat16"},
    {"HalfAndBfloat16", "__device__ __half f(__nv_bfloat16 x) { return __float2half(float(x)); }",
     "__half(__nv_bfloat16)", "bfloat16 -> half"},
    {"ComplexFloat", "__device__ graft::complex<float> f(graft::complex<float> z) { return z * z; }",
     "graft::complex<float>(graft::complex<float>)", "complex<float> -> complex<float>"},
    {"ComplexDouble", "__device__ double f(graft::complex<double> z) { return norm(z); }",
     "double(graft::complex<double>)", "complex<double> -> double"},
    {"Float2", "__device__ float2 f(float2 z) { return z; }", "float2(float2)", "complex<float> -> complex<float>"},
    {"Double2", "__device__ double2 f(double2 z) { return z; }", "double2(double2)",
     "complex<double> -> complex<double>"},
    // The parameters and results are vector types, enums or structs.
    {"Float4", "__device__ float f(float4 v) { return v.w; }", "float(float4)", "16-byte class aligned to 16 -> float"},
    {"Float3", "__device__ float3 f(float3 v) { return v; }", "float3(float3)",
     "12-byte class aligned to 4 -> 12-byte class aligned to 4"},
    {"Uchar3", "__device__ unsigned char f(uchar3 v) { return v.x; }", "unsigned char(uchar3)",
     "3-byte class aligned to 1 -> uint8"},
    {"Short4", "__device__ short f(short4 v) { return v.x; }", "short(short4)", "8-byte class aligned to 8 -> int16"},
    {"Enum", "enum Colour { Red }; __device__ int f(Colour c) { return c; }", "int(Colour)", "enum32 -> int32"},
    {"EnumClass", "enum class E : signed char { A }; __device__ E f(E e) { return e; }", "E(E)", "enum8 -> enum8"},
    {"Struct1", "struct S { unsigned char b[1]; }; __device__ S f(S s) { return s; }", "S(S)",
     "1-byte class aligned to 1 -> 1-byte class aligned to 1"},
    {"Struct3", "struct Rgb { uint8_t r, g, b; }; __device__ uint8_t f(Rgb p) { return p.r; }", "unsigned char(Rgb)",
     "3-byte class aligned to 1 -> uint8"},
    {"Struct5", "struct S { char b[5]; }; __device__ char f(S s) { return s.b[4]; }", "char(S)",
     "5-byte class aligned to 1 -> int8"},
    {"Struct6", "struct S { short a, b, c; }; __device__ short f(S s) { return s.b; }", "short(S)",
     "6-byte class aligned to 2 -> int16"},
    {"Struct12", "struct S { float a, b, c; }; __device__ float f(S s) { return s.b; }", "float(S)",
     "12-byte class aligned to 4 -> float"},
    {"Struct24", "struct S { double a; int b, c; float d; }; __device__ float f(S s) { return s.d; }", "float(S)",
     "24-byte class aligned to 8 -> float"},
    {"Struct32", "struct alignas(32) S { double a[4]; }; __device__ double f(S s) { return s.a[3]; }", "double(S)",
     "32-byte class aligned to 32 -> double"},
    {"NestedStruct",
     "namespace n { struct S { struct T { int a; } t; }; } __device__ n::S::T f(n::S s) { return s.t; }",
     "n::S::T(n::S)", "4-byte class aligned to 4 -> 4-byte class aligned to 4"},
    {"TemplateStruct",
     "template <class T, int N> struct V { T v[N]; }; __device__ float f(V<float, 3> a) { return a.v[0]; }",
     "float(V<float, 3>)", "12-byte class aligned to 4 -> float"},
    // The parameters have all roles: input, output, state and index.
    {"NoInputs", "__device__ float f() { return 1; }", "float()", "-> float"},
    {"IndexAlone", "__device__ int f(graft::Index i) { return i; }", "int(graft::Index)", "-> int32 | index"},
    {"IndexAmongOthers", "__device__ float f(float a, graft::Index i, float b) { return a + b + i.value; }",
     "float(float, graft::Index, float)", "float, float -> float | index"},
    {"IndexIsNoAlias", "__device__ float f(unsigned long long i) { return i; }", "float(unsigned long long)",
     "uint64 -> float"},
    {"State", "struct S { float a; int n; }; __device__ float f(float x, const S& s) { return s.a * x; }",
     "float(float, const S&)", "float -> float | state 8"},
    {"StateAlone", "__device__ float f(const float& a) { return a; }", "float(const float&)", "-> float | state 4"},
    {"StateWithPointer",
     "struct S { const float* table; }; __device__ float f(int i, const S& s) { return s.table[i]; }",
     "float(int, const S&)", "int32 -> float | state 8"},
    {"StateOfScalar", "__device__ float f(float x, const double& a) { return a * x; }", "float(float, const double&)",
     "float -> float | state 8"},
    {"LargestState", "struct S { char b[2048]; }; __device__ char f(const S& s) { return s.b[7]; }", "char(const S&)",
     "-> int8 | state 2048"},
    {"OutputByReference", "__device__ void f(float x, double& y) { y = x; }", "void(float, double&)",
     "float -> double"},
    {"FourOutputs", "__device__ int f(int a, float& b, double& c, char& d) { return a; }",
     "int(int, float&, double&, char&)", "int32 -> int32, float, double, int8"},
    {"EightInputs",
     "__device__ float f(float a, float b, float c, float d, float e, float g, float h, float i) { return a; }",
     "float(float, float, float, float, float, float, float, float)",
     "float, float, float, float, float, float, float, float -> float"},
    {"SixteenInputs",
     "__device__ void f(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, char, int&, int&, "
     "int&, "
     "int&, int&, int&, int&, char&) {}",
     "void(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, char, int&, int&, int&, int&, "
     "int&, "
     "int&, int&, char&)",
     "int32, int32, int32, int32, int32, int32, int32, int32, int32, int32, int32, int32, int32, int32, int32, int8 -> "
     "int32, int32, int32, int32, int32, int32, int32, int8"},
    {"Mixed", "__device__ float f(float a, double b, int c, double& o) { o = b; return a + c; }",
     "float(float, double, int, double&)", "float, double, int32 -> float, double"},
    // The declarations of the function are spelled in different ways.
    {"Noexcept", "__device__ float f(float x) noexcept { return x; }", "float(float)", "float -> float"},
    {"ConstParameter", "__device__ float f(const float x) { return x; }", "float(float)", "float -> float"},
    {"ConstResult", "struct S { int a; }; __device__ const S f(S s) { return s; }", "S(S)",
     "4-byte class aligned to 4 -> 4-byte class aligned to 4"},
    {"TrailingReturn", "__device__ auto f(float x) -> double { return x; }", "double(float)", "float -> double"},
    {"AutoReturn", "__device__ auto f(float x) { return x * 2.0; }", "double(float)", "float -> double"},
    {"ExternC", "extern \"C\" __device__ float f(float x) { return x; }", "float(float)", "float -> float"},
    {"InlineStaticConstexpr", "static inline constexpr __host__ __device__ int f(int x) { return x; }", "int(int)",
     "int32 -> int32"},
    {"DefaultArgument", "__device__ float f(float x, float y = 1) { return x + y; }", "float(float, float)",
     "float, float -> float"},
    {"Forceinline", "__forceinline__ __device__ float f(float x) { return x; }", "float(float)", "float -> float"},
    {"Typedef", "using Real = double; __device__ Real f(Real x) { return x; }", "double(double)", "double -> double"},
    {"DeclaredThenDefined", "__device__ float f(float); __device__ float f(float x) { return x; }", "float(float)",
     "float -> float"},
    // The source has several functions or templates. graft finds the entry function, or `entry` names it.
    {"OneAmongDeclarations",
     "__device__ float table[4]; __constant__ int n = 3;\n"
     "struct S { __device__ int g(int x) { return x; } }; __device__ float f(float x) { return x + table[n]; }",
     "float(float)", "float -> float"},
    {"ByEntry", "__device__ float g(float x) { return x; } __device__ int h(int x) { return x; }", "int(int)",
     "int32 -> int32", "h"},
    {"InNamespace", "namespace math { __device__ float f(float x) { return x; } }", "float(float)", "float -> float"},
    {"ByQualifiedEntry",
     "namespace a { __device__ float f(float x) { return x; } } namespace b::c { __device__ int f(int x) { return x; } "
     "}",
     "int(int)", "int32 -> int32", "b::c::f"},
    {"InAnonymousNamespace", "namespace { struct S { float a; }; __device__ S f(S s) { return s; } }",
     "(anonymous namespace)::S((anonymous namespace)::S)", "4-byte class aligned to 4 -> 4-byte class aligned to 4"},
    {"TemplateInstance", "template <class T> __device__ T f(T x) { return x; }", "double(double)", "double -> double",
     "f<double>"},
    {"TemplateInstanceOfTwo", "template <class T, int N> __device__ T f(T x) { return x * N; }", "int(int)",
     "int32 -> int32", "f<int, 3>"},
    {"OverloadByDeclaration", "__device__ int f(int x) { return x; } __device__ float f(float x) { return x; }",
     "float(float)", "float -> float", "", "float(float)"},
    {"OverloadByDeclarationWithName", "__device__ int f(int x) { return x; } __device__ float f(float x) { return x; }",
     "int(int)", "int32 -> int32", "", "int f(int)"},
    {"DeclaredAndFound", "struct S { int a; }; __device__ float f(float x, const S& s) { return s.a * x; }",
     "float(float, const S&)", "float -> float | state 4", "", "float f(float x, const S& s)"},
    // The callback is a lambda or another expression.
    {"Lambda", "[](float x) { return 2 * x; }", "float(float)", "float -> float"},
    {"LambdaWithComment", "// doubles\n[](double x, graft::Index i) -> float { return x + i.value; }",
     "float(double, graft::Index)", "double -> float | index"},
    {"LambdaBehindIncludes", "#include <cuda_fp16.h>\n#include <cmath>\n[](half x) { return std::sin(float(x)); }",
     "float(__half)", "half -> float"},
    {"LambdaBehindConditionals", "#if 1\n#include <cmath>\n#endif\n/* why\n*/ [](float x) { return std::sin(x); }",
     "float(float)", "float -> float"},
    {"LambdaInConditional", "#if 0\n[](int x) { return x; }\n#else\n[](double x) { return x; }\n#endif",
     "double(double)", "double -> double"},
    {"LambdaAsEntry", "__device__ float twice(float x) { return 2 * x; }", "float(float)", "float -> float",
     "[](float x) { return twice(x) + 1; }"},
    {"Functor", "struct Add { int n; __device__ int operator()(int x) const { return x + n; } };", "int(int)",
     "int32 -> int32", "Add{3}"},
    {"FunctorFromCall",
     "struct F { __device__ float operator()(float x) { return x; } }; __device__ F make() { return {}; }",
     "float(float)", "float -> float", "make()"},
    // These headers and functions work without an include path.
    {"Cmath", "#include <cmath>\n__device__ float f(float x) { return std::sin(x) + std::abs(x) + sqrtf(x); }",
     "float(float)", "float -> float"},
    {"StdSinWithoutInclude", "__device__ double f(double x) { return std::sin(x) + std::pow(x, 2.0); }",
     "double(double)", "double -> double"},
    {"Cstddef", "#include <cstddef>\n__device__ std::size_t f(size_t x) { return x; }", "unsigned long(unsigned long)",
     "uint64 -> uint64"},
    {"Texture",
     "struct S { cudaTextureObject_t t; }; __device__ float f(float u, const S& s) { return tex1D<float>(s.t, u); }",
     "float(float, const S&)", "float -> float | state 8"},
    {"DeviceHeaderIncluded", "#include <graft/device.h>\n__device__ float f(graft::Index i) { return i.value; }",
     "float(graft::Index)", "-> float | index"},
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.source;
}

class Signatures : public ::testing::TestWithParam<Row> {};

TEST_P(Signatures, AreReadFromTheSource) {
  const Row& row = GetParam();
  Callback callback(row.source);
  if (row.declared[0] != '\0') callback = callback.with_signature(std::string(row.declared));
  Options options;
  options.entry = row.entry;
  try {
    const Signature signature = signature_of(callback, options);
    EXPECT_EQ(signature.text(), row.signature);
    EXPECT_EQ(arrays_of(signature), row.arrays);
  } catch (const Error& error) {
    FAIL() << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Signatures, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(SignatureSources, HeadersInMemoryIncludePathsAndDefines) {
  Options options;
  options.headers = {{"scale.h", "#define SCALE 3\nstruct Pair { short a, b; };"}};
  options.defines = {{"TYPE", "double"}};
  const Signature signature =
      signature_of("#include \"scale.h\"\n__device__ TYPE f(Pair p) { return SCALE * p.a; }", options);
  EXPECT_EQ(signature.text(), "double(Pair)");
  Options folder;
  folder.include_paths = {GRAFT_SOURCE_DIR "/callbacks"};
  EXPECT_EQ(signature_of("#include \"activations.cuh\"\n__device__ float f(float x) { return x; }", folder).text(),
            "float(float)");
}

TEST(SignatureSources, DeclaredTypesOfTheHostAreCompared) {
  EXPECT_EQ((Signature::of<float(float, double&)>()),
            signature_of("__device__ float f(float a, double& b) { b = a; return a; }"));
  EXPECT_NE((Signature::of<float(float)>()), signature_of("__device__ float f(double a) { return a; }"));
  EXPECT_EQ((Signature::of<int(Index)>()), signature_of("__device__ int f(graft::Index i) { return i; }"));
  EXPECT_EQ((Signature::of<void(float, float&)>()), signature_of("__device__ void f(float a, float& b) { b = a; }"));
}

TEST(SignatureSources, OfAChainNamesItsStates) {
  const Callback both = chain({"struct A { float a; }; __device__ float f(float x, const A& s) { return x * s.a; }",
                               "struct B { int b; }; __device__ float g(float x, const B& s) { return x + s.b; }"});
  EXPECT_EQ(signature_of(both).text(), "float(float, const States<graft_text_0::A, graft_text_1::B>&)");
}

// The routes describe one callback in the same words.
TEST(SignatureSources, AreTheSameOnAllRoutes) {
  for (const char* source :
       {"__device__ const int f(int x) { return x; }", "__device__ const float2 f(float2 x) noexcept { return x; }",
        "namespace { struct P { float a; }; }\n__device__ P f(P p) { return p; }"}) {
    const std::string text = signature_of(source).text();
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
      Options options;
      options.routes.required = route;
      EXPECT_EQ(build(source, Architecture(90), options).signature().text(), text) << name(route);
    }
    Options on_host;
    on_host.routes.required = Route::Host;
    EXPECT_EQ(Transform::create(source, on_host).signature().text(), text) << "host";
  }
}

TEST(SignatureSources, DescribesEachParameter) {
  const Signature signature = signature_of("__device__ float f(float x, graft::Index i, const int& n) { return x; }");
  EXPECT_EQ(signature.describe(),
            "float(float, graft::Index, const int&)\n"
            "  input 0: float (float, 4 bytes aligned to 4)\n"
            "  index: graft::Index\n"
            "  state: const int& (int32, 4 bytes aligned to 4)\n"
            "  output 0: float (float, 4 bytes aligned to 4)\n");
}

}  // namespace
}  // namespace graft::test
