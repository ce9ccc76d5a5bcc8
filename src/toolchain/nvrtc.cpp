// Loads NVRTC's functions by dlsym, with the types of nvrtc.h, so that graft does not link against the library.
#include "toolchain/nvrtc.hpp"

#include <nvrtc.h>

#include <system_error>
#include <utility>

#include "base/format.hpp"
#include "toolchain/installation.hpp"
#include "toolchain/profile_range.hpp"
#include "toolchain/shared_library.hpp"

namespace graft::toolchain {

namespace {

// Opens NVRTC's builtins library, preferably the file in NVRTC's own folder. NVRTC itself opens the builtins by their
// soname, but only at the first compile, so a missing file would be noticed late. When NVRTC opens the soname, the
// loader gives NVRTC the library that is already open, whatever LD_LIBRARY_PATH contains. If the file in NVRTC's folder
// exists but cannot be opened, open_builtins fails, because the builtins of another installation do not belong to this
// NVRTC.
std::string open_builtins(const std::filesystem::path& nvrtc, Version version) {
  const std::string name = base::format("libnvrtc-builtins.so.{}", version.text());
  const std::filesystem::path beside = nvrtc.parent_path() / name;
  std::error_code ignored;
  const bool is_there = std::filesystem::exists(beside, ignored);
  const SharedLibrary opened = SharedLibrary::open(is_there ? beside : std::filesystem::path(name));
  return opened.is_open()
             ? std::string()
             : base::format("{} cannot be used without its builtins library: {}", nvrtc.string(), opened.failure());
}

std::vector<const char*> c_strings(const std::vector<std::string>& strings) {
  std::vector<const char*> pointers;
  for (const std::string& s : strings) pointers.push_back(s.c_str());
  return pointers;
}

// Compiles one program, from nvrtcCreateProgram to reading its code. A step that fails returns false and says why in
// `result.log`.
template <class Functions>  // a template because Nvrtc::Functions is private
class Compilation {
 public:
  Compilation(const Functions& functions, NvrtcResult& result) : nvrtc_(functions), result_(result) {}
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;
  ~Compilation() {
    if (handle_) nvrtc_.destroy(&handle_);
  }

  bool create(const NvrtcProgram& program) {
    std::vector<std::string> names;
    std::vector<const char*> texts;
    for (const NvrtcProgram::Include& header : program.headers) {
      names.emplace_back(header.name);
      texts.push_back(header.text.data());
    }
    return check("nvrtcCreateProgram",
                 nvrtc_.create(&handle_, program.source.c_str(), program.name.empty() ? nullptr : program.name.c_str(),
                               static_cast<int>(names.size()), texts.data(), c_strings(names).data()));
  }

  bool add_names(const std::vector<std::string>& expressions) {
    for (const std::string& expression : expressions)
      if (!check("nvrtcAddNameExpression", nvrtc_.add_name(handle_, expression.c_str()))) return false;
    return true;
  }

  bool compile(const std::vector<std::string>& options) {
    const nvrtcResult status = nvrtc_.compile(handle_, static_cast<int>(options.size()), c_strings(options).data());
    std::size_t size = 0;
    if (nvrtc_.log_size(handle_, &size) == NVRTC_SUCCESS && size > 1) {
      result_.log.resize(size);
      if (nvrtc_.log(handle_, result_.log.data()) != NVRTC_SUCCESS) result_.log.clear();
      while (result_.log.ends_with('\0')) result_.log.pop_back();
    }
    // After a compile error the log says what is wrong. Other failures may leave no log, so add the error code.
    return (status == NVRTC_ERROR_COMPILATION && !result_.log.empty()) ? false : check("nvrtcCompileProgram", status);
  }

  bool lower_names(const std::vector<std::string>& expressions) {
    for (const std::string& expression : expressions) {
      const char* lowered = nullptr;
      if (!check("nvrtcGetLoweredName", nvrtc_.lowered_name(handle_, expression.c_str(), &lowered))) return false;
      result_.lowered_names.emplace_back(lowered);
    }
    return true;
  }

  bool get_code(NvrtcOutput output) {
    switch (output) {
      case NvrtcOutput::LtoIr:
        return get("nvrtcGetLTOIR", nvrtc_.ltoir_size, nvrtc_.ltoir, result_.code);
      case NvrtcOutput::Cubin:
        return get("nvrtcGetCUBIN", nvrtc_.cubin_size, nvrtc_.cubin, result_.code) && get_ptx(result_.ptx);
      case NvrtcOutput::Ptx:
        break;
    }
    return get_ptx(result_.code);
  }

 private:
  bool check(const char* call, nvrtcResult status) {
    if (status == NVRTC_SUCCESS) return true;
    return fail(base::format("{}: {}", call, nvrtc_.error_string(status)));
  }

  bool fail(const std::string& reason) {
    if (!result_.log.empty() && !result_.log.ends_with('\n')) result_.log += '\n';
    result_.log += reason;
    return false;
  }

  bool get_ptx(base::Bytes& ptx) {
    if (!get("nvrtcGetPTX", nvrtc_.ptx_size, nvrtc_.ptx, ptx)) return false;
    while (!ptx.empty() && ptx.back() == std::byte{0}) ptx.pop_back();
    return true;
  }

  template <class Size, class Get>
  bool get(const char* call, Size* size_of, Get* copy, base::Bytes& code) {
    std::size_t size = 0;
    if (!check(call, size_of(handle_, &size))) return false;
    if (size == 0)
      return fail(
          base::format("{}: NVRTC returned no code, because the compile options ask for another kind of code", call));
    code.resize(size);
    return check(call, copy(handle_, reinterpret_cast<char*>(code.data())));
  }

  const Functions& nvrtc_;
  NvrtcResult& result_;
  nvrtcProgram handle_ = nullptr;
};

}  // namespace

std::vector<std::string> nvrtc_options(std::vector<std::string> asked, Version nvrtc) {
  constexpr Version kFirstWithCache{12, 9};
  if (nvrtc >= kFirstWithCache) asked.emplace_back("-no-cache");
  return asked;
}

struct Nvrtc::Functions {
  SymbolLoader load;
  decltype(&::nvrtcVersion) version = load("nvrtcVersion");
  decltype(&::nvrtcGetErrorString) error_string = load("nvrtcGetErrorString");
  decltype(&::nvrtcGetNumSupportedArchs) architecture_count = load("nvrtcGetNumSupportedArchs");
  decltype(&::nvrtcGetSupportedArchs) architectures = load("nvrtcGetSupportedArchs");
  decltype(&::nvrtcCreateProgram) create = load("nvrtcCreateProgram");
  decltype(&::nvrtcDestroyProgram) destroy = load("nvrtcDestroyProgram");
  decltype(&::nvrtcAddNameExpression) add_name = load("nvrtcAddNameExpression");
  decltype(&::nvrtcGetLoweredName) lowered_name = load("nvrtcGetLoweredName");
  decltype(&::nvrtcCompileProgram) compile = load("nvrtcCompileProgram");
  decltype(&::nvrtcGetProgramLogSize) log_size = load("nvrtcGetProgramLogSize");
  decltype(&::nvrtcGetProgramLog) log = load("nvrtcGetProgramLog");
  decltype(&::nvrtcGetLTOIRSize) ltoir_size = load("nvrtcGetLTOIRSize");
  decltype(&::nvrtcGetLTOIR) ltoir = load("nvrtcGetLTOIR");
  decltype(&::nvrtcGetPTXSize) ptx_size = load("nvrtcGetPTXSize");
  decltype(&::nvrtcGetPTX) ptx = load("nvrtcGetPTX");
  decltype(&::nvrtcGetCUBINSize) cubin_size = load("nvrtcGetCUBINSize");
  decltype(&::nvrtcGetCUBIN) cubin = load("nvrtcGetCUBIN");

  std::vector<int> supported_architectures = {};
};

std::shared_ptr<const Nvrtc> Nvrtc::open(const std::filesystem::path& library, std::string& why) {
  const SharedLibrary shared = SharedLibrary::open(library);
  why = shared.failure();
  if (!shared.is_open()) return nullptr;

  auto functions = std::make_shared<Functions>(Functions{SymbolLoader(shared)});
  auto nvrtc = std::make_shared<Nvrtc>();
  nvrtc->path_ = shared.path();
  if (const std::string& missing = functions->load.missing(); !missing.empty()) {
    why = base::format("{} has no function {}", nvrtc->path_.string(), missing);
    return nullptr;
  }
  functions->version(&nvrtc->version_.major, &nvrtc->version_.minor);
  if (nvrtc->version_ < kOldestTools) {
    why = base::format("{} is NVRTC {}, and graft needs NVRTC {} or newer", nvrtc->path_.string(),
                       nvrtc->version_.text(), kOldestTools.text());
    return nullptr;
  }
  why = open_builtins(nvrtc->path_, nvrtc->version_);
  if (!why.empty()) return nullptr;

  int count = 0;
  if (functions->architecture_count(&count) == NVRTC_SUCCESS && count > 0) {
    functions->supported_architectures.resize(static_cast<std::size_t>(count));
    functions->architectures(functions->supported_architectures.data());
  }
  nvrtc->functions_ = std::move(functions);
  return nvrtc;
}

const std::vector<int>& Nvrtc::architectures() const {
  return functions_->supported_architectures;
}

NvrtcResult Nvrtc::compile(const NvrtcProgram& program) const {
  const ProfileRange range("graft: compile");
  NvrtcResult result;
  Compilation compilation(*functions_, result);
  result.ok = compilation.create(program) && compilation.add_names(program.name_expressions) &&
              compilation.compile(nvrtc_options(program.options, version_)) &&
              compilation.lower_names(program.name_expressions) && compilation.get_code(program.output);
  if (!result.ok) {
    result.code.clear();
    result.ptx.clear();
    result.lowered_names.clear();
  }
  return result;
}

}  // namespace graft::toolchain
