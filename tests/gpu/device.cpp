// Finds the GPU, and fills the guard bytes around each array in device memory with a pattern. If the pattern has
// changed after a launch, the kernel has written outside the array.
#include "gpu/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace graft::test {
namespace {

constexpr unsigned char kPattern = 0xa5;
constexpr std::size_t kGuard = 1024;

bool exact_allocations() {
  static const bool exact = std::getenv("GRAFT_TEST_EXACT") != nullptr;
  return exact;
}

bool has_pattern(const std::byte* device, std::size_t bytes) {
  std::vector<unsigned char> found(bytes);
  check(cudaMemcpy(found.data(), device, bytes, cudaMemcpyDeviceToHost));
  return std::all_of(found.begin(), found.end(), [](unsigned char byte) { return byte == kPattern; });
}

}  // namespace

std::string why_no_gpu() {
  int count = 0;
  const cudaError_t result = cudaGetDeviceCount(&count);
  if (result != cudaSuccess) return std::string("no GPU: ") + cudaGetErrorString(result);
  return count > 0 ? std::string() : "no GPU: none is visible";
}

void check(cudaError_t result) {
  if (result != cudaSuccess) throw std::runtime_error(cudaGetErrorString(result));
}

GuardedBytes::GuardedBytes(std::size_t bytes, std::size_t offset)
    : front_(offset + (exact_allocations() ? 0 : kGuard)), bytes_(bytes), back_(exact_allocations() ? 0 : kGuard) {
  const std::size_t all = std::max<std::size_t>(front_ + bytes_ + back_, 1);
  check(cudaMalloc(&base_, all));
  check(cudaMemset(base_, kPattern, all));
}

GuardedBytes::~GuardedBytes() {
  cudaFree(base_);
}

bool GuardedBytes::guards_are_intact() const {
  return has_pattern(base_, front_) && has_pattern(data() + bytes_, back_);
}

std::vector<std::size_t> awkward_counts(const Report& report) {
  const auto width = static_cast<std::size_t>(report.kernel.tuning["vector_width"]);
  const std::size_t tile = 256 * width * static_cast<std::size_t>(report.kernel.tuning["vectors_per_thread"]);
  const std::size_t few =
      static_cast<std::size_t>(report.kernel.tuning["few_tiles"]) * tile;  // up to this count, launches use no tiles
  std::vector<std::size_t> counts = {1,    2,        3,        width,    width + 1,
                                     15,   16,       17,       31,       2 * width - 1,
                                     255,  256,      257,      tile - 1, 3 * tile - width + 1,
                                     tile, tile + 1, 2 * tile, 100'003,  2 * tile + width + 3};
  for (const std::size_t behind : {tile - 1, tile, tile + 1, 2 * tile + width + 3}) counts.push_back(few + behind);
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

}  // namespace graft::test
