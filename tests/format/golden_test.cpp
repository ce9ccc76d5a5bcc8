// Tests that the folder contains exactly the golden files that the manifest lists, with the listed hashes, so that
// nobody changes, loses or adds a golden file without noticing.
//
// To add a golden file, append the line that the failing test prints to the manifest.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "base/files.hpp"
#include "base/hash.hpp"

namespace graft::format {
namespace {

const std::string kFolder = GRAFT_SOURCE_DIR "/tests/format/golden/";
constexpr const char* kManifest = "MANIFEST";

TEST(Golden, FilesAreThoseOfTheManifest) {
  std::istringstream lines(base::read_file(kFolder + kManifest).value());
  std::map<std::string, std::string> listed, found;
  for (std::string hash, name; lines >> hash >> name;) listed[name] = hash;
  for (const auto& file : std::filesystem::directory_iterator(kFolder)) {
    const std::string name = file.path().filename().string();
    if (name != kManifest) found[name] = base::hash(base::read_file(file.path()).value()).hex();
  }
  for (const auto& [name, hash] : found) EXPECT_EQ(listed[name], hash) << hash << "  " << name;
  for (const auto& [name, hash] : listed) EXPECT_TRUE(found.contains(name)) << name;
}

}  // namespace
}  // namespace graft::format
