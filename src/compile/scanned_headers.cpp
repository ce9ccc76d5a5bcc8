// Begins with the program and the user's headers in memory, and adds the files that their #includes mean, then the
// files that these files include, until all texts are complete.
#include "compile/scanned_headers.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "codegen/program_text.hpp"
#include "reflect/text/quoted_names.hpp"

namespace graft::compile {
namespace {

using plan::ScannedText;
using toolchain::NvrtcProgram;

constexpr std::string_view kFolder = "/dev/null/";

std::string name_of(int number) {
  return base::format("{}{}", kFolder, number);
}

class Completion {
 public:
  Completion(const NvrtcProgram& program, const plan::HeaderScan& scan) : scan_(scan), result_(program) {
    for (const NvrtcProgram::Include& header : program.headers) names_.insert(header.name);
  }

  NvrtcProgram complete() {
    result_.source = renamed(result_.source, scan_.texts.front());
    for (NvrtcProgram::Include& header : result_.headers) {
      const ScannedText* const text = text_of(header);
      if (text != nullptr && !text->files.empty()) set_text(header, renamed(header.text, *text));
      else if (text == nullptr && includes_file(header.text)) set_text(header, renamed(header.text, users_text()));
    }
    for (std::size_t i = 0; i < wanted_.size(); ++i) add(wanted_[i]);
    return std::move(result_);
  }

 private:
  // Returns what the scan found in one of the user's headers in memory. Null for graft's headers, and for a header that
  // no text of the user includes.
  const ScannedText* text_of(const NvrtcProgram::Include& header) const {
    const auto is_it = [&](const ScannedText& text) { return !text.is_file && text.name == header.name; };
    const auto found = std::find_if(scan_.texts.begin() + 1, scan_.texts.end(), is_it);
    return found == scan_.texts.end() ? nullptr : &*found;
  }

  // What the #includes of the user's own texts mean. graft's headers are in no folder of the user's, so that theirs
  // mean the same.
  const ScannedText& users_text() const { return scan_.texts.front(); }

  bool includes_file(std::string_view text) const {
    return std::ranges::any_of(users_text().files, [&](const auto& file) {
      return !file.first.second && text.find(base::format("#include \"{}\"", file.first.first)) != text.npos;
    });
  }

  std::string renamed(std::string_view text, const ScannedText& scanned) {
    const reflect::Text written(text);
    return reflect::replace_names(written.source(), reflect::find_included_names(written), [&](const auto& included) {
      const auto file = scanned.files.find({included.name, included.is_angled()});
      if (names_.contains(included.name) || file == scanned.files.end()) return std::string();
      const int number = scan_.texts[static_cast<std::size_t>(file->second)].number;
      if (std::ranges::find(wanted_, number) == wanted_.end()) wanted_.push_back(number);
      return name_of(number);
    });
  }

  void add(int number) {
    const ScannedText& scanned = scan_.texts[static_cast<std::size_t>(number)];
    codegen::ProgramText text;
    text.lines_of(scanned.name, 1);
    text.raw(renamed(scanned.text, scanned));
    NvrtcProgram::Include& header = result_.headers.emplace_back();
    const std::string name = name_of(number);
    set_text(header, name + '\0' + text.take());
    header.name = header.text.substr(0, name.size());
    header.text.remove_prefix(name.size() + 1);
  }

  static void set_text(NvrtcProgram::Include& header, std::string text) {
    header.owner = std::make_shared<const std::string>(std::move(text));
    header.text = *header.owner;
  }

  const plan::HeaderScan& scan_;
  NvrtcProgram result_;
  std::set<std::string_view> names_;
  std::vector<int> wanted_;  // the numbers of the files to add, in the order in which they were needed
};

}  // namespace

NvrtcProgram with_scanned_headers(const NvrtcProgram& program, const plan::HeaderScan& scan) {
  if (std::ranges::all_of(scan.texts, &decltype(ScannedText::files)::empty, &ScannedText::files)) return program;
  return Completion(program, scan).complete();
}

std::string with_paths_of_files(std::string log, const plan::HeaderScan& scan) {
  for (std::size_t at = log.find(kFolder); at != log.npos; at = log.find(kFolder, at + 1)) {
    std::size_t number = 0;
    const char* const digits = log.data() + at + kFolder.size();
    const char* const end = std::from_chars(digits, log.data() + log.size(), number).ptr;
    if (end != digits && number < scan.texts.size())
      log.replace(at, static_cast<std::size_t>(end - log.data()) - at, scan.texts[number].name);
  }
  return log;
}

}  // namespace graft::compile
