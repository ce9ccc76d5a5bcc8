// Tests signatures: their text, the roles of parameters, and when two signatures are equal.
#include "graft/signature.hpp"

#include <gtest/gtest.h>

namespace graft {
namespace {

struct Scale {
  float a;
  int n;
};

TEST(Signature, PrintsTypes) {
  EXPECT_EQ(Signature::of<float(float)>().text(), "float(float)");
  EXPECT_EQ((Signature::of<void(int, double&)>().text()), "void(int, double&)");
  EXPECT_EQ(Signature::of<float()>().text(), "float()");
  EXPECT_EQ((Signature::of<float(Index, const float&)>().text()), "float(graft::Index, const float&)");
}

TEST(Signature, DescribesRoles) {
  EXPECT_EQ((Signature::of<float(float, int&, Index, const double&, bool)>().describe()),
            "float(float, int&, graft::Index, const double&, bool)\n"
            "  input 0: float (float, 4 bytes aligned to 4)\n"
            "  index: graft::Index\n"
            "  state: const double& (double, 8 bytes aligned to 8)\n"
            "  input 1: bool (bool, 1 bytes aligned to 1)\n"
            "  output 0: float (float, 4 bytes aligned to 4)\n"
            "  output 1: int& (int32, 4 bytes aligned to 4)\n");
}

TEST(Signature, SortsParameters) {
  const Signature signature = Signature::of<float(float, int&, Index, const Scale&, double)>();
  EXPECT_EQ(signature.inputs(), (std::vector{element_type<float>(), element_type<double>()}));
  EXPECT_EQ(signature.outputs(), (std::vector{element_type<float>(), element_type<int>()}));
  EXPECT_EQ(signature.state(), element_type<Scale>());
  EXPECT_TRUE(signature.takes_index());
  EXPECT_EQ(signature.parameters().size(), 5u);
  const Signature writes = Signature::of<void(float&)>();
  EXPECT_TRUE(writes.inputs().empty());
  EXPECT_EQ(writes.outputs(), std::vector{element_type<float>()});
  EXPECT_EQ(writes.result().role, Role::None);
  EXPECT_FALSE(writes.state());
  EXPECT_FALSE(writes.takes_index());
}

TEST(Signature, HasInOutArraysAmongTheOutputs) {
  const Signature signature = Signature::of<float(float&, InOut<Scale>, float, InOut<double>)>();
  EXPECT_EQ(signature.inputs(), std::vector{element_type<float>()});
  EXPECT_EQ(signature.outputs(),
            (std::vector{element_type<float>(), element_type<float>(), element_type<Scale>(), element_type<double>()}));
  EXPECT_EQ(signature.in_outs(), (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ((Signature::of<void(InOut<float>, float)>().describe()),
            "void(graft::InOut<float>, float)\n"
            "  input 0: float (float, 4 bytes aligned to 4)\n"
            "  output 0, read and written: graft::InOut<float> (float, 4 bytes aligned to 4)\n");
  EXPECT_NE(Signature::of<void(InOut<float>)>(), Signature::of<void(float&)>());
}

// Of an FFT, the last inputs may be arrays of the store callback.
TEST(Signature, KnowsTheInputsOfAStoreCallback) {
  const Parameter result = {Role::Output, element_type<float>(), "float"};
  const Parameter loaded = {Role::Input, element_type<float>(), "float"};
  const Parameter further = {Role::FurtherInput, element_type<float>(), "float"};
  const Signature signature(result, {loaded, further});
  EXPECT_EQ(signature.inputs().size(), 2u);
  EXPECT_EQ(signature.further_inputs(), 1u);
  EXPECT_EQ(signature.describe(),
            "float(float, float)\n"
            "  input 0: float (float, 4 bytes aligned to 4)\n"
            "  input 1, of the store callback: float (float, 4 bytes aligned to 4)\n"
            "  output 0: float (float, 4 bytes aligned to 4)\n");
  EXPECT_NE(signature, Signature(result, {loaded, loaded}));
}

TEST(Signature, DescribesBitArrays) {
  EXPECT_EQ((Signature::of<Bit(float, InOut<Bit>)>().describe()),
            "graft::Bit(float, graft::InOut<graft::Bit>)\n"
            "  input 0: float (float, 4 bytes aligned to 4)\n"
            "  output 0: graft::Bit (a bit array of 32-bit words)\n"
            "  output 1, read and written: graft::InOut<graft::Bit> (a bit array of 32-bit words)\n");
}

TEST(Signature, HasAResultThatSaysWhetherOutputsAreStored) {
  const Signature signature = Signature::of<Store(float, double&)>();
  EXPECT_TRUE(signature.is_selective());
  EXPECT_EQ(signature.text(), "graft::Store(float, double&)");
  EXPECT_EQ(signature.outputs(), std::vector{element_type<double>()});
  EXPECT_NE(signature.describe().find("whether the outputs are stored: graft::Store\n"), std::string::npos)
      << signature.describe();
  EXPECT_FALSE((Signature::of<void(float, double&)>().is_selective()));
  EXPECT_NE(signature, (Signature::of<void(float, double&)>()));
}

// const on a by-value parameter makes no difference to callers, so the signature's text omits it. A damaged or forged
// file may have const twice, which no compiler writes. The signature's text must omit both, because a signature that is
// read from this text must have the same text.
TEST(Signature, SpellsValuesWithoutConst) {
  const Parameter result{Role::Output, element_type<float>(), "float"};
  for (const char* spelling : {"float", "const float", "const const float"}) {
    const Signature signature(result, {{Role::Input, element_type<float>(), spelling}});
    EXPECT_EQ(signature.text(), "float(float)");
  }
  const Signature state(result, {{Role::State, element_type<float>(), "const float&"}});
  EXPECT_EQ(state.text(), "float(const float&)");
}

TEST(Signature, ComparesRolesAndLayouts) {
  const Signature one = Signature::of<float(float)>();
  EXPECT_EQ(one, Signature({Role::Output, element_type<float>(), "Real"}, {{Role::Input, element_type<float>(), "T"}}));
  EXPECT_EQ(Signature::of<long()>(), Signature::of<long long()>());
  EXPECT_NE(one, Signature::of<float(double)>());
  EXPECT_NE(one, Signature::of<double(float)>());
  EXPECT_NE(one, Signature::of<float(float&)>());
  EXPECT_NE(one, Signature::of<float(const float&)>());
  EXPECT_NE(one, (Signature::of<float(float, float)>()));
  EXPECT_NE(one, Signature::of<void(float)>());
  EXPECT_NE(Signature::of<float(Index)>(), Signature::of<float(unsigned long long)>());
  EXPECT_NE((Signature::of<float(float, Index)>()), (Signature::of<float(Index, float)>()));
}

TEST(Signature, HasTheAccumulatorOfAReduction) {
  const ElementType moments = ElementType::structure(12, 4);
  const Signature sum({Role::Output, element_type<float>(), "float"},
                      {{Role::Input, element_type<float>(), "float"}, {Role::Accumulator, moments, "Accumulator<M>"}});
  EXPECT_EQ(sum.accumulator(), moments);
  EXPECT_EQ(sum.inputs().size(), 1u);
  EXPECT_EQ(sum.text(), "float(float, Accumulator<M>)");
  EXPECT_NE(sum.describe().find("accumulator: Accumulator<M>"), std::string::npos) << sum.describe();
  EXPECT_FALSE(Signature::of<float(float)>().accumulator());
}

}  // namespace
}  // namespace graft
