// Lists, verifies, exports, imports and compares cache entries. Every operation reads entries with read_entry_file,
// which makes the same checks as a lookup.
#include "store/maintenance.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <set>
#include <utility>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "families/kept_kernels.hpp"
#include "format/cache_export.hpp"
#include "format/compressed.hpp"
#include "store/uses.hpp"

namespace graft::store {
namespace {

using format::CacheEntry;
using format::EntryFault;
using format::KeyField;

std::string words_on(EntryFault fault) {
  switch (fault) {
    case EntryFault::OfGraft01:
      return "it was made by graft 0.1, whose format this version cannot read: make it again with this version";
    case EntryFault::OtherVersion:
      return "its format is newer than this version of graft can read";
    case EntryFault::Compressed:
      return base::format("it {}", format::kNeedsZstd);
    case EntryFault::Damaged:
      break;
  }
  return "it is damaged";
}

EntryInfo examine(Disk& disk, const Folder& folder, const std::filesystem::path& path, const std::string& name,
                  Access access) {
  EntryInfo info;
  info.file = path / version_folder() / name;
  info.name = name.substr(0, name.find('.'));
  const FileRead read = read_entry_file(disk, folder, name, access);
  info.bytes = read.state.size;
  info.used = read.state.used;
  if (read.error < 0) {
    info.trouble = base::format("it cannot be read: {}", store::words_for(read.error));
    return info;
  }
  if (!read.flaw.empty()) {
    info.trouble = "it " + read.flaw;
    info.is_hopeless = true;
    return info;
  }
  auto entry = families::read_cache_entry(read.bytes);
  if (const auto* fault = std::get_if<EntryFault>(&entry)) {
    info.trouble = words_on(*fault);
    info.is_hopeless = *fault == EntryFault::Damaged;
  } else if (base::hash(std::get<CacheEntry>(entry).key).hex() != info.name) {
    info.trouble = "its file name is not the hash of its key";
    info.is_hopeless = true;
  } else {
    info.entry = std::move(std::get<CacheEntry>(entry));
    info.entry->image = {};
  }
  return info;
}

// Reads the entry's file again. Returns nothing when the file can no longer be used.
std::optional<base::Bytes> read_again(const Store& store, const EntryInfo& info) {
  const Access access = info.is_in_layer ? Access::Layer : Access::Own;
  const Folder folder = open_folder(store.disk(), info.file.parent_path().parent_path(), access);
  if (!folder.is_open()) return std::nullopt;
  FileRead read = read_entry_file(store.disk(), folder, info.file.filename(), access);
  const auto key = format::read_cache_entry_key(read.bytes);
  if (read.error < 0 || !read.flaw.empty() || !std::holds_alternative<std::string_view>(key)) return std::nullopt;
  return std::move(read.bytes);
}

// Whether the user's own folder has an entry's file with exactly these bytes.
bool has_file(const Store& store, const std::string& name, std::span<const std::byte> bytes) {
  const Folder folder = open_folder(store.disk(), store.settings().folder, Access::Own);
  if (!folder.is_open()) return false;
  const FileRead read = read_entry_file(store.disk(), folder, name, Access::Own);
  return read.error == 0 && read.flaw.empty() && std::ranges::equal(read.bytes, bytes);
}

// A folder whose entries are to be read, and the names of the entries.
struct NamedEntries {
  std::filesystem::path path;
  Access access = Access::Own;
  Folder folder;
  std::vector<std::string> names;
};

NamedEntries names_in(const Store& store, const std::filesystem::path& path, Access access,
                      std::vector<std::string>& problems) {
  Disk& disk = store.disk();
  NamedEntries found{path, access, open_folder(disk, path, access), {}};
  if (!found.folder.problem.empty()) problems.push_back(found.folder.problem);
  if (!found.folder.is_open()) return found;
  if (const int error = uninterrupted([&] { return disk.list(found.folder.versioned.get(), found.names); }); error < 0)
    problems.push_back(
        base::format("{} cannot be listed: {}", (path / version_folder()).string(), store::words_for(error)));
  std::erase_if(found.names, [](const std::string& name) { return !is_entry_name(name); });
  std::sort(found.names.begin(), found.names.end());
  return found;
}

void tell(const Watch& watch, std::size_t done, std::size_t all) {
  if (watch) watch(done, all);
}

std::string_view source_of(const std::vector<KeyField>& fields) {
  for (const KeyField& field : fields)
    if (field.tag == "source") return field.value;
  return {};
}

}  // namespace

std::vector<EntryInfo> list_entries(const Store& store, std::vector<std::string>& problems, const Watch& watch) {
  std::vector<NamedEntries> folders;
  for (const auto& layer : store.settings().layers) folders.push_back(names_in(store, layer, Access::Layer, problems));
  if (!store.settings().folder.empty())
    folders.push_back(names_in(store, store.settings().folder, Access::Own, problems));
  std::size_t all = 0;
  for (const NamedEntries& one : folders) all += one.names.size();
  std::vector<EntryInfo> entries;
  for (const auto& [path, access, folder, names] : folders)
    for (const std::string& name : names) {
      entries.push_back(examine(store.disk(), folder, path, name, access));
      entries.back().is_in_layer = access == Access::Layer;
      tell(watch, entries.size(), all);
    }
  return entries;
}

std::vector<EntryInfo> verify(const Store& store, std::vector<std::string>& problems, const Watch& watch) {
  std::vector<EntryInfo> bad = list_entries(store, problems, watch);
  std::erase_if(bad, [](const EntryInfo& info) { return info.entry.has_value(); });
  const Folder folder = open_folder(store.disk(), store.settings().folder, Access::Own);
  if (!store.settings().is_writable || !folder.is_open()) return bad;
  for (EntryInfo& info : bad) {
    if (info.is_in_layer || !info.is_hopeless) continue;
    const int error = remove_entry(store.disk(), folder, info.file.filename());
    info.is_removed = error == 0 || error == -ENOENT;
    if (!info.is_removed)
      problems.push_back(base::format("{} cannot be removed: {}", info.file.string(), store::words_for(error)));
  }
  return bad;
}

Temporaries count_temporaries(const Store& store) {
  Temporaries result;
  if (store.settings().folder.empty()) return result;
  const Folder folder = open_folder(store.disk(), store.settings().folder, Access::Own);
  std::vector<std::string> names;
  if (!folder.is_open() || uninterrupted([&] { return store.disk().list(folder.versioned.get(), names); }) < 0)
    return result;
  for (const std::string& name : names) {
    FileState state;
    if (!is_temporary_name(name) ||
        uninterrupted([&] { return store.disk().state_of(folder.versioned.get(), name.c_str(), state); }) < 0)
      continue;
    ++result.files;
    result.bytes += state.size;
  }
  return result;
}

Sweep clear(const Store& store) {
  // The sweep selects files that are at least this old. No age is negative, so a negative minimum selects every file.
  constexpr std::chrono::seconds kAnyAge(std::numeric_limits<int>::min());
  remove_uses(store);
  return store.sweep(0, kAnyAge, kAnyAge);
}

Export export_entries(const Store& store, const std::vector<EntryInfo>& chosen, const Watch& watch) {
  std::vector<base::Bytes> files;
  std::set<std::string_view> names;
  std::size_t done = 0;
  for (const EntryInfo& info : chosen) {
    tell(watch, ++done, chosen.size());
    if (!info.entry || !names.insert(info.name).second) continue;
    if (std::optional<base::Bytes> file = read_again(store, info)) files.push_back(std::move(*file));
  }
  return {files.size(), format::write_cache_export(files)};
}

std::uint64_t largest_export(std::string_view beginning) {
  return format::is_of_this_version(base::as_bytes(beginning)) ? kLargestExport : 0;
}

Imported import_entries(Store& store, std::span<const std::byte> file, const Watch& watch) {
  Imported result;
  const auto entries = format::read_cache_export(file);
  if (const auto* fault = std::get_if<EntryFault>(&entries)) {
    result.problem = "the file cannot be imported as a cache export: " + words_on(*fault);
    return result;
  }
  if (!store.settings().is_writable || store.settings().folder.empty()) {
    result.problem = "the cache is read-only or has no folder, so nothing was imported";
    return result;
  }
  std::size_t done = 0;
  std::set<std::string> written;
  for (const std::span<const std::byte> bytes : std::get<0>(entries)) {
    tell(watch, ++done, std::get<0>(entries).size());
    const auto entry = families::read_cache_entry(bytes);
    if (!std::holds_alternative<CacheEntry>(entry)) {
      ++result.refused;
      continue;
    }
    const base::Hash128 hash = base::hash(std::get<CacheEntry>(entry).key);
    if (has_file(store, entry_name(hash), bytes)) {
      ++result.known;
      continue;
    }
    const Stored stored = store.put_file(hash, bytes);
    if (stored.bytes == 0) {
      result.problem = stored.problem;
      break;
    }
    written.insert(entry_name(hash));
  }
  result.taken = written.size();
  return result;
}

std::vector<Comparison> explain(const std::vector<EntryInfo>& entries, std::string_view key, std::string_view name) {
  std::vector<Comparison> comparisons;
  const auto wanted = format::parse_key(key);
  if (!wanted) return comparisons;
  for (const EntryInfo& info : entries) {
    if (!info.entry || (!name.empty() && !info.name.starts_with(name))) continue;
    const auto fields = format::parse_key(info.entry->key);
    if (!fields || (name.empty() && source_of(*fields) != source_of(*wanted))) continue;
    comparisons.push_back({info.name, format::compare_keys(*wanted, *fields)});
  }
  // Sorts by the number of differences, and entries with equally many differences by the text of the differences.
  // Sorting by the entries' names would give another order in each version of graft, because the names are hashes of
  // the keys.
  const auto place = [](const Comparison& comparison) {
    std::string differences;
    for (const format::KeyDifference& difference : comparison.differences)
      differences += difference.tag + ' ' + difference.right.value_or("") + '\n';
    return std::pair(comparison.differences.size(), differences);
  };
  std::stable_sort(comparisons.begin(), comparisons.end(),
                   [&](const Comparison& a, const Comparison& b) { return place(a) < place(b); });
  return comparisons;
}

}  // namespace graft::store
