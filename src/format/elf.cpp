// Reads an ELF file in four steps: header, section table, section names, symbols. Each step checks every offset and
// size against the file before it uses them. is_whole_cubin and is_shared_object do not read symbols.
#include "format/elf.hpp"

#include <elf.h>

#include "format/byte_view.hpp"

namespace graft::format {
namespace {

// From this ABI version on, the second lowest byte of e_flags is the architecture.
constexpr std::uint8_t kFirstAbiOfWideFlags = 8;
constexpr std::uint32_t kSpecific = 0x8;          // bit of e_flags for the suffix 'a', from ABI version 8 on
constexpr std::uint32_t kSpecificBefore = 0x800;  // bit of e_flags for the suffix 'a', before ABI version 8
// In a cubin that is to be linked, the sections for global and shared memory that nothing initialises.
constexpr std::uint32_t kGlobal = 0x70000007, kShared = 0x7000000a;
constexpr std::uint8_t kKernel = 0x10;  // bit of st_other for a __global__ function, in a cubin

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : view_(bytes) {}

  Outcome<ElfFile> read() {
    if (!is_elf(view_.bytes())) return FormatError{Flaw::Unknown, "this is not an ELF file", 0};
    if (header() && sections() && names() && symbols()) return std::move(file_);
    return error_;
  }

  bool is_whole_cubin() { return is_elf(view_.bytes()) && header() && file_.is_cubin() && sections() && names(); }

  bool is_shared_object() {
    return is_elf(view_.bytes()) && header() && !file_.is_cubin() && sections() && names() &&
           view_.get<std::uint16_t>(offsetof(Elf64_Ehdr, e_type)) == ET_DYN;
  }

 private:
  bool fail(Flaw flaw, std::string message, std::size_t offset) {
    error_ = {flaw, std::move(message), offset};
    return false;
  }

  bool header() {
    if (!view_.has(0, sizeof(Elf64_Ehdr)))
      return fail(Flaw::Truncated, "the ELF file ends inside its header", view_.size());
    if (view_.get<std::uint8_t>(EI_CLASS) != ELFCLASS64 || view_.get<std::uint8_t>(EI_DATA) != ELFDATA2LSB)
      return fail(Flaw::Unfit, "the ELF file is not 64-bit little-endian", EI_CLASS);
    file_.abi_version = view_.get<std::uint8_t>(EI_ABIVERSION);
    file_.is_relocatable = view_.get<std::uint16_t>(offsetof(Elf64_Ehdr, e_type)) == ET_REL;
    file_.machine = view_.get<std::uint16_t>(offsetof(Elf64_Ehdr, e_machine));
    file_.flags = view_.get<std::uint32_t>(offsetof(Elf64_Ehdr, e_flags));
    return true;
  }

  bool sections() {
    const auto table = view_.get<std::uint64_t>(offsetof(Elf64_Ehdr, e_shoff));
    if (table == 0) return true;
    if (view_.get<std::uint16_t>(offsetof(Elf64_Ehdr, e_shentsize)) != sizeof(Elf64_Shdr))
      return fail(Flaw::Damaged, "the ELF file's section headers have an impossible size",
                  offsetof(Elf64_Ehdr, e_shentsize));
    if (!view_.has(table, sizeof(Elf64_Shdr)))
      return fail(Flaw::Truncated, "the ELF file ends before its section table", view_.size());
    // With 0xff00 sections or more, e_shnum is 0 and the sh_size of section 0 is the number of sections; see elf(5).
    const std::uint64_t count = view_.get<std::uint16_t>(offsetof(Elf64_Ehdr, e_shnum)) != 0
                                    ? view_.get<std::uint16_t>(offsetof(Elf64_Ehdr, e_shnum))
                                    : view_.get<std::uint64_t>(table + offsetof(Elf64_Shdr, sh_size));
    if (count > (view_.size() - table) / sizeof(Elf64_Shdr))
      return fail(Flaw::Truncated, "the ELF file ends inside its section table", view_.size());
    for (std::uint64_t i = 0; i < count; ++i)
      if (!section(static_cast<std::size_t>(table + i * sizeof(Elf64_Shdr)))) return false;
    return true;
  }

  bool section(std::size_t at) {
    ElfSection found;
    found.type = view_.get<std::uint32_t>(at + offsetof(Elf64_Shdr, sh_type));
    found.link = view_.get<std::uint32_t>(at + offsetof(Elf64_Shdr, sh_link));
    found.size = view_.get<std::uint64_t>(at + offsetof(Elf64_Shdr, sh_size));
    const bool is_nobits = found.type == SHT_NOBITS || found.type == SHT_NULL ||
                           (file_.is_cubin() && (found.type == kGlobal || found.type == kShared));
    if (!is_nobits) {
      const auto bytes = view_.part(view_.get<std::uint64_t>(at + offsetof(Elf64_Shdr, sh_offset)), found.size);
      if (!bytes) return fail(Flaw::Truncated, "the ELF file ends inside a section", at);
      found.bytes = bytes->bytes();
    }
    name_offsets_.push_back(view_.get<std::uint32_t>(at + offsetof(Elf64_Shdr, sh_name)));
    file_.sections.push_back(found);
    return true;
  }

  bool names() {
    if (file_.sections.empty()) return true;
    std::size_t index = view_.get<std::uint16_t>(offsetof(Elf64_Ehdr, e_shstrndx));
    if (index == SHN_XINDEX) index = file_.sections.front().link;
    if (index >= file_.sections.size())
      return fail(Flaw::Damaged, "the ELF file's section name table (e_shstrndx) is not one of its sections",
                  offsetof(Elf64_Ehdr, e_shstrndx));
    const ByteView table(file_.sections[index].bytes);
    for (std::size_t i = 0; i < file_.sections.size(); ++i) {
      if (file_.sections[i].type == SHT_NULL) continue;
      file_.sections[i].name = table.zero_ended(name_offsets_[i]).value_or(std::string_view());
    }
    return true;
  }

  bool symbols() {
    for (const ElfSection& table : file_.sections) {
      if (table.type != SHT_SYMTAB) continue;
      if (table.link >= file_.sections.size())
        return fail(Flaw::Damaged, "the ELF file's symbol table has no string table", 0);
      const ByteView names(file_.sections[table.link].bytes);
      const ByteView entries(table.bytes);
      for (std::size_t at = 0; entries.has(at, sizeof(Elf64_Sym)); at += sizeof(Elf64_Sym)) symbol(entries, at, names);
      break;  // a valid file has one symbol table; a hostile file could list thousands of overlapping symbol tables
    }
    return true;
  }

  // Omits a function from `functions` if its name is longer than ByteView::kLongestText or outside the string table: a
  // function without a readable name cannot be a callback.
  void symbol(ByteView table, std::size_t at, ByteView names) {
    const auto info = table.get<std::uint8_t>(at + offsetof(Elf64_Sym, st_info));
    const auto other = table.get<std::uint8_t>(at + offsetof(Elf64_Sym, st_other));
    ElfSymbol found;
    found.value = table.get<std::uint64_t>(at + offsetof(Elf64_Sym, st_value));
    found.size = table.get<std::uint64_t>(at + offsetof(Elf64_Sym, st_size));
    found.section = table.get<std::uint16_t>(at + offsetof(Elf64_Sym, st_shndx));
    found.is_function = ELF64_ST_TYPE(info) == STT_FUNC;
    found.is_shared = ELF64_ST_BIND(info) == STB_GLOBAL || ELF64_ST_BIND(info) == STB_WEAK;
    found.is_kernel = file_.is_cubin() && (other & kKernel) != 0;
    const bool is_offered = found.is_function && found.is_shared && found.section != SHN_UNDEF;
    if (is_offered || file_.is_cubin())
      found.name =
          names.zero_ended(table.get<std::uint32_t>(at + offsetof(Elf64_Sym, st_name))).value_or(std::string_view());
    if (is_offered && !found.name.empty())
      file_.functions.push_back({.name = found.name,
                                 .size = found.size,
                                 .is_kernel = found.is_kernel,
                                 .is_weak = ELF64_ST_BIND(info) == STB_WEAK});
    if (file_.is_cubin()) file_.symbols.push_back(found);
  }

  ByteView view_;
  ElfFile file_;
  std::vector<std::uint32_t> name_offsets_;
  FormatError error_;
};

}  // namespace

bool ElfFile::is_cubin() const noexcept {
  return machine == EM_CUDA;
}

Architecture ElfFile::architecture() const noexcept {
  const bool is_wide = abi_version >= kFirstAbiOfWideFlags;
  const std::uint32_t number = is_wide ? flags >> 8 & 0xff : flags & 0xff;
  const bool is_specific = (flags & (is_wide ? kSpecific : kSpecificBefore)) != 0;
  return {static_cast<int>(number), is_specific ? 'a' : '\0'};
}

bool is_elf(std::span<const std::byte> bytes) noexcept {
  return ByteView(bytes).text().starts_with(
      "\x7f"
      "ELF");
}

bool is_whole_cubin(std::span<const std::byte> bytes) {
  return Reader(bytes).is_whole_cubin();
}

bool is_shared_object(std::span<const std::byte> bytes) {
  return Reader(bytes).is_shared_object();
}

Outcome<ElfFile> read_elf(std::span<const std::byte> bytes) {
  return Reader(bytes).read();
}

}  // namespace graft::format
