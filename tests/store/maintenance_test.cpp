// Tests listing, verifying, clearing, exporting, importing and explaining the entries of a cache.
#include "store/maintenance.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/files.hpp"
#include "format/cache_export.hpp"
#include "store/entries.hpp"

namespace graft::store {
namespace {

using MaintenanceTest = StoreTest;

std::vector<EntryInfo> list(const Store& store) {
  std::vector<std::string> problems;
  std::vector<EntryInfo> entries = list_entries(store, problems);
  EXPECT_TRUE(problems.empty());
  return entries;
}

TEST_F(MaintenanceTest, Lists) {
  Settings both = settings();
  both.layers = {scratch() / "layer"};
  Store({.folder = scratch() / "layer", .layers = {}}).put(entry_of(3));
  Store store(both);
  store.put(entry_of(1));
  store.put(entry_of(2));
  std::ofstream(versioned() / "notes.txt") << "x";
  const std::vector<EntryInfo> entries = list(store);
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_TRUE(entries[0].is_in_layer);
  EXPECT_EQ(entries[0].entry->key, entry_of(3).key);
  EXPECT_LT(entries[1].name, entries[2].name);
  EXPECT_EQ(entries[1].file, versioned() / (entries[1].name + ".entry"));
  EXPECT_EQ(entries[1].bytes, fs::file_size(entries[1].file));
}

TEST_F(MaintenanceTest, VerifyRemovesWhatIsDamaged) {
  Store store(settings());
  for (int i = 0; i < 4; ++i) store.put(entry_of(i));
  fs::resize_file(file_of(entry_of(0)), 60);
  fs::rename(file_of(entry_of(1)), file_of(entry_of(9)));  // a valid entry under the name of another key
  std::vector<std::string> problems;
  const std::vector<EntryInfo> bad = verify(store, problems);
  ASSERT_EQ(bad.size(), 2u);
  EXPECT_NE(bad[0].trouble, bad[1].trouble);
  for (const EntryInfo& info : bad) EXPECT_TRUE(info.is_removed && !fs::exists(info.file)) << info.file;
  EXPECT_TRUE(verify(store, problems).empty());
  EXPECT_EQ(entries(), 2u);
  EXPECT_TRUE(problems.empty());
}

// Returns an entry whose image is a cubin of the key's kernel, but for another architecture.
format::CacheEntry entry_of_other_code(int number) {
  format::CacheEntry entry = entry_of(number);
  KernelSpec kernel = entry.report.kernel;
  kernel.architecture = Architecture(80);
  entry.image = test::cubin(100, kernel);
  return entry;
}

TEST_F(MaintenanceTest, CodeOfAnotherArchitectureIsDamage) {
  Store store(settings());
  EXPECT_EQ(store.put(entry_of_other_code(1)).problem,
            "the kernel is not kept on disk: its image is for sm_80, but the kernel is for sm_90a");
  store.put(entry_of(1));
  const base::Bytes forged = format::write_cache_entry(entry_of_other_code(1));
  ASSERT_TRUE(base::write_file(file_of(entry_of(1)), forged));
  std::vector<std::string> problems;
  const std::vector<EntryInfo> bad = verify(store, problems);
  ASSERT_EQ(bad.size(), 1u);
  EXPECT_EQ(bad[0].trouble, "it is damaged");
  EXPECT_TRUE(bad[0].is_removed);

  const Imported imported = import_entries(store, format::write_cache_export({forged}));
  EXPECT_EQ(imported.taken, 0u);
  EXPECT_EQ(imported.refused, 1u);
  EXPECT_EQ(entries(), 0u);
}

// `verify` must remove nothing from a layer (a read-only cache folder), and nothing from a store that may not write.
TEST_F(MaintenanceTest, VerifyOnlySaysWhatItMayNotRemove) {
  Store(settings()).put(entry_of(1));
  fs::resize_file(file_of(entry_of(1)), 60);
  Settings reading = settings();
  reading.is_writable = false;
  for (const Settings& one : {reading, Settings{.folder = {}, .layers = {folder()}}}) {
    std::vector<std::string> problems;
    const std::vector<EntryInfo> bad = verify(Store(one), problems);
    ASSERT_EQ(bad.size(), 1u);
    EXPECT_TRUE(bad[0].is_hopeless);
    EXPECT_FALSE(bad[0].is_removed);
    EXPECT_TRUE(fs::exists(bad[0].file));
  }
}

TEST_F(MaintenanceTest, CountsTemporaries) {
  Store store(settings());
  EXPECT_EQ(count_temporaries(store).files, 0u);
  store.put(entry_of(1));
  std::ofstream(versioned() / (hash_of(entry_of(1)).hex() + ".1-1-1.tmp")) << "12345";
  EXPECT_EQ(count_temporaries(store).files, 1u);
  EXPECT_EQ(count_temporaries(store).bytes, 5u);
}

TEST_F(MaintenanceTest, ClearLeavesNothing) {
  Store store(settings());
  for (int i = 0; i < 4; ++i) store.put(entry_of(i));
  std::ofstream(versioned() / (hash_of(entry_of(1)).hex() + ".1-1-1.tmp")) << "x";
  std::ofstream(file_of(entry_of(7)));  // an empty file adds nothing to the removed bytes, but is removed as well
  const Sweep sweep = clear(store);
  EXPECT_EQ(sweep.removed, 5u);
  EXPECT_EQ(sweep.temporaries_removed, 1u);
  EXPECT_EQ(names(), std::vector<std::string>{kLocks});
  EXPECT_FALSE(clear(Store({.folder = scratch() / "missing", .layers = {}})).ran);
}

TEST_F(MaintenanceTest, ExportsAndImports) {
  Store store(settings());
  for (int i = 0; i < 3; ++i) store.put(entry_of(i));
  std::vector<EntryInfo> chosen = list(store);
  chosen.pop_back();
  chosen.push_back({});  // an entry that could not be read
  chosen.push_back(chosen[0]);
  const Export exported = export_entries(store, chosen);
  EXPECT_EQ(exported.entries, 2u);
  const base::Bytes& file = exported.file;

  Store other({.folder = scratch() / "other", .layers = {}});
  const Imported imported = import_entries(other, file);
  EXPECT_EQ(imported.taken, 2u);
  EXPECT_EQ(imported.refused, 0u);
  EXPECT_EQ(imported.problem, "");
  EXPECT_EQ(list(other).size(), 2u);
  for (int i = 0; i < 3; ++i) {
    const bool is_chosen = hash_of(entry_of(i)).hex() == chosen[0].name || hash_of(entry_of(i)).hex() == chosen[1].name;
    if (is_chosen) expect_hit(find(other, entry_of(i)), entry_of(i));
    else EXPECT_FALSE(find(other, entry_of(i)).entry);
  }

  const Imported cut = import_entries(other, std::span(file).first(file.size() / 2));
  EXPECT_EQ(cut.taken, 0u);
  EXPECT_NE(cut.problem.find("it is damaged"), std::string::npos) << cut.problem;
  Store reading({.folder = scratch() / "other", .layers = {}, .is_writable = false});
  EXPECT_EQ(import_entries(reading, file).problem, "the cache is read-only or has no folder, so nothing was imported");
}

// An import counts the kernels that the cache did not have before. Copies of an entry are one kernel.
TEST_F(MaintenanceTest, AnImportCountsWhatIsNew) {
  const base::Bytes one = format::write_cache_entry(entry_of(1));
  const base::Bytes two = format::write_cache_entry(entry_of(2));
  format::CacheEntry changed = entry_of(2);
  changed.image.back() ^= std::byte{1};
  Store store(settings());
  const auto import_of = [&](const std::vector<base::Bytes>& all) {
    return import_entries(store, format::write_cache_export(all));
  };
  const Imported first = import_of(std::vector(5000, one));
  EXPECT_EQ(first.taken, 1u);
  EXPECT_EQ(first.known, 4999u);
  EXPECT_EQ(entries(), 1u);
  const Imported second = import_of({one, two});
  EXPECT_EQ(second.taken, 1u);
  EXPECT_EQ(second.known, 1u);
  // Another kernel of the same key replaces the entry, and a key is one kernel however often it is written.
  const Imported third = import_of({format::write_cache_entry(changed), two, format::write_cache_entry(changed)});
  EXPECT_EQ(third.taken, 1u);
  EXPECT_EQ(third.known, 0u);
  EXPECT_EQ(find(store, changed).entry->image, changed.image);
  // A damaged file of the cache is no copy.
  fs::resize_file(file_of(entry_of(1)), 60);
  EXPECT_EQ(import_of({one}).taken, 1u);
}

TEST_F(MaintenanceTest, ExplainsAMiss) {
  const auto with = [](const char* architecture, const char* source) {
    format::KeyWriter key;
    key.add("architecture", architecture);
    key.add("source", source);
    return key.take();
  };
  Store store(settings());
  const auto put = [&](int architecture, const char* source) {
    Report report = test::full_report();
    report.kernel.architecture = Architecture(architecture);
    const std::string key = with(report.kernel.architecture.sm().c_str(), source);
    EXPECT_EQ(store.put({key, report, {}, test::cubin(0, report.kernel)}).problem, "");
  };
  put(90, "a"), put(80, "a"), put(90, "b");
  const std::vector<EntryInfo> entries = list(store);

  const auto of_source = explain(entries, with("sm_90", "a"));
  ASSERT_EQ(of_source.size(), 2u);
  EXPECT_TRUE(of_source[0].differences.empty()) << "the entry with the equal key must come first";
  const std::vector<format::KeyDifference> architecture = {{"architecture", "sm_90", "sm_80"}};
  EXPECT_EQ(of_source[1].differences, architecture);

  const std::string named = base::hash(with("sm_90", "b")).hex();
  const auto of_name = explain(entries, with("sm_90", "a"), std::string_view(named).substr(0, 8));
  ASSERT_EQ(of_name.size(), 1u);
  const std::vector<format::KeyDifference> source = {{"source", "a", "b"}};
  EXPECT_EQ(of_name[0].differences, source);
  EXPECT_TRUE(explain(entries, "no key").empty());
}

}  // namespace
}  // namespace graft::store
