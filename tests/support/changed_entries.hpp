// Makes forged cache entries (format/cache_entry.hpp). The report inside an entry is changed, and the entry's lengths
// and checksum are then recomputed. A reader cannot reject such an entry as damaged, so it has to judge the report
// itself.
#pragma once

#include <span>
#include <string>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "support/records.hpp"

namespace graft::test {

// Recomputes the checksum in the last 16 bytes, as a forger would.
inline void seal(base::Bytes& file) {
  const base::Hash128 sum = base::hash(base::as_text(std::span(file).first(file.size() - 16)));
  for (std::size_t i = 0; i < 8; ++i) {
    file[file.size() - 16 + i] = static_cast<std::byte>(sum.low >> (8 * i));
    file[file.size() - 8 + i] = static_cast<std::byte>(sum.high >> (8 * i));
  }
}

inline base::Bytes with_changed_report(const base::Bytes& file, const records::Change& change) {
  constexpr std::size_t kKeySizeAt = 16;
  constexpr std::size_t kMetaSizeAt = 24;
  constexpr std::size_t kHeaderBytes = 40;
  std::string text(base::as_text(file));
  const std::size_t meta_at = kHeaderBytes + records::number_at(text, kKeySizeAt, 8);
  const std::size_t report_bytes = records::number_at(text, meta_at, 8);
  std::string report = text.substr(meta_at + 8, report_bytes);
  change(report);
  const std::size_t meta_bytes = records::number_at(text, kMetaSizeAt, 8) - report_bytes + report.size();
  text.replace(meta_at, 8 + report_bytes, records::number(report.size()) + report);
  text.replace(kMetaSizeAt, 8, records::number(meta_bytes));
  const std::span<const std::byte> bytes = base::as_bytes(text);
  base::Bytes changed(bytes.begin(), bytes.end());
  seal(changed);
  return changed;
}

}  // namespace graft::test
