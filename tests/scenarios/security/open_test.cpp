// Tests of sentences 1 to 18 of docs/security.md. These sentences state what graft trusts, what graft reads without
// trust, and who may write to the cache. The table at the end of docs/security.md names the tests of the sentences that
// are tested elsewhere.
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <variant>

#include "cli/npy_files.hpp"
#include "cli/program.hpp"
#include "families/kept_kernels.hpp"
#include "format/cache_entry.hpp"
#include "scenarios/security/closed.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST(Security, S1_OnTheHostRouteTheSourceRunsInThisProcess) {
  Options options;
  options.routes.required = Route::Host;
  Engine engine(no_cache());
  const std::string source = std::string("#include <stdlib.h>\n") +
                             "static const int ran = setenv(\"GRAFT_SECURITY_TEST\", \"ran\", 1);\n" + kFormula;
  const Transform transform = Transform::create(engine, source, options);
  const char* const value = std::getenv("GRAFT_SECURITY_TEST");
  EXPECT_STREQ(value, "ran");
}

TEST(Security, S1_TheProgramRunsItToo) {
  const Program graft;
  graft.write("mark.cu",
              "#include <stdio.h>\nstatic const int ran = fclose(fopen(\"mark\", \"w\"));\n" + std::string(kFormula));
  graft.write("in.npy", npy("'<f4'", "(1,)", raw<float>({1})));
  for (const char* command : {"apply mark.cu --route host -i in.npy -o out.npy", "inspect mark.cu --route host"}) {
    std::filesystem::remove(graft.path("mark"));
    EXPECT_EQ(graft.run(command).exit_code, 0) << command;
    EXPECT_TRUE(graft.has("mark")) << command;
  }
}

TEST(Security, S2_TheCompilerReadsAnyFileThatAnIncludeNames) {
  const base::TemporaryFolder folder;
  const std::string file = (folder.path() / "secret").string();
  ASSERT_TRUE(base::write_file(file, base::as_bytes("the password is 1234\n")));
  Engine engine(no_cache());
  const Error error =
      error_of([&] { build(engine, "#include \"" + file + "\"\n" + std::string(kFormula), kArchitecture); });
  EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
  EXPECT_THAT(error.log(), HasSubstr("the password is 1234"));
}

TEST(Security, S4_NoShellSeesTheHostCompilersName) {
  const base::TemporaryFolder folder;
  const std::string mark = (folder.path() / "mark").string();
  for (const std::string& words : {"; touch " + mark, "$(touch " + mark + ")", "`touch " + mark + "`"}) {
    EngineOptions engine_options = no_cache();
    engine_options.host_compiler = folder.path() / ("c++" + words);
    Options options;
    options.routes.required = Route::Host;
    error_of([&] {
      Engine engine(engine_options);
      Transform::create(engine, kFormula, options);
    });
  }
  EXPECT_FALSE(fs::exists(mark));
}

TEST(Security, S6_APacksCodeIsWhatItsMakerWrote) {
  Engine engine(no_cache());
  auto pack = precompile(engine, kFormula, {kArchitecture});
  EXPECT_FALSE(build(engine, Callback::pack(pack), kArchitecture).bytes().empty());
  pack[pack.size() / 2] ^= std::byte{1};
  EXPECT_EQ(error_of([&] { Callback::pack(pack); }).code(), ErrorCode::ImageRefused);
}

// Only secure_getenv reads environment variables, and only one file calls it.
TEST(Security, S7_VariablesAreReadInOnePlace) {
  for (const auto& entry : fs::recursive_directory_iterator(GRAFT_SOURCE_DIR "/src")) {
    if (!entry.is_regular_file() || entry.path().filename() == "environment.cpp") continue;
    EXPECT_THAT(base::read_file(entry.path()).value(), Not(HasSubstr("getenv("))) << entry.path();
  }
}

TEST(Security, S7_ASetUserIdProgramReadsNoVariable) {
  constexpr uid_t kAnother = 65'534;
  if (::geteuid() != 0) GTEST_SKIP() << "only root can create a program that belongs to another user";
  const Program graft;
  const std::string copy = graft.path("graft-of-another");
  fs::copy_file(GRAFT_PROGRAM, copy);
  ASSERT_EQ(::chown(copy.c_str(), kAnother, static_cast<gid_t>(-1)), 0);
  const std::string ask = "GRAFT_CUDA_PATH=/nowhere-of-mine " + copy + " doctor 2>&1";
  EXPECT_THAT(graft.shell(ask).out, HasSubstr("/nowhere-of-mine"));
  fs::permissions(copy, fs::perms(04755));
  const std::string out = graft.shell(ask).out;
  EXPECT_THAT(out, HasSubstr("driver"));
  EXPECT_THAT(out, Not(HasSubstr("/nowhere-of-mine")));
}

// Runs the command line as another user and returns the exit code.
int run_as(uid_t user, const std::string& line) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setresgid(user, user, user) != 0 || ::setresuid(user, user, user) != 0)
      ::_exit(99);
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(98);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// g++ runs the program cc1plus of a folder that COMPILER_PATH names. A caller must not make the set-user-ID program run
// a cc1plus of the caller's.
TEST(Security, S7_ChildrenOfASetUserIdProgramGetNothingFromItsCaller) {
  constexpr uid_t kOwner = 65'533, kCaller = 65'534;
  if (::geteuid() != 0) GTEST_SKIP() << "only root can create a program that belongs to another user";
  const base::TemporaryFolder folder;
  const fs::path program = folder.path() / "graft-of-owner", callers = folder.path() / "callers";
  fs::permissions(folder.path(), fs::perms(0755));
  fs::copy_file(GRAFT_PROGRAM, program);
  ASSERT_EQ(::chown(program.c_str(), kOwner, static_cast<gid_t>(-1)), 0);
  fs::create_directory(callers);
  ASSERT_TRUE(base::write_file(callers / "formula.cu", base::as_bytes(kFormula)));
  const std::string planted = "#!/bin/sh\ntouch " + (callers / "ran").string() + "\nexit 1\n";
  ASSERT_TRUE(base::write_file(callers / "cc1plus", base::as_bytes(planted)));
  fs::permissions(callers / "cc1plus", fs::perms(0755));
  fs::permissions(callers, fs::perms(0777));  // so that the planted program can leave its mark as any user

  const std::string line = "cd " + callers.string() + " && COMPILER_PATH=" + callers.string() + " " + program.string() +
                           " inspect formula.cu --route host >out 2>err";
  fs::permissions(program, fs::perms(0755));
  EXPECT_EQ(run_as(kCaller, line), 1);
  EXPECT_TRUE(fs::remove(callers / "ran")) << "without the set-user-ID bit, the planted program runs";
  fs::permissions(program, fs::perms(04755));
  EXPECT_EQ(run_as(kCaller, line), 0) << base::read_file(callers / "err").value_or("");
  EXPECT_FALSE(fs::exists(callers / "ran"));
}

// Reads the golden pack cut off at every seventh length. The test Pack.EachByteThatChangesIsNoticed checks flipped
// bytes.
TEST(Security, S8_EveryCutOfAPackIsAnError) {
  const std::string pack = base::read_file(GRAFT_SOURCE_DIR "/tests/format/golden/pack_2.graft").value();
  EXPECT_NO_THROW(Callback::pack(base::as_bytes(pack))) << "the whole pack is good";
  for (std::size_t size = 0; size < pack.size(); size += 7)
    EXPECT_EQ(error_of([&] { Callback::pack(base::as_bytes(pack).first(size)); }).code(), ErrorCode::ImageRefused);
}

TEST(Security, S16_AChecksumDoesNotStopAForger) {
  const std::string golden = base::read_file(GRAFT_SOURCE_DIR "/tests/format/golden/cache_entry_2_kernel.bin").value();
  auto entry = std::get<format::CacheEntry>(families::read_cache_entry(base::as_bytes(golden)));
  entry.image.back() ^= std::byte{7};
  const auto read = families::read_cache_entry(format::write_cache_entry(entry));
  ASSERT_TRUE(std::holds_alternative<format::CacheEntry>(read));
  EXPECT_EQ(std::get<format::CacheEntry>(read).image, entry.image);
}

// Returns the notes of a build that has its cache in this folder.
std::string notes_with(const fs::path& folder) {
  EngineOptions options;
  options.cache.policy = CachePolicy::ReadWrite;
  options.cache.folder = folder;
  options.cache.layers.emplace();
  Engine engine(options);
  std::string notes;
  const Image image = build(engine, kFormula, kArchitecture);
  for (const std::string& note : image.report().notes) notes += note + '\n';
  return notes;
}

bool has_entries(const fs::path& folder) {
  return std::ranges::any_of(fs::recursive_directory_iterator(folder),
                             [](const auto& one) { return one.path().extension() == ".entry"; });
}

TEST(Security, S17_AFolderThatOthersMayWriteKeepsNothing) {
  const base::TemporaryFolder folder;
  const fs::path open = folder.path() / "open";
  fs::create_directory(open);
  fs::permissions(open, fs::perms::all);
  EXPECT_THAT(notes_with(open), HasSubstr("cache: "));
  EXPECT_FALSE(has_entries(open));

  const fs::path own = folder.path() / "own";
  EXPECT_EQ(notes_with(own), "");
  EXPECT_TRUE(has_entries(own));
  for (const auto& version : fs::directory_iterator(own)) fs::permissions(version, fs::perms::all);
  EXPECT_THAT(notes_with(own), HasSubstr("cache: "));
}

TEST(Security, S18_ASymbolicLinkIsNotFollowed) {
  const base::TemporaryFolder folder;
  const fs::path real = folder.path() / "real";
  fs::create_directory(real);
  fs::permissions(real, fs::perms::owner_all);
  fs::create_directory_symlink(real, folder.path() / "link");
  EXPECT_THAT(notes_with(folder.path() / "link"), HasSubstr("cache: "));
  EXPECT_TRUE(fs::is_empty(real));
}

}  // namespace
}  // namespace graft::test
