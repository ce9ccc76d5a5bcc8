// Defines the command line with CLI11 and converts the arguments to options.
#include "options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>
#include <map>

namespace graft::bench {
namespace {

int number(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw CLI::ValidationError("--policy", "not a number: " + text);
  return value;
}

// Parses settings such as "vector_width=8,vectors_per_thread=2,block_threads=64,body=rolled".
PolicyOverrides parse_policy(const std::string& text) {
  PolicyOverrides policy;
  for (const std::string& part : CLI::detail::split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string key = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (key == "vector_width") policy.vector_width = number(value);
    else if (key == "vectors_per_thread") policy.vectors_per_thread = number(value);
    else if (key == "block_threads") policy.block_threads = number(value);
    else if (key == "body" && value == "vector") policy.body = Body::Vector;
    else if (key == "body" && value == "rolled") policy.body = Body::Rolled;
    else throw CLI::ValidationError("--policy", "cannot use " + part);
  }
  return policy;
}

std::regex parse_filter(const std::string& text) {
  try {
    return std::regex(text);
  } catch (const std::regex_error& error) {
    throw CLI::ValidationError("--filter", error.what());
  }
}

std::string joined(int argc, char** argv) {
  std::string text = argv[0];
  for (int i = 1; i < argc; ++i) text += fmt::format(" {}", argv[i]);
  return text;
}

}  // namespace

ThroughputOptions parse_throughput_options(int argc, char** argv, const std::string& name) {
  setenv("GRAFT_CACHE", "memory", 0);  // kernels from an earlier run would change figures and reports
  ThroughputOptions options;
  Arguments& arguments = options.arguments;
  arguments.program = argv[0];
  arguments.command_line = joined(argc, argv);
  arguments.samples = 21;
  if (const char* folder = std::getenv("OUT")) arguments.out = fmt::format("{}/{}.json", folder, name);
  std::string filter;
  CLI::App app{"Measures GB/s of graft and of its peers for each cell (operation, type, count and alignment)"};
  app.add_option("--part", options.part, "alignments of the arrays: all, aligned or misaligned")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Part>{
          {"all", Part::All}, {"aligned", Part::Aligned}, {"misaligned", Part::Misaligned}}));
  app.add_option("--counts", options.counts, "element counts: all, small (2^16 and 2^20) or large")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, Counts>{{"all", Counts::All}, {"small", Counts::Small}, {"large", Counts::Large}}));
  app.add_option("--filter", filter, "only cells whose name contains a match of this regular expression");
  app.add_option("--repetitions,--samples", arguments.samples, "samples of each contender in each cell")
      ->check(CLI::Range(1, 10000));
  app.add_option(
      "--policy", options.policy_text,
      "also measure graft with this tuning: vector_width=N,vectors_per_thread=N,block_threads=N,body=vector|rolled");
  app.add_option("--out", arguments.out, "file for the JSON record");
  app.add_option("--commit", arguments.commit, "the commit to name in the record");
  app.add_flag("--list", options.list, "print the names of the cells and exit");
  try {
    app.parse(argc, argv);
    if (!filter.empty()) options.filter = parse_filter(filter);
    if (!options.policy_text.empty()) options.policy = parse_policy(options.policy_text);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

}  // namespace graft::bench
