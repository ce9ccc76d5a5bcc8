// Tests how deep the records of a file may be nested. In version 0.1, a pack of 40 kB (2 kB in a thread with a small
// stack) ended the process, because its metadata was nested so deeply that the recursive parser overflowed its stack.
// graft must refuse the original bytes and all deeply nested records.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>
#include <string>
#include <vector>

#include "base/record.hpp"
#include "families/kept_kernels.hpp"
#include "format/pack.hpp"
#include "fuzz/sealed.hpp"
#include "support/records.hpp"

namespace graft {
namespace {

using namespace test::records;

std::string repeated(std::size_t size, const std::string& pattern) {
  std::string bytes;
  bytes.reserve(size + pattern.size());
  while (bytes.size() < size) bytes += pattern;
  bytes.resize(size);
  return bytes;
}

struct Pattern {
  const char* name;
  std::string bytes;
};

// The first bytes of deeply nested values in CBOR, which was the encoding of the metadata in version 1.
const Pattern kPatterns[] = {
    {"strings in strings", "\x7f"},
    {"byte strings in byte strings", "\x5f"},
    {"strings in byte strings", "\x5f\x7f"},
    {"arrays", "\x81"},
    {"arrays of two", "\x82"},
    {"arrays without a length", "\x9f"},
    {"arrays with a long length", std::string("\x99\0\x01", 3)},
    {"maps", "\xa1\x61\x61"},
    {"maps without a length", "\xbf\x61\x61"},
    {"maps whose keys are strings without a length", "\xbf\x7f"},
    {"tags", "\xc1"},
    {"tags of 8 bytes", std::string("\xdb\0\0\0\0\0\0\0\x01", 9)},
    {"tags and arrays", "\xd8\x20\x81"},
    {"arrays and strings without a length", "\x9f\x7f"},
    {"maps, arrays and strings without a length", "\xbf\x61\x61\x9f\x7f"},
};

std::string good_pack() {
  format::Pack pack;
  const ElementType real{ElementKind::Float, 4, 4};
  pack.kernel.signature = Signature({Role::Output, real, "float"}, {{Role::Input, real, "float"}});
  const auto bytes = families::write_pack(pack);
  return bytes ? std::string(base::as_text(*bytes)) : bytes.error().message;
}

std::string good_metadata() {
  return good_pack().substr(24, number_at(good_pack(), 12, 4));
}

// The paths at which a pack has records and lists (see pack.cpp and core/fields.hpp).
std::vector<Path> places() {
  const Path kernel = kRecord / field(3);
  const Path signature = kernel / field(5);
  return {kRecord,
          kernel,
          kernel / field(4),
          signature,
          signature / field(1),
          signature / field(2),
          signature / field(2) / item(0),
          kernel / field(6),
          kernel / field(7),
          kRecord / field(7),
          kRecord / field(8)};
}

void expect_refused_metadata(const std::string& metadata) {
  const auto read = families::read_pack(fuzz::pack_around(base::as_bytes(metadata)));
  ASSERT_FALSE(read);
  const format::FormatError& error = read.error();
  // A field that graft does not know may come from a later version of graft.
  if (error.flaw == format::Flaw::Newer)
    EXPECT_EQ(error.message, "the pack's metadata has fields that this graft does not know");
  else EXPECT_EQ(error.message, "the pack's metadata is malformed");
  EXPECT_TRUE(error.flaw == format::Flaw::Newer || error.flaw == format::Flaw::Damaged);
}

// Repeats each nesting pattern up to about `size` bytes and expects that graft refuses the result.
void expect_refused(std::size_t size) {
  for (const Pattern& pattern : kPatterns) {
    SCOPED_TRACE(pattern.name);
    expect_refused_metadata(repeated(size, pattern.bytes));
    expect_refused_metadata(sized(repeated(size, pattern.bytes)));
  }
  constexpr std::uint16_t kUnknown = 99;
  const std::string nests[] = {nested(Shape::List, size / 4), nested(Shape::Record, size / 6, kUnknown)};
  const std::string good = good_metadata();
  for (const std::string& nest : nests) {
    SCOPED_TRACE(nest == nests[0] ? "lists in lists" : "fields in fields");
    expect_refused_metadata(nest);
    for (const Path& path : places()) {
      SCOPED_TRACE(path.size());
      std::string metadata = good;
      set(path, nest)(metadata);
      expect_refused_metadata(metadata);
    }
  }
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GRAFT_TEST_IS_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GRAFT_TEST_IS_SANITIZED
#endif
#ifdef GRAFT_TEST_IS_SANITIZED
constexpr std::size_t kSmallStack = 512 * 1024;  // sanitizers make stack frames larger
#else
constexpr std::size_t kSmallStack = 64 * 1024;
#endif

void* run(void* work) {
  (*static_cast<const std::function<void()>*>(work))();
  return nullptr;
}

void on_a_small_stack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kSmallStack), 0);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

TEST(RecordDepth, NestedMetadataIsRefused) {
  for (const std::size_t size : {20u, 2'000u, 40'000u, 200'000u, 1'000'000u}) {
    SCOPED_TRACE(size);
    expect_refused(size);
  }
}

TEST(RecordDepth, AThreadWithASmallStackReadsPacksToo) {
  on_a_small_stack([] {
    for (const std::size_t size : {20u, 2'000u, 200'000u, 1'000'000u}) expect_refused(size);
  });
}

// Valid packs are read on the same small stack. A field that readers may skip can be nested to any depth.
TEST(RecordDepth, AGoodPackIsReadOnASmallStack) {
  const std::string good = good_pack();
  on_a_small_stack([&] { EXPECT_TRUE(families::read_pack(base::as_bytes(good))); });
  for (const Shape shape : {Shape::List, Shape::Record}) {
    const std::string nest = nested(shape, 1'000'000 / head_bytes(shape), base::kMaySkip);
    std::string metadata = good_metadata();
    append(kRecord, Shape::Record, {base::kMaySkip, nest})(metadata);
    const base::Bytes deep = fuzz::pack_around(base::as_bytes(metadata));
    on_a_small_stack([&] { EXPECT_TRUE(families::read_pack(deep)); });
  }
}

}  // namespace
}  // namespace graft
