#include "cli/output/option_words.hpp"

#include <array>
#include <utility>

#include "base/phrases.hpp"
#include "cli/commands/families/job_options.hpp"
#include "core/option_table.hpp"

namespace graft::cli {
namespace {

using Pair = base::Phrase;
constexpr std::array kPhrases = {
    // Headers in memory exist only in the library.
    Pair{"Give the header in Options::headers, or its folder in Options::include_paths.",
         "Name the header's folder with --include."},
    Pair{", or give its text in Options::headers.", "."},
    Pair{"Use Options::include_paths or Options::headers.", "Use --include."},
    Pair{"Options::headers and Options::include_paths find the file.", "--include names the folder of the file."},
    Pair{"Leave Options::headers and Options::include_paths empty; give macros in Options::defines.",
         "Leave --include out; give macros with --define."},
    Pair{"into a header in Options::headers.", "into a header, and name its folder with --include."},
    Pair{"The application can define macros in Options::defines.", "Macros can be defined with --define."},
    // Types of arrays.
    Pair{"give the arrays' types: Transform::create(callback, graft::types(\"f32\")), or for a part of graft::Stages "
         "graft::GenericCallback(part).instance(graft::types(\"f32\")).",
         "give the arrays' types: --types f32."},
    Pair{"graft::types(\"f32; f32 -> f32\")", "--types 'f32; f32 -> f32'"},
    // Packs of several callbacks.
    Pair{"Give one of them another name (graft::PackEntry::name).", "Name each function once with --entry."},
    Pair{"Give it a name (graft::PackEntry::name).", "Make a pack of it alone."},
    // Kernels of the user's own.
    Pair{"KernelCode::with_entry", "--kernel-entry"},
    Pair{"with Callback::with_entry",
         "by the option for its entry (--load-entry, --store-entry, --combine-entry, --slot-entry, ...)"},
    Pair{"Callback::with_entry", "--slot-entry"},
    Pair{"graft::KernelCallbacks({{\"metric\", callback}}, {{\"tile\", 8}})", "--constant tile=8"},
    Pair{"KernelCode::precompile_for, or `graft precompile --for`",
         "`graft precompile --kernel FILE --for NAME=CALLBACK`"},
    // Kernels for views.
    Pair{"Leave Options::any_shape and Options::shapes out", "Leave --shapes out"},
    Pair{"Make the transform with Options::any_shape, whose kernel", "Give --shapes strided, which"},
    Pair{"Name the kernel that Transform::describe_shapes names, or strided.",
         "Name an input that is there, or strided."},
    // The route.
    Pair{"Create it with Options::routes.required = graft::Route::Host.", "Build it with --route host."},
    Pair{"Options::routes.required = graft::Route::Host", "--route host"},
    Pair{"Leave Options::routes.required unset", "Leave --route out"},
    Pair{"Leave Options::routes unset", "Leave --route out"},
    Pair{"Allow another route in Options::routes", "Allow another route (--route, --forbid-route)"},
    Pair{"Choose the route by Options::routes; graft::precompile makes",
         "Choose the route by --route; graft precompile makes"},
    // Phrases with a preposition.
    Pair{"leave EngineOptions::tuning_file unset", "leave --tuning-file out"},
    Pair{"in Options::entry", "with --entry"},
    Pair{"absolute folder in Options::include_paths", "absolute folder with --include"},
    Pair{"a folder in Options::include_paths is empty", "a folder of --include is empty"},
    Pair{"out of Options::defines", "out of --define"},
    Pair{"in Options::defines", "of --define"},
    Pair{"in Options::compiler_options", "of --compiler-option"},
    Pair{"out of Options::compiler_options", "out"},
    Pair{"is set by a member of Options", "is set by an option of graft"},
    Pair{"Set Options::architecture, or give the architecture to graft::build or precompile.", "Use --arch."},
    Pair{"raise the bound in Options::closed", "leave --closed out"},
    Pair{"Options::allow_thread_words (--allow-thread-words)", "--allow-thread-words"},
    Pair{"or raise Closed::max_registers (at most 255)", "or leave --closed out"},
    Pair{"Raise Closed::max_registers (at most 255), or use", "Leave --closed out, or use"},
    Pair{"Callback::with_signature(\"float(float)\")", "--signature 'float(float)'"},
    Pair{"Callback::with_signature(\"float f(float, const Scale&)\")", "--signature 'float f(float, const Scale&)'"},
};

// The names that the table of options (core/option_table.hpp) does not have. They come after its names, of which some
// begin with one of these.
constexpr std::array kNames = {
    Pair{"Options::routes", "--route"},
    Pair{"Options::floating_point", "--fast-math or the options for its parts"},
    Pair{"Callback::with_signature", "--signature"},
    Pair{"Callback::with_entry", "--entry"},
    Pair{"Callback::with_link_input", "--link"},
    Pair{"Callback::with_floating_point", "--fast-math or the options for its parts"},
    Pair{"EngineOptions::program or GRAFT_PROGRAM", "GRAFT_PROGRAM"},
    Pair{"EngineOptions::program", "GRAFT_PROGRAM"},
    Pair{"EngineOptions::tuning_file", "--tuning-file"},
    Pair{"EngineOptions::cuda_path", "GRAFT_CUDA_PATH"},
    Pair{"another CachePolicy (GRAFT_CACHE)", "another value of GRAFT_CACHE"},
};

}  // namespace

std::string in_option_words(std::string text) {
  text = base::with_phrases(std::move(text), kPhrases);
  for (const JobOptions* const job : all_job_options())
    text = base::with_phrases(std::move(text), job->words_of_options());
  for_each_named_option([&](const std::string& name, const OptionFacts& row) {
    if (!row.flag.empty()) text = base::with_phrase(std::move(text), name, row.flag);
  });
  return base::with_phrases(std::move(text), kNames);
}

Error in_option_words(const Error& error) {
  return Error(error.code(), {.message = in_option_words(error.message()),
                              .remedy = in_option_words(error.remedy()),
                              .log = error.log(),
                              .versions = error.versions(),
                              .diagnostics = error.diagnostics()});
}

}  // namespace graft::cli
