#include "toolchain/disassembler.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "base/files.hpp"
#include "base/format.hpp"
#include "toolchain/program_path.hpp"
#include "toolchain/timed_process.hpp"
#include "toolchain/toolkit.hpp"

namespace graft::toolchain {
namespace fs = std::filesystem;
namespace {

constexpr const char* kVariable = "GRAFT_NVDISASM";
constexpr const char* kProgram = "nvdisasm";

// The largest kernels that graft makes have some megabytes of machine code, of which nvdisasm writes 150 bytes for each
// instruction of 16 bytes.
constexpr std::size_t kLongestText = std::size_t{512} << 20;

// Returns the program in a toolkit, the chosen one if it has it, or an empty path.
fs::path in_toolkits() {
  std::vector<Toolkit::Candidate> toolkits = Toolkit({}, 0).candidates();
  std::stable_partition(toolkits.begin(), toolkits.end(),
                        [](const Toolkit::Candidate& one) { return one.why_not.empty(); });
  for (const Toolkit::Candidate& one : toolkits)
    if (fs::path file = one.installation.root / "bin" / kProgram; file.is_absolute() && is_program(file)) return file;
  return {};
}

Disassembly stopped(std::string why) {
  return {Disassembly::End::Stopped, std::move(why)};
}

// Whether graft or the system ended the program: at the limit of time, or for want of memory (SIGKILL), or at a limit
// of this process.
bool was_stopped(const ProcessResult& run) {
  return run.timed_out || run.signal == SIGKILL || run.signal == SIGXCPU || run.signal == SIGXFSZ;
}

}  // namespace

std::optional<Disassembler> Disassembler::find(std::string& why) {
  if (const std::string named = base::environment(kVariable); !named.empty()) {
    if (named.starts_with('/') && is_program(named)) return Disassembler(named);
    why = base::format("{} is {}, which is not the absolute path of a program", kVariable, named);
    return std::nullopt;
  }
  fs::path found = in_toolkits();
  if (found.empty()) found = find_program(kProgram, base::environment("PATH"));
  if (found.empty()) {
    why = "no nvdisasm: neither the CUDA toolkits that graft found nor PATH have it";
    return std::nullopt;
  }
  return Disassembler(std::move(found));
}

Disassembly Disassembler::disassemble(std::span<const std::byte> cubin, std::chrono::milliseconds time) const try {
  const base::TemporaryFolder folder;
  const fs::path file = folder.path() / "kernel.cubin";
  if (!base::write_file(file, cubin))
    return stopped(base::format("cannot write {}: {}", file.string(), std::generic_category().message(errno)));
  ProcessResult run = run_process({path_.string(), "-c", file.string()}, {}, {.time = time, .output = kLongestText});
  if (run.ok) return {Disassembly::End::Done, std::move(run.output)};
  if (run.lacked_resources() || was_stopped(run)) return stopped(run.last_line());
  if (run.start_error != 0) return {Disassembly::End::NotStarted, run.last_line()};
  return {Disassembly::End::Refused, std::move(run.output)};
} catch (const fs::filesystem_error& error) {
  return stopped(
      base::format("cannot make a temporary folder in {}: {}", error.path1().string(), error.code().message()));
}

}  // namespace graft::toolchain
