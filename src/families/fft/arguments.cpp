#include "families/fft/arguments.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "base/format.hpp"
#include "contract.h"
#include "core/fail.hpp"
#include "families/fft/batch.hpp"
#include "families/fft/lengths.hpp"
#include "graft/error.hpp"

namespace graft::families::fft {
namespace {

constexpr const char* kGiveBatch = "Give the number of FFTs in FftLaunch::batch.";

// The arrays of the load callback, or those of the output: where their FFTs are.
struct Side {
  std::span<const std::int64_t> extents;
  std::int64_t length = 0;    // elements of an FFT
  const ArrayRef* view = {};  // null: a layout says where the FFTs are
  Batch batch;                // also for a view that is like a layout
  ViewPlaces of_view;

  bool is_layout() const { return view == nullptr || of_view.as_batch.has_value(); }
  std::uint64_t count() const { return view == nullptr ? batch.count : of_view.count; }
  ArrayPlaces places() const { return view == nullptr ? places_of(batch, extents) : of_view.places; }
  // From the first element in memory to the last one. Nothing if the number does not fit into 64 bits.
  std::optional<std::uint64_t> elements() const {
    return view == nullptr ? elements_of(length, batch) : std::optional(of_view.elements);
  }
};

// An array of a call: what the kernel expects, what it was given, and where its FFTs are. A call makes these without
// allocating memory.
struct Checked {
  ElementType wanted;
  const ArrayRef* given = nullptr;
  const Side* side = nullptr;
  std::size_t number = 0;  // of an input
  bool is_output = false;

  std::string name() const { return is_output ? "the output" : base::format("input {}", number); }
  bool is_opaque() const { return wanted.kind == ElementKind::Opaque; }
  // Of a view, its first element in memory.
  std::byte* pointer() const {
    const std::int64_t size = is_opaque() ? given->type.size : wanted.size;
    return static_cast<std::byte*>(given->pointer) + side->of_view.moved * size;
  }
  std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(pointer()); }
};

class CallCheck {
 public:
  CallCheck(const Expected& expected, const Arguments& arguments, const FftLaunch& launch)
      : expected_(expected), arguments_(arguments), launch_(launch) {
    in_.extents = expected.in_extents;
    out_.extents = expected.out_extents;
    for (Side* const side : {&in_, &out_}) side->length = points_of_shape(side->extents);
  }

  CheckedCall check() {
    list_arrays();
    check_state();
    check_strides();
    for (const Checked& array : arrays()) check_array(array);
    check_lengths();
    check_output();
    check_workspace();
    CheckedCall call;
    call.head.batch = in_.count();
    call.head.in_distance = in_.batch.distance;
    call.head.out_distance = out_.batch.distance;
    if (expected_.request.has_strides) {
      call.head.in_places = in_.places();
      call.head.out_places = out_.places();
    }
    for (std::size_t i = 0; i < count_; ++i) call.pointers[i] = arrays_[i].pointer();
    return call;
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
           message("takes {} input{} and 1 output, but got {} and {}", inputs, inputs == 1 ? "" : "s",
                   arguments_.inputs.size(), arguments_.outputs.size()),
           "Pass the arrays of the load callback (one array, without it), then the further arrays of the store "
           "callback, and one output.");
    for (std::size_t i = 0; i < inputs; ++i)
      arrays_[count_++] = {expected_.signature.inputs()[i], &arguments_.inputs[i], i < loaded() ? &in_ : &out_, i};
    arrays_[count_++] = {expected_.signature.outputs()[0], &arguments_.outputs[0], &out_, 0, true};
    read_side(in_, launch_.in);
    read_side(out_, launch_.out);
    if (!launch_.axes.empty() && in_.view == nullptr && out_.view == nullptr)
      refuse(message("FftLaunch::axes names axes of views, but no array is a view"),
             "Pass the arrays with their shapes, as views, or leave FftLaunch::axes unset.");
    find_batch();
  }
  std::span<const Checked> arrays() const { return {arrays_, count_}; }
  // How many inputs are arrays of the load callback, or the input of an FFT without one. The others are further arrays
  // of the store callback.
  std::size_t loaded() const { return expected_.signature.inputs().size() - expected_.signature.further_inputs(); }

  void read_side(Side& side, const FftLayout& layout) {
    const Checked* first = nullptr;
    for (const Checked& array : arrays())
      if (array.side == &side) {
        if (first == nullptr) first = &array;
        else check_alike(*first, array);
      }
    if (first == nullptr || !first->given->is_view()) {
      side.batch = batch_of(layout, side.length);
      return;
    }
    if (layout.stride != 1 || layout.distance != 0)
      refuse(message("{} is a view, and its side of the FFT has an FftLayout", first->name()),
             "Leave FftLaunch::in and out of views unset: a view says where its elements are.");
    side.view = first->given;
    if (first->given->rank > ArrayRef::kMostDimensions)
      refuse(message("{} is a view of too many dimensions", first->name()), "Use at most 64.");
    if (const ViewFault fault = read_view(*first->given, launch_.axes, side.extents, side.of_view); fault)
      refuse(message("{} {}", first->name(), fault.why), fault.remedy);
    if (side.of_view.as_batch) side.batch = *side.of_view.as_batch;
  }

  // The arrays of a side have one layout.
  void check_alike(const Checked& first, const Checked& other) const {
    const ArrayRef &a = *first.given, &b = *other.given;
    bool are_alike = a.is_view() == b.is_view() && (!a.is_view() || a.rank == b.rank);
    if (are_alike && a.is_view())
      are_alike = std::equal(a.shape, a.shape + a.rank, b.shape) && (a.strides != nullptr) == (b.strides != nullptr) &&
                  (a.strides == nullptr || std::equal(a.strides, a.strides + a.rank, b.strides));
    if (!are_alike)
      refuse(message("{} and {} are views of other shapes or strides", first.name(), other.name()),
             "Give all arrays of a load callback the same shape and strides, and so all of a store callback.");
  }

  void find_batch() {
    std::optional<std::uint64_t> count;
    if (launch_.batch) count = *launch_.batch;
    for (const Side* const side : {&in_, &out_}) {
      if (side->view == nullptr) continue;
      if (!count) count = side->of_view.count;
      if (*count != side->of_view.count)
        fail(ErrorCode::CountMismatch,
             message("{} has a batch of {}, but there {} {}", side == &in_ ? "the input" : "the output",
                     base::counted(side->of_view.count, "FFT"), *count == 1 ? "is" : "are", *count),
             "Give the axes of a batch the same extents on both sides, and leave FftLaunch::batch unset.");
    }
    if (!count) count = batch_that_fills(loaded() == 0 ? arrays().back() : arrays_[0]);
    in_.batch.count = out_.batch.count = *count;
  }

  Batch batch_of(const FftLayout& layout, std::int64_t length) const {
    Batch batch;
    batch.stride = layout.stride;
    batch.distance = layout.distance;
    if (layout.distance == 0 &&
        __builtin_mul_overflow(layout.stride, static_cast<std::uint64_t>(length), &batch.distance))
      refuse(message("a stride of {} is too large for {}", base::counted(layout.stride, "element"),
                     base::counted(length, "point")),
             "Use a stride for which stride * length fits into 64 bits.");
    return batch;
  }

  // Returns how many FFTs an array holds, for calls that do not say so.
  std::uint64_t batch_that_fills(const Checked& array) const {
    check_type(array);
    if (array.is_opaque())
      refuse(message("a callback of cuFFT's shape accesses {}, so its size does not tell the number of FFTs",
                     array.name()),
             kGiveBatch);
    const Batch& layout = array.side->batch;
    const std::optional<Batch> filled = batch_filling(array.side->length, layout, array.given->count);
    if (!filled)
      refuse(message("{} has {}, which is no whole number of FFTs of {} with stride {} and distance {}", array.name(),
                     base::counted(array.given->count, "element"), base::counted(array.side->length, "point"),
                     layout.stride, layout.distance),
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
    const ElementType& given = arguments_.state_type;
    if (given.size != wanted->size)
      fail(ErrorCode::TypeMismatch,
           message("the state has {} bytes, but {} bytes were given", wanted->size, given.size),
           "If several of load, between and store have a state, pass a struct with these states as members, in this "
           "order.");
    if (!is_state(given, *wanted))
      fail(ErrorCode::TypeMismatch, message("the state is {}, but {} was given", to_string(*wanted), to_string(given)),
           "Pass a value of exactly that type; nothing is converted.");
  }

  void check_strides() const {
    if (expected_.request.has_strides) return;
    for (const auto& [what, side] : {std::pair("input", &in_), std::pair("output", &out_)}) {
      if (side->count() == 0) continue;
      if (!side->is_layout())
        refuse(message("the {} is a view whose elements are not one FFT after the other, but its kernels are for "
                       "strides of 1",
                       what),
               "Set FftPlan::has_strides.");
      if (side->batch.stride != 1)
        refuse(message("the stride of the {} is {}, but its kernels are for strides of 1", what, side->batch.stride),
               "Set FftPlan::has_strides.");
    }
  }

  std::string text_of(const Side& side) const {
    const std::string ffts =
        base::format("{} of {}", base::counted(side.count(), "FFT"), base::counted(side.length, "point"));
    if (side.view != nullptr) return "a view of " + ffts;
    return base::format("{} with stride {} and distance {}", ffts, side.batch.stride, side.batch.distance);
  }

  void check_lengths() const {
    if (expected_.request.has_long_arrays) return check_products();
    for (const Side* const side : {&in_, &out_}) {
      const std::optional<std::uint64_t> needed = side->elements();
      if (!needed || *needed > kMostPointsOfShortArrays ||
          side->count() > kMostPointsOfShortArrays / static_cast<std::uint64_t>(side->length))
        refuse(message("{} {} too many points for its kernels, which are for at most 2^32 elements of an array",
                       text_of(*side), side->view != nullptr || side->count() == 1 ? "is" : "are"),
               "Set FftPlan::has_long_arrays, or execute the batch in several calls.");
    }
  }

  // An array that only a callback of cuFFT's shape accesses has no size, so that the batch may be any number.
  void check_products() const {
    for (const Side* const side : {&in_, &out_})
      if (!points_of(side->length, side->count()) || !side->elements())
        refuse(message("{} {} more than any memory holds", text_of(*side),
                       side->view != nullptr || side->count() == 1 ? "is" : "are"),
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
    if (array.is_opaque() || array.side->count() == 0) return;
    check_type(array);
    if (array.given->pointer == nullptr)
      refuse(message("{} is null", array.name()),
             expected_.is_on_host ? "Pass a pointer to memory of the host." : "Pass a pointer to device memory.");
    if (array.begin() % array.wanted.alignment != 0)
      fail(ErrorCode::Misaligned,
           message("{} is not aligned to {}", array.name(), base::counted(array.wanted.alignment, "byte")),
           expected_.is_on_host
               ? base::format("Begin the array at a multiple of {} bytes: alignas, or new of such a type.",
                              array.wanted.alignment)
               : "Allocate the array with cudaMalloc, and begin at a multiple of the element's size.");
    if (array.side->view != nullptr) return;
    const Batch& layout = array.side->batch;
    const std::optional<std::uint64_t> needed = array.side->elements();
    if (!needed || *needed > array.given->count)
      fail(ErrorCode::CountMismatch,
           message("{} has {}, but {} need{} {}", array.name(), base::counted(array.given->count, "element"),
                   text_of(*array.side), layout.count == 1 ? "s" : "",
                   needed ? base::format("{}", *needed) : "more than fit into 64 bits"),
           "Pass a larger array, a smaller batch, or another layout.");
  }

  void check_output() const {
    const Checked& out = arrays().back();
    if (out.is_opaque() || out_.count() == 0) return;
    if (out_.view == nullptr && overlaps(out_.length, out_.batch))
      refuse(message("with stride {} and distance {}, two points of the output are the same element", out_.batch.stride,
                     out_.batch.distance),
             "Use a layout that gives every point an element of its own.");
    if (out_.view != nullptr && !out_.of_view.has_own_elements)
      refuse(message("by its strides, two points of the output may be the same element"),
             "Use strides of which none is smaller than what the faster dimensions take.");
    for (const Checked& in : arrays()) {
      if (in.is_output || in.is_opaque() || !share_memory(in, out) || is_in_place(in, out)) continue;
      fail(ErrorCode::Overlap, message("the output overlaps {}", in.name()), remedy_of_overlap(in, out));
    }
  }

  void check_workspace() const {
    if (!expected_.takes_workspace || launch_.workspace == nullptr) return;
    const auto begin = reinterpret_cast<std::uintptr_t>(launch_.workspace), end = begin + launch_.workspace_bytes;
    for (const Checked& array : arrays())
      if (!array.is_opaque() && array.begin() < end && begin < end_of(array))
        fail(ErrorCode::Overlap, message("the workspace overlaps {}", array.name()),
             "Pass a workspace that is no part of the arrays.");
  }

  std::string remedy_of_overlap(const Checked& in, const Checked& out) const {
    const std::uint32_t smaller = std::min(in.wanted.size, out.wanted.size),
                        larger = std::max(in.wanted.size, out.wanted.size);
    if (smaller == larger || !expected_.request.is_real)
      return "Let the output begin exactly where the input begins, with elements of the same size and the same layout, "
             "or pass arrays that do not overlap.";
    if (larger != 2 * smaller)
      return "Pass arrays that do not overlap: a real FFT is in place only if a frequency takes the room of two "
             "numbers.";
    if (in.side->places().points.back() != 1 || out.side->places().points.back() != 1)
      return "Pass arrays that do not overlap: a real FFT is in place only if the numbers of a row are neighbours, and "
             "its frequencies too (a stride of 1).";
    return base::format(
        "In place, rows of {0} numbers have room for their {1} frequencies, so that the distance of "
        "their rows is {2} numbers (graft::padded_reals), and that of frequencies {1}; or pass arrays "
        "that do not overlap.",
        numbers_of_row(), numbers_of_row() / 2 + 1, (numbers_of_row() / 2 + 1) * 2);
  }

  std::int64_t numbers_of_row() const { return std::max(in_.extents.back(), out_.extents.back()); }

  // Whether each FFT's results lie where its own points were: a thread block, or a cluster, reads all of them first.
  bool is_in_place(const Checked& in, const Checked& out) const {
    if (in.begin() != out.begin()) return false;
    if (in.wanted.size == out.wanted.size) return comparable(in) == comparable(out);
    // Rows of numbers that have room for their frequencies.
    const bool is_forward = out.wanted.size == 2 * in.wanted.size;
    if (!expected_.request.is_real || (!is_forward && in.wanted.size != 2 * out.wanted.size)) return false;
    ArrayPlaces numbers = comparable(is_forward ? in : out), spectra = comparable(is_forward ? out : in);
    if (numbers.points.back() != 1 || spectra.points.back() != 1) return false;
    for (std::size_t d = 0; d + 1 < kMostPointDimensions; ++d) spectra.points[d] *= 2;
    for (std::uint64_t& stride : spectra.strides) stride *= 2;
    spectra.first *= 2;
    return numbers == spectra;
  }

  // Returns the array's places, without the distance between FFTs if there is only one.
  static ArrayPlaces comparable(const Checked& array) {
    ArrayPlaces places = array.side->places();
    if (array.side->count() <= 1) places.strides = {};
    return places;
  }

  static std::uintptr_t end_of(const Checked& array) {
    return array.begin() + array.side->elements().value_or(0) * array.wanted.size;
  }

  static bool share_memory(const Checked& a, const Checked& b) {
    return a.begin() < end_of(b) && b.begin() < end_of(a);
  }

  const Expected& expected_;
  const Arguments& arguments_;
  const FftLaunch& launch_;
  Side in_, out_;
  Checked arrays_[GRAFT_MAX_INPUTS + 1];
  std::size_t count_ = 0;
};

}  // namespace

CheckedCall check_call(const Expected& expected, const Arguments& arguments, const FftLaunch& launch) {
  return CallCheck(expected, arguments, launch).check();
}

}  // namespace graft::families::fft
