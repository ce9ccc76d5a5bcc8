// Two steps: Entries reads all entries of the section .debug_info, and TypeReader follows references from type to type.
// The numbers of tags, attributes and forms (encodings of an attribute's value) are those of the DWARF standard.
#include "format/debug_types.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "format/byte_view.hpp"
#include "format/elf.hpp"
#include "format/mangled.hpp"

namespace graft::format {
namespace {

[[noreturn]] void give_up(std::string reason) {
  throw FormatError{Flaw::Unfit, std::move(reason), 0};
}

[[noreturn]] void damaged() {
  throw FormatError{Flaw::Damaged, "the debug information is damaged", 0};
}

class Cursor {
 public:
  Cursor(ByteView bytes, std::uint64_t at) : bytes_(bytes), at_(at) {}

  std::uint64_t at() const { return at_; }
  std::uint64_t number(std::uint64_t size) {
    const std::optional<ByteView> part = bytes_.part(at_, size);
    if (!part) damaged();
    at_ += size;
    return base::little_endian(part->bytes());
  }
  std::uint64_t leb128() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = number(1);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    damaged();
  }
  std::string_view text() {
    const std::optional<std::string_view> found = bytes_.zero_ended(at_);
    if (!found) damaged();
    at_ += found->size() + 1;
    return *found;
  }
  void skip(std::uint64_t size) {
    if (!bytes_.has(at_, size)) damaged();
    at_ += size;
  }

 private:
  ByteView bytes_;
  std::uint64_t at_;
};

enum Tag : std::uint64_t {
  kArray = 0x01,
  kClass = 0x02,
  kEnumeration = 0x04,
  kMember = 0x0d,
  kPointer = 0x0f,
  kReference = 0x10,
  kStructure = 0x13,
  kTypedef = 0x16,
  kUnion = 0x17,
  kInheritance = 0x1c,
  kBaseType = 0x24,
  kConst = 0x26,
  kVolatile = 0x35,
};

enum Attribute : std::uint64_t {
  kName = 0x03,
  kByteSize = 0x0b,
  kBitSize = 0x0d,
  kUpperBound = 0x2f,
  kCount = 0x37,
  kMemberLocation = 0x38,
  kDeclaration = 0x3c,
  kEncoding = 0x3e,
  kType = 0x49,
};

struct Entry {
  std::uint64_t tag = 0;
  std::string_view name;
  std::map<std::uint64_t, std::uint64_t> values;  // by attribute; a reference is the position of another entry
  std::vector<std::uint64_t> children;            // positions

  bool has(Attribute attribute) const { return values.contains(attribute); }
  std::uint64_t value(Attribute attribute) const { return has(attribute) ? values.at(attribute) : 0; }
  bool is_struct() const { return tag == kStructure || tag == kClass; }
};

class Entries {
 public:
  explicit Entries(const ElfFile& file) : info_(section(file, ".debug_info")), texts_(section(file, ".debug_str")) {
    for (std::uint64_t unit = 0; unit < info_.size();) unit = read_unit(unit, section(file, ".debug_abbrev"));
  }

  const Entry& at(std::uint64_t position) const {
    const auto found = entries_.find(position);
    if (found == entries_.end()) damaged();
    return found->second;
  }
  const std::map<std::uint64_t, Entry>& all() const { return entries_; }

 private:
  // The kind of an entry, to which the entry refers by a number.
  struct Kind {
    std::uint64_t tag = 0;
    bool has_children = false;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> attributes;  // and the form of each
  };

  static ByteView section(const ElfFile& file, std::string_view name) {
    const auto found = std::ranges::find(file.sections, name, &ElfSection::name);
    return found == file.sections.end() ? std::span<const std::byte>() : found->bytes;
  }

  static std::map<std::uint64_t, Kind> read_kinds(Cursor cursor) {
    std::map<std::uint64_t, Kind> kinds;
    while (const std::uint64_t number = cursor.leb128()) {
      Kind kind{cursor.leb128(), cursor.number(1) != 0, {}};
      while (const std::uint64_t attribute = cursor.leb128()) kind.attributes.emplace_back(attribute, cursor.leb128());
      cursor.skip(1);  // the form of the attribute 0
      kinds[number] = std::move(kind);
    }
    return kinds;
  }

  // Returns the position of the next unit.
  std::uint64_t read_unit(std::uint64_t unit, ByteView abbreviations) {
    Cursor cursor(info_, unit);
    const std::uint64_t size = cursor.number(4), end = cursor.at() + size;
    if (cursor.number(2) != 2 || end > info_.size()) damaged();  // the version
    const std::map<std::uint64_t, Kind> kinds = read_kinds({abbreviations, cursor.number(4)});
    cursor.skip(1);  // the size of an address, which is 8
    std::vector<std::uint64_t> parents;
    while (cursor.at() < end) {
      const std::uint64_t position = cursor.at();
      const std::uint64_t number = cursor.leb128();
      if (number == 0 && !parents.empty()) parents.pop_back();
      if (number == 0) continue;
      const auto kind = kinds.find(number);
      if (kind == kinds.end()) damaged();
      Entry& entry = entries_[position];
      entry.tag = kind->second.tag;
      for (const auto& [attribute, form] : kind->second.attributes)
        read_attribute(cursor, attribute, form, unit, entry);
      if (!parents.empty()) entries_[parents.back()].children.push_back(position);
      if (kind->second.has_children) parents.push_back(position);
    }
    return end;
  }

  void read_attribute(Cursor& cursor, std::uint64_t attribute, std::uint64_t form, std::uint64_t unit,
                      Entry& entry) const {
    // The sizes in bytes of the values of each form. 0: the value is a LEB128 number.
    constexpr std::array<std::uint8_t, 0x16> kSizes = {0, 8, 0, 2, 4, 2, 4, 8, 0, 0, 1,
                                                       1, 1, 0, 4, 0, 4, 1, 2, 4, 8, 0};
    constexpr std::uint64_t kBlock2 = 0x03, kBlock4 = 0x04, kString = 0x08, kBlock = 0x09, kBlock1 = 0x0a,
                            kStringReference = 0x0e, kReference1 = 0x11;
    if (form >= kSizes.size()) damaged();
    if (form == kString) {
      const std::string_view text = cursor.text();
      if (attribute == kName) entry.name = text;
      return;
    }
    std::uint64_t value = kSizes[form] != 0 ? cursor.number(kSizes[form]) : cursor.leb128();
    if (form == kBlock || form == kBlock1 || form == kBlock2 || form == kBlock4) value = read_block(cursor, value);
    if (form == kStringReference && attribute == kName) entry.name = Cursor(texts_, value).text();
    if (form >= kReference1) value += unit;
    entry.values[attribute] = value;
  }

  // Returns the number of the expression "add a number", which is the location of a member.
  static std::uint64_t read_block(Cursor& cursor, std::uint64_t size) {
    constexpr std::uint64_t kAdd = 0x23;
    Cursor inside = cursor;
    cursor.skip(size);
    return size > 1 && inside.number(1) == kAdd ? inside.leb128() : 0;
  }

  ByteView info_;
  ByteView texts_;
  std::map<std::uint64_t, Entry> entries_;  // by position in .debug_info
};

class TypeReader {
 public:
  explicit TypeReader(const Entries& entries) : entries_(entries) {}

  // Returns the type at this position of the debug information. `name` and `offset` are those of a field.
  Field read(std::uint64_t position, std::string_view name, std::size_t offset, int depth = 0) {
    check_depth(depth);
    if (++count_ > kMostFields) give_up("it has too many fields");
    const Entry& entry = entries_.at(position);
    if (entry.tag == kArray) return read_array(entry, 0, name, offset, depth);
    Field field{std::string(name), type_name(position, depth), offset, {}, {}};
    if (entry.tag == kConst || entry.tag == kVolatile || entry.tag == kTypedef) {
      Field named = read(entry.value(kType), name, offset, depth + 1);
      named.type = std::move(field.type);
      return named;
    }
    field.is_pointer = entry.tag == kPointer || entry.tag == kReference;
    const std::uint64_t size = field.is_pointer ? sizeof(std::uint64_t) : entry.value(kByteSize);
    field.element = {kind_of(entry), static_cast<std::uint32_t>(size), 1};
    if (field.element.kind != ElementKind::Class) return field;
    read_struct(entry, offset, field, depth);
    if (field.parts.empty()) give_up(base::format("`{}` has no fields", entry.name));
    // graft::complex keeps its numbers in private members.
    if (entry.name.starts_with("complex<") && field.parts.size() == 2)
      for (const bool is_second : {false, true}) field.parts[is_second].name = is_second ? "imag" : "real";
    return field;
  }

 private:
  static void check_depth(std::size_t depth) {
    constexpr std::size_t kDeepest = 64;
    if (depth > kDeepest) give_up("its types are nested too deeply");
  }

  static ElementKind kind_of(const Entry& type) {
    // Indexed by DW_AT_encoding.
    constexpr std::array kNumbers = {ElementKind::Opaque, ElementKind::Opaque,   ElementKind::Bool,
                                     ElementKind::Opaque, ElementKind::Float,    ElementKind::Signed,
                                     ElementKind::Signed, ElementKind::Unsigned, ElementKind::Unsigned};
    if (type.tag == kPointer || type.tag == kReference) return ElementKind::Unsigned;
    if (type.tag == kEnumeration) return ElementKind::Enum;
    if (type.is_struct())
      return type.name == "__half"          ? ElementKind::Float
             : type.name == "__nv_bfloat16" ? ElementKind::Bfloat
                                            : ElementKind::Class;
    const std::uint64_t encoding = type.value(kEncoding);
    if (type.tag == kBaseType && type.value(kByteSize) <= sizeof(std::uint64_t) && encoding < kNumbers.size() &&
        kNumbers[encoding] != ElementKind::Opaque)
      return kNumbers[encoding];
    give_up(
        base::format("`{}` is {}", type.name, type.tag == kUnion ? "a union" : "of a type that graft does not know"));
  }

  std::string type_name(std::uint64_t position, std::size_t depth) const {
    check_depth(depth);
    if (position == 0) return "void";
    const Entry& entry = entries_.at(position);
    if (!entry.name.empty()) return canonical_type(entry.name);
    if (entry.tag == kArray) return array_name(entry, 0, depth);
    if (!entry.has(kType) && entry.tag != kPointer) return "(unnamed)";
    const std::string inner = type_name(entry.value(kType), depth + 1);
    if (entry.tag == kConst) return "const " + inner;
    return inner + (entry.tag == kPointer ? "*" : entry.tag == kReference ? "&" : "");
  }

  // Returns the extent of one of the dimensions of an array.
  std::uint64_t extent(const Entry& array, std::size_t dimension) const {
    const Entry& range = entries_.at(array.children[dimension]);
    return range.has(kUpperBound) ? range.value(kUpperBound) + 1 : range.value(kCount);
  }

  std::string array_name(const Entry& array, std::size_t dimension, std::size_t depth) const {
    std::string name = type_name(array.value(kType), depth + 1);
    for (; dimension < array.children.size(); ++dimension) name += base::format("[{}]", extent(array, dimension));
    return name;
  }

  // Reads the dimensions of an array from `dimension` on.
  Field read_array(const Entry& array, std::size_t dimension, std::string_view name, std::size_t offset, int depth) {
    check_depth(dimension);
    if (dimension == array.children.size()) return read(array.value(kType), name, offset, depth + 1);
    Field field{std::string(name), array_name(array, dimension, depth), offset, {ElementKind::Class, 0, 1}, {}};
    for (std::uint64_t i = 0; i < extent(array, dimension); ++i) {
      Field element = read_array(array, dimension + 1, base::format("[{}]", i), offset + field.element.size, depth);
      field.element.size += element.element.size;
      field.parts.push_back(std::move(element));
    }
    if (field.parts.empty()) give_up(base::format("the array `{}` has no elements", name));
    return field;
  }

  // Adds the fields of the struct, or base class, `entry`, which begins at `offset`, to `field`.
  void read_struct(const Entry& entry, std::size_t offset, Field& field, int depth) {
    check_depth(depth);
    for (const std::uint64_t position : entry.children) {
      const Entry& member = entries_.at(position);
      // A static member is a declaration.
      if ((member.tag != kMember && member.tag != kInheritance) || member.has(kDeclaration)) continue;
      const std::size_t place = offset + static_cast<std::size_t>(member.value(kMemberLocation));
      // NVRTC describes a base class as a member.
      const bool is_base = member.tag == kInheritance || member.name.starts_with("__b_");
      if (is_base) read_struct(entries_.at(member.value(kType)), place, field, depth + 1);
      else if (member.name.empty()) give_up(base::format("`{}` has a field without a name", entry.name));
      else if (member.has(kBitSize)) give_up(base::format("`{}` is a bit field", member.name));
      else field.parts.push_back(read(member.value(kType), member.name, place, depth + 1));
    }
  }

  const Entries& entries_;
  std::size_t count_ = 0;
};

Field field_type(const Entries& entries, std::string_view owner, std::string_view field) {
  for (const auto& [position, entry] : entries.all()) {
    if (!entry.is_struct() || !entry.name.starts_with(owner)) continue;
    for (const std::uint64_t child : entry.children)
      if (entries.at(child).name == field) return TypeReader(entries).read(entries.at(child).value(kType), "", 0);
  }
  give_up(base::format("the debug information has no struct {}", owner));
}

}  // namespace

Outcome<Field> read_field_type(std::span<const std::byte> object, std::string_view owner, std::string_view field) {
  const Outcome<ElfFile> file = read_elf(object);
  if (!file) return file.error();
  try {
    return field_type(Entries(*file), owner, field);
  } catch (FormatError& problem) {
    return std::move(problem);
  }
}

}  // namespace graft::format
