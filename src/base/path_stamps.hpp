// The links and folders through which the system finds files, and whether they are as they were. A file that appears
// under a name and is gone again leaves no trace of its own: the folder's change time shows it. A link that is switched
// and switched back is another link.
#pragma once

#include <map>
#include <string>

#include "base/seen_file.hpp"

namespace graft::base {

class PathStamps {
 public:
  // Looks at the links on the way to an absolute path, those of links' targets too. `with_folder`: also at the folder
  // in which the path's name is, or would be.
  void add(const std::string& path, bool with_folder);

  // Leaves out this folder, and counts it as unchanged.
  void ignore_folder(const FileIdentity& folder) { ignored_ = folder; }

  // A link or folder that is not as it was when `earlier` looked; empty where all are.
  std::string difference(const PathStamps& earlier) const;

  // A link that was made in this time, both ends included; empty where there is none.
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
