// Makes the callbacks for the tables in docs/tables/matrix.md. A callback of any Shape (cells.hpp) consists of one or
// more of the functions below, which this file converts to each form. graft precompiles the compiled forms. The NVVM IR
// is written by hand.
#include "scenarios/matrix/cells.hpp"

#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace graft::test {
namespace {

// One function in all forms that the tests need: CUDA source, the declaration that graft needs for a compiled form, and
// hand-written NVVM IR for libNVVM. In the NVVM IR, structs are passed as nvcc passes them.
struct Function {
  std::string types;
  std::string head;  // the function's declaration, for example "float f(float x)"
  std::string body;
  std::string nvvm_types;
  std::string nvvm;  // the same function as a definition in NVVM IR
};

const Function kValue = {.types = "",
                         .head = "float f(float x)",
                         .body = "{ return 3 * x + 1; }",
                         .nvvm_types = "",
                         .nvvm =
                             "define float @f(float %x) {\n"
                             "  %a = fmul float %x, 3.0\n  %b = fadd float %a, 1.0\n  ret float %b\n}\n"};
const Function kDifference = {
    .types = "",
    .head = "float difference(float x, float y)",
    .body = "{ return x - y; }",
    .nvvm_types = "",
    .nvvm = "define float @difference(float %x, float %y) {\n  %a = fsub float %x, %y\n  ret float %a\n}\n"};
const Function kIndex = {.types = "",
                         .head = "float f(float x, graft::Index i)",
                         .body = "{ return x + i.value; }",
                         .nvvm_types = "%Index = type { i64 }\n",
                         .nvvm =
                             "define float @f(float %x, %Index %i) {\n"
                             "  %n = extractvalue %Index %i, 0\n"
                             "  %a = uitofp i64 %n to float\n"
                             "  %b = fadd float %x, %a\n  ret float %b\n}\n"};
const Function kState = {.types = "struct Line { float slope; short offset; };\n",
                         .head = "float f(float x, const Line& line)",
                         .body = "{ return line.slope * x + line.offset; }",
                         .nvvm_types = "%Line = type { float, i16, [2 x i8] }\n",
                         .nvvm =
                             "define float @f(float %x, %Line* %line) {\n"
                             "  %p = getelementptr %Line, %Line* %line, i32 0, i32 0\n  %s = load float, float* %p\n"
                             "  %q = getelementptr %Line, %Line* %line, i32 0, i32 1\n  %o = load i16, i16* %q\n"
                             "  %a = fmul float %s, %x\n  %b = sitofp i16 %o to float\n"
                             "  %c = fadd float %a, %b\n  ret float %c\n}\n"};
const Function kOutputs = {.types = "",
                           .head = "void f(float x, float& twice, short& less)",
                           .body = "{ twice = 2 * x; less = static_cast<short>(x) - 1; }",
                           .nvvm_types = "",
                           .nvvm =
                               "define void @f(float %x, float* %twice, i16* %less) {\n"
                               "  %a = fmul float %x, 2.0\n  store float %a, float* %twice\n"
                               "  %b = fptosi float %x to i16\n  %c = sub i16 %b, 1\n"
                               "  store i16 %c, i16* %less\n  ret void\n}\n"};
const Function kSelective = {.types = "",
                             .head = "graft::Store f(float x, float& twice, short& less)",
                             .body = "{ twice = 2 * x; less = static_cast<short>(x) - 1; return graft::Store(x > 0); }",
                             .nvvm_types = "%Store = type { i8 }\n",
                             .nvvm =
                                 "define %Store @f(float %x, float* %twice, i16* %less) {\n"
                                 "  %a = fmul float %x, 2.0\n  store float %a, float* %twice\n"
                                 "  %b = fptosi float %x to i16\n  %c = sub i16 %b, 1\n"
                                 "  store i16 %c, i16* %less\n"
                                 "  %p = fcmp ogt float %x, 0.0\n  %i = zext i1 %p to i8\n"
                                 "  %s = insertvalue %Store undef, i8 %i, 0\n  ret %Store %s\n}\n"};
const Function kStruct = {.types = "struct Pair { short x, y; };\nstruct Both { int sum; float product; };\n",
                          .head = "Both f(Pair p)",
                          .body = "{ return {p.x + p.y, static_cast<float>(p.x * p.y)}; }",
                          .nvvm_types = "%Pair = type { i16, i16 }\n%Both = type { i32, float }\n",
                          .nvvm =
                              "define %Both @f(%Pair %p) {\n"
                              "  %x = extractvalue %Pair %p, 0\n  %y = extractvalue %Pair %p, 1\n"
                              "  %xi = sext i16 %x to i32\n  %yi = sext i16 %y to i32\n"
                              "  %s = add i32 %xi, %yi\n  %m = mul i32 %xi, %yi\n"
                              "  %mf = sitofp i32 %m to float\n"
                              "  %a = insertvalue %Both undef, i32 %s, 0\n"
                              "  %b = insertvalue %Both %a, float %mf, 1\n  ret %Both %b\n}\n"};
const Function kLoad = {.types = "",
                        .head = "float load(void* data, unsigned long long offset, void* info, void* shared)",
                        .body = "{ return static_cast<signed char*>(data)[offset] * *static_cast<float*>(info); }",
                        .nvvm_types = "",
                        .nvvm =
                            "define float @load(i8* %data, i64 %offset, i8* %info, i8* %shared) {\n"
                            "  %p = getelementptr i8, i8* %data, i64 %offset\n  %b = load i8, i8* %p\n"
                            "  %n = sitofp i8 %b to float\n  %q = bitcast i8* %info to float*\n"
                            "  %f = load float, float* %q\n  %a = fmul float %n, %f\n  ret float %a\n}\n"};
const Function kStore = {
    .types = "",
    .head = "void store(void* data, unsigned long long offset, float element, void* info, void* shared)",
    .body = "{ static_cast<short*>(data)[offset] = element + *static_cast<int*>(info); }",
    .nvvm_types = "",
    .nvvm =
        "define void @store(i8* %data, i64 %offset, float %element, i8* %info, i8* %shared) {\n"
        "  %q = bitcast i8* %info to i32*\n  %i = load i32, i32* %q\n  %f = sitofp i32 %i to float\n"
        "  %a = fadd float %element, %f\n  %s = fptosi float %a to i16\n"
        "  %d = bitcast i8* %data to i16*\n  %p = getelementptr i16, i16* %d, i64 %offset\n"
        "  store i16 %s, i16* %p\n  ret void\n}\n"};

Callback source_of(const Function& function) {
  return Callback::source(function.types + "__device__ " + function.head + " " + function.body);
}

Callback nvvm_of(const Function& function) {
  const std::string module =
      "target datalayout = \"e-p:64:64:64-p3:32:32:32-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-"
      "f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n"
      "target triple = \"nvptx64-nvidia-cuda\"\n" +
      function.nvvm_types + function.nvvm + "!nvvmir.version = !{!0}\n!0 = !{i32 2, i32 0}\n";
  return Callback::nvvm(module).with_signature(function.types + "extern \"C\" " + function.head);
}

// Compiles an object for `architecture`, because an object is machine code for a single architecture. Compiles every
// other form for the oldest architecture, because its callback binary must link for all newer architectures.
Callback compiled(const Function& function, const FormOfCallback& form, Architecture architecture) {
  const Architecture made_for = form.form == Form::Object ? architecture : kOldestArchitecture;
  const std::vector<std::byte> bytes = source_of(function).precompile({made_for}, form.made_by);
  const auto declared = [&](const Callback& callback) {
    return callback.with_signature(function.types + function.head);
  };
  switch (form.form) {
    case Form::LtoIr:
      return declared(Callback::ltoir(bytes));
    case Form::Fatbin:
      return declared(Callback::fatbin(bytes));
    case Form::Ptx:
      return declared(Callback::ptx(std::string(base::as_text(bytes))));
    default:
      return declared(Callback::object(bytes));
  }
}

template <class Make>
Callback shaped(Shape shape, Make make) {
  switch (shape) {
    case Shape::Value:
      return make(kValue);
    case Shape::Index:
      return make(kIndex);
    case Shape::State:
      return make(kState);
    case Shape::Outputs:
      return make(kOutputs);
    case Shape::Selective:
      return make(kSelective);
    case Shape::Struct:
      return make(kStruct);
    case Shape::Stages:
      return Stages{.load = make(kLoad), .op = make(kValue), .store = make(kStore)};
    case Shape::Chain:
      break;
  }
  return chain(make(kValue), make(kDifference), make(kValue));
}

}  // namespace

std::string_view name(Shape shape) {
  static constexpr std::array kNames = {"value",     "index",  "state",          "several outputs",
                                        "selective", "struct", "load and store", "chain"};
  return kNames.at(static_cast<std::size_t>(shape));
}

Options on_route(Route route) {
  Options options;
  options.routes.required = route;
  return options;
}

Callback callback_of(const FormOfCallback& form, Shape shape, Architecture architecture) {
  switch (form.form) {
    case Form::Source:
      return shaped(shape, source_of);
    case Form::Nvvm:
      return shaped(shape, nvvm_of);
    case Form::Pack:
      return Callback::pack(shaped(shape, source_of).precompile({architecture}, form.made_by));
    default:
      return shaped(shape, [&](const Function& function) { return compiled(function, form, architecture); });
  }
}

}  // namespace graft::test
