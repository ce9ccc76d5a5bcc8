// Tests records (base/record.hpp). Every kind of value is read back as it was written, fields that a later version
// added are skipped or refused, and damaged bytes either are refused or give a valid object.
#include "base/record.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace graft::base {
namespace {

enum class Colour : std::uint8_t { Red, Green };

struct Inner {
  std::string name;
  std::uint64_t number = 7;
  bool operator==(const Inner&) const = default;
};

struct Outer {
  int count = 1;
  bool is_set = false;
  double ratio = 0.5;
  Colour colour = Colour::Red;
  Bytes bytes;
  std::vector<std::string> names;
  std::vector<Inner> inners;
  Inner inner;
  std::optional<int> maybe;
  std::optional<Colour> shade;
  std::int64_t balance = 0;
  std::optional<int> change;
  std::vector<Colour> colours;
  bool operator==(const Outer&) const = default;
};

template <class Codec, Is<Inner> T>
void fields(Codec& codec, T& inner) {
  codec.field(1, inner.name);
  codec.field(2, inner.number);
}

template <class Codec, Is<Outer> T>
void fields(Codec& codec, T& outer) {
  codec.field(1, outer.count);
  codec.field(2, outer.is_set);
  codec.field(3, outer.ratio);
  codec.choice(4, outer.colour, Colour::Green);
  codec.field(5, outer.bytes);
  codec.field(6, outer.names);
  codec.field(7, outer.inners);
  codec.field(8, outer.inner);
  codec.field(9, outer.maybe);
  codec.choice(10, outer.shade, Colour::Green);
  codec.signed_field(11, outer.balance);
  codec.signed_field(12, outer.change);
  codec.choice(13, outer.colours, Colour::Green);
}

// The struct Inner as a later version might write it, with another field between its two fields.
struct Later {
  std::string name;
  std::uint64_t number = 7;
  std::string more;
  std::uint16_t tag = 3;
};

template <class Codec, Is<Later> T>
void fields(Codec& codec, T& later) {
  codec.field(1, later.name);
  codec.field(2, later.number);
  codec.field(later.tag, later.more);
}

Outer example() {
  return {.count = 12,
          .is_set = true,
          .ratio = 1.0 / 3,
          .colour = Colour::Green,
          .bytes = {std::byte{0}, std::byte{255}},
          .names = {"", "a", std::string("\0\xff", 2)},
          .inners = {{"x", 1}, {}, {"y", ~0ull}},
          .inner = {"z", 3},
          .maybe = 0,
          .shade = Colour::Green,
          .balance = -5,
          .change = -7,
          .colours = {Colour::Green, Colour::Red, Colour::Green}};
}

TEST(Record, ComesBack) {
  for (const Outer& outer : {example(), Outer{}}) EXPECT_EQ(read_record<Outer>(write_record(outer)), outer);
}

TEST(Record, IsRefusedCutOrWithMoreBehindIt) {
  Bytes whole = write_record(example());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_record<Outer>(std::span(whole).first(size))) << size;
  whole.push_back(std::byte{0});
  EXPECT_FALSE(read_record<Outer>(whole));
}

TEST(Record, AFieldThatIsNotThereKeepsItsValue) {
  EXPECT_EQ(read_record<Outer>(Bytes(4)), Outer{});
}

TEST(Record, ALaterFieldIsRefusedUnlessItMayBeSkipped) {
  Later later = {"a", 1, "what an earlier version must know"};
  EXPECT_FALSE(read_record<Inner>(write_record(later)));
  EXPECT_EQ(std::get<RecordFault>(examine_record<Inner>(write_record(later))), RecordFault::Newer);
  later.tag = kMaySkip + 1;
  EXPECT_EQ(read_record<Inner>(write_record(later)), (Inner{"a", 1}));
}

// The struct Outer as a later version might write it, with a new field of its own or a new field in a nested object.
struct LaterOuter {
  std::vector<Later> inners;
  std::optional<std::string> more;
  bool operator==(const LaterOuter&) const = default;
};

template <class Codec, Is<LaterOuter> T>
void fields(Codec& codec, T& later) {
  codec.field(7, later.inners);
  codec.field(14, later.more);
}

RecordFault fault_of(const Bytes& bytes) {
  return std::get<RecordFault>(examine_record<Outer>(bytes));
}

// The struct Inner with a field that was added after records had been written.
struct Grown {
  std::string name;
  std::uint64_t number = 7;
  std::vector<std::string> more;
  bool operator==(const Grown&) const = default;
};

template <class Codec, Is<Grown> T>
void fields(Codec& codec, T& grown) {
  codec.field(1, grown.name);
  codec.field(2, grown.number);
  codec.later_field(3, grown.more);
}

TEST(Record, AnAddedFieldIsWrittenOnlyIfItIsSet) {
  EXPECT_EQ(write_record(Grown{"a", 3, {}}), write_record(Inner{"a", 3}));
  EXPECT_EQ(read_record<Grown>(write_record(Inner{"a", 3})), (Grown{"a", 3, {}}));
  const Grown grown{"a", 3, {"b", ""}};
  EXPECT_EQ(read_record<Grown>(write_record(grown)), grown);
  EXPECT_FALSE(read_record<Inner>(write_record(grown)));
}

TEST(Record, WhatALaterVersionWroteIsNotDamage) {
  const Bytes outer = write_record(LaterOuter{.inners = {}, .more = "x"});
  const Bytes inner = write_record(LaterOuter{.inners = {{"a", 1, "x", 3}}, .more = {}});
  EXPECT_EQ(fault_of(outer), RecordFault::Newer);
  EXPECT_EQ(fault_of(inner), RecordFault::Newer);
  for (const Bytes& whole : {outer, inner})
    for (std::size_t size = 0; size < whole.size(); ++size)
      EXPECT_EQ(fault_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}), RecordFault::Damaged);
  Outer impossible = example();
  impossible.colour = static_cast<Colour>(9);
  EXPECT_EQ(fault_of(write_record(impossible)), RecordFault::Damaged);
}

TEST(Record, NumbersWithoutAMeaningAreRefused) {
  struct Row {
    const char* what;
    void (*change)(Outer&);
  };
  const Row rows[] = {
      {"an enumerator that does not exist", [](Outer& o) { o.colour = static_cast<Colour>(2); }},
      {"the same in an optional field", [](Outer& o) { o.shade = static_cast<Colour>(9); }},
      {"the same in a list", [](Outer& o) { o.colours.push_back(static_cast<Colour>(2)); }},
      {"a negative count", [](Outer& o) { o.count = -1; }},
  };
  for (const Row& row : rows) {
    Outer outer = example();
    row.change(outer);
    EXPECT_FALSE(read_record<Outer>(write_record(outer))) << row.what;
  }
}

TEST(Record, NumbersWithASignHaveTheirWholeRange) {
  using Wide = std::numeric_limits<std::int64_t>;
  using Narrow = std::numeric_limits<int>;
  Outer outer = example();
  for (const std::int64_t wide : {Wide::min(), std::int64_t{-1}, std::int64_t{0}, Wide::max()})
    for (const int narrow : {Narrow::min(), -1, 0, Narrow::max()}) {
      outer.balance = wide;
      outer.change = narrow;
      EXPECT_EQ(read_record<Outer>(write_record(outer)), outer) << wide << " " << narrow;
    }
}

// A record whose numbers were written with other integer types than the reader expects.
struct Wider {
  std::int64_t change = 0;
};

template <class Codec, Is<Wider> T>
void fields(Codec& codec, T& wider) {
  codec.signed_field(12, wider.change);
}

TEST(Record, NumbersWithASignAreRefusedOutsideTheirRange) {
  for (const std::int64_t change : {std::int64_t{1} << 31, -(std::int64_t{1} << 31) - 1, std::int64_t{1} << 62})
    EXPECT_FALSE(read_record<Outer>(write_record(Wider{change}))) << change;
  EXPECT_EQ(read_record<Outer>(write_record(Wider{-12}))->change, -12);
}

// A record with fields in another order, or with a field twice, is refused. Equal objects therefore have equal bytes.
TEST(Record, FieldsHaveOneOrder) {
  const auto field = [](int tag) {
    return Bytes{static_cast<std::byte>(tag),
                 std::byte{0},
                 std::byte{1},
                 std::byte{0},
                 std::byte{0},
                 std::byte{0},
                 std::byte{'n'}};
  };
  const auto whole = [](const Bytes& a, const Bytes& b) {
    Bytes bytes = {static_cast<std::byte>(a.size() + b.size()), std::byte{0}, std::byte{0}, std::byte{0}};
    bytes.insert(bytes.end(), a.begin(), a.end());
    bytes.insert(bytes.end(), b.begin(), b.end());
    return bytes;
  };
  EXPECT_EQ(read_record<Inner>(whole(field(1), {}))->name, "n");
  EXPECT_FALSE(read_record<Inner>(whole(field(1), field(1))));
  EXPECT_FALSE(read_record<Later>(whole(field(3), field(1))));
}

struct Nest {
  std::vector<Nest> inside;
};

template <class Codec, Is<Nest> T>
void fields(Codec& codec, T& nest) {
  codec.field(1, nest.inside);
}

TEST(Record, DepthIsBounded) {
  Nest nest;
  for (int i = 0; i < 20; ++i) nest = Nest{{nest}};
  EXPECT_TRUE(read_record<Nest>(write_record(nest)));
  for (int i = 0; i < 2000; ++i) nest = Nest{{std::move(nest)}};
  EXPECT_FALSE(read_record<Nest>(write_record(nest)));
}

// An empty item takes four bytes in a record, and far more in memory.
TEST(Record, ItemsAreBounded) {
  const auto reads = [](std::size_t names, std::size_t inners) {
    Outer outer;
    outer.names.resize(names);
    outer.inners.resize(inners);
    return read_record<Outer>(write_record(outer)).has_value();
  };
  EXPECT_TRUE(reads(65'536, 0));
  EXPECT_TRUE(reads(65'000, 536));
  EXPECT_FALSE(reads(65'537, 0));
  EXPECT_FALSE(reads(65'000, 537));
}

TEST(Record, AnyBytesMayBeWrong) {
  const Bytes whole = write_record(example());
  std::mt19937 random(1);
  for (int round = 0; round < 20'000; ++round) {
    Bytes changed = whole;
    for (unsigned i = random() % 3 + 1; i > 0; --i)
      changed[random() % changed.size()] = static_cast<std::byte>(random() % 4 == 0 ? 255 : random() % 256);
    const auto read = read_record<Outer>(changed);
    if (read) {
      EXPECT_EQ(read_record<Outer>(write_record(*read)), *read) << round;
    }
  }
}

}  // namespace
}  // namespace graft::base
