// HeaderWatch::objection() looks for changes in three steps. It compares the scan before the build with the scan after
// the build, path by path. It compares the stamps (inodes and change times, base/path_stamps.hpp) that symbolic links
// and folders had before and after the build. And it checks whether the change time of a file or link is so close to
// the first scan that a second change could have the same time.
#include "plan/header_watch.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace graft::plan {
namespace {

using base::FileTime;
using base::SeenFile;

constexpr std::int64_t kSecond = 1'000'000'000;
// In nanoseconds: twice the coarsest step of Linux's clock for file times.
constexpr std::int64_t kClockStep = 20'000'000;
// In nanoseconds: 2 s, for file systems that store times in steps of one second, or of two seconds as FAT does.
constexpr std::int64_t kCoarseStep = 2 * kSecond;

FileTime earlier(FileTime time, std::int64_t nanoseconds) {
  const std::int64_t left = time.nanoseconds - nanoseconds;
  const std::int64_t borrowed = left < 0 ? (-left + kSecond - 1) / kSecond : 0;
  return {time.seconds - borrowed, left + borrowed * kSecond};
}

// Returns whether a file that last changed at `changed` may have changed again after `begun`, when the scan began,
// without a new change time. A time in whole seconds is assumed to come from a file system with coarse times. A time in
// the future comes from another machine's clock and is ignored.
bool is_young(const FileTime& changed, const FileTime& begun, const FileTime& now) {
  return changed <= now && changed >= earlier(begun, changed.nanoseconds == 0 ? kCoarseStep : kClockStep);
}

bool is_same(const HeaderLook& a, const HeaderLook& b) {
  return a.file.kind == b.file.kind && a.file.problem == b.file.problem && a.file.identity == b.file.identity &&
         a.file.folder == b.file.folder && a.file.size == b.file.size && a.file.modified == b.file.modified &&
         a.file.changed == b.file.changed && a.hash == b.hash;
}

std::string changed(const HeaderLook& before, const HeaderLook& after) {
  const bool was_there = before.file.kind != SeenFile::Kind::Missing;
  const bool is_there = after.file.kind != SeenFile::Kind::Missing;
  const char* what = !was_there ? "appeared" : !is_there ? "vanished" : "changed";
  return base::format("the header {} {} while the kernel was built", before.path, what);
}

base::PathStamps stamps_of(const HeaderScan& scan, const base::FileIdentity& ignored) {
  base::PathStamps stamps;
  stamps.ignore_folder(ignored);
  for (const HeaderLook& look : scan.looks) stamps.add(look.path, look.is_searched);
  return stamps;
}

// Returns the first difference between two scans. The scans may look at different paths after the first difference, so
// the comparison ends there.
std::string difference(const HeaderScan& before, const HeaderScan& after) {
  if (before.working_folder != after.working_folder)
    return "the process changed its working folder while the kernel was built";
  const std::size_t both = std::min(before.looks.size(), after.looks.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (before.looks[i].path != after.looks[i].path) break;
    if (!is_same(before.looks[i], after.looks[i])) return changed(before.looks[i], after.looks[i]);
  }
  if (before.looks.size() != after.looks.size() || before.headers != after.headers)
    return "the headers changed while the kernel was built";
  return {};
}

}  // namespace

HeaderWatch::HeaderWatch(const HeaderScan& before, const std::string& temporary)
    : before_(before), temporary_(base::folder_identity(temporary)), stamps_(stamps_of(before, temporary_)) {}

std::string HeaderWatch::objection(const HeaderScan& after) const {
  if (std::string found = difference(before_, after); !found.empty()) return found;
  // The second stamps are taken after the second scan, so that they show changes that the second scan missed.
  if (const std::string path = stamps_of(after, temporary_).difference(stamps_); !path.empty())
    return base::format("{} changed while the kernel was built", path);
  const FileTime now = base::clock_now();
  for (const HeaderLook& look : before_.looks)
    if (look.file.kind == SeenFile::Kind::Readable && is_young(look.file.changed, before_.begun, now))
      return base::format(
          "the header {} was changed less than 20 ms before the build (2 s if file times are whole seconds)",
          look.path);
  if (const std::string path = stamps_.link_changed(earlier(before_.begun, kClockStep), now); !path.empty())
    return base::format("the link {} was changed less than 20 ms before the build", path);
  return {};
}

}  // namespace graft::plan
