// Tests packs of own kernels: they make the kernels that their sources make, they need no compiler, and packs that lie,
// are of another kind, or do not fit are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "families/kept_kernels.hpp"
#include "format/pack.hpp"
#include "graft/graft.hpp"
#include "graft/kernel.hpp"
#include "own_kernels/packed.hpp"
#include "own_kernels/subjects.hpp"
#include "support/compile.hpp"
#include "support/errors.hpp"
#include "support/partial_toolkit.hpp"
#include "toolchain/nvfatbin.hpp"

namespace graft {
namespace {

using testing::HasSubstr;

EngineOptions with_tools_of(const test::PartialToolkit& toolkit) {
  return {.cuda_path = toolkit.path(), .cache = {.policy = CachePolicy::MemoryOnly}};
}

KernelCode packed(const KernelCode& code, const std::vector<Architecture>& architectures = {80},
                  PrecompileFormat format = PrecompileFormat::Pack) {
  return KernelCode::pack(code.precompile(architectures, format));
}

SlotCallback compiled_for(const KernelCode& code, const SlotCallback& one) {
  return {one.slot, Callback::pack(code.precompile_for(one, {80}), one.callback.name())};
}

class KernelPacks : public testing::TestWithParam<const test::OwnKernel*> {};

TEST_P(KernelPacks, MakeTheSameKernelWithoutACompiler) {
  const test::OwnKernel& kernel = *GetParam();
  const test::PartialToolkit linker(false, true);
  Engine engine(with_tools_of(linker));
  const KernelCode code = packed(kernel.with_slots(), {90});
  KernelCallbacks callbacks;
  for (const SlotCallback& one : kernel.callbacks())
    callbacks.slots.push_back({one.slot, Callback::pack(kernel.with_slots().precompile_for(one, {90}))});
  const Image image = build(engine, code, callbacks, 90);
  const Image from_source = build(kernel.with_slots(), kernel.callbacks(), 90);
  EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
  EXPECT_EQ(image.report().kernel.name, from_source.report().kernel.name);
  EXPECT_EQ(image.report().resources.registers, from_source.report().resources.registers);
  EXPECT_EQ(image.bytes().size(), from_source.bytes().size());
  for (const ToolVersion& tool : image.report().versions) EXPECT_NE(tool.tool, "NVRTC");
  EXPECT_EQ(describe(engine, code, 90), describe(kernel.with_slots(), 90));
}

INSTANTIATE_TEST_SUITE_P(Subjects, KernelPacks, testing::ValuesIn(test::kOwnKernels),
                         [](const auto& one) { return std::string(one.param->name); });

// What an author may say of a kernel.
KernelCode author() {
  return KernelCode::source(R"(
#include "point.h"
__device__ float metric(Point p, float b);
__device__ bool filter(int id);
extern __device__ const bool has_filter;
extern __device__ const int tile;
extern "C" __global__ void k(float* x, int n) {
  float sum = 0;
  for (int i = 0; i < tile; ++i)
    if (!has_filter || filter(i)) sum += metric(Point{x[i], 1}, x[n]);
  x[threadIdx.x] = sum;
}
)",
                            "author.cu")
      .with_header("point.h", "#pragma once\nstruct Point { float x, y; };\n")
      .with_default("metric", "#include \"point.h\"\n__device__ float l1(Point p, float b) { return fabsf(p.x - b); }")
      .with_optional("filter", "has_filter")
      .with_constant("tile", {4, 8})
      .with_thread_words("filter");
}

TEST(KernelPack, KeepsWhatTheAuthorSaid) {
  const KernelCode code = packed(author());
  EXPECT_EQ(code.optionals(), author().optionals());
  EXPECT_EQ(code.constants(), (std::vector<KernelCode::Constant>{{"tile", {4}}}));
  EXPECT_EQ(code.thread_words(), author().thread_words());
  ASSERT_EQ(code.headers().size(), 1u);
  EXPECT_EQ(code.headers()[0].name, "point.h");
  ASSERT_EQ(code.defaults().size(), 1u);
  const test::PartialToolkit linker(false, true);
  Engine engine(with_tools_of(linker));
  const Image image = build(engine, code, {}, 80);
  EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
  EXPECT_THAT(image.report().to_text(), HasSubstr("metric(Point, float): l1 in "));
  EXPECT_EQ(image.bytes().size(), build(author(), {}, 80).bytes().size());
}

TEST(KernelPack, HasItsConstantsCompiled) {
  const KernelCode code = packed(author());
  const test::PartialToolkit linker(false, true);
  Engine engine(with_tools_of(linker));
  const auto image_of = [&](std::int64_t tile) { return build(engine, code, {{}, {{"tile", tile}}}, 80); };
  EXPECT_NE(image_of(8).bytes().size(), image_of(4).bytes().size());
  const Error error = test::error_of([&] { image_of(16); });
  EXPECT_EQ(error.code(), ErrorCode::ToolMissing);
  EXPECT_THAT(error.what(), HasSubstr("tile = 16 of kernel.graft must be compiled"));
  EXPECT_NO_THROW(build(code, {{}, {{"tile", 16}}}, 80)) << "this machine has a compiler";
  const SlotCallback filter = compiled_for(author(), {"filter", "[](int i) { return i % 2 == 0; }"});
  EXPECT_TRUE(build(engine, code, {filter}, 80).report().inlined());
}

TEST(KernelPack, ItsCallbacksMayIncludeItsHeaders) {
  const Image image =
      build(packed(author()),
            {{"metric", "#include \"point.h\"\n__device__ float f(Point p, float b) { return p.x * b + p.y; }"}}, 80);
  EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
}

TEST(KernelPack, ThreadWordsAreAllowedWhereTheAuthorAllowsThem) {
  const char* const words = "__device__ bool f(int i) { return i < threadIdx.x; }";
  EXPECT_NO_THROW(build(packed(author()), {{"filter", words}}, 80));
  EXPECT_EQ(test::error_of([&] {
              build(packed(author()),
                    {{"metric",
                      "#include \"point.h\"\n__device__ float f(Point "
                      "p, float b) { return threadIdx.x; }"}},
                    80);
            }).code(),
            ErrorCode::InvalidArgument);
}

TEST(KernelPack, WithCubinsNeedsNoTools) {
  const KernelCode code = packed(author(), {80, 90}, PrecompileFormat::PackWithCubins);
  const test::PartialToolkit nothing(false, false);
  Engine engine(with_tools_of(nothing));
  for (const int number : {80, 90}) {
    const Image image = build(engine, code, {}, Architecture(number));
    const Image linked = build(author(), {}, Architecture(number));
    EXPECT_EQ(image.bytes().size(), linked.bytes().size());
    EXPECT_EQ(image.report().resources.registers, linked.report().resources.registers);
    EXPECT_EQ(image.report().kernel.name, "k");
  }
  // Any other request must be linked.
  EXPECT_EQ(test::error_of([&] { build(engine, code, {{}, {{"tile", 8}}}, 80); }).code(), ErrorCode::ToolMissing);
  EXPECT_EQ(test::error_of([&] { build(engine, code, {}, 86); }).code(), ErrorCode::ToolMissing);
  EXPECT_EQ(test::error_of([&] { build(engine, code, {}, 80, {.max_registers = 32}); }).code(), ErrorCode::ToolMissing);
}

// Returns the code's pack after `lie` has changed what it says of the code.
template <class Lie>
std::vector<std::byte> with_lie(const KernelCode& code, Lie lie) {
  const std::vector<std::byte> bytes = code.precompile({80});
  format::Pack pack = std::move(*format::read_pack(bytes));
  for (format::PackPart& part : pack.jobs.front().kernels.front().parts) {
    if (part.kind != format::PackPartKind::KernelLtoIr) continue;
    own_kernels::PackedCode packed = *own_kernels::read_packed_code(part.details);
    if (packed.shape) lie(*packed.shape);
    part.details = own_kernels::write(packed);
  }
  const base::Bytes written = *format::write_pack(pack);
  return {written.begin(), written.end()};
}

TEST(KernelPack, SymbolsAreNames) {
  const char* const path = "q;\n#include \"/etc/hostname\"\nint x";
  const auto build_lie = [&](auto lie) { build(KernelCode::pack(with_lie(author(), lie)), {{}, {{"tile", 16}}}, 80); };
  const auto nothing = [](own_kernels::CodeShape&) {};
  EXPECT_NO_THROW(build_lie(nothing));
  for (const Error& error :
       {test::error_of([&] { build_lie([&](own_kernels::CodeShape& shape) { shape.slots[0].symbol = path; }); }),
        test::error_of([&] { build_lie([&](own_kernels::CodeShape& shape) { shape.variables[0].symbol = path; }); }),
        test::error_of([&] { build_lie([&](own_kernels::CodeShape& shape) { shape.entries[0].symbol = ""; }); })}) {
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("a malformed description"));
  }
}

// Launches check arguments by these.
TEST(KernelPack, KernelsAreThoseOfTheImage) {
  const auto build_lie = [&](auto lie) { build(KernelCode::pack(with_lie(author(), lie)), {}, 80); };
  for (const Error& error :
       {test::error_of([&] { build_lie([](own_kernels::CodeShape& shape) { shape.entries[0].symbol = "other"; }); }),
        test::error_of([&] {
          build_lie([](own_kernels::CodeShape& shape) { shape.entries.push_back({"zzz", "zzz", {8}}); });
        }),
        test::error_of([&] {
          build_lie([](own_kernels::CodeShape& shape) { shape.entries[0].parameters = {8, 8}; });
        })}) {
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
    EXPECT_THAT(error.what(), HasSubstr("has no kernel"));
  }
}

// Callbacks that were compiled apart have equal names.
TEST(KernelPack, EqualNamesInPacksDoNotMeet) {
  const KernelCode code =
      "__device__ float f(float x);\n__device__ float g(float x);\n"
      "extern \"C\" __global__ void k(float* x) { *x = f(*x) + g(*x); }\n";
  const auto callback = [](const std::string& factor) {
    return Callback("__device__ float table[2] = {" + factor +
                    ", 1};\n"
                    "__noinline__ __device__ float helper(float x) { return x * table[x > 0]; }\n"
                    "__device__ float mine(float x) { return helper(x); }\n")
        .with_entry("mine");
  };
  const Image image =
      build(code, {compiled_for(code, {"f", callback("2")}), compiled_for(code, {"g", callback("3")})}, 90);
  const std::string& log = image.report().linker_log;  // names each function
  EXPECT_NE(log.find("helperEf"), log.rfind("helperEf")) << log;
  EXPECT_NO_THROW(
      build(code, {compiled_for(code, {"f", callback("2")}), compiled_for(code, {"g", callback("2")})}, 90));
}

TEST(KernelPack, ServesNewerArchitectures) {
  const KernelCode code = packed(author(), {80, 90});
  for (const int number : {80, 86, 90, 120}) EXPECT_TRUE(build(code, {}, Architecture(number)).report().inlined());
  const Error error = test::error_of([&] { build(code, {}, 75); });
  EXPECT_EQ(error.code(), ErrorCode::ImageRefused);
  EXPECT_THAT(error.what(), HasSubstr("kernel.graft holds nothing for sm_75, only for sm_80, sm_90"));
}

// The author's floating-point options survive: LTO-IR does not contain them.
TEST(KernelPack, KeepsFloatingPointOptions) {
  const KernelCode code = test::kSaxpy.with_slots().with_floating_point({.contraction = false});
  const Image image = build(packed(code), test::kSaxpy.callbacks(), 80);
  EXPECT_FALSE(image.report().kernel.floating_point.contraction);
  EXPECT_EQ(image.bytes().size(), build(code, test::kSaxpy.callbacks(), 80).bytes().size());
  EXPECT_EQ(test::error_of([&] {
              build(packed(code), test::kSaxpy.callbacks(), 80, {.floating_point = {.fast_math = true}});
            }).code(),
            ErrorCode::InvalidArgument);
}

TEST(KernelPack, OfLtoIrAndFatbinsIsAsOfSource) {
  const Callback text = Callback::source(
      "__device__ float f(float x);\n"
      "extern \"C\" __global__ void k(float* x) { *x = f(*x); }\n",
      "kernel.cu");
  const std::vector<std::byte> older = text.precompile({80}, PrecompileFormat::LtoIr),
                               newer = text.precompile({90}, PrecompileFormat::LtoIr);
  std::string why;
  const auto container = test::toolbox().toolkit().nvfatbin(why);
  ASSERT_TRUE(container) << why;
  using toolchain::FatbinPart;
  const KernelCode fatbin =
      KernelCode::fatbin(container->make({{FatbinPart::LtoIr, 80, older}, {FatbinPart::LtoIr, 90, newer}}, "k").code);
  for (const KernelCode& code : {fatbin, KernelCode::ltoir(older)}) {
    const Image image = build(packed(code, {80, 90}), {{"f", "[](float x) { return 2 * x; }"}}, 90);
    EXPECT_TRUE(image.report().inlined()) << image.report().to_text();
    EXPECT_EQ(test::error_of([&] { packed(code, {75}); }).code(), ErrorCode::ImageRefused);
  }
}

// ---- what does not fit ----

TEST(KernelPackMisfits, ACallbackForAnotherSlotIsRefused) {
  const KernelCode other =
      "__device__ double metric(double a);\n"
      "extern \"C\" __global__ void k(double* x) { *x = metric(*x); }\n";
  const SlotCallback callback = compiled_for(other, {"metric", "[](double a) { return a; }"});
  const Error error = test::error_of([&] { build(test::kNeighbours.with_slots(), {callback}, 90); });
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
  EXPECT_THAT(error.what(), HasSubstr("it was compiled for another slot"));
  EXPECT_THAT(error.what(), HasSubstr("metric(float, float, const Metric&)"));
  EXPECT_THAT(error.what(), HasSubstr("metric(double)"));
}

TEST(KernelPackMisfits, ResultsOfOtherTypesAreRefused) {
  const auto code = [](const std::string& type) {
    return KernelCode("__device__ " + type + " f(float a);\nextern \"C\" __global__ void k(" + type +
                      "* x) { *x = f(2.0f); }\n");
  };
  const SlotCallback callback = compiled_for(code("float"), {"f", "[](float a) { return a; }"});
  EXPECT_NO_THROW(build(code("float"), {callback}, 90));
  EXPECT_EQ(test::error_of([&] { build(code("double"), {callback}, 90); }).code(), ErrorCode::SignatureMismatch);
  EXPECT_EQ(test::error_of([&] { build(code("int"), {callback}, 90); }).code(), ErrorCode::SignatureMismatch);
}

TEST(KernelPackMisfits, FloatingPointOptionsAreThoseOfTheKernel) {
  const KernelCode code = test::kSaxpy.with_slots();
  const SlotCallback callback = test::kSaxpy.callbacks().front();
  const Callback fast =
      Callback::pack(code.precompile_for(callback, {80}, {.floating_point = {.fast_math = true}}), "fast.graft");
  const Error error = test::error_of([&] { build(code, {{callback.slot, fast}}, 90); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("fast.graft was compiled with floating_point."));
  EXPECT_NO_THROW(build(code.with_floating_point({.fast_math = true}), {{callback.slot, fast}}, 90));
}

TEST(KernelPackMisfits, FitIsCheckedAgainstThePack) {
  const KernelCode code = packed(test::kNeighbours.with_slots());
  const auto refused = [&](const KernelCallbacks& callbacks) {
    return test::error_of([&] { build(code, callbacks, 90); });
  };
  EXPECT_THAT(refused({{"metric", "[](double a, float b) { return 0.0f; }"}}).what(),
              HasSubstr("parameter 1 is `double`, and the slot passes `float`"));
  EXPECT_THAT(refused({{"metric", "[](float a, float b) { return 1; }"}}).what(),
              HasSubstr("its result is `int`, and the slot's is `float`"));
  EXPECT_EQ(refused({}).code(), ErrorCode::SlotEmpty);
  EXPECT_EQ(refused({{"metrik", "[](float a, float b) { return a; }"}}).code(), ErrorCode::NoSuchEntry);
}

TEST(KernelPackMisfits, PacksOfOtherKindsAreRefused) {
  const std::vector<std::byte> of_transform =
      Callback("__device__ float relu(float x) { return fmaxf(x, 0); }").precompile({80});
  const Error not_a_kernel = test::error_of([&] { KernelCode::pack(of_transform); });
  EXPECT_EQ(not_a_kernel.code(), ErrorCode::ImageRefused);
  EXPECT_THAT(not_a_kernel.what(), HasSubstr("is a pack of the family elementwise"));

  const Error not_for_a_slot = test::error_of([&] {
    build(test::kSaxpy.with_slots(), {{"combine", Callback::pack(of_transform)}}, 90);
  });
  EXPECT_EQ(not_for_a_slot.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(not_for_a_slot.what(), HasSubstr("was not compiled for a slot"));

  const std::vector<std::byte> code = test::kSaxpy.with_slots().precompile({80});
  EXPECT_THAT(test::error_of([&] { Callback::pack(code); }).what(), HasSubstr("graft::Kernel"));
  const std::vector<std::byte> slot = test::kSaxpy.with_slots().precompile_for(test::kSaxpy.callbacks().front(), {80});
  EXPECT_THAT(test::error_of([&] { KernelCode::pack(slot); }).what(), HasSubstr("of a slot's callback"));
  EXPECT_EQ(test::error_of([&] { build(Callback::pack(slot), Architecture(80)); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(test::error_of([&] { KernelCode::pack(code).precompile({80}); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(test::error_of([&] { test::kSaxpy.with_slots().precompile({}); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(test::error_of([&] { test::kSaxpy.with_slots().precompile({80}, PrecompileFormat::Ptx); }).code(),
            ErrorCode::InvalidArgument);
}

TEST(KernelPackMisfits, WhatIsOpenCannotBeFinished) {
  EXPECT_EQ(test::error_of([] { packed(test::kSaxpy.with_slots(), {80}, PrecompileFormat::PackWithCubins); }).code(),
            ErrorCode::SlotEmpty);
  EXPECT_EQ(test::error_of([] { packed(author().with_thread_words("filtr")); }).code(), ErrorCode::NoSuchEntry);
  EXPECT_EQ(test::error_of([] { packed(author().with_constant("tyle", {1})); }).code(), ErrorCode::InvalidArgument);
}

TEST(KernelPackMisfits, CutAndChangedPacksAreRefused) {
  const std::vector<std::byte> code = author().precompile({80});
  for (std::size_t size = 0; size < code.size(); size += 1 + code.size() / 97)
    EXPECT_EQ(test::error_of([&] { KernelCode::pack(std::span(code).first(size)); }).code(), ErrorCode::ImageRefused);
  for (std::size_t at = 0; at < code.size(); at += 1 + code.size() / 97) {
    std::vector<std::byte> changed = code;
    changed[at] ^= std::byte{1};
    EXPECT_EQ(test::error_of([&] { KernelCode::pack(changed); }).code(), ErrorCode::ImageRefused) << at;
  }
}

// A forger can write any description with right checksums. What a launch relies on is read from the linked image.
TEST(KernelPackMisfits, DescriptionsThatLie) {
  const std::vector<std::byte> code = test::kSaxpy.with_slots().precompile({80});
  const auto forged = [&](auto change) {
    format::Pack pack = *format::read_pack(code);
    change(pack.jobs.front().kernels.front());
    return *format::write_pack(pack);
  };
  using format::PackedKernel;
  const auto build_of = [](const base::Bytes& bytes) {
    return build(KernelCode::pack(bytes), test::kSaxpy.callbacks(), 80);
  };
  const auto code_of = [&](const base::Bytes& bytes) { return test::error_of([&] { build_of(bytes); }).code(); };
  EXPECT_EQ(code_of(forged([](PackedKernel& kernel) { kernel.details.clear(); })), ErrorCode::ImageRefused);
  EXPECT_EQ(code_of(forged([](PackedKernel& kernel) { kernel.parts.front().details.clear(); })),
            ErrorCode::ImageRefused);
  EXPECT_EQ(code_of(forged([](PackedKernel& kernel) { kernel.parts.front().details.resize(9); })),
            ErrorCode::ImageRefused);
  EXPECT_EQ(code_of(forged([](PackedKernel& kernel) { kernel.parts.clear(); })), ErrorCode::ImageRefused);
  // The name of the entry is that in the shape, which is in the image or the image is refused.
  const Image image = build_of(forged([](PackedKernel& kernel) { kernel.spec.name = "another"; }));
  EXPECT_EQ(image.report().kernel.name, "saxpy");
}

}  // namespace
}  // namespace graft
