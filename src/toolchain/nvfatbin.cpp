// This file declares libnvfatbin's few functions itself, with the types of nvFatbin.h in CUDA 12.4 to 13.x, so that
// graft can be built with a toolkit that lacks nvFatbin.h.
#include "toolchain/nvfatbin.hpp"

#include <cstddef>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "toolchain/shared_library.hpp"

namespace graft::toolchain {
namespace {

using Handle = struct Opaque*;
constexpr int kSuccess = 0;

// Returns the architecture's name without the prefix "sm_", as libnvfatbin takes it: "90a".
std::string short_name(Architecture architecture) {
  return architecture.sm().substr(std::string_view("sm_").size());
}

}  // namespace

struct NvFatbin::Functions {
  SymbolLoader load;
  const char* (*error_string)(int) = load("nvFatbinGetErrorString");
  int (*version)(unsigned*, unsigned*) = load("nvFatbinVersion");
  int (*create)(Handle*, const char**, std::size_t) = load("nvFatbinCreate");
  int (*destroy)(Handle*) = load("nvFatbinDestroy");
  int (*add_ptx)(Handle, const char*, std::size_t, const char*, const char*, const char*) = load("nvFatbinAddPTX");
  int (*add_ltoir)(Handle, const void*, std::size_t, const char*, const char*, const char*) = load("nvFatbinAddLTOIR");
  int (*size)(Handle, std::size_t*) = load("nvFatbinSize");
  int (*get)(Handle, void*) = load("nvFatbinGet");
};

namespace {

// Makes one fatbin, from nvFatbinCreate to reading its bytes. A step that fails returns false and sets
// `result.failure`.
template <class Functions>  // a template because NvFatbin::Functions is private
class Container {
 public:
  Container(const Functions& functions, FatbinResult& result) : fatbin_(functions), result_(result) {}
  Container(const Container&) = delete;  // the handle must be destroyed exactly once
  Container& operator=(const Container&) = delete;
  ~Container() {
    if (handle_ != nullptr) fatbin_.destroy(&handle_);
  }

  bool create() {
    const char* options[] = {"-64", "-host=linux"};
    return check("nvFatbinCreate", fatbin_.create(&handle_, options, std::size(options)));
  }

  bool add(const FatbinPart& part, const std::string& name) {
    const std::string architecture = short_name(part.architecture);
    if (part.kind == FatbinPart::LtoIr)
      return check("nvFatbinAddLTOIR", fatbin_.add_ltoir(handle_, part.code.data(), part.code.size(),
                                                         architecture.c_str(), name.c_str(), ""));
    // The copy adds a terminating zero, which libnvfatbin counts in the size.
    const std::string text(base::as_text(part.code));
    return check("nvFatbinAddPTX",
                 fatbin_.add_ptx(handle_, text.c_str(), text.size() + 1, architecture.c_str(), name.c_str(), ""));
  }

  bool get() {
    std::size_t size = 0;
    if (!check("nvFatbinSize", fatbin_.size(handle_, &size))) return false;
    result_.code.resize(size);
    return check("nvFatbinGet", fatbin_.get(handle_, result_.code.data()));
  }

 private:
  bool check(std::string_view call, int status) {
    if (status != kSuccess) result_.failure = base::format("{}: {}", call, fatbin_.error_string(status));
    return status == kSuccess;
  }

  const Functions& fatbin_;
  FatbinResult& result_;
  Handle handle_ = nullptr;
};

}  // namespace

std::shared_ptr<const NvFatbin> NvFatbin::open(const std::filesystem::path& library, std::string& why) {
  const SharedLibrary shared = SharedLibrary::open(library);
  why = shared.failure();
  if (!shared.is_open()) return nullptr;

  auto functions = std::make_shared<Functions>(Functions{SymbolLoader(shared)});
  auto fatbin = std::make_shared<NvFatbin>();
  fatbin->path_ = shared.path();
  if (const std::string& missing = functions->load.missing(); !missing.empty()) {
    why = base::format("{} has no function {}", fatbin->path_.string(), missing);
    return nullptr;
  }
  unsigned major = 0;
  unsigned minor = 0;
  if (functions->version(&major, &minor) == kSuccess)
    fatbin->version_ = {static_cast<int>(major), static_cast<int>(minor)};
  fatbin->functions_ = std::move(functions);
  return fatbin;
}

FatbinResult NvFatbin::make(const std::vector<FatbinPart>& parts, const std::string& name) const {
  FatbinResult result;
  Container container(*functions_, result);
  bool going = container.create();
  for (const FatbinPart& part : parts) going = going && container.add(part, name);
  if (!going || !container.get()) result.code.clear();
  return result;
}

}  // namespace graft::toolchain
