// Reads the layouts of simple structs from the text that defines them, so that a callback whose types are such structs
// needs no compile that only reads its signature:
//
//     struct Scale { float a; int n[3]; };   ->   Scale: 16 bytes, aligned to 4
//
// A simple struct is defined at global scope, and has members of known types (known_types.hpp), pointers, arrays of
// them, and earlier simple structs. It has no functions, bases, bit fields or initialisers. The result is a guess:
// macros or #pragma pack may change the layout, so the program that is made with it asserts size and alignment.
#pragma once

#include <map>
#include <string_view>

#include "graft/signature.hpp"
#include "reflect/callback/scan.hpp"
#include "reflect/text/text.hpp"

namespace graft::reflect {

using StructLayouts = std::map<std::string_view, ElementType>;

// `scan` is that of the text. The names in the result are views into the text.
StructLayouts struct_layouts(const Text& text, const SourceScan& scan);

}  // namespace graft::reflect
