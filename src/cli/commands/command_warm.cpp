// `graft warm`: compiles a list of callbacks into the cache. It needs no GPU, so it makes kernels for all GPUs of which
// the cache has tuning files (warm_tunings.hpp).
//
// There are as many threads as --jobs says, and each thread keeps one child process busy (worker.hpp). There are two
// reasons for child processes: a crash of NVIDIA's tools then costs one kernel only, and the tools, which take locks
// within a process, run in parallel only in several processes. On a machine with 16 cores, 100 kernels took 1.1 s with
// 16 child processes and 2.3 s with 16 threads of one process. They took 7.9 s with one child process and 7.7 s with
// one thread (bench/results/warm.json).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/format.hpp"
#include "base/thread_pool.hpp"
#include "cli/cache/cache_place.hpp"
#include "cli/child/child.hpp"
#include "cli/commands/commands.hpp"
#include "cli/commands/warm_list.hpp"
#include "cli/commands/warm_tunings.hpp"
#include "cli/commands/words.hpp"
#include "cli/output/output.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/printable_report.hpp"
#include "cli/output/progress.hpp"
#include "cli/output/size_text.hpp"
#include "core/fail.hpp"
#include "engine/cache_settings.hpp"
#include "engine/logger.hpp"
#include "engine/tunings.hpp"
#include "store/maintenance.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;

struct WarmRequest {
  std::string list;
  std::string architectures;
  std::string tuning_file;
  unsigned jobs = 0;
  bool as_json = false;
};

// The size limit of a list in bytes. A list may contain lines with megabytes of source text.
constexpr std::uint64_t kLargestList = 256 * base::kMebibyte;

// No word of a list has a zero byte.
bool is_text(std::string_view bytes) {
  return bytes.find('\0') == bytes.npos;
}

std::uint64_t largest_list(std::string_view beginning) {
  return is_text(beginning) ? kLargestList : 0;
}

std::string read_list(const std::string& path) {
  const char* const remedy = "Check that it exists, is a file or a pipe, and that this user may read it.";
  base::FileContent text = path == "-" ? base::read_open_file(STDIN_FILENO, kLargestList, largest_list)
                                       : base::read_file(path, kLargestList, largest_list);
  if (!text) fail(ErrorCode::FileUnreadable, base::format("cannot read the list {}: {}", path, text.problem()), remedy);
  if (!is_text(*text))
    fail(ErrorCode::FileUnreadable, base::format("cannot read the list {}: it is not text", path),
         "Give a list of callbacks, one a line.");
  return std::move(*text);
}

// Makes the list's folder the working folder, because relative paths in a list start at the list's own folder and not
// at the folder in which the program was started.
void enter_folder_of(const std::string& list) {
  const std::filesystem::path folder = std::filesystem::path(list).parent_path();
  if (!folder.empty()) std::filesystem::current_path(folder);
}

// What became of one item: a kernel in the cache, or an error.
struct Warmed {
  std::optional<engine::CachedKernel> kept = {};
  std::optional<Error> error = {};
};

Warmed warm_item(Worker& worker, const WarmItem& item) {
  try {
    return {.kept = warm_in_child(worker, item.request)};
  } catch (const Error& error) {
    return {.error = error};
  }
}

// Builds all items. Results are in the order of the items. Throws Error if a child process cannot be started.
std::vector<Warmed> warm_all(const std::vector<WarmItem>& items, std::size_t jobs) {
  std::vector<Warmed> results(items.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // protects the variables below
  std::size_t done = 0;
  std::size_t failed = 0;
  std::exception_ptr trouble;
  ProgressBar bar("warming", items.size());
  const auto work = [&] {
    try {
      Worker worker({kChildCommand});
      for (std::size_t i = next++; i < items.size(); i = next++) {
        results[i] = warm_item(worker, items[i]);
        const std::lock_guard lock(mutex);
        failed += results[i].error ? 1 : 0;
        bar.show(++done, failed);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      trouble = std::current_exception();
      next = items.size();
    }
  };
  base::ThreadPool pool(jobs);
  for (std::size_t i = 0; i < jobs; ++i) pool.run(work);
  pool.finish();
  if (trouble) std::rethrow_exception(trouble);
  return results;
}

std::string name_of(const WarmItem& item) {
  const std::string name = base::format("{} for {}", item.request.title(), item.request.architecture);
  return item.is_tuned() ? base::format("{}, tuned for {}", name, printable(item.request.tuning->gpu.name)) : name;
}

// Adds the kernels that are made by tuning files. A file in the cache that cannot be used is told, and is no failure:
// engines leave it out too.
void add_tuned(WarmList& list, const store::Settings& cache, const std::string& tuning_file) {
  engine::CacheSettings settings;
  settings.store = cache;
  std::set<std::string> problems;
  const engine::Logger logger([&](const LogEvent& event) {
    if (problems.emplace(event.text).second) complain(base::format("graft: {}", printable(event.text)));
  });
  engine::Tunings tunings(settings, tuning_file, logger);
  add_tuned_kernels(list, tunings);
  if (!tuning_file.empty() && !list.items.empty() && std::ranges::none_of(list.items, &WarmItem::is_tuned))
    complain(
        base::format("graft: {} changes no kernel of the list: it is of another architecture, or has no rows for "
                     "these callbacks",
                     printable(tuning_file)));
}

// Leaves the tuned kernels of a line out if the line failed without a tuning file: one message is enough.
void drop_repeated_failures(std::vector<WarmItem>& items, std::vector<Warmed>& results) {
  std::set<std::pair<int, std::string>> failed;
  std::vector<WarmItem> kept;
  std::vector<Warmed> of_kept;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::pair place(items[i].line, items[i].request.architecture);
    if (results[i].error && !items[i].is_tuned()) failed.insert(place);
    if (results[i].error && items[i].is_tuned() && failed.contains(place)) continue;
    kept.push_back(std::move(items[i]));
    of_kept.push_back(std::move(results[i]));
  }
  items = std::move(kept);
  results = std::move(of_kept);
}

// Returns how many kernels of `results` the cache has already evicted again. The cache evicts kernels if its size limit
// is too small for the whole list.
std::uint64_t count_evicted(const std::vector<Warmed>& results) {
  const store::Settings place = cache_place();
  std::vector<std::filesystem::path> folders = place.layers;
  folders.push_back(place.folder);
  const auto is_there = [&](const std::string& name) {
    return std::ranges::any_of(folders, [&](const std::filesystem::path& folder) {
      std::error_code ignored;
      return std::filesystem::exists(folder / store::version_folder() / (name + store::kEntrySuffix), ignored);
    });
  };
  return static_cast<std::uint64_t>(std::ranges::count_if(
      results, [&](const Warmed& warmed) { return warmed.kept && !is_there(warmed.kept->name); }));
}

json json_of(const WarmItem& item, const Warmed& warmed) {
  json object = {{"line", item.line},
                 {"callback", item.request.asked_job() != nullptr ? item.request.title() : item.request.callback},
                 {"architecture", item.request.architecture}};
  if (item.is_tuned()) object["tuned_for"] = item.request.tuning->gpu.name;
  if (warmed.error) object.update(cli::json_of(*warmed.error));
  if (warmed.kept) object.update({{"name", warmed.kept->name}, {"was_there", warmed.kept->was_there}});
  return object;
}

struct Outcome {
  std::uint64_t built = 0;
  std::uint64_t were_there = 0;
  std::uint64_t failed = 0;  // kernels that failed, and invalid lines
  std::uint64_t evicted = 0;
};

// Returns the error's text without the prefix "graft: ", for a message that begins with the list's name and line
// number.
std::string words_of(const Error& error) {
  constexpr std::string_view kPrefix = "graft: ";
  const std::string text = text_of(error);
  return text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
}

// Prints the problems in the order of the lines.
void complain_of(const std::string& list, std::vector<WarmList::Problem> problems) {
  std::ranges::stable_sort(problems, {}, &WarmList::Problem::line);
  for (const WarmList::Problem& problem : problems)
    complain(base::format("{}:{}: {}", printable(list), problem.line, problem.text));
}

Outcome count(const WarmList& list, const std::vector<Warmed>& results) {
  Outcome outcome;
  outcome.failed = list.problems.size();
  for (const Warmed& warmed : results)
    ++(!warmed.kept ? outcome.failed : warmed.kept->was_there ? outcome.were_there : outcome.built);
  outcome.evicted = count_evicted(results);
  return outcome;
}

std::vector<std::string> problems_of(const Outcome& outcome, const WarmList& list) {
  std::vector<std::string> problems;
  if (outcome.failed != 0)
    problems.push_back(base::format("{} of {} failed", outcome.failed, list.items.size() + list.problems.size()));
  if (outcome.evicted != 0)
    problems.push_back(
        base::format("{} did not fit into the cache together with the others: raise the cache's limit with "
                     "GRAFT_CACHE_MAX_BYTES",
                     kernels_text(outcome.evicted)));
  return problems;
}

// "; tuned for NVIDIA H200: 2", with the kernels that are in the cache. Empty if there are none.
std::string tuned_text(const std::vector<WarmItem>& items, const std::vector<Warmed>& results) {
  std::map<std::string, int> counts;
  for (std::size_t i = 0; i < items.size(); ++i)
    if (items[i].is_tuned() && results[i].kept) ++counts[items[i].request.tuning->gpu.name];
  std::string text;
  for (const auto& [gpu, count] : counts) base::append(text, "; tuned for {}: {}", printable(gpu), count);
  return text;
}

void tell(const Outcome& outcome, const WarmList& list, const std::vector<Warmed>& results,
          const std::vector<std::string>& problems, bool as_json) {
  if (!as_json)
    return print(base::format("built {}; already cached: {}{}\n", kernels_text(outcome.built), outcome.were_there,
                              tuned_text(list.items, results)));
  json kernels = json::array();
  for (std::size_t i = 0; i < list.items.size(); ++i) kernels.push_back(json_of(list.items[i], results[i]));
  json lines = json::array();
  for (const WarmList::Problem& problem : list.problems)
    lines.push_back({{"line", problem.line}, {"message", problem.text}});
  print_json({{"kernels", kernels},
              {"invalid_lines", lines},
              {"built", outcome.built},
              {"were_there", outcome.were_there},
              {"failed", outcome.failed},
              {"evicted", outcome.evicted},
              {"problems", problems}});
}

void warm(const WarmRequest& request) {
  const store::Settings cache = cache_place(true);  // throws if the cache cannot be written
  WarmList list = parse_warm_list(read_list(request.list), request.architectures);
  const std::string tuning_file =
      request.tuning_file.empty() ? "" : std::filesystem::absolute(request.tuning_file).string();
  enter_folder_of(request.list);
  add_tuned(list, cache, tuning_file);
  const std::size_t jobs = request.jobs != 0 ? request.jobs : std::thread::hardware_concurrency();
  std::vector<Warmed> results = warm_all(list.items, std::min(std::max<std::size_t>(jobs, 1), list.items.size()));
  drop_repeated_failures(list.items, results);
  std::vector<WarmList::Problem> failures = list.problems;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].error)
      failures.push_back({list.items[i].line, name_of(list.items[i]) + ": " + words_of(*results[i].error)});
  complain_of(request.list, std::move(failures));

  const Outcome outcome = count(list, results);
  const std::vector<std::string> problems = problems_of(outcome, list);
  tell(outcome, list, results, problems, request.as_json);
  fail_if_any(problems);
}

}  // namespace

void add_warm(CLI::App& program) {
  auto request = std::make_shared<WarmRequest>();
  CLI::App* const command = program.add_subcommand(
      "warm", "Compile a list of callbacks and store the kernels in the cache for later programs; needs no GPU");
  command
      ->add_option(
          "LIST", request->list,
          base::format("File; each line is a callback{}, followed by options of graft inspect; - reads standard input",
                       or_options()))
      ->required();
  command
      ->add_option("--arch", request->architectures,
                   "Architectures for the lines that have no --arch: 75,90 (default: every line needs its own --arch)")
      ->check(problem_of_architectures);
  command->add_option("--tuning-file", request->tuning_file,
                      "File of graft tune whose GPU gets kernels of its own (default: the files in the cache's folder "
                      "and in its layers)");
  command->add_option("-j,--jobs", request->jobs, "Number of kernels to build in parallel (default: number of cores)");
  command->add_flag("--json", request->as_json, "Print the result of each kernel as JSON");
  command->footer(
      std::string("A line may name several architectures: relu.cu --arch 75,90. Relative paths start at the "
                  "list's folder. A # begins a comment. ") +
      kExitCodesHelp);
  command->callback([request] { warm(*request); });
}

}  // namespace graft::cli
