// Binds Transform, Reduce and Fft. All of them release Python's lock while they build and while they launch; the
// arrays of a call are kept until the launch is queued.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <graft/fft.hpp>
#include <graft/reduce.hpp>
#include <graft/transform.hpp>

#include "arrays.hpp"
#include "direct.hpp"
#include "fail.hpp"
#include "options.hpp"
#include "readers.hpp"
#include "shaped.hpp"
#include "values.hpp"

namespace graft_python {
namespace nb = nanobind;
using namespace nb::literals;
namespace {

using graft::Callback;
using graft::Engine;
using graft::Transform;
using OptionalCallback = std::optional<Callback>;

// The state of a call: its bytes, described as the callback's own type.
graft::StateRef state_of(const std::optional<nb::bytes>& bytes, const std::optional<graft::ElementType>& type) {
  if (!bytes) return {};
  if (!type)
    fail(graft::ErrorCode::TypeMismatch, "a state was given, and the callback takes none", "Leave the state away.");
  if (bytes->size() != type->size)
    fail(graft::ErrorCode::TypeMismatch,
         "the state has " + std::to_string(bytes->size()) + " bytes, and the callback's has " +
             std::to_string(type->size),
         "Pass a state with the members of the callback's struct, in their order.");
  return {bytes->data(), *type};
}

std::vector<ReportTexts> all_texts_of(const std::vector<graft::Report>& reports) {
  std::vector<ReportTexts> all;
  for (const graft::Report& report : reports) all.push_back(texts_of(report));
  return all;
}

// What transforms and reductions share: a signature, and calls with arrays of any shape.
template <class Job>
void bind_shaped(nb::class_<Shaped<Job>>& bound) {
  bound
      .def(
          "execute",
          [](Shaped<Job>& shaped, const Arrays& in, const Arrays& out, const Place& stream,
             const std::optional<nb::bytes>& state) {
            const graft::Signature& signature = shaped.job().signature();
            shaped.execute(stream, in.refs(signature.inputs()), out.refs(signature.outputs()),
                           state_of(state, signature.state()));
          },
          "inputs"_a, "outputs"_a, "stream"_a.none(), "state"_a.none())
      .def(
          "prepare_shapes",
          [](Shaped<Job>& shaped, const Arrays& in, const Arrays& out) {
            const graft::Signature& signature = shaped.job().signature();
            const auto inputs = in.refs(signature.inputs()), outputs = out.refs(signature.outputs());
            unlocked([&] { shaped.job().prepare_shapes(inputs, outputs); });
          },
          "inputs"_a, "outputs"_a)
      .def(
          "make_best",
          [](Shaped<Job>& shaped, const Arrays& in, const Arrays& out, std::intptr_t stream) {
            const graft::Signature& signature = shaped.job().signature();
            shaped.make_best(stream, in.refs(signature.inputs()), out.refs(signature.outputs()));
          },
          "inputs"_a, "outputs"_a, "stream"_a, "What execute does first on a stream.")
      .def_prop_ro("known_shapes", &Shaped<Job>::known_shapes)
      .def(
          "describe_shapes",
          [](const Shaped<Job>& shaped, const Arrays& in, const Arrays& out) {
            const graft::Signature& signature = shaped.job().signature();
            return shaped.job().describe_shapes(in.refs(signature.inputs()), out.refs(signature.outputs()));
          },
          "inputs"_a, "outputs"_a)
      .def("prepare_current", [](Shaped<Job>& shaped) { unlocked([&] { shaped.job().prepare_current(); }); })
      .def_prop_ro("signature", [](const Shaped<Job>& shaped) { return shaped.job().signature(); });
}

nb::object or_none(nb::object result) {
  return result ? std::move(result) : nb::none();
}

void bind_transform(nb::module_& module) {
  nb::class_<Shaped<Transform>> bound(module, "Transform");
  bind_shaped(bound);
  bound
      .def_static(
          "create",
          [](Engine& engine, const Callback& callback, const nb::dict& words) {
            const graft::Options options = options_of(words);
            return Shaped(unlocked([&] { return Transform::create(engine, callback, options); }));
          },
          "engine"_a, "callback"_a, "options"_a)
      .def_static(
          "load",
          [](Engine& engine, const graft::Image& image, const nb::dict& words) {
            const graft::Options options = options_of(words);
            return Shaped(unlocked([&] { return Transform::load(engine, image, options); }));
          },
          "engine"_a, "image"_a, "options"_a)
      .def(
          "call_directly",
          [](Shaped<Transform>& transform, const nb::tuple& inputs, nb::handle out, const Place& stream,
             const std::optional<nb::bytes>& state, bool makes_outputs) {
            const graft::StateRef given = state_of(state, transform.job().signature().state());
            return or_none(call_directly(transform, {items_of(inputs), out, stream, given, makes_outputs}));
          },
          "inputs"_a, "out"_a.none(), "stream"_a.none(), "state"_a.none(), "makes_outputs"_a)
      .def(
          "execute_count",
          [](const Shaped<Transform>& transform, std::size_t count, const Place& stream,
             const std::optional<nb::bytes>& state) {
            const graft::StateRef given = state_of(state, transform.job().signature().state());
            launch_on(stream, [&](auto place) { transform.job().execute(place, graft::count(count), given); });
          },
          "count"_a, "stream"_a.none(), "state"_a.none())
      .def_prop_ro("reports",
                   [](const Shaped<Transform>& transform) { return all_texts_of(transform.job().reports()); });
  module.def(
      "check_options", [](const nb::dict& words) { (void)options_of(words); }, "options"_a,
      "Refuses options that there are not, and values of other types.");
  module.def("directly_on_device", &directly_on_device, "array"_a.none());
  module.def("stream_directly", &stream_directly, "array"_a.none());
  module.def(
      "types_directly", [](const nb::tuple& arrays) { return or_none(types_directly(arrays)); }, "arrays"_a,
      nb::sig("def types_directly(arrays: tuple) -> tuple[list[str], bool] | None"));
  module.def(
      "build",
      [](Engine& engine, const Callback& callback, const std::string& architecture, const nb::dict& words) {
        const graft::Options options = options_of(words);
        return unlocked(
            [&] { return graft::build(engine, callback, graft::Architecture::parse(architecture), options); });
      },
      "engine"_a, "callback"_a, "architecture"_a, "options"_a);
  module.def(
      "precompile",
      [](Engine& engine, const Callback& callback, const std::vector<std::string>& architectures,
         const std::string& format, const nb::dict& words) {
        const graft::Options options = options_of(words);
        return bytes_of(unlocked([&] {
          return graft::precompile(engine, callback, architectures_of(architectures), format_of(format), options);
        }));
      },
      "engine"_a, "callback"_a, "architectures"_a, "format"_a, "options"_a);
}

graft::ReduceCallbacks reduce_callbacks(OptionalCallback map, Callback combine, OptionalCallback finish,
                                        const std::optional<std::pair<nb::bytes, std::string>>& initial) {
  graft::ReduceCallbacks callbacks{
      .map = std::move(map), .combine = std::move(combine), .finish = std::move(finish), .initial = {}};
  if (initial) {
    const auto& [bytes, type] = *initial;
    callbacks.initial.emplace(span_of(bytes), type == "class" ? graft::ElementType::structure(bytes.size(), 1)
                                                              : graft::ElementType::named(type));
  }
  return callbacks;
}

void bind_reduce(nb::module_& module) {
  using graft::Reduce;
  using Initial = std::optional<std::pair<nb::bytes, std::string>>;
  nb::class_<graft::ReduceCallbacks>(module, "ReduceCallbacks")
      .def(
          "__init__",
          [](graft::ReduceCallbacks* place, OptionalCallback map, const Callback& combine, OptionalCallback finish,
             const Initial& initial) {
            new (place) graft::ReduceCallbacks(reduce_callbacks(std::move(map), combine, std::move(finish), initial));
          },
          "map"_a.none(), "combine"_a, "finish"_a.none(), "initial"_a.none());
  nb::class_<Shaped<Reduce>> bound(module, "Reduce");
  bind_shaped(bound);
  bound
      .def_static(
          "create",
          [](Engine& engine, const graft::ReduceCallbacks& callbacks, const nb::dict& words) {
            const graft::Options options = options_of(words);
            return Shaped(unlocked([&] { return Reduce::create(engine, callbacks, options); }));
          },
          "engine"_a, "callbacks"_a, "options"_a)
      .def_static(
          "load",
          [](Engine& engine, const nb::bytes& pack, const nb::dict& words) {
            const graft::Options options = options_of(words);
            return Shaped(unlocked([&] { return Reduce::load(engine, span_of(pack), options); }));
          },
          "engine"_a, "pack"_a, "options"_a)
      .def(
          "call_directly",
          [](Shaped<Reduce>& reduce, const nb::tuple& inputs, nb::handle out, const Place& stream,
             const std::optional<nb::bytes>& state, bool makes_outputs, nb::handle axis, bool keepdims) {
            const graft::StateRef given = state_of(state, reduce.job().signature().state());
            return or_none(
                call_directly(reduce, {items_of(inputs), out, stream, given, makes_outputs}, axis, keepdims));
          },
          "inputs"_a, "out"_a.none(), "stream"_a.none(), "state"_a.none(), "makes_outputs"_a, "axis"_a.none(),
          "keepdims"_a)
      .def(
          "execute_segments",
          [](const Shaped<Reduce>& reduce, const Arrays& in, const Arrays& offsets, const Arrays& out,
             const Place& stream, const std::optional<nb::bytes>& state) {
            const graft::StateRef given = state_of(state, reduce.job().signature().state());
            const auto inputs = in.flat_refs(), outputs = out.flat_refs();
            const graft::ArrayRef between = offsets.all().at(0)->flat_ref();
            launch_on(stream,
                      [&](auto place) { reduce.job().execute_segments(place, inputs, between, outputs, given); });
          },
          "inputs"_a, "offsets"_a, "outputs"_a, "stream"_a.none(), "state"_a.none())
      .def("prepare_segments", [](Shaped<Reduce>& reduce) { unlocked([&] { reduce.job().prepare_segments(); }); })
      .def_prop_ro("reports", [](const Shaped<Reduce>& reduce) {
        return std::vector<ReportTexts>{texts_of(reduce.job().report())};
      });
  module.def(
      "build_reduce",
      [](Engine& engine, const graft::ReduceCallbacks& callbacks, const std::string& architecture,
         const nb::dict& words) {
        const graft::Options options = options_of(words);
        return unlocked(
            [&] { return graft::build(engine, callbacks, graft::Architecture::parse(architecture), options); });
      },
      "engine"_a, "callbacks"_a, "architecture"_a, "options"_a);
  module.def(
      "precompile_reduce",
      [](Engine& engine, const graft::ReduceCallbacks& callbacks, const std::vector<std::string>& architectures,
         const std::string& format, const nb::dict& words) {
        const graft::Options options = options_of(words);
        return bytes_of(unlocked([&] {
          return graft::precompile(engine, callbacks, architectures_of(architectures), format_of(format), options);
        }));
      },
      "engine"_a, "callbacks"_a, "architectures"_a, "format"_a, "options"_a);
}

// What an Fft is made of: the plan and the callbacks, as Python's keyword arguments give them.
struct FftRequest {
  graft::FftPlan plan;
  graft::FftCallbacks callbacks;
};

constexpr std::array<const char*, 3> kDirections = {"both", "forward", "inverse"};

// The number of `name` among the words of an enum.
template <class Enum, std::size_t N>
Enum chosen(const char* what, const std::string& name, const std::array<const char*, N>& words) {
  std::string valid;
  int number = 0;
  for (const char* const word : words) {
    if (name == word) return static_cast<Enum>(number);
    valid += (number++ ? ", " : "") + std::string(word);
  }
  fail(graft::ErrorCode::InvalidArgument, '"' + name + "\" is no " + what, "Pass one of " + valid + ".");
}

graft::Direction direction_of(bool is_inverse) {
  return is_inverse ? graft::Direction::Inverse : graft::Direction::Forward;
}

void bind_fft(nb::module_& module) {
  using graft::Fft;
  nb::class_<FftRequest>(module, "FftRequest")
      .def(
          "__init__",
          [](FftRequest* place, const std::vector<std::int64_t>& shape, const std::string& precision,
             const std::string& directions, const std::string& scaling, const std::string& kind,
             const std::string& storage_in, const std::string& storage_out, bool has_strides, bool has_long_arrays,
             std::size_t batch, OptionalCallback load, OptionalCallback between, OptionalCallback store,
             std::optional<std::pair<OptionalCallback, OptionalCallback>> inverse) {
            FftRequest request;
            graft::FftPlan& plan = request.plan;
            plan.shape = shape;
            plan.precision = chosen<graft::FftPrecision>("precision", precision, std::array{"f32", "f64"});
            plan.directions = chosen<graft::FftDirections>("direction", directions, kDirections);
            plan.scaling = chosen<graft::FftScaling>("scaling", scaling, std::array{"none", "by length", "unitary"});
            plan.kind = chosen<graft::FftKind>("kind", kind, std::array{"complex", "real"});
            plan.storage_in = chosen<graft::FftStorage>("storage", storage_in, std::array{"same", "f16", "bf16"});
            plan.storage_out = chosen<graft::FftStorage>("storage", storage_out, std::array{"same", "f16", "bf16"});
            plan.has_strides = has_strides;
            plan.has_long_arrays = has_long_arrays;
            plan.batch = batch;
            request.callbacks.load = std::move(load);
            request.callbacks.between = std::move(between);
            request.callbacks.store = std::move(store);
            if (inverse) request.callbacks.inverse = graft::FftSideCallbacks{inverse->first, inverse->second};
            new (place) FftRequest(std::move(request));
          },
          "shape"_a, "precision"_a, "directions"_a, "scaling"_a, "kind"_a, "storage_in"_a, "storage_out"_a,
          "has_strides"_a, "has_long_arrays"_a, "batch"_a, "load"_a.none(), "between"_a.none(), "store"_a.none(),
          "inverse"_a.none());
  nb::class_<Fft>(module, "Fft")
      .def_static(
          "create",
          [](Engine& engine, const FftRequest& request, const nb::dict& words) {
            const graft::Options options = options_of(words);
            return unlocked([&] { return Fft::create(engine, request.plan, request.callbacks, options); });
          },
          "engine"_a, "request"_a, "options"_a)
      .def_static(
          "load",
          [](Engine& engine, const nb::bytes& pack, std::size_t batch, const nb::dict& words) {
            const graft::Options options = options_of(words);
            return unlocked([&] { return Fft::load(engine, span_of(pack), batch, options); });
          },
          "engine"_a, "pack"_a, "batch"_a, "options"_a)
      .def(
          "execute",
          [](const Fft& fft, const Arrays& in, const Arrays& out, const Place& stream, bool inverse,
             const std::vector<int>& axes, const std::optional<nb::bytes>& state, std::size_t alignment,
             const Arrays* workspace) {
            graft::FftLaunch launch;
            launch.axes = axes;
            if (state)
              launch.state = graft::StateRef(state->data(), graft::ElementType::structure(state->size(), alignment));
            if (workspace) {
              launch.workspace = workspace->all().at(0)->pointer();
              launch.workspace_bytes = workspace->all().at(0)->bytes();
            }
            const graft::Direction direction = direction_of(inverse);
            const auto inputs = in.refs({}), outputs = out.refs({});
            launch_on(stream, [&](auto place) { fft.execute(place, inputs, outputs, direction, launch); });
          },
          "inputs"_a, "outputs"_a, "stream"_a.none(), "inverse"_a, "axes"_a, "state"_a.none(), "alignment"_a,
          "workspace"_a.none())
      .def(
          "call_directly",
          [](const Fft& fft, const nb::tuple& inputs, nb::handle out, const Place& stream,
             const std::optional<nb::bytes>& state, bool makes_outputs, bool inverse, const std::vector<int>& axes,
             std::size_t alignment, bool has_between) {
            graft::StateRef given;
            if (state) given = graft::StateRef(state->data(), graft::ElementType::structure(state->size(), alignment));
            return or_none(call_directly(fft, {items_of(inputs), out, stream, given, makes_outputs},
                                         direction_of(inverse), axes, has_between));
          },
          "inputs"_a, "out"_a.none(), "stream"_a.none(), "state"_a.none(), "makes_outputs"_a, "inverse"_a, "axes"_a,
          "alignment"_a, "has_between"_a)
      .def("prepare_current", [](Fft& fft) { unlocked([&] { fft.prepare_current(); }); })
      .def("workspace_bytes", &Fft::workspace_bytes, "batch"_a)
      .def_prop_ro("shape",
                   [](const Fft& fft) {
                     const graft::FftPlan& plan = fft.plan();
                     return plan.shape.empty() ? std::vector<std::int64_t>{plan.length} : plan.shape;
                   })
      .def_prop_ro("is_real", [](const Fft& fft) { return fft.plan().kind == graft::FftKind::Real; })
      .def_prop_ro("signatures",
                   [](const Fft& fft) {
                     std::vector<graft::Signature> all;
                     for (const graft::Report& report : fft.reports()) all.push_back(report.kernel.signature);
                     return all;
                   })
      .def_prop_ro("reports", [](const Fft& fft) { return all_texts_of(fft.reports()); });
  module.def(
      "build_fft",
      [](Engine& engine, const FftRequest& request, const std::string& architecture, const nb::dict& words) {
        const graft::Options options = options_of(words);
        return unlocked([&] {
          return graft::build(engine, request.plan, request.callbacks, graft::Architecture::parse(architecture),
                              options);
        });
      },
      "engine"_a, "request"_a, "architecture"_a, "options"_a);
  module.def(
      "precompile_fft",
      [](Engine& engine, const FftRequest& request, const std::vector<std::string>& architectures,
         const std::string& format, const nb::dict& words) {
        const graft::Options options = options_of(words);
        return bytes_of(unlocked([&] {
          return graft::precompile(engine, request.plan, request.callbacks, architectures_of(architectures),
                                   format_of(format), options);
        }));
      },
      "engine"_a, "request"_a, "architectures"_a, "format"_a, "options"_a);
}

}  // namespace

void bind_jobs(nb::module_& module) {
  bind_transform(module);
  bind_reduce(module);
  bind_fft(module);
}

}  // namespace graft_python
