// Which plans of FFTs are worth measuring. A candidate is a list of choices for the planner; choices that no plan can
// have are allowed, and have no plan.
#pragma once

#include <cstdint>
#include <vector>

#include "families/fft/plan.hpp"

namespace graft::families::fft {

// The candidates with which the measurement of a length begins:
//
//     FFTs of one kernel          all radices with few passes; threads; FFTs of a block; both kinds of exchange
//     FFTs of several kernels     the factors; the planner chooses the kernels of each
//
// The first one leaves everything to the planner and its table.
std::vector<Choices> first_candidates(std::int64_t length);

// Whether several kernels are worth measuring for the length.
bool may_be_split(std::int64_t length);

// Returns a plan of several kernels with other radices, threads and FFTs of a block for one of its kernels.
std::vector<Choices> with_other_blocks(const Plan& plan, std::size_t kernel);

// Returns a plan with other values of BlockPlan::resident_blocks for one of its kernels.
std::vector<Choices> with_resident_blocks(const Plan& plan, std::size_t kernel);

}  // namespace graft::families::fft
