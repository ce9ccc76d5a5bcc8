// Tells whether another user could have planted or changed a file that graft is about to run.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace graft::toolchain {

// The users and groups who may write the file and its folders.
struct Trusted {
  std::vector<uid_t> users;
  std::vector<gid_t> groups;
};

// Root, this user (of a set-user-ID program: its owner), and the owner of `own_file`, the file that contains graft's
// code. Who can write this file can make this process run anything.
Trusted trusted_beside(const std::filesystem::path& own_file);

// Returns why a user who is not trusted could have made `file`, for example "/tmp/app/bin can be written by other
// users". Returns an empty string if none could, or if the file does not exist. `file` is absolute.
//
// Examines the file and its folders from `top` downwards. `top` is a folder that contains both the file and graft's own
// code: who can replace a folder further up can replace graft's code, too. `top` and the folders below may have the
// sticky bit, as /tmp has it, with which other users can only add files; the file's own folder must not.
std::string objection_to(const std::filesystem::path& file, const std::filesystem::path& top, const Trusted& trusted);

}  // namespace graft::toolchain
