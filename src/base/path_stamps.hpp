// Detects whether a symbolic link or a folder in the paths of some files changed between two points in time. A stamp is
// the inode and the change time of one link or folder. A PathStamps holds the stamps at one point in time.
//
// Stamps show changes that the files themselves do not show. A file that appears and is deleted again changes its
// folder's change time. A link that is switched to another target and back again is a new link with a new stamp.
#pragma once

#include <map>
#include <string>

#include "base/seen_file.hpp"

namespace graft::base {

class PathStamps {
 public:
  // Records the stamps of all symbolic links in an absolute path, and of all symbolic links in the paths of these
  // links' targets. With `with_folder`, also records the stamp of the folder that contains the path's last component.
  // If that folder does not exist, records the stamp of the nearest parent folder that exists.
  void add(const std::string& path, bool with_folder);

  // Makes later calls of add() record no stamp for this folder, so that changes of the folder are not reported.
  void ignore_folder(const FileIdentity& folder) { ignored_ = folder; }

  // Returns the path of a link or folder whose stamp differs from its stamp in `earlier`, or an empty text if all
  // stamps are equal.
  std::string difference(const PathStamps& earlier) const;

  // Returns the path of a link whose change time is neither before `from` nor after `to`, or an empty text if there is
  // no such link.
  std::string link_changed(const FileTime& from, const FileTime& to) const;

 private:
  struct Stamp {
    FileIdentity identity;
    FileTime changed;
    bool operator==(const Stamp&) const = default;
  };
  using Stamps = std::map<std::string, Stamp>;

  bool exists(const std::string& path);
  void add_folder(const std::string& path);
  static std::string difference(const Stamps& now, const Stamps& earlier);

  // Maps each path that add() has examined to whether the path exists, so that no path is examined twice.
  std::map<std::string, bool> looked_at_;
  Stamps links_;
  Stamps folders_;
  FileIdentity ignored_;
};

}  // namespace graft::base
