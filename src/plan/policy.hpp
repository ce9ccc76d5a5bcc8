// The policy: how a thread walks through its elements, chosen from signature and architecture alone.
//
// The rules, with what decided them (f32 and RGB figures: docs/design.md, one H200):
//
//   * Width: as many elements side by side as make every array's share a multiple of 16 bytes, so that narrow and odd
//     sizes move in 16-byte words too (16 for one byte, 4 for float, 16 for RGB8, 4 for float3).
//   * No thread holds more than kRegisterBudget bytes of elements: beyond that the width is halved, and narrow arrays
//     move in smaller words. 256 bytes are 64 registers, a quarter of what a thread can have.
//   * One vector per thread, unless the callback is the bottleneck: see kShapesForLongMath in policy.cpp.
//   * A callback too heavy to unroll runs in the rolled body; src/build decides that from the size of its machine code.
#pragma once

#include <cstdint>
#include <string>

#include "contract.h"
#include "graft/architecture.hpp"
#include "graft/options.hpp"
#include "graft/signature.hpp"

namespace graft::plan {

// Fewer than an H200 has multiprocessors. At 2^16 elements, speed of one element a thread over tiles (bench_throughput
// --policy body=rolled): six-byte structs 1.18, sigmoid of half 1.27, Black-Scholes 1.23, 64 dependent operations 1.09,
// a divergent loop 1.67, light callbacks 0.97 to 1.05.
inline constexpr int kFewTiles = 128;

struct Policy : Tuning {
  std::string reason;  // for the report
};

// `long_math`: the callback calls mathematical functions of dozens of instructions. Pure. Throws Error(InvalidArgument)
// for an override that no kernel can have.
Policy choose_policy(const Signature& signature, Architecture architecture, const PolicyOverrides& overrides,
                     bool long_math = false);

// The same kernel with one element per thread.
Policy rolled(Policy policy);

// The bytes of elements that one thread holds at a time.
int bytes_per_thread(const Signature& signature, int vector_width);

}  // namespace graft::plan
