// Callback binaries whose offset is a size_t or an unsigned long long. LTO-IR does not show which, so a declared
// signature may have either type.
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

Callback fatbin_of_nvcc(const std::string& signature) {
  const std::optional<std::string> bytes = base::read_file(GRAFT_SIZE_T_OFFSET);
  if (!bytes) throw std::runtime_error("no file " GRAFT_SIZE_T_OFFSET);
  return Callback::fatbin(base::as_bytes(*bytes), "size_t_offset.fatbin").with_signature(signature);
}

void expect_inlined(const FftCallbacks& callbacks, Route route = Route::Lto) {
  for (const Image& image : build({.length = 256}, callbacks, 90)) {
    EXPECT_EQ(image.report().kernel.route, route);
    EXPECT_EQ(image.report().remaining_calls, std::vector<std::string>());
  }
}

TEST(CufftBinaries, OfNvccHaveTheOffsetInEachSpelling) {
  for (const char* offset : {"unsigned long long", "size_t", "std::size_t", "unsigned long"}) {
    SCOPED_TRACE(offset);
    const std::string type = offset;
    const Callback load = fatbin_of_nvcc("float2 halve(void*, " + type + ", void*, void*)");
    const Callback store = fatbin_of_nvcc("void power(void*, " + type + ", float2, void*, void*)");
    expect_inlined({.load = load});
    expect_inlined({.store = store});
    expect_inlined({.load = load, .store = store});
  }
}

TEST(CufftBinaries, OfNvrtcHaveTheOffsetInEachSpelling) {
  for (const std::string compiled : {"unsigned long long", "size_t"})
    for (const std::string declared : {"unsigned long long", "size_t"}) {
      SCOPED_TRACE(compiled + " declared as " + declared);
      const Callback source = "__device__ float2 halve(void* data, " + compiled +
                              " offset, void*, void*) {\n"
                              "  const float2 z = static_cast<float2*>(data)[offset];\n"
                              "  return make_float2(0.5f * z.x, 0.5f * z.y); }";
      const std::string signature = "float2 halve(void*, " + declared + ", void*, void*)";
      const std::vector<std::byte> ltoir = source.precompile({90}, PrecompileFormat::LtoIr);
      expect_inlined({.load = Callback::ltoir(ltoir).with_signature(signature)});
      // PTX shows its functions, and is called.
      const std::vector<std::byte> ptx = source.precompile({90}, PrecompileFormat::Ptx);
      const Callback called = Callback::ptx(std::string(base::as_text(ptx))).with_signature(signature);
      EXPECT_EQ(build({.length = 256}, {.load = called}, 90).at(0).report().kernel.route, Route::Ptx);
    }
}

// The same holds for the stages and the parameters of elementwise callbacks.
TEST(CufftBinaries, OfElementwiseCallbacksToo) {
  const Callback load = fatbin_of_nvcc("float2 halve(void*, unsigned long long, void*, void*)");
  EXPECT_TRUE(build(Stages{.load = load}, 90).report().inlined());
  EXPECT_TRUE(build(fatbin_of_nvcc("ptrdiff_t doubled(ptrdiff_t)"), 90).report().inlined());
}

TEST(CufftBinaries, SourceMayBeDeclaredInEachSpelling) {
  const Callback source =
      "__device__ float2 halve(void* data, size_t offset, void*, void*) { return static_cast<float2*>(data)[offset]; }";
  for (const std::string type : {"unsigned long long", "size_t"})
    expect_inlined({.load = source.with_signature("float2 halve(void*, " + type + ", void*, void*)")}, Route::Program);
}

}  // namespace
}  // namespace graft::test
