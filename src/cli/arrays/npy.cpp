// Parses and writes .npy headers in memory: the fixed prefix, the dict, and the dtypes in it. npy_file.cpp does the
// I/O.
//
// parse_npy_header trusts no number in a header. It checks every length against the file's size and every product for
// overflow, so that a caller can safely allocate memory of the sizes that the header gives.
#include "cli/arrays/npy.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>
#include <utility>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "base/little_endian.hpp"
#include "cli/arrays/python_literal.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kDataAlignment = 64;
constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();

[[noreturn]] void fail_about(ErrorCode code, const std::string& name, const std::string& what, std::string remedy) {
  graft::fail(code, base::format("{}: {}", name, what), std::move(remedy));
}

[[noreturn]] void damaged(const std::string& name, const std::string& what) {
  fail_about(ErrorCode::FileUnreadable, name, what, "Write the file again with numpy.save.");
}

// ---- types ----

[[noreturn]] void unfit_type(const std::string& name, std::string_view descr, std::string_view what,
                             std::string remedy) {
  fail_about(ErrorCode::TypeMismatch, name, base::format("its elements ({}) are {}", descr, what), std::move(remedy));
}

// The letter of NumPy's dtypes for each kind of number, and the sizes of these dtypes in bytes: all powers of two from
// `smallest` to `largest`. For example, '<f8' is a float of 8 bytes. NumPy has no complex type of two halves.
struct Letter {
  char letter;
  ElementKind kind;
  std::size_t smallest;
  std::size_t largest;

  constexpr bool has_size(std::size_t size) const {
    return std::has_single_bit(size) && smallest <= size && size <= largest;
  }
};
constexpr Letter kLetters[] = {
    {'b', ElementKind::Bool, 1, 1},   {'i', ElementKind::Signed, 1, 8},   {'u', ElementKind::Unsigned, 1, 8},
    {'f', ElementKind::Float, 2, 16}, {'c', ElementKind::Complex, 8, 32},
};

// Parses a dtype that is a string, such as "<f4": byte order, kind, size.
Dtype plain_type(const Literal& descr, const std::string& name) {
  const std::string& text = descr.text;
  std::size_t size = 0;
  const char* const end = text.data() + text.size();
  if (text.size() >= 2 && text[1] == 'O')
    unfit_type(name, descr.written, "Python objects", "Convert them to numbers: a.astype(numpy.float32).");
  if (text.size() >= 2 && (text[1] == 'M' || text[1] == 'm'))
    unfit_type(name, descr.written, "dates or time spans", "View them as integers: a.view(numpy.int64).");
  if (text.size() < 3 || std::from_chars(text.data() + 2, end, size).ptr != end)
    damaged(name, base::format("its type {} is not a NumPy type", descr.written));
  if (text[0] != '<' && text[0] != '|' && text[0] != '>' && text[0] != '=')
    damaged(name, base::format("its type {} has no byte order", descr.written));
  if (text[0] == '>' && size > 1)
    unfit_type(name, descr.written, "big-endian", "Convert them: a.astype(a.dtype.newbyteorder('<')).");
  if (size == 0 || size > kMost) damaged(name, base::format("its type {} has no size", descr.written));

  if (text[1] == 'V') return {std::string(descr.written), ElementKind::Class, size};
  if (text[1] == 'S' || text[1] == 'a' || text[1] == 'U')
    unfit_type(name, descr.written, "strings", "Convert them to numbers first.");
  for (const Letter& letter : kLetters)
    if (text[1] == letter.letter && letter.has_size(size)) return {std::string(descr.written), letter.kind, size};
  damaged(name, base::format("its type {} is not a NumPy type", descr.written));
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b, const std::string& name) {
  if (a != 0 && b > kMost / a) damaged(name, "its header declares more than 2^63 elements or bytes");
  return a * b;
}

std::uint64_t product(const Literal& shape, const std::string& name) {
  bool is_empty = false;
  std::uint64_t count = 1;
  for (const Literal& extent : shape.items) {
    if (!extent.is(Literal::Kind::Integer))
      damaged(name, base::format("its shape {} is not a tuple of non-negative integers", shape.written));
    is_empty |= extent.number == 0;
    // Leave extents of zero out of the product, so that the shape (0, 2^40, 2^40) is refused because its other extents
    // overflow. NumPy refuses this shape too.
    if (extent.number != 0) count = multiply(count, extent.number, name);
  }
  return is_empty ? 0 : count;
}

Dtype any_type(const Literal& descr, const std::string& name);

// Returns the size of one field of a structured dtype. A field is a tuple of a name, a type and optionally a shape:
// ('xyz', '<f4') or ('xyz', '<f4', (3,)). In place of the name there may be a tuple (title, name).
std::uint64_t field_size(const Literal& field, const std::string& name) {
  const bool is_field = field.is(Literal::Kind::Tuple) && (field.items.size() == 2 || field.items.size() == 3) &&
                        (field.items[0].is(Literal::Kind::String) || field.items[0].is(Literal::Kind::Tuple));
  if (!is_field) damaged(name, base::format("its type has an invalid field {}", field.written));
  const std::uint64_t size = any_type(field.items[1], name).size;
  if (field.items.size() == 2) return size;
  const Literal& shape = field.items[2];
  if (shape.is(Literal::Kind::Integer)) return multiply(size, shape.number, name);
  if (!shape.is(Literal::Kind::Tuple)) damaged(name, base::format("its type has an invalid field {}", field.written));
  return multiply(size, product(shape, name), name);
}

Dtype any_type(const Literal& descr, const std::string& name) {
  if (descr.is(Literal::Kind::String)) return plain_type(descr, name);
  if (!descr.is(Literal::Kind::List) || descr.items.empty())
    damaged(name, base::format("its type {} is not a NumPy type", descr.written));
  std::uint64_t size = 0;
  for (const Literal& field : descr.items) {
    const std::uint64_t more = field_size(field, name);
    if (more > kMost - size) damaged(name, "its elements are larger than 2^63 bytes");
    size += more;
  }
  if (size == 0) damaged(name, base::format("its type {} has no size", descr.written));
  return {std::string(descr.written), ElementKind::Class, static_cast<std::size_t>(size)};
}

// ---- the prefix: magic, version, length of the header ----

struct Front {
  std::string_view header;
  std::size_t data_offset = 0;
};

Front find_header(std::string_view bytes, std::uint64_t file_bytes, const std::string& name) {
  if (!bytes.starts_with(kMagic))
    fail_about(ErrorCode::FileUnreadable, name, "it is not an .npy file", "Give a file that numpy.save wrote.");
  if (bytes.size() < 10) damaged(name, "it ends within its header");
  const int major = static_cast<unsigned char>(bytes[6]);
  const int minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0)
    fail_about(ErrorCode::FileUnreadable, name,
               base::format("its .npy format, version {}.{}, is not supported", major, minor),
               "Write the array in format version 1.0, 2.0 or 3.0: numpy.lib.format.write_array(file, a, (2, 0)).");
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (bytes.size() < 8 + length_bytes) damaged(name, "it ends within its header");
  const std::uint64_t length = base::little_endian(base::as_bytes(bytes.substr(8, length_bytes)));
  const std::uint64_t data_offset = 8 + length_bytes + length;
  if (data_offset > file_bytes) damaged(name, "it ends within its header");
  if (data_offset > bytes.size() || data_offset > kMaxNpyHeader) damaged(name, "its header is larger than 1 MiB");
  return {bytes.substr(8 + length_bytes, static_cast<std::size_t>(length)), static_cast<std::size_t>(data_offset)};
}

}  // namespace

NpyHeader parse_npy_header(std::span<const std::byte> begin, std::uint64_t file_bytes, const std::string& name) {
  const Front front = find_header(base::as_text(begin), file_bytes, name);
  const std::optional<Literal> header = parse_literal(front.header);
  if (!header || !header->is(Literal::Kind::Dict) || header->items.size() != 6)
    damaged(name, "its header is not a dict of descr, fortran_order and shape");
  const Literal* const descr = header->find("descr");
  const Literal* const fortran_order = header->find("fortran_order");
  const Literal* const shape = header->find("shape");
  if (!descr || !fortran_order || !fortran_order->is(Literal::Kind::Bool) || !shape || !shape->is(Literal::Kind::Tuple))
    damaged(name, "its header is not a dict of descr, fortran_order and shape");

  NpyHeader parsed;
  parsed.type = any_type(*descr, name);
  parsed.count = product(*shape, name);
  for (const Literal& extent : shape->items) parsed.shape.push_back(extent.number);
  parsed.data_offset = front.data_offset;
  parsed.is_fortran = fortran_order->number != 0 && shape->items.size() > 1;
  multiply(parsed.count, parsed.type.size, name);
  const std::uint64_t there = file_bytes - front.data_offset;
  if (there != parsed.data_bytes())
    damaged(name,
            base::format("its header declares {} bytes of data, but the file has {}", parsed.data_bytes(), there));
  return parsed;
}

std::string npy_front(const std::string& descr, const std::vector<std::uint64_t>& shape) {
  const std::string extents = base::format("({}{})", base::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::string dict = base::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", descr, extents);
  const bool is_ascii = std::ranges::all_of(dict, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  const auto front_of = [&](std::size_t length_bytes) {
    const std::size_t bare = 8 + length_bytes + dict.size() + 1;  // 1 for the line end
    return (bare + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
  };
  // Format version 1.0 limits the header to 65,535 bytes of Latin-1. Version 2.0 lifts the limit on the size, and
  // version 3.0 allows UTF-8.
  const int version = !is_ascii ? 3 : front_of(2) - 10 <= 0xFFFF ? 1 : 2;
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t whole = front_of(length_bytes);
  std::string front(kMagic);
  front += static_cast<char>(version);
  front += '\0';
  const std::size_t length = whole - 8 - length_bytes;
  for (std::size_t i = 0; i < length_bytes; ++i) front += static_cast<char>(length >> 8 * i & 0xFF);
  front += dict;
  front.resize(whole - 1, ' ');
  return front + '\n';
}

std::string descr_of(const ElementType& type) {
  const ElementKind kind = type.kind == ElementKind::Enum  ? ElementKind::Signed
                           : type.kind == ElementKind::Bit ? ElementKind::Bool  // packed_bits.hpp
                                                           : type.kind;
  for (const Letter& letter : kLetters)
    if (kind == letter.kind && letter.has_size(type.size))
      return base::format("'{}{}{}'", type.size == 1 ? '|' : '<', letter.letter, type.size);
  return base::format("'|V{}'", type.size);
}

}  // namespace graft::cli
