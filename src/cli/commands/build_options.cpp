// Holds the table of a BuildRequest's fields. Three readers use the table: the one for the command line, the one for
// the lines of a `graft warm` list, and the one for the message to a child process. A new option needs one member of
// BuildRequest and one row of the table.
#include "cli/commands/build_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "base/format.hpp"
#include "cli/commands/words.hpp"
#include "core/fail.hpp"
#include "families/elementwise/shapes/shape_class.hpp"
#include "formula/whole_text.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

std::string problem_of_shapes(const std::string& word) {
  const std::optional<elementwise::KernelShapes> kernel = elementwise::kernel_of(word);
  if (kernel && *kernel != elementwise::ShapeClass::Flat) return {};
  return base::format("`{}` names no kernel for views: name strided, or 'transposed 1' (a bit for each input)", word);
}

std::string problem_of_formula(const std::string& text) {
  if (formulas::has_arrow(text)) return {};
  return "the variables are missing before the formula: 'f32 x; f32 a => a * max(x, 0)'";
}

std::string problem_of_route(const std::string& word) {
  std::vector<std::string> names;
  for (const Route route : kRoutes) names.emplace_back(name(route));
  return problem_of_choice("route", word, names);
}

std::string problem_of_standard(const std::string& word) {
  return word == "17" || word == "20"
             ? std::string()
             : base::format("{} is not a C++ standard that graft supports: give 17 or 20", word);
}

// One field of a request. `check` returns what is wrong with a value from the command line, or an empty text.
template <class Value>
struct Row {
  const char* name;
  Value BuildRequest::*value;
  const char* help;
  std::string (*check)(const std::string&) = nullptr;
};
using Text = Row<std::string>;
using List = Row<std::vector<std::string>>;
using Number = Row<int>;
using Flag = Row<bool>;

constexpr Text kCallback = {
    "CALLBACK", &BuildRequest::callback,
    "The callback: a file (CUDA C++, LTO-IR, fatbin, PTX, cubin, object, archive, NVVM IR, pack), source text, or a "
    "formula with its variables ('f32 x; f32 a => a * max(x, 0)')"};

constexpr const char* kFormula = "-e,--formula";

// The options for the architecture and the route.
constexpr Text kArchitecture = {
    "--arch", &BuildRequest::architecture,
    "GPU architecture to build for: 90, sm_90 or 90a (default: this machine's GPU, but 75 in graft inspect)"};
constexpr Text kRoute = {
    "--route", &BuildRequest::route,
    "Build by this route or fail: lto, program, ptx, indirect, host (default: the first GPU route that works)",
    problem_of_route};
constexpr List kForbidden = {"--forbid-route", &BuildRequest::forbidden_routes,
                             "Never build by this route (repeatable)", problem_of_route};

constexpr List kShapes = {
    "--shapes", &BuildRequest::shapes,
    "Also build the kernel for arrays that are views: strided (of any shape), or 'transposed N' as "
    "Transform::describe_shapes names it (repeatable)",
    problem_of_shapes};

constexpr Text kEntry = {kEntryOption, &BuildRequest::entry,
                         "Name of the function to use, when the source or the pack has several"};

// The options that say how the callback is compiled, one array for each type of value.
constexpr std::array kTexts = {
    Text{"--signature", &BuildRequest::signature,
         "C++ declaration, e.g. 'float f(float)': required for a compiled callback; selects an overload in source"},
    Text{"--types", &BuildRequest::types,
         "Types of the arrays, for a template or a lambda with auto parameters: 'f32, f32', or with the types of state "
         "and outputs 'f32; Scale -> f64'"},
};
constexpr std::array kLists = {
    List{"-D,--define", &BuildRequest::defines, "Define a macro: NAME (as 1) or NAME=VALUE (repeatable)",
         problem_of_define},
    List{"-I,--include", &BuildRequest::includes, "Folder to search for headers (repeatable, searched in order)"},
    List{"--compiler-option", &BuildRequest::compiler_options,
         "Further option for NVRTC, written like --compiler-option=--diag-suppress=177 (repeatable)"},
    List{"--link", &BuildRequest::link_inputs,
         "Compiled file with functions that the callback calls: LTO-IR, fatbin, PTX, cubin, object, archive "
         "(repeatable)"},
};
constexpr std::array kNumbers = {
    Number{"--std", &BuildRequest::standard, "C++ standard of the source: 17 or 20 (default: 17)", problem_of_standard},
    Number{"--max-registers", &BuildRequest::max_registers,
           "Most registers per thread: 16 to 255, or 0 for the compiler's choice (default: 0)", problem_of_registers},
};
constexpr std::array kFlagOptions = {
    Flag{"--libdevice", &BuildRequest::libdevice, "Link CUDA's device library (libdevice) to a callback in NVVM IR"},
    Flag{"--line-info", &BuildRequest::line_info,
         "Keep source line numbers in the kernel, for profilers and debuggers"},
    Flag{"--fast-math", &BuildRequest::fast_math, "Faster, less accurate math, as with nvcc's --use_fast_math"},
    Flag{"--no-contraction", &BuildRequest::no_contraction,
         "Never fuse a * b + c into one multiply-add (default: the compiler may)"},
    Flag{"--flush-to-zero", &BuildRequest::flush_to_zero, "Replace single-precision subnormals by zero"},
    Flag{"--approximate-division", &BuildRequest::approximate_division,
         "Faster, less accurate single-precision division"},
    Flag{"--approximate-square-root", &BuildRequest::approximate_square_root,
         "Faster, less accurate single-precision square root"},
    Flag{
        "--closed", &BuildRequest::closed,
        "For untrusted source: forbid the preprocessor and assembly; compile with at most 128 registers per thread, in "
        "at most 10 s and 2 GiB of memory"},
    Flag{"--allow-thread-words", &BuildRequest::allow_thread_words,
         "Allow barriers, thread indices, shared memory and warp functions in the callback (results may differ between "
         "kernels)"},
};

// ---- conversion to the library's types ----

Route parse_route(const std::string& word) {
  const auto found = std::ranges::find_if(kRoutes, [&](Route route) { return name(route) == word; });
  if (found == kRoutes.end())
    refuse(base::format("there is no route `{}`", word), "Name one of lto, program, ptx, indirect, host.");
  return *found;
}

// ---- the command line ----

template <class Value>
CLI::Option* add_option(CLI::App& command, BuildRequest& request, const Row<Value>& field) {
  CLI::Option* const option = command.add_option(field.name, request.*field.value, field.help);
  return field.check ? option->check(field.check) : option;
}

// Adds the options of a request to a command, but for what is built, and returns the option --arch. The value of --arch
// is not checked here, because some callers accept one architecture and some a list.
CLI::Option* add_how_to_build(CLI::App& command, BuildRequest& request) {
  CLI::Option* const architecture = add_option(command, request, kArchitecture);
  add_option(command, request, kRoute);
  add_option(command, request, kForbidden)->allow_extra_args(false);
  add_option(command, request, kEntry);
  add_compile_options(command, request);
  return architecture;
}

CLI::Option* add_options(CLI::App& command, BuildRequest& request, const std::string& callback_name) {
  CLI::Option* const callback = command.add_option(callback_name, request.*kCallback.value, kCallback.help)->required();
  const auto take = [&request, callback](const std::string& text) {
    request.callback = text;
    request.is_only_formula = true;
    callback->required(false);
  };
  command
      .add_option_function<std::string>(kFormula, take, "A formula with its variables, in place of " + callback_name)
      ->excludes(callback)
      ->check(problem_of_formula);
  return add_how_to_build(command, request);
}

}  // namespace

Options BuildRequest::options() const {
  Options options;
  const JobOptions* const job = asked_job();
  // The callbacks of a job have entries of their own, and so has the instance that read_callback() makes.
  if (job != nullptr) options.headers = job->headers(job_options);
  else if (types.empty()) options.entry = entry;
  for (const std::string& define : defines) {
    const std::size_t equals = define.find('=');
    if (equals == define.npos) options.defines.push_back({define});
    else options.defines.push_back({define.substr(0, equals), define.substr(equals + 1)});
  }
  options.include_paths = includes;
  options.compiler_options = compiler_options;
  options.standard = standard == 20 ? CppStandard::Cpp20 : CppStandard::Cpp17;
  options.max_registers = max_registers;
  options.line_info = line_info;
  options.floating_point = {.fast_math = fast_math,
                            .contraction = !no_contraction,
                            .flush_to_zero = flush_to_zero,
                            .precise_division = !approximate_division,
                            .precise_square_root = !approximate_square_root};
  if (closed) options.closed.emplace();
  options.allow_thread_words = allow_thread_words;
  if (!route.empty()) options.routes.required = parse_route(route);
  for (const std::string& word : forbidden_routes) options.routes.forbidden.push_back(parse_route(word));
  options.measured = measured;
  if (!architecture.empty()) options.architecture = Architecture::parse(architecture);
  return options;
}

BuildRequest BuildRequest::from_words(std::vector<std::string> words) {
  check_words(words);
  CLI::App app;
  app.set_help_flag();
  BuildRequest request;
  add_options(app, request, kCallback.name);
  add_job_options(app, request, kCallback.name);
  add_shapes_option(app, request);
  refuse_empty_values(app);
  std::reverse(words.begin(), words.end());  // CLI11 expects the last argument first
  app.parse(std::move(words));
  return request;
}

void add_compile_options(CLI::App& command, BuildRequest& request) {
  const auto add = [&](const auto& field) { return add_option(command, request, field); };
  std::ranges::for_each(kTexts, add);
  for (const List& field : kLists) add(field)->allow_extra_args(false);
  std::ranges::for_each(kNumbers, add);
  for (const Flag& field : kFlagOptions) command.add_flag(field.name, request.*field.value, field.help);
}

void add_job_options(CLI::App& command, BuildRequest& request, const std::string& callback_name,
                     std::span<const JobOptions* const> jobs) {
  add_job_options(command, command.get_option(callback_name), command.get_option_no_throw("--formula"),
                  request.job_options, jobs);
}

CLI::Option* add_shapes_option(CLI::App& command, BuildRequest& request) {
  CLI::Option* const option = add_option(command, request, kShapes)->allow_extra_args(false);
  for (const JobOptions* const job : all_job_options())
    option->excludes(command.get_option(job->options().front().name));
  return option;
}

CLI::Option* add_request_options_for(const JobOptions& job, CLI::App& command, BuildRequest& request) {
  CLI::Option* const asking = add_options_of(job, command, request.job_options);
  add_how_to_build(command, request)->check(problem_of_architecture);
  return asking;
}

void add_request_options(CLI::App& command, BuildRequest& request, const std::string& callback_name) {
  add_options(command, request, callback_name)->check(problem_of_architecture);
}

}  // namespace graft::cli
