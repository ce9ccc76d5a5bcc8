// Helpers that the guide's examples use.
#include "chapter.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

namespace guide {

bool only_built(cudaStream_t stream, const graft::Callback& callback, const graft::Options& options) {
  if (stream != nullptr) return false;
  expect(!graft::build(callback, graft::Architecture(90), options).bytes().empty());
  return true;
}

void expect(bool is_so, const char* file, int line) {
  if (!is_so) throw std::runtime_error(fmt::format("{}:{}: the result is not what the guide says", file, line));
}

void write_file(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  write_file(file, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

void write_file(const std::filesystem::path& file, std::string_view text) {
  std::ofstream out(file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace guide
