// nvdisasm, the program of a CUDA toolkit that writes machine code as text. graft runs it for people who want to read a
// kernel, and never needs it to make one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace graft::toolchain {

struct Disassembly {
  bool ok = false;
  std::string text;  // the code, or what nvdisasm says after a failure
};

class Disassembler {
 public:
  // Takes the program that GRAFT_NVDISASM names by an absolute path, and no other if the variable is set. Otherwise
  // looks in the folders bin of the installations that the search for the toolkit found (installation.hpp), the chosen
  // one first, and then in PATH. Returns nothing and sets `why` if there is none.
  static std::optional<Disassembler> find(std::string& why);

  const std::filesystem::path& path() const noexcept { return path_; }

  // Runs the program on a cubin, in a private temporary folder. Throws std::filesystem::filesystem_error if the folder
  // cannot be made.
  Disassembly disassemble(std::span<const std::byte> cubin) const;

 private:
  explicit Disassembler(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace graft::toolchain
