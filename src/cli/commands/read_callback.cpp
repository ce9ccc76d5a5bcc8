// Makes the Callback of a BuildRequest from a file, from bytes that were read from a file, or from source text. For a
// job of a family, makes its callbacks, and from them those of one kernel.
//
// Callback::file also makes a Callback from a file, but it opens the path, and a pipe can be opened and read only once.
// So a command that must look at the bytes first keeps them in BuildRequest::content, and callback_of() makes the
// Callback from BuildRequest::content.

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "base/format.hpp"
#include "base/read_file.hpp"
#include "base/seen_file.hpp"
#include "cli/commands/build_options.hpp"
#include "cli/output/printable.hpp"
#include "core/fail.hpp"
#include "engine/job_kernels.hpp"
#include "families/elementwise/shapes/shape_class.hpp"
#include "families/registry.hpp"
#include "format/file_kind.hpp"
#include "formula/whole_text.hpp"
#include "graft/error.hpp"
#include "graft/formula.hpp"
#include "graft/generic.hpp"
#include "reflect/callback/mistaken_text.hpp"

namespace graft::cli {
namespace {

constexpr std::size_t kLongestTitle = 200;

// Returns the same Callback that Callback::file makes from a file with these bytes.
Callback callback_of(const std::string& content, const std::string& file) {
  const auto bytes = base::as_bytes(content);
  const auto kind = format::file_kind(bytes);
  if (!kind)
    fail(ErrorCode::ImageRefused, base::format("{} is not a callback: {}", file, kind.error().message),
         "Give CUDA C++ source, a compiled callback, or a pack.");
  switch (*kind) {
    case format::FileKind::Source:
      break;
    case format::FileKind::LtoIr:
      return Callback::ltoir(bytes, file);
    case format::FileKind::Fatbin:
      return Callback::fatbin(bytes, file);
    case format::FileKind::Ptx:
      return Callback::ptx(content, file);
    case format::FileKind::Cubin:
    case format::FileKind::Object:
    case format::FileKind::Archive:
      return Callback::object(bytes, file);
    case format::FileKind::NvvmText:
    case format::FileKind::NvvmBitcode:
      return Callback::nvvm(bytes, Libdevice::Without, file);
    case format::FileKind::Pack:
      return Callback::pack(bytes, file);
  }
  return Callback::source(content, file).with_folder(base::folder_of(file));
}

// Returns whether `callback` is source text or a formula with its variables, and not the path of a file.
bool is_source_text(const std::string& callback) {
  const bool is_possible =
      callback.find('(') != callback.npos || callback.starts_with('[') || formulas::is_whole(callback);
  if (!is_possible) return false;
  if (callback.find('\0') != callback.npos) return true;  // a path has no zero byte
  std::error_code ignored;
  return !std::filesystem::exists(callback, ignored);
}

// Throws for a callback that is no source text, and is not the path of a file that can be read.
[[noreturn]] void refuse_unreadable(const std::string& callback, const std::string& problem) {
  std::string remedy = "Check that it exists, is a file or a pipe, and that this user may read it.";
  if (reflect::kind_of_text(callback) == reflect::TextKind::Formula)
    remedy += base::format(
        " If it is a formula, give its variables too, such as 'f32 x => 2 * x', or write a function around it: '{}'.",
        reflect::lambda_of(callback));
  fail(ErrorCode::FileUnreadable, base::format("cannot read the callback file {}: {}", callback, problem),
       std::move(remedy));
}

// The kernels of a job for the request's architecture, or for the architecture of a request that names none.
std::vector<Step> kernels_of(const BuildRequest& request, families::Job job) {
  std::optional<Architecture> architecture;
  if (request.route != name(Route::Host))
    architecture = request.architecture.empty() ? kOldestArchitecture : Architecture::parse(request.architecture);
  const engine::JobKernels kernels(std::move(job));
  return kernels.kernels_for(architecture, kernels.job().methods, request.tuning.get()).schedule.kernels;
}

// The job of a callback: the flat kernel, and those for the given classes of shapes.
families::Job transform(const Callback& callback, const std::vector<std::string>& shapes) {
  families::Job job{.callbacks = {{"callback", callback}},
                    .methods = {elementwise::method_of(elementwise::ShapeClass::Flat)}};
  for (const std::string& one : shapes)
    if (std::ranges::find(job.methods, one) == job.methods.end()) job.methods.push_back(one);
  return job;
}

// Lists options of a job's callbacks: "--load-entry, --load-signature, --store-entry, --store-signature".
std::string options_of_places(const JobOptions& job, const std::vector<std::string>& endings) {
  std::vector<std::string> names;
  for (const JobPlace& place : job.places())
    for (const std::string& ending : endings) names.push_back(option_of(place.place, ending));
  return base::join(names, ", ");
}

}  // namespace

Callback callback_at(const std::string& file_or_text) {
  if (is_source_text(file_or_text))
    return formulas::is_whole(file_or_text) ? formula(file_or_text) : Callback::source(file_or_text);
  std::error_code ignored;
  if (reflect::kind_of_text(file_or_text) == reflect::TextKind::Formula &&
      !std::filesystem::exists(file_or_text, ignored))
    refuse_unreadable(file_or_text, std::make_error_code(std::errc::no_such_file_or_directory).message());
  return Callback::file(file_or_text);
}

bool BuildRequest::is_text() const {
  return is_only_formula || is_source_text(callback);
}

bool BuildRequest::is_formula() const {
  return is_only_formula || (is_text() && formulas::is_whole(callback));
}

FormulaWithNumbers BuildRequest::formula_with_numbers() const {
  formulas::WholeText whole = formulas::split(callback);
  std::vector<std::string> names;
  std::vector<graft::Number> values;
  for (const FormulaNumber& one : numbers) {
    names.push_back(one.name);
    values.push_back(one.value);
  }
  const WeakFormula weak(whole.formula, std::move(whole.variables.inputs), std::move(names),
                         std::move(whole.variables.parameters));
  WeakValues known = weak.values(values);
  WeakCallback made = weak.callback(known);
  return {std::move(made), std::move(known)};
}

void BuildRequest::read_content() {
  base::FileContent read = base::read_file(callback, format::kLargestCallback, format::largest_callback);
  if (!read) refuse_unreadable(callback, read.problem());
  content = std::move(*read);
}

std::vector<std::string> BuildRequest::callbacks() const {
  const JobOptions* const asked = asked_job();
  if (asked == nullptr) return is_only_formula ? std::vector<std::string>() : std::vector{callback};
  std::vector<std::string> found = asked->files(job_options);
  for (const JobPlace& place : asked->places())
    if (std::string given = value_of(job_options, option_of(place.place)); !given.empty())
      found.push_back(std::move(given));
  return found;
}

// --entry and --signature belong to the callback of a job that has one callback. The callbacks of other jobs have
// options of their own.
std::optional<Callback> BuildRequest::read_callback_at(std::string_view place) const {
  const std::string file_or_text = value_of(job_options, option_of(place));
  const std::string own_entry = value_of(job_options, option_of(place, "-entry"));
  const std::string own_signature = value_of(job_options, option_of(place, "-signature"));
  const auto is_given = [&](const JobPlace& one) { return !value_of(job_options, option_of(one.place)).empty(); };
  if (std::ranges::count_if(asked_job()->places(), is_given) != 1 && (!entry.empty() || !signature.empty()))
    refuse("--entry and --signature are for a single callback",
           base::format("Name those of each callback of {}: {}.", asked_job()->noun(),
                        options_of_places(*asked_job(), {"-entry", "-signature"})));
  if (file_or_text.empty()) {
    if (!own_entry.empty() || !own_signature.empty())
      refuse(base::format("an entry or a signature is given for a callback that {} does not have", asked_job()->noun()),
             base::format("Give the callback too: {}.", options_of_places(*asked_job(), {""})));
    return std::nullopt;
  }
  Callback read = callback_at(file_or_text);
  const std::string& wanted = own_entry.empty() ? entry : own_entry;
  const std::string& declared = own_signature.empty() ? signature : own_signature;
  if (!wanted.empty()) read = read.with_entry(wanted);
  return declared.empty() ? read : read.with_signature(declared);
}

// Returns the job with empty callbacks, for what depends on which callbacks there are and not on what they are.
families::Job BuildRequest::outline() const {
  const JobOptions* const asked = asked_job();
  if (asked == nullptr) return transform(Callback::source(""), shapes);
  return asked->job(job_options, [&](std::string_view place) -> std::optional<Callback> {
    if (value_of(job_options, option_of(place)).empty()) return std::nullopt;
    return Callback::source("");
  });
}

const families::Family& BuildRequest::family() const {
  return families::of(outline().family);
}

int BuildRequest::kernel_count() const {
  return static_cast<int>(kernels_of(*this, outline()).size());
}

families::Job BuildRequest::job() const {
  const JobOptions* const asked = asked_job();
  if (asked == nullptr) return transform(read_callback(), shapes);
  if (!link_inputs.empty() || libdevice)
    refuse(base::format("--link and --libdevice are for a single callback, and not for {}", asked->noun()),
           "Leave them out: only a program can link a binary to one of several callbacks.");
  if (!types.empty())
    refuse(base::format("--types is for the arrays of a transform, and not for {}", asked->noun()),
           "Name the instance of a template by its entry, such as 'scale<float>'.");
  if (asked->places().empty() && (!entry.empty() || !signature.empty()))
    refuse(
        "--entry and --signature are for a single callback",
        "Name a kernel by --kernel-entry, and the function of a slot's callback by --slot-entry and --slot-signature.");
  return asked->job(job_options, [&](std::string_view place) { return read_callback_at(place); });
}

std::vector<Step> BuildRequest::steps() const {
  return kernels_of(*this, job());
}

Step BuildRequest::step() const {
  return steps().at(static_cast<std::size_t>(kernel));
}

Callback BuildRequest::read_untyped() const {
  if (!types.empty() && is_formula())
    refuse("--types is for source, and a formula has the types of its variables in front of it",
           "Write the types into the formula: 'f32 x; f32 a => a * x'.");
  Callback found = !numbers.empty()  ? formula_with_numbers().callback.callback()
                   : is_only_formula ? formula(callback)
                   : content         ? callback_of(*content, callback)
                                     : callback_at(callback);
  if (libdevice && found.form() == Form::Nvvm) found = Callback::nvvm(found.bytes(), Libdevice::With, found.name());
  if (!signature.empty()) found = found.with_signature(signature);
  for (const std::string& path : link_inputs) found = found.with_link_input(Callback::file(path));
  return found;
}

Callback BuildRequest::with_types(const Callback& untyped) const {
  return types.empty() ? untyped : GenericCallback(untyped).instance(graft::types(types));
}

Callback BuildRequest::read_callback() const {
  const Callback untyped = read_untyped();
  return types.empty() || entry.empty() ? with_types(untyped) : with_types(untyped.with_entry(entry));
}

std::string BuildRequest::title() const {
  if (const JobOptions* const asked = asked_job())
    return base::format("{}, kernel {}", asked->title(job_options), kernel + 1);
  const std::string title = printable(std::string_view(callback).substr(0, callback.find('\n')), kLongestTitle);
  return kernel == 0 ? title : base::format("{}, kernel {}", title, kernel + 1);
}

}  // namespace graft::cli
