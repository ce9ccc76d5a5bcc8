// Fuzzes the reader of .npy headers and of the Python literal inside them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "cli/arrays/npy.hpp"
#include "cli/arrays/python_literal.hpp"
#include "graft/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graft;
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  (void)cli::parse_literal(base::as_text(file));
  try {
    const cli::NpyHeader header = cli::parse_npy_header(file.first(std::min(size, cli::kMaxNpyHeader)), size, "a.npy");
    if (header.type.size == 0 || header.data_offset + header.data_bytes() != size) std::abort();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::FileUnreadable && error.code() != ErrorCode::TypeMismatch) std::abort();
  }
  return 0;
}
