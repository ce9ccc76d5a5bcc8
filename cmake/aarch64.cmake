# Cross-compiles graft for 64-bit Arm with Debian's g++-aarch64-linux-gnu:
#
#   cmake -B build-aarch64 --toolchain cmake/aarch64.cmake
#
# The headers of fmt, nlohmann-json, CLI11, xxHash and CUDA are the same for every architecture, so those of the build
# machine serve. Device code does not depend on the host's architecture either.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# The CMake files of Debian's packages are in a folder of the build machine's architecture.
list(APPEND CMAKE_PREFIX_PATH /usr/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu/cmake)
