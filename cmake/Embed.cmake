# Embeds files into a library.
#
#   graft_embed(TARGET name=file...)
#
# The assembler's .incbin inserts the bytes, so large files cost no compile time. A small C++ table maps the names to
# the bytes (src/base/embedded.hpp). A zero byte follows each file, so that text can be passed to C functions.
function(graft_embed target)
  set(assembly "    .section .rodata\n")
  set(declarations "")
  set(rows "")
  set(depends "")
  # Sort the entries by name. First replace "=" after the name by a space, which sorts in front of every character of a
  # name, so that "limits" comes before "limits.h".
  list(TRANSFORM ARGN REPLACE "^([^=]+)=" "\\1 " OUTPUT_VARIABLE entries)
  list(SORT entries)
  set(i 0)
  foreach(entry IN LISTS entries)
    string(REGEX MATCH "^([^ ]+) (.*)$" _ "${entry}")
    set(name "${CMAKE_MATCH_1}")
    set(file "${CMAKE_MATCH_2}")
    set(symbol "graft_embedded_${i}")
    string(APPEND assembly
      "    .balign 64\n    .hidden ${symbol}\n    .global ${symbol}\n${symbol}:\n    .incbin \"${file}\"\n"
      "    .hidden ${symbol}_end\n    .global ${symbol}_end\n${symbol}_end:\n    .byte 0\n")
    string(APPEND declarations "extern const char ${symbol}[];\nextern const char ${symbol}_end[];\n")
    string(APPEND rows "    {\"${name}\", {${symbol}, static_cast<std::size_t>(${symbol}_end - ${symbol})}},\n")
    list(APPEND depends "${file}")
    math(EXPR i "${i} + 1")
  endforeach()
  string(APPEND assembly "    .section .note.GNU-stack,\"\",@progbits\n")
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/embedded)
  file(CONFIGURE OUTPUT ${folder}/${target}.S CONTENT "${assembly}" @ONLY)
  file(CONFIGURE OUTPUT ${folder}/${target}.cpp @ONLY CONTENT
"// Made by cmake/Embed.cmake.
#include \"base/embedded.hpp\"

#include <array>

extern \"C\" {
${declarations}}

namespace graft::base {

std::span<const EmbeddedFile> embedded_files() {
  static const std::array<EmbeddedFile, ${i}> files = {{
${rows}  }};
  return files;
}

}  // namespace graft::base
")
  set_source_files_properties(${folder}/${target}.S PROPERTIES OBJECT_DEPENDS "${depends}")
  target_sources(${target} PRIVATE ${folder}/${target}.S ${folder}/${target}.cpp)
endfunction()
