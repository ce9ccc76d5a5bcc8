// Fuzzes the reader of tuning files, and the check of their numbers by the families.
#include "format/tuning_file.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "families/registry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graft;
  const auto file = format::read_tuning_file({reinterpret_cast<const char*>(data), size});
  if (!file) {
    if (file.error().message.empty()) std::abort();
    return 0;
  }
  const auto again = format::read_tuning_file(format::write_tuning_file(*file));
  if (!again || *again != *file) std::abort();
  if (format::tuning_file_name(file->gpu).find('/') != std::string::npos) std::abort();
  for (const families::Family* const family : families::all()) (void)family->objection_to_tuning(*file);
  return 0;
}
