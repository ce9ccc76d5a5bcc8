// Tests which probes a program has, and which signature graft reads from their names. A probe is a template instance
// whose name, as the compiler writes it, contains the types of the callback (reflect/signature/probe.hpp).
#include "compile/read_signature.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

#include "contract.h"
#include "support/errors.hpp"

// The names of the following types are those of probes. The name of P<P<P<int, int>, P<int, int>>, ...> doubles with
// each level, and its mangled name grows by a few bytes.
template <class Function, class Facts>
struct graft_probe {};
template <class A, class B>
struct P {};
template <int levels>
struct Nest {
  using Type = P<typename Nest<levels - 1>::Type, typename Nest<levels - 1>::Type>;
};
template <>
struct Nest<0> {
  using Type = int;
};
namespace graft_adapter {
template <unsigned...>
struct Facts {};
}  // namespace graft_adapter

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

// The name of the probe of a callback that is refused for the reason `number`.
template <unsigned number, unsigned position>
std::string refused_name() {
  return typeid(graft_probe<float(float), graft_adapter::Facts<number, position>>).name();
}

TEST(ReadSignature, TakesTheWordsForAFamilysRefusalsFromTheFamily) {
  constexpr unsigned kFirst = graft_adapter::kFirstFamilyRefusal;
  codegen::SourceProgram program = program_of("");
  program.family = "fft";
  const auto read = [&](const std::string& name) { return read_signature(program, {}, {name}, {}); };
  const Error load = test::error_of([&] { read(refused_name<kFirst, 0>()); });
  EXPECT_EQ(load.code(), ErrorCode::UnsupportedParameter);
  EXPECT_EQ(load.message(), "f in callback.cu: the load callback does not return a point of the FFT");
  const Error between = test::error_of([&] { read(refused_name<kFirst + 1, 1>()); });
  EXPECT_EQ(between.message(), "f in callback.cu: the callback between does not turn one frequency into one frequency");
  const Error store = test::error_of([&] { read(refused_name<kFirst + 2, 2>()); });
  EXPECT_EQ(store.message(),
            "f in callback.cu: the store callback does not take a point of the FFT, or has not exactly one output");
  for (const Error& error : {load, between, store}) EXPECT_FALSE(error.remedy().empty());
  EXPECT_THROW(read(refused_name<kFirst + 4, 0>()), std::out_of_range);
  program.family = kElementwise;
  EXPECT_THROW(read(refused_name<kFirst, 0>()), std::out_of_range);
}

TEST(ReadSignature, NamesThePlacesOfEveryFamilyForCallbacksOfCufft) {
  const Error error =
      test::error_of([] { read_signature(program_of(""), {}, {refused_name<graft_adapter::kCufft, 1>()}, {}); });
  EXPECT_EQ(error.remedy(),
            "Pass this callback as the load or store callback of graft::FftCallbacks or graft::Stages. Every other "
            "callback takes each element by value: `float f(float x)`.");
}

template <int levels>
std::string name_with_state() {
  using Facts = graft_adapter::Facts<0, 0, 1, 0, 2, 4, 4, 1, 4, 4, 1, 4, 4, 0>;
  return typeid(graft_probe<float(float, const typename Nest<levels>::Type&), Facts>).name();
}

TEST(ReadSignature, RefusesTypesWithNamesOfManyKilobytes) {
  EXPECT_GT(read_signature(program_of(""), {}, {name_with_state<10>()}, {}).text().size(), 5'000u);
  const std::string nest = name_with_state<15>();
  EXPECT_LT(nest.size(), 500u);
  for (const std::vector<std::string>& names : {std::vector{nest}, std::vector{nest, std::string(kFloatOfFloat)}}) {
    const Error error =
        test::error_of([&] { read_signature(program_of(names.size() == 2 ? "float(float)" : ""), {}, names, {}); });
    EXPECT_EQ(error.code(), ErrorCode::UnsupportedParameter);
    EXPECT_LT(error.message().size(), 1'000u);
    EXPECT_NE(error.message().find("the names of the types in the signature of f in callback.cu have "),
              error.message().npos)
        << error.message();
  }
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
