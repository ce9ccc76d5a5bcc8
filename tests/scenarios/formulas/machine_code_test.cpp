// A formula costs nothing on a GPU: its kernel has the instructions that the callback has which somebody would write by
// hand in the same operations. A `max` that passes a nan on, as NumPy does, has no such counterpart.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "format/elf.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

struct Pair {
  const char* formula;
  const char* callback;
};

const Pair kPairs[] = {
    {"f32 x => x", "__device__ float f(float x) { return x; }"},
    {"f32 x => x > 0 ? x : 0", "__device__ float f(float x) { return x > 0.0f ? x : 0.0f; }"},
    {"f32 x => 2.5 * x + 1", "__device__ float f(float x) { return 2.5f * x + 1.0f; }"},
    {"f32 x; f32 a, b => a * abs(x) + b",
     "struct P { float a, b; }; __device__ float f(float x, const P& p) { return p.a * fabsf(x) + p.b; }"},
    {"f32 x => x / (1 + exp(-x))", "__device__ float f(float x) { return x / (1.0f + expf(-x)); }"},
    {"f32 x => 0.5 * x * (1 + erf(x * 0.70710678))",
     "__device__ float f(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }"},
    {"f32 x, y => sqrt(x * x + y * y)", "__device__ float f(float x, float y) { return sqrtf(x * x + y * y); }"},
    {"f32 x, y => atan2(y, x)", "__device__ float f(float x, float y) { return atan2f(y, x); }"},
    {"f32 x, y; f32 a => a * x + y",
     "struct P { float a; }; __device__ float f(float x, float y, const P& p) { return p.a * x + y; }"},
    {"f32 x => x > 0 ? x : 0.01 * x", "__device__ float f(float x) { return x > 0.0f ? x : 0.01f * x; }"},
    {"f32 x => log(1 + exp(x))", "__device__ float f(float x) { return logf(1.0f + expf(x)); }"},
    {"f32 x => sin(x) * cos(x)", "__device__ float f(float x) { return sinf(x) * cosf(x); }"},
    {"f32 x => tanh(x)", "__device__ float f(float x) { return tanhf(x); }"},
    {"f64 x, y => x * y + 0.5", "__device__ double f(double x, double y) { return x * y + 0.5; }"},
    {"f64 x => exp(-x * x)", "__device__ double f(double x) { return exp(-x * x); }"},
    {"f64 x; f64 a => a - x", "struct P { double a; }; __device__ double f(double x, const P& p) { return p.a - x; }"},
    {"i32 x, y => x * y - 7", "__device__ int f(int x, int y) { return x * y - 7; }"},
    {"u32 x => x % 1000 * 3", "__device__ unsigned f(unsigned x) { return x % 1000 * 3; }"},
    {"i64 x => x * x - 255", "__device__ long long f(long long x) { return x * x - 255; }"},
    {"f32 x => x - floor(x)", "__device__ float f(float x) { return x - floorf(x); }"},
    {"f32 x, y; f32 t => x + t * (y - x)",
     "struct P { float t; }; __device__ float f(float x, float y, const P& p) { return x + p.t * (y - x); }"},
};

// Returns the bytes of the kernel's instructions.
std::vector<std::byte> code_of(const Callback& callback) {
  const Image image = build(callback, Architecture(90));
  const format::Outcome<format::ElfFile> elf = format::read_elf(image.bytes());
  if (!elf) return {};
  std::vector<std::byte> code;
  for (const format::ElfSection& section : elf->sections)
    if (section.name.starts_with(".text.")) code.insert(code.end(), section.bytes.begin(), section.bytes.end());
  return code;
}

TEST(FormulasMachineCode, IsThatOfTheCallbackWrittenByHand) {
  for (const Pair& pair : kPairs) {
    const std::vector<std::byte> code = code_of(formula(pair.formula));
    ASSERT_GE(code.size(), 256U) << pair.formula;
    EXPECT_TRUE(code == code_of(pair.callback)) << pair.formula;
  }
  EXPECT_FALSE(code_of(formula(kPairs[1].formula)) == code_of(kPairs[2].callback));
}

}  // namespace
}  // namespace graft::test
