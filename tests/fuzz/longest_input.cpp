// Passes the limit of longest_input.hpp to libFuzzer as -max_len, unless the command line already contains -max_len.
#include "fuzz/longest_input.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  static std::vector<char*> with_limit(*words, *words + *count);
  static std::string limit = "-max_len=" + std::to_string(graft::fuzz::kLongestInput);
  const auto is_limit = [](const char* word) { return std::string_view(word).starts_with("-max_len="); };
  if (!std::ranges::any_of(with_limit, is_limit)) with_limit.insert(with_limit.begin() + 1, limit.data());
  *count = static_cast<int>(with_limit.size());
  with_limit.push_back(nullptr);
  *words = with_limit.data();
  return 0;
}
