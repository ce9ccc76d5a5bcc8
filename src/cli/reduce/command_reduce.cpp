// `graft reduce`: reduces the arrays of .npy files, all of them or along some axes, and writes the results as .npy
// files.
//
// The first kernel is built before the others, because its signature says how the arrays are reduced best, and so which
// further kernel the call takes.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/format.hpp"
#include "cli/arrays/array_checks.hpp"
#include "cli/arrays/array_run.hpp"
#include "cli/arrays/broadcast.hpp"
#include "cli/arrays/device_arrays.hpp"
#include "cli/arrays/npy.hpp"
#include "cli/arrays/state_source.hpp"
#include "cli/arrays/state_text.hpp"
#include "cli/child/child.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/families/reduce_options.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress.hpp"
#include "cli/reduce/ready_made.hpp"
#include "core/fail.hpp"
#include "families/reduce/checks.hpp"
#include "families/registry.hpp"
#include "graft/error.hpp"
#include "graft/reduce.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;
using Extents = std::vector<std::int64_t>;

struct ReduceRequest {
  BuildRequest build;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<int> axes;
  bool keeps_dimensions = false;
  std::string state;
  int device = 0;
  bool as_json = false;

  bool is_on_host() const { return build.options().routes.required == Route::Host; }
};

// The axes that are reduced: those given, which may count from the last one, or all.
std::vector<bool> reduced_axes(const std::vector<int>& axes, std::size_t rank) {
  std::vector<bool> reduced(rank, axes.empty());
  for (const int axis : axes) {
    const auto count = static_cast<int>(rank);
    if (axis < -count || axis >= count)
      refuse(base::format("there is no axis {}: the arrays have {} dimensions", axis, rank),
             "Number the axes from 0, or from -1 for the last one.");
    const auto place = static_cast<std::size_t>(axis < 0 ? axis + count : axis);
    if (reduced[place])
      refuse(base::format("the axis {} is given twice", axis), "Give each axis once; -1 is the last one.");
    reduced[place] = true;
  }
  return reduced;
}

// How the arrays are reduced: the extents of inputs and outputs, in which neighbouring dimensions of one kind are one.
struct Reduction {
  Extents in, out;
  std::vector<std::uint64_t> shape;  // of the output files
  std::uint64_t elements = 1, results = 1;

  Reduction(const std::vector<std::uint64_t>& given, const std::vector<bool>& reduced, bool keeps_dimensions) {
    for (std::size_t d = 0; d < given.size(); ++d) {
      const auto extent = static_cast<std::int64_t>(given[d]);
      elements *= given[d];
      if (!reduced[d]) results = product(results, given[d]);
      if (!reduced[d] || keeps_dimensions) shape.push_back(reduced[d] ? 1 : given[d]);
      if (d > 0 && reduced[d] == reduced[d - 1]) {
        in.back() = static_cast<std::int64_t>(product(static_cast<std::uint64_t>(in.back()), given[d]));
        if (!reduced[d]) out.back() = in.back();
      } else {
        in.push_back(extent);
        out.push_back(reduced[d] ? 1 : extent);
      }
    }
  }
  // Extents of arrays without elements may have any product.
  static std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    std::uint64_t made = 0;
    if (__builtin_mul_overflow(a, b, &made) || made >> 40 != 0)
      refuse("the shape has more than 2^40 results or elements", "Give smaller arrays.");
    return made;
  }
  // Whether arrays of one dimension are reduced to one result.
  bool is_whole() const { return in.empty() || (in.size() == 1 && out[0] == 1 && results == 1); }
};

// The arrays of a call. Pointers may be null.
struct Arrays {
  std::vector<ArrayRef> in, out;

  Arrays(const Signature& signature, const Reduction& reduction, const std::vector<void*>& pointers) {
    const auto add = [&](std::vector<ArrayRef>& arrays, const ElementType& type, const Extents& extents,
                         std::uint64_t count) {
      const std::size_t i = in.size() + out.size();
      void* const pointer = i < pointers.size() ? pointers[i] : nullptr;
      if (reduction.is_whole()) arrays.emplace_back(pointer, count, type);
      else
        arrays.push_back(
            ArrayRef::shaped(pointer, type, static_cast<std::uint32_t>(extents.size()), extents.data(), nullptr));
    };
    for (const ElementType& type : signature.inputs()) add(in, type, reduction.in, reduction.elements);
    for (const ElementType& type : signature.outputs()) add(out, type, reduction.out, reduction.results);
  }
};

void check_signature(const ReduceRequest& request, const std::vector<NpyArray>& arrays, const Image& image) {
  const Signature& signature = image.signature();
  const families::reduce::Called called(image.report().kernel.name, signature, false);
  if (!signature.in_outs().empty() || called.results != signature.outputs().size())
    refuse(base::format("{} ({}) reads its outputs, or stores elements of map", called.name, signature.text()),
           "Give a map that returns the accumulator alone, and a finish that writes results alone: graft reduce makes "
           "new files of results.");
  check_number(image, "input", signature.inputs().size(), arrays.size(), "--in");
  check_number(image, "output", signature.outputs().size(), request.outputs.size(), "--out");
  for (std::size_t i = 0; i < arrays.size(); ++i)
    check_type(request.inputs[i], arrays[i].header.type, signature.inputs()[i], i, "graft reduce");
}

// The fields of a state are those of the callback that has one.
format::Outcome<format::Field> fields_of(const ReduceRequest& request, const Image& image) {
  const std::string map = value_of(request.build.job_options, "--map");
  const std::string finish = value_of(request.build.job_options, "--finish");
  if (!map.empty() && !finish.empty())
    refuse("the state is given by fields, and the reduction has two callbacks that may have one",
           "Give the bytes of the state: hex:0000803f, or @FILE.");
  BuildRequest alone = request.build;
  alone.job_options.clear();
  const std::string_view place = map.empty() ? "finish" : "map";
  alone.callback = map.empty() ? finish : map;
  alone.signature = value_of(request.build.job_options, option_of(place, "-signature"), request.build.signature);
  alone.entry = value_of(request.build.job_options, option_of(place, "-entry"), request.build.entry);
  return fields_of_state(alone, image);
}

base::Bytes state_for(const ReduceRequest& request, const Image& image) {
  const std::optional<ElementType>& type = image.signature().state();
  if (!type && request.state.empty()) return {};
  if (!type)
    fail(ErrorCode::TypeMismatch, "neither map nor finish has a state, and --state was given",
         "Leave --state out, or add a `const T&` parameter to one of them.");
  if (request.state.empty())
    fail(ErrorCode::TypeMismatch,
         base::format("the state of the reduction ({}, {} bytes) is missing", to_string(*type), type->size),
         "Give the state with --state.");
  return parse_state(request.state, *type, [&] { return fields_of(request, image); });
}

// Returns the kernels that the call takes: the first, and the one that serves its shapes best.
std::vector<Image> build_kernels(BuildRequest build, const Image& first, const Reduction& reduction) {
  std::vector<Image> images = {first};
  if (first.report().kernel.route == Route::Host) return images;
  const families::Job job = build.job();
  const families::Family& family = families::of(job.family);
  const KernelSpec* const spec = &first.report().kernel;
  const auto caller = family.caller(job, family.schedule(job, spec->architecture), {&spec, 1});
  const Arrays arrays(first.signature(), reduction, {});
  families::reduce::CallArguments arguments;
  arguments.inputs = arrays.in;
  arguments.outputs = arrays.out;
  const std::string method = caller->method_for(arguments);
  if (method.empty()) return images;
  build.job_options.push_back({"--reduce-kernel", method});
  build.kernel = 1;
  images.push_back(build_in_child(build));
  return images;
}

void run(const ReduceRequest& request, const std::vector<Image>& images, const Reduction& reduction,
         const std::vector<NpyArray>& inputs, const base::Bytes& state, std::vector<AlignedBytes>& results) {
  const Signature& signature = images.front().signature();
  const StateRef state_ref = state_ref_of(images.front(), state);
  Engine engine = engine_without_cache();
  Options options;
  std::vector<void*> pointers;
  if (request.is_on_host()) {
    options.host_threads = 0;
    for (const NpyArray& array : inputs) pointers.push_back(array.data.data());
    for (const AlignedBytes& result : results) pointers.push_back(result.data());
    const Arrays arrays(signature, reduction, pointers);
    return Reduce::load(engine, images, options).execute(host, arrays.in, arrays.out, state_ref);
  }
  options.devices = {request.device};
  options.architecture = images.front().report().kernel.architecture;
  const Reduce reduce = Reduce::load(engine, images, options);
  DeviceArrays memory(request.device);
  for (const NpyArray& array : inputs) pointers.push_back(memory.add(array.data.size(), array.data.data()));
  for (const AlignedBytes& result : results) pointers.push_back(memory.add(result.size(), nullptr));
  const Arrays arrays(signature, reduction, pointers);
  reduce.execute(nullptr, arrays.in, arrays.out, state_ref);
  memory.wait();
  for (std::size_t i = 0; i < results.size(); ++i) memory.fetch(inputs.size() + i, results[i].data());
}

// Puts a reduction that --combine names in place of the name.
void take_ready_made(BuildRequest& build, const Dtype& element) {
  const std::string name = value_of(build.job_options, "--combine");
  if (!is_ready_made(name)) return;
  for (const GivenOption& one : build.job_options)
    if (one.name != "--combine" && one.name != "--initial")
      refuse(base::format("--combine {} names a whole reduction, and {} is given", name, one.name),
             base::format("Leave {} out, or give --combine as a file or source text.", one.name));
  const std::string initial = value_of(build.job_options, "--initial");
  build.job_options = ready_made(name, element);
  if (initial.empty()) return;
  std::erase_if(build.job_options, [](const GivenOption& one) { return one.name == "--initial"; });
  build.job_options.push_back({"--initial", initial});
}

// The callbacks are read for each kernel.
void refuse_pipes(const BuildRequest& build) {
  for (const char* const place : {"map", "combine", "finish"}) {
    const std::string file = value_of(build.job_options, option_of(place));
    std::error_code ignored;
    if (std::filesystem::is_fifo(file, ignored) || std::filesystem::is_character_file(file, ignored))
      refuse(base::format("{} is a pipe or a device, but graft reduce reads callbacks several times", file),
             "Give a file, or source text.");
  }
}

Image build_first(BuildRequest build, const ReduceRequest& request) {
  if (!request.is_on_host() && build.architecture.empty())
    build.architecture = device_architecture(request.device).sm();
  const Progress progress("building the kernel");
  return build_in_child(build);
}

void reduce(ReduceRequest request) {
  if (!request.is_on_host()) device_architecture(request.device);  // nothing else can succeed without it
  std::vector<NpyArray> arrays;
  for (const std::string& file : request.inputs) arrays.push_back(read_npy(file));
  const std::vector<std::uint64_t> shape = broadcast(arrays, request.inputs);
  const Reduction reduction(shape, reduced_axes(request.axes, shape.size()), request.keeps_dimensions);
  check_outputs(request.outputs);
  take_ready_made(request.build, arrays.front().header.type);
  refuse_pipes(request.build);
  const Image first = build_first(request.build, request);
  check_signature(request, arrays, first);
  const base::Bytes state = state_for(request, first);
  BuildRequest build = request.build;
  if (!request.is_on_host()) build.architecture = first.report().kernel.architecture.sm();
  const std::vector<Image> images = build_kernels(build, first, reduction);
  std::vector<AlignedBytes> results;
  for (std::size_t i = 0; i < request.outputs.size(); ++i)
    results.emplace_back(reduction.results, first.signature().outputs()[i].size, request.outputs[i]);
  {
    const Progress progress("running");
    run(request, images, reduction, arrays, state, results);
  }
  json files = json::array(), reports = json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string descr = descr_of(first.signature().outputs()[i]);
    write_npy(request.outputs[i], descr, reduction.shape, results[i].span());
    files.push_back({{"file", request.outputs[i]}, {"dtype", descr}, {"shape", reduction.shape}});
  }
  for (const Image& image : images) reports.push_back(json::parse(image.report().to_json()));
  if (request.as_json) print_json(json{{"elements", reduction.elements}, {"outputs", files}, {"reports", reports}});
}

}  // namespace

void add_reduce(CLI::App& program) {
  auto request = std::make_shared<ReduceRequest>();
  CLI::App* const command = program.add_subcommand(
      "reduce", "Reduce .npy arrays, all elements or along some axes, on a GPU, or on the CPU with --route host");
  command
      ->add_option("-i,--in", request->inputs, "Input array (.npy); one --in for each element that map takes, in order")
      ->allow_extra_args(false)
      ->required();
  command->add_option("-o,--out", request->outputs, "Output array (.npy) to write; one --out for each result, in order")
      ->allow_extra_args(false)
      ->required();
  add_request_options_for(reduce_options(), *command, request->build)
      ->required()
      ->description(base::format("How two accumulators are combined: a callback (a file or source text), or the name "
                                 "of a whole reduction: {}",
                                 base::join(ready_made_reductions(), ", ")));
  command->remove_option(command->get_option("--reduce-kernel"));  // the call decides which it takes
  command
      ->add_option("--axis", request->axes,
                   "Axis to reduce, from 0, or from -1 for the last one (repeatable; default: all axes)")
      ->allow_extra_args(false);
  command->add_flag("--keepdims", request->keeps_dimensions, "Keep the reduced axes in the outputs, with the extent 1");
  command->add_option(
      "--state", request->state,
      "Value of the `const T&` parameter of map or finish: a number (2.5), the fields of a struct "
      "(a=2.5,w={1,2}), bytes in hexadecimal (hex:0000803f), or a file that contains the bytes (@FILE)");
  command->add_option("--device", request->device, "Ordinal of the GPU to run on (default: 0)");
  command->add_flag("--json", request->as_json, "Print the written files and the kernels' reports as JSON");
  command->footer(std::string("Prints nothing unless --json is given. ") + kExitCodesHelp);
  command->callback([request] { reduce(*request); });
}

}  // namespace graft::cli
