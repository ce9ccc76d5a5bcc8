// Detects whether a symbolic link or a folder on the way to some files changed between two points in time. A stamp is
// the inode and the change time of one link or folder.
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
  // Stamps all symbolic links on the way to an absolute path, and all symbolic links on the way to the targets of these
  // links. With `with_folder`, also stamps the folder that contains the path's last component. If that folder does not
  // exist, stamps the nearest parent folder that exists.
  void add(const std::string& path, bool with_folder);

  // Leaves this folder without a stamp, so that changes of the folder are not reported.
  void ignore_folder(const FileIdentity& folder) { ignored_ = folder; }

  // Returns the path of a link or folder whose stamp differs from its stamp in `earlier`. Empty when all stamps are
  // equal.
  std::string difference(const PathStamps& earlier) const;

  // Returns the path of a link whose change time is from `from` to `to`, including both. Empty when there is no such
  // link.
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

  std::map<std::string, bool> looked_at_;
  Stamps links_;
  Stamps folders_;
  FileIdentity ignored_;
};

}  // namespace graft::base
