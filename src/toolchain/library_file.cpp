// Reads the ELF header and the program headers; see elf(5). Uses pread and not mmap, because reading a truncated file
// through mmap could itself raise SIGBUS.
#include "toolchain/library_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/format.hpp"
#include "base/read_file.hpp"

namespace graft::toolchain {
namespace {

#if defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
constexpr Elf64_Half kMachine = EM_X86_64;
#endif

class LibraryFile {
 public:
  explicit LibraryFile(const std::filesystem::path& path)
      : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

  bool is_open() const noexcept { return file_.is_open(); }

  // Returns what is wrong with the file, as the rest of a sentence that begins with the file's name: "is not a regular
  // file". Returns an empty text for a complete library.
  std::string fault() {
    struct stat state {};
    if (::fstat(file_.get(), &state) != 0 || !S_ISREG(state.st_mode)) return "is not a regular file";
    size_ = static_cast<std::uint64_t>(state.st_size);
    Elf64_Ehdr header{};
    const std::size_t there = static_cast<std::size_t>(std::min<std::uint64_t>(size_, sizeof header));
    if (!read(&header, there, 0)) return "cannot be read";
    const std::size_t magic = std::min<std::size_t>(there, SELFMAG);
    if (std::memcmp(header.e_ident, ELFMAG, magic) != 0) return "is not a shared library";
    if (there < sizeof header) return cut_off("its header", sizeof header);
    if (!is_for_this_machine(header)) return "is not a shared library for this machine";
    return fault_of_segments(header);
  }

 private:
  static bool is_for_this_machine(const Elf64_Ehdr& header) {
    return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
           header.e_machine == kMachine && header.e_type == ET_DYN && header.e_phentsize == sizeof(Elf64_Phdr);
  }

  std::string fault_of_segments(const Elf64_Ehdr& header) {
    std::vector<Elf64_Phdr> segments(header.e_phnum);
    const std::uint64_t bytes = segments.size() * sizeof(Elf64_Phdr);
    if (!is_inside(header.e_phoff, bytes)) return cut_off("its program headers", header.e_phoff + bytes);
    if (!read(segments.data(), bytes, header.e_phoff)) return "cannot be read";
    for (const Elf64_Phdr& segment : segments)
      if (segment.p_type == PT_LOAD && !is_inside(segment.p_offset, segment.p_filesz))
        return cut_off("a segment", segment.p_offset + segment.p_filesz);
    return {};
  }

  bool is_inside(std::uint64_t offset, std::uint64_t bytes) const noexcept {
    return offset <= size_ && bytes <= size_ - offset;
  }

  std::string cut_off(std::string_view part, std::uint64_t end) const {
    return base::format("is cut off: {} ends at byte {}, but the file has only {} bytes", part, end, size_);
  }

  bool read(void* to, std::size_t size, std::uint64_t offset) const {
    return base::read_at(file_.get(), {static_cast<std::byte*>(to), size}, offset);
  }

  base::Descriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace

std::string fault_of_library(const std::filesystem::path& path) {
  LibraryFile file(path);
  if (!file.is_open()) return {};
  const std::string fault = file.fault();
  return fault.empty() ? fault : base::format("{} {}", path.string(), fault);
}

}  // namespace graft::toolchain
