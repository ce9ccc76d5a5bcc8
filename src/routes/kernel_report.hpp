// Fills an image and its report from a linked kernel, for every route.
#pragma once

#include "codegen/source_program.hpp"
#include "core/image_data.hpp"
#include "families/registry.hpp"
#include "graft/options.hpp"
#include "link/linked.hpp"

namespace graft::routes {

// The entry in Report::remaining_calls that stands for calls through a function pointer.
inline constexpr const char* kThroughPointer = "(through a pointer)";

// Adds the callback to the remaining calls if there are none. The routes that always call the callback use this: a
// linker's log does not list functions that come from a cubin, and graft's own functions (graft_entry) are not listed
// as calls.
void list_call(link::LinkFindings& findings, const std::string& entry);

// Moves the code into the image, and the kernel's description and findings into the report. `program` and `asked` are
// used for notes.
void fill_image(Image::Data& image, families::Decided decided, const codegen::SourceProgram& program,
                const PolicyOverrides& asked, link::Linked linked);

}  // namespace graft::routes
