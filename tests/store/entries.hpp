// Cache entries and folders for the tests of the store.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "format/key_fields.hpp"
#include "store/store.hpp"
#include "support/cubins.hpp"
#include "support/reports.hpp"

namespace graft::store {

namespace fs = std::filesystem;

// Returns an entry whose key names `number`. The entry's image ends with `size` bytes that depend on `number`.
inline format::CacheEntry entry_of(int number, std::size_t size = 3000) {
  format::CacheEntry entry;
  entry.report = test::full_report();
  format::KeyWriter key;
  key.add("architecture", entry.report.kernel.architecture.sm());
  key.add("number", number);
  entry.key = key.take();
  entry.image = test::cubin(0);
  for (std::size_t i = 0; i < size; ++i)
    entry.image.push_back(static_cast<std::byte>((static_cast<std::size_t>(number) * 131 + i * i) & 0xff));
  return entry;
}

inline base::Hash128 hash_of(const format::CacheEntry& entry) {
  return base::hash(entry.key);
}

inline Lookup find(const Store& store, const format::CacheEntry& entry) {
  return store.find(hash_of(entry), entry.key, [](const format::CacheEntry&) { return true; });
}

class StoreTest : public testing::Test {
 protected:
  fs::path folder() const { return temporary_.path() / "cache"; }
  fs::path versioned() const { return folder() / version_folder(); }
  fs::path file_of(const format::CacheEntry& entry) const { return versioned() / entry_name(hash_of(entry)); }
  Settings settings() const { return {.folder = folder(), .layers = {}}; }
  const fs::path& scratch() const { return temporary_.path(); }

  std::vector<std::string> names() const {
    std::vector<std::string> found;
    if (fs::exists(versioned()))
      for (const auto& one : fs::directory_iterator(versioned())) found.push_back(one.path().filename());
    return found;
  }
  std::size_t entries() const { return count(is_entry_name); }
  std::size_t temporaries() const { return count(is_temporary_name); }

 private:
  std::size_t count(bool (*is_one)(std::string_view)) const {
    const std::vector<std::string> all = names();
    return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_one));
  }

  base::TemporaryFolder temporary_;
};

inline void expect_hit(const Lookup& lookup, const format::CacheEntry& expected) {
  ASSERT_TRUE(lookup.entry) << lookup.problem;
  EXPECT_EQ(lookup.entry->key, expected.key);
  EXPECT_TRUE(lookup.entry->image == expected.image);
  EXPECT_EQ(lookup.entry->report.kernel.name, expected.report.kernel.name);
}

}  // namespace graft::store
