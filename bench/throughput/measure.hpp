// One group of cells: every contender's result is verified, every element of it, and then all are timed by turns.
#pragma once

#include "arena.hpp"
#include "cell.hpp"
#include "contender.hpp"
#include "sampler.hpp"

namespace graft::bench {

// What fails stands in the timing that failed. Throws std::runtime_error when the GPU can no longer be used.
GroupResult measure(const Group& group, const std::vector<Contender>& contenders, Arena& arena, Sampler& sampler,
                    cudaStream_t stream, int repetitions);

}  // namespace graft::bench
