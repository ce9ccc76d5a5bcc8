// What people do with a cache: look at it, check it, empty it, carry it to another machine, and ask why a request was
// not found in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/key_fields.hpp"
#include "store/store.hpp"

namespace graft::store {

struct EntryInfo {
  std::filesystem::path file;
  bool is_in_layer = false;
  std::uint64_t bytes = 0;
  std::chrono::system_clock::time_point used;
  std::string name;          // the hash of its key, as text
  std::string trouble;       // why it cannot be used; then `entry` is empty
  bool is_hopeless = false;  // damaged, under another's name, or of somebody who is not trusted: never used here
  bool is_removed = false;   // by verify
  // Its image is left out: a cache is larger than memory may be.
  std::optional<format::CacheEntry> entry;
};

// Every entry of the layers and of the user's folder, read and checked whole: also that it lies under the hash of its
// key. Sorted by folder and name. A folder that cannot be used is one line of `problems`.
std::vector<EntryInfo> list_entries(const Store& store, std::vector<std::string>& problems);

// Files that are being written to the user's folder, or whose writer died.
struct Temporaries {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};
Temporaries count_temporaries(const Store& store);

// Removes the entries of the user's own folder that are of no use to anybody. Returns all that cannot be used, there
// and in layers. An entry that cannot be removed is one line of `problems`.
std::vector<EntryInfo> verify(const Store& store, std::vector<std::string>& problems);

// Removes all entries, and all temporary files whatever their age. Returns what it did, and what it could not do.
Sweep clear(const Store& store);

// Entries in one file, for import elsewhere.
struct Export {
  std::uint64_t entries = 0;
  base::Bytes file;
};

// What cannot be used, or went meanwhile, is left out; an entry that lies in several folders is taken once.
Export export_entries(const Store& store, const std::vector<EntryInfo>& chosen);

struct Imported {
  std::uint64_t taken = 0;
  std::uint64_t refused = 0;  // entries that are damaged, or of another version
  std::string problem;        // why the file, or what was left of it, was not taken
};

// Puts each entry of an export under its own key. Entries that are there already are written again, equal.
Imported import_entries(Store& store, std::span<const std::byte> file);

// An entry beside a key: where they differ.
struct Comparison {
  std::string name;
  std::vector<format::KeyDifference> differences;  // none: it is the entry of this key
};

// Against the entry of that name (or of a name that begins so), or, with no name, against all entries whose callback
// has the same source. The most similar first.
std::vector<Comparison> explain(const std::vector<EntryInfo>& entries, std::string_view key,
                                std::string_view name = {});

}  // namespace graft::store
