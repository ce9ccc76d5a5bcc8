// Tests how a command is split into words, by the quoting rules of a shell.
#include "toolchain/command_words.hpp"

#include <gtest/gtest.h>

namespace graft::toolchain {
namespace {

using Words = std::vector<std::string>;

TEST(CommandWords, AreThoseOfAShell) {
  const std::vector<std::pair<const char*, Words>> rows = {
      {"", {}},
      {" \t\n", {}},
      {"g++", {"g++"}},
      {"  ccache   g++ ", {"ccache", "g++"}},
      {"'/my tools/g++' -m64", {"/my tools/g++", "-m64"}},
      {"\"/my tools/g++\"", {"/my tools/g++"}},
      {"/my\\ tools/g++", {"/my tools/g++"}},
      {"'/my'\" tools\"/g\\+\\+", {"/my tools/g++"}},
      {"a '' \"\" b", {"a", "", "", "b"}},
      {R"('a\b "c"')", {R"(a\b "c")"}},
      {R"("a\b \"c\" \\ \$x \` 'd'")", {R"(a\b "c" \ $x ` 'd')"}},
      {R"(\'a\")", {"'a\""}},
      {"$HOME/*~;|&", {"$HOME/*~;|&"}},
      {"'two\nlines'", {"two\nlines"}},
  };
  for (const auto& [text, words] : rows) EXPECT_EQ(command_words(text), words) << text;
}

TEST(CommandWords, WhatIsNotClosedIsNothing) {
  for (const char* text : {"'", "\"", "a 'b", "a \"b", "\"a\\\"", "a\\", "'a''"})
    EXPECT_FALSE(command_words(text)) << text;
}

}  // namespace
}  // namespace graft::toolchain
