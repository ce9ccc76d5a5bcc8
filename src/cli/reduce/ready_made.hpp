// The reductions that `graft reduce --combine` knows by name: those of NumPy, made of callbacks/reduce.cuh and
// arithmetic.cuh for the type of an array.
//
//     sum, product                         of integers as 64-bit integers, of half numbers as float; also complex
//     min, max                             of the array's type; nan if an element is
//     argmin, argmax                       the index of the first of equals, and of nan before all numbers
//     any, all, count                      of elements that are not 0
//     mean, variance, norm, log-sum-exp    in double for double and integers, else in float
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arrays/npy.hpp"
#include "cli/commands/families/job_options.hpp"

namespace graft::cli {

// Returns the names, in the order of the help.
std::vector<std::string> ready_made_reductions();

// Whether a value of --combine is one of the names. Throws Error(InvalidArgument) for a value that can be nothing else
// and is none.
bool is_ready_made(const std::string& name);

// Returns the options that a command line would have for the reduction of elements of this type. Throws
// Error(InvalidArgument) if the reduction is not there for the type.
std::vector<GivenOption> ready_made(std::string_view name, const Dtype& element);

}  // namespace graft::cli
