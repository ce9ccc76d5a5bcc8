// A table of mistakes that users make in a source callback, with the error code, the message and the remedy that each
// mistake must produce.
#include <gmock/gmock.h>

#include "support/compile.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

struct Row {
  const char* name;
  const char* source;
  ErrorCode code;
  const char* message;  // text that the message must contain
  const char* remedy;   // text that the remedy must contain
  const char* entry = "";
  const char* declared = "";
};

const Row kRows[] = {
    {"SyntaxError", "__device__ float f(float x) {\n  return x +;\n}", ErrorCode::CompileFailed,
     "callback.cu does not compile: line 2", "lines"},
    {"UndefinedName", "__device__ float f(float x) {\n\n  return nothing * x;\n}", ErrorCode::CompileFailed, "line 3",
     ""},
    {"MissingHeader", "#include \"absent.h\"\n__device__ float f(float x) { return x; }", ErrorCode::CompileFailed,
     "line 1", "Options::include_paths"},
    {"CallsHostFunction", "float g(float x) { return x; }\n__device__ float f(float x) { return g(x); }",
     ErrorCode::CompileFailed, "line 1", "__device__"},
    {"UnknownType", "__device__ Unknown f(float x) { return {}; }", ErrorCode::CompileFailed, "line 1", ""},
    {"Kernel", "__global__ void f(float* x) {}", ErrorCode::NoSuchEntry, "`f` is a __global__ kernel", "__device__"},
    {"MissingDevice", "float relu(float x) { return x; }", ErrorCode::NoSuchEntry,
     "callback.cu(1): `relu` lacks __device__", "__device__"},
    {"Empty", "", ErrorCode::NoSuchEntry, "no __device__ function", "lambda"},
    {"Path", "kernels/f.cu", ErrorCode::NoSuchEntry, "its text is the path kernels/f.cu",
     "Callback::file(\"kernels/f.cu\")"},
    {"Formula", "x > 0 ? x : 0", ErrorCode::NoSuchEntry, "its text is a formula without a function",
     "`[](float x) { return x > 0 ? x : 0; }`"},
    {"FormulaWithReturn", "return sqrt(x);", ErrorCode::NoSuchEntry, "its text is a formula without a function",
     "[](float x) {"},
    {"AddressOfTheEntry", "__device__ int f(int x) { return x; }", ErrorCode::NoSuchEntry,
     "the entry `&f` is the address of a function", "Options::entry: `f`", "&f"},
    {"MissingBrace", "__device__ float f(float x) { if (x > 0) { return x; }", ErrorCode::CompileFailed, "line 1",
     "A `}` is missing"},
    {"MissingBraceBetweenFunctions",
     "__device__ float f(float x) {\n  if (x > 0) {\n    return x;\n}\n__device__ float g(float x) { return x; }",
     ErrorCode::CompileFailed, "line 5", "A `}` is missing", "f"},
    {"MissingSemicolonBehindAStruct",
     "struct S { float a; }\n__device__ float f(float x, const S& s) { return x * s.a; }", ErrorCode::CompileFailed,
     "line", "has a `;` behind it"},
    {"NameThatStdLacks", "#include <cmath>\n__device__ float f(float x) { return std::absent(x); }",
     ErrorCode::CompileFailed, "line 2", "If the callback includes it, graft's own header"},
    {"OnlyAStruct", "struct S { __device__ int f(int x) { return x; } };", ErrorCode::NoSuchEntry, "no __device__", ""},
    {"AFunctorOfThrust", "struct square { __device__ float operator()(const float& x) const { return x * x; } };",
     ErrorCode::NoSuchEntry, "at namespace scope, but the class `square`", "Options::entry: \"square{}\""},
    {"Several", "__device__ int f(int x) { return x; }\n__device__ int g(int x) { return x; }",
     ErrorCode::AmbiguousEntry, "f (line 1), g (line 2)", "entry"},
    {"Misspelt", "__device__ int relu(int x) { return x; }", ErrorCode::NoSuchEntry,
     "no function `rleu`; it defines relu", "Did you mean `relu`? Name the function in Options::entry", "rleu"},
    {"NamedLikeNothing", "__device__ int relu(int x) { return x; }", ErrorCode::NoSuchEntry, "no function `convolve`",
     "Name one of these functions", "convolve"},
    {"MistakeInLambdaBehindIncludes", "#include <cmath>\n#define ONE 1\n\n[](float x) {\n  return y;\n}",
     ErrorCode::CompileFailed, "callback.cu does not compile: line 5", "lines"},
    {"MissingHeaderOfLambda", "#define ONE 1\n#include \"absent.h\"\n[](float x) { return x; }",
     ErrorCode::CompileFailed, "line 2", "Options::include_paths"},
    {"MisspeltNamespace", "#include <cmath>\n__device__ int relu(int x) { return x; }", ErrorCode::NoSuchEntry,
     "`math::relu`", "entry", "math::relu"},
    {"Overloaded", "__device__ int f(int x) { return x; } __device__ float f(float x) { return x; }",
     ErrorCode::AmbiguousEntry, "`f` is overloaded", "with_signature"},
    {"TemplateWithoutArguments", "template <class T> __device__ T f(T x) { return x; }", ErrorCode::AmbiguousEntry,
     "`f` is a template", "f<float>"},
    {"MacroDefinesIt", "#define MAKE(n) __device__ int n(int x) { return x; }\nMAKE(f)\nMAKE(g)",
     ErrorCode::AmbiguousEntry, "macros", "entry"},
    {"NoSuchOverload", "__device__ int f(int x) { return x; } __device__ float f(float x) { return x; }",
     ErrorCode::SignatureMismatch, "no overload of `f`", "Declare", "", "double(double)"},
    {"DeclaredOtherwise", "__device__ int f(int x) { return x; }", ErrorCode::SignatureMismatch,
     "has the signature int(int), but float(float) was declared", "Declare", "", "float(float)"},
    {"DeclaredNonsense", "__device__ int f(int x) { return x; }", ErrorCode::SignatureMismatch, "not a function type",
     "Write", "", "float(Absent)"},
    {"GenericLambda", "[](auto x) { return x; }", ErrorCode::UnsupportedParameter, "generic (auto x)", "types out"},
    {"TemplateLambda", "[]<class T>(T x) { return x; }", ErrorCode::UnsupportedParameter, "generic", "types out"},
    {"CapturesCopy", "[=](float x) { return x; }", ErrorCode::UnsupportedParameter, "captures [=]", "const T&"},
    {"CapturesName", "\n[gain](float x) { return gain * x; }", ErrorCode::UnsupportedParameter,
     "callback.cu(2): the lambda captures [gain]", "const T&"},
    {"CapturesReference", "[&](float x) { return x; }", ErrorCode::UnsupportedParameter, "captures [&]", "const T&"},
    {"AnnotatedLambda", "[] __device__ (float x) { return x; }", ErrorCode::UnsupportedParameter, "marked __device__",
     "Remove the specifier"},
    {"Pointer", "__device__ float f(float* x) { return *x; }", ErrorCode::UnsupportedParameter,
     "f in callback.cu: its parameter 1 (float*) is a pointer", "const T&"},
    {"PointerToConst", "__device__ float f(int i, const float* x) { return x[i]; }", ErrorCode::UnsupportedParameter,
     "parameter 2 (float const*)", "const T&"},
    {"Array", "__device__ float f(float x[4]) { return x[0]; }", ErrorCode::UnsupportedParameter, "pointer or an array",
     "const T&"},
    {"FunctionPointer", "__device__ float f(float (*g)(float)) { return g(1); }", ErrorCode::UnsupportedParameter,
     "pointer", ""},
    {"ArrayByReference", "__device__ void f(float (&x)[4]) {}", ErrorCode::UnsupportedParameter, "array", ""},
    {"SecondState", "__device__ float f(const float& x, const float& a) { return x * a; }",
     ErrorCode::UnsupportedParameter, "parameter 2 (const float&) is a second `const T&`", "by value"},
    {"SeventeenInputs",
     "__device__ int f(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int) "
     "{ return 0; }",
     ErrorCode::UnsupportedParameter, "parameter 17 (int) is the seventeenth input", "Combine"},
    {"NineOutputs", "__device__ int f(int&, int&, int&, int&, int&, int&, int&, int&) { return 0; }",
     ErrorCode::UnsupportedParameter, "is the ninth output", "Combine"},
    {"NoParametersAndNoResult", "__device__ void f() {}", ErrorCode::UnsupportedParameter,
     "the callback has no parameters and no result", "Return"},
    {"StoreWithoutOutput", "__device__ graft::Store f(float x) { return graft::Store(x > 0); }",
     ErrorCode::UnsupportedParameter, "the callback returns graft::Store, but has no output", "Write through a `T&`"},
    {"StoreAsParameter", "__device__ float f(float x, graft::Store y) { return x; }", ErrorCode::UnsupportedParameter,
     "its parameter 2 (graft::Store) is graft::Store, which only a result can be", "Return graft::Store(condition)"},
    {"TooLarge", "struct S { char b[33]; }; __device__ int f(S s) { return 0; }", ErrorCode::UnsupportedParameter,
     "parameter 1 (S) is larger than 32 bytes", "Split"},
    {"NotTrivial", "struct S { int a; __device__ S(const S& o) : a(o.a) {} }; __device__ int f(S s) { return s.a; }",
     ErrorCode::UnsupportedParameter, "not trivially copyable", "no copy constructor"},
    {"RvalueReference", "__device__ float f(const float&& x) { return x; }", ErrorCode::UnsupportedParameter,
     "rvalue reference to const", "graft::InOut"},
    {"InOutPointer", "__device__ void f(graft::InOut<float*> x) {}", ErrorCode::UnsupportedParameter, "is a pointer",
     "const T&"},
    {"InOutArray", "__device__ void f(graft::InOut<float[4]> x) {}", ErrorCode::UnsupportedParameter,
     "pointer or an array", "const T&"},
    {"InOutIndex", "__device__ void f(graft::InOut<graft::Index> x) {}", ErrorCode::UnsupportedParameter,
     "takes the index or the position by reference", "by value"},
    {"NineOutputsOneOfThemInOut",
     "__device__ int f(int&, int&, int&, int&, int&, int&, int&, graft::InOut<int>) { return 0; }",
     ErrorCode::UnsupportedParameter, "parameter 8 (graft::InOut<int>) is the ninth output", "Combine"},
    {"SeventeenInputsOneOfThemInOut",
     "__device__ void f(graft::InOut<int>, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, "
     "short) {}",
     ErrorCode::UnsupportedParameter, "parameter 17 (short) is the seventeenth input", "Combine"},
    {"Volatile", "__device__ float f(volatile float& x) { return x; }", ErrorCode::UnsupportedParameter, "volatile",
     "Drop"},
    {"Variadic", "__device__ float f(float x, ...) { return x; }", ErrorCode::UnsupportedParameter,
     "variable number of arguments", "fixed"},
    {"IndexByReference", "__device__ float f(graft::Index& i) { return i.value; }", ErrorCode::UnsupportedParameter,
     "takes the index or the position by reference", "by value"},
    {"PositionByReference", "__device__ float f(const graft::Position<2>& p) { return p[0]; }",
     ErrorCode::UnsupportedParameter, "takes the index or the position by reference", "by value"},
    {"PositionOfSixCoordinates", "__device__ float f(graft::Position<6> p) { return p[0]; }",
     ErrorCode::UnsupportedParameter, "another number of coordinates than 1 to 5", "graft::Index"},
    {"IndexByConstReference", "__device__ float f(const graft::Index& i) { return i.value; }",
     ErrorCode::UnsupportedParameter, "takes the index or the position by reference", "by value"},
    {"StateTooLarge", "struct S { char b[2049]; }; __device__ char f(const S& s) { return s.b[0]; }",
     ErrorCode::UnsupportedParameter, "larger than 2,048 bytes", "device memory"},
    {"ReturnsReference", "__device__ float g; __device__ float& f(float x) { return g; }",
     ErrorCode::UnsupportedParameter, "its result (float&) is a reference", "by value"},
    {"ReturnsPointer", "__device__ float* f(float x) { return nullptr; }", ErrorCode::UnsupportedParameter,
     "its result (float*)", ""},
    {"LegacyCufftLoad", "__device__ float2 f(void* data, size_t offset, void* info, void* shared) { return {}; }",
     ErrorCode::UnsupportedParameter, "cuFFT load or store callback", "by value"},
    {"AlmostCufft", "__device__ float2 f(void* data, int offset, void* info, void* shared) { return {}; }",
     ErrorCode::UnsupportedParameter, "its `offset` is int and not size_t", "size_t offset"},
    {"CufftLoad", "__device__ float2 f(void* data, unsigned long long offset, void* info, void* shared) { return {}; }",
     ErrorCode::UnsupportedParameter, "cuFFT load or store callback", "by value"},
    {"EntryIsNoFunction", "struct S {}; __device__ int g(int x) { return x; }", ErrorCode::UnsupportedParameter, "", "",
     "S{}"},
    {"TwoCallOperators",
     "struct S { __device__ int operator()(int x) const { return x; } __device__ float operator()(float x) const { "
     "return x; } };",
     ErrorCode::UnsupportedParameter, "call operator", "", "S{}"},
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.source;
}

class SourceErrors : public ::testing::TestWithParam<Row> {};

TEST_P(SourceErrors, SayWhatWasWrongAndWhatToDo) {
  const Row& row = GetParam();
  Callback callback(row.source);
  if (row.declared[0] != '\0') callback = callback.with_signature(std::string(row.declared));
  Options options;
  options.entry = row.entry;
  const Error error = error_of([&] { signature_of(callback, options); });
  EXPECT_EQ(error.code(), row.code) << error.what();
  EXPECT_NE(error.message().find(row.message), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find(row.remedy), std::string::npos) << error.what();
  EXPECT_FALSE(error.remedy().empty()) << error.what();
}

INSTANTIATE_TEST_SUITE_P(Table, SourceErrors, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(SourceErrorLog, HasTheUsersFileAndLineAndNeverGraftsOwn) {
  const Callback callback = Callback::source("\n\n__device__ float f(float x) { return y; }", "gain.cu");
  const Error error = error_of([&] { signature_of(callback); });
  EXPECT_EQ(error.log().find("gain.cu(3): error: identifier \"y\" is undefined"), 0u) << error.log();
  EXPECT_EQ(error.log().find("adapter"), std::string::npos) << error.log();
}

TEST(SourceErrorLog, ReachesTheWholeText) {
  const Error error = error_of([] { graft::build("__device__ float f(float x) { return y; }", Architecture(90)); });
  const std::string text = error.what();
  EXPECT_NE(text.find("[CompileFailed]"), std::string::npos) << text;
  EXPECT_NE(text.find("identifier \"y\" is undefined"), std::string::npos) << text;
  EXPECT_NE(text.find("NVRTC 1"), std::string::npos) << text;
  EXPECT_NE(text.find("What to do: "), std::string::npos) << text;
}

TEST(BuildErrors, UndefinedFunctionDoesNotLink) {
  const Error error = error_of([] {
    graft::build("__device__ float absent(float x);\n__device__ float f(float x) { return absent(x); }",
                 Architecture(90));
  });
  EXPECT_EQ(error.code(), ErrorCode::LinkFailed);
  EXPECT_NE(error.log().find("absent"), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find("Define"), std::string::npos);
}

TEST(BuildErrors, OptionsWithoutMeaning) {
  const auto with = [](Options options) {
    return error_of([&] { graft::build("__device__ float f(float x) { return x; }", Architecture(90), options); });
  };
  EXPECT_EQ(with({.max_registers = 7}).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(with({.headers = {{"graft/device.h", ""}}}).code(), ErrorCode::InvalidArgument);
  Options width;
  width.policy.vector_width = 3;
  EXPECT_EQ(with(width).code(), ErrorCode::InvalidArgument);
}

TEST(BuildErrors, ArchitecturesOutOfReach) {
  const char* source = "__device__ float f(float x) { return x; }";
  EXPECT_EQ(error_of([&] { graft::build(source, Architecture(70)); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([&] { graft::build(source, Architecture(300)); }).code(), ErrorCode::ToolTooOld);
  EXPECT_EQ(error_of([] { Architecture::parse("sm_x"); }).code(), ErrorCode::InvalidArgument);
}

// The architecture may be given both to build and in Options::architecture if both are equal.
TEST(BuildErrors, TwoArchitecturesForOneKernel) {
  const Callback callback = "__device__ float f(float x) { return x; }";
  const Options options = {.architecture = Architecture(75)};
  Engine engine;
  const auto expect_both_named = [](const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
    EXPECT_NE(error.message().find("sm_90"), std::string::npos) << error.what();
    EXPECT_NE(error.message().find("Options::architecture is sm_75"), std::string::npos) << error.what();
  };
  expect_both_named(error_of([&] { graft::build(engine, callback, Architecture(90), options); }));
  for (const std::vector<Architecture>& several : {std::vector<Architecture>{90}, {75, 90}})
    expect_both_named(error_of([&] { graft::precompile(engine, callback, several, PrecompileFormat::Pack, options); }));
  EXPECT_EQ(graft::build(engine, callback, Architecture(75), options).report().kernel.architecture, Architecture(75));
}

TEST(BuildErrors, RoutesThatDoNotExistOrAreForbidden) {
  const char* source = "__device__ float f(float x) { return x; }";
  Options options;
  options.routes.forbidden = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};
  const Error forbidden = error_of([&] { graft::build(source, Architecture(90), options); });
  EXPECT_EQ(forbidden.code(), ErrorCode::RouteUnavailable);
  EXPECT_NE(forbidden.message().find("lto: the caller forbids it"), std::string::npos) << forbidden.what();
}

TEST(BuildErrors, MissingToolkitSaysWhereItLooked) {
  Engine engine({.cuda_path = "/nonexistent/cuda", .host_compiler = {}});
  const Error error =
      error_of([&] { graft::build(engine, "__device__ float f(float x) { return x; }", Architecture(90)); });
  EXPECT_EQ(error.code(), ErrorCode::ToolMissing);
  EXPECT_NE(error.message().find("/nonexistent/cuda"), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find("GRAFT_CUDA_PATH"), std::string::npos);
}

// In version 0.1, a load callback of cuFFT that stood alone was answered with "has no function ``".
TEST(BuildErrors, ACufftCallbackAloneIsToldWhereItBelongs) {
  const Callback load =
      "__device__ float load(void* data, size_t offset, void* info, void* shared) {\n"
      "  return static_cast<float*>(data)[offset] + 1;\n}";
  for (const Route route : kGpuRoutes) {
    SCOPED_TRACE(name(route));
    const Error error = error_of([&] { build(load, Architecture(90), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter) << error.what();
    EXPECT_THAT(error.message(), testing::HasSubstr("load in callback.cu"));
    EXPECT_THAT(error.message(), testing::HasSubstr("cuFFT load or store callback"));
    EXPECT_THAT(error.remedy(), testing::HasSubstr("graft::Stages"));
  }
}

}  // namespace
}  // namespace graft::test
