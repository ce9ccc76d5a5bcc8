// Tests of sentence 13 of docs/security.md with kernels that compilers made: an export and its maker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "families/kept_kernels.hpp"
#include "format/cache_entry.hpp"
#include "format/cache_export.hpp"
#include "scenarios/security/closed.hpp"
#include "store/maintenance.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kThrice = "__device__ float twice(float x) { return 3 * x; }";

EngineOptions with_cache(const fs::path& folder, CachePolicy policy = CachePolicy::ReadWrite) {
  EngineOptions options;
  options.cache.policy = policy;
  options.cache.folder = folder;
  options.cache.layers.emplace();
  return options;
}

store::Store store_at(const fs::path& folder) {
  return store::Store({.folder = folder, .layers = {}});
}

// Builds the kernel, and returns it and its cache entry.
std::pair<Image, format::CacheEntry> kept(const fs::path& folder, const char* source, Architecture architecture) {
  Engine engine(with_cache(folder));
  const Image image = build(engine, source, architecture);
  EXPECT_EQ(engine.counters().builds, 1u);  // counters() waits until the kernel is stored
  for (const auto& one : fs::recursive_directory_iterator(folder))
    if (one.path().extension() == ".entry") {
      const std::string file = base::read_file(one.path()).value();
      return {image, std::get<format::CacheEntry>(families::read_cache_entry(base::as_bytes(file)))};
    }
  throw std::runtime_error("the kernel was not stored");
}

// A kernel under the key of another callback is imported and used, because no check can find it.
TEST(Security, S13_WhoMakesAnExportDecidesWhatItsKernelsCompute) {
  const base::TemporaryFolder folder;
  auto [twice, entry] = kept(folder.path() / "twice", kFormula, kArchitecture);
  const auto [thrice, other] = kept(folder.path() / "thrice", kThrice, kArchitecture);
  ASSERT_FALSE(std::ranges::equal(twice.bytes(), thrice.bytes()));
  entry.image = other.image;
  store::Store there = store_at(folder.path() / "there");
  const base::Bytes file = format::write_cache_export({format::write_cache_entry(entry)});
  EXPECT_EQ(store::import_entries(there, file).taken, 1u);
  Engine engine(with_cache(folder.path() / "there", CachePolicy::ForbidCompiling));
  EXPECT_TRUE(std::ranges::equal(build(engine, kFormula, kArchitecture).bytes(), thrice.bytes()));
}

// The code of another architecture, and of another kernel, can be found, and neither is imported.
TEST(Security, S13_CodeOfAnotherArchitectureOrKernelIsNotImported) {
  const base::TemporaryFolder folder;
  const format::CacheEntry entry = kept(folder.path() / "one", kFormula, kArchitecture).second;
  const format::CacheEntry older = kept(folder.path() / "older", kFormula, Architecture(80)).second;
  const format::CacheEntry named =
      kept(folder.path() / "named", "__device__ float other(float x) { return 2 * x; }", kArchitecture).second;
  store::Store there = store_at(folder.path() / "there");
  for (const base::Bytes& image : {older.image, named.image}) {
    format::CacheEntry forged = entry;
    forged.image = image;
    const base::Bytes file = format::write_cache_export({format::write_cache_entry(forged)});
    const store::Imported imported = store::import_entries(there, file);
    EXPECT_EQ(imported.taken, 0u);
    EXPECT_EQ(imported.refused, 1u);
  }
  EXPECT_EQ(store::import_entries(there, format::write_cache_export({format::write_cache_entry(entry)})).taken, 1u);
}

}  // namespace
}  // namespace graft::test
