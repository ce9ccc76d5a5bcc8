#include "direct.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <graft/error.hpp>

#include "driver.hpp"
#include "readers.hpp"

namespace graft_python {
namespace {

using graft::ElementType;

// The shape to which arrays repeat. Nothing if they do not.
std::optional<Extents> repeated(std::span<const ReadArray> arrays) {
  Extents whole;
  for (const ReadArray& array : arrays) whole.rank = std::max(whole.rank, array.shape.rank);
  std::fill_n(whole.of.begin(), whole.rank, 1);
  for (const ReadArray& array : arrays)
    for (std::uint32_t d = 0; d < array.shape.rank; ++d) {
      std::int64_t& extent = whole.of[whole.rank - array.shape.rank + d];
      if (extent == 1) extent = array.shape.of[d];
      else if (array.shape.of[d] != 1 && array.shape.of[d] != extent) return {};
    }
  return whole;
}

// The shape of the outputs as the call writes them, and that of arrays that the caller gets or gives.
struct OutputShapes {
  Extents written, shown;
  std::uint32_t reduced = 0;  // the dimensions that a reduction reduces, as bits
};

// The dimensions of `axis`, as bits. Nothing for axes that there are not.
std::optional<std::uint32_t> dimensions_of(nb::handle axis, std::uint32_t rank) {
  if (axis.is_none()) return (1u << rank) - 1;
  std::uint32_t dimensions = 0;
  const auto add = [&](nb::handle one) {
    const std::optional<std::int64_t> number = integer(one.ptr());
    if (!number || *number < -std::int64_t{rank} || *number >= std::int64_t{rank}) return false;
    const std::uint32_t bit = 1u << (*number < 0 ? *number + rank : *number);
    const bool is_new = !(dimensions & bit);
    dimensions |= bit;
    return is_new;
  };
  if (PyTuple_CheckExact(axis.ptr()) || PyList_CheckExact(axis.ptr())) {
    for (const nb::handle one : nb::borrow<nb::sequence>(axis))
      if (!add(one)) return {};
  } else if (!add(axis)) {
    return {};
  }
  return dimensions;
}

std::optional<OutputShapes> reduced_shapes(const Extents& whole, nb::handle axis, bool keepdims) {
  const std::optional<std::uint32_t> reduced = dimensions_of(axis, whole.rank);
  if (!reduced) return {};
  OutputShapes shapes{.written = whole, .shown = {}, .reduced = *reduced};
  for (std::uint32_t d = 0; d < whole.rank; ++d)
    if (*reduced >> d & 1) shapes.written.of[d] = 1;
    else shapes.shown.of[shapes.shown.rank++] = whole.of[d];
  if (keepdims) shapes.shown = shapes.written;
  return shapes;
}

// The arrays of a call. All are read by one reader, and are on one device.
class DirectArrays {
 public:
  // `inputs` are added first.
  DirectArrays(const Reader& reader, const nb::tuple& inputs) : reader_(reader), inputs_(inputs) {
    constexpr std::size_t kUsualOutputs = 4;
    all_.reserve(inputs.size() + kUsualOutputs);
  }

  bool add(PyObject* object, bool is_output) {
    if (reader_of(object) != &reader_) return false;
    ReadArray& array = all_.emplace_back();
    return reader_.read(object, array) && array.device == all_[0].device && !(is_output && array.is_read_only);
  }

  // Adds a new output.
  nb::object add_new(const ElementType& type, const OutputShapes& shapes) {
    const auto is_like = [&](const ReadArray& one) {
      return one.shape == shapes.shown && graft::interchangeable(one.type, type) && one.is_dense();
    };
    const std::span<const ReadArray> inputs = std::span(all_).first(inputs_.size());
    const auto like = std::ranges::find_if(inputs, is_like) - inputs.begin();
    const bool has_like = reader_.is_on_device() && like < std::ssize(inputs);  // NumPy's empty_like is the slower one
    PyObject* const mate = PyTuple_GetItem(inputs_.ptr(), has_like ? like : 0);
    nb::object made = has_like ? reader_.empty_like(mate) : reader_.empty(shapes.shown, type, mate);
    if (!made || !add(made.ptr(), true) || !show_as_written(shapes)) return {};
    return made;
  }

  // Gives the last array, an output, the shape in which it is written. False if it has another shape.
  bool show_as_written(const OutputShapes& shapes) {
    ReadArray& array = all_.back();
    if (array.shape == shapes.written) return true;
    if (array.shape.rank + std::popcount(shapes.reduced) != shapes.written.rank) return false;
    const auto strides = array.strides;
    const Extents has = array.shape;
    array.shape = shapes.written;
    for (std::uint32_t d = 0, from = 0; d < shapes.written.rank; ++d) {
      const bool is_reduced = shapes.reduced >> d & 1;
      if (!is_reduced && has.of[from] != shapes.written.of[d]) return false;
      array.strides[d] = is_reduced ? 1 : strides[from++];
    }
    return true;
  }

  Refs refs(std::size_t begin, std::size_t end) const {
    Refs refs;
    refs.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) refs.push_back(all_[i].ref());
    return refs;
  }

  std::span<const ReadArray> all() const noexcept { return all_; }

  // Where the call works; false if this is not ordinary.
  bool find_place(const std::optional<std::intptr_t>& given, Place& place) const {
    const int device = all_[0].device;
    if (device == ReadArray::kHost) return !given;
    place = given ? given : reader_.stream(device);
    return place && device == current_device();
  }

 private:
  const Reader& reader_;
  const nb::tuple& inputs_;
  std::vector<ReadArray> all_;
};

// The outputs that were given, as a tuple: a list may lose its arrays while Python's lock is free. An object of a class
// that is derived from these may show other ones by its __iter__, and is no array, so that the call is left to Python.
nb::tuple given_outputs(nb::handle out) {
  if (PyTuple_CheckExact(out.ptr())) return nb::borrow<nb::tuple>(out);
  return PyList_CheckExact(out.ptr()) ? nb::steal<nb::tuple>(PyList_AsTuple(out.ptr())) : nb::make_tuple(out);
}

// `outputs`: their types. `shapes_of`: their shapes from that of the inputs. `is_reduction`: outputs that are given
// must have one of these shapes; else `execute` compares them.
template <class ShapesOf, class Execute>
nb::object call_directly(const DirectCall& call, const std::vector<ElementType>& outputs, bool is_reduction,
                         ShapesOf&& shapes_of, Execute&& execute) try {
  const bool makes_outputs = call.out.is_none();
  const std::size_t number = call.inputs.size();
  if (number == 0 || (makes_outputs && (!call.makes_outputs || call.stream))) return {};
  const Reader* const reader = reader_of(call.inputs[0].ptr());
  if (!reader) return {};
  DirectArrays arrays(*reader, call.inputs);
  for (const nb::handle input : call.inputs)
    if (!arrays.add(input.ptr(), false)) return {};
  Place place;
  if (!arrays.find_place(call.stream, place)) return {};
  std::optional<OutputShapes> shapes;
  if (makes_outputs || is_reduction) {
    const std::optional<Extents> whole = repeated(arrays.all());
    if (whole) shapes = shapes_of(*whole);
    if (!shapes) return {};
  }
  nb::tuple given;
  std::vector<nb::object> made;
  if (makes_outputs) {
    for (const ElementType& type : outputs) {
      made.push_back(arrays.add_new(type, *shapes));
      if (!made.back()) return {};
    }
  } else {
    given = given_outputs(call.out);
    for (const nb::handle one : given)
      if (!arrays.add(one.ptr(), true) || (is_reduction && !arrays.show_as_written(*shapes))) return {};
  }
  execute(place, arrays.refs(0, number), arrays.refs(number, arrays.all().size()));
  if (!makes_outputs) return nb::borrow(call.out);
  if (made.size() == 1) return std::move(made.front());
  nb::object all = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(made.size())));
  for (std::size_t i = 0; i < made.size(); ++i)
    PyTuple_SetItem(all.ptr(), static_cast<Py_ssize_t>(i), made[i].release().ptr());
  return all;
} catch (const graft::Error&) {
  return {};
}

}  // namespace

nb::object call_directly(Shaped<graft::Transform>& transform, const DirectCall& call) {
  return call_directly(
      call, transform.job().signature().outputs(), false,
      [](const Extents& whole) {
        return std::optional(OutputShapes{whole, whole});
      },
      [&](const Place& place, const Refs& in, const Refs& out) { transform.execute(place, in, out, call.state); });
}

nb::object call_directly(Shaped<graft::Reduce>& reduce, const DirectCall& call, nb::handle axis, bool keepdims) {
  return call_directly(
      call, reduce.job().signature().outputs(), true,
      [&](const Extents& whole) { return reduced_shapes(whole, axis, keepdims); },
      [&](const Place& place, const Refs& in, const Refs& out) { reduce.execute(place, in, out, call.state); });
}

nb::object call_directly(const graft::Fft& fft, const DirectCall& call, graft::Direction direction,
                         const std::vector<int>& axes, bool has_between) {
  const bool is_inverse = direction == graft::Direction::Inverse;
  const graft::FftPlan& plan = fft.plan();
  const auto shapes_of = [&](Extents whole) -> std::optional<OutputShapes> {
    if (plan.kind == graft::FftKind::Real && !has_between) {  // numbers on one side, and frequencies on the other
      const std::int64_t points = plan.shape.empty() ? plan.length : plan.shape.back();
      const std::int64_t last = axes.empty() ? -1 : axes.back(), rank = whole.rank;
      if (last < -rank || last >= rank) return {};
      whole.of[last < 0 ? last + rank : last] = is_inverse ? points : points / 2 + 1;
    }
    return OutputShapes{whole, whole};
  };
  const graft::Report& report = is_inverse ? fft.reports().back() : fft.reports().front();
  return call_directly(call, report.kernel.signature.outputs(), false, shapes_of,
                       [&](const Place& place, const Refs& in, const Refs& out) {
                         graft::FftLaunch launch;
                         launch.axes = axes;
                         launch.state = call.state;
                         launch_on(place, [&](auto where) { fft.execute(where, in, out, direction, launch); });
                       });
}

}  // namespace graft_python
