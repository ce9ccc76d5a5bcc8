// Tests the facts that graft reads from a callback binary before linking: which forms of code can be linked for the
// architecture, which functions the binary exports, and as which kind of input the linker gets the bytes. The binaries
// are sample files of tests/format.
#include "link/callback_binary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "format/samples.hpp"
#include "support/errors.hpp"

namespace graft::link {
namespace {

using format::sample;
using test::error_of;

Callback callback(Form form, const std::string& name) {
  const std::string bytes = sample(name);
  if (form == Form::LtoIr) return Callback::ltoir(base::as_bytes(bytes), name);
  if (form == Form::Fatbin) return Callback::fatbin(base::as_bytes(bytes), name);
  if (form == Form::Ptx) return Callback::ptx(bytes, name);
  return Callback::object(base::as_bytes(bytes), name);
}

std::string joined(std::vector<std::string> names) {
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string text(const CallbackBinary& binary) {
  const plan::Material& material = binary.material;
  std::string words;
  if (material.ltoir) words += "ltoir by " + material.ltoir_made_by.text() + ", ";
  if (material.ptx) words += "ptx, ";
  if (material.machine_code) words += "machine code, ";
  constexpr const char* kInputs[] = {"ltoir", "ptx", "cubin", "fatbin", "object", "library"};
  for (const toolchain::LinkInput& input : binary.inputs)
    words += fmt::format("as {} {}", kInputs[static_cast<int>(input.kind)], input.name);
  return words + (binary.lists_all_functions ? "" : ", hides functions");
}

TEST(CallbackBinary, HasTheCodeThatServesTheArchitecture) {
  struct Row {
    Form form;
    const char* name;
    int architecture;
    const char* expected;
  };
  const Row rows[] = {
      {Form::LtoIr, "nvcc_75.ltoir", 90, "ltoir by 13.0, as ltoir nvcc_75.ltoir, hides functions"},
      {Form::Ptx, "nvcc_75.ptx", 90, "ptx, as ptx nvcc_75.ptx"},
      {Form::Object, "nvcc_75.cubin", 75, "machine code, as cubin nvcc_75.cubin"},
      {Form::Fatbin, "plain.fatbin", 75, "ptx, machine code, as fatbin plain.fatbin, hides functions"},
      {Form::Fatbin, "plain.fatbin", 80, "ptx, as fatbin plain.fatbin, hides functions"},
      {Form::Object, "relocatable.o", 75, "ptx, machine code, as object relocatable.o, hides functions"},
      {Form::Object, "library.a", 90, "ltoir by 13.0, ptx, as library library.a, hides functions"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(text(examine(callback(row.form, row.name), Architecture(row.architecture))), row.expected) << row.name;
}

TEST(CallbackBinary, ShowsTheFunctionsOfPtxAndOfACubin) {
  const std::string own = "_Z4reluf _ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy c_relu";
  const std::string all = "_Z4reluf _ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy _ZN4math5twiceIfEET_S1_ c_relu";
  const CallbackBinary ptx = examine(callback(Form::Ptx, "nvcc_75.ptx"), Architecture(90));
  EXPECT_EQ(joined(ptx.functions), all);
  EXPECT_EQ(joined(ptx.own_functions), own);
  EXPECT_EQ(ptx.prototypes.size(), 4u);
  const CallbackBinary cubin = examine(callback(Form::Object, "nvcc_75.cubin"), Architecture(75));
  EXPECT_EQ(joined(cubin.functions), all);
  EXPECT_EQ(joined(cubin.own_functions), own);
}

// Libraries have many thousands of functions. With a search through all of them for each one, this test would take
// minutes.
TEST(CallbackBinary, LinkInputsMayHaveManyFunctions) {
  const auto library = [](const char* prefix, int count) {
    std::string text = ".version 7.0\n.target sm_75\n.address_size 64\n";
    for (int i = 0; i < count; ++i)
      text += ".visible .func " + std::string(prefix) + std::to_string(i) + "(.param .b32 x) { ret; }\n";
    return text;
  };
  const Callback source = "extern \"C\" __device__ void a0(int); __device__ float f(float x) { a0(1); return x; }";
  const Callback a = Callback::ptx(library("a", 50'000), "a.ptx");
  const CallbackBinary image =
      examine(source.with_link_input(a).with_link_input(Callback::ptx(library("b", 50'000), "b.ptx")), std::nullopt);
  EXPECT_EQ(image.link_input_count, 2u);
  EXPECT_EQ(image.linked_functions.size(), 100'000u);
  EXPECT_EQ(image.linked_functions.at("b49999"), "b.ptx");
  EXPECT_EQ(image.linked_prototypes.at("a49999").parameters.size(), 1u);
  const std::string compiled = library("c", 50'000);
  const std::span<const std::byte> bytes = base::as_bytes(compiled);
  check_link_inputs(base::Bytes(bytes.begin(), bytes.end()), image, "callback.cu");
  const Callback again = Callback::ptx(library("a", 1), "again.ptx");
  const Error error = test::error_of([&] { examine(source.with_link_input(a).with_link_input(again), std::nullopt); });
  EXPECT_EQ(error.message(), "`a0` is defined by a.ptx and by again.ptx too");
}

TEST(CallbackBinary, ThatCannotBeUsedIsRefusedWithTheReason) {
  struct Row {
    Form form;
    const char* name;
    const char* expected;
  };
  const Row rows[] = {
      {Form::Object, "nvcc_75.cubin", "nvcc_75.cubin holds nothing for sm_90, only machine code for sm_75"},
      {Form::LtoIr, "nvrtc_13_5_sm120.ltoir", "nvrtc_13_5_sm120.ltoir holds nothing for sm_90, only LTO-IR for sm_120"},
      {Form::Object, "host.o", "host.o holds no device code that can be linked"},
      {Form::LtoIr, "nvcc_75.ptx", "nvcc_75.ptx cannot be read as LTO-IR: this is not LTO-IR"},
      {Form::Object, "nvcc_75.ptx", "nvcc_75.ptx cannot be read as object: this is not an ELF file"},
  };
  for (const Row& row : rows) {
    const Error error = error_of([&] { examine(callback(row.form, row.name), Architecture(90)); });
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
    EXPECT_EQ(error.message(), row.expected);
  }
}

}  // namespace
}  // namespace graft::link
