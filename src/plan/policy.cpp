#include "plan/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "contract.h"
#include "graft/error.hpp"

namespace graft::plan {
namespace {

constexpr int kRegisterBudget = 256;
constexpr int kShareBytes = 512;  // of one array, per thread: the room in building_blocks/transform.cu

template <class Visit>
void for_each_array(const Signature& signature, Visit visit) {
  for (const ElementType& type : signature.inputs()) visit(static_cast<int>(type.size));
  for (const ElementType& type : signature.outputs()) visit(static_cast<int>(type.size));
}

int full_width(const Signature& signature) {
  int width = 1;
  for_each_array(signature,
                 [&](int size) { width = std::max(width, GRAFT_WORD_BYTES / std::gcd(size, GRAFT_WORD_BYTES)); });
  return width;
}

bool fits(const Signature& signature, int width) {
  bool fitting = true;
  for_each_array(signature, [&](int size) { fitting = fitting && width * size <= kShareBytes; });
  return fitting;
}

void require(bool condition, std::string message, std::string remedy) {
  if (!condition)
    throw Error(ErrorCode::InvalidArgument,
                {.message = std::move(message), .remedy = std::move(remedy), .log = {}, .versions = {}});
}

template <std::size_t N>
void require_one_of(const std::array<int, N>& allowed, int value, std::string_view what) {
  require(std::find(allowed.begin(), allowed.end(), value) != allowed.end(),
          fmt::format("Options::policy.{} is {}", what, value),
          "Use a power of two within its range, or leave it unset.");
}

}  // namespace

int bytes_per_thread(const Signature& signature, int vector_width) {
  int bytes = 0;
  for_each_array(signature, [&](int size) { bytes += vector_width * size; });
  return bytes;
}

Policy choose_policy(const Signature& signature, Architecture, const PolicyOverrides& overrides) {
  Policy policy;
  const int full = full_width(signature);
  policy.vector_width = full;
  while (policy.vector_width > 1 &&
         (bytes_per_thread(signature, policy.vector_width) > kRegisterBudget || !fits(signature, policy.vector_width)))
    policy.vector_width /= 2;
  policy.reason = policy.vector_width == full
                      ? "every array moves in 16-byte words"
                      : fmt::format("{} side by side would hold {} bytes per thread, more than {}", full,
                                    bytes_per_thread(signature, full), kRegisterBudget);
  if (overrides.vector_width) {
    require_one_of(std::array{1, 2, 4, 8, 16}, *overrides.vector_width, "vector_width");
    require(fits(signature, *overrides.vector_width),
            fmt::format("Options::policy.vector_width {} holds more than {} bytes of one array per thread",
                        *overrides.vector_width, kShareBytes),
            "Choose a smaller width.");
    policy.vector_width = *overrides.vector_width;
    policy.reason = "asked for";
  }
  if (overrides.vectors_per_thread) {
    require_one_of(std::array{1, 2, 4}, *overrides.vectors_per_thread, "vectors_per_thread");
    policy.vectors_per_thread = *overrides.vectors_per_thread;
    policy.reason = "asked for";
  }
  if (overrides.body) policy.body = *overrides.body;
  return policy;
}

}  // namespace graft::plan
