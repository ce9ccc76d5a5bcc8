// Tests how the fields of a state are read from text: by name, in order, nested, and what is refused.
#include "cli/arrays/state_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cli/arrays/state_source.hpp"
#include "cli/arrays/state_text.hpp"
#include "cli/npy_files.hpp"
#include "cli/program.hpp"
#include "compile/state_object.hpp"
#include "graft/engine.hpp"
#include "graft/error.hpp"
#include "support/errors.hpp"

namespace graft::cli {
namespace {

using testing::HasSubstr;

constexpr const char* kText =
    "struct Inner { float a, b; };\n"
    "struct State { int n; Inner inner; double w[2]; bool on; const float* table; };\n";

struct Inner {
  float a, b;
};
struct State {
  int n;
  Inner inner;
  double w[2];
  bool on;
  const float* table;
};

// Returns the fields of a state of this type, as the compiler describes them.
format::Field fields_of(const std::string& text, const std::string& type) {
  const base::Bytes object =
      compile::state_object(Callback::source(text + "__device__ float f(float x, const " + type + "& s) { return x; }"),
                            Architecture(90), {});
  auto found = format::read_field_type(object, compile::kParameterStruct, compile::kStateField);
  if (!found) throw std::runtime_error(found.error().message);
  found->type = type;
  return std::move(*found);
}

const format::Field& state() {
  static const format::Field kFields = fields_of(kText, "State");
  return kFields;
}

class StateFields : public testing::TestWithParam<const char*> {};

TEST_P(StateFields, EveryWayOfWritingGivesTheSameBytes) {
  const base::Bytes bytes = bytes_of_fields(GetParam(), state());
  ASSERT_EQ(bytes.size(), sizeof(State));
  State read{};
  std::memcpy(&read, bytes.data(), sizeof read);
  EXPECT_EQ(read.n, -3);
  EXPECT_EQ(read.inner.a, 1.5f);
  EXPECT_EQ(read.inner.b, 2.0f);
  EXPECT_EQ(read.w[0], 0.25);
  EXPECT_EQ(read.w[1], 1e9);
  EXPECT_TRUE(read.on);
  EXPECT_EQ(read.table, nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    StateFields, StateFields,
    testing::Values("n=-3,inner={a=1.5,b=2},w={0.25,1e9},on=true,table=0",
                    " table = 0 , on = 1 , w = { 0.25 , 1e9 } , inner = { b = 2 , a = 1.5 } , n = -3 ",
                    "n=-3,inner.a=1.5,inner.b=2,w[0]=0.25,w[1]=1e9,on=1,table=0", "-3,{1.5,2},{0.25,1e9},true,0",
                    "n=-3,inner={1.5,2},w={[1]=1e9,[0]=0.25},on=true,table=0"));

struct Refused {
  const char* text;
  const char* words;
};
class StateFieldsRefused : public testing::TestWithParam<Refused> {};

TEST_P(StateFieldsRefused, SaysWhyAndListsTheFields) {
  const Error error = test::error_of([] { bytes_of_fields(GetParam().text, state()); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.message(), HasSubstr(GetParam().words));
  EXPECT_THAT(error.remedy(), HasSubstr("n (int), inner (Inner), w (double[2]), on (bool), table (const float*)"));
}

INSTANTIATE_TEST_SUITE_P(
    StateFields, StateFieldsRefused,
    testing::Values(Refused{"n=1", "no value for inner.a, inner.b, w[0], w[1], on, table"},
                    Refused{"n=1,innr={1,2}", "no field `innr`. Did you mean `inner`?"},
                    Refused{"inner.c=1", "no field `inner.c`"}, Refused{"w[2]=1", "no field `w[2]`"},
                    Refused{"n=1,n=2", "the field `n` twice"},
                    Refused{"n=1.5", "`1.5` is not a valid value of the field `n`"},
                    Refused{"w={1}", "1 values for the 2 parts of w"}, Refused{"w=1", "the field `w` is a double[2]"},
                    Refused{"n=1,2", "`2` without the name"}, Refused{"w={1,2", "braces"}, Refused{"w=1}", "braces"},
                    Refused{"", "1 values for the 5 parts of State"}, Refused{"=1", "no field"},
                    Refused{"n={1}", "not a valid value of the field `n`"}));

TEST(StateFields, APointerCanOnlyBeNull) {
  const Error error = test::error_of([] { bytes_of_fields("n=1,inner={1,2},w={1,2},on=0,table=4096", state()); });
  EXPECT_THAT(error.message(), HasSubstr("`table` is a pointer"));
}

TEST(StateFields, OfAVectorType) {
  const base::Bytes bytes = bytes_of_fields("x=1,y=2,z=3", fields_of("", "float3"));
  float values[3];
  ASSERT_EQ(bytes.size(), sizeof values);
  std::memcpy(values, bytes.data(), sizeof values);
  EXPECT_THAT(values, testing::ElementsAre(1, 2, 3));
}

TEST(StateFields, ThatCannotBeReadAreRefused) {
  const ElementType type{ElementKind::Class, 8, 4};
  const auto refusal = [&](format::Outcome<format::Field> found) {
    const Error error = test::error_of([&] { parse_state("a=1", type, [&] { return found; }); });
    EXPECT_EQ(error.code(), ErrorCode::TypeMismatch);
    EXPECT_THAT(error.remedy(), HasSubstr("--state hex:"));
    return error.message();
  };
  EXPECT_THAT(refusal(format::FormatError{format::Flaw::Unfit, "`u` is a union", 0}), HasSubstr("`u` is a union"));
  EXPECT_THAT(refusal(fields_of("struct S { float a; };", "S")), HasSubstr("changed"));
}

// A compiled callback has no text: its state is of a type of CUDA's, or its fields are unknown.
TEST(StateFields, OfACompiledCallback) {
  const test::Program graft;
  const auto fields = [&](const std::string& text) {
    graft.write("f.cu", text);
    EXPECT_EQ(graft.run("precompile f.cu --arch 90 -o f.graft").exit_code, 0);
    BuildRequest request;
    request.callback = graft.path("f.graft");
    request.read_content();
    const Image image = build(Callback::file(request.callback), Architecture(90), {});
    const auto found = fields_of_state(request, image, [](const BuildRequest& asked) {
      return compile::state_object(asked.read_callback(), Architecture(90), asked.options());
    });
    return found ? list_of_fields(*found) : found.error().message;
  };
  EXPECT_EQ(fields("__device__ float f(float x, const float2& s) { return s.y * x; }"), "x (float), y (float)");
  EXPECT_EQ(fields("struct S { float a; }; __device__ float f(float x, const S& s) { return s.a * x; }"),
            "the text that defines S is not given");
}

TEST(StateFields, TheCallbackGetsTheFields) {
  const test::Program graft;
  std::filesystem::create_directory(graft.path("headers"));
  graft.write("headers/outer.hpp",
              "#pragma once\n#include \"inner.hpp\"\nstruct Outer { Inner inner; float w[2]; };\n");
  graft.write("headers/inner.hpp", "namespace { } struct Inner { char tag; double a; };\n");
  graft.write(
      "outer.cu",
      "#include <outer.hpp>\n"
      "__device__ double f(double x, const Outer& s) { return s.inner.tag + s.inner.a * x + s.w[0] - s.w[1]; }\n");
  graft.write("a.npy", test::npy("'<f8'", "(2,)", test::raw<double>({1, 2})));
  const test::Result run =
      graft.run("apply outer.cu -I headers -i a.npy -o c.npy --state 'inner={tag=1,a=10},w={0.5,0.25}' --route host");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(graft.read("c.npy"), testing::EndsWith(test::raw<double>({11.25, 21.25})));
  const test::Result wrong = graft.run("apply outer.cu -I headers -i a.npy -o d.npy --state w=2 --route host");
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("The fields are inner (Inner), w (float[2])"));
}

}  // namespace
}  // namespace graft::cli
