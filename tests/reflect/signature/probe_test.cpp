// Tests the parser of probe names. A probe is a variable template whose template arguments are the callback's type and
// facts about this type, so the mangled name of the variable contains both. The names in this test are those that NVRTC
// 13.0 wrote.
#include "reflect/signature/probe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "contract.h"
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
      // These names are not names of probes.
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

TEST(Probe, NamesInOutParameters) {
  const Signature signature =
      to_signature({"void (Scale&&, float)", {0, 0, 4, 7, 0, 1, 8, 4, 1, 4, 4, 0, 0, 4}}, "f in callback.cu");
  EXPECT_EQ(signature.text(), "void(graft::InOut<Scale>, float)");
  EXPECT_EQ(signature.in_outs(), std::vector<std::size_t>{0});
}

TEST(Probe, RefusesWithARemedy) {
  using graft_adapter::Refusal;
  struct Row {
    Refusal refusal;
    unsigned position;
    const char* message;
  };
  const std::string function = "Result (First, Second const&)";
  const Row rows[] = {
      {Refusal::kPointer, 1,
       "its parameter 1 (First) is a pointer or an array, but graft loads and stores the data itself"},
      {Refusal::kRvalueReference, 1, "its parameter 1 (First) is an rvalue reference to const"},
      {Refusal::kVolatile, 2, "its parameter 2 (const Second&) is volatile"},
      {Refusal::kIndexByReference, 1, "its parameter 1 (First) takes the index or the position by reference"},
      {Refusal::kTooManyCoordinates, 1, "its parameter 1 (First) has another number of coordinates than 1 to 5"},
      {Refusal::kTooLarge, 0, "its result (Result) is larger than 32 bytes, the limit for one element"},
      {Refusal::kNotTriviallyCopyable, 1, "its parameter 1 (First) is not trivially copyable"},
      {Refusal::kStateTooLarge, 2, "its parameter 2 (const Second&) is a state larger than 2,048 bytes"},
      {Refusal::kReturnsReference, 0, "its result (Result) is a reference, but a result must be a value"},
      {Refusal::kSecondState, 2,
       "its parameter 2 (const Second&) is a second `const T&`, but a callback can have only one state"},
      {Refusal::kTooManyInputs, 1,
       "its parameter 1 (First) is the seventeenth input, but a callback can have at most 16"},
      {Refusal::kTooManyOutputs, 1, "its parameter 1 (First) is the ninth output, but a callback can have at most 8"},
      {Refusal::kNoOutput, 0, "the callback has no parameters and no result"},
      {Refusal::kStoreAsParameter, 1, "its parameter 1 (First) is graft::Store, which only a result can be"},
      {Refusal::kStoreBeforeLastPart, 1, "part 2 returns graft::Store, but only the last part of a chain can"},
      {Refusal::kStoreWithoutOutput, 0, "the callback returns graft::Store, but has no output"},
      {Refusal::kVariadic, 0, "the callback takes a variable number of arguments"},
      {Refusal::kNotCallable, 0,
       "the callback has no single signature: its call operator is a template or overloaded, or it is not a function"},
      {Refusal::kOveraligned, 2, "its parameter 2 (const Second&) is aligned to more than 64 bytes"},
      {Refusal::kMemberPointer, 1, "its parameter 1 (First) is a pointer to a member"},
      {Refusal::kLongDouble, 1, "its parameter 1 (First) is a long double, which GPUs do not have"},
      {Refusal::kAlmostCufft, 0,
       "the callback is almost a cuFFT load or store callback, but its `data` is First and not void*, its `offset` is "
       "const Second& and not size_t, it has no `caller_info`, and it has no `shared`"},
      {Refusal::kCufft, 1,
       "its parameter 1 (First) belongs to a cuFFT load or store callback, which loads or stores its data itself"},
      {Refusal::kTooFewInputsForPreviousPart, 1, "part 2 has fewer inputs than the previous part has outputs"},
      {Refusal::kPartsTypesDiffer, 2, "part 3 has an input whose type differs from the previous part's output"},
      {Refusal::kLoadTypeDiffers, 0, "the load callback returns another type than the op's first input"},
      {Refusal::kStoreTypeDiffers, 2, "the store callback takes an element of another type than the op's first output"},
      {Refusal::kNoLoadCallback, 0, "the load callback does not have the signature of a load callback"},
      {Refusal::kNoStoreCallback, 2, "the store callback does not have the signature of a store callback"},
      {Refusal::kInOutInPart, 0,
       "part 1 has a graft::InOut parameter, but only the last part of a chain writes arrays"},
      {Refusal::kInOutInOp, 1, "the callback has a graft::InOut parameter, which an op of graft::Stages cannot have"},
      // a position outside the function type: the message then names the whole callback
      {Refusal::kVolatile, 3, "the callback is volatile"},
  };
  for (const Row& row : rows) {
    const Error error = test::error_of([&] { to_signature({function, {row.refusal, row.position}}, "f in a.cu"); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter);
    EXPECT_EQ(error.message(), fmt::format("f in a.cu: {}", row.message));
    EXPECT_FALSE(error.remedy().empty()) << row.message;
  }
  for (const unsigned number : {unsigned{graft_adapter::kRefusalEnd}, unsigned{graft_adapter::kFirstFamilyRefusal}})
    EXPECT_THROW(to_signature({function, {number, 0}}, "f in a.cu"), std::out_of_range);
}

TEST(Probe, SaysWhereCallbacksOfCufftBelong) {
  const Error error = test::error_of([] {
    to_signature({"float (void*)", {graft_adapter::kCufft, 1}}, "f in a.cu", "graft::Stages");
  });
  EXPECT_EQ(error.remedy(),
            "Pass this callback as the load or store callback of graft::Stages. Every other callback takes each "
            "element by value: `float f(float x)`.");
}

}  // namespace
}  // namespace graft::reflect
