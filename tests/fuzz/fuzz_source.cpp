// Fuzzes the scanners of a callback's source and of the headers that it includes.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "graft/error.hpp"
#include "reflect/callback/generic.hpp"
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
  try {
    if (const auto function = reflect::find_function(std::string(text), {}))
      (void)reflect::read_instance(reflect::instance_of(*function, {{"float", "int"}, {}, "S"}, text, "fuzz.cu").entry);
  } catch (const Error&) {  // types that do not fit
  }
  (void)reflect::scan_includes(text);
  return 0;
}
