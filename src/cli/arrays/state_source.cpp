#include "cli/arrays/state_source.hpp"

#include <filesystem>
#include <set>

#include "base/read_file.hpp"
#include "format/file_kind.hpp"
#include "reflect/include_scan.hpp"

namespace graft::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostHeaders = 200;
constexpr std::uint64_t kLargestText = std::uint64_t{1} << 20;

// Collects the texts of a callback's headers, each behind the headers that it includes itself.
class HeaderTexts {
 public:
  explicit HeaderTexts(const std::vector<std::string>& folders) : folders_(folders) {}

  void add_headers_of(std::string_view text, const fs::path& folder) {
    for (const reflect::IncludeDirective& line : reflect::find_includes(text))
      if (!line.computed) add(line.name, folder);
  }
  const std::string& text() const { return text_; }

 private:
  void add(std::string_view name, const fs::path& folder) {
    std::vector<fs::path> places = {folder / name};
    for (const std::string& one : folders_) places.push_back(fs::path(one) / name);
    for (const fs::path& place : places) {
      std::error_code ignored;
      if (!fs::is_regular_file(place, ignored)) continue;
      if (files_.size() >= kMostHeaders || !files_.insert(fs::weakly_canonical(place, ignored)).second) return;
      const base::FileContent content = base::read_file(place.string(), kLargestText);
      if (!content) return;
      add_headers_of(*content, place.parent_path());
      text_ += *content;
      text_ += '\n';
      return;
    }
  }

  const std::vector<std::string>& folders_;
  std::set<fs::path> files_;
  std::string text_;
};

// "const math::Scale&" -> "math::Scale"
std::string type_of_state(const Signature& signature) {
  for (const Parameter& parameter : signature.parameters()) {
    if (parameter.role != Role::State) continue;
    std::string type = parameter.spelling;
    if (type.starts_with("const ")) type.erase(0, 6);
    while (type.ends_with('&') || type.ends_with(' ')) type.pop_back();
    return type;
  }
  return {};
}

}  // namespace

StateSource state_source(const BuildRequest& request, const Signature& signature) {
  StateSource source{type_of_state(signature), {}};
  const std::string& text = request.content ? *request.content : request.callback;
  const auto kind = format::file_kind(base::as_bytes(text));
  if (!kind || *kind != format::FileKind::Source) return source;
  HeaderTexts headers(request.includes);
  headers.add_headers_of(text, request.content ? fs::path(request.callback).parent_path() : fs::path("."));
  source.text = headers.text() + text;
  return source;
}

}  // namespace graft::cli
