// `graft apply`: runs a callback over the arrays of .npy files and writes the results as .npy files.
//
// The device, the input files and the output names are checked before the kernel is built, because these checks are
// cheap. The arrays' element types are checked after the build, because this check needs the signature of the built
// kernel.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "cli/arrays/array_checks.hpp"
#include "cli/arrays/array_run.hpp"
#include "cli/arrays/broadcast.hpp"
#include "cli/arrays/formula_numbers.hpp"
#include "cli/arrays/npy.hpp"
#include "cli/arrays/state_source.hpp"
#include "cli/child/child.hpp"
#include "cli/commands/commands.hpp"
#include "cli/output/output.hpp"
#include "cli/output/progress.hpp"
#include "core/element_spelling.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;

struct ApplyRequest {
  BuildRequest build;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::string state;
  std::optional<std::uint64_t> count;
  int device = 0;
  bool as_json = false;
};

// Refuses element types of unknown size. A load or store callback reads or writes its array itself, so only the
// callback's code knows the size of this array.
void refuse_opaque(const Image& image, const std::vector<ElementType>& types) {
  for (const ElementType& type : types)
    if (type.kind == ElementKind::Opaque)
      refuse(
          base::format(
              "{} ({}) has a load or store callback, which reads or writes its array itself: graft does not know the "
              "array's size",
              image.report().kernel.name, image.signature().text()),
          "Give a callback that takes and returns elements.");
}

// An array that the callback reads: an input, or an output that it reads too (graft::InOut).
struct ReadArray {
  ElementType type;
  std::string_view spelling;          // the element's type as the callback spells it
  std::optional<std::size_t> output;  // the array's index among the outputs
};

// Returns the arrays that the callback reads, in the order of the parameters, which is the order of the --in options.
std::vector<ReadArray> arrays_read(const Signature& signature) {
  std::vector<ReadArray> arrays;
  std::size_t in_out = 0;
  for (const Parameter& parameter : signature.parameters()) {
    const std::string_view spelling = element_spelling(parameter.spelling);
    if (parameter.role == Role::Input) arrays.push_back({parameter.type, spelling, std::nullopt});
    if (parameter.role == Role::InOut) arrays.push_back({parameter.type, spelling, signature.in_outs()[in_out++]});
  }
  return arrays;
}

void check_types(const ApplyRequest& request, const std::vector<NpyArray>& arrays, const Image& image) {
  const Signature& signature = image.signature();
  const std::vector<ReadArray> read = arrays_read(signature);
  if (signature.outputs().empty())
    refuse(base::format("{} ({}) has no outputs, so there is nothing to write", image.report().kernel.name,
                        signature.text()),
           "Give a callback that returns a value or writes through a `T&` or graft::InOut parameter.");
  refuse_opaque(image, signature.inputs());
  refuse_opaque(image, signature.outputs());
  check_number(image, "input", read.size(), arrays.size(), "--in");
  check_number(image, "output", signature.outputs().size(), request.outputs.size(), "--out");
  for (std::size_t i = 0; i < arrays.size(); ++i)
    check_type(request.inputs[i], arrays[i].header.type, read[i].type, i, "graft apply");
}

// Returns the dtype of an output file. NumPy has no name for a struct. If the callback spells the output's type exactly
// like the type of an input, the output gets the dtype of that input's array, and so keeps the field names.
std::string output_descr(const Signature& signature, std::size_t output, const std::vector<NpyArray>& arrays) {
  std::vector<std::string> spellings;
  if (signature.result().role == Role::Output) spellings.push_back(signature.result().spelling);
  for (const Parameter& parameter : signature.parameters())
    if (parameter.role == Role::Output || parameter.role == Role::InOut)
      spellings.emplace_back(element_spelling(parameter.spelling));
  std::string descr = descr_of(signature.outputs()[output]);
  if (!descr.starts_with("'|V")) return descr;
  const std::vector<ReadArray> read = arrays_read(signature);
  for (std::size_t i = 0; i < read.size(); ++i)
    if (read[i].spelling == spellings[output]) return arrays[i].header.type.descr;
  return descr;
}

Image build(const ApplyRequest& request, bool on_host) {
  BuildRequest build = request.build;
  if (!on_host && build.architecture.empty()) build.architecture = device_architecture(request.device).sm();
  const Progress progress("building the kernel");
  return build_in_child(build);
}

void apply(ApplyRequest request) {
  const bool on_host = request.build.options().routes.required == Route::Host;
  // Check the device first, because nothing else can succeed without it.
  if (!on_host) device_architecture(request.device);
  std::vector<NpyArray> arrays;
  for (const std::string& file : request.inputs) arrays.push_back(read_npy(file));
  std::vector<std::uint64_t> shape = broadcast(arrays, request.inputs);
  if (arrays.empty() != request.count.has_value())
    throw CLI::ValidationError(arrays.empty() ? "--count is required when there is no --in"
                                              : "--count cannot be combined with --in, which gives the count");

  check_outputs(request.outputs);
  request.state = take_numbers(request.build, request.state);
  if (!request.build.is_text()) request.build.read_content();  // compiled again for the fields of the state
  const Image image = build(request, on_host);
  check_types(request, arrays, image);
  ArrayRun run;
  run.state = state_of(request.build, image, request.state);
  run.count = arrays.empty() ? *request.count : arrays[0].header.count;
  if (arrays.empty()) shape = {run.count};
  std::vector<AlignedBytes> results;
  const std::vector<ElementType>& types = image.signature().outputs();
  for (std::size_t i = 0; i < types.size(); ++i)
    run.outputs.push_back(results.emplace_back(run.count, types[i].size, request.outputs[i]).data());
  const std::vector<ReadArray> read = arrays_read(image.signature());
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (!read[i].output) run.inputs.push_back(arrays[i].data.data());
    else std::ranges::copy(arrays[i].data.span(), run.outputs[*read[i].output]);
  }
  {
    const Progress progress("running");
    if (on_host) run_on_host(image, run);
    else run_on_device(image, request.device, run);
  }
  json files = json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string descr = output_descr(image.signature(), i, arrays);
    write_npy(request.outputs[i], descr, shape, results[i].span());
    files.push_back({{"file", request.outputs[i]}, {"dtype", descr}, {"shape", shape}});
  }
  if (request.as_json)
    print_json(json{{"count", run.count}, {"outputs", files}, {"report", json::parse(image.report().to_json())}});
}

}  // namespace

void add_apply(CLI::App& program) {
  auto request = std::make_shared<ApplyRequest>();
  CLI::App* const command = program.add_subcommand(
      "apply", "Run a callback over the elements of .npy arrays, on a GPU, or on the CPU with --route host");
  add_request_options(*command, request->build, "CALLBACK");
  command
      ->add_option(
          "-i,--in", request->inputs,
          "Input array (.npy); one --in for each by-value or graft::InOut parameter, in the order of the parameters")
      ->allow_extra_args(false);
  command
      ->add_option("-o,--out", request->outputs,
                   "Output array (.npy) to write; one --out for the return value, then one for each T& or graft::InOut "
                   "parameter")
      ->allow_extra_args(false)
      ->required();
  command->add_option(
      "--state", request->state,
      "Value of the `const T&` parameter: a number (2.5), the fields of a struct or the parameters of a formula "
      "(a=2.5,w={1,2}), bytes in hexadecimal (hex:0000803f), or a file that contains the bytes (@FILE)");
  command->add_option("--count", request->count,
                      "Number of elements; required without --in, and not allowed with --in");
  command->add_option("--device", request->device, "Ordinal of the GPU to run on (default: 0)");
  command->add_flag("--json", request->as_json, "Print the written files and the kernel's report as JSON");
  command->footer(std::string("Prints nothing unless --json is given. ") + kExitCodesHelp);
  command->callback([request] { apply(*request); });
}

}  // namespace graft::cli
