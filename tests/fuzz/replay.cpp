// Runs a fuzz target without a fuzzer and gives the target each file of the given folders once. This program builds
// with any compiler, so the ordinary tests repeat every input that a fuzzer has found.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>

#include "base/files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** folders) {
  int files = 0;
  for (int i = 1; i < count; ++i)
    for (const auto& file : std::filesystem::recursive_directory_iterator(folders[i])) {
      if (!file.is_regular_file()) continue;
      const auto content = graft::base::read_file(file.path());
      if (!content) return std::fprintf(stderr, "%s cannot be read\n", file.path().c_str()), 1;
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(content->data()), content->size());
      ++files;
    }
  std::printf("%d files\n", files);
  return files == 0 ? 1 : 0;
}
