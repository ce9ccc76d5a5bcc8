// Tests cache entries that other users own or can write. In version 0.1, graft did not check the owner and the mode of
// a cache entry's file. If another user planted an entry while the cache folder was writable for everyone, graft still
// trusted the entry after the folder's mode was corrected.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "cli/program.hpp"
#include "graft/graft.hpp"

namespace graft {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr uid_t kSomebody = 65534;
constexpr uid_t kAnother = 65533;

// While an object of this class exists, the process acts as another user. Only root can change to another user and
// back.
class ActingAs {
 public:
  explicit ActingAs(uid_t user) { EXPECT_EQ(::seteuid(user), 0); }
  ~ActingAs() { EXPECT_EQ(::seteuid(0), 0); }
  ActingAs(const ActingAs&) = delete;
  ActingAs& operator=(const ActingAs&) = delete;
};

bool is_root() {
  return ::geteuid() == 0;
}

void give(const fs::path& path, uid_t user) {
  ASSERT_EQ(::lchown(path.c_str(), user, static_cast<gid_t>(-1)), 0) << path;
}

class EntriesOfOthers : public testing::Test {
 protected:
  EntriesOfOthers() { request(); }

  fs::path folder() const { return graft_.path("own-cache"); }
  fs::path file() const {
    for (const auto& one : fs::recursive_directory_iterator(folder()))
      if (one.path().extension() == ".entry") return one.path();
    return {};
  }

  struct Answer {
    Report report;
    Counters counters;
    std::string notes() const { return fmt::format("{}", fmt::join(report.notes, "\n")); }
  };
  Answer request(CachePolicy policy = CachePolicy::ReadWrite, const std::vector<fs::path>& layers = {},
                 const char* own = "own-cache") const {
    EngineOptions options;
    options.cache.policy = policy;
    options.cache.folder = graft_.path(own);
    options.cache.layers = layers;
    Engine engine(options);
    engine.preload();  // the toolkit may be in a folder that only root can read
    const std::optional<ActingAs> acting = user_ == 0 ? std::nullopt : std::optional<ActingAs>(std::in_place, user_);
    const Image image = build(engine, "__device__ float twice(float x) { return 2 * x; }", Architecture(90));
    return {image.report(), engine.counters()};
  }

  void expect_refused_and_replaced(const std::string& why) const {
    const fs::path at = file();
    const Answer first = request();
    EXPECT_FALSE(first.report.from_cache);
    // graft looks for the entry before it takes the key's lock and again afterwards, so it may reject the entry more
    // than once.
    EXPECT_GE(first.counters.rejected_entries, 1u);
    EXPECT_THAT(first.notes(), HasSubstr(at.string() + " " + why));
    const Answer second = request();
    EXPECT_TRUE(second.report.from_cache)
        << "the rebuilt kernel must have replaced the refused entry: " << second.notes();
    struct stat state {};
    ASSERT_EQ(::stat(at.c_str(), &state), 0);
    EXPECT_EQ(state.st_uid, user_ == 0 ? ::geteuid() : user_);
    EXPECT_EQ(state.st_mode & 0777u, 0600u);
  }

  // Copies the cache to a folder that every user can read, with these owners of the folder and of the entry. graft uses
  // the copy as a layer of the cache.
  fs::path layer(uid_t folders_owner, uid_t entrys_owner) const {
    const fs::path copy = graft_.path(fmt::format("layer-{}-{}", folders_owner, entrys_owner));
    fs::copy(folder(), copy, fs::copy_options::recursive);
    fs::permissions(graft_.path("."), fs::perms(0755));
    for (const fs::path& one : {copy, copy / "v3"}) {
      fs::permissions(one, fs::perms(0755));
      give(one, folders_owner);
    }
    const fs::path entry = copy / "v3" / file().filename();
    fs::permissions(entry, fs::perms(0644));
    give(entry, entrys_owner);
    return copy;
  }

  test::Program graft_;
  uid_t user_ = 0;  // the user who makes the request; 0 means the user who runs the test
};

TEST_F(EntriesOfOthers, OneThatOthersCanWriteIsNotUsed) {
  for (const unsigned mode : {0620u, 0602u, 0660u, 0666u, 0777u, 0622u}) {
    SCOPED_TRACE(fmt::format("{:o}", mode));
    fs::permissions(file(), fs::perms(mode));
    expect_refused_and_replaced("can be written by other users");
  }
}

TEST_F(EntriesOfOthers, OneThatOthersCanOnlyReadIsUsed) {
  for (const unsigned mode : {0600u, 0400u, 0640u, 0644u, 0444u, 0755u}) {
    fs::permissions(file(), fs::perms(mode));
    EXPECT_TRUE(request().report.from_cache) << fmt::format("{:o}", mode);
  }
}

TEST_F(EntriesOfOthers, OneOfAnotherUserIsNotUsed) {
  if (!is_root()) GTEST_SKIP() << "only root can give a file to another user";
  give(file(), kSomebody);
  expect_refused_and_replaced("belongs to another user");
}

// The original attack: an entry is planted while everyone may write to the folder and is used after the folder's mode
// is corrected.
TEST_F(EntriesOfOthers, OneThatWasPlantedBeforeTheFolderWasClosedIsNotUsed) {
  if (!is_root()) GTEST_SKIP() << "only root can act as another user";
  const fs::path at = file();
  const fs::path prepared = graft_.path("prepared");
  fs::copy_file(at, prepared);
  fs::permissions(prepared, fs::perms(0644));
  fs::permissions(graft_.path("."), fs::perms(0755));
  fs::remove(at);
  for (const fs::path& one : {folder(), at.parent_path()}) fs::permissions(one, fs::perms(0777));
  {
    const ActingAs planter(kSomebody);
    ASSERT_TRUE(fs::copy_file(prepared, at));
  }
  for (const fs::path& one : {folder(), at.parent_path()}) fs::permissions(one, fs::perms(0700));
  expect_refused_and_replaced("belongs to another user");
}

// The owner of this entry has made it unreadable for the user who makes the request.
TEST_F(EntriesOfOthers, OneThatItsOwnerKeepsToHimselfIsReplaced) {
  if (!is_root()) GTEST_SKIP() << "only root can act as another user";
  fs::permissions(graft_.path("."), fs::perms(0755));
  const fs::path at = file();
  for (const fs::path& one : {folder(), at.parent_path()}) give(one, kSomebody);
  fs::permissions(at, fs::perms(0600));
  user_ = kSomebody;
  expect_refused_and_replaced("belongs to another user");
}

// In the cache folder of an ordinary user, graft refuses an entry of root as it refuses the entries of all other users.
TEST_F(EntriesOfOthers, InTheUsersOwnFolderRootIsAnotherUser) {
  if (!is_root()) GTEST_SKIP() << "only root can act as another user";
  fs::permissions(graft_.path("."), fs::perms(0755));
  const fs::path at = file();
  for (const fs::path& one : {folder(), at.parent_path()}) give(one, kSomebody);
  fs::permissions(at, fs::perms(0644));
  user_ = kSomebody;
  expect_refused_and_replaced("belongs to another user");
}

TEST_F(EntriesOfOthers, WhereNothingMayBeChangedItStaysAndIsNotUsed) {
  fs::permissions(file(), fs::perms(0666));
  EXPECT_FALSE(request(CachePolicy::ReadOnly).report.from_cache);
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms(0666));
  try {
    request(CachePolicy::ForbidCompiling);
    ADD_FAILURE() << "the entry was used";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::CompilingForbidden);
    EXPECT_THAT(error.what(), HasSubstr("can be written by other users"));
  }
}

struct Owners {
  uid_t user;
  uid_t folders;
  uid_t entrys;
  bool is_used;
};

TEST_F(EntriesOfOthers, InLayersEntriesAreTheUsersOrRoots) {
  if (!is_root()) GTEST_SKIP() << "only root can give a file to another user";
  const Owners cases[] = {
      {0, 0, 0, true},
      {0, 0, kSomebody, false},
      {kSomebody, 0, 0, true},
      {kSomebody, 0, kSomebody, true},
      {kSomebody, kSomebody, 0, true},
      {kSomebody, kSomebody, kSomebody, true},
      {kSomebody, 0, kAnother, false},
      {kSomebody, kSomebody, kAnother, false},
  };
  for (const Owners& one : cases) {
    SCOPED_TRACE(fmt::format("user {}, folder of {}, entry of {}", one.user, one.folders, one.entrys));
    const fs::path there = layer(one.folders, one.entrys);
    user_ = one.user;
    const Answer answer = request(CachePolicy::ReadOnly, {there}, "missing");
    EXPECT_EQ(answer.report.from_cache, one.is_used) << answer.notes();
    EXPECT_EQ(answer.counters.layer_hits, one.is_used ? 1u : 0u);
    EXPECT_THAT(answer.notes(), HasSubstr(one.is_used ? "" : "belongs to another user"));
    fs::remove_all(there);
  }
}

TEST_F(EntriesOfOthers, InLayersEntriesThatOthersCanWriteAreNotUsed) {
  const fs::path there = layer(::geteuid(), ::geteuid());
  EXPECT_TRUE(request(CachePolicy::ReadOnly, {there}, "missing").report.from_cache);
  fs::permissions(there / "v3" / file().filename(), fs::perms(0664));
  const Answer answer = request(CachePolicy::ReadOnly, {there}, "missing");
  EXPECT_FALSE(answer.report.from_cache);
  EXPECT_THAT(answer.notes(), HasSubstr("can be written by other users"));
}

// graft lists an unusable entry with the reason, leaves the entry out of exports, and removes the entry in `verify`.
TEST_F(EntriesOfOthers, TheCommandsSayWhyAndVerifyRemovesIt) {
  const fs::path at = file();
  fs::permissions(at, fs::perms(0666));
  EXPECT_THAT(graft_.run("cache list").out, HasSubstr("it can be written by other users"));
  const test::Result exported = graft_.run("cache export all.kernels --all");
  EXPECT_EQ(exported.exit_code, 1) << exported.out;
  EXPECT_THAT(graft_.run("cache stats").out, HasSubstr("1 of them unusable"));
  const test::Result verified = graft_.run("cache verify");
  EXPECT_EQ(verified.out, at.string() + ": it can be written by other users; removed\n");
  EXPECT_EQ(verified.exit_code, 0);
  EXPECT_FALSE(fs::exists(at));
}

}  // namespace
}  // namespace graft
