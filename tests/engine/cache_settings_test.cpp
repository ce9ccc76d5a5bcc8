// Tests which cache settings result from CacheOptions and environment variables.
#include "engine/cache_settings.hpp"

#include <gtest/gtest.h>

#include <map>

namespace graft {
namespace {

engine::CacheSettings settings(const std::map<std::string, std::string>& variables, const CacheOptions& options = {}) {
  return engine::resolve(options, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  });
}

TEST(CacheSettings, PoliciesHaveWords) {
  const std::pair<const char*, CachePolicy> words[] = {
      {"", CachePolicy::ReadWrite},           {"off", CachePolicy::Off},
      {"memory", CachePolicy::MemoryOnly},    {"read-only", CachePolicy::ReadOnly},
      {"read-write", CachePolicy::ReadWrite}, {"forbid-compiling", CachePolicy::ForbidCompiling}};
  for (const auto& [word, policy] : words) {
    const engine::CacheSettings found = settings({{"GRAFT_CACHE", word}, {"HOME", "/h"}});
    EXPECT_EQ(found.policy, policy) << word;
    EXPECT_EQ(found.problem, "") << word;
    EXPECT_EQ(found.store.is_writable && found.uses_disk(), policy == CachePolicy::ReadWrite) << word;
    EXPECT_EQ(found.may_build(), policy != CachePolicy::ForbidCompiling) << word;
  }
  const engine::CacheSettings wrong = settings({{"GRAFT_CACHE", "none"}, {"HOME", "/h"}});
  EXPECT_EQ(wrong.policy, CachePolicy::ReadWrite);
  EXPECT_NE(wrong.problem.find("GRAFT_CACHE is \"none\""), std::string::npos) << wrong.problem;
}

TEST(CacheSettings, ComeFromTheEnvironment) {
  const engine::CacheSettings found =
      settings({{"GRAFT_CACHE_DIR", "/c"}, {"GRAFT_CACHE_PATH", "/a:/b"}, {"GRAFT_CACHE_MAX_BYTES", "200M"}});
  EXPECT_EQ(found.store.folder, "/c");
  EXPECT_EQ(found.store.layers, (std::vector<std::filesystem::path>{"/a", "/b"}));
  EXPECT_EQ(found.store.limit, std::uint64_t{200} << 20);
  EXPECT_EQ(settings({{"HOME", "/h"}}).store.limit, store::kUsualLimit);
  EXPECT_NE(settings({{"HOME", "/h"}, {"GRAFT_CACHE_MAX_BYTES", "big"}}).problem, "");
}

TEST(CacheSettings, OptionsComeFirst) {
  CacheOptions options;
  options.policy = CachePolicy::ReadOnly;
  options.folder = "/mine";
  options.layers.emplace();
  options.max_bytes = 5;
  const engine::CacheSettings found = settings(
      {{"GRAFT_CACHE", "off"}, {"GRAFT_CACHE_DIR", "/c"}, {"GRAFT_CACHE_PATH", "/a"}, {"GRAFT_CACHE_MAX_BYTES", "9"}},
      options);
  EXPECT_EQ(found.policy, CachePolicy::ReadOnly);
  EXPECT_EQ(found.store.folder, "/mine");
  EXPECT_TRUE(found.store.layers.empty());
  EXPECT_EQ(found.store.limit, 5u);
}

TEST(CacheSettings, NoHomeIsMemoryOnly) {
  const engine::CacheSettings found = settings({});
  EXPECT_TRUE(found.store.folder.empty());
  EXPECT_NE(found.problem.find("in memory only: none of GRAFT_CACHE_DIR"), std::string::npos) << found.problem;
}

}  // namespace
}  // namespace graft
