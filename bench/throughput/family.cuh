// The callbacks of one family as device code. This file is compiled once for each family. -DGRAFT_BENCH_FAMILY=NARROW,
// for example, selects the family NARROW.
//
// For each callback f_t, this file defines a type `call_f_t` with the callback as a function object, which CUB and
// kernel templates need, and with its Signature.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <graft/device.h>

#include "operations.hpp"
#include "peers.hpp"
#include "signature.hpp"

#define GRAFT_BENCH_JOIN_EXPANDED(a, b) a##b
#define GRAFT_BENCH_JOIN(a, b) GRAFT_BENCH_JOIN_EXPANDED(a, b)
#define GRAFT_BENCH_OF_FAMILY GRAFT_BENCH_JOIN(GRAFT_BENCH_, GRAFT_BENCH_FAMILY)

namespace graft::bench {
namespace {

#define GRAFT_BENCH_DEFINE(operation, type, ...) __VA_ARGS__
GRAFT_BENCH_OF_FAMILY(GRAFT_BENCH_DEFINE)

#define GRAFT_BENCH_CALL(operation, type, ...)                                                         \
  struct call_##operation##_##type {                                                                   \
    using Signature = SignatureOf<decltype(operation##_##type)>;                                       \
    template <class... A>                                                                              \
    __device__ auto operator()(A&&... arguments) const -> decltype(operation##_##type(arguments...)) { \
      return operation##_##type(arguments...);                                                         \
    }                                                                                                  \
  };
GRAFT_BENCH_OF_FAMILY(GRAFT_BENCH_CALL)

}  // namespace
}  // namespace graft::bench
