#include "direct.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <memory_resource>
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

// As much memory as the arrays of most calls take.
constexpr std::size_t kUsualBytes = 2048;

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

  bool reduces_all() const noexcept { return reduced == (1u << written.rank) - 1; }
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
  DirectArrays(const Reader& reader, std::span<PyObject* const> inputs, std::pmr::memory_resource& memory)
      : reader_(reader), inputs_(inputs), all_(&memory) {
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
    PyObject* const mate = inputs_[has_like ? static_cast<std::size_t>(like) : 0];
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

  // Whether the elements of the first `number` arrays correspond by their places in memory.
  bool are_flat(std::size_t number) const noexcept {
    const auto is_flat = [&](const ReadArray& one) { return one.shape == all_[0].shape && one.is_dense(); };
    return std::ranges::all_of(std::span(all_).first(number), is_flat);
  }

  // What a launch takes; `are_flat`: without shapes.
  std::pmr::vector<graft::ArrayRef> refs(bool are_flat, std::pmr::memory_resource& memory) const {
    std::pmr::vector<graft::ArrayRef> refs(&memory);
    refs.reserve(all_.size());
    for (const ReadArray& one : all_) refs.push_back(are_flat ? one.flat_ref() : one.ref());
    return refs;
  }

  std::span<const ReadArray> all() const noexcept { return all_; }

  // Where the call works; false if this is not ordinary.
  bool find_place(const DirectCall& call, Place& place) const {
    const int device = all_[0].device;
    if (call.device_of_state.value_or(device) != device) return false;
    if (device == ReadArray::kHost) return !call.stream;
    place = call.stream ? call.stream : reader_.stream(device);
    return place && device == current_device();
  }

 private:
  const Reader& reader_;
  std::span<PyObject* const> inputs_;
  std::pmr::vector<ReadArray> all_;
};

// The outputs that were given, as a tuple: a list may lose its arrays while Python's lock is free. Or the one output.
// An object of a class that is derived from these may show other ones by its __iter__, and is no array, so that the
// call is left to Python.
nb::object given_outputs(nb::handle out) {
  nb::object given = PyList_CheckExact(out.ptr()) ? nb::steal(PyList_AsTuple(out.ptr())) : nb::borrow(out);
  if (!given) nb::raise_python_error();
  return given;
}

// Calls a function for each of them until it returns false. Returns what it returned last.
template <class Function>
bool for_each_output(const nb::object& given, Function&& function) {
  if (!PyTuple_CheckExact(given.ptr())) return function(given.ptr());
  for (const nb::handle one : nb::borrow<nb::tuple>(given))
    if (!function(one.ptr())) return false;
  return true;
}

// What call_directly asks of a job.
struct JobFacts {
  const std::vector<ElementType>& outputs;
  bool has_flat_calls;        // whether arrays without shapes serve where elements correspond by their places in memory
  bool is_reduction = false;  // outputs that are given must have one of the shapes; else `execute` compares them
};

// `shapes_of`: the outputs' shapes from that of the inputs. `execute` takes the place, the inputs, the outputs, and
// whether these are without shapes.
template <class ShapesOf, class Execute>
nb::object call_directly(const DirectCall& call, const JobFacts& job, ShapesOf&& shapes_of, Execute&& execute) try {
  const bool makes_outputs = call.out.is_none();
  const std::size_t number = call.inputs.size();
  if (number == 0 || (makes_outputs && (!call.makes_outputs || call.stream))) return {};
  const Reader* const reader = reader_of(call.inputs[0]);
  if (!reader) return {};
  std::array<std::byte, kUsualBytes> usual_memory;
  std::pmr::monotonic_buffer_resource memory(usual_memory.data(), usual_memory.size());
  DirectArrays arrays(*reader, call.inputs, memory);
  for (PyObject* const input : call.inputs)
    if (!arrays.add(input, false)) return {};
  Place place;
  if (!arrays.find_place(call, place)) return {};
  std::optional<OutputShapes> shapes;
  if (makes_outputs || job.is_reduction) {
    const std::optional<Extents> whole = repeated(arrays.all());
    if (whole) shapes = shapes_of(*whole);
    if (!shapes) return {};
  }
  nb::object given;
  std::vector<nb::object> made;
  if (makes_outputs) {
    for (const ElementType& type : job.outputs) {
      made.push_back(arrays.add_new(type, *shapes));
      if (!made.back()) return {};
    }
  } else {
    given = given_outputs(call.out);
    const auto add = [&](PyObject* one) {
      return arrays.add(one, true) && (!job.is_reduction || arrays.show_as_written(*shapes));
    };
    if (!for_each_output(given, add)) return {};
  }
  const bool is_flat = job.has_flat_calls && (!job.is_reduction || shapes->reduces_all()) &&
                       arrays.are_flat(job.is_reduction ? number : arrays.all().size());
  const std::pmr::vector<graft::ArrayRef> refs = arrays.refs(is_flat, memory);
  execute(place, Refs(refs).first(number), Refs(refs).subspan(number), is_flat);
  if (!makes_outputs) return nb::borrow(call.out);
  if (made.size() == 1) return std::move(made.front());
  nb::object all = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(made.size())));
  if (!all) nb::raise_python_error();
  for (std::size_t i = 0; i < made.size(); ++i)
    PyTuple_SetItem(all.ptr(), static_cast<Py_ssize_t>(i), made[i].release().ptr());
  return all;
} catch (const graft::Error&) {
  return {};
}

template <class Job>
JobFacts facts_of(const Shaped<Job>& shaped, bool is_reduction) {
  const graft::Signature& signature = shaped.job().signature();
  return {signature.outputs(), signature.coordinates() == 0, is_reduction};
}

// Flat calls need no kernel beside the first one.
template <class Job>
auto executing(Shaped<Job>& shaped, const graft::StateRef& state) {
  return [&](const Place& place, Refs in, Refs out, bool is_flat) {
    if (is_flat) launch_on(place, [&](auto where) { shaped.job().execute(where, in, out, state); });
    else shaped.execute(place, in, out, state);
  };
}

}  // namespace

nb::object call_directly(Shaped<graft::Transform>& transform, const DirectCall& call) {
  const auto shapes_of = [](const Extents& whole) { return std::optional(OutputShapes{whole, whole}); };
  return call_directly(call, facts_of(transform, false), shapes_of, executing(transform, call.state));
}

nb::object call_directly(Shaped<graft::Reduce>& reduce, const DirectCall& call, nb::handle axis, bool keepdims) {
  const auto shapes_of = [&](const Extents& whole) { return reduced_shapes(whole, axis, keepdims); };
  return call_directly(call, facts_of(reduce, true), shapes_of, executing(reduce, call.state));
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
  const JobFacts facts{report.kernel.signature.outputs(), false};
  return call_directly(call, facts, shapes_of, [&](const Place& place, Refs in, Refs out, bool) {
    graft::FftLaunch launch;
    launch.axes = axes;
    launch.state = call.state;
    launch_on(place, [&](auto where) { fft.execute(where, in, out, direction, launch); });
  });
}

}  // namespace graft_python
