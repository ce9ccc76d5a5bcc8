// Tests which compiler messages mean that the operating system refused memory or disk space. graft recognises these
// messages so that it does not blame the user's source for a full disk.
#include "compile/system_refusal.hpp"

#include <gtest/gtest.h>

namespace graft::compile {
namespace {

TEST(SystemRefusal, IsWhatTheSystemRefused) {
  for (const char* line : {
           "callback.cu:5:93: fatal error: error writing to /tmp/cc0UIRoy.s: No space left on device",
           "graft/elementwise/host_loop.h:24:1: fatal error: error closing ccX0XPjq.s: No space left on device",
           "/usr/bin/ld: final link failed: No space left on device",
           "fatal error: error in backend: IO failure on output stream: No space left on device",
           "{standard input}: Fatal error: can't write 37 bytes to section .text of x.o: 'No space left on device'",
           "Fatal error: can't create /tmp/x.o: Disk quota exceeded",
           "cc1plus: fatal error: error closing /tmp/x.s: No space left on device",
           "g++: fatal error: cannot execute 'as': vfork: Resource temporarily unavailable",
           "g++: internal compiler error: File size limit exceeded signal terminated program cc1plus",
           "clang: error: unable to execute command: File size limit exceeded",
           "virtual memory exhausted: Cannot allocate memory",
           "cc1plus: out of memory allocating 65536 bytes after a total of 2686976 bytes",
           "LLVM ERROR: out of memory",
           "/usr/bin/ld: cannot find -lm: Too many open files",
           "g++: fatal error: Killed signal terminated program cc1plus",
           "ld.lld: error: failed to write output 'p.so': No space left on device",
       })
    EXPECT_EQ(system_refusal("In file included from x\n" + std::string(line) + "\nmore words\n"), line);
}

TEST(SystemRefusal, IsNotWhatTheSourceSays) {
  for (const char* log : {
           "",
           "callback.cu:1:2: error: #error cannot open: No space left on device\n",
           "callback.cu:1:2: error: static assertion failed: out of memory allocating\n",
           "callback.cu:3:1: fatal error: No space left on device: No such file or directory\n",
           "callback.cu:1:2: warning: #warning error writing to x: No space left on device\n",
           "/usr/bin/ld: x.o: undefined reference to `f'\n",
           "/usr/bin/ld: cannot find -lm: No such file or directory\n",
           "compiler returned 1\n",
       })
    EXPECT_EQ(system_refusal(log), "");
}

TEST(SystemRefusal, OfAMessageIsToldByItsOwnLine) {
  const auto first = [](const char* log) { return parse_compile_log(log, Compiler::Host).at(0); };
  EXPECT_TRUE(
      is_system_refusal(first("callback.cu: In function 'f':\n"
                              "callback.cu:5:93: fatal error: error writing to x: No space left on device\n")));
  EXPECT_FALSE(
      is_system_refusal(first("callback.cu:1:2: error: cannot write: No space left on device\n"
                              "#error cannot write: No space left on device\n ^\n")));
}

}  // namespace
}  // namespace graft::compile
