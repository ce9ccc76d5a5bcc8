// Sample files that compilers wrote, and functions that put them into archives and damage them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "format/outcome.hpp"

namespace graft::format {

// samples/make.sh describes each sample.
inline constexpr std::string_view kSamples[] = {
    "callbacks.cu",
    "compressed.fatbin",
    "dlto.o",
    "host.o",
    "library.a",
    "nvcc_120_linked.cubin",
    "nvcc_75.cubin",
    "nvcc_75.ltoir",
    "nvcc_75.ptx",
    "nvcc_90a.ltoir",
    "nvrtc_12_9_sm90.ltoir",
    "nvrtc_12_9_sm90a.cubin",
    "nvrtc_13_5_sm120.ltoir",
    "plain.fatbin",
    "plain_lto.fatbin",
    "relocatable.o",
};

inline std::string sample(std::string_view name) {
  const auto text = base::read_file(std::string(GRAFT_SOURCE_DIR "/tests/format/samples/") + std::string(name));
  if (!text) throw std::runtime_error("no sample " + std::string(name));
  return *text;
}

// Returns the bytes of an archive's member. An archive is "!<arch>\n" and then its members.
inline std::string archive_member(std::string_view name, std::string_view bytes) {
  return fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n{}{}", name, 0, 0, 0, 644, bytes.size(), bytes,
                     bytes.size() % 2 == 0 ? "" : "\n");
}

// Holds bytes that end directly before an inaccessible page, so that reading past the end faults.
class Guarded {
 public:
  explicit Guarded(std::string_view text)
      : mapped_((text.size() + kPage - 1) / kPage * kPage + kPage),
        memory_(::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    auto* const end = static_cast<std::byte*>(memory_) + mapped_ - kPage;
    if (!text.empty()) std::memcpy(end - text.size(), text.data(), text.size());
    ::mprotect(end, kPage, PROT_NONE);
    bytes_ = {end - text.size(), text.size()};
  }
  ~Guarded() { ::munmap(memory_, mapped_); }
  Guarded(const Guarded&) = delete;  // not copyable, because only one object may unmap the memory
  Guarded& operator=(const Guarded&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }
  std::string_view text() const { return base::as_text(bytes_); }

 private:
  static constexpr std::size_t kPage = 1 << 16;
  std::size_t mapped_;
  void* memory_;
  std::span<const std::byte> bytes_;
};

inline bool is_inside(std::string_view part, std::string_view whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

// Returns whether the outcome has a value. An outcome without a value must have a message.
template <class T>
bool was_read(const Outcome<T>& outcome) {
  EXPECT_TRUE(outcome || !outcome.error().message.empty());
  return static_cast<bool>(outcome);
}

// Calls `read` with Guarded copies of the whole text and of its prefixes (every prefix of a short text, about a
// thousand prefixes of a long text). Then calls `read` with versions of the text in which random bytes are changed,
// mostly near the front, where formats have their length fields.
template <class Read>
void read_damaged(std::string_view text, Read read) {
  read(Guarded(text));
  const std::size_t step = std::max<std::size_t>(1, text.size() / 1000);
  for (std::size_t size = 0; size < text.size(); size += step) read(Guarded(text.substr(0, size)));
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string damaged(text);
    for (unsigned i = 0; i <= random() % 4; ++i) {
      const std::size_t range = random() % 2 == 0 ? text.size() : std::min<std::size_t>(text.size(), 256);
      const unsigned choice = random() % 3;
      damaged[random() % range] = choice == 0 ? '\xff' : choice == 1 ? '\0' : static_cast<char>(random());
    }
    read(Guarded(damaged));
  }
}

}  // namespace graft::format
