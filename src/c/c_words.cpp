#include "c/c_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/phrases.hpp"
#include "families/c_words.hpp"
#include "graft/graft.h"

namespace graft::c {
namespace {

using base::Phrase;
constexpr std::array kPhrases = {
    // Calls.
    Phrase{"execute(stream, graft::count(n), state)", "graft_launch::count"},
    Phrase{"Give one array for each input and each output, with graft::inputs(...) and graft::outputs(...).",
           "Give one array for each input and each output."},
    Phrase{"Give the arrays, with graft::inputs(...) and graft::outputs(...): they contain the count.",
           "Give the arrays, and 0 as graft_launch::count: the arrays contain the count."},
    Phrase{"Give the state as the last argument of execute.", "Give the state as graft_launch::state."},
    Phrase{"Leave the last argument out", "Leave graft_launch::state null"},
    Phrase{"as graft::bits(words, count) or graft::bits(words, offset, count)", "as an array of the type GRAFT_BIT"},
    Phrase{"as the offset of graft::bits", "as first_bit"},
    Phrase{"Leave count_zeros out", "Leave `zeros` null"},
    // Callbacks and what is made of them.
    Phrase{"Transform::create<float(float)>(source), or Callback::with_signature(\"float(float)\")",
           "graft_callback_set_signature(callback, \"float(float)\")"},
    Phrase{", or Signature::of<float(float)>()", ""},
    Phrase{"Callback::with_signature(\"float f(float, const Scale&)\")",
           "graft_callback_set_signature(callback, \"float f(float, const Scale&)\")"},
    Phrase{"the function of graft::Callback for its form: ltoir, fatbin, ptx or object",
           "graft_callback_from_bytes, with its form"},
    Phrase{"graft::Stages{.load = ..., .op = graft::chain(...), .store = ...}", "graft_callback_stages"},
    Phrase{"Callback::with_signature", "graft_callback_set_signature"},
    Phrase{"Callback::with_entry", "graft_callback_set_entry"},
    Phrase{"Callback::with_floating_point", "GRAFT_OPTION_CONTRACTION and the options beside it"},
    Phrase{"Callback::with_link_input", "graft_callback_add_link_input"},
    Phrase{"Callback::with_folder", "graft_callback_set_folder"},
    Phrase{"Callback::file", "graft_callback_from_file"},
    Phrase{"graft::Stages", "graft_callback_stages"},
    Phrase{"graft::chain", "graft_callback_chain"},
    Phrase{"graft::precompile", "graft_precompile"},
    Phrase{"graft::build", "graft_image_build"},
    Phrase{"ElementType::structure(size, alignment)", "GRAFT_STRUCT(size, alignment)"},
    // The route.
    Phrase{"Create it with Options::routes.required = graft::Route::Host",
           "Create it with GRAFT_OPTION_REQUIRED_ROUTE set to GRAFT_ROUTE_HOST"},
    Phrase{"Options::routes.required = graft::Route::Host", "GRAFT_OPTION_REQUIRED_ROUTE set to GRAFT_ROUTE_HOST"},
    Phrase{"Options::routes.required", "GRAFT_OPTION_REQUIRED_ROUTE"},
    Phrase{"Allow another route in Options::routes", "Require no route (GRAFT_OPTION_REQUIRED_ROUTE), or another one"},
    Phrase{"Options::routes", "GRAFT_OPTION_REQUIRED_ROUTE"},
    // Phrases with a preposition.
    Phrase{"is set by a member of Options", "is set by another option"},
    Phrase{"Give the header in Options::headers, or its folder in Options::include_paths",
           "Give the header with graft_options_add_header, or its folder with GRAFT_OPTION_INCLUDE_PATH"},
    Phrase{"give its text in Options::headers", "give its text with graft_options_add_header"},
    Phrase{"into a header in Options::headers", "into a header, and give it with graft_options_add_header"},
    Phrase{"in Options::headers", "of graft_options_add_header"},
    Phrase{"macros in Options::defines", "macros with graft_options_add_define"},
    Phrase{"in Options::defines", "of graft_options_add_define"},
    Phrase{"Options::defines does not compile", "a define (graft_options_add_define) does not compile"},
    Phrase{"in Options::entry", "with GRAFT_OPTION_ENTRY"},
    Phrase{"folder in Options::include_paths", "folder of GRAFT_OPTION_INCLUDE_PATH"},
    Phrase{"in Options::compiler_options", "of GRAFT_OPTION_COMPILER_OPTION"},
    Phrase{"out of Options::compiler_options", "out"},
    Phrase{"raise the bound in Options::closed", "raise the bound (GRAFT_OPTION_CLOSED_TIME_MS and others)"},
    Phrase{"Options::allow_thread_words (--allow-thread-words)", "GRAFT_OPTION_ALLOW_THREAD_WORDS"},
    Phrase{"that field of Options::policy", "that option"},
    Phrase{"set by Options::policy", "set by the caller's options"},
    // Single names.
    Phrase{"Options::entry", "GRAFT_OPTION_ENTRY"},
    Phrase{"Options::headers", "graft_options_add_header"},
    Phrase{"Options::defines", "graft_options_add_define"},
    Phrase{"Options::include_paths", "GRAFT_OPTION_INCLUDE_PATH"},
    Phrase{"Options::compiler_options", "GRAFT_OPTION_COMPILER_OPTION"},
    Phrase{"Options::standard", "GRAFT_OPTION_CPP_STANDARD"},
    Phrase{"Options::architecture", "GRAFT_OPTION_ARCHITECTURE"},
    Phrase{"Options::max_registers", "GRAFT_OPTION_MAX_REGISTERS"},
    Phrase{"Options::shared_bytes", "GRAFT_OPTION_SHARED_BYTES"},
    Phrase{"Options::line_info", "GRAFT_OPTION_LINE_INFO"},
    Phrase{"Options::floating_point", "GRAFT_OPTION_FAST_MATH or the options behind it"},
    Phrase{"Options::allow_thread_words", "GRAFT_OPTION_ALLOW_THREAD_WORDS"},
    Phrase{"Options::baked_state", "graft_options_bake"},
    Phrase{"Options::bake", "graft_options_bake"},
    Phrase{"Options::policy.vector_width", "GRAFT_OPTION_VECTOR_WIDTH"},
    Phrase{"Options::policy.vectors_per_thread", "GRAFT_OPTION_VECTORS_PER_THREAD"},
    Phrase{"Options::policy.body", "GRAFT_OPTION_BODY"},
    Phrase{"Options::policy.block_threads", "GRAFT_OPTION_BLOCK_THREADS"},
    Phrase{"Options::policy.programmatic_launch", "GRAFT_OPTION_PROGRAMMATIC_LAUNCH"},
    Phrase{"Options::policy", "the options of the tuning"},
    Phrase{"Options::closed", "GRAFT_OPTION_CLOSED"},
    Phrase{"Closed::max_registers", "GRAFT_OPTION_CLOSED_MAX_REGISTERS"},
    Phrase{"Closed::time", "GRAFT_OPTION_CLOSED_TIME_MS"},
    Phrase{"Closed::memory", "GRAFT_OPTION_CLOSED_MEMORY"},
    Phrase{"EngineOptions::cuda_path", "GRAFT_ENGINE_CUDA_PATH"},
    Phrase{"EngineOptions::host_compiler", "GRAFT_ENGINE_HOST_COMPILER"},
    Phrase{"EngineOptions::program", "GRAFT_ENGINE_PROGRAM"},
    Phrase{"another CachePolicy (GRAFT_CACHE)", "another GRAFT_ENGINE_CACHE_POLICY (or GRAFT_CACHE)"},
};

#define GRAFT_NAMED(constant)        \
  std::pair<int, std::string_view> { \
    constant, #constant              \
  }
constexpr std::array kOptions = {
    GRAFT_NAMED(GRAFT_OPTION_FAST_MATH),
    GRAFT_NAMED(GRAFT_OPTION_CONTRACTION),
    GRAFT_NAMED(GRAFT_OPTION_FLUSH_TO_ZERO),
    GRAFT_NAMED(GRAFT_OPTION_PRECISE_DIVISION),
    GRAFT_NAMED(GRAFT_OPTION_PRECISE_SQUARE_ROOT),
    GRAFT_NAMED(GRAFT_OPTION_MAX_REGISTERS),
    GRAFT_NAMED(GRAFT_OPTION_LINE_INFO),
    GRAFT_NAMED(GRAFT_OPTION_CPP_STANDARD),
    GRAFT_NAMED(GRAFT_OPTION_SHARED_BYTES),
    GRAFT_NAMED(GRAFT_OPTION_ALLOW_THREAD_WORDS),
    GRAFT_NAMED(GRAFT_OPTION_REQUIRED_ROUTE),
    GRAFT_NAMED(GRAFT_OPTION_FORBIDDEN_ROUTE),
    GRAFT_NAMED(GRAFT_OPTION_DEVICE),
    GRAFT_NAMED(GRAFT_OPTION_VECTOR_WIDTH),
    GRAFT_NAMED(GRAFT_OPTION_VECTORS_PER_THREAD),
    GRAFT_NAMED(GRAFT_OPTION_BODY),
    GRAFT_NAMED(GRAFT_OPTION_BLOCK_THREADS),
    GRAFT_NAMED(GRAFT_OPTION_PROGRAMMATIC_LAUNCH),
    GRAFT_NAMED(GRAFT_OPTION_CLOSED),
    GRAFT_NAMED(GRAFT_OPTION_CLOSED_MAX_REGISTERS),
    GRAFT_NAMED(GRAFT_OPTION_CLOSED_TIME_MS),
    GRAFT_NAMED(GRAFT_OPTION_CLOSED_MEMORY),
    GRAFT_NAMED(GRAFT_OPTION_ENTRY),
    GRAFT_NAMED(GRAFT_OPTION_ARCHITECTURE),
    GRAFT_NAMED(GRAFT_OPTION_INCLUDE_PATH),
    GRAFT_NAMED(GRAFT_OPTION_COMPILER_OPTION),
};
constexpr std::array kEngineOptions = {
    GRAFT_NAMED(GRAFT_ENGINE_CACHE_POLICY),
    GRAFT_NAMED(GRAFT_ENGINE_CACHE_MAX_BYTES),
    GRAFT_NAMED(GRAFT_ENGINE_CACHE_EXACT_TOOLS),
    GRAFT_NAMED(GRAFT_ENGINE_CACHE_LOCK_WAIT_MS),
    GRAFT_NAMED(GRAFT_ENGINE_THREADS),
    GRAFT_NAMED(GRAFT_ENGINE_MAX_BUILDS),
    GRAFT_NAMED(GRAFT_ENGINE_MAX_UNUSED_IMAGE_BYTES),
    GRAFT_NAMED(GRAFT_ENGINE_CACHE_FOLDER),
    GRAFT_NAMED(GRAFT_ENGINE_CACHE_LAYER),
    GRAFT_NAMED(GRAFT_ENGINE_CUDA_PATH),
    GRAFT_NAMED(GRAFT_ENGINE_HOST_COMPILER),
    GRAFT_NAMED(GRAFT_ENGINE_PROGRAM),
};
#undef GRAFT_NAMED

template <std::size_t N>
std::string_view name_in(const std::array<std::pair<int, std::string_view>, N>& names, int option) noexcept {
  const auto* const found = std::ranges::find(names, option, [](const auto& one) { return one.first; });
  return found == names.end() ? std::string_view() : found->second;
}

}  // namespace

std::string in_c_words(std::string text) {
  // The families' phrases come first, because some of them contain a phrase of the table.
  return base::with_phrases(families::with_c_words(std::move(text)), kPhrases);
}

Error in_c_words(const Error& error) {
  return Error(error.code(), {.message = in_c_words(error.message()),
                              .remedy = in_c_words(error.remedy()),
                              .log = error.log(),
                              .versions = error.versions(),
                              .diagnostics = error.diagnostics()});
}

Report in_c_words(Report report) {
  report.policy_reason = in_c_words(std::move(report.policy_reason));
  for (std::string& note : report.notes) note = in_c_words(std::move(note));
  for (Report::RouteNotTaken& other : report.routes_not_taken) other.reason = in_c_words(std::move(other.reason));
  return report;
}

std::string_view option_name(int option) noexcept {
  return name_in(kOptions, option);
}

std::string_view engine_option_name(int option) noexcept {
  return name_in(kEngineOptions, option);
}

}  // namespace graft::c
