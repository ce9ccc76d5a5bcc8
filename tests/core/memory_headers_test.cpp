// Tests which header in memory stands beside another one.
#include "core/memory_headers.hpp"

#include <gtest/gtest.h>

#include <string>

namespace graft {
namespace {

TEST(MemoryHeaders, StandBesideEachOtherByTheirFolders) {
  const std::vector<Header> headers = {{"a/x.h", ""}, {"a/k.h", ""}, {"k.h", ""}, {"b/z.h", ""}, {"b/./z.h", ""}};
  const auto beside = [&](const char* includer, const char* name) {
    const Header* found = header_beside(headers, includer, name);
    return found == nullptr ? std::string() : found->name;
  };
  EXPECT_EQ(beside("a/x.h", "k.h"), "a/k.h");
  EXPECT_EQ(beside("a/x.h", "./k.h"), "a/k.h");
  EXPECT_EQ(beside("a/x.h", "../k.h"), "k.h");
  EXPECT_EQ(beside("y.h", "./k.h"), "k.h");
  EXPECT_EQ(beside("a/x.h", "../b/z.h"), "b/./z.h");  // the first of two spellings
  EXPECT_EQ(beside("a/x.h", "absent.h"), "");
  EXPECT_EQ(beside("y.h", "k.h"), "");      // its name already
  EXPECT_EQ(beside("a/x.h", "b/z.h"), "");  // not beside a/x.h; NVRTC finds it by its name
}

}  // namespace
}  // namespace graft
