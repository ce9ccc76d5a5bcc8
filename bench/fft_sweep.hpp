// Measures many plans of one length, finds the fastest, and prints it as a line for the planner's table, because no
// formula predicts it (src/families/fft/measured_plans.hpp).
//
//     1   every candidate (src/families/fft/candidates.hpp) with a load and a store callback, 5 launches each
//     2   for FFTs of several kernels: the best 3 with other blocks, one kernel after the other
//     3   the best 8 with five values of BlockPlan::resident_blocks, one kernel after the other
//     4   the best 6, the plan of the table, that of the planner's estimates, and cuFFT, in turns: without callbacks
//         and with them, many launches
//
// The best plan is the one whose product of both times is the least, because a plan serves both uses. Kernels are
// compiled on all cores at the same time, and measured when nothing is compiled.
//
// How long the 80 sweeps of 40 lengths from 2 to 8192 take, with 1 GiB on a GPU that moves it in 0.55 ms, and 16 cores
// that each compile a kernel in 0.15 s:
//
//     11,800 kernels, compiled 16 at a time            111 s
//     cores without work at the end of 4 steps          24 s   80 sweeps * 4 * half of 0.15 s
//     11,300 plans, loaded, compared, launched 8 times 124 s   11 ms each
//     step 4, 15 contenders, 23 launches each           32 s   80 * 0.4 s
//     arrays and cuFFT's plans                          20 s   80 * 0.25 s
//     planning and writing texts                        22 s
//
// This is 5 to 6 minutes. The 18 sweeps of the 9 longer lengths have 2,400 kernels and 3,200 plans, of 20 ms each: 2
// minutes more.
#pragma once

#include <nlohmann/json.hpp>

#include "fft_subject.hpp"

namespace graft::bench {

// Prints and returns the results. `rounds` is for step 4. A candidate that does not compile or run, or that has a wrong
// result, is reported and left out. Throws std::runtime_error if the device does not work any more after that.
nlohmann::json sweep(Subject& subject, int rounds);

// Prints how many plans and kernels step 1 has. Needs no GPU. Returns the number of kernels.
std::size_t print_first_step(std::int64_t length, families::fft::Precision precision, int architecture);

}  // namespace graft::bench
