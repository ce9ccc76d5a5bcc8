# Writes several C++ sources into one file, which compiles in a fraction of the time because the headers are read once:
#
#   cmake -D OUTPUT=file -D "SOURCES=a.cpp;b.cpp" -P UniteSources.cmake
#
# Sources use the same names in their unnamed namespaces (Row, kCount). Each source therefore gets a namespace of its
# own inside the unnamed one. Compilers report errors at the lines of the sources.
set(united "")
foreach(source IN LISTS SOURCES)
  file(READ ${source} text)
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "(^|\n)namespace {\n" "\\1namespace { namespace in_${name} {\n" text "${text}")
  string(REGEX REPLACE "\n}  // namespace\n" "\n}}  // namespace\n" text "${text}")
  string(APPEND united "#line 1 \"${source}\"\n${text}")
endforeach()
file(WRITE ${OUTPUT} "${united}")
