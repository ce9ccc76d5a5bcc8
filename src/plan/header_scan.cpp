// Implements the scan as a breadth-first search with a queue of texts. For each #include in a text, the scan looks for
// every header that the #include may mean: first in memory, then at each path where a compiler could look. Each header
// that is found is added to the queue.
#include "plan/header_scan.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/byte_order_mark.hpp"
#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/format.hpp"
#include "core/memory_headers.hpp"
#include "reflect/text/include_scan.hpp"

namespace graft::plan {
namespace {

namespace fs = std::filesystem;
using base::SeenFile;

// A scan ends early when it has scanned kMostFiles files, or has looked for headers at kMostLooks paths. Its request is
// then not cached on disk.
constexpr std::size_t kMostFiles = 2000;
constexpr std::size_t kMostLooks = 100'000;

// A text that the scan has queued, and the folders in which its quoted #includes are searched first.
struct Source {
  std::string text = {};  // only for a text of the user; the others are in HeaderScan::texts
  // The folder on disk of the file that holds the text. Compilers search quoted #includes there first.
  std::string folder;
  // The folder of the file to which a symbolic link led (SeenFile::linked_folder). Empty for a header in memory.
  std::string linked_folder = {};
  // For a header in memory: its name, and the folder part of the name.
  std::string memory_name = {};
  fs::path memory_folder = {};
  bool in_memory = true;
  // The number of this text, as in HeaderFound::includer.
  int number = 0;

  bool is_users() const noexcept { return number <= 0; }
  // Whether graft includes files of the text's folder by their paths, so that they are read there and nowhere else.
  bool has_own_folder() const noexcept { return number < 0; }
};

// Returns the path of `name` in `folder`. Empty when the folder is unknown.
std::string joined(const std::string& folder, const std::string& name) {
  if (name.starts_with('/')) return name;
  if (folder.empty()) return {};
  return folder.ends_with('/') ? folder + name : folder + '/' + name;
}

// Returns whether graft embeds a header with this name. graft embeds its own headers and the standard headers that
// NVRTC lacks.
bool is_embedded(const std::string& name) {
  return !base::embedded_file(name).empty() || !base::embedded_file("std/" + name).empty();
}

// Returns whether graft's generated code or its embedded headers may include a header with this name.
bool may_be_included_by_graft(const std::string& name) {
  const auto mentions = [&](const base::EmbeddedFile& file) {
    return !file.name.ends_with(".ltoir") && (file.text.find('"' + name + '"') != std::string_view::npos ||
                                              file.text.find('<' + name + '>') != std::string_view::npos);
  };
  return is_embedded(name) || std::ranges::any_of(base::embedded_files(), mentions);
}

// Returns the path from the working folder of a path that begins with it.
std::string path_from(const std::string& working_folder, const std::string& path) {
  return path.substr(working_folder.size() + (working_folder.ends_with('/') ? 0 : 1));
}

// Returns whether a compiler may read the text only once. The result may be wrongly true, but never wrongly false.
bool may_have_pragma_once(std::string_view text) {
  return text.find("once") != text.npos || text.find("\\\n") != text.npos || text.find("\\\r") != text.npos;
}

class Scanner {
 public:
  Scanner(const Options& options, const HeaderWorld& world) : options_(options), world_(world) {
    result_.working_folder = world.working_folder();
    result_.texts.emplace_back();
    for (const std::string& folder : options.include_paths)
      if (const std::string path = joined(result_.working_folder, folder); !folder.empty() && !path.empty())
        folders_.push_back({path, {}, !folder.starts_with('/')});
  }

  void add(const UserText& user) {
    ++users_;
    // A folder whose path cannot stand between quotes is not searched (codegen/source_program.cpp).
    const bool has_folder = !user.folder.empty() && user.folder.find_first_of("\"\n\r") == user.folder.npos;
    left_.push_back({.text = std::string(user.text),
                     .folder = has_folder ? std::string(user.folder) : result_.working_folder,
                     .number = has_folder ? -users_ : 0});
  }

  HeaderScan run() {
    do scan_all();
    while (add_captured());
    note_pasted_names();
    number_texts();
    compare_paths();
    return std::move(result_);
  }

 private:
  struct Folder {
    std::string path;
    // Identifies the toolkit whose headers are in the folder (HeaderWorld::toolkit_in). Empty for a folder of the user.
    std::string toolkit;
    bool is_relative = false;  // as the user gave it
  };

  void scan_all() {
    while (!left_.empty()) {
      const Source source = std::move(left_.front());
      left_.pop_front();
      scan(source);
    }
  }

  void scan(const Source& source) {
    // A byte order mark would hide a directive in the first line.
    const std::string_view text =
        base::without_byte_order_mark(source.is_users() ? source.text : text_of(source.number).text);
    const reflect::IncludeScan found = reflect::scan_includes(text, &pieces_);
    note_doubts(found);
    pastes_ |= found.pastes;
    std::set<std::pair<std::string, bool>> asked;
    for (const reflect::IncludeDirective& include : found.includes) {
      if (include.computed) keep_off("it has an #include whose file depends on a macro or on #include_next");
      else if (asked.emplace(include.name, include.angled).second) find(source, include.name, include.angled);
    }
  }

  void note_doubts(const reflect::IncludeScan& found) {
    if (found.has_include) keep_off("it uses __has_include");
    if (found.names_file) keep_off("it uses the name of its own file (__FILE__, assert or the like)");
    if (found.names_time) keep_off("it uses the time of its compilation (__DATE__, __TIME__ or __TIMESTAMP__)");
    if (found.embeds) keep_off("it has an #embed");
    if (found.imports) keep_off("it has an import");
    if (found.may_spell_hash) keep_off("it may spell # as %: or as a trigraph");
    if (found.is_doubtful) keep_off("it has lines, strings or characters that not all compilers read in the same way");
  }

  void find(const Source& source, const std::string& name, bool angled) {
    if (name.empty() || is_full_) return;
    is_found_ = false;
    opened_ = {};
    const bool is_in_header = source.in_memory && !source.is_users();
    const Header* beside =
        is_in_header && !angled ? header_beside(options_.headers, source.memory_name, name) : nullptr;
    for (const Header& header : options_.headers)
      if (&header == beside) visit_memory("neighbour", header, name, source.number);
      else if (is_name(header.name, source, name)) visit_memory("memory", header, name, source.number);
    find_on_disk(source, name, angled);
    if (!is_found_ && is_embedded(name)) find_in_own_header(name);
    if (!is_found_ && !is_embedded(name)) result_.has_tools_headers = true;
    if (opened_.text == 0) return;
    const bool is_in_own_folder = source.has_own_folder() && !angled && opened_.path == joined(source.folder, name);
    text_of(std::max(0, source.number))
        .files.try_emplace({is_in_own_folder ? opened_.path : name, angled}, opened_.text);
  }

  // graft's headers that stand for NVIDIA's and for the standard's (building_blocks/std) include each other by quoted
  // names, and a file in the user's folders may have such a name.
  void find_in_own_header(const std::string& name) {
    if (folders_.empty() || !own_headers_.insert(name).second) return;
    for (const reflect::IncludeDirective& include : reflect::scan_includes(base::embedded_file("std/" + name)).includes)
      if (!include.angled) find({.folder = result_.working_folder}, include.name, false);
    is_found_ = false;
    opened_ = {};
  }

  ScannedText& text_of(int number) { return result_.texts[static_cast<std::size_t>(number)]; }

  void find_on_disk(const Source& source, const std::string& name, bool angled) {
    if (name.starts_with('/')) return visit_file("folder", name, name, source.number, {.is_searched = true});
    const std::string& here = result_.working_folder;
    // With a folder of its own, the #include becomes the path of the file, also if the folder is the working folder: a
    // header in memory or a tool's header of the same name is then not used.
    if (source.folder != here || source.has_own_folder())
      visit_file("beside", name, joined(source.folder, name), source.number,
                 {.is_searched = !angled, .is_relative = is_relative(source)});
    // The user's own texts are compiled in the working folder.
    const bool is_beside = source.folder == here || source.is_users();
    visit_file("here", name, joined(here, name), source.number,
               {.is_searched = is_beside && !angled, .is_relative = source.is_users() || is_relative(source)});
    visit_file("linked", name, joined(source.linked_folder, name), source.number, {});
    if (!knows_toolkits_) ask_for_toolkits();
    for (const Folder& folder : folders_) {
      if (folder.toolkit.empty())
        visit_file("folder", name, joined(folder.path, name), source.number,
                   {.is_searched = true, .is_relative = folder.is_relative});
      else visit_toolkit(folder, name, source.number);
    }
  }

  void visit_toolkit(const Folder& folder, const std::string& name, int includer) {
    const std::string path = joined(folder.path, name);
    const HeaderLook& look = look_at(path, true, &HeaderWorld::see);
    if (look.file.kind == SeenFile::Kind::Missing) return;
    if (opened_.path.empty()) opened_.path = path;
    auto& toolkits = result_.toolkits;
    if (std::ranges::find(toolkits, folder.toolkit) == toolkits.end()) toolkits.push_back(folder.toolkit);
    result_.headers.push_back({"toolkit", name, path, folder.toolkit.size(), base::hash(folder.toolkit), includer, 0,
                               number_of(look.file.identity)});
  }

  void ask_for_toolkits() {
    knows_toolkits_ = true;
    if (!world_.toolkit_in) return;
    for (Folder& folder : folders_) folder.toolkit = world_.toolkit_in(folder.path);
  }

  // Returns whether `#include "name"` in `source` may mean this header in memory. It may if the header has that name.
  // It also may if `source` is itself a header in memory, and the name leads to the header from the folder of `source`.
  static bool is_name(const std::string& header, const Source& source, const std::string& name) {
    const fs::path own = fs::path(header).lexically_normal();
    return own == fs::path(name).lexically_normal() ||
           (source.in_memory && own == (source.memory_folder / name).lexically_normal());
  }

  void visit_memory(const std::string& where, const Header& header, const std::string& name, int includer) {
    is_found_ |= where == "neighbour" || header.name == name;
    const auto [place, is_new] = memory_numbers_.try_emplace(header.name + '\0' + header.text);
    if (is_new) {
      const fs::path folder = fs::path(header.name).parent_path();
      const std::string& here = result_.working_folder;
      const int text = enqueue({.folder = folder.empty() ? here : joined(here, folder.string()),
                                .memory_name = header.name,
                                .memory_folder = folder},
                               {.text = header.text, .name = header.name});
      place->second = {text, ++files_};
    }
    const auto [text, file] = place->second;
    note_header(where, name, {}, includer, text, file);
  }

  void note_header(const std::string& where, const std::string& name, const std::string& path, int includer, int text,
                   int file) {
    const ScannedText& scanned = text_of(text);
    result_.headers.push_back({where, name, path, scanned.text.size(), scanned.hash, includer, text, file});
  }

  // Whether compilers name the files in the folder of the source by their paths from the working folder.
  bool is_relative(const Source& source) {
    if (source.is_users()) return !source.has_own_folder();
    const std::string& name = text_of(source.number).name;  // empty: compilers do not open the source
    return !name.empty() && !name.starts_with('/');
  }

  // How compilers come to a path: whether they search it at all, and whether they name it from the working folder.
  struct Way {
    bool is_searched = false;
    bool is_relative = false;
  };

  void visit_file(const char* where, const std::string& name, const std::string& path, int includer, Way way) {
    if (path.empty() || is_full_) return;
    const HeaderLook& look = look_at(path, way.is_searched, &HeaderWorld::read);
    if (look.file.kind == SeenFile::Kind::Unusable) {
      keep_off(base::format("the header {} {}", path, look.file.problem));
      if (look.file.is_endless && way.is_searched && !is_found_)
        result_.endless = base::format("{} {}", path, look.file.problem);
    }
    if (look.file.kind != SeenFile::Kind::Readable) return;
    is_found_ |= way.is_searched;
    // A file is scanned once for each folder in which it was found. Folders are compared by device and inode and not by
    // path, because a folder contains the same files whatever path leads to it. So the scan ends even if files include
    // each other in a circle through paths with "..".
    const auto [place, is_new] = texts_.try_emplace({look.file.folder, look.file.identity});
    if (is_new)
      place->second =
          enqueue({.folder = base::folder_of(path), .linked_folder = look.file.linked_folder, .in_memory = false},
                  {.text = std::move(unscanned_[path]), .is_file = true});
    unscanned_.erase(path);
    if (way.is_searched && opened_.path.empty()) {
      opened_ = {path, place->second};
      std::string& opened = text_of(place->second).name;
      if (opened.empty()) opened = way.is_relative ? path_from(result_.working_folder, path) : path;
    }
    note_header(where, name, path, includer, place->second, number_of(look.file.identity));
  }

  // Examines a path by the function `how`, which is HeaderWorld::read or, for the toolkit's headers, HeaderWorld::see.
  // Examines each path only once, so that the scan cannot find two states of one file.
  HeaderLook look_at(const std::string& path, bool is_searched,
                     std::function<SeenFile(const std::string&)> HeaderWorld::*how) {
    const auto [place, is_new] = places_.try_emplace({path, how == &HeaderWorld::see}, result_.looks.size());
    if (is_new) {
      HeaderLook look{path, (world_.*how)(path)};
      count(look.file.text.size());
      unscanned_[path] = std::exchange(look.file.text, {});
      result_.looks.push_back(std::move(look));
    }
    HeaderLook& look = result_.looks[place->second];
    look.is_searched |= is_searched;
    return look;
  }

  void count(std::size_t bytes) {
    bytes_ += bytes;
    if (bytes_ <= kLargestHeader && result_.looks.size() < kMostLooks && texts_.size() < kMostFiles) return;
    is_full_ = true;
    keep_off("it includes more of the user's headers than graft scans");
  }

  int number_of(const base::FileIdentity& identity) {
    const auto [place, is_new] = numbers_.try_emplace(identity, files_ + 1);
    if (is_new) ++files_;
    return place->second;
  }

  int enqueue(Source source, ScannedText text) {
    source.number = text.number = static_cast<int>(result_.texts.size());
    left_.push_back(std::move(source));
    result_.texts.push_back(std::move(text));
    return result_.texts.back().number;
  }

  // Compilers read a file with #pragma once only once. If the file was found in several folders, it is given to them as
  // one text, which is possible only if its #includes mean the same files in each of these folders.
  void number_texts() {
    std::map<base::FileIdentity, int> first;
    for (const auto& [place, text] : texts_)
      if (!text_of(text).name.empty() && may_have_pragma_once(text_of(text).text)) {
        int& number = first.try_emplace(place.second, text).first->second;
        number = std::min(number, text);
      }
    for (const auto& [place, text] : texts_)
      if (const auto found = first.find(place.second); found != first.end()) text_of(text).number = found->second;
    const auto number_of_file = [this](const auto& include) {
      return std::pair(include.first, text_of(include.second).number);
    };
    for (const ScannedText& text : result_.texts) {
      const ScannedText& given = text_of(text.number);
      if (text.name.empty() ||
          (text.hash == given.hash && std::ranges::equal(text.files, given.files, {}, number_of_file, number_of_file)))
        continue;
      keep_off(base::format("{} has #pragma once and means something else in another folder", text.name));
    }
  }

  // NVRTC knows files with #pragma once by their paths as texts: if it has read `inc/k.h`, it does not read
  // `inc/link/../k.h`, which the system finds in the folder above the one to which `link` leads.
  void compare_paths() {
    std::map<std::string, const HeaderFound*> by_path;
    for (const HeaderFound& header : result_.headers) {
      if (header.path.empty()) continue;
      const auto [place, is_new] = by_path.try_emplace(fs::path(header.path).lexically_normal().string(), &header);
      if (is_new || place->second->file == header.file) continue;
      for (const HeaderFound* const one : {place->second, &header})
        if (may_have_pragma_once(text_of(one->text).text))
          keep_off(base::format("{} has #pragma once, and {} is another file", one->path,
                                one == &header ? place->second->path : header.path));
    }
  }

  // A compiler uses a header in memory for every #include of the header's name. Such an #include may also be in graft's
  // own headers or in the tools' headers, which the scan does not read. Adds the headers in memory that these unread
  // headers may include. Returns false when it added none.
  bool add_captured() {
    std::vector<const Header*> captured;
    for (const Header& header : options_.headers)
      if (!memory_numbers_.contains(header.name + '\0' + header.text) &&
          (result_.has_tools_headers || may_be_included_by_graft(header.name)))
        captured.push_back(&header);
    std::ranges::sort(captured, {}, [](const Header* header) { return std::tie(header->name, header->text); });
    for (const Header* header : captured) visit_memory("memory", *header, header->name, 0);
    return !captured.empty();
  }

  void note_pasted_names() {
    // Tokens may be pasted by a ## in a scanned text, or by a macro that a header of the tools defines.
    if (!pastes_ && !result_.has_tools_headers) return;
    if (const std::string_view name = pieces_.makes(); !name.empty())
      keep_off(base::format("a macro (##) may paste its tokens together to {}", name));
  }

  // Keeps the request out of the cache on disk, and records the reason.
  void keep_off(std::string reason) {
    auto& reasons = result_.memory_only;
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(std::move(reason));
  }

  const Options& options_;
  const HeaderWorld& world_;
  std::vector<Folder> folders_;
  bool knows_toolkits_ = false;

  std::deque<Source> left_;
  int users_ = 0;  // how many texts of the user were added
  // Maps {path, whether HeaderWorld::see was used} to the index in result_.looks.
  std::map<std::pair<std::string, bool>, std::size_t> places_;
  // Maps a path to the text that was read there, until the text is queued.
  std::map<std::string, std::string> unscanned_;
  std::map<std::pair<base::FileIdentity, base::FileIdentity>, int> texts_;
  std::map<std::string, std::pair<int, int>> memory_numbers_;
  std::set<std::string> own_headers_;  // graft's headers that were searched for #includes
  std::map<base::FileIdentity, int> numbers_;
  int files_ = 0;
  std::uint64_t bytes_ = 0;
  bool is_full_ = false;

  reflect::NamePieces pieces_;
  bool pastes_ = false;
  // True when the name that is being looked up was found at a path that compilers search, or in memory.
  bool is_found_ = false;
  // The path of the file that a compiler opens for the name that is being looked up, and the number of the file's text.
  // The number is 0 for a toolkit's file.
  struct {
    std::string path;
    int text = 0;
  } opened_;
  HeaderScan result_;
};

}  // namespace

HeaderWorld world_on_disk() {
  return {.read = [](const std::string& path) { return base::read_seen_file(path, kLargestHeader); },
          .working_folder = base::working_folder};
}

HeaderScan scan_headers(const std::vector<UserText>& texts, const Options& options, const HeaderWorld& world) {
  if (options.headers.empty() && std::ranges::all_of(texts, reflect::stands_alone, &UserText::text)) return {};
  Scanner scanner(options, world);
  for (const UserText& text : texts) scanner.add(text);
  return scanner.run();
}

bool HeaderScan::found(const std::string& path) const {
  return std::ranges::any_of(
      looks, [&](const HeaderLook& look) { return look.path == path && look.file.kind == SeenFile::Kind::Readable; });
}

std::string appeared_since(const HeaderScan& scan, const HeaderWorld& world) {
  if (!scan.has_tools_headers) return {};
  const auto has_appeared = [&](const HeaderLook& look) {
    return look.is_searched && look.file.kind == SeenFile::Kind::Missing &&
           world.see(look.path).kind != SeenFile::Kind::Missing;
  };
  const auto appeared = std::ranges::find_if(scan.looks, has_appeared);
  return appeared == scan.looks.end() ? std::string() : appeared->path;
}

}  // namespace graft::plan
