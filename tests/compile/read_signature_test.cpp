// Tests which probes a program has, and which signature graft reads from their names. A probe is a template instance
// whose name, as the compiler writes it, contains the types of the callback (reflect/probe.hpp).
#include "compile/read_signature.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/errors.hpp"

namespace graft::compile {
namespace {

// The names of two probes: of a variable, as NVRTC 13.0 writes it, and of a type, as a host compiler writes it.
constexpr const char* kFloatOfFloat =
    "_Z11graft_probeIFffEN13graft_adapter5FactsIJLj0ELj0ELj1ELj0ELj4ELj4ELj4ELj4ELj4ELj4EEEEE";
constexpr const char* kIntOfInt =
    "11graft_probeIFiiEN13graft_adapter5FactsIJLj0ELj0ELj1ELj0ELj4ELj4ELj4ELj4ELj2ELj2EEEEE";

codegen::SourceProgram program_of(const char* declared) {
  codegen::SourceProgram program;
  program.title = "f in callback.cu";
  program.parts.declared = declared;
  return program;
}

std::string titles(const codegen::SourceProgram& program) {
  std::string all;
  for (const WantedProbe& probe : wanted_probes(program)) all += probe.name + "; ";
  return all;
}

TEST(ReadSignature, WantsThePartsFirst) {
  EXPECT_EQ(titles(program_of("")), "probe; ");
  EXPECT_EQ(titles(program_of("float(float)")), "probe; declared_probe; ");
  codegen::SourceProgram composition = program_of("");
  composition.parts.members = {program_of("").parts, program_of("int(int)").parts};
  EXPECT_EQ(titles(composition), "member_probe_0; member_probe_1; declared_member_probe_1; probe; ");
}

TEST(ReadSignature, ReadsTheNamesOfBothKindsOfCompilers) {
  EXPECT_EQ(read_signature(program_of(""), {}, {kFloatOfFloat}, {}).text(), "float(float)");
  EXPECT_EQ(read_signature(program_of(""), {}, {kIntOfInt}, {}).text(), "int(int)");
}

TEST(ReadSignature, ComparesWithTheDeclaredOne) {
  EXPECT_NO_THROW(read_signature(program_of("float(float)"), {}, {kFloatOfFloat, kFloatOfFloat}, {}));
  const Error error = test::error_of([] {
    read_signature(program_of("int(int)"), {}, {kFloatOfFloat, kIntOfInt}, {});
  });
  EXPECT_EQ(error.code(), ErrorCode::SignatureMismatch);
  EXPECT_EQ(error.message(), "f in callback.cu has the signature float(float), but int(int) was declared");
}

TEST(ReadSignature, RefusesAStateThatTheCallbackDoesNotHave) {
  Options options;
  options.baked_state.resize(4);
  const Error error = test::error_of([&] { read_signature(program_of(""), options, {kFloatOfFloat}, {}); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.message(), "f in callback.cu has no state to bake");
}

}  // namespace
}  // namespace graft::compile
