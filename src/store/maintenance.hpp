// The operations of the command `graft cache`: list entries, verify them, remove all of them, export and import them,
// and explain why a request was not found in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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
  // The file's name without its suffix, which is the hash of the key as text.
  std::string name;
  // Why the entry cannot be used. Empty when the entry can be used, and only then `entry` has a value.
  std::string trouble;
  // True when the file can never be used here, because it is damaged, misnamed or not trusted.
  bool is_hopeless = false;
  // True when verify() removed the file.
  bool is_removed = false;
  // The entry without the bytes of its image, because all images of a cache together might be larger than memory.
  std::optional<format::CacheEntry> entry;
};

// Called after each file of a long operation, with the number of files that are done and the number of all files.
using Watch = std::function<void(std::size_t done, std::size_t all)>;

// Lists every entry of the layers (the read-only cache folders) and of the user's folder, sorted by folder and name.
// Reads and checks every entry completely, and also checks that its file name is the hash of its key. Adds a line to
// `problems` for each folder that cannot be used.
std::vector<EntryInfo> list_entries(const Store& store, std::vector<std::string>& problems, const Watch& watch = {});

// The temporary files in the user's folder. A temporary file is an entry that a process is writing, or that a process
// left unfinished when it died.
struct Temporaries {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};
Temporaries count_temporaries(const Store& store);

// Removes the entries of the user's own folder that are hopeless (EntryInfo::is_hopeless). Returns all entries that
// cannot be used, including those in layers. Adds a line to `problems` for each entry that cannot be removed.
std::vector<EntryInfo> verify(const Store& store, std::vector<std::string>& problems, const Watch& watch = {});

// Removes all entries, all temporary files of any age, and the counts of hits and misses (uses.hpp). Returns how many
// entries and temporary files were removed and what failed.
Sweep clear(const Store& store);

// Cache entries encoded as one file, to be imported into another cache.
struct Export {
  std::uint64_t entries = 0;
  base::Bytes file;
};

// Exports the chosen entries. Leaves out entries that cannot be used or that were removed in the meantime. Exports an
// entry that is in several folders once.
Export export_entries(const Store& store, const std::vector<EntryInfo>& chosen, const Watch& watch = {});

// The size limit in bytes of a file to import. A larger file is refused before it is read into memory. In practice, no
// cache has so many bytes of kernels, not even one whose size limit was raised.
inline constexpr std::uint64_t kLargestExport = std::uint64_t{4} << 30;

// Returns kLargestExport if a file with this beginning can be an export, and 0 otherwise (base::LimitFor).
std::uint64_t largest_export(std::string_view beginning);

struct Imported {
  // The number of kernels that were written to the cache.
  std::uint64_t taken = 0;
  // The number of entries that were not written, because the cache has the same entry, also one of this import.
  std::uint64_t known = 0;
  // The number of entries that were not imported because they are damaged or of another version.
  std::uint64_t refused = 0;
  // Why the import stopped. Empty when each entry of the file was imported or refused.
  std::string problem;
};

// Writes each entry of an exported file to the cache under the entry's own key. Replaces another entry that the cache
// has under this key.
Imported import_entries(Store& store, std::span<const std::byte> file, const Watch& watch = {});

// The differences between a given key and the key of one cache entry.
struct Comparison {
  std::string name;
  // Empty when the two keys are equal.
  std::vector<format::KeyDifference> differences;
};

// Compares the key of a request with the keys of those entries whose EntryInfo::name begins with `name`. If `name` is
// empty, compares it with all entries whose callback has the same source. The result begins with the most similar
// entries.
std::vector<Comparison> explain(const std::vector<EntryInfo>& entries, std::string_view key,
                                std::string_view name = {});

}  // namespace graft::store
