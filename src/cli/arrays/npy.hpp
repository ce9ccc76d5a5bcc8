// Reads and writes NumPy's .npy files. Such a file has a header with the type and the shape of one array, and then the
// array's elements:
//
//     0   magic     93 'N' 'U' 'M' 'P' 'Y'
//     6   version   u8 major, u8 minor       1.0, 2.0 or 3.0
//     8   length    u16; from 2.0 on u32     the length of the header in bytes
//     ..  header    a Python dict: descr, fortran_order, shape
//     ..  data      the elements, row by row or, in Fortran order, column by column, to the end of the file
//
// Files are untrusted input. A file that is cut off, contradicts itself, or holds something that graft cannot use is
// refused before its data is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graft/element.hpp"

namespace graft::cli {

// The type of an element, as NumPy describes it.
struct Dtype {
  std::string descr;                      // as written in a header: '<f4', [('r', '|u1'), ('g', '|u1')]
  ElementKind kind = ElementKind::Class;  // Class if the type is structured or void: then only its size is known
  std::size_t size = 0;                   // in bytes
};

struct NpyHeader {
  Dtype type;
  std::vector<std::uint64_t> shape;  // empty for a single value
  bool is_fortran = false;           // the elements lie column by column; also false for at most one dimension
  std::uint64_t count = 1;           // the number of elements
  std::size_t data_offset = 0;       // where the elements begin, in bytes from the beginning of the file

  std::uint64_t data_bytes() const noexcept { return count * type.size; }
};

// Parses a file's header. `begin` is the beginning of the file: kMaxNpyHeader bytes, or the whole file if it is
// smaller. `file_bytes` is the size of the file. `name` is for messages. Throws Error(FileUnreadable) if the file is
// damaged or not an .npy file, and Error(TypeMismatch) for content that graft does not support: big-endian numbers,
// objects, strings, dates.
NpyHeader parse_npy_header(std::span<const std::byte> begin, std::uint64_t file_bytes, const std::string& name);
inline constexpr std::size_t kMaxNpyHeader = std::size_t{1} << 20;

// Returns all bytes of an .npy file in front of the data, padded so that the data starts at a multiple of 64 bytes.
// Uses format version 1.0, or a newer version if `descr` is too long for 1.0 or contains characters beyond ASCII.
std::string npy_front(const std::string& descr, const std::vector<std::uint64_t>& shape);

// Returns the dtype of an element type, as written in a header: "'<f4'". A type for which NumPy has no name becomes raw
// bytes: "'|V12'".
std::string descr_of(const ElementType& type);

// Memory for the data of a file, aligned to 64 bytes.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  // Allocates the memory and fills it with zeros. Throws std::runtime_error if there is not enough memory; the message
  // contains `name`, the file's name.
  AlignedBytes(std::uint64_t count, std::size_t element_size, const std::string& name);
  std::byte* data() const noexcept { return bytes_.get(); }
  std::size_t size() const noexcept { return size_; }
  std::span<std::byte> bytes() noexcept { return {data(), size_}; }
  std::span<const std::byte> span() const noexcept { return {data(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const noexcept;
  };
  std::unique_ptr<std::byte[], Free> bytes_;
  std::size_t size_ = 0;
};

struct NpyArray {
  NpyHeader header;
  AlignedBytes data;
};

// Reads a file. Throws Error as parse_npy_header does, and Error(FileUnreadable) if the file cannot be read.
NpyArray read_npy(const std::filesystem::path& path);

// Creates or replaces the file atomically (new_file.hpp). Throws Error(FileUnreadable).
void write_npy(const std::filesystem::path& path, const std::string& descr, const std::vector<std::uint64_t>& shape,
               std::span<const std::byte> data);

}  // namespace graft::cli
