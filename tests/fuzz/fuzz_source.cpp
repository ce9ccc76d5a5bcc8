// Fuzzes the scanners of a callback's source and of the headers that it includes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "reflect/callback/scan.hpp"
#include "reflect/text/include_scan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graft;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const reflect::SourceScan found = reflect::scan(text);
  for (const reflect::FunctionFound& function : found.functions)
    if (function.name.empty()) std::abort();
  (void)reflect::choose_entry(found, "");
  (void)reflect::choose_entry(found, text.substr(0, 100));
  (void)reflect::examine_lambda(text);
  (void)reflect::scan_includes(text);
  return 0;
}
