#include "c/c_words.hpp"

#include <array>
#include <utility>

#include "base/phrases.hpp"
#include "families/c_words.hpp"

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
    Phrase{"give the arrays' types: Transform::create(callback, graft::types(\"f32\")), or for a part of graft::Stages "
           "graft::GenericCallback(part).instance(graft::types(\"f32\"))",
           "give the arrays' types: graft_callback_set_types(callback, \"f32\")"},
    Phrase{"graft::types<Point>(), or ", ""},
    Phrase{"(graft::PackEntry::name)", "in `names`"},
    Phrase{"graft::types(", "graft_callback_set_types(callback, "},
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
    Phrase{"Without a GPU, graft::build can still build kernels",
           "Without a GPU, graft_precompile and the functions like it can still compile kernels"},
    Phrase{"graft::precompile", "graft_precompile"},
    Phrase{"graft::build", "graft_image_build"},
    Phrase{"ElementType::structure(size, alignment)", "GRAFT_STRUCT(size, alignment)"},
    // The route.
    Phrase{"Create it with Options::routes.required = graft::Route::Host",
           "Create it with GRAFT_OPTION_REQUIRED_ROUTE set to GRAFT_ROUTE_HOST"},
    Phrase{"Options::routes.required = graft::Route::Host", "GRAFT_OPTION_REQUIRED_ROUTE set to GRAFT_ROUTE_HOST"},
    Phrase{"Allow another route in Options::routes", "Require no route (GRAFT_OPTION_REQUIRED_ROUTE), or another one"},
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
};

// The names that the table of options (core/option_table.hpp) does not have. They come after its names, of which some
// begin with one of these.
constexpr std::array kNames = {
    Phrase{"Options::routes", "GRAFT_OPTION_REQUIRED_ROUTE"},
    Phrase{"Options::floating_point", "GRAFT_OPTION_FAST_MATH or the options behind it"},
    Phrase{"Options::bake", "graft_options_bake"},
    Phrase{"Options::policy", "the options of the tuning"},
    Phrase{"EngineOptions::cuda_path", "GRAFT_ENGINE_CUDA_PATH"},
    Phrase{"EngineOptions::host_compiler", "GRAFT_ENGINE_HOST_COMPILER"},
    Phrase{"EngineOptions::program", "GRAFT_ENGINE_PROGRAM"},
    Phrase{"EngineOptions::tuning_file", "GRAFT_ENGINE_TUNING_FILE"},
    Phrase{"another CachePolicy (GRAFT_CACHE)", "another GRAFT_ENGINE_CACHE_POLICY (or GRAFT_CACHE)"},
};

}  // namespace

std::string in_c_words(std::string text) {
  // The families' phrases come first, because some of them contain a phrase of the table.
  text = base::with_phrases(families::with_c_words(std::move(text)), kPhrases);
  for_each_named_option([&](const std::string& name, const OptionFacts& row) {
    if (const std::string c = c_name(row); !c.empty()) text = base::with_phrase(std::move(text), name, c);
  });
  return base::with_phrases(std::move(text), kNames);
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

std::string c_name(const OptionFacts& row) {
  if (row.c == 0 || !row.c_name.empty()) return std::string(row.c_name);
  std::string name = "GRAFT_OPTION_";
  for (const char letter : row.key) name += letter == '_' ? '_' : static_cast<char>(letter - 'a' + 'A');
  return name;
}

}  // namespace graft::c
