// What a report says of a linked kernel, whichever route made it.
#pragma once

#include "build/linked.hpp"
#include "core/image_data.hpp"
#include "families/registry.hpp"
#include "graft/options.hpp"
#include "reflect/source_program.hpp"

namespace graft::building {

// Stands among the functions that a kernel still calls where it calls one by its address.
inline constexpr const char* kThroughPointer = "(through a pointer)";

// Adds the callback to the functions that are called where the linker has not listed it: it names no function of a
// cubin, and calls graft's own ones by their own names.
void list_call(LinkFindings& findings, const std::string& entry);

// Moves the code into the image. `program` and `asked` are for notes.
void fill_image(Image::Data& image, families::Decided decided, const reflect::SourceProgram& program,
                const PolicyOverrides& asked, Linked linked);

}  // namespace graft::building
