// S4: a pack of 40 kB (2 kB in a thread with a small stack) ended the process: nested strings of indefinite length pass
// the guard that pack.cpp had, and the parser behind it recurses.
#include <gtest/gtest.h>
#include <pthread.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "format/pack.hpp"
#include "fuzz/sealed.hpp"

namespace graft {
namespace {

using Metadata = std::vector<std::uint8_t>;

Metadata repeated(std::size_t size, const Metadata& pattern) {
  Metadata bytes;
  bytes.reserve(size + pattern.size());
  while (bytes.size() < size) bytes.insert(bytes.end(), pattern.begin(), pattern.end());
  bytes.resize(size);
  return bytes;
}

struct Nesting {
  const char* name;
  Metadata pattern;
};

const Nesting kNestings[] = {
    {"strings in strings", {0x7f}},
    {"byte strings in byte strings", {0x5f}},
    {"strings in byte strings", {0x5f, 0x7f}},
    {"arrays", {0x81}},
    {"arrays of two", {0x82}},
    {"arrays without a length", {0x9f}},
    {"arrays with a long length", {0x99, 0x00, 0x01}},
    {"maps", {0xa1, 0x61, 0x61}},
    {"maps without a length", {0xbf, 0x61, 0x61}},
    {"maps whose keys are strings without a length", {0xbf, 0x7f}},
    {"tags", {0xc1}},
    {"tags of 8 bytes", {0xdb, 0, 0, 0, 0, 0, 0, 0, 1}},
    {"tags and arrays", {0xd8, 0x20, 0x81}},
    {"arrays and strings without a length", {0x9f, 0x7f}},
    {"maps, arrays and strings without a length", {0xbf, 0x61, 0x61, 0x9f, 0x7f}},
};

void expect_refused(std::size_t size) {
  for (const Nesting& nesting : kNestings) {
    SCOPED_TRACE(nesting.name);
    const Metadata metadata = repeated(size, nesting.pattern);
    const base::Bytes pack = fuzz::pack_around(std::as_bytes(std::span(metadata)));
    const auto read = format::read_pack(pack);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().flaw, format::Flaw::Damaged);
    EXPECT_EQ(read.error().message, "the pack's metadata is not what graft writes");
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
constexpr std::size_t kSmallStack = 512 * 1024;  // a sanitizer's frames are larger
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

TEST(S4, NestedMetadataIsRefused) {
  for (const std::size_t size : {20u, 2'000u, 40'000u, 200'000u, 1'000'000u}) {
    SCOPED_TRACE(size);
    expect_refused(size);
  }
}

TEST(S4, AThreadWithASmallStackReadsPacksToo) {
  on_a_small_stack([] {
    for (const std::size_t size : {20u, 2'000u, 200'000u, 1'000'000u}) expect_refused(size);
  });
}

// A good one, on the same stack.
TEST(S4, AGoodPackIsReadOnASmallStack) {
  format::Pack pack;
  const ElementType real{ElementKind::Float, 4, 4};
  pack.signature = Signature({Role::Output, real, "float"}, {{Role::Input, real, "float"}});
  const auto bytes = format::write_pack(pack);
  ASSERT_TRUE(bytes);
  on_a_small_stack([&] { EXPECT_TRUE(format::read_pack(*bytes)); });
}

}  // namespace
}  // namespace graft
