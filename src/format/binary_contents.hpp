// Lists the contents of a callback's file for `graft inspect`: the file's kind, its device code and the functions in it
// that other code can call.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "format/device_code.hpp"
#include "format/file_kind.hpp"
#include "format/outcome.hpp"

namespace graft::format {

// All string_views are views into the bytes passed to read_binary_contents.
struct BinaryContents {
  FileKind kind = FileKind::Source;
  std::vector<DeviceCode> code;  // empty for source, NVVM IR and packs, which other readers examine

  // The symbols of the functions that other code can call, sorted and without duplicates. For a host object, the list
  // has the names of its host functions, because nvcc usually compresses the object's device code. nvcc gives each
  // __device__ function a host stub of the same name.
  std::vector<std::string_view> functions;
  // Whether `functions` is complete. The list is incomplete for LTO-IR and for compressed code, because graft cannot
  // read their names. Templates are missing from the list of a host object, because they have no host stubs.
  bool functions_are_known = false;
};

// If the file begins with the magic number of one kind but is damaged, returns the error of this kind's reader and
// tries no other kind.
Outcome<BinaryContents> read_binary_contents(std::span<const std::byte> bytes);

}  // namespace graft::format
