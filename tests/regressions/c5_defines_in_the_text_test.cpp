// C5: #defines in the text met words of graft's own behind the text: `inputs outputs call apply` with structs on route
// lto, `x y z w size count index k i` on route program, `R P F I type` on route ptx.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "scenarios/forms/forms.hpp"
#include "support/compile.hpp"

namespace graft::test {
namespace {

constexpr const char* kNames[] = {
    "inputs", "outputs", "call",  "apply", "launch", "facts", "parameters", "Signature", "unpack",  "x",      "y",
    "z",      "w",       "size",  "count", "width",  "index", "k",          "i",         "n",       "R",      "P",
    "F",      "I",       "T",     "type",  "value",  "data",  "result",     "in",        "out",     "state",  "element",
    "place",  "word",    "words", "cell",  "role",   "info",  "first",      "rest",      "bytes",   "shared", "load",
    "store",  "op",      "stage", "tile",  "vector", "block", "thread",     "grid",      "Callback"};

std::string defines() {
  std::string lines;
  for (const char* name : kNames) lines += std::string("#define ") + name + " -1 +\n";
  return lines;
}

struct Row {
  const char* name;
  const char* text;
};

constexpr Row kCallbacks[] = {
    {"numbers", "__device__ float zzf(float zzv, int zzn) { return zzv * zzn; }"},
    {"structs", "struct Zz { float zza[3]; };\n__device__ Zz zzf(Zz zzv) { zzv.zza[0] = 1; return zzv; }"},
    {"a state and outputs",
     "struct Zz { float zza, zzb; };\n"
     "__device__ void zzf(float zzv, const Zz& zzs, float& zzo, double& zzp) { zzo = zzv * zzs.zza; zzp = zzs.zzb; }"},
    {"an index", "__device__ unsigned long long zzf(graft::Index zzi) { return zzi + 1; }"},
    {"a lambda", "[](float zzv) { return 2 * zzv; }"},
};

TEST(C5, EachRouteMakesTheSameKernelAsWithoutThem) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    for (const Row& row : kCallbacks) {
      SCOPED_TRACE(std::string(name(route)) + ", " + row.name);
      const Image plain = build(row.text, Architecture(90), by(route));
      const Image defined = build(defines() + row.text, Architecture(90), by(route));
      EXPECT_EQ(base::as_text(defined.bytes()), base::as_text(plain.bytes()));
      EXPECT_EQ(defined.signature(), plain.signature());
    }
  }
}

TEST(C5, OnTheHostToo) {
  const Transform transform = Transform::create(defines() + kCallbacks[0].text, by(Route::Host));
  const std::vector<float> in = {1.5f, -2};
  const std::vector<int> times = {2, 3};
  std::vector<float> out(2);
  transform.execute(host, graft::host_inputs(in, times), out);
  EXPECT_EQ(out, (std::vector<float>{3, -6}));
}

}  // namespace
}  // namespace graft::test
