#include "cli/build_request.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

constexpr std::array kRoutes = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect, Route::Host};

// The words of a request that have a value, once for reading and writing both.
struct TextOption {
  const char* name;
  std::string BuildRequest::*value;
  const char* help;
};
// How the callback is compiled, and what is made of it.
constexpr std::array kCompileTexts = {
    TextOption{"--entry", &BuildRequest::entry, "Which function is the callback, where the source defines several"},
    TextOption{"--signature", &BuildRequest::signature,
               "Declared signature: a compiled callback needs it, an overload is picked by it"},
};
constexpr std::array kBuildTexts = {
    TextOption{"--arch", &BuildRequest::architecture, "Architecture to build for: 90, sm_90, 90a"},
    TextOption{"--route", &BuildRequest::route, "Take this route or fail: lto, program, ptx, indirect, host"},
};

struct ListOption {
  const char* name;
  std::vector<std::string> BuildRequest::*value;
  const char* help;
};
constexpr std::array kCompileLists = {
    ListOption{"-D,--define", &BuildRequest::defines, "Define a macro: NAME or NAME=VALUE (repeatable)"},
    ListOption{"-I,--include", &BuildRequest::includes, "Folder to search for headers (repeatable)"},
};
constexpr ListOption kForbidden = {"--forbid-route", &BuildRequest::forbidden_routes,
                                   "Never take this route (repeatable)"};

struct Flag {
  const char* name;
  bool BuildRequest::*value;
  const char* help;
};
constexpr std::array kFlags = {
    Flag{"--libdevice", &BuildRequest::libdevice, "Link CUDA's device library to NVVM IR"},
    Flag{"--line-info", &BuildRequest::line_info, "Source lines for profilers and debuggers"},
    Flag{"--fast-math", &BuildRequest::fast_math, "As nvcc's --use_fast_math"},
    Flag{"--no-contraction", &BuildRequest::no_contraction, "Never fuse a * b + c into one operation"},
    Flag{"--flush-to-zero", &BuildRequest::flush_to_zero, "Single-precision subnormals become zero"},
    Flag{"--approximate-division", &BuildRequest::approximate_division, "Faster single-precision division"},
    Flag{"--approximate-square-root", &BuildRequest::approximate_square_root, "Faster single-precision square root"},
};

std::string_view long_name(std::string_view name) {
  return name.substr(name.find("--"));
}

Route parse_route(const std::string& word) {
  const auto found = std::ranges::find_if(kRoutes, [&](Route route) { return name(route) == word; });
  if (found == kRoutes.end())
    refuse(fmt::format("there is no route `{}`", word), "Name one of lto, program, ptx, indirect, host.");
  return *found;
}

bool looks_like_source(const std::string& text) {
  return text.find('(') != text.npos;
}

}  // namespace

Callback BuildRequest::read_callback() const {
  std::error_code ignored;
  const bool is_text = looks_like_source(callback) && !std::filesystem::exists(callback, ignored);
  Callback read = is_text ? Callback::source(callback) : Callback::file(callback);
  if (libdevice && read.form() == Form::Nvvm) read = Callback::nvvm(read.bytes(), Libdevice::With, read.name());
  if (!signature.empty()) read = read.with_signature(signature);
  return read;
}

Options BuildRequest::options() const {
  Options options;
  options.entry = entry;
  for (const std::string& define : defines) {
    const std::size_t equals = define.find('=');
    if (equals == define.npos) options.defines.push_back({define});
    else options.defines.push_back({define.substr(0, equals), define.substr(equals + 1)});
  }
  options.include_paths = includes;
  options.standard = standard == 20 ? CppStandard::Cpp20 : CppStandard::Cpp17;
  options.max_registers = max_registers;
  options.line_info = line_info;
  options.floating_point = {.fast_math = fast_math,
                            .contraction = !no_contraction,
                            .flush_to_zero = flush_to_zero,
                            .precise_division = !approximate_division,
                            .precise_square_root = !approximate_square_root};
  if (!route.empty()) options.routes.required = parse_route(route);
  for (const std::string& word : forbidden_routes) options.routes.forbidden.push_back(parse_route(word));
  if (!architecture.empty()) options.architecture = Architecture::parse(architecture);
  return options;
}

std::string BuildRequest::title() const {
  return callback.substr(0, callback.find('\n'));
}

std::vector<std::string> BuildRequest::words() const {
  std::vector<std::string> words;
  const auto add_text = [&](const TextOption& option) {
    if (const std::string& value = this->*option.value; !value.empty())
      words.push_back(fmt::format("{}={}", option.name, value));
  };
  const auto add_list = [&](const ListOption& option) {
    for (const std::string& value : this->*option.value)
      words.push_back(fmt::format("{}={}", long_name(option.name), value));
  };
  std::ranges::for_each(kBuildTexts, add_text);
  std::ranges::for_each(kCompileTexts, add_text);
  add_list(kForbidden);
  std::ranges::for_each(kCompileLists, add_list);
  for (const Flag& flag : kFlags)
    if (this->*flag.value) words.emplace_back(flag.name);
  words.push_back(fmt::format("--std={}", standard));
  words.push_back(fmt::format("--max-registers={}", max_registers));
  words.emplace_back("--");
  words.push_back(callback);
  return words;
}

BuildRequest BuildRequest::from_words(std::vector<std::string> words) {
  CLI::App app;
  app.set_help_flag();
  BuildRequest request;
  add_request_options(app, request, "CALLBACK");
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  app.parse(std::move(words));
  return request;
}

void add_compile_options(CLI::App& command, BuildRequest& request) {
  for (const TextOption& option : kCompileTexts) command.add_option(option.name, request.*option.value, option.help);
  for (const ListOption& option : kCompileLists)
    command.add_option(option.name, request.*option.value, option.help)->allow_extra_args(false);
  command.add_option("--std", request.standard, "C++ standard of the source: 17 or 20")->check(CLI::IsMember({17, 20}));
  command.add_option("--max-registers", request.max_registers, "Per thread, 16 to 255; 0 leaves it to the compiler");
  for (const Flag& flag : kFlags) command.add_flag(flag.name, request.*flag.value, flag.help);
}

void add_request_options(CLI::App& command, BuildRequest& request, const std::string& callback_name) {
  command
      .add_option(callback_name, request.callback,
                  "A file of any form (CUDA C++ source, pack, PTX, LTO-IR, fatbin, object, NVVM IR), or source text")
      ->required();
  for (const TextOption& option : kBuildTexts) command.add_option(option.name, request.*option.value, option.help);
  command.add_option(kForbidden.name, request.*kForbidden.value, kForbidden.help)->allow_extra_args(false);
  add_compile_options(command, request);
}

}  // namespace graft::cli
