// Tests where the cache folder is, with tables of variables and expected folders. The tests do not read the
// environment.
#include "store/place.hpp"

#include <gtest/gtest.h>

#include <map>

namespace graft::store {
namespace {

using Variables = std::map<std::string, std::string>;

Place place(const Variables& variables) {
  return choose_folder([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  });
}

TEST(CachePlace, IsChosenInOrder) {
  const std::pair<Variables, const char*> cases[] = {
      {{{"GRAFT_CACHE_DIR", "/g"}, {"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}, "/g"},
      {{{"XDG_CACHE_HOME", "/x"}, {"HOME", "/h"}}, "/x/graft"},
      {{{"XDG_CACHE_HOME", "x"}, {"HOME", "/h"}}, "/h/.cache/graft"},
      {{{"HOME", "/h"}}, "/h/.cache/graft"},
      {{{"HOME", "h"}}, ""},
      {{}, ""},
      {{{"GRAFT_CACHE_DIR", "g"}, {"HOME", "/h"}}, ""},
  };
  for (const auto& [variables, folder] : cases) {
    const Place chosen = place(variables);
    EXPECT_EQ(chosen.folder, folder);
    EXPECT_EQ(chosen.why_none.empty(), !chosen.folder.empty());
  }
  EXPECT_NE(place({{"GRAFT_CACHE_DIR", "here"}}).why_none.find("GRAFT_CACHE_DIR is \"here\""), std::string::npos);
}

TEST(CachePlace, LayersAreAbsolute) {
  const std::vector<std::filesystem::path> expected = {"/a", "/b/c"};
  EXPECT_EQ(read_layers("/a:/b/c"), expected);
  EXPECT_EQ(read_layers(":/a::relative:/b/c:"), expected);
  EXPECT_TRUE(read_layers("").empty());
}

TEST(CachePlace, SizesHaveUnits) {
  const std::pair<const char*, std::optional<std::uint64_t>> cases[] = {{"0", 0},
                                                                        {"1073741824", 1u << 30},
                                                                        {"512k", 512u << 10},
                                                                        {"2M", 2u << 20},
                                                                        {"1G", 1u << 30},
                                                                        {"3g", 3ull << 30},
                                                                        {"1K", 1024},
                                                                        {"", std::nullopt},
                                                                        {"k", std::nullopt},
                                                                        {"-1", std::nullopt},
                                                                        {"1T", std::nullopt},
                                                                        {"1 G", std::nullopt},
                                                                        {"1GB", std::nullopt},
                                                                        {"99999999999999999999", std::nullopt},
                                                                        {"18446744073709551615G", std::nullopt}};
  for (const auto& [text, bytes] : cases) EXPECT_EQ(parse_bytes(text), bytes) << text;
}

TEST(Place, OneFolderHasOneName) {
  const std::pair<const char*, const char*> rows[] = {
      {"/a/b", "/a/b"},   {"/a/b/", "/a/b"}, {"/a/b//", "/a/b"}, {"/a/b/.", "/a/b"}, {"/a/b/.//./", "/a/b"},
      {"/a/..", "/a/.."}, {"/", "/"},        {"/.", "/"},        {"", ""},           {".", "."},
      {"a/", "a"},        {"./", "."},       {"/a/.b", "/a/.b"},
  };
  for (const auto& [path, expected] : rows)
    EXPECT_EQ(without_trailing_slash(path), std::filesystem::path(expected)) << path;
}

}  // namespace
}  // namespace graft::store
