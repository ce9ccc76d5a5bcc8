// Builds one kernel in a process of its own. cache_test runs this program to see what a new process does when its
// kernel is already in the cache.
//
//     cache_child SOURCE INCLUDE_FOLDER
//
// builds SOURCE for sm_90 and prints whether the image was built or cached, the image's hash, and the CUDA libraries
// that the process has opened. If the build fails, it prints the error's code.
#include <cstdio>
#include <fstream>
#include <functional>
#include <graft/graft.hpp>
#include <string>

int main(int, char** argv) {
  try {
    graft::Options options;
    if (argv[2][0] != '\0') options.include_paths = {argv[2]};
    const graft::Image image = graft::build(argv[1], graft::Architecture(90), options);
    const std::string_view bytes(reinterpret_cast<const char*>(image.bytes().data()), image.bytes().size());
    std::printf("%s %zx", image.report().from_cache ? "cached" : "built", std::hash<std::string_view>()(bytes));
    std::ifstream maps("/proc/self/maps");
    std::string opened;
    for (std::string line; std::getline(maps, line);)
      for (const char* name : {"libnvrtc", "libnvJitLink", "libnvvm"})
        if (line.find(name) != std::string::npos && opened.find(name) == std::string::npos)
          opened += std::string(" ") + name;
    std::printf("%s\n", opened.c_str());
    return 0;
  } catch (const graft::Error& error) {
    std::printf("%.*s\n", static_cast<int>(name(error.code()).size()), name(error.code()).data());
    return 0;
  }
}
