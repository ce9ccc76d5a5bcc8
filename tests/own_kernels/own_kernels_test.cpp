// Tests kernels of the user's own: that a callback costs nothing beside one that is written in, what an author may
// leave open, and that equal requests are built once.
#include "graft/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>

#include "base/files.hpp"
#include "format/cubin.hpp"
#include "graft/graft.hpp"
#include "own_kernels/code_size.hpp"
#include "own_kernels/compiled_ahead.hpp"
#include "own_kernels/subjects.hpp"
#include "support/compile.hpp"
#include "support/errors.hpp"
#include "support/rotation.hpp"
#include "support/spy_nvrtc.hpp"

namespace graft {
namespace {

using testing::HasSubstr;

constexpr std::array kArchitectures = {80, 90, 100, 120};

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
    const auto bytes = static_cast<double>(test::code_bytes(by_hand));
    EXPECT_NEAR(static_cast<double>(test::code_bytes(linked)), bytes,
                0.01 * bytes + 128);  // code is padded to 128 bytes
  }
}

TEST_P(OwnKernels, CompiledAheadAreTheSame) {
  const test::OwnKernel& kernel = *GetParam();
  const Image from_source = build(kernel.with_slots(), kernel.callbacks(), 90);
  const Image image = build(KernelCode::ltoir(test::compiled_ahead(kernel)), kernel.callbacks(), 90);
  EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
  EXPECT_EQ(image.report().resources.registers, from_source.report().resources.registers);
  EXPECT_EQ(test::code_bytes(image), test::code_bytes(from_source));
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
  EXPECT_EQ(fit.entries[0].types,
            (std::vector<std::string>{"const float*", "const float*", "int", "const float*", "float*"}));
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
  EXPECT_NE(test::code_bytes(with), 0u);
  EXPECT_FALSE(std::ranges::equal(with.bytes(), without.bytes()));
  // The callback of the request wins over the default.
  const Image other = build(filtered(), {{{"weight", "[](float x) { return x + 1; }"}}, {{"tile", 8}}}, 90);
  EXPECT_FALSE(std::ranges::equal(other.bytes(), without.bytes()));
}

// The constant is folded: the loop has no end that is read, so each value makes code of its own.
TEST(OpenSlots, ConstantsAreFolded) {
  const Image one = build(filtered(), {{}, {{"tile", 1}}}, 90), many = build(filtered(), {{}, {{"tile", 16}}}, 90);
  EXPECT_LT(test::code_bytes(one), test::code_bytes(many));
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
    return test::code_bytes(image);
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

}  // namespace
}  // namespace graft
