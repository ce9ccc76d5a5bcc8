#include "families/reduce/checks.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "families/form.hpp"
#include "families/reduce/order.hpp"

namespace graft::families::reduce {
namespace {

const ElementType& type_at(const Signature& signature, std::size_t i) {
  return i < signature.inputs().size() ? signature.inputs()[i] : signature.outputs()[i - signature.inputs().size()];
}

std::string name_of(const Called& called, std::size_t i) {
  return array_name(i, called.signature.inputs().size());
}

// `arguments` has the arrays from `begin` to `end` of all, or of the inputs alone.
void check_types(const Called& called, const Arguments& arguments, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    const ElementType &given = array_at(arguments, i - begin).type, &wanted = type_at(called.signature, i);
    if (!interchangeable(given, wanted))
      refuse_call(
          called, ErrorCode::TypeMismatch,
          base::format("{} holds {}, but must hold {}", name_of(called, i), to_string(given), to_string(wanted)),
          "Pass an array of that type; nothing is converted. A map callback can convert.");
  }
}

// `arrays` begin at the place `first` of all.
void check_array_pointers(const Called& called, std::span<const ArrayRef> arrays, std::size_t first) {
  for (std::size_t i = first; const ArrayRef& array : arrays) {
    const std::size_t place = i++;
    if (array.pointer == nullptr && !array.is_view() && array.count == 0) continue;
    if (array.pointer == nullptr)
      refuse_call(called, ErrorCode::InvalidArgument, base::format("{} is null", name_of(called, place)),
                  "Pass a pointer to the array.");
    const std::uint32_t alignment = type_at(called.signature, place).alignment;
    if (reinterpret_cast<std::uintptr_t>(array.pointer) % alignment != 0)
      refuse_call(called, ErrorCode::Misaligned,
                  base::format("{} is not aligned to {} bytes", name_of(called, place), alignment),
                  base::format("Begin at a multiple of {} bytes.", alignment));
  }
}

void check_overlap(const Called& called, const Arguments& arguments, std::size_t output) {
  const ArrayRef& array = array_at(arguments, output);
  const bool is_stored = output >= arguments.inputs.size() + called.results;
  const auto is_in_place = [&](std::size_t other) {
    const ArrayRef& input = array_at(arguments, other);
    return is_stored && other < arguments.inputs.size() && input.pointer == array.pointer &&
           input.type.size == array.type.size;
  };
  for (std::size_t other = 0; other < output; ++other)
    if (!is_in_place(other) && overlap(array, array_at(arguments, other)))
      refuse_call(called, ErrorCode::Overlap,
                  base::format("{} overlaps {}", name_of(called, output), name_of(called, other)),
                  is_stored ? "An output of map may be exactly an input, or lies in memory of its own."
                            : "Pass an output in memory of its own.");
}

}  // namespace

Called::Called(std::string its_name, Signature its_signature, bool its_has_initial)
    : name(std::move(its_name)),
      signature(std::move(its_signature)),
      has_baked_state(std::ranges::find(signature.parameters(), Role::Baked, &Parameter::role) !=
                      signature.parameters().end()),
      has_initial(its_has_initial) {
  results = signature.result().role == Role::Output ? 1 : 0;
  for (const Parameter& parameter : signature.parameters()) {
    if (parameter.role == Role::Accumulator) break;
    results += parameter.role == Role::Output || parameter.role == Role::InOut ? 1 : 0;
  }
}

bool overlap(const ArrayRef& a, const ArrayRef& b) {
  const auto begin = [](const ArrayRef& array) { return reinterpret_cast<std::uintptr_t>(array.pointer); };
  const auto end = [&](const ArrayRef& array) { return begin(array) + array.count * array.type.size; };
  return begin(a) < end(b) && begin(b) < end(a);
}

void refuse_call(const Called& called, ErrorCode code, const std::string& what, std::string remedy) {
  fail(code, base::format("{} ({}): {}", called.name, called.signature.text(), what), std::move(remedy));
}

void check_is_no_view(const Called& called, const ArrayRef& array, std::size_t i, const char* what) {
  if (array.is_view())
    refuse_call(called, ErrorCode::InvalidArgument, base::format("{} is a graft::view", name_of(called, i)),
                base::format("Give {{pointer, count}}: {} are of arrays of one dimension.", what));
}

void check_kinds(const Called& called, const Arguments& arguments) {
  const std::size_t inputs = called.signature.inputs().size(), outputs = called.signature.outputs().size();
  if (arguments.inputs.size() != inputs || arguments.outputs.size() != outputs)
    refuse_call(called, ErrorCode::CountMismatch,
                base::format("takes {} input arrays and {} outputs, but got {} and {}", inputs, outputs,
                             arguments.inputs.size(), arguments.outputs.size()),
                "Pass one array for each element that map takes, and one output for each result.");
  check_types(called, arguments, 0, inputs + outputs);
}

void check_pointers(const Called& called, const Arguments& arguments, std::size_t first) {
  const std::size_t inputs = arguments.inputs.size();
  if (first < inputs) check_array_pointers(called, arguments.inputs.subspan(first), first);
  check_array_pointers(called, arguments.outputs, inputs);
}

void check_state(const Called& called, const Arguments& arguments) {
  const std::optional<ElementType>& wanted = called.signature.state();
  const std::size_t given = arguments.state == nullptr ? 0 : arguments.state_type.size;
  if (wanted ? arguments.state != nullptr && is_state(arguments.state_type, *wanted) : given == 0) return;
  if (called.has_baked_state)
    refuse_call(called, ErrorCode::TypeMismatch,
                "its state is compiled into the kernel (Options::baked_state), but a state was given",
                "Leave the state out, or leave Options::baked_state unset.");
  refuse_call(called, ErrorCode::TypeMismatch,
              base::format("takes a state of {} bytes, and was given {}", wanted ? wanted->size : 0, given),
              wanted ? "Pass the state of map or finish; if both have one, a struct with these two as members."
                     : "Pass no state: neither map nor finish has one.");
}

void check_lengths(const Called& called, const Arguments& arguments) {
  check_kinds(called, arguments);
  const std::uint64_t count = arguments.inputs[0].count;
  for (std::size_t i = 1; i < arguments.inputs.size(); ++i)
    if (arguments.inputs[i].count != count)
      refuse_call(called, ErrorCode::CountMismatch,
                  base::format("input {} has {} elements, and input 0 has {}", i, arguments.inputs[i].count, count),
                  "Pass arrays of the same length.");
  for (std::size_t i = called.results; i < arguments.outputs.size(); ++i)
    if (arguments.outputs[i].count != count)
      refuse_call(called, ErrorCode::CountMismatch,
                  base::format("output {} has {} elements, and the inputs have {}: map stores one for each", i,
                               arguments.outputs[i].count, count),
                  "Pass arrays of the same length for the outputs of map, behind the results.");
  for (std::size_t i = 0; i < called.results; ++i)
    if (arguments.outputs[i].count != 1)
      refuse_call(called, ErrorCode::CountMismatch,
                  base::format("output {} has {} elements, but arrays of one dimension are reduced to one", i,
                               arguments.outputs[i].count),
                  "Pass an output of one element. For rows or columns, give inputs and outputs as graft::view: outputs "
                  "have the extent 1 in the dimensions that are reduced.");
}

std::uint64_t check_dense(const Called& called, const Arguments& arguments) {
  check_lengths(called, arguments);
  const std::uint64_t count = arguments.inputs[0].count;
  for (std::size_t i = 0; i < arguments.outputs.size(); ++i)
    check_overlap(called, arguments, arguments.inputs.size() + i);
  check_state(called, arguments);
  if (count == 0) check_no_elements(called);
  check_pointers(called, arguments);
  return count;
}

namespace {

void check_memory_of_partials(const Called& called, const void* partials) {
  if (partials == nullptr)
    refuse_call(called, ErrorCode::InvalidArgument, "the memory of the accumulators is null", "Pass a pointer.");
  const std::uint32_t alignment = called.signature.accumulator()->alignment;
  if (reinterpret_cast<std::uintptr_t>(partials) % alignment != 0)
    refuse_call(called, ErrorCode::Misaligned,
                base::format("the memory of the accumulators is not aligned to {} bytes", alignment),
                base::format("Begin at a multiple of {} bytes.", alignment));
}

void check_no_shards(const Called& called) {
  if (called.results == called.signature.outputs().size()) return;
  refuse_call(called, ErrorCode::InvalidArgument, "map stores outputs, which reductions of shards cannot",
              "Call execute, or let a transform store them.");
}

// The shard may come from a file or from another machine.
void check_shard(const Called& called, const ReduceShard& shard) {
  const unsigned width = group_width(called.signature);
  const std::uint64_t chunks = cut(shard.elements, width).count;
  const bool has_chunks = shard.elements > 0 && shard.all_chunks == chunks && shard.chunks <= chunks &&
                          shard.first_chunk <= chunks - shard.chunks;
  if (has_chunks) {
    const ReduceShard real = shard_of(shard.elements, width, shard.first_chunk, shard.chunks);
    if (shard.begin == real.begin && shard.count == real.count) return;
  }
  refuse_call(called, ErrorCode::InvalidArgument,
              base::format("the shard is none of {} elements: {} elements from {} on, which are {} of {} chunks",
                           shard.elements, shard.count, shard.begin, shard.chunks, shard.all_chunks),
              "Make shards with the function shard of the same reduction.");
}

}  // namespace

void check_partials(const Called& called, const CallArguments& arguments) {
  check_no_shards(called);
  const ReduceShard& shard = *arguments.shard;
  check_shard(called, shard);
  const std::size_t inputs = called.signature.inputs().size();
  if (arguments.inputs.size() != inputs)
    refuse_call(called, ErrorCode::CountMismatch,
                base::format("takes {} input arrays, but got {}", inputs, arguments.inputs.size()),
                "Pass one array for each element that map takes.");
  check_types(called, arguments, 0, inputs);
  for (std::size_t i = 0; i < inputs; ++i) {
    check_is_no_view(called, arguments.inputs[i], i, "shards");
    if (arguments.inputs[i].count != shard.count)
      refuse_call(
          called, ErrorCode::CountMismatch,
          base::format("input {} has {} elements, and the shard has {}", i, arguments.inputs[i].count, shard.count),
          "Pass arrays with the elements of the shard.");
  }
  check_state(called, arguments);
  if (shard.count == 0) return;
  check_pointers(called, arguments);
  check_memory_of_partials(called, arguments.partials);
  const ArrayRef made(arguments.partials, shard.chunks, *called.signature.accumulator());
  for (std::size_t i = 0; i < inputs; ++i)
    if (overlap(made, arguments.inputs[i]))
      refuse_call(called, ErrorCode::Overlap, base::format("the memory of the accumulators overlaps input {}", i),
                  "Pass memory of its own for the accumulators.");
}

void check_finish(const Called& called, const CallArguments& arguments) {
  check_no_shards(called);
  const std::size_t inputs = called.signature.inputs().size();
  if (arguments.outputs.size() != called.results)
    refuse_call(called, ErrorCode::CountMismatch,
                base::format("takes {} outputs, but got {}", called.results, arguments.outputs.size()),
                "Pass one output for each result.");
  check_types(called, arguments, inputs, inputs + called.results);
  for (std::size_t i = 0; i < called.results; ++i) {
    const ArrayRef& output = arguments.outputs[i];
    check_is_no_view(called, output, inputs + i, "shards");
    if (output.count != 1)
      refuse_call(called, ErrorCode::CountMismatch,
                  base::format("output {} has {} elements, but there is one result", i, output.count),
                  "Pass an output of one element.");
    for (std::size_t other = 0; other < i; ++other)
      if (overlap(output, arguments.outputs[other]))
        refuse_call(called, ErrorCode::Overlap, base::format("output {} overlaps output {}", i, other),
                    "Pass an output in memory of its own.");
  }
  check_array_pointers(called, arguments.outputs, inputs);
  check_state(called, arguments);
  if (arguments.elements == 0) return check_no_elements(called);
  check_memory_of_partials(called, arguments.partials);
}

void check_stores_nothing(const Called& called) {
  if (called.results == called.signature.outputs().size()) return;
  refuse_call(called, ErrorCode::InvalidArgument, "map stores outputs, which calls with views and segments cannot",
              "Give arrays of one dimension, or let a transform store them.");
}

void check_no_elements(const Called& called) {
  if (called.has_initial) return;
  refuse_call(called, ErrorCode::CountMismatch, "has no elements to combine, and so no result",
              "Pass arrays of one element at least, or give ReduceCallbacks::initial.");
}

}  // namespace graft::families::reduce
