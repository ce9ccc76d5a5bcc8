// Tests the reader of PTX. Each expected text has one line for each function in the PTX.
#include "format/ptx.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "format/samples.hpp"

namespace graft::format {
namespace {

std::string list(const std::vector<PtxParameter>& parameters) {
  std::string text;
  for (const PtxParameter& p : parameters) text += fmt::format("{}{}/{}", text.empty() ? "" : " ", p.size, p.alignment);
  return text;
}

std::string text(std::string_view ptx) {
  const auto read = read_ptx(ptx);
  if (!read) return read.error().message;
  std::string lines = fmt::format("{} {}\n", read->version.text(), read->target.sm());
  constexpr const char* kWords[] = {"local", "visible", "weak", "extern"};
  for (const PtxFunction& f : read->functions)
    lines += fmt::format("{}{}{} ({}) {}({})\n", kWords[f.linkage], f.is_kernel ? " kernel" : "",
                         f.is_defined ? "" : " declared", list(f.results), f.name, list(f.parameters));
  return lines;
}

constexpr std::string_view kHead = ".version 8.5\n.target sm_90a, debug\n.address_size 64\n";

std::string functions(std::string_view ptx) {
  const std::string whole = text(std::string(kHead) + std::string(ptx));
  constexpr std::string_view head = "8.5 sm_90a\n";
  return whole.starts_with(head) ? whole.substr(head.size()) : whole;
}

TEST(Ptx, OfNvccIsRead) {
  const std::string ptx = sample("nvcc_75.ptx");
  EXPECT_EQ(text(ptx),
            "9.0 sm_75\n"
            "extern declared (4/4) _Z9undefinedf(4/4)\n"
            "weak (4/4) _ZN4math5twiceIfEET_S1_(4/4)\n"
            "local (4/4) _ZN43_INTERNAL_7b48f286_12_callbacks_cu_129b00115localEf(4/4)\n"
            "visible (4/4) _Z4reluf(4/4)\n"
            "visible (4/4) c_relu(4/4 4/4 4/4)\n"
            "visible kernel () _Z6kernelPf(8/8)\n"
            "visible (8/4) _ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy(8/4 8/8 8/8 8/8)\n");
  const auto read = read_ptx(ptx);
  ASSERT_TRUE(read);
  ASSERT_NE(read->find("c_relu"), nullptr);
  EXPECT_EQ(read->find("c_relu")->parameters.size(), 3u);
  EXPECT_EQ(read->find("absent"), nullptr);
}

TEST(Ptx, FunctionsAreReadInEachShape) {
  struct Row {
    const char* ptx;
    const char* expected;
  };
  const Row rows[] = {
      {"", ""},
      {".visible .func f { ret; }", "visible () f()\n"},
      {".visible .func f() { }", "visible () f()\n"},
      {".func f;", "local declared () f()\n"},
      {".visible .func (.param .b32 r) f(.param .b64 a, .param .f64 b) { }", "visible (4/4) f(8/8 8/8)\n"},
      {".weak .func (.param .align 4 .b8 r[12]) f(.param .align 16 .b8 a[32]) { }", "weak (12/4) f(32/16)\n"},
      {".extern .func g(.param .u16 a, .param .pred p);", "extern declared () g(2/2 1/1)\n"},
      {".visible .entry k(.param .u64 .ptr .global .align 16 p) .maxntid 256, 1, 1 { }", "visible kernel () k(8/8)\n"},
      {".visible .func f(.param .v4 .f32 v, .reg .b32 r) {}", "visible () f(16/16 4/4)\n"},
      {".visible .func f(.param .align 8 .b8 v[]) .noreturn {}", "visible () f(0/8)\n"},
      {".visible .func f(.param .f32 m[4][3]) {}", "visible () f(48/4)\n"},
      {".visible .func .attribute(.unified(1, 2)) f() {}", "visible () f()\n"},
      // A declaration before or after the function's definition does not count as a second function.
      {".extern .func f(.param .b32 a); .visible .func f(.param .b32 a) {} .func f(.param .b32 a);",
       "visible () f(4/4)\n"},
      // A linking directive belongs only to the declaration that follows it.
      {".visible .global .align 4 .u32 x; .func f() {}", "local () f()\n"},
      {".visible .global .align 4 .u32 x[2] = {1, 2}; .weak .func f() {}", "weak () f()\n"},
      // The reader skips comments, strings and debug sections.
      {"/* .visible .func a() {} */ // .visible .func b() {}\n.visible .func c() {}", "visible () c()\n"},
      {".visible .func f() { { // }\n /* } */ } } .func g() {}", "visible () f()\nlocal () g()\n"},
      {".file 1 \"a.func b() {\\\"}\" .visible .func f() {}", "visible () f()\n"},
      {".visible .func /* here */ (.param /**/ .b32 r) // result\n f\n(\n.param .b32 a\n)\n{ .reg .b32 %x<3>; }",
       "visible (4/4) f(4/4)\n"},
      {".section .debug_info { .b8 1,2 .func x } .visible .func f() {}", "visible () f()\n"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(functions(row.ptx), row.expected) << row.ptx;
  }
}

TEST(Ptx, IsRefusedWithLineAndReason) {
  struct Row {
    std::string ptx;
    Flaw flaw;
    const char* message;
  };
  const std::string head(kHead);
  const Row rows[] = {
      {"", Flaw::Unknown, "this is not PTX: it does not begin with .version"},
      {"float f;", Flaw::Unknown, "this is not PTX: it does not begin with .version"},
      {".version", Flaw::Truncated, "the PTX ends too early: expected version number"},
      {".version nine", Flaw::Damaged, "line 1 of the PTX: expected version number"},
      {".version 9", Flaw::Damaged, "line 1 of the PTX: expected version number"},
      {".version 9.0\n.func", Flaw::Damaged, "line 2 of the PTX: expected .target"},
      {".version 9.0\n.target sm_x", Flaw::Damaged, "line 2 of the PTX: expected architecture"},
      {head + "/* never", Flaw::Truncated, "line 4 of the PTX opens a comment or string that never ends"},
      {head + "\"never", Flaw::Truncated, "line 4 of the PTX opens a comment or string that never ends"},
      {head + ".func f() {", Flaw::Truncated, "the PTX ends too early: expected closing brace"},
      {head + ".func f(", Flaw::Truncated, "the PTX ends too early: expected parameter"},
      {head + ".func 7", Flaw::Damaged, "line 4 of the PTX: expected function name"},
      {head + ".func f(.param x)", Flaw::Damaged, "line 4 of the PTX: expected parameter type"},
      {head + ".func f(.param .align 0 .b8 x)", Flaw::Damaged, "line 4 of the PTX: expected alignment"},
      {head + ".func f(.param .b8 x[99999999999999999999])", Flaw::Damaged, "line 4 of the PTX: expected array size"},
      {head + ".func f(.param .b8 x[65536][65536])", Flaw::Damaged, "line 4 of the PTX: expected array size"},
      {head + std::string(1, '\0') + "x", Flaw::Damaged, "line 4 of the PTX: expected text"},
  };
  for (const Row& row : rows) {
    const auto read = read_ptx(row.ptx);
    ASSERT_FALSE(read) << row.ptx;
    EXPECT_EQ(read.error().message, row.message) << row.ptx;
    EXPECT_EQ(read.error().flaw, row.flaw) << row.ptx;
  }
}

TEST(Ptx, CallsAreReadByWholeNames) {
  const std::string ptx = std::string(kHead) +
                          ".extern .func (.param .b32 r) f_(.param .b32 p);\n"
                          "{ // call f, a comment\n"
                          "call.uni (retval0),\nf_,\n(param0);\nld.param.f32 %f1, [retval0+0];\n}\n"
                          "{ call.uni g, (param0); }\n"
                          "{ call h; }\n"
                          "{ call (retval0), %rd1, (f), prototype_0; }\n";
  const std::vector<PtxCall> calls = read_calls(ptx);
  std::vector<std::string_view> callees;
  for (const PtxCall& call : calls) callees.push_back(call.callee);
  EXPECT_THAT(callees, testing::ElementsAre("f_", "g", "h", "%rd1"));
  EXPECT_EQ(calls.front().behind, ",\n(param0);\nld.param.f32 %f1, [retval0+0];\n");
  EXPECT_TRUE(read_calls("call").empty());
  EXPECT_TRUE(read_calls("call (").empty());
}

TEST(Ptx, UndefinedVariablesAreRead) {
  const std::string ptx = std::string(kHead) +
                          ".extern .const .align 1 .b8 table[16];\n"
                          ".extern .shared .align 4 .b8 s[];\n"
                          ".extern .global .align 4 .u32 tile;\n"
                          ".global .align 4 .f32 own;\n";
  const std::vector<PtxVariable> found = undefined_variables(ptx);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "tile");
  EXPECT_EQ(found[0].type, "u32");
  EXPECT_FALSE(found[0].is_array);
  EXPECT_EQ(found[1].name, "table");
  EXPECT_EQ(found[1].type, "b8");
  EXPECT_TRUE(found[1].is_array);
  EXPECT_TRUE(has_dynamic_shared_memory(ptx));
  EXPECT_FALSE(has_dynamic_shared_memory(kHead));
}

TEST(Ptx, MayEndWithZeros) {
  EXPECT_TRUE(read_ptx(std::string(kHead) + std::string(3, '\0')));
}

TEST(Ptx, TakesLinearTime) {
  for (const char* piece : {"{", "(", "\"", "/*", "/* */", ".func f(", ".func f;", "{}", ".visible ", "[", "x"}) {
    std::string ptx(kHead);
    while (ptx.size() < 1000000) ptx += piece;
    const auto begin = std::chrono::steady_clock::now();
    (void)read_ptx(ptx);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2)) << piece;
  }
}

TEST(Ptx, TakesDamage) {
  read_damaged(sample("nvcc_75.ptx"), [](const Guarded& bytes) {
    const auto read = read_ptx(bytes.text());
    if (!was_read(read)) return;
    for (const PtxFunction& function : read->functions) EXPECT_TRUE(is_inside(function.name, bytes.text()));
  });
}

}  // namespace
}  // namespace graft::format
