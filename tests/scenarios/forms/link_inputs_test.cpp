// Links callbacks with functions that were compiled elsewhere (Callback::with_link_input), in every binary form, on
// every route, without a GPU. The compiled forms of gain.cu are the link inputs here.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "base/files.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

struct Helper {
  const char* file;
  Form form;
  bool has_ltoir;
  bool has_code;  // PTX or machine code
};

constexpr Helper kHelpers[] = {
    {"gain.ltoir", Form::LtoIr, true, false},       {"gain.ptx", Form::Ptx, false, true},
    {"gain_lto.fatbin", Form::Fatbin, true, false}, {"gain_ptx.fatbin", Form::Fatbin, false, true},
    {"gain_all.fatbin", Form::Fatbin, true, true},  {"gain.cubin", Form::Object, false, true},
    {"gain_lto.o", Form::Object, true, false},      {"gain_code.o", Form::Object, false, true},
    {"gain_lto.a", Form::Object, true, false},      {"gain_code.a", Form::Object, false, true},
};

// Calls one function with C linkage and one with C++ linkage.
Callback caller() {
  return "extern \"C\" __device__ float gain(float);\n"
         "namespace math { __device__ float square(float); }\n"
         "__device__ float f(float x) { return gain(x) + math::square(x); }";
}

// Calls a function with C linkage only: in a composition, graft puts each source into a namespace of its own.
Callback part(const char* name) {
  return Callback::source(
      "extern \"C\" __device__ float gain(float);\n"
      "__device__ float f(float x) { return gain(x); }",
      name);
}

Callback with(const Callback& callback, const char* file, Form form) {
  return callback.with_link_input(compiled(form, file));
}

class LinkInputs : public testing::TestWithParam<Helper> {};

TEST_P(LinkInputs, AreInlinedOnTheLtoRouteWhereTheyAreLtoIr) {
  const Report report = build(with(caller(), GetParam().file, GetParam().form), Architecture(75)).report();
  EXPECT_EQ(report.kernel.route, Route::Lto);
  EXPECT_EQ(report.inlined(), GetParam().has_ltoir) << report.to_text();
  if (!GetParam().has_ltoir) {
    EXPECT_THAT(report.remaining_calls, Contains("gain"));
    EXPECT_THAT(report.remaining_calls, Contains(HasSubstr("math::square")));
  }
  EXPECT_GT(report.resources.registers, 0);
}

TEST_P(LinkInputs, AreCalledOnTheRoutesThatLinkPtx) {
  for (const Route route : {Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    const Callback callback = with(caller(), GetParam().file, GetParam().form);
    if (GetParam().has_code) {
      const Report report = build(callback, Architecture(75), by(route)).report();
      EXPECT_EQ(report.kernel.route, route);
      EXPECT_THAT(report.remaining_calls, Contains("gain"));
      continue;
    }
    const Error error = error_of([&] { build(callback, Architecture(75), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable) << error.what();
    EXPECT_THAT(error.message(), HasSubstr("has neither PTX nor machine code"));
    EXPECT_THAT(error.message(), HasSubstr(GetParam().file));
  }
}

TEST_P(LinkInputs, AreRefusedOnTheRoutesThatLinkNothing) {
  const Callback callback = with(caller(), GetParam().file, GetParam().form);
  const Error program = error_of([&] { build(callback, Architecture(75), by(Route::Program)); });
  EXPECT_EQ(program.code(), ErrorCode::RouteUnavailable) << program.what();
  EXPECT_THAT(program.message(), HasSubstr("callback.cu has link inputs, and this route links nothing"));
  const Error host = error_of([&] { Transform::create(callback, by(Route::Host)); });
  EXPECT_EQ(host.code(), ErrorCode::RouteUnavailable) << host.what();
  EXPECT_THAT(host.message(), HasSubstr("callback.cu has link inputs, which are code for GPUs"));
}

TEST_P(LinkInputs, ServeCompiledCallbacksToo) {
  const Helper& helper = GetParam();
  const auto linked = [&](const Callback& callback) { return with(callback, helper.file, helper.form); };
  const Callback ltoir = Callback::ltoir(caller().precompile({75}, PrecompileFormat::LtoIr), "caller.ltoir")
                             .with_signature("float f(float)");
  const Report report = build(linked(ltoir), Architecture(75)).report();
  EXPECT_EQ(report.kernel.route, Route::Lto);
  EXPECT_EQ(report.inlined(), helper.has_ltoir) << report.to_text();
  const Callback cubin = Callback::object(caller().precompile({75}, PrecompileFormat::Cubin), "caller.cubin")
                             .with_signature("float f(float)");
  for (const Route route : {Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    if (helper.has_code) {
      EXPECT_THAT(build(linked(cubin), Architecture(75), by(route)).report().remaining_calls, Contains("gain"));
    } else {
      const Error error = error_of([&] { build(linked(cubin), Architecture(75), by(route)); });
      EXPECT_EQ(error.code(), ErrorCode::RouteUnavailable) << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, LinkInputs, testing::ValuesIn(kHelpers), [](const auto& row) {
  std::string name = row.param.file;
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
});

TEST(LinkInput, OfLtoIrMakesTheSameKernelAsTheFunctionsText) {
  const auto ptx = [](const Callback& callback) { return lto_kernel_ptx(callback.with_entry("f"), Architecture(75)); };
  EXPECT_EQ(ptx(with(caller(), "gain.ltoir", Form::LtoIr)),
            ptx("extern \"C\" __device__ float gain(float x) { return 3.0f * x; }\n"
                "namespace math { __device__ float square(float x) { return x * x; } }\n"
                "__device__ float f(float x) { return gain(x) + math::square(x); }"));
}

TEST(LinkInput, OfPartsIsLinkedOnce) {
  const Callback first = with(part("a.cu"), "gain.ltoir", Form::LtoIr);
  const Callback second = with(part("b.cu"), "gain.ltoir", Form::LtoIr);
  EXPECT_TRUE(build(chain(first, second), Architecture(75)).report().inlined());
  const Callback whole = with(chain(part("a.cu"), part("b.cu")), "gain.ltoir", Form::LtoIr);
  EXPECT_TRUE(build(whole, Architecture(75)).report().inlined());
  for (const Route route : {Route::Ptx, Route::Indirect}) {
    const Callback called = with(chain(part("a.cu"), part("b.cu")), "gain.ptx", Form::Ptx);
    EXPECT_THAT(build(called, Architecture(75), by(route)).report().remaining_calls, Contains("gain")) << name(route);
  }
  // A part that defines a function of this name has its own.
  const Callback own("extern \"C\" __device__ float gain(float x) { return -x; }");
  EXPECT_TRUE(build(chain(first, own), Architecture(75)).report().inlined());
}

TEST(LinkInput, ThatLacksTheFunctionIsNamedWithIt) {
  const Callback lost("__device__ float nowhere(float);\n__device__ float f(float x) { return nowhere(x); }");
  for (const Route route : {Route::Lto, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    for (const Callback& callback : {lost, with(lost, "gain_all.fatbin", Form::Fatbin)}) {
      const Error error = error_of([&] { build(callback, Architecture(75), by(route)); });
      EXPECT_EQ(error.code(), ErrorCode::LinkFailed) << error.what();
      EXPECT_THAT(error.message(), HasSubstr("`nowhere(float)` is called, and nothing defines it"));
      EXPECT_THAT(error.remedy(), HasSubstr("with_link_input"));
    }
  }
}

// nvcc records its floating-point flags in a fatbin, as text of fixed length, and compiles the same LTO-IR with all of
// them.
TEST(LinkInput, ThatWasCompiledWithOtherFlagsGetsANote) {
  const auto with_flags = [](const char* file, Form form) {
    std::string bytes = fixture(file);
    for (const auto& [from, to] : {std::pair("-fmad=1", "-fmad=0"), std::pair("-ftz=0", "-ftz=1")}) {
      const std::size_t at = bytes.find(from);
      if (at == bytes.npos) throw std::runtime_error("no flags in the fatbin");
      bytes.replace(at, std::string(from).size(), to);
    }
    const auto code = base::as_bytes(bytes);
    return form == Form::Fatbin ? Callback::fatbin(code, file) : Callback::object(code, file);
  };
  const auto notes = [](const Callback& callback, const Options& options = {}) {
    return build(callback, Architecture(75), options).report().notes;
  };
  for (const auto& [file, form] : {std::pair("gain_lto.fatbin", Form::Fatbin), std::pair("gain_lto.o", Form::Object),
                                   std::pair("gain_lto.a", Form::Object)}) {
    SCOPED_TRACE(file);
    const Callback input = with_flags(file, form);
    EXPECT_THAT(notes(caller().with_link_input(input)),
                Contains(AllOf(HasSubstr(file), HasSubstr("-fmad=false -ftz=true"), HasSubstr("with_floating_point"))));
    Options same;
    same.floating_point.contraction = false;
    same.floating_point.flush_to_zero = true;
    EXPECT_THAT(notes(caller().with_link_input(input), same), Not(Contains(HasSubstr("-fmad"))));
    EXPECT_THAT(notes(with(caller(), file, form)), Not(Contains(HasSubstr("-fmad"))));
  }
}

// A variable that nothing defines would be 0.
TEST(LinkInput, ThatLacksAVariableIsNamedWithIt) {
  struct Row {
    const char* source;
    const char* name;
  };
  const std::vector<Row> rows = {
      {"extern __device__ float w;\n__device__ float f(float x) { return w * x; }", "`w` is used"},
      {"extern __constant__ float t[4];\n__device__ float f(float x) { return t[1] * x; }", "`t` is used"},
      {"extern \"C\" __device__ float w;\n__device__ float f(float x) { return w * x; }", "`w` is used"},
      {"namespace n { extern __device__ float w; }\n__device__ float f(float x) { return n::w * x; }",
       "`n::w` is used"},
      {"extern __device__ const float w;\n__device__ float f(float x) { return w * x; }", "`w` is used"},
  };
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host})
    for (const Architecture architecture : {Architecture(75), Architecture(100)})
      for (const Row& row : rows) {
        SCOPED_TRACE(testing::Message() << name(route) << ' ' << architecture.sm() << ' ' << row.source);
        const bool on_host = route == Route::Host;
        const Error error = error_of([&] {
          if (on_host) Transform::create(row.source, by(route));
          else build(row.source, architecture, by(route));
        });
        EXPECT_EQ(error.code(), on_host ? ErrorCode::CompileFailed : ErrorCode::LinkFailed) << error.what();
        EXPECT_THAT(error.message(), HasSubstr(row.name));
        EXPECT_THAT(error.message(), HasSubstr("and nothing defines it"));
        EXPECT_THAT(error.message(), Not(HasSubstr("/proc/")));
        EXPECT_THAT(error.remedy(), HasSubstr("Define"));
      }
}

TEST(LinkInput, AVariableThatNothingUsesNeedsNoDefinition) {
  const Callback unused(
      "extern __device__ float w;\nextern __constant__ float t[4];\n__device__ float f(float x) { return 2 * x; }");
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect})
    EXPECT_EQ(build(unused, Architecture(90), by(route)).report().kernel.route, route);
  EXPECT_FALSE(unused.precompile({75}).empty());
}

TEST(LinkInput, ThatDefinesTheVariableIsLinked) {
  const Callback user("extern __device__ float w;\n__device__ float f(float x) { return w * x; }");
  const Callback definition("__device__ float w = 2;\n__device__ float unused(float x) { return x; }");
  const Callback ltoir = Callback::ltoir(definition.precompile({75}, PrecompileFormat::LtoIr), "w.ltoir");
  const Callback ptx =
      Callback::ptx(std::string(base::as_text(definition.precompile({75}, PrecompileFormat::Ptx))), "w.ptx");
  EXPECT_EQ(build(user.with_link_input(ltoir), Architecture(90)).report().kernel.route, Route::Lto);
  for (const Route route : {Route::Lto, Route::Ptx, Route::Indirect})
    EXPECT_EQ(build(user.with_link_input(ptx), Architecture(90), by(route)).report().kernel.route, route);
  const Callback pack = Callback::pack(user.with_link_input(ltoir).precompile({75}));
  EXPECT_EQ(build(pack, Architecture(90)).report().kernel.route, Route::Lto);
}

TEST(LinkInput, ThatDefinesAFunctionAgainIsNamed) {
  const Callback again =
      Callback::ptx(std::string(base::as_text(Callback("extern \"C\" __device__ float gain(float x) { return x; }")
                                                  .precompile({75}, PrecompileFormat::Ptx))),
                    "again.ptx");
  const Error both =
      error_of([&] { build(with(caller(), "gain.ptx", Form::Ptx).with_link_input(again), Architecture(75)); });
  EXPECT_EQ(both.code(), ErrorCode::LinkFailed) << both.what();
  EXPECT_EQ(both.message(), "`gain` is defined by gain.ptx and by again.ptx too");

  const Callback own("extern \"C\" __device__ float gain(float x) { return x; }");
  for (const Route route : {Route::Ptx, Route::Indirect}) {
    const Error error = error_of([&] { build(with(own, "gain.ptx", Form::Ptx), Architecture(75), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::LinkFailed) << error.what();
    EXPECT_EQ(error.message(), "`gain` is defined by gain in callback.cu and by gain.ptx too") << name(route);
  }
  const Error ltoir = error_of([&] { build(with(own, "gain.ltoir", Form::LtoIr), Architecture(75)); });
  EXPECT_EQ(ltoir.message(), "`gain` is defined by gain in callback.cu and by gain.ltoir too");
}

TEST(LinkInput, OfAnotherPrototypeIsRefused) {
  const Callback wrong(
      "extern \"C\" __device__ double gain(double);\n__device__ double f(double x) { return gain(x); }");
  for (const Route route : {Route::Lto, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    const Error error = error_of([&] { build(with(wrong, "gain.ptx", Form::Ptx), Architecture(75), by(route)); });
    EXPECT_EQ(error.code(), ErrorCode::LinkFailed) << error.what();
    EXPECT_THAT(error.message(), HasSubstr("f in callback.cu declares `gain` with"));
  }
}

TEST(LinkInput, OfAnotherArchitectureOrDamagedIsRefusedByName) {
  const Error newer = error_of([] { build(with(caller(), "gain_90.ptx", Form::Ptx), Architecture(75)); });
  EXPECT_EQ(newer.code(), ErrorCode::ImageRefused) << newer.what();
  EXPECT_THAT(newer.message(), HasSubstr("gain_90.ptx holds nothing for sm_75"));
  const Error other = error_of([] { build(with(caller(), "gain.cubin", Form::Object), Architecture(90)); });
  EXPECT_EQ(other.code(), ErrorCode::ImageRefused) << other.what();
  for (const char* file : {"gain.ltoir", "gain.ptx", "gain_all.fatbin", "gain.cubin", "gain_code.a"}) {
    const std::string whole = fixture(file);
    const std::string cut = whole.substr(0, whole.size() / 3);
    const Callback helper = compiled(std::string(file).ends_with("ltoir") ? Form::Object : Form::LtoIr, file);
    const Error form = error_of([&] { build(caller().with_link_input(helper), Architecture(75)); });
    EXPECT_EQ(form.code(), ErrorCode::ImageRefused) << form.what();
    EXPECT_THAT(form.message(), HasSubstr(file));
    if (std::string(file) == "gain.ltoir") continue;  // graft cannot see where LTO-IR ends
    const Callback damaged = std::string(file) == "gain.ptx"          ? Callback::ptx(cut, file)
                             : std::string(file) == "gain_all.fatbin" ? Callback::fatbin(base::as_bytes(cut), file)
                                                                      : Callback::object(base::as_bytes(cut), file);
    const Error error = error_of([&] { build(caller().with_link_input(damaged), Architecture(75)); });
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
    EXPECT_THAT(error.message(), HasSubstr(file));
  }
}

TEST(LinkInput, IsCompiledCode) {
  for (const Callback& other :
       {Callback("[](float x) { return x; }"), chain("[](float x) { return x; }", "[](float x) { return x; }"),
        Callback::nvvm("; ModuleID", Libdevice::Without, "a.ll"),
        Callback::pack(caller().with_link_input(compiled(Form::LtoIr, "gain.ltoir")).precompile({75}))}) {
    const Error error = error_of([&] { caller().with_link_input(other); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << error.what();
    EXPECT_THAT(error.message(), HasSubstr("can be linked with a callback"));
  }
}

TEST(LinkInput, IsPartOfTheCallbacksIdentity) {
  const Callback one = with(caller(), "gain.ptx", Form::Ptx);
  EXPECT_EQ(one, with(caller(), "gain.ptx", Form::Ptx));
  EXPECT_FALSE(one == caller());
  EXPECT_NE(one.hash(), caller().hash());
  EXPECT_FALSE(one == with(caller(), "gain.cubin", Form::Object));
  EXPECT_EQ(one.with_entry("f").link_inputs().size(), 1u);
}

// The parts of an inner chain become parts of the outer one, and its link inputs those of the outer one.
TEST(LinkInput, OfAnInnerChainIsLinked) {
  const Callback twice = "__device__ float g(float x) { return 2 * x; }";
  const Callback load =
      "__device__ float load(void* data, unsigned long long i, void*, void*) { return static_cast<float*>(data)[i]; }";
  const Callback inner = with(chain(part("a.cu"), twice), "gain.ltoir", Form::LtoIr);
  const Callback library = compiled(Form::LtoIr, "gain.ltoir");
  EXPECT_EQ(chain(inner, twice).link_inputs(), std::vector<Callback>{library});
  for (const Callback& callback :
       {chain(inner, twice), chain(twice, inner), chain(inner, inner), Callback(Stages{.load = load, .op = inner})}) {
    const Report report = build(callback, Architecture(75)).report();
    EXPECT_EQ(report.kernel.route, Route::Lto) << callback.name();
    EXPECT_TRUE(report.inlined()) << report.to_text();
  }
}

TEST(LinkInput, IsInThePackOfItsCallback) {
  const Callback callback = with(caller(), "gain.ltoir", Form::LtoIr);
  for (const PrecompileFormat format : {PrecompileFormat::Pack, PrecompileFormat::PackWithCubins}) {
    const Callback pack = Callback::pack(callback.precompile({75}, format));
    for (const Architecture architecture : {Architecture(75), Architecture(90)}) {
      const Report report = build(pack, architecture).report();
      EXPECT_EQ(report.kernel.route, Route::Lto);
      EXPECT_TRUE(report.inlined()) << report.to_text();
    }
    EXPECT_EQ(error_of([&] { pack.with_link_input(compiled(Form::LtoIr, "gain.ltoir")); }).code(),
              ErrorCode::InvalidArgument);
  }
  const Callback code = with(caller(), "gain.ptx", Form::Ptx);
  const Error error = error_of([&] { code.precompile({75}); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.message(), HasSubstr("callback.cu is source with link inputs that are not all LTO-IR"));
  const Callback finished = Callback::pack(code.precompile({75}, PrecompileFormat::PackWithCubins));
  EXPECT_THAT(build(finished, Architecture(75)).report().remaining_calls, Contains("gain"));
  EXPECT_EQ(error_of([&] { code.precompile({75}, PrecompileFormat::Ptx); }).code(), ErrorCode::InvalidArgument);
  // Nothing is wrong with these link inputs: PTX takes none into a pack.
  const Callback whole = "extern \"C\" __device__ float f(float x) { return 2 * x; }";
  const Callback ptx = Callback::ptx(std::string(base::as_text(whole.precompile({75}, PrecompileFormat::Ptx))))
                           .with_signature("extern \"C\" float f(float)");
  const Error of_ptx = error_of([&] { with(ptx, "gain.ltoir", Form::LtoIr).precompile({75}); });
  EXPECT_THAT(of_ptx.message(), HasSubstr("is PTX with link inputs: a pack of it can only hold finished kernels"));
}

TEST(LinkInput, IsPartOfTheKernelsNameOnDisk) {
  const base::TemporaryFolder folder;
  const auto is_found = [&](const Callback& callback) {
    Engine engine({.cache = {.policy = CachePolicy::ReadWrite,
                             .folder = folder.path(),
                             .layers = std::vector<std::filesystem::path>{}}});
    return build(engine, callback, Architecture(75)).report().from_cache;
  };
  EXPECT_FALSE(is_found(with(caller(), "gain.ltoir", Form::LtoIr)));
  EXPECT_TRUE(is_found(with(caller(), "gain.ltoir", Form::LtoIr)));
  EXPECT_FALSE(is_found(with(caller(), "gain.ptx", Form::Ptx)));
}

TEST(LinkInput, IsRefusedInTheClosedMode) {
  Options options;
  options.closed.emplace();
  const Error error = error_of([&] { build(with(caller(), "gain.ltoir", Form::LtoIr), Architecture(75), options); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.message(), HasSubstr("callback.cu has the link input gain.ltoir"));
}

// A function that is called has its own registers, which the kernel's limit must bound too.
TEST(LinkInput, KeepsTheLimitOfRegisters) {
  const Callback heavy = Callback::ptx(
      std::string(base::as_text(Callback("extern \"C\" __device__ float gain(float x) {\n"
                                         "  float a[48];\n"
                                         "#pragma unroll\n"
                                         "  for (int i = 0; i < 48; ++i) a[i] = sinf(x * i);\n"
                                         "  float sum = 0;\n"
                                         "#pragma unroll\n"
                                         "  for (int i = 0; i < 48; ++i) sum += a[i] * a[(i * 7 + 3) % 48];\n"
                                         "  return sum;\n"
                                         "}")
                                    .precompile({75}, PrecompileFormat::Ptx))),
      "heavy.ptx");
  const Callback callback = Callback(
                                "extern \"C\" __device__ float gain(float);\n"
                                "__device__ float f(float x) { return gain(x); }")
                                .with_link_input(heavy);
  for (const Route route : {Route::Lto, Route::Ptx}) {
    Options options = by(route);
    EXPECT_GT(build(callback, Architecture(75), options).report().resources.registers, 32) << name(route);
    options.max_registers = 32;
    EXPECT_LE(build(callback, Architecture(75), options).report().resources.registers, 32) << name(route);
  }
}

}  // namespace
}  // namespace graft::test
