#include "families/reduce/caller.hpp"

#include <cstring>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "contract.h"
#include "core/fail.hpp"
#include "families/parameter.hpp"
#include "families/reduce/order.hpp"
#include "graft/error.hpp"
#include "reduce/order.h"

namespace graft::families::reduce {
namespace {

// The workspace of a stream begins with the counter of the thread blocks. The accumulators follow.
constexpr std::size_t kCounterBytes = 256;
constexpr std::size_t kWorkspaceBytes = kCounterBytes + std::size_t{GRAFT_REDUCE_MOST_CHUNKS} * GRAFT_REDUCE_MOST_BYTES;

class ReduceCaller final : public Caller {
 public:
  explicit ReduceCaller(const KernelSpec& kernel)
      : name_(kernel.name),
        signature_(kernel.signature),
        width_(group_width(kernel.signature)),
        is_on_host_(kernel.route == Route::Host) {}

  std::string title() const override { return name_; }

  std::size_t stream_workspace_bytes() const override { return is_on_host_ ? 0 : kWorkspaceBytes; }

  void call(const Arguments& arguments, Runner& runner) const override {
    const std::uint64_t count = check(arguments);
    const Chunks chunks = cut(count, width_);
    graft_reduce_call call = {.count = count,
                              .chunk_groups = chunks.groups,
                              .chunks = chunks.count,
                              .combines_chunks = 0,
                              .accumulators = nullptr,
                              .arrived = nullptr,
                              .outputs = {}};
    for (std::size_t i = 0; i < arguments.outputs.size(); ++i) call.outputs[i] = arguments.outputs[i].pointer;
    if (chunks.count > 1) find_workspace(call, runner);
    launch(call, arguments, runner, chunks.count);
    if (!is_on_host_ || chunks.count == 1) return;
    call.combines_chunks = 1;
    launch(call, arguments, runner, 1);
  }

 private:
  template <class... T>
  std::string message(fmt::format_string<T...> format, T&&... values) const {
    return base::format("{} ({}): {}", name_, signature_.text(), base::format(format, std::forward<T>(values)...));
  }

  void find_workspace(graft_reduce_call& call, Runner& runner) const {
    if (is_on_host_) {
      call.accumulators = runner.workspace(std::size_t{call.chunks} * GRAFT_REDUCE_MOST_BYTES);
      return;
    }
    auto* const workspace = static_cast<std::byte*>(runner.stream_workspace());
    call.arrived = reinterpret_cast<unsigned int*>(workspace);
    call.accumulators = workspace + kCounterBytes;
  }

  void launch(const graft_reduce_call& call, const Arguments& arguments, Runner& runner, std::uint64_t items) const {
    ParameterBytes parameter;
    std::memcpy(parameter.bytes, &call, sizeof call);
    const std::size_t bytes = lay_out_arrays_and_state(sizeof call, arguments, signature_.state(), parameter.bytes);
    runner.launch({.kernel = 0,
                   .grid = {call.chunks, GRAFT_REDUCE_LANES},
                   .programmatic = true,
                   .parameter = parameter.bytes,
                   .parameter_bytes = static_cast<std::uint32_t>(bytes),
                   .items = items});
  }

  // Returns the number of elements.
  std::uint64_t check(const Arguments& arguments) const {
    const std::size_t inputs = signature_.inputs().size(), outputs = signature_.outputs().size();
    if (arguments.inputs.size() != inputs || arguments.outputs.size() != outputs)
      fail(ErrorCode::CountMismatch,
           message("takes {} input arrays and {} outputs, but got {} and {}", inputs, outputs, arguments.inputs.size(),
                   arguments.outputs.size()),
           "Pass one array for each element that map takes, and one output of one element for each result.");
    const std::uint64_t count = arguments.inputs[0].count;
    for (std::size_t i = 0; i < inputs; ++i) check_input(arguments.inputs[i], i, count);
    for (std::size_t i = 0; i < outputs; ++i) check_output(arguments, i);
    check_state(arguments);
    if (count == 0)
      fail(ErrorCode::CountMismatch, message("has no elements to combine, and so no result"),
           "Pass arrays of one element at least.");
    return count;
  }

  void check_input(const ArrayRef& array, std::size_t i, std::uint64_t count) const {
    check_array(array, signature_.inputs()[i], "input", i);
    if (array.count != count)
      fail(ErrorCode::CountMismatch, message("input {} has {} elements, and input 0 has {}", i, array.count, count),
           "Pass arrays of the same length.");
  }

  void check_output(const Arguments& arguments, std::size_t i) const {
    const ArrayRef& array = arguments.outputs[i];
    check_array(array, signature_.outputs()[i], "output", i);
    if (array.count != 1)
      fail(ErrorCode::CountMismatch, message("output {} has {} elements, but a reduction makes one", i, array.count),
           "Pass an output of one element.");
    for (std::size_t k = 0; k < arguments.inputs.size(); ++k)
      if (overlap(array, arguments.inputs[k]))
        fail(ErrorCode::Overlap, message("output {} overlaps input {}", i, k), "Pass an output in memory of its own.");
    for (std::size_t k = 0; k < i; ++k)
      if (overlap(array, arguments.outputs[k]))
        fail(ErrorCode::Overlap, message("output {} overlaps output {}", i, k), "Pass an output in memory of its own.");
  }

  static bool overlap(const ArrayRef& a, const ArrayRef& b) {
    const auto begin = [](const ArrayRef& array) { return reinterpret_cast<std::uintptr_t>(array.pointer); };
    const auto end = [&](const ArrayRef& array) { return begin(array) + array.count * array.type.size; };
    return begin(a) < end(b) && begin(b) < end(a);
  }

  void check_array(const ArrayRef& array, const ElementType& wanted, const char* kind, std::size_t number) const {
    if (array.is_view())
      refuse(message("{} {} is a graft::view, which reductions do not take", kind, number), "Give {pointer, count}.");
    if (!interchangeable(array.type, wanted))
      fail(ErrorCode::TypeMismatch,
           message("{} {} holds {}, but must hold {}", kind, number, to_string(array.type), to_string(wanted)),
           "Pass an array of that type; nothing is converted. A map callback can convert.");
    if (array.pointer == nullptr && array.count > 0)
      refuse(message("{} {} is null", kind, number), "Pass a pointer to the array.");
    if (reinterpret_cast<std::uintptr_t>(array.pointer) % wanted.alignment != 0)
      fail(ErrorCode::Misaligned, message("{} {} is not aligned to {} bytes", kind, number, wanted.alignment),
           base::format("Begin at a multiple of {} bytes.", wanted.alignment));
  }

  void check_state(const Arguments& arguments) const {
    const std::optional<ElementType>& wanted = signature_.state();
    const std::size_t given = arguments.state == nullptr ? 0 : arguments.state_type.size;
    const bool has_kinds =
        wanted && wanted->kind != ElementKind::Class && arguments.state_type.kind != ElementKind::Class;
    if (given == (wanted ? wanted->size : 0) && (!has_kinds || interchangeable(arguments.state_type, *wanted))) return;
    fail(ErrorCode::TypeMismatch,
         message("takes a state of {} bytes, and was given {}", wanted ? wanted->size : 0, given),
         "Pass the state of map or finish; if both have one, a struct with these two as members.");
  }

  std::string name_;
  Signature signature_;
  unsigned width_;
  bool is_on_host_;
};

}  // namespace

std::unique_ptr<const Caller> make_caller(const KernelSpec& kernel) {
  return std::make_unique<ReduceCaller>(kernel);
}

}  // namespace graft::families::reduce
