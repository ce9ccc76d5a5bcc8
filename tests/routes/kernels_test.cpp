// Checks the PTX and machine code of linked kernels of many signatures for five architectures. The callback must be
// inlined, every array must be moved in 16-byte words if the bytes that a thread handles allow it, and graft's own code
// must use no local memory. The kernels' speed depends on these properties, and a new compiler may lose any of them
// without an error.
#include <elf.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/files.hpp"
#include "families/elementwise/policy.hpp"
#include "support/compile.hpp"
#include "support/rotation.hpp"
#include "support/routes.hpp"

namespace graft::test {
namespace {

constexpr int kArchitectures[] = {75, 80, 90, 100, 120};

struct Row {
  const char* name;
  const char* source;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.source;
}

const Row kRows[] = {
    {"UnaryFloat", "__device__ float f(float x) { return x > 0 ? x : 0; }"},
    {"UnaryDouble", "__device__ double f(double x) { return x * 2; }"},
    {"UnaryInt8", "__device__ signed char f(signed char x) { return x * x; }"},
    {"UnaryInt16", "__device__ short f(short x) { return x * x; }"},
    {"UnaryInt32", "__device__ int f(int x) { return x * x; }"},
    {"UnaryInt64", "__device__ long long f(long long x) { return x * x; }"},
    {"Bool", "__device__ bool f(bool x) { return !x; }"},
    {"Half", "__device__ __half f(__half x) { return __hadd(x, x); }"},
    {"Bfloat16", "__device__ __nv_bfloat16 f(__nv_bfloat16 x) { return __hadd(x, x); }"},
    {"BinaryFloat", "__device__ float f(float a, float b) { return a * b; }"},
    {"BinaryInt8", "__device__ signed char f(signed char a, signed char b) { return a * b; }"},
    {"TernaryFloat", "__device__ float f(float a, float b, float c) { return a * b + c; }"},
    {"EightInputs",
     "__device__ float f(float a, float b, float c, float d, float e, float g, float h, float i) { return a + b + c + "
     "d + "
     "e + g + h + i; }"},
    {"Mixed", "__device__ float f(float a, double b, int c, double& o) { o = a * b; return a + c; }"},
    {"FourOutputs",
     "__device__ float f(float x, float& a, float& b, float& c) { a = x; b = 2 * x; c = 3 * x; return 4 * x; }"},
    {"TwelveToSix",
     "__device__ float f(float a, float b, float c, float d, float e, float g, float h, float i, float j, float k, "
     "float l, float m, float& o, float& p, float& q, float& r, float& s) { o = a + b; p = c * d; q = e - g; r = h + "
     "i; "
     "s = j * k; return l - m; }"},
    {"SixteenInputs",
     "__device__ int f(int a, int b, int c, int d, int e, int g, int h, int i, int j, int k, int l, int m, int n, int "
     "o, "
     "int p, int q) { return a + b + c + d + e + g + h + i + j + k + l + m + n + o + p + q; }"},
    {"SixteenInputsEightOutputs",
     "__device__ float f(float a, float b, float c, float d, float e, float g, float h, float i, float j, float k, "
     "float l, float m, float n, float o, float p, float q, float& r, float& s, float& t, float& u, float& v, float& "
     "w, "
     "float& x) { r = a + b; s = c + d; t = e + g; u = h + i; v = j + k; w = l + m; x = n + o; return p - q; }"},
    {"NarrowAndWide", "__device__ short f(signed char a, short b) { return a + b; }"},
    {"FloatToHalf", "__device__ __half f(float x) { return __float2half(x); }"},
    {"FloatToInt8", "__device__ signed char f(float x) { return x; }"},
    {"Struct3", "struct Rgb { uint8_t r, g, b; }; __device__ uint8_t f(Rgb p) { return (p.r + p.g + p.b) / 3; }"},
    {"Struct6", "struct S { short a, b, c; }; __device__ S f(S s) { return {s.c, s.a, s.b}; }"},
    {"Struct12", "struct S { float a, b, c; }; __device__ S f(S s) { return {s.c, s.a, s.b}; }"},
    {"Struct24", "struct S { double a; int b, c; float d; }; __device__ S f(S s) { s.a += s.b; return s; }"},
    {"Struct32", "struct S { double a[4]; }; __device__ double f(S s) { return s.a[0] + s.a[1] * s.a[2] - s.a[3]; }"},
    {"Float2", "__device__ float2 f(float2 z) { return {z.x, -z.y}; }"},
    {"Float3", "__device__ float f(float3 v) { return v.x + v.y * v.z; }"},
    {"Float4", "__device__ float4 f(float4 v) { return {v.w, v.z, v.y, v.x}; }"},
    {"ComplexFloat",
     "__device__ graft::complex<float> f(graft::complex<float> a, graft::complex<float> b) { return a * b; }"},
    {"ComplexDouble", "__device__ graft::complex<double> f(graft::complex<double> a) { return a * a; }"},
    {"Index", "__device__ float f(float x, graft::Index i) { return x + i.value; }"},
    {"IndexAlone", "__device__ unsigned f(graft::Index i) { return i.value; }"},
    {"State", "struct S { float t[64]; }; __device__ float f(float x, const S& s) { return s.t[3] * x + s.t[63]; }"},
    {"StateAlone", "__device__ float f(const float& a) { return a; }"},
    {"VoidResult", "__device__ void f(float x, float& y) { y = 2 * x; }"},
    {"Lambda", "[](float x) { return 2 * x; }"},
    {"NoOutputs",
     "struct S { unsigned* bins; }; __device__ void f(uint8_t x, const S& s) { if (x > 250) atomicAdd(s.bins + x, 1u); "
     "}"},
    {"NoArrays", "struct S { float* x; }; __device__ void f(graft::Index i, const S& s) { s.x[i / 2] = 0.5f * i; }"},
    {"InOut", "__device__ void f(graft::InOut<float> x, float v) { x += v; }"},
    {"InOutAlone", "__device__ void f(graft::InOut<short> x) { x *= 3; }"},
    {"InOutStruct",
     "struct P { float x, v; }; __device__ void f(graft::InOut<P> p, const float& dt) { p.x += dt * p.v; }"},
    {"InOutRgb", "struct Rgb { uint8_t r, g, b; }; __device__ void f(graft::InOut<Rgb> p, uint8_t g) { p.g = g; }"},
    {"InOutAndOutputs",
     "__device__ int f(graft::InOut<float> x, double& o, int i, graft::InOut<double> y) { o = x; x = y; y = o; return "
     "i; "
     "}"},
    {"Selective", "__device__ graft::Store f(float x, float& y) { y = 2 * x; return graft::Store(x > 0); }"},
    {"SelectiveMixed",
     "__device__ graft::Store f(unsigned char x, unsigned char& y, double& z) { y = x; z = 2 * x; return "
     "graft::Store(x > 9); }"},
    {"SelectiveStruct",
     "struct S { float a, b, c; }; __device__ graft::Store f(S s, S& t, graft::Index i) { t = {s.c, s.a, s.b}; return "
     "graft::Store(i % 3 == 0); }"},
    {"SelectiveInOut",
     "__device__ graft::Store f(graft::InOut<float> x, float y) { x += y; return graft::Store(y > 0); }"},
    {"Masked", "__device__ float f(float x, graft::Bit v, graft::Bit& w) { w = v && x > 0; return v ? 2 * x : 0; }"},
    {"MaskedDouble", "__device__ graft::Bit f(double x, graft::Bit v, double& y) { y = -x; return v && x != 0; }"},
    {"MaskedBytes", "__device__ graft::Bit f(signed char x, graft::Bit v, signed char& y) { y = x; return !v; }"},
    {"MaskedStruct",
     "struct S { float a, b, c; }; __device__ graft::Bit f(S s, graft::Bit v, S& t) { t = {s.c, s.a, s.b}; return v; "
     "}"},
    {"MaskFromNumbers", "__device__ graft::Bit f(float x) { return x > 0; }"},
    {"MasksAlone", "__device__ graft::Bit f(graft::Bit a, graft::Bit b) { return a && !b; }"},
    {"MaskInPlace", "__device__ void f(graft::InOut<graft::Bit> a, float x) { a = a && x > 0; }"},
    {"SelectedByMask",
     "__device__ graft::Store f(float x, graft::Bit v, float& y, graft::Bit& w) { y = x; w = x > 0; return "
     "graft::Store(v); }"},
};

// The number of 16-byte loads and stores in the code of one thread. The test computes the expected numbers by itself:
// for each array, one load or store for every 16 bytes that a thread handles.
struct Wide {
  int loads = 0;
  int stores = 0;
  bool operator==(const Wide&) const = default;
};

int sixteens(const ElementType& type, int width) {
  if (type.kind == ElementKind::Bit) return 0;  // moves in 4-byte words
  const int bytes = static_cast<int>(type.size) * width;
  return bytes % 16 == 0 ? bytes / 16 : 0;
}

// Returns the expected numbers for the code that handles a tile, the run of elements that one thread block handles.
Wide expected(const Signature& signature, int width, int vectors) {
  Wide wide;
  for (const ElementType& type : signature.inputs()) wide.loads += sixteens(type, width) * vectors;
  for (const std::size_t output : signature.in_outs())
    wide.loads += sixteens(signature.outputs()[output], width) * vectors;
  for (const ElementType& type : signature.outputs()) wide.stores += sixteens(type, width) * vectors;
  return wide;
}

// Returns the expected numbers for the code that handles a single element outside the tiles. It uses a 16-byte word
// only for an element of 16 bytes that is aligned to 16.
Wide expected_alone(const Signature& signature) {
  const auto is_word = [](const ElementType& type) { return type.size == 16 && type.alignment == 16; };
  return {static_cast<int>(std::ranges::count_if(signature.inputs(), is_word)),
          static_cast<int>(std::ranges::count_if(signature.outputs(), is_word))};
}

int count(const std::string& text, const std::string& pattern) {
  const std::regex expression(pattern);
  return static_cast<int>(
      std::distance(std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()));
}

Wide in_ptx(const std::string& ptx) {
  const char* widths = R"((v4\.[bfus]32|v2\.[bfus]64|v4\.[bfus]32|b128))";
  return {count(ptx, std::string(R"(ld\.global\.)") + widths), count(ptx, std::string(R"(st\.global\.)") + widths)};
}

void expect_wide(const Wide& found, const Image& image) {
  const Report& report = image.report();
  const Wide wanted =
      expected(image.signature(), report.kernel.tuning["vector_width"], report.kernel.tuning["vectors_per_thread"]);
  const Wide alone = expected_alone(image.signature());
  EXPECT_TRUE(found.loads == wanted.loads || found.loads == wanted.loads + alone.loads)
      << found.loads << " wide loads, not " << wanted.loads << "\n"
      << report.to_text();
  EXPECT_TRUE(found.stores == wanted.stores || found.stores == wanted.stores + alone.stores)
      << found.stores << " wide stores, not " << wanted.stores << "\n"
      << report.to_text();
}

void expect_inlined_and_wide_ptx(const Row& row) {
  for (const int number : in_turn(kArchitectures, row_of_test())) {
    SCOPED_TRACE(number);
    const Callback callback(row.source);
    const Image image = graft::build(callback, Architecture(number), by(Route::Lto));
    const Report& report = image.report();
    EXPECT_TRUE(report.inlined()) << report.to_text();
    EXPECT_EQ(static_cast<Body>(report.kernel.tuning["body"]), Body::Vector);
    EXPECT_EQ(report.resources.local_bytes, 0u) << report.to_text();
    EXPECT_EQ(report.resources.spill_store_bytes + report.resources.spill_load_bytes, 0u) << report.to_text();
    EXPECT_GT(report.resources.registers, 0);

    const std::string ptx = lto_kernel_ptx(callback, Architecture(number));
    EXPECT_NE(ptx.find(fmt::format(".target sm_{}", number)), std::string::npos);
    EXPECT_EQ(count(ptx, R"(\bcall(\.uni)?\b)"), 0) << ptx;
    if (image.signature().outputs().empty()) {  // the call has effects, so the compiler must not have dropped it
      EXPECT_GT(count(ptx, R"(\b(atom|red|st)\.global)"), 0) << ptx;
    }
    EXPECT_EQ(count(ptx, R"(ld\.local)"), 0) << ptx;
    expect_wide(in_ptx(ptx), image);
  }
}

std::string disassembler() {
  const char* path = std::getenv("GRAFT_NVDISASM");
  return path == nullptr ? "nvdisasm" : path;
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  while (pipe != nullptr && fgets(buffer, sizeof buffer, pipe) != nullptr) text += buffer;
  if (pipe != nullptr) pclose(pipe);
  return text;
}

std::string disassembled(const Image& image) {
  const base::TemporaryFolder folder;
  const std::string file = folder.path() / "kernel.cubin";
  EXPECT_TRUE(base::write_file(file, image.bytes()));
  return output_of(disassembler() + " -c " + file);
}

void check_machine_code(const Image& image) {
  const std::string sass = disassembled(image);
  expect_wide({count(sass, R"(LDG\.E\.128)"), count(sass, R"(STG\.E\.128)")}, image);
  EXPECT_EQ(count(sass, R"(\b(LDL|STL)\b)"), 0);
  EXPECT_EQ(count(sass, R"(\bCALL\b)"), 0);
  // Only a callback with a pointer in its state accesses memory of which the compiler does not know that it is global.
  if (!image.signature().state()) {
    EXPECT_EQ(count(sass, R"(\b(LD|ST)\.E)"), 0) << sass;
  }
}

constexpr const char* kBlockSize = R"(c\[0x0\]\[(0x0|RZ)\])";

// The wait of programmatic dependent launch empties the cache of constants, so blockDim.x, which is at the beginning of
// the constant bank, is read before it.
void expect_block_size_is_read_first(const Image& image) {
  const std::string sass = disassembled(image);
  const std::size_t wait = sass.find("ACQBULK");
  ASSERT_NE(wait, std::string::npos);
  EXPECT_GT(count(sass.substr(0, wait), kBlockSize), 0) << sass;
  EXPECT_EQ(count(sass.substr(wait), kBlockSize), 0) << sass;
}

bool has_disassembler() {
  return !output_of(disassembler() + " --version 2>/dev/null").empty();
}

void expect_wide_machine_code(const Row& row) {
  if (!has_disassembler()) GTEST_SKIP() << "no nvdisasm (set GRAFT_NVDISASM)";
  check_machine_code(graft::build(row.source, Architecture(90), by(Route::Lto)));
}

void expect_the_same_by_program(const Row& row) {
  const Image linked = graft::build(row.source, Architecture(90), by(Route::Lto));
  const Image image = graft::build(row.source, Architecture(90), by(Route::Program));
  const Report& report = image.report();
  EXPECT_EQ(report.kernel.route, Route::Program);
  EXPECT_TRUE(report.inlined()) << report.to_text();
  EXPECT_EQ(report.kernel.signature, linked.signature());
  EXPECT_EQ(report.kernel.name, linked.report().kernel.name);
  EXPECT_EQ(static_cast<Body>(report.kernel.tuning["body"]), Body::Vector);
  EXPECT_EQ(report.kernel.tuning["vector_width"], linked.report().kernel.tuning["vector_width"]);
  EXPECT_EQ(report.resources.local_bytes, 0u) << report.to_text();
  EXPECT_GT(report.resources.registers, 0);
  EXPECT_LE(report.resources.registers, linked.report().resources.registers + 2);
  EXPECT_EQ(report.versions.size(), 1u) << "the route needs NVRTC but no linker";
  EXPECT_EQ(report.compiler_log, "");
  if (!has_disassembler()) return;
  check_machine_code(image);
  expect_block_size_is_read_first(image);
}

class Kernels : public ::testing::TestWithParam<Row> {};

// One of the three checks has its turn with a row, and the first of them with one architecture.
TEST_P(Kernels, AreInlinedAndWideOnBothRoutes) {
  SCOPED_TRACE(rotation_text());
  for (const auto check :
       in_turn(std::array{expect_inlined_and_wide_ptx, expect_wide_machine_code, expect_the_same_by_program},
               row_of_test()))
    check(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Table, Kernels, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

// ---- the calls and resources that a report shows ----

const Report report_of(const Callback& callback, const Options& options = {}) {
  return graft::build(callback, Architecture(90), options).report();
}

TEST(RemainingCalls, NoinlineIsReported) {
  const Report report = report_of("__device__ __noinline__ float slow(float x) { return x * x; }");
  ASSERT_EQ(report.remaining_calls, std::vector<std::string>{"slow(float)"});
  EXPECT_FALSE(report.inlined());
  EXPECT_NE(report.to_text().find("still called: slow(float)"), std::string::npos);
}

TEST(RemainingCalls, RecursionIsReported) {
  const Report report = report_of("__device__ int f(int x) { return x < 2 ? x : f(x - 1) + f(x - 2); }");
  EXPECT_EQ(report.remaining_calls, std::vector<std::string>{"f(int)"});
}

// Also for a kernel that the callback's text defines: nothing calls it.
TEST(RemainingCalls, AnUnusedKernelIsNoCall) {
  const Callback callback = Callback(
                                "__global__ void other(float* p) { *p = 1; }\n"
                                "__device__ float f(float x) { return 2 * x; }")
                                .with_entry("f");
  for (const Route route : {Route::Lto, Route::Program}) {
    const Report report = build(callback, 90, by(route)).report();
    EXPECT_TRUE(report.inlined()) << report.to_text();
  }
}

// The driver's functions are called through an address that the driver writes.
TEST(RemainingCalls, OfTheDriverAreNoPointers) {
  for (const char* body : {"if (x > 3) printf(\"%f\", x);", "if (x > 3) free(malloc(4));", "assert(x > 3);"}) {
    const std::string text = std::string("#include <cassert>\n__device__ float f(float x) { ") + body + " return x; }";
    for (const int architecture : {75, 90, 120})
      for (const Route route : {Route::Lto, Route::Program}) {
        const Report report = build(text, architecture, by(route)).report();
        EXPECT_TRUE(report.inlined()) << report.to_text();
        for (const std::string& note : report.notes) EXPECT_EQ(note.find("pointer"), std::string::npos) << note;
      }
  }
}

TEST(RemainingCalls, OfAPointerIsReportedBesideOneOfTheDriver) {
  const char* text =
      "__device__ float half_of(float x) { return x / 2; }\n"
      "struct Choice { float (*function)(float); };\n"
      "__device__ float f(float x, const Choice& c) { printf(\"%f\", x); return c.function ? c.function(x) : x; }";
  for (const int architecture : {75, 90, 120}) {
    const Report report = build(Callback(text).with_entry("f"), architecture).report();
    EXPECT_FALSE(report.inlined()) << report.to_text();
  }
}

TEST(RemainingCalls, CudasHelpersAreListedApart) {
  const Report report = report_of("__device__ double f(double x) { return pow(x, 1.7); }");
  EXPECT_TRUE(report.inlined());
  EXPECT_EQ(report.cuda_helpers, std::vector<std::string>{"__internal_accurate_pow"});
}

TEST(LocalMemory, IsTheCallbacksOwn) {
  const Report report = report_of("__device__ double f(double x) { return sin(x); }");
  EXPECT_GT(report.resources.local_bytes, 0u) << "CUDA's accurate sin itself uses local memory";
  EXPECT_EQ(report.resources.spill_store_bytes, 0u);
}

TEST(FloatingPointOptions, ContractionOffIsOffAfterTheLinkToo) {
  const Callback callback("__device__ float f(float a, float b, float c) { return a * b + c; }");
  Options exact;
  exact.floating_point.contraction = false;
  EXPECT_GT(count(lto_kernel_ptx(callback, Architecture(90)), R"(fma\.rn)"), 0);
  EXPECT_EQ(count(lto_kernel_ptx(callback, Architecture(90), exact), R"(fma\.rn)"), 0);
}

TEST(FloatingPointOptions, ReachTheCode) {
  const auto ptx = [](const char* source, FloatingPoint fp) {
    Options options;
    options.floating_point = fp;
    return lto_kernel_ptx(source, Architecture(90), options);
  };
  const char* divide = "__device__ float f(float a, float b) { return a / b; }";
  const char* root = "__device__ float f(float a) { return sqrtf(a); }";
  const char* sine = "__device__ float f(float a) { return sinf(a); }";
  EXPECT_EQ(count(ptx(divide, {}), R"(div\.rn\.f32)") > 0, true);
  EXPECT_EQ(count(ptx(divide, {.precise_division = false}), R"(div\.full\.f32)") > 0, true);
  EXPECT_EQ(count(ptx(divide, {.flush_to_zero = true}), R"(div\.rn\.ftz\.f32)") > 0, true);
  EXPECT_EQ(count(ptx(root, {.precise_square_root = false}), R"(sqrt\.approx)") > 0, true);
  EXPECT_EQ(count(ptx(sine, {.fast_math = true}), R"(sin\.approx)") > 0, true);
  const char* sum = "__device__ float f(float a, float b, float c) { return a * b + c; }";
  EXPECT_GT(count(ptx(sum, {.fast_math = true}), R"(fma\.rn\.ftz)"), 0);
  EXPECT_EQ(count(ptx(sum, {.fast_math = true, .contraction = false}), R"(fma\.)"), 0);
  EXPECT_GT(count(ptx(sum, {.fast_math = true, .contraction = false}), R"(mul\.(rn\.)?ftz)"), 0);
}

TEST(ProgramRoute, ReportsWhatPtxasSays) {
  const auto report = [](const char* source, Options options = by(Route::Program)) {
    return report_of(source, options);
  };
  EXPECT_EQ(report("__device__ __noinline__ float slow(float x) { return x * x; }").remaining_calls,
            std::vector<std::string>{"slow(float)"});
  EXPECT_EQ(report("__device__ double f(double x) { return pow(x, 1.7); }").cuda_helpers,
            std::vector<std::string>{"__internal_accurate_pow"});
  const Report heavy = report(
      "__device__ float f(float x) {\n#pragma unroll\nfor (int i = 0; i < 64; ++i) x = sinf(x) + 0.5f; return x; }");
  EXPECT_EQ(static_cast<Body>(heavy.kernel.tuning["body"]), Body::Rolled);
  EXPECT_EQ(report("__device__ float f(float x) { int unused; return x; }").compiler_log.find("callback.cu(1)"), 0u);
}

// The callback uses names of functions, types and variables that the building block uses too.
TEST(ProgramRoute, KeepsTheBlocksNamesApart) {
  const Report report = report_of(
      "struct Share { float a; }; __device__ float load(float x) { return x; } __constant__ int kShareBytes = 3;"
      "__device__ float store(float x) { return x; } __device__ float apply(float x, const Share& s) {"
      "return load(store(x)) * s.a + kShareBytes; }",
      [] {
        Options options = by(Route::Program);
        options.entry = "apply";
        return options;
      }());
  EXPECT_TRUE(report.inlined());
}

TEST(ProgramRoute, RefusesAnUndefinedFunction) {
  const Error error = error_of([] {
    graft::build("__device__ float absent(float); __device__ float f(float x) { return absent(x); }", Architecture(90),
                 by(Route::Program));
  });
  EXPECT_EQ(error.code(), ErrorCode::LinkFailed) << error.what();
  EXPECT_NE(std::string(error.what()).find("absent"), std::string::npos) << error.what();
}

TEST(RegisterCeiling, IsReadBackFromTheLog) {
  const char* source =
      "struct S { double a[4]; };"
      "__device__ double f(S a, S b, S c) { double r = 1; for (int i = 0; i < 4; ++i) r *= a.a[i] + b.a[i] / c.a[i]; "
      "return r; }";
  Options options;
  options.max_registers = 32;
  const Report limited = report_of(source, options);
  const Report free = report_of(source);
  EXPECT_GT(free.resources.registers, 32);
  EXPECT_LE(limited.resources.registers, 32);
  EXPECT_NE(limited.linker_log.find(fmt::format("Used {} registers", limited.resources.registers)), std::string::npos);
}

TEST(LineInfo, PointsIntoTheUsersFile) {
  Options options;
  options.line_info = true;
  const Callback callback = Callback::source("__device__ float f(float x) { return x * x; }", "my_gain.cu");
  const Image with = graft::build(callback, Architecture(90), options);
  const std::string bytes(reinterpret_cast<const char*>(with.bytes().data()), with.bytes().size());
  EXPECT_NE(bytes.find(".debug_line"), std::string::npos);
  EXPECT_NE(bytes.find("my_gain.cu"), std::string::npos);
  const Image without = graft::build(callback, Architecture(90));
  EXPECT_LT(without.bytes().size(), with.bytes().size());
}

// Returns the symbols of an ELF image by name. The value is true for a global symbol.
std::map<std::string, bool> symbols_of(std::span<const std::byte> image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), image.data() + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  std::map<std::string, bool> names;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB) continue;
    const char* strings = reinterpret_cast<const char*>(image.data()) + sections[section.sh_link].sh_offset;
    for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, image.data() + section.sh_offset + at, sizeof symbol);
      names[strings + symbol.st_name] = ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL;
    }
  }
  return names;
}

// Compiled as one program, only the kernel is global. The driver finds the variables of both.
TEST(Variables, OfTheCallbackAreSymbolsOfTheCubin) {
  for (const Route route : {Route::Lto, Route::Program}) {
    const Image image = graft::build(
        "__constant__ float factor = 2; __device__ int calls; __device__ float unused_table[4];"
        "__device__ float f(float x) { calls = 1; return factor * x; }",
        Architecture(90), by(route));
    const auto symbols = symbols_of(image.bytes());
    for (const char* name : {"factor", "calls", "graft_transform_f"}) {
      ASSERT_TRUE(symbols.contains(name)) << name;
      EXPECT_TRUE(symbols.at(name) || route == Route::Program) << name;
    }
    EXPECT_TRUE(symbols.at("graft_transform_f"));
    for (const auto& [name, global] : symbols) EXPECT_EQ(name.find("graft_probe"), std::string::npos);
  }
}

TEST(Reports, SayHowTheKernelWasMade) {
  const Report report = report_of("__device__ float relu(float x) { return x > 0 ? x : 0; }");
  EXPECT_EQ(report.kernel.name, "graft_transform_relu");
  EXPECT_EQ(report.kernel.route, Route::Program);
  EXPECT_EQ(report.kernel.architecture, Architecture(90));
  EXPECT_EQ(report.kernel.tuning["vector_width"], 4);
  EXPECT_FALSE(report.toolkit.empty());
  ASSERT_EQ(report.versions.size(), 1u);
  EXPECT_EQ(report.versions[0].tool, "NVRTC");
  EXPECT_GT(report.total_milliseconds(), 0);
  EXPECT_NE(report.source.find("graft_transform_relu"), std::string::npos);

  const nlohmann::json json = nlohmann::json::parse(report.to_json());
  EXPECT_EQ(json.at("kernel"), "graft_transform_relu");
  EXPECT_EQ(json.at("signature").at("text"), "float(float)");
  EXPECT_EQ(json.at("route"), "program");
  EXPECT_EQ(json.at("resources").at("registers"), report.resources.registers);
  EXPECT_EQ(json.at("image_bytes"), report.image_bytes);
  const std::string text = report.to_text();
  for (const char* part :
       {"graft_transform_relu", "float(float)", "program for sm_90", "registers", "callback inlined", "NVRTC"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

// A callback that shows no sign of heaviness is made by NVRTC alone.
TEST(HeavyCallbacks, AreLinked) {
  const auto route_of = [](const Callback& callback, Options options = {}) {
    return report_of(callback, options).kernel.route;
  };
  const std::string light = "__device__ float f(float x) { return x; }";
  EXPECT_EQ(route_of(light), Route::Program);
  EXPECT_EQ(route_of("[](float x) { return x; }"), Route::Program);
  EXPECT_EQ(route_of("struct S { float a; }; __device__ float f(float x, const S& s) { return x * s.a; }"),
            Route::Program);
  EXPECT_EQ(route_of(light + "\n//" + std::string(8'000, '-')), Route::Lto);
  EXPECT_EQ(route_of("__device__ float f(float x) {\n#pragma unroll\nfor (int i = 0; i < 2; ++i) x += i; return x; }"),
            Route::Lto);
  Options options;
  options.headers = {{"long.h", std::string(8'000, '\n')}};
  EXPECT_EQ(route_of("#include \"long.h\"\n" + light, options), Route::Lto);
  options.headers = {{"short.h", "#define TWO 2"}};
  EXPECT_EQ(route_of("#include \"short.h\"\n__device__ float f(float x) { return TWO * x; }", options), Route::Program);
  // Each of these would need a second compile as one program.
  EXPECT_EQ(route_of(chain(light, light)), Route::Lto);
  EXPECT_EQ(route_of("__device__ float f(float x, graft::Bit v) { return v ? x : 0; }"), Route::Lto);
}

TEST(HeavyCallbacks, AreLinkedRolledAndTheReportSaysWhy) {
  const Report report = report_of(
      "__device__ float f(float x) {\n#pragma unroll\nfor (int i = 0; i < 64; ++i) x = sinf(x) + 0.5f; return x; }");
  EXPECT_EQ(static_cast<Body>(report.kernel.tuning["body"]), Body::Rolled);
  EXPECT_NE(report.policy_reason.find("heavy"), std::string::npos) << report.policy_reason;
}

}  // namespace
}  // namespace graft::test
