// Measures one group of cells. A cell is an operation on one element type, count and alignment (cell.hpp); its
// contenders are graft and the kernels that graft is compared with. First every element of every contender's result is
// checked. Then all contenders are timed in turns.
#pragma once

#include "arena.hpp"
#include "cell.hpp"
#include "contender.hpp"
#include "sampler.hpp"

namespace graft::bench {

// Measures a group. A contender's failure is recorded in the contender's timing. Throws std::runtime_error if the GPU
// can no longer be used.
GroupResult measure(const Group& group, const std::vector<Contender>& contenders, Arena& arena, Sampler& sampler,
                    cudaStream_t stream, int repetitions);

}  // namespace graft::bench
