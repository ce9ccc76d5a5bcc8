// The words of messages about callbacks that a reduction refuses, by the numbers in building_blocks/reduce/refusals.h,
// and what the C interface has in place of C++ names.
#pragma once

#include <array>

#include "base/phrases.hpp"
#include "contract.h"
#include "reduce/refusals.h"
#include "reflect/signature/refusal.hpp"

namespace graft::families::reduce {

// In the order of ReduceRefusal.
inline constexpr std::array<reflect::RefusalWords, 10> kRefusals = {{
    {"the map callback", "does not make an accumulator of elements",
     "Return the accumulator: A f(T element, ...). Further elements, outputs, a state and graft::Index may follow; no "
     "array has graft::Bit. A map that returns graft::Store makes the accumulator in its first A&, before the "
     "outputs."},
    {"the combine callback", "does not combine two accumulators",
     "Take exactly two accumulators of one type by value, and return one of the same type: float f(float a, float b). "
     "A sum of shorts is an int, unless it is cast or the lambda says `-> short`. A state, the index and elements of "
     "arrays belong to map."},
    {"the finish callback", "does not make outputs of an accumulator",
     "Take one accumulator by value, and return the result, or write the results through parameters T& or "
     "graft::InOut<T>. A state may follow, but no elements of inputs."},
    {"the combine callback", "has an accumulator that a reduction cannot have",
     "Use a type that is copied by its bytes, of 1, 2 or a multiple of 4 bytes up to 64, aligned to at most 16. A "
     "histogram is a graft::Transform with atomics on its state."},
    {"the map callback", "returns another type than combine takes",
     "Return exactly the type of combine's parameters, or a struct of the same size and alignment."},
    {"the finish callback", "takes another type than combine returns",
     "Take exactly the type of combine's result, or a struct of the same size and alignment."},
    {"a callback", "takes a graft::Position, which reductions do not have",
     "Take graft::Index: the index of the element."},
    {"the combine callback", "has an accumulator of another type than ReduceCallbacks::initial",
     "Give initial exactly the type of the accumulator: for a float 0.0f, and neither 0 nor 0.0."},
    {"the map callback", "has further outputs, which reductions of views and segments cannot store",
     "Reduce arrays of one dimension, without Options::any_shape, Options::shapes, prepare_shapes and "
     "prepare_segments; or let a transform store them."},
    {"the combine callback", "has an accumulator larger than 32 bytes, the limit for elements of arrays",
     "Give both map and finish: only what map takes and what finish returns then lies in arrays."},
}};
inline constexpr std::array kCWords = {
    base::Phrase{"Load it with graft::Reduce::load", "Load it with graft_reduce_load"},
    base::Phrase{"Make reductions with graft::Reduce", "Make reductions with graft_reduce_create"},
    base::Phrase{"graft::ReduceCallbacks", "graft_reduce_callbacks"},
    base::Phrase{"ReduceCallbacks::", "graft_reduce_callbacks::"},
    base::Phrase{"Call prepare_segments", "Call graft_reduce_prepare_segments"},
    base::Phrase{"Call prepare(stream) before", "Call graft_reduce_prepare_stream before"},
    base::Phrase{"are a graft::view", "have a shape"},
    base::Phrase{"is a graft::view", "has a shape"},
    base::Phrase{"Give {pointer, count}", "Leave `shape` null, and give the count"},
    base::Phrase{"give inputs and outputs as graft::view", "give inputs and outputs a shape"},
    base::Phrase{"Call prepare_shapes with", "Call graft_reduce_prepare_shapes with"},
    base::Phrase{"prepare_shapes and prepare_segments",
                 "graft_reduce_prepare_shapes and graft_reduce_prepare_segments"},
    base::Phrase{"all images that graft::build returned", "all that graft_reduce_precompile made"},
    base::Phrase{"with the function shard of", "with graft_reduce_cut and"},
    base::Phrase{"Make the pack or the images with", "Make the pack with"},
    base::Phrase{"Call graft::Reduce::execute(graft::host, in, out)", "Call graft_reduce_execute_host"},
    base::Phrase{"Leave Options::routes unset, or use graft::build", "Require no route"},
};

static_assert(graft_adapter::kReduceElement - graft_adapter::kReduceMap + 1 == kRefusals.size());

}  // namespace graft::families::reduce
