// A depfile names the files that a pack was made from, as a rule of make, so that a build makes the pack again when one
// of them changes:
//
//     gain.graft: gain.cu include/gain.h
#pragma once

#include <filesystem>
#include <string>

#include "cli/commands/build_options.hpp"

namespace graft::cli {

// Returns the rule for `target`: the callback's file (or those of a job's callbacks), the files of --link, and every
// header that an #include may mean (plan/header_scan.hpp), except those of a toolkit. Compiles nothing. Throws Error
// for a callback that cannot be read.
std::string depfile(const std::filesystem::path& target, const BuildRequest& request);

}  // namespace graft::cli
