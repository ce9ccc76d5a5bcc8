// Fuzzes the readers of packs of own kernels, of the records in them, and of the files in which the cache keeps
// compiled kernels. Packs and files are read unchanged and with right sizes and checksums, which a fuzzer cannot guess.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/hash.hpp"
#include "format/pack.hpp"
#include "fuzz/sealed.hpp"
#include "graft/error.hpp"
#include "graft/kernel.hpp"
#include "own_kernels/packed.hpp"

namespace {

using graft::base::as_bytes;
using graft::base::as_text;
namespace own_kernels = graft::own_kernels;

void put(std::string& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}

void put_checksum(std::string& bytes) {
  const graft::base::Hash128 checksum = graft::base::hash(std::string_view(bytes).substr(0, bytes.size() - 16));
  put(bytes, bytes.size() - 16, checksum.low);
  put(bytes, bytes.size() - 8, checksum.high);
}

void read_pack(std::span<const std::byte> bytes) {
  try {
    const graft::KernelCode code = graft::KernelCode::pack(bytes);
    if (code.code().bytes().size() != bytes.size()) std::abort();
  } catch (const graft::Error& error) {
    if (error.code() != graft::ErrorCode::ImageRefused && error.code() != graft::ErrorCode::InvalidArgument)
      std::abort();
  }
}

// What is read is written to bytes that are read as the same.
template <class Record>
void read(std::span<const std::byte> bytes, std::optional<Record> (*reader)(std::span<const std::byte>)) {
  const std::optional<Record> record = reader(bytes);
  if (!record) return;
  const graft::base::Bytes written = own_kernels::write(*record);
  const std::optional<Record> again = reader(written);
  if (!again || own_kernels::write(*again) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kSmallest = 40;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read_pack(as_bytes(bytes));
  const auto around = graft::fuzz::pack_around(as_bytes(bytes), {}, graft::format::kPackVersion);
  read_pack(around);
  read(as_bytes(bytes), own_kernels::read_packed_code);
  read(as_bytes(bytes), own_kernels::read_packed_slot);
  read(as_bytes(bytes), own_kernels::read_packed_constant);
  read(as_bytes(bytes), own_kernels::read_packed_headers);
  if (size < kSmallest) return 0;
  put_checksum(bytes);
  own_kernels::read_code_file(as_bytes(bytes), "key");
  put(bytes, 16, size);
  put_checksum(bytes);
  read_pack(as_bytes(bytes));
  return 0;
}
