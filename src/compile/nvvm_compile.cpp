// Compiles each callback as a libNVVM program of its own, with -gen-lto and the flags for Options::floating_point.
// If the callback needs libdevice, the program gets libdevice as a library, so that libNVVM links only the functions
// that are called.
#include "compile/nvvm_compile.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/files.hpp"
#include "base/format.hpp"
#include "compile/derived_callback.hpp"
#include "compile/flags.hpp"
#include "core/fail.hpp"

namespace graft::compile {
namespace {

std::string read_libdevice(const toolchain::Toolkit& toolkit, const std::string& callback) {
  const std::filesystem::path file = toolkit.libdevice();
  if (base::FileContent bitcode = base::read_file(file)) return std::move(*bitcode);
  fail(ErrorCode::ToolMissing,
       base::format("{} is to be linked with libdevice, but {} has no libdevice.10.bc", callback, toolkit.origin()),
       "Install the CUDA toolkit or NVIDIA's wheel nvidia-nvvm, or give the callback without Libdevice::With.");
}

CompiledNvvm compile_module(const Callback& callback, Architecture architecture, const Options& options,
                            const Toolbox& toolbox) {
  std::string why;
  const auto nvvm = toolbox.toolkit().nvvm(why);
  if (!nvvm)
    fail(ErrorCode::ToolMissing,
         base::format("{} is NVVM IR, but libNVVM, which compiles it, cannot be used: {}", callback.name(), why),
         "Install the CUDA toolkit or NVIDIA's wheel nvidia-nvvm, or set GRAFT_CUDA_PATH to where it is.");
  toolchain::NvvmProgram program;
  program.modules.push_back({callback.bytes(), callback.name()});
  std::string libdevice;
  if (callback.libdevice() == Libdevice::With) {
    libdevice = read_libdevice(toolbox.toolkit(), callback.name());
    program.library = base::as_bytes(libdevice);
  }
  program.options = nvvm_flags(options, architecture);
  toolchain::NvvmResult result = nvvm->compile(program);
  const ToolVersion version{"libNVVM", nvvm->version().text()};
  if (!result.failure.empty())
    fail(ErrorCode::CompileFailed, base::format("{} does not compile as NVVM IR: {}", callback.name(), result.failure),
         "Write the NVVM IR for this libNVVM's IR version and the data layout of nvptx64; libNVVM's log says what it "
         "refuses.",
         result.log, {version});
  return {with_interface_of(callback, Callback::ltoir(result.code, callback.name())), version, std::move(result.log)};
}

}  // namespace

bool has_nvvm(const Callback& callback) {
  if (callback.composition() == nullptr) return callback.form() == Form::Nvvm;
  return std::ranges::any_of(callback.composition()->parts,
                             [](const std::optional<Callback>& part) { return part && has_nvvm(*part); });
}

CompiledNvvm compile_nvvm(const Callback& callback, Architecture architecture, const Options& options,
                          const Toolbox& toolbox) {
  if (callback.composition() == nullptr) return compile_module(callback, architecture, options, toolbox);
  CompiledNvvm all{callback, {}, {}};
  std::vector<std::optional<Callback>> parts = callback.composition()->parts;
  for (std::optional<Callback>& part : parts) {
    if (!part || !has_nvvm(*part)) continue;
    CompiledNvvm compiled = compile_nvvm(*part, architecture, options, toolbox);
    part = std::move(compiled.callback);
    all.version = std::move(compiled.version);
    all.log += compiled.log;
  }
  all.callback = with_parts(callback, parts);
  return all;
}

}  // namespace graft::compile
