// Fills an image and its report from a linked kernel, for every route.
#pragma once

#include <string>
#include <string_view>

#include "codegen/source_program.hpp"
#include "core/image_data.hpp"
#include "families/registry.hpp"
#include "graft/options.hpp"
#include "link/linked.hpp"

namespace graft::routes {

// The text in Report::remaining_calls that stands for calls through a function pointer, whose target has no name.
inline constexpr const char* kThroughPointer = "(through a pointer)";

// Adds the callback `entry` to LinkFindings::remaining_calls, the calls that were not inlined, if this list is empty.
// Used for the routes whose kernels always call the callback. The list is made from the linker's log, which may not
// show the call: the log does not list functions that come from a cubin, and graft leaves its own functions
// (graft_entry) out of the list.
void list_call(link::LinkFindings& findings, const std::string& entry);

// Adds a note for each `T&` output that the callback changes before it writes it (reflect/callback/mistakes.hpp).
void note_read_outputs(const codegen::SourceProgram& program, Report& report);

// Returns why the lighter variant of a kernel was taken (routes/best_body.hpp), for Report::policy_reason: the kernel
// spills, or the callback is heavy. `calls_for_one`: how many calls of the callback are unrolled.
std::string reason_of_spills(const link::LinkFindings& unrolled, std::string_view lighter_name,
                             const link::LinkFindings& lighter);
std::string reason_of_heaviness(const link::LinkFindings& lighter, int calls_for_one);

// Moves the code into the image, and the kernel's description and findings into the report. The notes of the report are
// made from `program` and from `asked`, the tuning that the caller asked for.
void fill_image(Image::Data& image, families::Decided decided, const codegen::SourceProgram& program,
                const PolicyOverrides& asked, link::Linked linked);

}  // namespace graft::routes
