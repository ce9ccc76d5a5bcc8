// The operations of `graft cache`: list entries, verify them, remove them all, export and import them, and explain why
// a request was not found.
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
  std::string name;          // the file's name without its suffix: the hash of the key, as text
  std::string trouble;       // why the entry cannot be used; `entry` is then empty
  bool is_hopeless = false;  // the file can never be used here: it is damaged, misnamed or not trusted
  bool is_removed = false;   // verify removed the file
  // Without the image's bytes: all images of a cache together may not fit into memory.
  std::optional<format::CacheEntry> entry;
};

// Lists every entry of the layers and of the user's folder, sorted by folder and name. Each entry is read and checked
// whole, including that its file name is the hash of its key. Each folder that cannot be used adds a line to
// `problems`.
std::vector<EntryInfo> list_entries(const Store& store, std::vector<std::string>& problems);

// The temporary files in the user's folder: entries that are being written, or whose writer died.
struct Temporaries {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};
Temporaries count_temporaries(const Store& store);

// Removes the entries of the user's own folder that are hopeless (EntryInfo). Returns all entries that cannot be used,
// those in layers included. Each entry that cannot be removed adds a line to `problems`.
std::vector<EntryInfo> verify(const Store& store, std::vector<std::string>& problems);

// Removes all entries and all temporary files, whatever their age. Returns what was removed and what failed.
Sweep clear(const Store& store);

// Entries in one file, for import elsewhere.
struct Export {
  std::uint64_t entries = 0;
  base::Bytes file;
};

// Leaves out entries that cannot be used or that vanished meanwhile. Takes an entry that is in several folders once.
Export export_entries(const Store& store, const std::vector<EntryInfo>& chosen);

struct Imported {
  std::uint64_t taken = 0;
  std::uint64_t refused = 0;  // entries that are damaged or of another version
  std::string problem;        // why the file, or the rest of it, was not imported
};

// Writes each entry of an export under its own key. An entry that is in the cache already is written again.
Imported import_entries(Store& store, std::span<const std::byte> file);

// The differences between a key and the key of an entry.
struct Comparison {
  std::string name;
  std::vector<format::KeyDifference> differences;  // empty: the entry has this key
};

// Compares a key with the entries whose name begins with `name`; without a name, with all entries whose callback has
// the same source. The most similar entries come first.
std::vector<Comparison> explain(const std::vector<EntryInfo>& entries, std::string_view key,
                                std::string_view name = {});

}  // namespace graft::store
