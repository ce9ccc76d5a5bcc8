// Tests where a cache has tuning files, and whose files it reads.
#include "store/tuning_place.hpp"

#include <gmock/gmock.h>

#include "store/entries.hpp"
#include "store/faulty_disk.hpp"

namespace graft::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kGpuFile = "GPU_1.json";

class TuningPlace : public StoreTest {
 protected:
  fs::path tuning_file(const fs::path& cache) const { return cache / kTuningFolder / kGpuFile; }
  fs::path layer() const { return scratch() / "layer"; }
  Settings with_layer() const { return {.folder = folder(), .layers = {layer()}}; }
};

TEST_F(TuningPlace, AFileIsFoundAsItWasPut) {
  EXPECT_EQ(find_tuning(settings(), kGpuFile).text, "");
  EXPECT_EQ(find_tuning(settings(), kGpuFile).problem, "");
  EXPECT_FALSE(fs::exists(folder())) << "looking makes no folder";
  EXPECT_EQ(put_tuning(folder(), kGpuFile, "one"), "");
  EXPECT_EQ(put_tuning(folder(), kGpuFile, "another"), "");
  const TuningText found = find_tuning(settings(), kGpuFile);
  EXPECT_EQ(found.text, "another");
  EXPECT_EQ(found.path, tuning_file(folder()));
  EXPECT_EQ(found.problem, "");
  EXPECT_EQ(find_tuning(settings(), "other.json").text, "");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder() / kTuningFolder), fs::directory_iterator()), 1);
}

TEST_F(TuningPlace, TheOwnFolderComesBeforeLayers) {
  ASSERT_EQ(put_tuning(layer(), kGpuFile, "layer"), "");
  EXPECT_EQ(find_tuning(with_layer(), kGpuFile).text, "layer");
  ASSERT_EQ(put_tuning(folder(), kGpuFile, "own"), "");
  EXPECT_EQ(find_tuning(with_layer(), kGpuFile).text, "own");
}

TEST_F(TuningPlace, WhatOthersMayWriteIsNotRead) {
  ASSERT_EQ(put_tuning(folder(), kGpuFile, "text"), "");
  const auto expect_refused = [&](const fs::path& what, mode_t mode) {
    ASSERT_EQ(::chmod(what.c_str(), mode), 0);
    const TuningText found = find_tuning(settings(), kGpuFile);
    EXPECT_EQ(found.text, "") << what;
    EXPECT_THAT(found.problem, HasSubstr("can be written by other users")) << what;
    ASSERT_EQ(::chmod(what.c_str(), fs::is_directory(what) ? 0700 : 0600), 0);
  };
  expect_refused(tuning_file(folder()), 0622);
  expect_refused(folder() / kTuningFolder, 0777);
  expect_refused(folder(), 0777);
  EXPECT_EQ(find_tuning(settings(), kGpuFile).text, "text");
}

TEST_F(TuningPlace, AStrangersFileIsNotRead) {
  ASSERT_EQ(put_tuning(folder(), kGpuFile, "own"), "");
  ASSERT_EQ(put_tuning(layer(), kGpuFile, "layer"), "");
  FaultyDisk disk;
  disk.other_user = disk.user() + 1;
  for (const Settings& place : {settings(), with_layer()}) {
    const TuningText found = find_tuning(place, kGpuFile, disk);
    // Files of root are good in layers, and tests may run as root.
    EXPECT_EQ(found.text, ::geteuid() == 0 && !place.layers.empty() ? "layer" : "");
    EXPECT_THAT(found.problem, HasSubstr("belongs to another user"));
  }
}

TEST_F(TuningPlace, LinksAndOtherThingsAreNotRead) {
  ASSERT_EQ(put_tuning(folder(), kGpuFile, "text"), "");
  fs::rename(tuning_file(folder()), scratch() / "text.json");
  fs::create_symlink(scratch() / "text.json", tuning_file(folder()));
  EXPECT_THAT(find_tuning(settings(), kGpuFile).problem, HasSubstr("is not a regular file"));
  fs::remove(tuning_file(folder()));
  fs::create_directory(tuning_file(folder()));
  EXPECT_THAT(find_tuning(settings(), kGpuFile).problem, HasSubstr("is not a regular file"));
  EXPECT_NE(put_tuning(folder(), kGpuFile, "text"), "") << "a folder is in the way";
  fs::remove(tuning_file(folder()));
  ASSERT_TRUE(base::write_file(tuning_file(folder()), base::as_bytes("")));
  EXPECT_THAT(find_tuning(settings(), kGpuFile).problem, HasSubstr("is empty"));
}

TEST_F(TuningPlace, AllFilesOfFolderAndLayersAreListed) {
  EXPECT_THAT(list_tunings(with_layer()).names, IsEmpty());
  EXPECT_FALSE(fs::exists(folder())) << "looking makes no folder";
  ASSERT_EQ(put_tuning(folder(), kGpuFile, "own"), "");
  ASSERT_EQ(put_tuning(layer(), kGpuFile, "layer"), "");
  ASSERT_EQ(put_tuning(layer(), "A_1.json", "layer"), "");
  ASSERT_TRUE(base::write_file(folder() / kTuningFolder / "half.json.1.tmp", base::as_bytes("text")));
  EXPECT_THAT(list_tunings(settings()).names, ElementsAre(kGpuFile));
  EXPECT_THAT(list_tunings(with_layer()).names, ElementsAre("A_1.json", kGpuFile));
  EXPECT_THAT(list_tunings(with_layer()).problems, IsEmpty());
  ASSERT_EQ(::chmod((folder() / kTuningFolder).c_str(), 0777), 0);
  const TuningNames of_layer = list_tunings(with_layer());
  EXPECT_THAT(of_layer.names, ElementsAre("A_1.json", kGpuFile));
  EXPECT_THAT(of_layer.problems, ElementsAre(HasSubstr("can be written by other users")));
  ASSERT_EQ(::chmod((folder() / kTuningFolder).c_str(), 0700), 0);
  FaultyDisk disk;
  for (int call = 0, calls = 1; call < calls; ++call) {
    disk.fail(call, -EIO);
    const TuningNames found = list_tunings(settings(), disk);
    calls = std::max<int>(calls, disk.calls());
    EXPECT_EQ(found.names.size() + found.problems.size(), 1U) << "the name, or why it is not known: " << call;
  }
}

TEST_F(TuningPlace, EachCallOfTheSystemMayFail) {
  ASSERT_EQ(put_tuning(folder(), kGpuFile, "before"), "");
  FaultyDisk disk;
  bool has_failed = true;
  for (int call = 0; has_failed; ++call) {
    disk.fail(call, -EIO);
    const std::string problem = put_tuning(folder(), kGpuFile, "behind", disk);
    has_failed = disk.calls() > call;
    const std::string text = find_tuning(settings(), kGpuFile).text;
    EXPECT_EQ(text, problem.empty() ? "behind" : "before") << call;
    ASSERT_EQ(put_tuning(folder(), kGpuFile, "before"), "");
    if (!has_failed) break;
    disk.fail(call, -EIO);
    const TuningText found = find_tuning(settings(), kGpuFile, disk);
    EXPECT_TRUE(disk.calls() <= call || !found.text.empty() || !found.problem.empty()) << call;
  }
}

}  // namespace
}  // namespace graft::store
