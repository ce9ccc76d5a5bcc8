// Finds the user's files of these names by the same scan that lists headers in the key on disk (plan/header_scan.hpp),
// so that a kernel depends on no file that its key leaves out.
#include "compile/stand_in_headers.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "base/format.hpp"
#include "core/compiler_options.hpp"
#include "plan/header_scan.hpp"

namespace graft::compile {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"cuda.h", "cuComplex.h", "cufft.h", "cufftXt.h"};

// Words of NVIDIA's headers: marks of functions, and an include guard.
constexpr std::array<std::string_view, 3> kMarksOfNvidia = {"CUFFTAPI", "CUDAAPI", "CU_COMPLEX_H_"};

bool is_nvidias(std::string_view text) {
  return std::ranges::any_of(kMarksOfNvidia, [&](std::string_view mark) { return text.find(mark) != text.npos; });
}

void add_texts(std::vector<std::string>& texts, const codegen::ProgramParts& parts) {
  texts.push_back(parts.callback_text.source());
  texts.push_back(parts.declared);
  texts.push_back(parts.entry);
  for (const codegen::ProgramParts::Neighbour& neighbour : parts.neighbours)
    texts.push_back(base::format("#include \"{}\"\n", neighbour.path));
  for (const codegen::ProgramParts& member : parts.members) add_texts(texts, member);
}

// Whether the program may include files of the user's. If not, no scan is necessary.
bool may_include_files(const codegen::SourceProgram& program, const Options& options) {
  const bool is_quoted = std::ranges::any_of(program.scan.includes,
                                             [](const std::string& spelling) { return !spelling.starts_with('<'); });
  return is_quoted || !options.include_paths.empty() || !options.headers.empty();
}

plan::HeaderScan scan_again(const codegen::SourceProgram& program, const Options& options) {
  std::vector<std::string> texts;
  add_texts(texts, program.parts);
  std::vector<plan::UserText> views;
  for (const std::string& text : texts) views.push_back({text});
  return plan::scan_headers(views, options, plan::world_on_disk());
}

// Returns the names by which the program includes files of the user's. Files of NVIDIA's count if `takes_nvidias`.
std::set<std::string> names_of_files(const plan::HeaderScan& scan, bool takes_nvidias) {
  std::set<std::string> names;
  for (const plan::ScannedText& text : scan.texts)
    for (const auto& [name, file] : text.files)
      if (takes_nvidias || !is_nvidias(scan.texts[static_cast<std::size_t>(file)].text)) names.insert(name.first);
  for (const plan::HeaderFound& header : scan.headers)
    if (takes_nvidias && header.where == "toolkit") names.insert(header.name);
  return names;
}

}  // namespace

bool is_stand_in(std::string_view name) {
  return std::ranges::find(kNames, name) != kNames.end();
}

std::vector<std::string_view> stand_ins_for(const codegen::SourceProgram& program, const Options& options,
                                            HeaderReader reader, const plan::HeaderScan* scan) {
  if (!may_include_files(program, options)) return {kNames.begin(), kNames.end()};
  const bool takes_nvidias = reader == HeaderReader::Nvrtc && are_device_by_default(options.compiler_options);
  const std::set<std::string> found =
      names_of_files(scan == nullptr ? scan_again(program, options) : *scan, takes_nvidias);
  std::vector<std::string_view> own;
  for (const std::string_view name : kNames)
    if (!found.contains(std::string(name))) own.push_back(name);
  return own;
}

}  // namespace graft::compile
