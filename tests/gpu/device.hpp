// Device memory and the common fixture of the GPU tests.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {

// Returns why no GPU can be used here, or an empty text if a GPU can be used.
std::string why_no_gpu();

// Throws if `result` is an error of the CUDA runtime.
void check(cudaError_t result);

// On a machine without a GPU, the fixture skips each test and prints the reason. After each test, it checks that all
// launches of the test succeeded.
class Gpu : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string why = why_no_gpu();
    if (!why.empty()) GTEST_SKIP() << why;
  }
  void TearDown() override {
    if (!IsSkipped()) {
      EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    }
  }
};

// Bytes in device memory with guard bytes on both sides. The usable part starts `offset` bytes after a 256-byte
// boundary.
//
// If the environment variable GRAFT_TEST_EXACT is set, there are no guard bytes, and the allocation ends with the last
// usable byte. compute-sanitizer's memcheck then reports each read and write past the end.
class GuardedBytes {
 public:
  GuardedBytes(std::size_t bytes, std::size_t offset);
  ~GuardedBytes();
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;

  std::byte* data() const { return base_ + front_; }
  bool guards_are_intact() const;

 private:
  std::byte* base_ = nullptr;
  std::size_t front_;
  std::size_t bytes_;
  std::size_t back_;
};

// An array of T in device memory that starts `shift` elements after a 256-byte boundary.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& host, std::size_t shift = 0)
      : memory_(host.size() * sizeof(T), shift * sizeof(T)), count_(host.size()) {
    if (count_ != 0) check(cudaMemcpy(data(), host.data(), count_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  std::size_t size() const { return count_; }
  T* begin() const { return data(); }
  T* end() const { return data() + count_; }
  bool guards_are_intact() const { return memory_.guards_are_intact(); }
  std::vector<T> host() const {
    std::vector<T> values(count_);
    if (count_ != 0) check(cudaMemcpy(values.data(), data(), count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  GuardedBytes memory_;
  std::size_t count_;
};

// Returns `count` elements of T made of random bytes. T may be any trivially copyable type.
template <class T>
std::vector<T> random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<T> values(count);
  auto* bytes = reinterpret_cast<unsigned char*>(values.data());
  for (std::size_t i = 0; i < count * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(generator());
  return values;
}

template <class T>
std::vector<T> random_numbers(std::size_t count, unsigned seed, double low = -100, double high = 100) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> numbers(low, high);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(numbers(generator));
  return values;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// Returns element counts at which a kernel is likely to fail: small counts, a large count, and counts around multiples
// of the kernel's vector width and of its tile (the number of elements that one thread block handles).
std::vector<std::size_t> awkward_counts(const Report& report);

}  // namespace graft::test
