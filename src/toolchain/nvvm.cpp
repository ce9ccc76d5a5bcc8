// Loads libNVVM's functions by dlsym, with the types of nvvm.h, so that graft does not link against the library.
#include "toolchain/nvvm.hpp"

#include <nvvm.h>

#include <utility>

#include "base/format.hpp"
#include "toolchain/shared_library.hpp"

namespace graft::toolchain {
namespace {

// Compiles one program, from nvvmCreateProgram to reading its code. A step that fails returns false and sets
// `result.failure`.
template <class Functions>  // a template because Nvvm::Functions is private
class NvvmCompilation {
 public:
  NvvmCompilation(const Functions& functions, NvvmResult& result) : nvvm_(functions), result_(result) {}
  NvvmCompilation(const NvvmCompilation&) = delete;  // the handle must be destroyed exactly once
  NvvmCompilation& operator=(const NvvmCompilation&) = delete;
  ~NvvmCompilation() {
    if (handle_ != nullptr) nvvm_.destroy(&handle_);
  }

  bool create() { return check("nvvmCreateProgram", nvvm_.create(&handle_)); }

  bool add(const NvvmProgram& program) {
    for (const NvvmProgram::Module& module : program.modules)
      if (!check(
              base::format("nvvmAddModuleToProgram({})", module.name),
              nvvm_.add_module(handle_, base::as_text(module.bytes).data(), module.bytes.size(), module.name.c_str())))
        return false;
    if (program.library.empty()) return true;
    return check(
        "nvvmLazyAddModuleToProgram(libdevice)",
        nvvm_.add_library(handle_, base::as_text(program.library).data(), program.library.size(), "libdevice"));
  }

  bool compile(const std::vector<std::string>& options) {
    std::vector<const char*> flags;
    for (const std::string& option : options) flags.push_back(option.c_str());
    const auto count = static_cast<int>(flags.size());
    // Verify the program first, with the same options, because compiling invalid IR can crash the process.
    return check("nvvmVerifyProgram", nvvm_.verify(handle_, count, flags.data())) &&
           check("nvvmCompileProgram", nvvm_.compile(handle_, count, flags.data()));
  }

  void read_log() {
    std::size_t size = 0;
    if (handle_ == nullptr || nvvm_.log_size(handle_, &size) != NVVM_SUCCESS || size == 0) return;
    result_.log.resize(size);
    if (nvvm_.log(handle_, result_.log.data()) != NVVM_SUCCESS) result_.log.clear();
    while (result_.log.ends_with('\0')) result_.log.pop_back();
  }

  bool get_code() {
    std::size_t size = 0;
    if (!check("nvvmGetCompiledResultSize", nvvm_.code_size(handle_, &size))) return false;
    result_.code.resize(size);
    return check("nvvmGetCompiledResult", nvvm_.code(handle_, reinterpret_cast<char*>(result_.code.data())));
  }

 private:
  bool check(std::string_view call, nvvmResult status) {
    if (status != NVVM_SUCCESS) result_.failure = base::format("{}: {}", call, nvvm_.error_string(status));
    return status == NVVM_SUCCESS;
  }

  const Functions& nvvm_;
  NvvmResult& result_;
  nvvmProgram handle_ = nullptr;
};

}  // namespace

struct Nvvm::Functions {
  SymbolLoader load;
  decltype(&::nvvmIRVersion) ir_version = load("nvvmIRVersion");
  decltype(&::nvvmGetErrorString) error_string = load("nvvmGetErrorString");
  decltype(&::nvvmCreateProgram) create = load("nvvmCreateProgram");
  decltype(&::nvvmDestroyProgram) destroy = load("nvvmDestroyProgram");
  decltype(&::nvvmAddModuleToProgram) add_module = load("nvvmAddModuleToProgram");
  decltype(&::nvvmLazyAddModuleToProgram) add_library = load("nvvmLazyAddModuleToProgram");
  decltype(&::nvvmVerifyProgram) verify = load("nvvmVerifyProgram");
  decltype(&::nvvmCompileProgram) compile = load("nvvmCompileProgram");
  decltype(&::nvvmGetProgramLogSize) log_size = load("nvvmGetProgramLogSize");
  decltype(&::nvvmGetProgramLog) log = load("nvvmGetProgramLog");
  decltype(&::nvvmGetCompiledResultSize) code_size = load("nvvmGetCompiledResultSize");
  decltype(&::nvvmGetCompiledResult) code = load("nvvmGetCompiledResult");
};

std::shared_ptr<const Nvvm> Nvvm::open(const std::filesystem::path& library, std::string& why) {
  const SharedLibrary shared = SharedLibrary::open(library);
  why = shared.failure();
  if (!shared.is_open()) return nullptr;

  auto functions = std::make_shared<Functions>(Functions{SymbolLoader(shared)});
  auto nvvm = std::make_shared<Nvvm>();
  nvvm->path_ = shared.path();
  if (const std::string& missing = functions->load.missing(); !missing.empty()) {
    why = base::format("{} has no function {}", nvvm->path_.string(), missing);
    return nullptr;
  }
  int debug_major = 0;
  int debug_minor = 0;
  functions->ir_version(&nvvm->version_.major, &nvvm->version_.minor, &debug_major, &debug_minor);
  nvvm->functions_ = std::move(functions);
  return nvvm;
}

NvvmResult Nvvm::compile(const NvvmProgram& program) const {
  NvvmResult result;
  NvvmCompilation compilation(*functions_, result);
  const bool compiled = compilation.create() && compilation.add(program) && compilation.compile(program.options);
  compilation.read_log();
  if (!compiled || !compilation.get_code()) result.code.clear();
  return result;
}

}  // namespace graft::toolchain
