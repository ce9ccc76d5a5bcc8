// Fuzzes the parser of `graft warm` lists, which splits lines into words as a shell does.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cli/commands/warm_list.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto words = graft::cli::split_words(text);
  std::size_t total = 0;
  for (const auto& word : words.value_or(std::vector<std::string>{})) total += word.size();
  if (total > size) std::abort();
  return 0;
}
