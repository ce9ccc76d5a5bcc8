// Every test program's main: no test sees what an earlier run left on disk, or touches the user's own cache. Those of
// the cache name folders of their own.
#include <gmock/gmock.h>

#include <cstdlib>

int main(int argc, char** argv) {
  ::setenv("GRAFT_CACHE", "memory", 1);
  ::setenv("GRAFT_CACHE_DIR", "/nonexistent/graft-tests-name-their-own-folders", 1);
  ::unsetenv("GRAFT_CACHE_PATH");
  ::unsetenv("GRAFT_CACHE_MAX_BYTES");
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
