// NumPy's .npy files: one array, with its type and shape in front.
//
//     0   magic     93 'N' 'U' 'M' 'P' 'Y'
//     6   version   u8 major, u8 minor       1.0, 2.0 or 3.0
//     8   length    u16; from 2.0 on u32     of the header
//     ..  header    a Python dict: descr, fortran_order, shape
//     ..  data      the elements, row by row, to the end of the file
//
// Files come from anywhere: what is cut off, contradicts itself or is of no use here is refused before its data is
// read.
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

// What an element is in NumPy's words.
struct Dtype {
  std::string descr;                      // as it stands in a header: '<f4', [('r', '|u1'), ('g', '|u1')]
  ElementKind kind = ElementKind::Class;  // Class for structured and void types, of which only the size is known
  std::size_t size = 0;                   // bytes
};

struct NpyHeader {
  Dtype type;
  std::vector<std::uint64_t> shape;  // none for a single value
  std::uint64_t count = 1;           // elements
  std::size_t data_offset = 0;       // in the file

  std::uint64_t data_bytes() const noexcept { return count * type.size; }
};

// `begin` is the file's beginning (kMaxNpyHeader bytes of it or all of it), `file_bytes` its size. Throws Error:
// FileUnreadable for what is no .npy file or a damaged one, TypeMismatch for what graft does not take: big-endian
// numbers, Fortran order, objects, strings, dates. `name` is for messages.
NpyHeader parse_npy_header(std::span<const std::byte> begin, std::uint64_t file_bytes, const std::string& name);
inline constexpr std::size_t kMaxNpyHeader = std::size_t{1} << 20;

// The front of a file of version 1.0, or of a newer one where 1.0 cannot hold it; the data starts at a multiple of 64.
std::string npy_front(const std::string& descr, const std::vector<std::uint64_t>& shape);

// The dtype that holds a callback's elements, as text: "'<f4'". Types that NumPy has no name for are bytes: "'|V12'".
std::string descr_of(const ElementType& type);

// Memory for a file's data, aligned for every element type.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  // Zeros. Throws std::runtime_error that says for which file the memory does not suffice.
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

// Throws Error as parse_npy_header does.
NpyArray read_npy(const std::filesystem::path& path);

// Creates or replaces the file, whole or not at all. Throws Error(FileUnreadable).
void write_npy(const std::filesystem::path& path, const std::string& descr, const std::vector<std::uint64_t>& shape,
               std::span<const std::byte> data);

}  // namespace graft::cli
