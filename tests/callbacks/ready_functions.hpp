// Lists the ready-made callbacks, for tests that chain them in pairs.
//
// The list is what graft's scan finds in the files of callbacks/, except fft.cuh and reduce.cuh: every __device__
// function outside of namespace detail. So a new function is part of the tests without a change here. The list contains
// a template once for each of its sets of template arguments. A state of a new type needs a value in
// ready_functions.cpp; the tests say so if it is missing.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "graft/graft.hpp"

namespace graft::test {

struct ReadyFunction {
  std::string file;   // "arithmetic"
  std::string name;   // "add"
  std::string entry;  // "graft::callbacks::add<float>"
  Callback callback;
};

// Returns the functions of all files. Throws std::runtime_error if the folder callbacks/ is not found. The folder is
// that of the checkout in which the test was built, or of the checkout in which the test program lies.
std::vector<ReadyFunction> ready_functions();

// Returns whether the outputs of `first` have the types of the first inputs of `second`, so that graft chains the two.
bool fits(const Signature& first, const Signature& second);

// A pair of functions, as positions in a list: chain(list[first], list[second]).
using Pair = std::pair<std::size_t, std::size_t>;

// Chooses pairs of functions that fit, for functions with these signatures. Each function is at least once the first of
// a pair and at least once the second, if any function of the list fits. Another `round` chooses other pairs.
std::vector<Pair> covering_pairs(const std::vector<Signature>& signatures, std::size_t round);

using ByteArray = std::vector<std::byte>;

// Returns `count` elements that every ready-made function accepts: numbers from 0.25 to 0.85, and integers from 1 to
// 60.
ByteArray some_elements(const ElementType& type, std::size_t count, std::size_t seed);

// Returns the bytes of a state that suits the function; no bytes if it has none. Throws std::runtime_error if
// ready_functions.cpp has no value for the state's type.
ByteArray some_state(const Signature& signature);

// Returns the state of a chain: a struct with the states of both parts as members. `second` is the signature of the
// second part.
ByteArray joined_states(const Signature& first, const Signature& second);

// What two runs computed, compared element by element.
struct Comparison {
  bool equal = true;    // all components are equal; two nans are equal
  bool all_nan = true;  // no component is a number
  std::size_t at = 0;   // the first byte that differs
};
Comparison compare(const ElementType& type, const ByteArray& a, const ByteArray& b);

}  // namespace graft::test
