// Walks through the containers and their entries. The reader checks that each container lies inside the file and that
// each entry lies inside its container.
#include "format/fatbin.hpp"

#include "base/format.hpp"
#include "format/byte_view.hpp"

namespace graft::format {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::size_t kContainerHeader = 16;
constexpr std::size_t kEntryHeader = 64;
constexpr std::uint64_t kCompressed = 0x2000 | 0x8000;
constexpr std::uint64_t kSpecific = 0x100000;
constexpr std::uint64_t kFamily = 0x200000;
constexpr std::uint32_t kHighestArchitecture = 999;

CodeKind code_kind(std::uint16_t number) {
  switch (number) {
    case 1:
      return CodeKind::Ptx;
    case 2:
      return CodeKind::Cubin;
    case 8:
      return CodeKind::LtoIr;
    default:
      return CodeKind::Other;
  }
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : view_(bytes) {}

  Outcome<std::vector<FatbinEntry>> read() {
    if (!is_fatbin(view_.bytes())) return FormatError{Flaw::Unknown, "this is not a fatbin", 0};
    std::size_t at = 0;
    while (view_.number<std::uint32_t>(at) == kMagic)
      if (!container(at)) return error_;
    if (view_.text().find_first_not_of('\0', at) != std::string_view::npos)
      return FormatError{Flaw::Damaged, "the fatbin is followed by other data", at};
    return std::move(entries_);
  }

 private:
  bool fail(Flaw flaw, std::string message, std::size_t offset) {
    error_ = {flaw, std::move(message), offset};
    return false;
  }

  // Moves `at` past the container and the padding that follows it.
  bool container(std::size_t& at) {
    if (!view_.has(at, kContainerHeader)) return fail(Flaw::Truncated, "the fatbin ends inside its header", at);
    const std::size_t header = view_.get<std::uint16_t>(at + 6);
    const auto size = view_.get<std::uint64_t>(at + 8);
    if (header < kContainerHeader) return fail(Flaw::Damaged, "the fatbin's header is too short", at + 6);
    if (!view_.has(at, header) || !view_.has(at + header, size))
      return fail(Flaw::Truncated, base::format("the fatbin ends before the {} bytes that its header gives", size),
                  view_.size());
    const std::size_t end = at + header + static_cast<std::size_t>(size);
    at += header;
    while (at < end)
      if (!entry(at, end)) return false;
    while (at % 8 != 0 && view_.number<std::uint8_t>(at) == 0) ++at;
    return true;
  }

  bool entry(std::size_t& at, std::size_t end) {
    if (end - at < kEntryHeader)
      return fail(Flaw::Damaged, "a fatbin entry's header extends past the end of the fatbin", at);
    const std::size_t header = view_.get<std::uint32_t>(at + 4);
    const auto padded = view_.get<std::uint64_t>(at + 8);
    if (header < kEntryHeader || header > end - at || padded > end - at - header)
      return fail(Flaw::Damaged, "a fatbin entry extends past the end of the fatbin", at);
    const std::size_t compressed = view_.get<std::uint32_t>(at + 16);
    const auto architecture = view_.get<std::uint32_t>(at + 28);
    const auto flags = view_.get<std::uint64_t>(at + 40);
    if (architecture > kHighestArchitecture)
      return fail(Flaw::Damaged, base::format("a fatbin entry is for the impossible architecture {}", architecture),
                  at + 28);
    FatbinEntry found;
    found.kind = code_kind(view_.get<std::uint16_t>(at));
    found.architecture.number = static_cast<int>(architecture);
    found.architecture.suffix = (flags & kSpecific) != 0 ? 'a' : (flags & kFamily) != 0 ? 'f' : '\0';
    found.version = {view_.get<std::uint16_t>(at + 26), view_.get<std::uint16_t>(at + 24)};
    found.is_compressed = (flags & kCompressed) != 0;
    found.options = options(at, header);
    if (found.is_compressed && compressed > padded)
      return fail(Flaw::Damaged, "a fatbin entry's compressed size exceeds its payload's size", at + 16);
    found.size = found.is_compressed ? view_.get<std::uint64_t>(at + 56) : padded;
    found.payload =
        view_.bytes().subspan(at + header, found.is_compressed ? compressed : static_cast<std::size_t>(padded));
    entries_.push_back(found);
    at += header + static_cast<std::size_t>(padded);
    return true;
  }

  // Returns the text of the entry's options, or an empty text if the entry has none or their place is impossible. The
  // text is only for notes, so it is no reason to refuse a fatbin.
  std::string_view options(std::size_t entry, std::size_t header) const {
    const std::size_t record = view_.get<std::uint32_t>(entry + 20);
    if (record < kEntryHeader || record > header || header - record < 8) return {};
    const std::size_t begin = view_.get<std::uint32_t>(entry + record);
    const std::size_t size = view_.get<std::uint32_t>(entry + record + 4);
    if (begin < kEntryHeader || begin > header || size > header - begin) return {};
    return view_.text().substr(entry + begin, size);
  }

  ByteView view_;
  std::vector<FatbinEntry> entries_;
  FormatError error_;
};

}  // namespace

bool is_fatbin(std::span<const std::byte> bytes) noexcept {
  return ByteView(bytes).number<std::uint32_t>(0) == kMagic;
}

Outcome<std::vector<FatbinEntry>> read_fatbin(std::span<const std::byte> bytes) {
  return Reader(bytes).read();
}

}  // namespace graft::format
