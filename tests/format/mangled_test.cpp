// Tests the reader of mangled names, which returns the functions that the names stand for.
#include "format/mangled.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

namespace graft::format {
namespace {
using testing::ElementsAre;

std::string text(std::string_view symbol) {
  const auto name = read_function_name(symbol);
  if (!name) return "none";
  if (!name->parameters) return fmt::format("{} {}", name->plain(), name->qualified);
  return fmt::format("{} {}({})", name->plain(), name->qualified, fmt::join(*name->parameters, ", "));
}

TEST(FunctionName, IsReadFromTheSymbol) {
  struct Row {
    const char* symbol;
    const char* expected;
  };
  const Row rows[] = {
      {"_Z4reluf", "relu relu(float)"},
      {"_Z1fv", "f f()"},
      {"c_relu", "c_relu c_relu"},
      {"_private", "_private _private"},
      {"_ZN4math4axpyEffRKNS_5ScaleERd", "axpy math::axpy(float, float, const math::Scale&, double&)"},
      {"_ZN4math5twiceIfEET_S1_", "twice math::twice<float>(float)"},
      {"_ZN4math5scaleENS_7ComplexIfEERKNS_5ScaleERdy",
       "scale math::scale(math::Complex<float>, const math::Scale&, double&, unsigned long long)"},
      {"_Z1f6float26__half13__nv_bfloat16", "f f(float2, __half, __nv_bfloat16)"},
      {"_Z1fPvyS_S_", "f f(void*, unsigned long long, void*, void*)"},
      {"_Z1fhaslmxyb",
       "f f(unsigned char, signed char, short, long, unsigned long, long long, unsigned long long, bool)"},
      {"_Z1fPFffE", "f f(float(*)(float))"},
      {"_ZN12_GLOBAL__N_14reluEf", "relu (anonymous namespace)::relu(float)"},
      {"_Z1fN1a1bI1cIfES2_EE", "f f(a::b<c<float>, c<float>>)"},
      // These symbols name no function.
      {"", "none"},
      {"_Z", "none"},
      {"_Z4rel", "none"},
      {"_ZN4math1xE", "none"},      // a variable
      {"_ZTV1A", "none"},           // a vtable
      {"_ZN1AclEf", "none"},        // an operator
      {"_ZNK1A1fEf", "none"},       // a member that needs its object
      {"_ZGVZ1fvE1x", "none"},      // a guard variable
      {"_Z4reluf.part.0", "none"},  // a part that the compiler split off a function
      {"two words", "none"},        // no symbol has a space
      // The symbol of an extern "C" function is its name.
      {"$str", "$str $str"},
  };
  for (const Row& row : rows) EXPECT_EQ(text(row.symbol), row.expected) << row.symbol;
}

TEST(FunctionName, IsNeverReadForLong) {
  // Each level names the previous level twice. The 700 letters of this symbol thus stand for a name of 2^60 words.
  std::string doubling = "_Z1f1AIiiE";
  for (int level = 0; level < 60; ++level)
    doubling += fmt::format("1BIS{0}_S{0}_E", level == 0 ? "" : std::to_string(level % 10));
  std::string deep = "_Z1f" + std::string(4000, 'P') + "i";
  std::string nested = "_Z1f";
  for (int i = 0; i < 1000; ++i) nested += "1AI";
  for (const std::string& symbol : {doubling, deep, nested, "_Z1f" + std::string(100000, 'i')}) {
    const auto begin = std::chrono::steady_clock::now();
    (void)read_function_name(symbol);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2)) << symbol.substr(0, 40);
  }
}

// The reader follows only a limited number of back references in one symbol. With that many, a name grows fastest if
// each level refers to the previous level three times, as here. The name must still be short, or be refused.
TEST(FunctionName, StaysSmallWithinTheLimit) {
  std::string symbol = "_Z1f1AIiiiE";
  std::size_t substitution = 0;
  for (int level = 0; level < 13; ++level) {
    const std::string last = substitution == 0 ? "S0_" : fmt::format("S{}_", substitution);
    symbol += fmt::format("1{}I{}{}{}E", static_cast<char>('B' + level), last, last, last);
    substitution += 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  (void)read_function_name(symbol);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(FunctionName, TakesAnyBytes) {
  std::mt19937 random(5);
  const std::string letters = "_ZNSTIELXRKPfdivy0123456789abFGQ$. \xff";
  for (int round = 0; round < 20000; ++round) {
    std::string symbol = random() % 2 == 0 ? "_ZN" : "_Z";
    for (unsigned i = 0; i < random() % 40; ++i) symbol += letters[random() % letters.size()];
    const auto name = read_function_name(symbol);
    ASSERT_TRUE(!name || !name->qualified.empty()) << symbol;
  }
}

TEST(CanonicalType, HasOneSpelling) {
  struct Row {
    const char* spelling;
    const char* expected;
  };
  const Row rows[] = {
      {"", ""},
      {"float", "float"},
      {" float ", "float"},
      {"long long unsigned int", "unsigned long long"},
      {"unsigned long long", "unsigned long long"},
      {"unsigned", "unsigned int"},
      {"signed", "int"},
      {"short int", "short"},
      {"long int", "long"},
      {"unsigned char", "unsigned char"},
      {"char", "char"},
      {"signed char", "signed char"},
      {"long double", "long double"},
      {"Scale const&", "const Scale&"},
      {"const  Scale &", "const Scale&"},
      {"struct Scale const &", "const Scale&"},
      {"::math::Scale", "math::Scale"},
      {"char const* const", "const char*const"},
      {"const volatile int*", "const volatile int*"},
      {"volatile int const*", "const volatile int*"},
      {"A<float , long int>", "A<float, long>"},
      {"A<B<int> >::type const &", "const A<B<int>>::type&"},
      {"A<const B, -1>", "A<const B, -1>"},
      {"float (*)(float, unsigned)", "float(*)(float, unsigned int)"},
      {"(anonymous namespace)::X", "(anonymous namespace)::X"},
      {"A<<<", "A<<<"},
      {">>", ">>"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(canonical_type(row.spelling), row.expected) << row.spelling;
    EXPECT_EQ(canonical_type(row.expected), row.expected);
  }
}

TEST(CanonicalType, OfHostAndDemanglerAgree) {
  const auto name = read_function_name("_Z1fRK1AI6float2Lj3EEyRsPKc");
  ASSERT_TRUE(name);
  EXPECT_THAT(*name->parameters,
              ElementsAre(canonical_type("const A<float2, 3u>&"), canonical_type("long long unsigned int"),
                          canonical_type("short int&"), canonical_type("const char*")));
}

TEST(SymbolsCalled, TakeTheStrictestSense) {
  const std::vector<std::string_view> symbols = {
      "_Z4reluf", "_Z4relud", "relu", "_ZN4math4reluEf", "_ZN4math4sinhIfEET_S1_", "_ZN5otherE"};
  EXPECT_THAT(symbols_called("relu", symbols), ElementsAre("relu"));
  EXPECT_THAT(symbols_called("_Z4relud", symbols), ElementsAre("_Z4relud"));
  EXPECT_THAT(symbols_called("math::relu", symbols), ElementsAre("_ZN4math4reluEf"));
  EXPECT_THAT(symbols_called("sinh", symbols), ElementsAre("_ZN4math4sinhIfEET_S1_"));
  EXPECT_THAT(symbols_called("math::sinh<float>", symbols), ElementsAre("_ZN4math4sinhIfEET_S1_"));
  EXPECT_THAT(symbols_called("absent", symbols), ElementsAre());
  const std::vector<std::string_view> mangled(symbols.begin(), symbols.begin() + 2);
  EXPECT_THAT(symbols_called("relu", mangled), ElementsAre("_Z4reluf", "_Z4relud"));
}

// A parser that copied the content of every bracket would take minutes for a megabyte of brackets.
TEST(CanonicalType, DeepNestingIsLeftAsItIs) {
  for (const std::string& inside : {std::string(), std::string("long int")}) {
    const std::string deep = std::string(1'000'000, '(') + inside;
    EXPECT_TRUE(canonical_type(deep) == deep);
    EXPECT_TRUE(canonical_type(deep + std::string(1'000'000, ')')) == deep + std::string(1'000'000, ')'));
  }
  const std::string usual = std::string(200, '<') + "long int" + std::string(200, '>');
  EXPECT_EQ(canonical_type(usual), std::string(200, '<') + "long" + std::string(200, '>'));
}

}  // namespace
}  // namespace graft::format
