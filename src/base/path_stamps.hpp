// Detects whether the symbolic links and folders on the way to a set of files changed between two looks. A stamp is the
// inode and the change time of one link or folder.
//
// The stamps show what the files themselves cannot: a file that appears and is deleted again changes its folder's
// change time, and a link that is switched and switched back is a new link with a new stamp.
#pragma once

#include <map>
#include <string>

#include "base/seen_file.hpp"

namespace graft::base {

class PathStamps {
 public:
  // Stamps the symbolic links on the way to an absolute path, and those on the way to the links' targets.
  // `with_folder`: also stamps the folder that holds the path's last component; where that folder does not exist, the
  // nearest folder above it that does.
  void add(const std::string& path, bool with_folder);

  // Does not stamp this folder, so its changes are not reported.
  void ignore_folder(const FileIdentity& folder) { ignored_ = folder; }

  // The path of a link or folder whose stamp differs from the one in `earlier`; empty when all stamps are equal.
  std::string difference(const PathStamps& earlier) const;

  // The path of a link whose change time is between `from` and `to`, both included; empty when there is none.
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
