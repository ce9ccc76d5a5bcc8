// main() of every test program. It limits caching to memory and names a cache folder that does not exist, so no test
// finds kernels of an earlier run or touches the user's own cache. Tests of the disk cache use folders of their own.
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
