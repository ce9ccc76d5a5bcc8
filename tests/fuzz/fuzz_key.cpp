// Fuzzes the parser of cache keys.
#include "format/key_fields.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graft;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto fields = format::parse_key(text);
  if (!fields) return 0;
  format::KeyWriter again;
  for (const format::KeyField& field : *fields) again.add(field.tag, field.value);
  if (again.text() != text) std::abort();
  if (!format::compare_keys(*fields, *fields).empty()) std::abort();
  return 0;
}
