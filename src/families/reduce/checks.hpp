// Checks the arguments of a call of a reduction. Each function allocates memory only to throw.
#pragma once

#include <cstddef>
#include <string>

#include "contract.h"
#include "families/call.hpp"
#include "graft/error.hpp"
#include "graft/reduce.hpp"
#include "graft/signature.hpp"
#include "reduce/order.h"

namespace graft::families::reduce {

// What is called, for messages and checks.
struct Called {
  Called(std::string its_name, Signature its_signature, bool its_has_initial);

  std::string name;
  Signature signature;
  bool has_baked_state;
  bool has_initial;     // so that a result may have no elements
  std::size_t results;  // how many of the outputs are results: the first ones. Map stores the others.
};

// The arguments of a call of a reduction. All of its calls have this type.
struct CallArguments : Arguments {
  const ArrayRef* offsets = nullptr;  // null if the call has no segments
  unsigned step = GRAFT_REDUCE_STEP_ALL;
  // In a call that does one step: the accumulators of all chunks, or of the shard that it makes, and how many elements
  // all shards have.
  void* partials = nullptr;
  const ReduceShard* shard = nullptr;
  std::uint64_t elements = 0;
};

// Whether two arrays of one dimension have a byte in common.
bool overlap(const ArrayRef& a, const ArrayRef& b);

// Throws an error whose message begins with the kernel's name and signature.
[[noreturn]] void refuse_call(const Called& called, ErrorCode code, const std::string& what, std::string remedy);

// Checks the number of the arrays and their types. Throws Error(CountMismatch, TypeMismatch).
void check_kinds(const Called& called, const Arguments& arguments);
// Checks that no pointer of an array with elements is null, and that each is aligned to its elements, from the array
// `first` on, which is an input or the first output; the inputs come first. Throws Error(InvalidArgument, Misaligned).
void check_pointers(const Called& called, const Arguments& arguments, std::size_t first = 0);
// Throws Error(InvalidArgument) for a view in a call that takes none. `i` is the array's place among all; the inputs
// come first. `what` names the calls: "segments".
void check_is_no_view(const Called& called, const ArrayRef& array, std::size_t i, const char* what);
// Throws Error(TypeMismatch).
void check_state(const Called& called, const Arguments& arguments);
// Throws Error(InvalidArgument) if map stores outputs, for calls in which it cannot.
void check_stores_nothing(const Called& called);
// Checks the kinds and lengths of arrays without views. Throws Error(CountMismatch, TypeMismatch).
void check_lengths(const Called& called, const Arguments& arguments);
// Checks a call without views, and returns the number of elements. Throws Error as the others, and Overlap.
std::uint64_t check_dense(const Called& called, const Arguments& arguments);

// Check a call that makes accumulators of a shard, and one that makes results of them. Throw Error as the others.
void check_partials(const Called& called, const CallArguments& arguments);
void check_finish(const Called& called, const CallArguments& arguments);

// For a call that has results, and no elements to combine. Throws Error(CountMismatch) if that takes an initial value.
void check_no_elements(const Called& called);

}  // namespace graft::families::reduce
