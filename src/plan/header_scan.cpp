#include "plan/header_scan.hpp"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "reflect/include_scan.hpp"

namespace graft::plan {
namespace {

namespace fs = std::filesystem;

// A header tree larger than these is not worth reading at every start of a program.
constexpr std::size_t kMostFiles = 2000;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// A text still to be scanned, and where it stands.
struct Source {
  std::string text;
  fs::path folder;  // on disk, or among the names in memory
  bool in_memory = true;
};

class Scanner {
 public:
  Scanner(const Options& options, const ReadHeader& read) : options_(options), read_(read) {}

  void add(std::string_view text) { left_.push_back({std::string(text), {}, true}); }

  HeaderScan run() {
    while (!left_.empty()) {
      const Source source = std::move(left_.front());
      left_.pop_front();
      scan(source);
    }
    return std::move(result_);
  }

 private:
  void scan(const Source& source) {
    std::string_view text = source.text;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark would hide the first directive
    const reflect::IncludeScan found = reflect::scan_includes(text);
    if (found.has_include) keep_off("it asks __has_include");
    if (found.names_file) keep_off("it names its own file (__FILE__, assert or the like)");
    if (found.names_time) keep_off("it names the time of its compilation (__DATE__, __TIME__ or __TIMESTAMP__)");
    if (text.find("%:") != std::string_view::npos || text.find("?\?=") != std::string_view::npos)
      keep_off("it may spell # in another way");
    for (const reflect::IncludeDirective& include : found.includes) {
      if (include.computed) keep_off("it has an #include whose file a macro or the search order decides");
      else find(source, include.name);
    }
  }

  void find(const Source& source, const std::string& name) {
    for (const Header& header : options_.headers)
      if (is_name(header.name, source, name)) visit({"memory", name, {}, header.text}, "memory:" + header.name, header);
    if (name.empty()) return;
    const fs::path path(name);
    if (path.is_absolute()) return visit_file("folder", name, path);
    if (!source.in_memory) visit_file("beside", name, source.folder / path);
    visit_file("here", name, path);
    for (const std::string& folder : options_.include_paths)
      if (!folder.empty()) visit_file("folder", name, fs::path(folder) / path);
  }

  // A header in memory goes by its name, and perhaps by its place beside the one that includes it.
  static bool is_name(const std::string& header, const Source& source, const std::string& name) {
    const fs::path own = fs::path(header).lexically_normal();
    return own == fs::path(name).lexically_normal() ||
           (source.in_memory && own == (source.folder / name).lexically_normal());
  }

  void visit_file(const char* where, const std::string& name, const fs::path& file) {
    const fs::path path = file.lexically_normal();
    std::optional<std::string> text = read_(path);
    if (!text) return;
    const bool is_new = seen_.insert(path.string()).second;
    if (is_new) enqueue({*text, path.parent_path(), false});
    result_.headers.push_back({where, name, path, std::move(*text)});
  }

  void visit(HeaderFound found, std::string identity, const Header& header) {
    if (seen_.insert(std::move(identity) + '\0' + header.text).second)
      enqueue({header.text, fs::path(header.name).parent_path(), true});
    result_.headers.push_back(std::move(found));
  }

  void enqueue(Source source) {
    bytes_ += source.text.size();
    if (seen_.size() > kMostFiles || bytes_ > kMostBytes)
      keep_off("it includes more of the user's headers than graft reads");
    else left_.push_back(std::move(source));
  }

  void keep_off(const char* reason) {
    auto& reasons = result_.memory_only;
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.emplace_back(reason);
  }

  const Options& options_;
  const ReadHeader& read_;
  std::deque<Source> left_;
  std::set<std::string> seen_;
  std::size_t bytes_ = 0;
  HeaderScan result_;
};

}  // namespace

HeaderScan scan_headers(const std::vector<std::string_view>& texts, const Options& options, const ReadHeader& read) {
  Scanner scanner(options, read);
  for (const std::string_view text : texts) scanner.add(text);
  return scanner.run();
}

}  // namespace graft::plan
