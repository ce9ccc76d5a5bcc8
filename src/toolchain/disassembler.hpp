// nvdisasm, the program of a CUDA toolkit that writes machine code as text. graft runs it for people who want to read a
// kernel, and never needs it to make one.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace graft::toolchain {

struct Disassembly {
  enum class End {
    Done,
    Refused,     // nvdisasm refused the cubin, or crashed
    NotStarted,  // the file is no program that this system runs
    Stopped,     // the system refused a file, memory or a process, or took them away; or the time was over
  };
  End end = End::Done;
  std::string text;  // the code; what nvdisasm says, if it refused the cubin; else one line that says why there is none
};

class Disassembler {
 public:
  // Takes the program that GRAFT_NVDISASM names by an absolute path, and no other if the variable is set. Otherwise
  // looks in the folders bin of the installations that the search for the toolkit found (installation.hpp), the chosen
  // one first, and then in PATH. Returns nothing and sets `why` if there is none.
  static std::optional<Disassembler> find(std::string& why);

  const std::filesystem::path& path() const noexcept { return path_; }

  // Runs the program on a cubin, in a private temporary folder, and ends it after `time`.
  Disassembly disassemble(std::span<const std::byte> cubin,
                          std::chrono::milliseconds time = std::chrono::minutes(10)) const;

 private:
  explicit Disassembler(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace graft::toolchain
