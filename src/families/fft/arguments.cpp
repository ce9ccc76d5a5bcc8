#include "families/fft/arguments.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "contract.h"
#include "core/fail.hpp"
#include "families/fft/batch.hpp"
#include "graft/error.hpp"

namespace graft::families::fft {
namespace {

constexpr const char* kGiveBatch = "Give the number of FFTs in FftLaunch::batch.";

// An array of a call: what the kernel expects, what it was given, and where its FFTs are. A call makes these without
// allocating memory.
struct Checked {
  ElementType wanted;
  const ArrayRef* given = nullptr;
  const Batch* layout = nullptr;
  std::size_t number = 0;  // of an input
  bool is_output = false;

  std::string name() const { return is_output ? "the output" : base::format("input {}", number); }
  bool is_opaque() const { return wanted.kind == ElementKind::Opaque; }
  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(given->pointer); }
};

class CallCheck {
 public:
  CallCheck(const Expected& expected, const Arguments& arguments, const FftLaunch& launch)
      : expected_(expected),
        arguments_(arguments),
        launch_(launch),
        in_length_(expected.in_length),
        out_length_(expected.out_length) {}

  ParameterHead check() {
    list_arrays();
    check_state();
    check_strides();
    for (const Checked& array : arrays()) check_array(array);
    check_lengths();
    check_output();
    return {.batch = in_.count,
            .in_stride = in_.stride,
            .in_distance = in_.distance,
            .out_stride = out_.stride,
            .out_distance = out_.distance};
  }

 private:
  template <class... T>
  std::string message(fmt::format_string<T...> format, T&&... values) const {
    return base::format("{}: {}", expected_.name, base::format(format, std::forward<T>(values)...));
  }

  void list_arrays() {
    const std::size_t inputs = expected_.signature.inputs().size();
    if (arguments_.inputs.size() != inputs || arguments_.outputs.size() != 1)
      fail(ErrorCode::CountMismatch,
           message("takes {} inputs and 1 output, but got {} and {}", inputs, arguments_.inputs.size(),
                   arguments_.outputs.size()),
           "Pass the arrays of the load callback (one array, without it), then the further arrays of the store "
           "callback, and one output.");
    in_ = layout_of(launch_.in, in_length_);
    out_ = layout_of(launch_.out, out_length_);
    for (std::size_t i = 0; i < inputs; ++i)
      arrays_[count_++] = {expected_.signature.inputs()[i], &arguments_.inputs[i], i < loaded() ? &in_ : &out_, i};
    arrays_[count_++] = {expected_.signature.outputs()[0], &arguments_.outputs[0], &out_, 0, true};
    in_.count = out_.count = launch_.batch ? *launch_.batch : batch_of(loaded() == 0 ? arrays().back() : arrays_[0]);
  }
  std::span<const Checked> arrays() const { return {arrays_, count_}; }
  // How many inputs are arrays of the load callback, or the input of an FFT without one. The others are further arrays
  // of the store callback.
  std::size_t loaded() const { return expected_.signature.inputs().size() - expected_.signature.further_inputs(); }

  // How many elements an FFT has on the side of an array.
  std::int64_t length_of(const Checked& array) const { return array.layout == &in_ ? in_length_ : out_length_; }

  Batch layout_of(const FftLayout& layout, std::int64_t length) const {
    Batch batch;
    batch.stride = layout.stride;
    batch.distance = layout.distance;
    if (layout.distance == 0 &&
        __builtin_mul_overflow(layout.stride, static_cast<std::uint64_t>(length), &batch.distance))
      refuse(message("a stride of {} elements is too large for {} points", layout.stride, length),
             "Use a stride for which stride * length fits into 64 bits.");
    return batch;
  }

  // Returns how many FFTs an array holds, for calls that do not say so.
  std::uint64_t batch_of(const Checked& array) const {
    check_type(array);
    if (array.is_opaque())
      refuse(message("a callback of cuFFT's shape accesses {}, so its size does not tell the number of FFTs",
                     array.name()),
             kGiveBatch);
    const std::optional<Batch> filled = batch_filling(length_of(array), *array.layout, array.given->count);
    if (!filled)
      refuse(message("{} has {} elements, which is no whole number of FFTs of {} points with stride {} and distance {}",
                     array.name(), array.given->count, length_of(array), array.layout->stride, array.layout->distance),
             kGiveBatch);
    return filled->count;
  }

  void check_state() const {
    const std::optional<ElementType>& wanted = expected_.signature.state();
    if (!wanted) {
      if (arguments_.state != nullptr)
        fail(ErrorCode::TypeMismatch, message("its callbacks take no state, but a state was given"),
             "Leave FftLaunch::state empty.");
      return;
    }
    if (arguments_.state == nullptr)
      fail(ErrorCode::TypeMismatch, message("its callbacks take a state of {} bytes, but none was given", wanted->size),
           "Pass the state in FftLaunch::state.");
    if (arguments_.state_type.size != wanted->size)
      fail(ErrorCode::TypeMismatch,
           message("the state has {} bytes, but {} bytes were given", wanted->size, arguments_.state_type.size),
           "If several of load, between and store have a state, pass a struct with these states as members, in this "
           "order.");
  }

  void check_strides() const {
    if (expected_.request.has_strides) return;
    for (const auto& [what, stride] : {std::pair("input", launch_.in.stride), std::pair("output", launch_.out.stride)})
      if (stride != 1)
        refuse(message("the stride of the {} is {}, but its kernels are for strides of 1", what, stride),
               "Set FftPlan::has_strides.");
  }

  void check_lengths() const {
    if (expected_.request.has_long_arrays) return check_products();
    for (const Checked* array : {&arrays().front(), &arrays().back()}) {
      const std::uint64_t count = array->layout->count;
      const std::optional<std::uint64_t> needed = elements_of(length_of(*array), *array->layout);
      if (!needed || *needed > kMostPointsOfShortArrays ||
          count > kMostPointsOfShortArrays / static_cast<std::uint64_t>(length_of(*array)))
        refuse(message("{} FFTs of {} points with stride {} and distance {} are too many points for its kernels, which "
                       "are for at most 2^32 elements of an array",
                       count, length_of(*array), array->layout->stride, array->layout->distance),
               "Set FftPlan::has_long_arrays, or execute the batch in several calls.");
    }
  }

  // An array that only a callback of cuFFT's shape accesses has no size, so that the batch may be any number.
  void check_products() const {
    for (const Checked* array : {&arrays().front(), &arrays().back()})
      if (!points_of(length_of(*array), array->layout->count) || !elements_of(length_of(*array), *array->layout))
        refuse(message("{} FFTs of {} points with stride {} and distance {} are more than any memory holds",
                       array->layout->count, length_of(*array), array->layout->stride, array->layout->distance),
               "Pass a smaller batch, or another layout.");
  }

  void check_type(const Checked& array) const {
    if (array.is_opaque() || interchangeable(array.given->type, array.wanted)) return;
    // Two halves, which CUDA has as __half2 and as complex numbers.
    const ElementType &given = array.given->type, &wanted = array.wanted;
    if (wanted.kind == ElementKind::Complex && wanted.size == 4 && given.kind == ElementKind::Class && given.size == 4)
      return;
    fail(ErrorCode::TypeMismatch,
         message("{} holds {}, but must hold {}", array.name(), to_string(array.given->type), to_string(array.wanted)),
         "Pass an array of that type; nothing is converted. A load or store callback can convert.");
  }

  void check_array(const Checked& array) const {
    if (array.given->is_view())
      refuse(message("{} is a graft::view, which an FFT does not take", array.name()),
             "Give {pointer, count}, and the places of the points by FftLaunch::in and FftLaunch::out.");
    if (array.is_opaque() || array.layout->count == 0) return;
    check_type(array);
    if (array.given->pointer == nullptr)
      refuse(message("{} is null", array.name()), "Pass a pointer to device memory.");
    if (array.begin() % array.wanted.alignment != 0)
      fail(ErrorCode::Misaligned, message("{} is not aligned to {} bytes", array.name(), array.wanted.alignment),
           "Allocate the array with cudaMalloc, and begin at a multiple of the element's size.");
    const Batch& layout = *array.layout;
    const std::optional<std::uint64_t> needed = elements_of(length_of(array), layout);
    if (!needed || *needed > array.given->count)
      fail(ErrorCode::CountMismatch,
           message("{} has {} elements, but {} FFTs of {} points with stride {} and distance {} need {}", array.name(),
                   array.given->count, layout.count, length_of(array), layout.stride, layout.distance,
                   needed ? base::format("{}", *needed) : "more than fit into 64 bits"),
           "Pass a larger array, a smaller batch, or another layout.");
  }

  void check_output() const {
    const Checked& out = arrays().back();
    if (out.is_opaque() || out_.count == 0) return;
    if (overlaps(out_length_, out_))
      refuse(message("with stride {} and distance {}, two points of the output are the same element", out_.stride,
                     out_.distance),
             "Use a layout that gives every point an element of its own.");
    for (const Checked& in : arrays()) {
      if (in.is_output || in.is_opaque() || !share_memory(in, out)) continue;
      const bool is_in_place = in.begin() == out.begin() && in.wanted.size == out.wanted.size &&
                               in.layout->stride == out_.stride && in.layout->distance == out_.distance;
      if (!is_in_place)
        fail(ErrorCode::Overlap, message("the output overlaps {}", in.name()),
             "Let the output begin exactly where the input begins, with elements of the same size and the same layout, "
             "or pass arrays that do not overlap.");
    }
  }

  bool share_memory(const Checked& a, const Checked& b) const {
    const auto end = [&](const Checked& array) {
      return array.begin() + elements_of(length_of(array), *array.layout).value_or(0) * array.wanted.size;
    };
    return a.begin() < end(b) && b.begin() < end(a);
  }

  const Expected& expected_;
  const Arguments& arguments_;
  const FftLaunch& launch_;
  std::int64_t in_length_, out_length_;
  Batch in_, out_;
  Checked arrays_[GRAFT_MAX_INPUTS + 1];
  std::size_t count_ = 0;
};

}  // namespace

ParameterHead check_call(const Expected& expected, const Arguments& arguments, const FftLaunch& launch) {
  return CallCheck(expected, arguments, launch).check();
}

}  // namespace graft::families::fft
