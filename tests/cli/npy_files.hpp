// Creates .npy files as NumPy writes them, as input for tests.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace graft::test {

// Returns an .npy file with the given header text, which may be invalid on purpose.
inline std::string npy_with_header(std::string header, std::string_view data, int major = 1) {
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  while ((8 + length_bytes + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  for (std::size_t i = 0; i < length_bytes; ++i) file += static_cast<char>(header.size() >> 8 * i & 0xFF);
  return file + header + std::string(data);
}

inline std::string npy(const std::string& descr, const std::string& shape, std::string_view data, int major = 1) {
  return npy_with_header("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }", data, major);
}

template <class T>
std::string raw(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Returns the elements of a file that graft wrote. `front` is the number of bytes before the elements. graft pads the
// header to a multiple of 64 bytes, which gives 128 bytes for the headers of these tests.
template <class T>
std::vector<T> elements(const std::string& file, std::size_t front = 128) {
  std::vector<T> values((file.size() - front) / sizeof(T));
  std::memcpy(values.data(), file.data() + front, values.size() * sizeof(T));
  return values;
}

}  // namespace graft::test
