#include "cli/help/examples.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "cli/commands/families/job_options.hpp"

namespace graft::cli {
namespace {

struct Examples {
  std::string_view command;
  std::array<std::string_view, 2> lines;  // an empty line is none
};

constexpr std::array kExamples = {
    Examples{"", {"graft inspect '[](float x) { return 2 * x; }' --arch 90", "graft help cache stats"}},
    Examples{"help", {"graft help precompile", "graft help cache stats"}},
    Examples{"doctor", {"graft doctor", "graft doctor --json"}},
    Examples{"inspect", {"graft inspect axpy.cu", "graft inspect '[](float x) { return 2 * x; }' --arch 90"}},
    Examples{"apply",
             {"graft apply relu.cu --in a.npy --out c.npy --route host",
              "graft apply axpy.cu --in a.npy --in b.npy --out c.npy --state a=2.5 --route host"}},
    Examples{
        "bench",
        {"graft bench relu.cu --route host --count 1000000", "graft bench --fft 4096 --route host --count 100 --json"}},
    Examples{"tune", {"graft tune --list", "graft tune --list --only gelu --json"}},
    Examples{"reduce",
             {"graft reduce --combine mean --in m.npy --axis 1 --out c.npy --route host",
              "graft reduce --map square.cu --combine add.cu --in a.npy --out c.npy --route host"}},
    Examples{"precompile", {"graft precompile relu.cu --arch 80,90 -o relu.graft", ""}},
    Examples{"warm", {"graft warm kernels.txt --arch 90", "echo 'relu.cu --arch 80,90' | graft warm -"}},
    Examples{"cache", {"graft cache list --callback relu", "graft cache prune --max-bytes 500M"}},
    Examples{"cache dir", {"graft cache dir", ""}},
    Examples{"cache list", {"graft cache list", "graft cache list --callback relu --arch 80,90 --json"}},
    Examples{"cache stats", {"graft cache stats", "graft cache stats --json"}},
    Examples{"cache verify", {"graft cache verify", ""}},
    Examples{"cache prune", {"graft cache prune --max-bytes 500M", "graft cache prune --older-than 30d"}},
    Examples{"cache export",
             {"graft cache export relu.kernels --callback relu", "graft cache export all.kernels --all"}},
    Examples{"cache import", {"graft cache import relu.kernels", ""}},
    Examples{"cache explain", {"graft cache explain relu.cu --arch 90", ""}},
    Examples{"cache clear", {"graft cache clear", ""}},
};

}  // namespace

std::vector<std::string_view> examples_of(std::string_view command) {
  std::vector<std::string_view> found;
  for (const Examples& one : kExamples)
    if (one.command == command)
      std::ranges::copy_if(one.lines, std::back_inserter(found), [](std::string_view line) { return !line.empty(); });
  if (command == "precompile")
    for (const JobOptions* const job : all_job_options()) found.emplace_back(job->example());
  return found;
}

}  // namespace graft::cli
