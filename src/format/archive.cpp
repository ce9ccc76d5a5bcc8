// Walks through the members of an archive, resolves long names, and skips the symbol and name tables.
#include "format/archive.hpp"

#include <charconv>
#include <cstdint>
#include <optional>

#include "base/format.hpp"
#include "format/byte_view.hpp"

namespace graft::format {
namespace {

constexpr std::string_view kMagic = "!<arch>\n";
constexpr std::string_view kThinMagic = "!<thin>\n";  // a thin archive contains file names instead of the files
constexpr std::size_t kHeader = 60;
constexpr std::size_t kNameWidth = 16;
constexpr std::size_t kSizeAt = 48;
constexpr std::size_t kSizeWidth = 10;
constexpr std::string_view kEndOfHeader = "`\n";

std::string_view trimmed(std::string_view field) {
  const std::size_t end = field.find_last_not_of(' ');
  return field.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

// Parses a decimal number. Returns nothing if the text contains any other character.
std::optional<std::uint64_t> decimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : view_(bytes) {}

  Outcome<std::vector<ArchiveMember>> read() {
    if (view_.text().starts_with(kThinMagic))
      return FormatError{Flaw::Unfit,
                         "this is a thin archive, which names its members' files but does not contain them", 0};
    if (!view_.text().starts_with(kMagic)) return FormatError{Flaw::Unknown, "this is not an archive", 0};
    for (std::size_t at = kMagic.size(); at < view_.size();)
      if (!member(at)) return error_;
    return std::move(members_);
  }

 private:
  bool fail(Flaw flaw, std::string message, std::size_t offset) {
    error_ = {flaw, std::move(message), offset};
    return false;
  }

  bool member(std::size_t& at) {
    if (!view_.has(at, kHeader))
      return fail(Flaw::Truncated, "the archive ends inside a member's header", view_.size());
    const std::string_view header = view_.text().substr(at, kHeader);
    const auto size = decimal(trimmed(header.substr(kSizeAt, kSizeWidth)));
    if (!header.ends_with(kEndOfHeader) || !size) return fail(Flaw::Damaged, "a member's header is malformed", at);
    const auto bytes = view_.part(at + kHeader, *size);
    if (!bytes) return fail(Flaw::Truncated, "the archive ends inside a member", view_.size());
    if (!add(trimmed(header.substr(0, kNameWidth)), *bytes))
      return fail(Flaw::Damaged, "a member's name is missing or malformed", at);
    at += kHeader + bytes->size();
    at += at % 2;
    return true;
  }

  bool add(std::string_view name, ByteView bytes) {
    if (name == "//") names_ = bytes.text();
    if (name == "//" || name == "/" || name == "/SYM64/") return true;
    if (name.starts_with("#1/")) {
      const auto length = decimal(name.substr(3));
      if (!length || !bytes.has(0, *length)) return false;
      const std::string_view padded = bytes.text().substr(0, static_cast<std::size_t>(*length));
      name = padded.substr(0, padded.find('\0'));
      bytes = bytes.rest(static_cast<std::size_t>(*length));
      if (name.starts_with("__.SYMDEF")) return true;
    } else if (name.starts_with('/')) {
      const auto offset = decimal(name.substr(1));
      if (!offset || *offset >= names_.size()) return false;
      name = names_.substr(static_cast<std::size_t>(*offset), ByteView::kLongestText);
      name = name.substr(0, name.find('\n'));
    }
    if (name.ends_with('/')) name.remove_suffix(1);
    if (name.empty()) return false;
    members_.push_back({name, bytes.bytes()});
    return true;
  }

  ByteView view_;
  std::string_view names_;
  std::vector<ArchiveMember> members_;
  FormatError error_;
};

}  // namespace

bool is_archive(std::span<const std::byte> bytes) noexcept {
  const std::string_view text = ByteView(bytes).text();
  return text.starts_with(kMagic) || text.starts_with(kThinMagic);
}

Outcome<std::vector<ArchiveMember>> read_archive(std::span<const std::byte> bytes) {
  return Reader(bytes).read();
}

}  // namespace graft::format
