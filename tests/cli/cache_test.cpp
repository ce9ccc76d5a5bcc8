// Tests each command of `graft cache` on a cache that the program itself filled.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.hpp"
#include "cli/program.hpp"
#include "format/cache_entry.hpp"
#include "format/cache_export.hpp"
#include "support/cubins.hpp"
#include "support/reports.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// The tests run on a cache with two callbacks in three kernels: relu for sm_80 and sm_90, and a lambda for sm_90.
class Cache : public testing::Test {
 protected:
  Cache() {
    graft_.write("relu.cu", "__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }\n");
    graft_.write("list.txt", "relu.cu --arch 80,90\n'[](double x) { return 2 * x; }' --arch 90\n");
    EXPECT_EQ(graft_.run("warm list.txt").exit_code, 0);
  }

  Result run(const std::string& words, const std::string& environment = "") const {
    return graft_.run("cache " + words, environment);
  }
  json object(const std::string& words, const std::string& environment = "") const {
    const Result result = run(words + " --json", environment);
    EXPECT_EQ(result.exit_code, 0) << words << result.err;
    return json::parse(result.out);
  }
  json entries(const std::string& words = "", const std::string& environment = "") const {
    return object("list " + words, environment).at("entries");
  }
  std::string folder() const { return graft_.path("own-cache"); }
  // Returns the path of the first cache entry that the filter selects.
  std::string file_of(const std::string& filter) const { return entries(filter).at(0).at("file").get<std::string>(); }

  Program graft_;
};

TEST_F(Cache, Dir) {
  EXPECT_EQ(run("dir").out, folder() + "\n");
  const json both = object("dir", "GRAFT_CACHE_PATH=/a:/b");
  EXPECT_EQ(both.at("folder"), folder());
  EXPECT_EQ(both.at("layers"), json::array({"/a", "/b"}));
  const Result none = run("dir", "GRAFT_CACHE_DIR= HOME= XDG_CACHE_HOME=");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("What to do: Set GRAFT_CACHE_DIR"));
}

TEST_F(Cache, List) {
  EXPECT_EQ(entries().size(), 3u);
  EXPECT_EQ(entries("--arch 90").size(), 2u);
  EXPECT_EQ(entries("--arch sm_80,90").size(), 3u);
  EXPECT_EQ(entries("--callback relu").size(), 2u);
  EXPECT_EQ(entries("--callback relu --arch 90").size(), 1u);
  EXPECT_EQ(entries("--callback nothing").size(), 0u);
  EXPECT_EQ(entries("--route program --route ptx").size(), 3u);
  EXPECT_EQ(entries("--route lto").size(), 0u);
  const json relu = entries("--callback relu --arch 80").at(0);
  EXPECT_EQ(relu.at("signature"), "float(float)");
  EXPECT_EQ(relu.at("route"), "program");
  EXPECT_EQ(relu.at("bytes"), fs::file_size(relu.at("file").get<std::string>()));
  const std::string name = relu.at("name").get<std::string>();
  EXPECT_EQ(entries("--name " + name.substr(0, 10)).size(), 1u);

  const Result text = run("list --name " + name);
  EXPECT_THAT(text.out, StartsWith(name.substr(0, 12) + "  sm_80   program "));
  EXPECT_THAT(text.out, HasSubstr("Z  relu: float(float)\n"));
  EXPECT_EQ(run("list --arch 9x").exit_code, 2);
  const Result none = run("list --arch 75");
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.err, "None of the 3 kernels in the cache is of this kind.\n");
  EXPECT_EQ(run("list", "GRAFT_CACHE_DIR=$PWD/empty").err, "The cache has no kernels.\n");
  EXPECT_EQ(run("list --route magic").exit_code, 2);
}

TEST_F(Cache, ListOfAFolderThatCannotBeUsed) {
  fs::permissions(folder(), fs::perms::all);
  const Result result = run("list");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr(folder()));
  EXPECT_EQ(run("list", "GRAFT_CACHE_DIR=$PWD/missing").exit_code, 0)
      << "a cache folder that does not exist yet counts as empty";
}

TEST_F(Cache, Stats) {
  std::ofstream(folder() + "/v3/0123456789abcdef0123456789abcdef.1-1-1.tmp") << "12345";
  fs::copy(folder(), graft_.path("layer"), fs::copy_options::recursive);
  fs::permissions(graft_.path("layer"), fs::perms::owner_all);
  fs::permissions(graft_.path("layer") + "/v3", fs::perms::owner_all);
  fs::resize_file(file_of("--callback lambda"), 50);
  const json both = object("stats", "GRAFT_CACHE_PATH=$PWD/layer GRAFT_CACHE_MAX_BYTES=5M");
  EXPECT_EQ(both.at("folders").at(0).at("path"), graft_.path("layer"));
  EXPECT_EQ(both.at("folders").at(0).at("entries"), 3);
  EXPECT_EQ(both.at("folders").at(0).at("unusable"), 0);
  EXPECT_TRUE(both.at("folders").at(0).at("layer").get<bool>());
  EXPECT_EQ(both.at("folders").at(1).at("unusable"), 1);
  EXPECT_EQ(both.at("architectures").at("sm_90").at("entries"), 3);
  EXPECT_EQ(both.at("routes").at("program").at("entries"), 5);
  EXPECT_EQ(both.at("temporary_files"), 1);
  EXPECT_EQ(both.at("temporary_bytes"), 5);
  EXPECT_EQ(both.at("limit_bytes"), 5 << 20);
  const Result text = run("stats");
  EXPECT_THAT(text.out, StartsWith("folder " + folder() + ": 3 kernels, "));
  EXPECT_THAT(text.out, HasSubstr("temporary files: 1, 5 bytes\n"));
  EXPECT_THAT(text.out, HasSubstr("sm_80: 1 kernel, "));
  EXPECT_THAT(text.out, HasSubstr("route program: 2 kernels, "));
}

TEST_F(Cache, VerifyRemovesWhatIsDamagedAndSaysWhich) {
  EXPECT_EQ(run("verify").out, "");
  const std::string cut = file_of("--callback lambda");
  fs::resize_file(cut, 50);
  EXPECT_EQ(run("verify", "GRAFT_CACHE=read-only").exit_code, 1);
  EXPECT_TRUE(fs::exists(cut));
  const Result result = run("verify");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, cut + ": it is damaged; removed\n");
  EXPECT_FALSE(fs::exists(cut));
  EXPECT_EQ(entries().size(), 2u);

  std::ofstream(folder() + "/v3/0123456789abcdef0123456789abcdef.entry") << "noise";
  const json object = this->object("verify");
  EXPECT_EQ(object.at("unusable").at(0).at("trouble"), "it is damaged");
  EXPECT_TRUE(object.at("unusable").at(0).at("removed").get<bool>());
}

// Returns a text with the names, contents and times of all files in a folder, for comparison.
std::string contents(const fs::path& folder) {
  std::string all;
  for (const fs::path& file : std::set<fs::path>(fs::directory_iterator(folder), {})) {
    struct stat state = {};
    EXPECT_EQ(::stat(file.c_str(), &state), 0);
    all += fmt::format("{} {}.{:09} {}\n", file.filename().string(), state.st_mtim.tv_sec, state.st_mtim.tv_nsec,
                       base::read_file(file).value());
  }
  return all;
}

// Versions of graft share the cache folder, and each leaves the entries of the others alone. The folder v1 belongs to
// graft 0.1.
TEST_F(Cache, TheFolderOfAnEarlierVersionIsNeitherReadNorChanged) {
  const fs::path earlier = fs::path(folder()) / "v1";
  fs::create_directory(earlier);
  fs::permissions(earlier, fs::perms::owner_all);
  const std::string golden = GRAFT_SOURCE_DIR "/tests/format/golden/cache_entry_1_cubin.bin";
  fs::copy_file(golden, earlier / entries().at(0).at("name").get<std::string>().append(".entry"));
  for (const char* name :
       {"0123456789abcdef0123456789abcdef.entry", "0123456789abcdef0123456789abcdef.1-1-1.tmp", "locks"})
    std::ofstream(earlier / name) << "no entry";
  for (const fs::path& file : std::set<fs::path>(fs::directory_iterator(earlier), {}))
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(24 * 400));
  const std::string before = contents(earlier);
  for (const char* words : {"list", "stats", "verify", "explain relu.cu --arch 90", "export all.kernels --all",
                            "prune --older-than 1d", "prune --max-bytes 0", "clear"})
    EXPECT_EQ(run(words).exit_code, 0) << words;
  EXPECT_EQ(entries().size(), 0u);
  const Result again = graft_.run("inspect relu.cu --arch 90 --json");
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_FALSE(json::parse(again.out).at("report").at("from_cache").get<bool>());
  EXPECT_TRUE(contents(earlier) == before);
}

TEST_F(Cache, AnExportOfAnEarlierVersionIsRefusedByName) {
  const Result result = run(std::string("import ") + GRAFT_SOURCE_DIR "/tests/format/golden/cache_export_1.bin");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(
      result.err,
      HasSubstr("it was made by graft 0.1, whose format this version cannot read: make it again with this version"));
}

TEST_F(Cache, Prune) {
  const auto make_old = [&](const std::string& file) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(50));
  };
  make_old(file_of("--callback lambda"));
  EXPECT_EQ(object("prune").at("removed"), 0);
  EXPECT_EQ(object("prune --older-than 3d").at("removed"), 0);
  EXPECT_THAT(run("prune --older-than 2d").out, StartsWith("removed 1 kernel ("));
  EXPECT_EQ(entries("--callback lambda").size(), 0u);
  make_old(file_of("--arch 80"));
  const json small = object(fmt::format("prune --max-bytes {}", 3 * fs::file_size(file_of("--arch 90")) / 2));
  EXPECT_EQ(small.at("removed"), 1);
  EXPECT_EQ(small.at("entries"), 1);
  EXPECT_EQ(entries("--arch 90").size(), 1u);
  for (const char* words : {"prune --max-bytes much", "prune --older-than 5", "prune --older-than -1d"})
    EXPECT_EQ(run(words).exit_code, 2) << words;
  EXPECT_EQ(run("prune --max-bytes 0", "GRAFT_CACHE=read-only").exit_code, 1);
  EXPECT_EQ(entries().size(), 1u);
}

TEST_F(Cache, Clear) {
  std::ofstream(folder() + "/v3/0123456789abcdef0123456789abcdef.1-1-1.tmp") << "x";
  EXPECT_EQ(run("clear", "GRAFT_CACHE=forbid-compiling").exit_code, 1);
  const Result result = run("clear", "GRAFT_CACHE=off");
  EXPECT_THAT(result.out, StartsWith("removed 3 kernels ("));
  EXPECT_THAT(result.out, HasSubstr(" and 1 temporary files; left: 0 kernels"));
  EXPECT_EQ(entries().size(), 0u);
  EXPECT_EQ(object("clear").at("removed"), 0);
  EXPECT_EQ(run("clear", "GRAFT_CACHE_DIR=$PWD/missing").exit_code, 0);
}

TEST_F(Cache, ExportAndImport) {
  EXPECT_EQ(run("export relu.kernels --callback relu").out, "exported 2 kernels to relu.kernels\n");
  EXPECT_EQ(object("export all.kernels --all").at("entries"), 3);
  const std::string there = "GRAFT_CACHE_DIR=$PWD/there";
  EXPECT_EQ(run("import relu.kernels", there).out, "imported 2 kernels\n");
  EXPECT_EQ(entries("", there).size(), 2u);
  const json second = object("import relu.kernels all.kernels", there);
  EXPECT_EQ(second.at("imported"), 1);
  EXPECT_EQ(second.at("known"), 4);
  EXPECT_EQ(run("import all.kernels", there).out, "imported 0 kernels; the cache had 3 already\n");
  EXPECT_EQ(entries("", there).size(), 3u);
  // A program without compilers finds the imported kernels.
  const Result hit =
      graft_.run("inspect relu.cu --arch 90 --json", there + " GRAFT_CUDA_PATH=/nowhere GRAFT_CACHE=forbid-compiling");
  EXPECT_TRUE(json::parse(hit.out).at("report").at("from_cache").get<bool>()) << hit.err;

  EXPECT_EQ(run("export x").exit_code, 2) << "neither a filter nor --all";
  EXPECT_EQ(run("export x --all --arch 90").exit_code, 2) << "both --all and a filter";
  EXPECT_EQ(run("export x --callback nothing").exit_code, 1);
  EXPECT_FALSE(graft_.has("x"));
  EXPECT_EQ(run("export missing/x --all").exit_code, 1);
  EXPECT_EQ(run("import relu.kernels", "GRAFT_CACHE=read-only").exit_code, 1);
}

// Importing a damaged file must report an error. Only undamaged entries may be imported.
TEST_F(Cache, ImportOfHostileFiles) {
  EXPECT_EQ(run("export good.kernels --all").exit_code, 0);
  const std::string good = graft_.read("good.kernels");
  const std::string there = "GRAFT_CACHE_DIR=$PWD/there";
  std::string changed = good;
  changed[good.size() / 2] ^= 1;
  for (const std::string& content : {std::string(), std::string("noise"), good.substr(0, good.size() - 1), good + "x",
                                     good.substr(0, 15), changed}) {
    graft_.write("bad.kernels", content);
    const Result result = run("import bad.kernels", there);
    EXPECT_EQ(result.exit_code, 1) << content.size();
    EXPECT_EQ(result.out, "imported 0 kernels\n");
    EXPECT_THAT(result.err, HasSubstr("graft: bad.kernels: ")) << content.size();
  }
  for (const char* file : {"missing", ".", "/dev/zero"})
    EXPECT_EQ(run(std::string("import ") + file, there).exit_code, 1);

  // The file's checksum is right but its entries are hostile. Each entry is checked by itself, and the name of an entry
  // cannot lead to a file outside the cache folder.
  format::CacheEntry entry;
  entry.key = "architecture 6:sm_90a\nsource 15:../../../escape\n";
  entry.report = full_report();
  entry.report.kernel.name = "\x1b[2J";
  entry.image = cubin(0, entry.report.kernel);
  base::Bytes half = format::write_cache_entry(entry);
  half.resize(half.size() / 2);
  const base::Bytes sealed = format::write_cache_export({format::write_cache_entry(entry), half, {}});
  graft_.write("sealed.kernels", base::as_text(sealed));
  const Result result = run("import sealed.kernels", there);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "imported 1 kernel\n");
  EXPECT_THAT(result.err, HasSubstr("2 kernels"));
  EXPECT_EQ(entries("", there).size(), 1u);
  EXPECT_THAT(run("list", there).out, HasSubstr("\\x1b[2J"));
  EXPECT_EQ(run("explain relu.cu --arch 90", there).exit_code, 0);
}

TEST_F(Cache, ExplainAHit) {
  const Result result = run("explain relu.cu --arch 90");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string name = entries("--callback relu --arch 90").at(0).at("name").get<std::string>();
  EXPECT_THAT(result.out, StartsWith("name " + name + "\n  key"));
  EXPECT_THAT(result.out, HasSubstr("  architecture  sm_90\n"));
  EXPECT_THAT(result.out, HasSubstr("  source        __device__ float relu(float x)"));
  EXPECT_THAT(result.out, HasSubstr(name.substr(0, 12) + " is the kernel of this request: " + folder()));
  EXPECT_THAT(result.out, HasSubstr("(relu for sm_80) differs:\n  architecture: here sm_90, there sm_80\n"));
  EXPECT_TRUE(object("explain relu.cu --arch 90").at("found").get<bool>());
}

TEST_F(Cache, ExplainAMiss) {
  const json object = this->object("explain relu.cu --arch 80 -D A=1");
  EXPECT_FALSE(object.at("found").get<bool>());
  ASSERT_EQ(object.at("entries").size(), 2u);
  const json& nearest = object.at("entries").at(0);
  EXPECT_EQ(nearest.at("architecture"), "sm_80");
  EXPECT_EQ(nearest.at("differences").at(0), (json{{"field", "define"}, {"here", "A"}, {"there", nullptr}}));

  // The source of other.cu differs from that of every entry. `explain` then shows differences only for an entry that
  // --name names.
  graft_.write("other.cu", "__device__ float relu(float x) { return x >= 0.0f ? x : 0.0f; }\n");
  EXPECT_THAT(run("explain other.cu --arch 90").out, HasSubstr("No kernel of this callback is in the cache.\n"));
  const std::string name = entries("--callback relu --arch 90").at(0).at("name").get<std::string>();
  EXPECT_THAT(run("explain other.cu --arch 90 --name " + name.substr(0, 8)).out,
              HasSubstr("source from byte 43 on: here = 0.0f"));
  EXPECT_EQ(run("explain other.cu --arch 90 --name 0000000000000000000000").exit_code, 1);
}

TEST_F(Cache, ExplainWhatHasNoKey) {
  EXPECT_THAT(run("explain '[](float x) { return x + sizeof(__FILE__); }' --arch 90").out,
              HasSubstr("The kernel is kept in memory only, because "));
  EXPECT_EQ(run("explain relu.cu --route host").exit_code, 1);
  EXPECT_EQ(run("explain missing.cu --arch 90").exit_code, 1);
  EXPECT_EQ(run("explain").exit_code, 2);
}

}  // namespace
}  // namespace graft::test
