// Tests that no file can contain a kernel that is impossible. In version 0.1, a cache entry could state more arrays
// than a kernel can have, and graft then wrote outside a table of the launch geometry. graft also accepted vector
// widths that were 0 or no power of two. The reader of packs made some of these checks, and the reader of cache entries
// made none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/hash.hpp"
#include "families/elementwise/launch_geometry.hpp"
#include "families/kept_kernels.hpp"
#include "format/cache_entry.hpp"
#include "format/pack.hpp"
#include "fuzz/sealed.hpp"
#include "graft/graft.hpp"
#include "launch/kernel.hpp"
#include "support/cubins.hpp"
#include "support/errors.hpp"

namespace graft {
namespace {

const ElementType kReal{ElementKind::Float, 4, 4};
const Parameter kResult{Role::Output, kReal, "float"};
const Parameter kInput{Role::Input, kReal, "float"};
const Parameter kOutput{Role::Output, kReal, "float&"};
const Parameter kInOut{Role::InOut, kReal, "graft::InOut<float>"};

Report possible() {
  Report report;
  report.kernel.name = "graft_transform_f";
  report.kernel.architecture = Architecture(90);
  report.kernel.signature = Signature(kResult, {kInput, {Role::State, {ElementKind::Class, 8, 8}, "const S&"}});
  report.kernel.tuning.set("vector_width", 4);
  report.resources.registers = 20;
  return report;
}

Signature with(std::vector<Parameter> parameters, const Parameter& result = kResult) {
  return Signature(result, std::move(parameters));
}
Signature with_input(const ElementType& type) {
  return with({{Role::Input, type, "T"}});
}
Signature with_state(std::uint32_t size, std::uint32_t alignment) {
  return with({kInput, {Role::State, {ElementKind::Class, size, alignment}, "const S&"}});
}

struct Case {
  const char* name;
  std::function<void(Report&)> change;
  bool is_of_packs = true;  // whether a pack can contain this mistake too
};

const Case kImpossible[] = {
    {"25 arrays", [](Report& r) { r.kernel.signature = with(std::vector<Parameter>(24, kInput)); }},
    {"17 inputs", [](Report& r) { r.kernel.signature = with(std::vector<Parameter>(17, kInput)); }},
    {"9 outputs", [](Report& r) { r.kernel.signature = with(std::vector<Parameter>(8, kOutput)); }},
    {"9 arrays in place", [](Report& r) { r.kernel.signature = with(std::vector<Parameter>(9, kInOut)); }},
    {"500 arrays", [](Report& r) { r.kernel.signature = with(std::vector<Parameter>(500, kOutput)); }},
    {"no parameters and no result",
     [](Report& r) {
       r.kernel.signature = with({}, {Role::None, {}, "void"});
     }},
    {"an empty signature", [](Report& r) { r.kernel.signature = Signature(); }},
    {"an input as result", [](Report& r) { r.kernel.signature = with({kOutput}, kInput); }},
    {"a state as result",
     [](Report& r) {
       r.kernel.signature = with({kOutput}, {Role::State, kReal, "S"});
     }},
    {"a parameter without role",
     [](Report& r) {
       r.kernel.signature = with({kInput, {Role::None, {}, "void"}});
     }},
    {"a parameter of graft::Store",
     [](Report& r) {
       r.kernel.signature = with({kInput, {Role::Store, element_type<Store>(), "graft::Store"}});
     }},
    {"a graft::Store of 4 bytes",
     [](Report& r) {
       r.kernel.signature = with({kInput, kOutput}, {Role::Store, kReal, "graft::Store"});
     }},
    {"an undefined role",
     [](Report& r) {
       r.kernel.signature = with({{static_cast<Role>(5), kReal, "float"}});
     }},
    {"an element of 0 bytes",
     [](Report& r) {
       r.kernel.signature = with_input({ElementKind::Class, 0, 4});
     }},
    {"an element of 33 bytes",
     [](Report& r) {
       r.kernel.signature = with_input({ElementKind::Class, 33, 1});
     }},
    {"an element of 4 GiB",
     [](Report& r) {
       r.kernel.signature = with_input({ElementKind::Class, 0xffff'fffc, 4});
     }},
    {"an alignment of 0",
     [](Report& r) {
       r.kernel.signature = with_input({ElementKind::Class, 4, 0});
     }},
    {"an alignment of 3",
     [](Report& r) {
       r.kernel.signature = with_input({ElementKind::Class, 3, 3});
     }},
    {"an alignment beyond the size",
     [](Report& r) {
       r.kernel.signature = with_input({ElementKind::Class, 4, 8});
     }},
    {"an opaque element with a size",
     [](Report& r) {
       r.kernel.signature = with_input({ElementKind::Opaque, 4, 4});
     }},
    {"a state of 0 bytes", [](Report& r) { r.kernel.signature = with_state(0, 1); }},
    {"a state of 2,052 bytes", [](Report& r) { r.kernel.signature = with_state(2052, 4); }},
    {"a state of 2 GiB", [](Report& r) { r.kernel.signature = with_state(0x8000'0000, 4); }},
    {"a state aligned to 128", [](Report& r) { r.kernel.signature = with_state(128, 128); }},
    {"a state aligned to 0", [](Report& r) { r.kernel.signature = with_state(8, 0); }},
    {"a state aligned to 12", [](Report& r) { r.kernel.signature = with_state(12, 12); }},
    {"two states",
     [](Report& r) {
       const Parameter state = {Role::State, kReal, "const float&"};
       r.kernel.signature = with({kInput, state, state});
     }},
    {"width 0", [](Report& r) { r.kernel.tuning.set("vector_width", 0); }},
    {"width 3", [](Report& r) { r.kernel.tuning.set("vector_width", 3); }},
    {"width 32", [](Report& r) { r.kernel.tuning.set("vector_width", 32); }},
    {"width 2^30", [](Report& r) { r.kernel.tuning.set("vector_width", 1 << 30); }},
    {"more than 512 bytes per thread",
     [](Report& r) {
       r.kernel.signature = with({{Role::Input, {ElementKind::Class, 32, 32}, "T"}, kInput});
       r.kernel.tuning.set("vector_width", 16);
       r.kernel.signature = with({{Role::Input, {ElementKind::Class, 30, 2}, "T"}});
       r.kernel.tuning.set("vector_width", 32);
     }},
    {"no vectors", [](Report& r) { r.kernel.tuning.set("vectors_per_thread", 0); }},
    {"5 vectors", [](Report& r) { r.kernel.tuning.set("vectors_per_thread", 5); }},
    {"64 vectors", [](Report& r) { r.kernel.tuning.set("vectors_per_thread", 64); }},
    {"an undefined body", [](Report& r) { r.kernel.tuning.set("body", 2); }},
    {"an undefined route", [](Report& r) { r.kernel.route = static_cast<Route>(7); }},
    {"no threads", [](Report& r) { r.kernel.tuning.set("block_threads", 0); }},
    {"100 threads", [](Report& r) { r.kernel.tuning.set("block_threads", 100); }},
    {"16 threads", [](Report& r) { r.kernel.tuning.set("block_threads", 16); }},
    {"512 threads", [](Report& r) { r.kernel.tuning.set("block_threads", 512); }},
    {"few_tiles of -1", [](Report& r) { r.kernel.tuning.set("few_tiles", -1); }},
    {"few_tiles of 2^31 - 1", [](Report& r) { r.kernel.tuning.set("few_tiles", 0x7fff'ffff); }},
    {"single_below of 2^64 - 1", [](Report& r) { r.kernel.tuning.set("single_below", ~std::uint64_t{0}); }},
    {"an unknown family", [](Report& r) { r.kernel.family = "reduction"; }},
    {"no family", [](Report& r) { r.kernel.family.clear(); }},
    {"a limit of 256 registers", [](Report& r) { r.kernel.max_registers = 256; }},
    {"49153 bytes of shared memory", [](Report& r) { r.kernel.shared_bytes = 49'153; }},
    {"-1 bytes of shared memory", [](Report& r) { r.kernel.shared_bytes = -1; }},
    {"-1 registers", [](Report& r) { r.resources.registers = -1; }},
    {"256 registers", [](Report& r) { r.resources.registers = 256; }},
};

format::CacheEntry entry_of(const Report& report) {
  return {"architecture 5:sm_90\n", report, "", test::cubin(100, report.kernel)};
}

format::Pack pack_of(const Report& report, std::span<const std::byte> image) {
  format::Pack pack;
  pack.entry = "f";
  pack.kernel.name = report.kernel.name;
  pack.kernel.signature = report.kernel.signature;
  pack.kernel.family = report.kernel.family;
  pack.kernel.max_registers = report.kernel.max_registers;
  pack.kernel.shared_bytes = report.kernel.shared_bytes;
  pack.images = {{format::PackPartKind::Cubin, report.kernel.architecture, image, {}}};
  format::PackKernel& kernel = pack.images[0].kernel;
  kernel.route = report.kernel.route;
  kernel.tuning = report.kernel.tuning;
  kernel.resources = report.resources;
  return pack;
}

TEST(KernelCheck, NoEntryHoldsAnImpossibleKernel) {
  ASSERT_EQ(families::read_cache_entry(format::write_cache_entry(entry_of(possible()))).index(), 0u);
  for (const Case& one : kImpossible) {
    SCOPED_TRACE(one.name);
    Report report = possible();
    one.change(report);
    EXPECT_NE(families::read_cache_entry(format::write_cache_entry(entry_of(report))).index(), 0u);
  }
}

// A forged pack has correct checksums, so graft goes on to check its content. The code that writes packs makes the same
// check, so this test calls the writer and expects a refusal.
TEST(KernelCheck, NoPackHoldsAnImpossibleKernel) {
  const base::Bytes image = test::cubin(100);
  const auto good = families::write_pack(pack_of(possible(), image));
  ASSERT_TRUE(good) << good.error().message;
  for (const Case& one : kImpossible) {
    SCOPED_TRACE(one.name);
    Report report = possible();
    one.change(report);
    const auto written = families::write_pack(pack_of(report, image));
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().flaw, format::Flaw::Unfit);
  }
}

// make_geometry makes its own check, because a caller can build an Image with any content.
TEST(KernelCheck, LaunchesAreMadeOfPossibleKernelsAlone) {
  EXPECT_EQ(elementwise::make_geometry(possible().kernel).inputs, 1u);
  for (const Case& one : kImpossible) {
    SCOPED_TRACE(one.name);
    Report report = possible();
    one.change(report);
    // Skip the cases that change only the number of registers, because the launch geometry does not use this number.
    if (report.kernel == possible().kernel) continue;
    const auto image = std::make_shared<Image::Data>(Image::Data{{}, report});
    const Error error = test::error_of([&] { launch::Kernel(image, nullptr); });
    EXPECT_EQ(error.code(), ErrorCode::ImageRefused) << error.what();
  }
}

}  // namespace
}  // namespace graft
