// `graft warm`: fills the cache from a list, without a GPU. Each of a bounded number of threads keeps one child at work
// (worker.hpp). What crashes costs one kernel; and compilers that lock within a process run side by side: 100 kernels
// on 16 cores took 1.1 s, by threads of one process 2.3 s, and on one core 7.9 and 7.7 (bench/results/warm.json).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/format.hpp"
#include "base/thread_pool.hpp"
#include "cli/cache_place.hpp"
#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/output.hpp"
#include "cli/printable.hpp"
#include "cli/printable_report.hpp"
#include "cli/size_text.hpp"
#include "cli/warm_job.hpp"
#include "cli/warm_list.hpp"
#include "cli/words.hpp"
#include "core/fail.hpp"
#include "store/maintenance.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;

struct WarmRequest {
  std::string list;
  std::string architectures;
  unsigned jobs = 0;
  bool as_json = false;
};

// Lines with source texts of megabytes included.
constexpr std::uint64_t kLargestList = 256 * base::kMebibyte;

std::string read_list(const std::string& path) {
  base::FileContent text =
      path == "-" ? base::read_open_file(STDIN_FILENO, kLargestList) : base::read_file(path, kLargestList);
  if (!text)
    fail(ErrorCode::FileUnreadable, base::format("cannot read the list {}: {}", path, text.problem()),
         "Check that it exists, is a file or a pipe, and that this user may read it.");
  return std::move(*text);
}

// The files of a list lie beside it, wherever the program is started.
void enter_folder_of(const std::string& list) {
  const std::filesystem::path folder = std::filesystem::path(list).parent_path();
  if (!folder.empty()) std::filesystem::current_path(folder);
}

// In the order of the items. A child that cannot even be started ends the command.
std::vector<ChildMessage> warm_all(const std::vector<WarmItem>& items, std::size_t jobs) {
  std::vector<ChildMessage> results(items.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // of what follows
  std::size_t done = 0;
  std::size_t failed = 0;
  std::exception_ptr trouble;
  ProgressBar bar("warming", items.size());
  const auto work = [&] {
    try {
      Worker worker({kWarmCommand});
      for (std::size_t i = next++; i < items.size(); i = next++) {
        results[i] = warm_in_worker(worker, items[i].request);
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
  return base::format("{} for {}", item.request.title(), item.request.architecture);
}

// Where the cache's limit is too small for the list, the first kernels went when the last ones came.
std::uint64_t count_evicted(const std::vector<ChildMessage>& results) {
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
      results, [&](const ChildMessage& warmed) { return warmed.kept && !is_there(warmed.kept->name); }));
}

json json_of(const WarmItem& item, const ChildMessage& warmed) {
  json object = {{"line", item.line}, {"callback", item.request.callback}, {"architecture", item.request.architecture}};
  if (warmed.error) object["error"] = {{"code", name(warmed.error->code())}, {"message", warmed.error->message()}};
  if (warmed.kept) object.update({{"name", warmed.kept->name}, {"was_there", warmed.kept->was_there}});
  return object;
}

struct Outcome {
  std::uint64_t built = 0;
  std::uint64_t were_there = 0;
  std::uint64_t failed = 0;  // kernels, and lines that mean nothing
  std::uint64_t evicted = 0;
};

// Behind the list's name and line, the program's own name says nothing.
std::string words_of(const Error& error) {
  constexpr std::string_view kPrefix = "graft: ";
  const std::string text = text_of(error);
  return text.starts_with(kPrefix) ? text.substr(kPrefix.size()) : text;
}

// In the order of the lines.
void complain_of(const std::string& list, std::vector<WarmList::Problem> problems) {
  std::ranges::stable_sort(problems, {}, &WarmList::Problem::line);
  for (const WarmList::Problem& problem : problems)
    complain(base::format("{}:{}: {}", printable(list), problem.line, problem.text));
}

Outcome count(const WarmList& list, const std::vector<ChildMessage>& results) {
  Outcome outcome;
  outcome.failed = list.problems.size();
  for (const ChildMessage& warmed : results)
    ++(!warmed.kept ? outcome.failed : warmed.kept->was_there ? outcome.were_there : outcome.built);
  outcome.evicted = count_evicted(results);
  return outcome;
}

void tell(const Outcome& outcome, const std::vector<WarmItem>& items, const std::vector<ChildMessage>& results,
          bool as_json) {
  if (!as_json)
    return print(base::format("built {}; there already: {}\n", kernels_text(outcome.built), outcome.were_there));
  json kernels = json::array();
  for (std::size_t i = 0; i < items.size(); ++i) kernels.push_back(json_of(items[i], results[i]));
  print_json({{"kernels", kernels},
              {"built", outcome.built},
              {"were_there", outcome.were_there},
              {"failed", outcome.failed},
              {"evicted", outcome.evicted}});
}

void warm(const WarmRequest& request) {
  cache_place(true);  // throws where nothing could be kept
  const WarmList list = parse_warm_list(read_list(request.list), request.architectures);
  enter_folder_of(request.list);
  const std::size_t jobs = request.jobs != 0 ? request.jobs : std::thread::hardware_concurrency();
  const std::vector<ChildMessage> results =
      warm_all(list.items, std::min(std::max<std::size_t>(jobs, 1), list.items.size()));
  std::vector<WarmList::Problem> failures = list.problems;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].error)
      failures.push_back({list.items[i].line, name_of(list.items[i]) + ": " + words_of(*results[i].error)});
  complain_of(request.list, std::move(failures));

  const Outcome outcome = count(list, results);
  tell(outcome, list.items, results, request.as_json);
  std::vector<std::string> problems;
  if (outcome.failed != 0)
    problems.push_back(base::format("{} of {} failed", outcome.failed, list.items.size() + list.problems.size()));
  if (outcome.evicted != 0)
    problems.push_back(
        base::format("{} did not fit into the cache beside the others: raise its limit with "
                     "GRAFT_CACHE_MAX_BYTES",
                     kernels_text(outcome.evicted)));
  fail_if_any(problems);
}

}  // namespace

void add_warm(CLI::App& program) {
  auto request = std::make_shared<WarmRequest>();
  CLI::App* const command =
      program.add_subcommand("warm", "Put the kernels of a list of callbacks into the cache; needs no GPU");
  command
      ->add_option("LIST", request->list,
                   "A file, or - for standard input: a callback a line, with the options of graft inspect; # comments")
      ->required();
  command->add_option("--arch", request->architectures, "Architectures for the lines that name none: 75,90")
      ->check(problem_of_architectures);
  command->add_option("-j,--jobs", request->jobs, "At most so many at a time; as many as there are cores unless given");
  command->add_flag("--json", request->as_json, "Print JSON");
  command->footer(
      std::string("A line may name several architectures: relu.cu --arch 75,90. Files are looked for beside "
                  "the list. ") +
      kExitCodesHelp);
  command->callback([request] { warm(*request); });
}

}  // namespace graft::cli
