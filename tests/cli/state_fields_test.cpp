// Tests how the fields of a state are read from text: by name, in order, nested, and what is refused.
#include "cli/arrays/state_fields.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cli/arrays/state_text.hpp"
#include "cli/npy_files.hpp"
#include "cli/program.hpp"
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

reflect::Part state() {
  auto found = reflect::read_structure(kText, "State");
  if (const auto* reason = std::get_if<std::string>(&found)) throw std::runtime_error(*reason);
  return std::get<reflect::Part>(found);
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

TEST(StateFields, StatesWithoutTextAreVectorTypes) {
  const ElementType float3{ElementKind::Class, 12, 4};
  const base::Bytes bytes = parse_state("x=1,y=2,z=3", float3, {"float3", ""});
  float values[3];
  ASSERT_EQ(bytes.size(), sizeof values);
  std::memcpy(values, bytes.data(), sizeof values);
  EXPECT_THAT(values, testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(test::error_of([&] {
                parse_state("a=1", float3, {"Scale", ""});
              }).message(),
              HasSubstr("without the callback's text"));
}

// If a macro that graft does not follow changes the struct, the compiler's size shows it.
TEST(StateFields, ASizeThatTheCompilerContradictsIsRefused) {
  const Error error = test::error_of([] {
    parse_state("a=1", {ElementKind::Class, 16, 16}, {"S", "struct S { float a; };"});
  });
  EXPECT_EQ(error.code(), ErrorCode::TypeMismatch);
  EXPECT_THAT(error.message(), HasSubstr("4 bytes aligned to 4, and the compiler says 16 bytes aligned to 16"));
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
