// Tests kernels of the user's own: that a callback costs nothing beside one that is written in, that what does not fit
// is refused with both declarations, and that equal requests are built once.
#include "graft/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>

#include "base/files.hpp"
#include "format/cubin.hpp"
#include "graft/graft.hpp"
#include "own_kernels/subjects.hpp"
#include "support/compile.hpp"
#include "support/errors.hpp"
#include "support/rotation.hpp"
#include "support/spy_nvrtc.hpp"

namespace graft {
namespace {

using testing::HasSubstr;

constexpr std::array kArchitectures = {80, 90, 100, 120};

std::uint64_t code_bytes(const Image& image) {
  const auto elf = format::read_elf(image.bytes());
  std::uint64_t sum = 0;
  for (const format::CubinFunction& function : format::read_cubin(*elf).functions) sum += function.code_bytes;
  return sum;
}

class OwnKernels : public testing::TestWithParam<const test::OwnKernel*> {};

TEST_P(OwnKernels, AreAsFastAsWrittenIn) {
  const test::OwnKernel& kernel = *GetParam();
  for (const int number : test::in_turn(kArchitectures, test::row_of_test())) {
    SCOPED_TRACE(number);
    const Image linked = build(kernel.with_slots(), kernel.callbacks(), Architecture(number));
    const Image by_hand = build(kernel.written_in(), {}, Architecture(number));
    const Report& report = linked.report();
    EXPECT_TRUE(report.inlined()) << report.to_text();
    EXPECT_EQ(report.resources.local_bytes, by_hand.report().resources.local_bytes);
    EXPECT_NEAR(report.resources.registers, by_hand.report().resources.registers, 4);
    const auto bytes = static_cast<double>(code_bytes(by_hand));
    EXPECT_NEAR(static_cast<double>(code_bytes(linked)), bytes, 0.01 * bytes + 128);  // code is padded to 128 bytes
  }
}

// LTO-IR of a kernel with slots, as an author compiles it ahead.
std::vector<std::byte> compiled_ahead(const test::OwnKernel& kernel) {
  const compile::OpenTools tools = compile::open_tools({}, test::toolbox());
  toolchain::NvrtcProgram program;
  program.source = kernel.code;
  program.name = "kernel.cu";
  program.options = {"-arch=compute_90", "-dlto", "-rdc=true", "-std=c++20", "-default-device"};
  program.name_expressions = kernel.entries;
  for (std::string& expression : program.name_expressions) expression.insert(0, 1, '&');
  const toolchain::NvrtcResult result = tools.nvrtc->compile(program);
  EXPECT_TRUE(result.ok) << result.log;
  return {result.code.begin(), result.code.end()};
}

TEST_P(OwnKernels, CompiledAheadAreTheSame) {
  const test::OwnKernel& kernel = *GetParam();
  const Image from_source = build(kernel.with_slots(), kernel.callbacks(), 90);
  const Image image = build(KernelCode::ltoir(compiled_ahead(kernel)), kernel.callbacks(), 90);
  EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
  EXPECT_EQ(image.report().resources.registers, from_source.report().resources.registers);
  EXPECT_EQ(code_bytes(image), code_bytes(from_source));
  EXPECT_EQ(image.report().kernel.name, from_source.report().kernel.name);
}

INSTANTIATE_TEST_SUITE_P(Subjects, OwnKernels, testing::ValuesIn(test::kOwnKernels),
                         [](const auto& one) { return std::string(one.param->name); });

TEST(OwnKernels, AreDescribed) {
  const KernelShape fit = describe(test::kFit.with_slots(), 90);
  ASSERT_EQ(fit.entries.size(), 1u);
  EXPECT_EQ(fit.entries[0].name, "fit");
  EXPECT_EQ(fit.entries[0].symbol, "_Z3fitPKfS0_iS0_Pf");
  EXPECT_EQ(fit.entries[0].parameters, (std::vector<std::uint64_t>{8, 8, 4, 8, 8}));
  ASSERT_EQ(fit.slots.size(), 1u);
  EXPECT_EQ(fit.slots[0].name, "lib::model");
  EXPECT_EQ(fit.slots[0].declaration, "lib::model(float, const float*, float*, float*)");

  const KernelShape sparse = describe(test::kSparse.with_slots(), 90);
  ASSERT_EQ(sparse.entries.size(), 1u);
  EXPECT_EQ(sparse.entries[0].name, "lib::sparse<float, 8>");
  ASSERT_EQ(sparse.slots.size(), 2u);
  EXPECT_EQ(sparse.slots[0].name, "lib::times<float>");
  EXPECT_EQ(sparse.slots[1].name, "lib::plus<float>");

  const KernelShape saxpy = describe(test::kSaxpy.with_slots(), 90);
  ASSERT_EQ(saxpy.slots.size(), 1u);
  EXPECT_EQ(saxpy.slots[0].declaration, "combine");
}

TEST(OwnKernels, SeveralOfOneCodeShareAnImage) {
  const KernelCode code =
      "__device__ float f(float x);\n"
      "extern \"C\" __global__ void first(float* x) { x[threadIdx.x] = f(x[threadIdx.x]); }\n"
      "extern \"C\" __global__ void second(const float* x, double* y, char c) { y[c] = f(x[c]); }\n";
  const Image image = build(code, {{"f", "[](float x) { return 2 * x; }"}}, 90);
  EXPECT_EQ(image.report().kernel.name, "first");
  EXPECT_EQ(image.report().kernel.further_entries, std::vector<std::string>{"second"});
  const auto elf = format::read_elf(image.bytes());
  const format::Cubin cubin = format::read_cubin(*elf);
  EXPECT_EQ(cubin.find("first")->parameters, (std::vector<std::uint64_t>{8}));
  EXPECT_EQ(cubin.find("second")->parameters, (std::vector<std::uint64_t>{8, 8, 1}));
}

// Names on both sides never meet: functions, macros, structs and variables.
TEST(OwnKernels, EqualNamesOnBothSidesDoNotMeet) {
  const KernelCode code =
      "#define SCALE 2\n"
      "struct State { double a[4]; };\n"
      "__device__ float helper(float x) { return SCALE * x; }\n"
      "__device__ float table[2] = {1, 2};\n"
      "__device__ float f(float x, const State& s);\n"
      "extern \"C\" __global__ void k(float* x, const __grid_constant__ State s) {\n"
      "  x[threadIdx.x] = helper(f(x[threadIdx.x], s)) + table[threadIdx.x & 1];\n"
      "}\n";
  const Callback callback =
      "#define SCALE 3.0\n"
      "struct State { double a, b; };\n"
      "__device__ float table[4] = {3, 4, 5, 6};\n"
      "__device__ float helper(float x) { return SCALE + x; }\n"
      "__device__ float f(float x, const State& s) { return helper(x) * s.b + table[threadIdx.x & 3]; }\n";
  const Image image = build(code, {{"f", callback.with_entry("f")}}, 90, {.allow_thread_words = true});
  EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
}

TEST(OwnKernels, ACallbackMayLeaveTheStateOut) {
  const Image image =
      build(test::kNeighbours.with_slots(), {{"metric", "[](float a, float b) { return fabsf(a - b); }"}}, 90);
  EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
}

TEST(OwnKernels, EqualRequestsAreBuiltOnce) {
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}});
  const Image first = build(engine, test::kSaxpy.with_slots(), test::kSaxpy.callbacks(), 90);
  const Image second = build(engine, test::kSaxpy.with_slots(), test::kSaxpy.callbacks(), 90);
  EXPECT_EQ(first.bytes().data(), second.bytes().data());
  const Image other =
      build(engine, test::kSaxpy.with_slots(), {{"combine", "[](float a, float x, float y) { return x; }"}}, 90);
  EXPECT_NE(other.bytes().data(), second.bytes().data());
  EXPECT_EQ(engine.counters().builds, 2u);
}

// A kernel with everything that an author may leave open.
constexpr const char* kFiltered =
    "__device__ float weight(float x);\n"
    "namespace lib {\n"
    "__device__ bool filter(int id);\n"
    "extern __device__ const bool has_filter;\n"
    "extern __device__ const int tile;\n"
    "}\n"
    "extern \"C\" __global__ void k(float* x) {\n"
    "  float sum = 0;\n"
    "  for (int i = 0; i < lib::tile; ++i) {\n"
    "    if (lib::has_filter && !lib::filter(i)) continue;\n"
    "    sum += weight(x[i]);\n"
    "  }\n"
    "  x[threadIdx.x] = sum;\n"
    "}\n";

KernelCode filtered() {
  return KernelCode(kFiltered)
      .with_optional("filter", "has_filter")
      .with_default("weight", "[](float x) { return 2 * x; }");
}

constexpr const char* kOneSlot =
    "__device__ float m(float a, float b);\n"
    "extern \"C\" __global__ void k(float* x) { x[0] = m(x[1], x[2]); }\n";

TEST(OwnKernels, TakeCallbacksOfManyForms) {
  const Callback overloaded(
      "__device__ float f(float a, float b) { return a; }\n__device__ double f(double a, double b) { return b; }");
  for (const Callback& callback : {
           Callback("__device__ float max(float a, float b) { return a > b ? a : b; }"),
           Callback("extern \"C\" __device__ float ff(float a, float b) { return a - b; }"),
           overloaded.with_signature("float(float, float)"),
           Callback("[](float a, float b) { return a * b; }").with_signature("float(float, float)"),
           Callback(
               "struct Scale { float s; __device__ float operator()(float a, float b) const { return s * a + b; } };")
               .with_entry("Scale{2}"),
           Callback("template <int N> __device__ float f(float a, float b) { return N * a + b; }").with_entry("f<3>"),
           Callback("#include <cmath>\n__device__ float f(float a, float b) noexcept { return std::sqrt(a) + b; }"),
       }) {
    SCOPED_TRACE(callback.text());
    const Image image = build(kOneSlot, {{"m", callback}}, 90);
    EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
  }
}

// The symbol of the first slot begins that of the second.
TEST(OwnKernels, CallsOfOtherSlotsAreOthers) {
  const KernelCode code = KernelCode::source(R"(
extern "C" __device__ int m(int);
extern "C" __device__ float m_(float);
extern "C" __device__ float p(float);
extern "C" __global__ void k(float* x, int* y) {
  x[threadIdx.x] = m_(x[0]) + p(x[1]);
  y[threadIdx.x] = m(y[threadIdx.x]);
}
)");
  const KernelCallbacks right = {
      {"m", "[](int x) { return x * 3; }"}, {"m_", "[](float x) { return x; }"}, {"p", "[](float x) { return x; }"}};
  EXPECT_TRUE(build(code, right, 80).report().inlined());
  for (const char* slot : {"m", "m_", "p"}) {
    KernelCallbacks wrong = right;
    for (SlotCallback& one : wrong.slots)
      if (one.slot == slot)
        one.callback = slot == std::string("m") ? "[](int x) { return x * 3.0f; }" : "[](float x) { return int(x); }";
    EXPECT_EQ(test::error_of([&] { build(code, wrong, 80); }).code(), ErrorCode::SignatureMismatch) << slot;
  }
}

TEST(OwnKernels, SmallEnumerationsArePassedAsIntegers) {
  const char* const types = "enum class Side : char { Left, Right };\nenum Small : unsigned short { A, B };\n";
  const KernelCode code = KernelCode::source(std::string(types) +
                                             "__device__ Side turn(Side, Small, char16_t);\n"
                                             "extern \"C\" __global__ void k(Side* s, Small* t) {\n"
                                             "  s[threadIdx.x] = turn(s[threadIdx.x], t[threadIdx.x], u'a');\n}\n");
  const std::string callback =
      "__device__ Side f(Side s, Small t, char16_t c) { return c && t == B ? s : Side::Left; }";
  EXPECT_TRUE(build(code, {{"turn", Callback(types + callback)}}, 80).report().inlined());
}

TEST(OwnKernels, InliningIsTheAuthors) {
  const Callback quiet("__device__ __noinline__ float f(float a, float b) { return a * b; }");
  const KernelCode code = kOneSlot;
  EXPECT_TRUE(build(code.with_inlining("m", Inlining::Always), {{"m", "[](float a, float b) { return a - b; }"}}, 90)
                  .report()
                  .inlined());
  EXPECT_FALSE(build(code.with_inlining("m", Inlining::Always), {{"m", quiet}}, 90).report().inlined());
  EXPECT_FALSE(build(code.with_inlining("m", Inlining::Never), {{"m", "[](float a, float b) { return a - b; }"}}, 90)
                   .report()
                   .inlined());
}

// A compiled callback may have the slot's name, and fill several slots.
TEST(OwnKernels, TakeCompiledCallbacks) {
  const std::vector<std::byte> same =
      Callback("__device__ float m(float a, float b) { return a * a + b; }").precompile({90}, PrecompileFormat::LtoIr);
  const Image by_name = build(kOneSlot, {{"m", Callback::ltoir(same).with_signature("float m(float, float)")}}, 90);
  EXPECT_TRUE(by_name.report().inlined()) << by_name.report().to_text();
  const std::vector<std::byte> other =
      Callback("__device__ float f(float a, float b) { return a * a + b; }").precompile({90}, PrecompileFormat::LtoIr);
  const Callback callback = Callback::ltoir(other).with_signature("float f(float, float)");
  const KernelCode two =
      "__device__ float m(float a, float b);\n__device__ float n(float a, float b);\n"
      "extern \"C\" __global__ void k(float* x) { x[0] = m(x[1], x[2]) + n(x[3], x[4]); }\n";
  const Image twice = build(two, {{"m", callback}, {"n", callback}}, 90);
  EXPECT_TRUE(twice.report().inlined()) << twice.report().to_text();
}

// Another engine, as another process, finds the kernels on disk.
TEST(OwnKernels, AreStoredOnDisk) {
  const base::TemporaryFolder folder;
  const EngineOptions options = {.cache = {.policy = CachePolicy::ReadWrite, .folder = folder.path()}};
  const auto build_in = [](Engine& engine) {
    return build(engine, filtered(), {{{"filter", "[](int id) { return id != 3; }"}}, {{"tile", 8}}}, 90);
  };
  Engine first(options), second(options);
  const Image built = build_in(first);
  EXPECT_GT(first.counters().bytes_written, 0u);
  const Image found = build_in(second);
  EXPECT_TRUE(found.report().from_cache);
  EXPECT_EQ(second.counters().builds, 0u);
  EXPECT_TRUE(std::ranges::equal(built.bytes(), found.bytes()));
  EXPECT_EQ(built.report().notes, found.report().notes);
  const Image other = build(second, filtered(), {{}, {{"tile", 9}}}, 90);
  EXPECT_EQ(second.counters().builds, 1u);
}

// ---- what an author may leave open ----

TEST(OpenSlots, AreDescribed) {
  const KernelShape shape = describe(filtered(), 90);
  EXPECT_THAT(shape.constants, testing::UnorderedElementsAre("lib::has_filter", "lib::tile"));
  EXPECT_EQ(shape.slots.size(), 2u);
}

TEST(OpenSlots, OptionalAndDefaultOnesMayStayEmpty) {
  const Image without = build(filtered(), {{}, {{"tile", 8}}}, 90);
  EXPECT_TRUE(without.report().inlined()) << without.report().to_text();
  EXPECT_THAT(without.report().to_text(), HasSubstr("weight(float): lambda in callback.cu, inlined"));
  const Image with = build(filtered(), {{{"filter", "[](int id) { return id % 3 == 0; }"}}, {{"lib::tile", 8}}}, 90);
  EXPECT_TRUE(with.report().inlined()) << with.report().to_text();
  EXPECT_NE(code_bytes(with), 0u);
  EXPECT_FALSE(std::ranges::equal(with.bytes(), without.bytes()));
  // The callback of the request wins over the default.
  const Image other = build(filtered(), {{{"weight", "[](float x) { return x + 1; }"}}, {{"tile", 8}}}, 90);
  EXPECT_FALSE(std::ranges::equal(other.bytes(), without.bytes()));
}

// The constant is folded: the loop has no end that is read, so each value makes code of its own.
TEST(OpenSlots, ConstantsAreFolded) {
  const Image one = build(filtered(), {{}, {{"tile", 1}}}, 90), many = build(filtered(), {{}, {{"tile", 16}}}, 90);
  EXPECT_LT(code_bytes(one), code_bytes(many));
}

TEST(OpenSlots, ConstantsAreChecked) {
  const auto error_of = [](const KernelCallbacks& callbacks) {
    return test::error_of([&] { build(filtered(), callbacks, 90); });
  };
  Error error = error_of({});
  EXPECT_EQ(error.code(), ErrorCode::SlotEmpty);
  EXPECT_THAT(error.what(), HasSubstr("kernel.cu uses lib::tile, and nothing defines it"));
  error = error_of({{}, {{"tile", 8}, {"tiel", 1}}});
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("kernel.cu has no constant tiel"));
  error = error_of({{}, {{"tile", 8}, {"tile", 9}}});
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  error = error_of({{}, {{"tile", std::int64_t{1} << 33}}});
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("the constant lib::tile of kernel.cu has 4 bytes, and its value is 8589934592"));
  error = error_of({{}, {{"tile", 8}, {"has_filter", 1}}});
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("has two values"));
}

TEST(OpenSlots, OtherVariablesAreNoConstants) {
  const auto error_of = [](const char* variables, const char* use, const KernelConstant& constant) {
    const std::string text =
        std::string(variables) + "extern \"C\" __global__ void k(float* x) { *x = " + use + "; }\n";
    return test::error_of([&] { build(KernelCode(text), {{}, {constant}}, 90); });
  };
  Error error = error_of("extern __device__ const float c;\n", "c", {"c", 1});
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("c of kernel.cu is no bool and no integer"));
  error = error_of("namespace a { extern __device__ const int t; }\nnamespace b { extern __device__ const int t; }\n",
                   "a::t + b::t", {"t", 1});
  EXPECT_EQ(error.code(), ErrorCode::AmbiguousEntry);
}

// 40 sinf at 72 places, inlined, take minutes to link.
TEST(OpenSlots, AHeavyCallbackIsOneFunction) {
  std::string heavy = "__device__ float heavy(float x) {\n";
  for (int i = 0; i < 40; ++i) heavy += "  x = sinf(x) + " + std::to_string(i) + ".5f;\n";
  heavy += "  return x;\n}\n";
  const KernelCode code =
      "__device__ float f(float x);\n"
      "extern \"C\" __global__ void k(float* x) {\n"
      "#pragma unroll\n"
      "  for (int i = 0; i < 24; ++i) x[i] = f(x[i]) + f(x[i] + 1);\n"
      "}\n";
  const auto begin = std::chrono::steady_clock::now();
  const Image image = build(code, {{"f", heavy}}, 90);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));  // 3 s without other work
  EXPECT_FALSE(image.report().inlined());
  EXPECT_THAT(image.report().slots.at(0).how, HasSubstr("called as one function: inlined at 48 calls"));

  const KernelCode once = "__device__ float f(float x);\nextern \"C\" __global__ void k(float* x) { *x = f(*x); }\n";
  EXPECT_TRUE(build(once, {{"f", heavy}}, 90).report().inlined());
  EXPECT_FALSE(build(once.with_inlining("f", Inlining::Never), {{"f", heavy}}, 90).report().inlined());
}

// A kernel is compiled for its code and for the types of its slots, and a callback for its type and its code. A second
// callback for a kernel compiles the kernel never.
TEST(OpenSlots, ASecondCallbackDoesNotCompileTheKernel) {
  const test::SpyToolkit spy;
  Engine engine({.cuda_path = spy.path(), .cache = {.policy = CachePolicy::MemoryOnly}});
  build(engine, test::kNeighbours.with_slots(), test::kNeighbours.callbacks(), 90);
  EXPECT_EQ(spy.compiles().size(), 4u);
  spy.forget();
  const Image image =
      build(engine, test::kNeighbours.with_slots(), {{"metric", "[](float a, float b) { return a * b; }"}}, 90);
  EXPECT_EQ(spy.compiles().size(), 2u);
  for (const Report::Step& step : image.report().steps) EXPECT_NE(step.name, "read kernel");
  spy.forget();
  build(engine, test::kNeighbours.with_slots(), test::kNeighbours.callbacks(), 80);
  EXPECT_EQ(spy.compiles().size(), 4u) << "another architecture has another kernel";
}

// A callback template takes its types from the slot.
TEST(OwnKernels, TemplatesTakeTheSlotsTypes) {
  const auto size_with = [](const char* metric) {
    const Image image = build(test::kNeighbours.with_slots(), {{"metric", metric}}, 90);
    EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
    return code_bytes(image);
  };
  EXPECT_EQ(size_with("template <class T> __device__ T l1(T a, T b) { return fabsf(a - b); }"),
            size_with("__device__ float l1(float a, float b) { return fabsf(a - b); }"));
  EXPECT_EQ(size_with("struct S { float a, d; };\n"
                      "template <class T> __device__ T l1(T a, T b, const S& s) { return fabsf(a - b) * s.d; }"),
            size_with("struct S { float a, d; };\n"
                      "__device__ float l1(float a, float b, const S& s) { return fabsf(a - b) * s.d; }"));
  EXPECT_TRUE(build(test::kMarch.with_slots(),
                    {{"scene", "namespace my { template <class P> __device__ float at(P p) { return p.x + p.y; } }"}},
                    90)
                  .report()
                  .inlined());
  const auto refused = [](const KernelCode& code, const char* slot, const char* callback) {
    return test::error_of([&] { build(code, {{slot, callback}}, 90); });
  };
  const Error other_count =
      refused(test::kNeighbours.with_slots(), "metric", "template <class T> __device__ T f(T a) { return a; }");
  EXPECT_EQ(other_count.code(), ErrorCode::SignatureMismatch);
  EXPECT_THAT(other_count.what(), HasSubstr("it takes 1 parameters, and the slot passes 3"));
  EXPECT_EQ(refused(test::kNeighbours.with_slots(), "metric",
                    "template <class T> __device__ double f(T a, T b) { return a; }")
                .code(),
            ErrorCode::SignatureMismatch);
  EXPECT_EQ(
      refused(test::kSaxpy.with_slots(), "combine", "template <class T> __device__ T f(T a, T b, T c) { return a; }")
          .code(),
      ErrorCode::AmbiguousEntry);
}

// The kernel's author compares the size of a callback's state with the room for it.
TEST(OwnKernels, TheReportHasEachSlot) {
  const KernelCode code = KernelCode(
                              "struct alignas(16) Room { char bytes[64]; };\n"
                              "__device__ float f(float x, const Room& state);\n"
                              "__device__ float g(float x, const void* state);\n"
                              "__device__ float h(float x);\n"
                              "extern __device__ const bool has_h;\n"
                              "extern \"C\" __global__ void k(float* x, const __grid_constant__ Room s) {\n"
                              "  *x = f(*x, s) + g(*x, &s) + (has_h ? h(*x) : 0);\n"
                              "}\n")
                              .with_optional("h", "has_h")
                              .with_inlining("g", Inlining::Never);
  const Callback wide =
      "struct Wide { double a[3]; float b; };\n"
      "__device__ float w(float x, const Wide& s) { return x * s.b; }";
  const KernelCallbacks callbacks = {{"f", wide}, {"g", "[](float x) { return x; }"}};
  for (const KernelCode& one : {code, KernelCode::pack(code.with_default("f", wide).precompile({90}))}) {
    const std::vector<Report::Slot> slots = build(one, callbacks, 90).report().slots;
    ASSERT_EQ(slots.size(), 3u);
    const auto find = [&](const char* name) {
      return *std::ranges::find_if(slots, [&](const Report::Slot& slot) { return slot.declaration.starts_with(name); });
    };
    EXPECT_EQ(find("f(").callback, "w in callback.cu");
    EXPECT_EQ(find("f(").how, "inlined");
    EXPECT_EQ(find("f(").state_bytes, 32u);
    EXPECT_EQ(find("f(").state_alignment, 8u);
    EXPECT_EQ(find("g(").how, "called as one function, as its author wishes");
    EXPECT_EQ(find("g(").state_bytes, 0u);
    EXPECT_EQ(find("h(").how, "empty");
    EXPECT_EQ(find("h(").callback, "");
  }
}

TEST(OwnKernels, RegistersAreBounded) {
  const Image free = build(test::kFit.with_slots(), test::kFit.callbacks(), 90);
  const Image bounded = build(test::kFit.with_slots(), test::kFit.callbacks(), 90, {.max_registers = 24});
  EXPECT_GT(free.report().resources.registers, 24);
  EXPECT_LE(bounded.report().resources.registers, 24);
}

TEST(OwnKernels, LinesOfTheSourceAreKept) {
  const Image image = build(test::kSaxpy.with_slots(), test::kSaxpy.callbacks(), 90, {.line_info = true});
  EXPECT_NE(base::as_text(image.bytes()).find("debug_line"), std::string_view::npos);
  EXPECT_NE(base::as_text(image.bytes()).find("callback.cu"), std::string_view::npos);
}

// The compiled kernel is on disk, too, with the headers that it includes.
TEST(OpenSlots, AnotherProcessDoesNotCompileTheKernel) {
  const test::SpyToolkit spy;
  const base::TemporaryFolder folder;
  const KernelCode code = KernelCode(
      "#include \"factor.h\"\n"
      "__device__ float f(float x);\n"
      "extern \"C\" __global__ void k(float* x) { *x = FACTOR * f(*x); }\n");
  const auto compiles_for = [&](const KernelCode& kernel, const char* callback) {
    spy.forget();
    Engine engine({.cuda_path = spy.path(), .cache = {.policy = CachePolicy::ReadWrite, .folder = folder.path()}});
    EXPECT_TRUE(build(engine, kernel, {{"f", callback}}, 90).report().inlined());
    return spy.compiles().size();
  };
  const KernelCode with_header = code.with_header("factor.h", "#define FACTOR 2\n");
  EXPECT_EQ(compiles_for(with_header, "[](float x) { return x + 1; }"), 3u);
  EXPECT_EQ(compiles_for(with_header, "[](float x) { return x + 2; }"), 2u);
  EXPECT_EQ(compiles_for(with_header, "[](float x) { return x + 2; }"), 0u) << "the finished kernel is in the cache";
  EXPECT_EQ(compiles_for(code.with_header("factor.h", "#define FACTOR 3\n"), "[](float x) { return x + 2; }"), 3u);

  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path()))  // damage
    if (file.path().extension() == ".code") std::filesystem::resize_file(file.path(), file.file_size() - 1);
  EXPECT_EQ(compiles_for(with_header, "[](float x) { return x + 3; }"), 3u);
}

// ---- what does not fit ----

struct Misfit {
  const char* name;
  const char* slot;
  const char* callback;
  ErrorCode code;
  const char* words;
};

const Misfit kMisfits[] = {
    {"Parameter", "metric", "__device__ float f(double a, float b) { return a; }", ErrorCode::SignatureMismatch,
     "parameter 1 is `double`, and the slot passes `float`"},
    {"IntegerForFloat", "metric", "__device__ float f(int a, float b) { return a; }", ErrorCode::SignatureMismatch,
     "parameter 1 is `int`, and the slot passes `float`"},
    {"TooFew", "metric", "__device__ float f(float a) { return a; }", ErrorCode::SignatureMismatch,
     "it takes 1 parameters, and the slot passes 3"},
    {"TooMany", "metric", "struct S { int a; }; __device__ float f(float a, float b, const S& s, int c) { return a; }",
     ErrorCode::SignatureMismatch, "it takes 4 parameters, and the slot passes 3"},
    {"MutableState", "metric", "struct S { int a; }; __device__ float f(float a, float b, S& s) { return a; }",
     ErrorCode::SignatureMismatch, "parameter 3 is `S&`, and the slot passes `const Metric&`"},
    {"WiderResult", "metric", "__device__ double f(float a, float b) { return a; }", ErrorCode::SignatureMismatch,
     "its result is `double` of 8 bytes, and the slot's has 4 bytes"},
    {"NoResult", "metric", "__device__ void f(float a, float b) {}", ErrorCode::SignatureMismatch,
     "its result is `void` of 0 bytes"},
    {"IntegerResult", "metric", "__device__ int f(float a, float b) { return a; }", ErrorCode::SignatureMismatch,
     "its result is `int`, and the slot's is `float`"},
    {"MisspeltSlot", "metrik", "__device__ float f(float a, float b) { return a; }", ErrorCode::NoSuchEntry,
     "neighbours.cu has no slot metrik: it calls and does not define metric(float, float, const Metric&)"},
    {"DoesNotCompile", "metric", "__device__ float f(float a, float b) { return a + c; }", ErrorCode::CompileFailed,
     "identifier \"c\" is undefined"},
};

class SlotMisfits : public testing::TestWithParam<Misfit> {};

TEST_P(SlotMisfits, AreRefused) {
  const Misfit& misfit = GetParam();
  const Error error = test::error_of([&] {
    build(test::kNeighbours.with_slots(), {{misfit.slot, Callback(misfit.callback)}}, Architecture(90));
  });
  EXPECT_EQ(error.code(), misfit.code) << error.what();
  EXPECT_THAT(error.what(), HasSubstr(misfit.words));
  EXPECT_FALSE(error.remedy().empty());
  if (error.code() == ErrorCode::SignatureMismatch) {
    EXPECT_THAT(error.what(), HasSubstr("the slot:      float metric(float, float, const Metric&)"));
    EXPECT_THAT(error.what(), HasSubstr("the callback:  "));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, SlotMisfits, testing::ValuesIn(kMisfits),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(SlotMisfits, OfExternCSlotsAreSeenBySize) {
  const Error error = test::error_of([] {
    build(test::kSaxpy.with_slots(), {{"combine", "__device__ float f(float a, double x, float y) { return a; }"}}, 90);
  });
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch) << error.what();
  EXPECT_THAT(error.what(), HasSubstr("parameter 2 is `double` of 8 bytes"));
}

// A reference to a number is no state.
TEST(SlotMisfits, NumbersByReferenceKeepTheirTypes) {
  const KernelCode code =
      "__device__ void m(const float& a, float& r);\nextern \"C\" __global__ void k(float* x) { m(x[0], x[1]); }\n";
  const Error error = test::error_of([&] { build(code, {{"m", "[](const int& a, float& r) { r = a; }"}}, 90); });
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
  EXPECT_THAT(error.what(), HasSubstr("parameter 1 is `const int&`, and the slot passes `const float&`"));
  build(code, {{"m", "[](const float& a, float& r) { r = a; }"}}, 90);
}

TEST(SlotMisfits, AnEmptySlotIsNamed) {
  const Error error = test::error_of([] { build(test::kNeighbours.with_slots(), {}, 90); });
  EXPECT_EQ(error.code(), ErrorCode::SlotEmpty);
  EXPECT_THAT(error.what(),
              HasSubstr("neighbours.cu calls metric(float, float, const Metric&), and nothing defines it"));
}

TEST(SlotMisfits, ASlotIsFilledOnce) {
  const Error error = test::error_of([] {
    const SlotCallback one = {"metric", "[](float a, float b) { return a; }"};
    build(test::kNeighbours.with_slots(), {one, one}, 90);
  });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("the slot metric of neighbours.cu is filled twice"));
}

TEST(SlotMisfits, CodeWithoutAKernelIsRefused) {
  for (const char* code :
       {"__device__ float f(float x) { return x; }", "template <class T> __global__ void k(T* x) {}"}) {
    const Error error = test::error_of([&] { build(KernelCode(code), {}, 90); });
    EXPECT_EQ(error.code(), ErrorCode::NoSuchEntry) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("kernel.cu has no kernel"));
  }
}

TEST(SlotMisfits, CodeWithoutLtoIrIsRefused) {
  const Callback text = Callback::source("extern \"C\" __global__ void k(float* x) { *x = 1; }", "kernel.cu");
  const KernelCode newer = KernelCode::fatbin(text.precompile({100}, PrecompileFormat::Fatbin));
  EXPECT_EQ(test::error_of([&] { build(newer, {}, 90); }).code(), ErrorCode::ImageRefused);

  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "kernel.ptx";
  ASSERT_TRUE(base::write_file(file, text.precompile({90}, PrecompileFormat::Ptx)));
  const Error error = test::error_of([&] { KernelCode::file(file); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("kernel.ptx is PTX, and a kernel's code is source, LTO-IR, a fatbin or a pack"));
}

// What the calls do not show: the size of a small integer, and the members of a class. The source has them, and so have
// its packs.
TEST(SlotMisfits, ResultsAreOfExactlyTheSlotsType) {
  struct Row {
    const char *slot, *callback, *fits;
  };
  for (const auto& [slot, callback, fits] : {Row{"bool", "int", "bool"},
                                             {"bool", "unsigned char", "bool"},
                                             {"short", "int", "short"},
                                             {"unsigned char", "char", "unsigned char"},
                                             {"int", "bool", "int"},
                                             {"unsigned int", "int", "unsigned int"},
                                             {"float2", "int2", "float2"},
                                             {"float2", "double", "float2"},
                                             {"long long", "unsigned long long", "long"},
                                             {"const float*", "float*", "const float*"}}) {
    SCOPED_TRACE(std::string(slot) + " by " + callback);
    const std::string type = slot;
    const KernelCode code = "namespace lib { __device__ " + type + " f(int x); }\n" +
                            "extern \"C\" __global__ void k(" + type + "* x) { x[1] = lib::f(threadIdx.x); }\n";
    const auto returning = [](const std::string& result) {
      return Callback("__device__ " + result + " g(int x) { return {}; }");
    };
    for (const KernelCode& one : {code, KernelCode::pack(code.precompile({80}))}) {
      const Error error = test::error_of([&] { build(one, {{"f", returning(callback)}}, 90); });
      EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
      EXPECT_THAT(error.what(), HasSubstr("  the slot:      "));
      EXPECT_TRUE(build(one, {{"f", returning(fits)}}, 90).report().inlined());
    }
  }
}

// LTO-IR shows how the calls use the result.
TEST(SlotMisfits, LtoIrShowsHowResultsAreUsed) {
  const Error error = test::error_of([] {
    build(KernelCode::ltoir(compiled_ahead(test::kNeighbours)), {{"metric", "[](float a, float b) { return 1; }"}}, 90);
  });
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
  EXPECT_THAT(error.what(), HasSubstr("its result is `int`, and the kernel uses it as a floating-point number"));
}

TEST(SlotMisfits, AStateHasTheRoomOfTheSlots) {
  const KernelCode code =
      "struct alignas(8) Room { char bytes[16]; };\n__device__ float f(float x, const Room& s);\n"
      "extern \"C\" __global__ void k(float* x, const __grid_constant__ Room s) { *x = f(*x, s); }\n";
  const auto with_state = [](const std::string& members, const std::string& alignment = "") {
    return Callback("struct " + alignment + " State { " + members +
                    " };\n"
                    "__device__ float g(float x, const State& s) { return x * s.a; }");
  };
  EXPECT_TRUE(build(code, {{"f", with_state("float a, b[3];")}}, 90).report().inlined());
  for (const Callback& callback : {with_state("float a, b[4];"), with_state("float a;", "alignas(16)")}) {
    const Error error = test::error_of([&] { build(code, {{"f", callback}}, 90); });
    EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
    EXPECT_THAT(error.what(), HasSubstr("and the slot's `const Room&` has 16 bytes aligned to 8"));
  }
}

TEST(SlotMisfits, FunctionsThatNothingDefinesAreNamed) {
  const Error helper = test::error_of([] {
    build(test::kNeighbours.with_slots(),
          {{"metric", Callback("namespace my { __device__ float helper(float); }\n"
                               "__device__ float f(float a, float b) { return my::helper(a - b); }")
                          .with_entry("f")}},
          90);
  });
  EXPECT_EQ(helper.code(), ErrorCode::LinkFailed);
  EXPECT_THAT(helper.what(), HasSubstr("nothing defines my::helper(float)"));
  const KernelCode unguarded = KernelCode(
                                   "__device__ float f(float);\nextern __device__ const bool has_f;\n"
                                   "extern \"C\" __global__ void k(float* x) { *x = f(*x); if (has_f) *x += 1; }\n")
                                   .with_optional("f", "has_f");
  EXPECT_THAT(test::error_of([&] { build(unguarded, {}, 90); }).what(), HasSubstr("nothing defines f(float)"));
}

TEST(SlotMisfits, EntriesThatAreNoKernels) {
  const KernelCode code =
      "namespace lib {\ntemplate <class T, int N> __global__ void k(T* x) { *x = N; }\n"
      "__device__ float helper(float x) { return x; }\n}\n";
  const auto refused = [&](const char* entry) {
    return test::error_of([&] { build(code.with_entry(entry), {}, 90); });
  };
  EXPECT_THAT(refused("lib::m<float, 8>").what(), HasSubstr("kernel.cu has no kernel that lib::m<float, 8> names"));
  EXPECT_THAT(refused("lib::k<float>").what(), HasSubstr("has no kernel that lib::k<float> names"));
  const Error helper =
      test::error_of([&] { build(code.with_entry("lib::k<int, 2>").with_entry("lib::helper"), {}, 90); });
  EXPECT_EQ(helper.code(), ErrorCode::NoSuchEntry);
  EXPECT_THAT(helper.what(), HasSubstr("has no kernel that lib::k<int, 2> or lib::helper names"));
  EXPECT_NO_THROW(build(code.with_entry("lib::k<int, 2>"), {}, 90));
}

TEST(SlotMisfits, ClassesWithCopyConstructorsAreNotPassedByValue) {
  const auto refused = [](const std::string& slot, const std::string& call, const std::string& callback) {
    const std::string include = "#include <cuda_fp16.h>\n";
    const KernelCode code = include + slot + "extern \"C\" __global__ void k(__half2* x, float* y) { " + call + "; }\n";
    return test::error_of([&] { build(code, {{"f", include + callback}}, 90); });
  };
  const Error parameter = refused("__device__ float f(__half2 x);\n", "*y = f(*x)",
                                  "__device__ float g(__half2 x) { return __low2float(x); }");
  EXPECT_EQ(parameter.code(), ErrorCode::UnsupportedParameter);
  EXPECT_THAT(parameter.what(), HasSubstr("parameter 1 is `__half2` by value, which has a copy constructor"));
  const Error result =
      refused("__device__ __half2 f(float x);\n", "*x = f(*y)", "__device__ __half2 g(float x) { return {}; }");
  EXPECT_EQ(result.code(), ErrorCode::UnsupportedParameter);
  EXPECT_THAT(result.what(), HasSubstr("its result `__half2` is a class with a copy constructor"));
}

TEST(SlotMisfits, OptionsOfTransformsAreRefused) {
  const auto code_of_options = [](const Options& options) {
    return test::error_of([&] { build(test::kSaxpy.with_slots(), test::kSaxpy.callbacks(), 90, options); }).code();
  };
  EXPECT_EQ(code_of_options({.entry = "f"}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code_of_options({.shared_bytes = 16}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code_of_options({.routes = {.required = Route::Host}}), ErrorCode::RouteUnavailable);
  EXPECT_EQ(code_of_options({.routes = {.required = Route::Indirect}}), ErrorCode::RouteUnavailable);
}

// A callback may use no barrier unless the author allows it, and the kernel itself may.
TEST(SlotMisfits, ThreadWordsAreTheKernels) {
  const Error error = test::error_of([] {
    build(test::kNeighbours.with_slots(),
          {{"metric", "__device__ float f(float a, float b) { __syncthreads(); return a; }"}}, 90);
  });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("__syncthreads"));
}

}  // namespace
}  // namespace graft
