// Tests which arguments a launch takes, beside what each parameter is.
#include "own_kernels/launch_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "graft/graft.hpp"
#include "own_kernels/code_shape.hpp"
#include "support/errors.hpp"

namespace graft {
namespace {

using testing::HasSubstr;

// void k(float* x, const int* y, unsigned long long z, float a, S s, void* p, bool b, float** q)
KernelEntry entry() {
  return own_kernels::entry_of("_Z1kPfPKiyf1SPvbPS_", {8, 8, 8, 4, 16, 8, 1, 8});
}
constexpr std::uint64_t kOffsets[] = {0, 8, 16, 24, 32, 48, 56, 64};

struct alignas(16) S {
  float a[4];
};

void check(const std::vector<KernelArgument>& arguments) {
  own_kernels::check_arguments(entry(), own_kernels::parameters_of(entry(), kOffsets), arguments);
}

class LaunchCheck : public testing::Test {
 protected:
  float* x = nullptr;
  const int* y = nullptr;
  unsigned long long z = 0;
  float a = 0;
  S s = {};
  void* p = nullptr;
  bool b = false;
  float** q = nullptr;
  std::vector<KernelArgument> all = {x, y, z, a, s, p, b, q};
};

TEST_F(LaunchCheck, TypesAreThoseOfTheSymbol) {
  EXPECT_THAT(entry().types, testing::ElementsAre("float*", "const int*", "unsigned long long", "float", "S", "void*",
                                                  "bool", "float**"));
  EXPECT_TRUE(own_kernels::entry_of("k", {}).types.empty());
  for (const auto& [spelling, type] :
       {std::pair("const float*", ArgumentType::of<float*>()), std::pair("double", ArgumentType::of<double>()),
        std::pair("const volatile long long*", ArgumentType::of<const long*>()),
        std::pair("float**", ArgumentType::of<int**>()), std::pair("const S*", ArgumentType::of<const S*>()),
        std::pair("S", ArgumentType::of<S>())})
    EXPECT_EQ(own_kernels::argument_type(spelling), type) << spelling;
}

TEST_F(LaunchCheck, TakesWhatFits) {
  check(all);
  const auto with = [&](std::size_t i, const KernelArgument& argument) {
    std::vector<KernelArgument> changed = all;
    changed[i] = argument;
    check(changed);
  };
  const float* const constant = nullptr;
  with(0, constant);
  with(0, z);  // a CUdeviceptr
  with(0, p);
  unsigned char* const storage = nullptr;
  with(0, storage);
  const unsigned* const natural = nullptr;
  with(1, natural);
  with(2, x);  // an address
  const long signed_one = -1;
  with(2, signed_one);
  with(5, x);
  with(5, q);
  const char byte = 0;
  with(6, byte);
  with(3, KernelArgument(&a, 4));  // of unknown type, as from C
}

TEST_F(LaunchCheck, RefusesWhatDoesNot) {
  struct Row {
    std::size_t place;
    KernelArgument argument;
    const char* words;
  };
  int* const integers = nullptr;
  double* const doubles = nullptr;
  const short* const shorts = nullptr;
  const double number = 1;
  const int integer = 1;
  struct Unaligned {
    float a[4];
  } unaligned = {};
  for (const Row& row : {
           Row{0, integers, "argument 1 of k is a pointer to integers of 4 bytes, and the parameter is `float*`"},
           Row{0, doubles,
               "argument 1 of k is a pointer to floating-point numbers of 8 bytes, and the parameter is `float*`"},
           Row{0, number, "argument 1 of k is a floating-point number of 8 bytes, and the parameter is `float*`"},
           Row{1, shorts, "argument 2 of k is a pointer to integers of 2 bytes, and the parameter is `const int*`"},
           Row{2, number, "is `unsigned long long`"},
           Row{3, integer, "argument 4 of k is an integer of 4 bytes, and the parameter is `float`"},
           Row{3, number, "argument 4 of k has 8 bytes, and the parameter has 4"},
           Row{5, number, "is `void*`"},
       }) {
    std::vector<KernelArgument> changed = all;
    changed[row.place] = row.argument;
    const Error error = test::error_of([&] { check(changed); });
    EXPECT_EQ(error.code(), ErrorCode::TypeMismatch);
    EXPECT_THAT(error.what(), HasSubstr(row.words));
  }
  all[4] = unaligned;
  check(all);  // an image shows no alignments, and byte 32 is aligned for both
  const std::vector<std::uint64_t> packed = {0, 8, 16, 24, 28, 48, 56, 64};
  all[4] = s;
  const Error error =
      test::error_of([&] { own_kernels::check_arguments(entry(), own_kernels::parameters_of(entry(), packed), all); });
  EXPECT_THAT(error.what(), HasSubstr("argument 5 of k is aligned to 16 bytes, and the parameter begins at byte 28"));
  all.pop_back();
  EXPECT_EQ(test::error_of([&] { check(all); }).code(), ErrorCode::CountMismatch);
}

}  // namespace
}  // namespace graft
