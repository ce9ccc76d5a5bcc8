// Parses lowered names of probe functions as NVRTC 13.0 wrote them. graft instantiates a probe with the callback's
// types to learn the signature from the probe's name.
#include "reflect/probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/errors.hpp"

namespace graft::reflect {
namespace {

using Strings = std::vector<std::string>;

std::string text(const Probe& probe) {
  return fmt::format("{} [{}]", probe.function, fmt::join(probe.facts, " "));
}

TEST(Probe, IsReadFromTheLoweredName) {
  struct Row {
    const char* name;
    const char* expected;
  };
  const Row rows[] = {
      {"_Z11graft_probeIFffEN13graft_adapter5FactsIJLj0ELj0ELj1ELj0ELj4ELj4ELj4ELj4ELj4ELj4EEEEE",
       "float (float) [0 0 1 0 4 4 4 4 4 4]"},
      {"_Z11graft_probeIFvvEN13graft_adapter5FactsIJLj12ELj0EEEEE", "void () [12 0]"},
      {"_Z11graft_probeIFfR5ScaleEN13graft_adapter5FactsIJLj0ELj0EEEEE", "float (Scale&) [0 0]"},
      {"_Z11graft_probeIFffRK5ScaleEN13graft_adapter5FactsIJLj0ELj0EEEEE", "float (float, Scale const&) [0 0]"},
      {"_Z11graft_probeIFfPfEN13graft_adapter5FactsIJLj1ELj1EEEEE", "float (float*) [1 1]"},
      {"_Z11graft_probeIFvN1a1VIfLi3EEERdEN13graft_adapter5FactsIJLj0ELj0EEEEE",
       "void (a::V<float, 3>, double&) [0 0]"},
      // names that are not names of probes
      {"", " []"},
      {"f", " []"},
      {"_Z1ff", " []"},
      {"_Z11graft_probeIFffEE", " []"},
      {"_Z11graft_probeIFffEN13graft_adapter5FactsIJLj0ELj0", " []"},
  };
  for (const Row& row : rows) EXPECT_EQ(text(parse_probe(row.name)), row.expected) << row.name;
}

TEST(Probe, PutsConstInFront) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"float", "float"},
      {"float const", "const float"},
      {"Scale const&", "const Scale&"},
      {"Scale&", "Scale&"},
      {"Scale&&", "Scale&&"},
      {" a::V<float const, 3> const& ", "const a::V<float const, 3>&"},
      {"float const*", "float const*"},
      {"float* const&", "float* const&"},
      {"", ""},
  };
  for (const auto& [given, expected] : rows) EXPECT_EQ(west_const(given), expected);
}

TEST(Probe, SplitsTheFunctionType) {
  const std::vector<std::pair<std::string, Strings>> rows = {
      {"float (float)", {"float", "float"}},
      {"void ()", {"void"}},
      {"float (void)", {"float"}},
      {"float (float, Scale const&)", {"float", "float", "const Scale&"}},
      {"V<int, 3> (V<float, (2)>, int)", {"V<int, 3>", "V<float, (2)>", "int"}},
      {"float (float (*)(int, int), int)", {"float", "float (*)(int, int)", "int"}},
      {"(anonymous namespace)::S ((anonymous namespace)::S)", {"(anonymous namespace)::S", "(anonymous namespace)::S"}},
      {"float (float (&) [4])", {"float", "float (&) [4]"}},
      {"float (float, ...)", {"float", "float", "..."}},
      {"nothing", {"nothing"}},
  };
  for (const auto& [given, expected] : rows) EXPECT_EQ(spellings(given), expected) << given;
}

TEST(Probe, BecomesASignature) {
  const Signature signature = to_signature({"float (float, graft::Index, Scale const&, double&)",
                                            {0, 0, 1, 0, 3, 2, 1, 4, 4, 8, 12, 8, 4, 4, 8, 4, 8, 4, 4, 0, 0, 4}},
                                           "f in callback.cu");
  EXPECT_EQ(signature.describe(),
            "float(float, graft::Index, const Scale&, double&)\n"
            "  input 0: float (float, 4 bytes aligned to 4)\n"
            "  index: graft::Index\n"
            "  state: const Scale& (12-byte class aligned to 4, 12 bytes aligned to 4)\n"
            "  output 0: float (float, 4 bytes aligned to 4)\n"
            "  output 1: double& (double, 8 bytes aligned to 8)\n");
}

// The numbers in the rows are the values of graft_adapter::Refusal.
TEST(Probe, RefusesWithARemedy) {
  struct Row {
    unsigned refusal;
    unsigned position;
    const char* message;
  };
  const std::string function = "Result (First, Second const&)";
  const Row rows[] = {
      {1, 1, "f in a.cu: its parameter 1 (First) is a pointer or an array, but graft loads and stores the data itself"},
      {2, 1, "f in a.cu: its parameter 1 (First) is an rvalue reference"},
      {3, 2, "f in a.cu: its parameter 2 (const Second&) is volatile"},
      {4, 1, "f in a.cu: its parameter 1 (First) takes the index by reference"},
      {5, 0, "f in a.cu: its result (Result) is larger than 32 bytes, the limit for one element"},
      {6, 1, "f in a.cu: its parameter 1 (First) is not trivially copyable"},
      {7, 2, "f in a.cu: its parameter 2 (const Second&) is a state larger than 2,048 bytes"},
      {8, 0, "f in a.cu: its result (Result) is a reference, but a result must be a value"},
      {9, 2,
       "f in a.cu: its parameter 2 (const Second&) is a second `const T&`, but a callback can have only one state"},
      {12, 0, "f in a.cu: the callback has no output"},
      {13, 0, "f in a.cu: the callback takes a variable number of arguments"},
      {14, 0,
       "f in a.cu: the callback has no single signature: its call operator is a template or overloaded, or it is not a "
       "function"},
      {17, 1, "f in a.cu: its parameter 1 (First) is a long double, which GPUs do not have"},
  };
  for (const Row& row : rows) {
    const Error error = test::error_of([&] { to_signature({function, {row.refusal, row.position}}, "f in a.cu"); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter);
    EXPECT_EQ(error.message(), row.message);
    EXPECT_FALSE(error.remedy().empty()) << row.message;
  }
}

}  // namespace
}  // namespace graft::reflect
