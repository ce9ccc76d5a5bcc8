#include "cli/commands/kernel_code.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "cli/child/child.hpp"
#include "cli/output/new_file.hpp"
#include "cli/output/progress.hpp"
#include "core/fail.hpp"
#include "families/registry.hpp"
#include "format/cubin.hpp"
#include "format/elf.hpp"
#include "graft/error.hpp"
#include "toolchain/disassembler.hpp"

namespace graft::cli {
namespace {

constexpr std::string_view kDisassemblerRemedy =
    "Install nvdisasm of a CUDA toolkit (the package cuda-nvdisasm-13-0, or pip install nvidia-cuda-nvdisasm), or set "
    "GRAFT_NVDISASM to its path.";

std::string sass_of(const Image& image) {
  std::string why;
  const auto disassembler = toolchain::Disassembler::find(why);
  if (!disassembler) fail(ErrorCode::ToolMissing, std::move(why), std::string(kDisassemblerRemedy));
  const std::string program = disassembler->path().string();
  toolchain::Disassembly made = disassembler->disassemble(image.bytes());
  switch (made.end) {
    case toolchain::Disassembly::End::Done:
      break;
    case toolchain::Disassembly::End::Refused:
      fail(ErrorCode::ToolTooOld, base::format("{} cannot disassemble the kernel", program),
           "Take the nvdisasm of the toolkit that made the kernel, or of a newer one.", std::move(made.text));
    case toolchain::Disassembly::End::NotStarted:
      fail(ErrorCode::ToolMissing, base::format("the kernel cannot be disassembled: {}", made.text),
           std::string(kDisassemblerRemedy));
    case toolchain::Disassembly::End::Stopped:
      fail(ErrorCode::SystemFailed, base::format("the kernel cannot be disassembled: {}", made.text),
           std::string(kSystemRemedy));
  }
  return std::move(made.text);
}

// Returns the most shared memory that the code of one of the image's kernels declares.
std::uint64_t declared_shared_memory(const Image& image) {
  const auto elf = format::read_elf(image.bytes());
  if (!elf) return 0;
  std::uint64_t most = 0;
  for (const format::CubinFunction& function : format::read_cubin(*elf).functions)
    most = std::max(most, function.shared_bytes);
  return most;
}

std::string section(std::string_view title, const std::string& text) {
  return base::format("{}\n{}{}", title, text, text.ends_with('\n') ? "" : "\n");
}

}  // namespace

std::uint64_t shared_memory_of(const Image& image) {
  const KernelSpec& kernel = image.report().kernel;
  const std::uint64_t of_launch = std::max<std::uint64_t>(families::of(kernel.family).most_shared_bytes(kernel),
                                                          static_cast<std::uint64_t>(std::max(kernel.shared_bytes, 0)));
  return declared_shared_memory(image) + of_launch;
}

void add_code_options(CLI::App& command, WantedCode& wanted) {
  command.add_flag("--ptx", wanted.ptx, "Also print the kernel's PTX")
      ->excludes(command.get_option("--closed"));  // the closed mode answers with the kernel alone
  command.add_flag("--sass", wanted.sass, "Also print the kernel's machine code, disassembled by nvdisasm");
  command.add_option("-o,--output", wanted.output, "File to write the kernel to, as a cubin");
}

std::string add_code(const WantedCode& wanted, const BuildRequest& request, const Image& image,
                     nlohmann::json& object) {
  if (!wanted.is_wanted()) return {};
  if (image.report().kernel.route == Route::Host)
    fail(ErrorCode::RouteUnavailable, "--ptx, --sass and -o are for kernels of GPUs, and this one is for the CPU",
         "Leave --route host out.");
  std::string text;
  if (wanted.ptx) {
    const Progress progress("building the PTX");
    const std::string ptx = ptx_in_child(request);
    text += section("PTX", ptx);
    object["ptx"] = ptx;
  }
  if (wanted.sass) {
    const std::string sass = sass_of(image);
    text += section("SASS", sass);
    object["sass"] = sass;
  }
  if (!wanted.output.empty()) {
    write_new_file(wanted.output, {image.bytes()});
    object["cubin"] = wanted.output;
  }
  return text;
}

}  // namespace graft::cli
