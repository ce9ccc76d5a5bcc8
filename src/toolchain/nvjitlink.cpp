// Loads nvJitLink's functions by dlsym, with the types of nvJitLink.h, from a library of any version. nvJitLink 13.5
// exports each function under the names of all minor versions up to its own (__nvJitLinkCreate_13_0 to
// __nvJitLinkCreate_13_5). The macros of nvJitLink.h give only the name for the version that graft is built with, so
// this file composes the names itself.
#include "toolchain/nvjitlink.hpp"

#include <nvJitLink.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "toolchain/installation.hpp"
#include "toolchain/profile_range.hpp"
#include "toolchain/shared_library.hpp"

namespace graft::toolchain {

namespace {

// Finds the function under the newest versioned name that the library exports, or else under its name without a
// version.
void* find_versioned(const SharedLibrary& library, Version version, const char* name) {
  for (int minor = version.minor; minor >= 0; --minor)
    if (void* const found = library.find(base::format("__{}_{}_{}", name, version.major, minor).c_str())) return found;
  return library.find(name);
}

std::string_view name_of(nvJitLinkResult result) {
  static constexpr std::array<std::string_view, 19> kNames = {
      "NVJITLINK_SUCCESS",
      "NVJITLINK_ERROR_UNRECOGNIZED_OPTION",
      "NVJITLINK_ERROR_MISSING_ARCH",
      "NVJITLINK_ERROR_INVALID_INPUT",
      "NVJITLINK_ERROR_PTX_COMPILE",
      "NVJITLINK_ERROR_NVVM_COMPILE",
      "NVJITLINK_ERROR_INTERNAL",
      "NVJITLINK_ERROR_THREADPOOL",
      "NVJITLINK_ERROR_UNRECOGNIZED_INPUT",
      "NVJITLINK_ERROR_FINALIZE",
      "NVJITLINK_ERROR_NULL_INPUT",
      "NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS",
      "NVJITLINK_ERROR_INCORRECT_INPUT_TYPE",
      "NVJITLINK_ERROR_ARCH_MISMATCH",
      "NVJITLINK_ERROR_OUTDATED_LIBRARY",
      "NVJITLINK_ERROR_MISSING_FATBIN",
      "NVJITLINK_ERROR_UNRECOGNIZED_ARCH",
      "NVJITLINK_ERROR_UNSUPPORTED_ARCH",
      "NVJITLINK_ERROR_LTO_NOT_ENABLED",
  };
  static_assert(NVJITLINK_ERROR_LTO_NOT_ENABLED + 1 == kNames.size());
  const auto index = static_cast<std::size_t>(result);
  return index < kNames.size() ? kNames[index] : std::string_view("an error that this version of graft does not know");
}

nvJitLinkInputType input_type(LinkInputKind kind) {
  switch (kind) {
    case LinkInputKind::LtoIr:
      return NVJITLINK_INPUT_LTOIR;
    case LinkInputKind::Ptx:
      return NVJITLINK_INPUT_PTX;
    case LinkInputKind::Cubin:
      return NVJITLINK_INPUT_CUBIN;
    case LinkInputKind::Fatbin:
      return NVJITLINK_INPUT_FATBIN;
    case LinkInputKind::Object:
      return NVJITLINK_INPUT_OBJECT;
    case LinkInputKind::Library:
      return NVJITLINK_INPUT_LIBRARY;
  }
  return NVJITLINK_INPUT_NONE;
}

// Returns the first function that the PTX declares as ".extern .func (.param .b32 func_retval0) name", which means that
// the PTX does not define it. graft checks this because nvJitLink reports undefined functions for a cubin but not for
// PTX.
std::string undefined_function(std::string_view ptx) {
  static constexpr std::string_view kDeclaration = ".extern .func";
  for (std::size_t at = ptx.find(kDeclaration); at != ptx.npos; at = ptx.find(kDeclaration, at)) {
    at = ptx.find_first_not_of(" \t", at + kDeclaration.size());
    if (at != ptx.npos && ptx[at] == '(') at = ptx.find_first_not_of(") \t", ptx.find(')', at));
    if (at == ptx.npos) break;
    const std::string_view name = ptx.substr(at, ptx.find_first_of(" \t\n(;", at) - at);
    if (!is_driver_function(name)) return std::string(name);
  }
  return {};
}

// Makes one link, from nvJitLinkCreate to reading the linked code. `result.failure` keeps the first failure. The link
// continues after a failure, because the later calls add information to the log.
template <class Functions>  // a template because NvJitLink::Functions is private
class JitLink {
 public:
  JitLink(const Functions& functions, LinkResult& result) : linker_(functions), result_(result) {}
  JitLink(const JitLink&) = delete;
  JitLink& operator=(const JitLink&) = delete;
  ~JitLink() {
    if (handle_) linker_.destroy(&handle_);
  }

  bool create(const std::vector<std::string>& options) {
    std::vector<const char*> all;
    for (const std::string& option : options) all.push_back(option.c_str());
    return check("nvJitLinkCreate", linker_.create(&handle_, static_cast<std::uint32_t>(all.size()), all.data()));
  }

  void add(const LinkInput& input) {
    if (input.kind == LinkInputKind::Ptx) return add_ptx(input);
    add_bytes(input, input.bytes);
  }

  void complete() { check("nvJitLinkComplete", linker_.complete(handle_)); }

  void read_logs() {
    if (!handle_) return;
    result_.error_log = read_log(linker_.error_log_size, linker_.error_log);
    result_.info_log = read_log(linker_.info_log_size, linker_.info_log);
  }

  void get_code(LinkOutput output, bool may_be_incomplete) {
    if (output == LinkOutput::Cubin) return get("nvJitLinkGetLinkedCubin", linker_.cubin_size, linker_.cubin);
    get("nvJitLinkGetLinkedPtx", linker_.ptx_size, linker_.ptx);
    while (!result_.code.empty() && result_.code.back() == std::byte{0}) result_.code.pop_back();
    if (may_be_incomplete) return;
    if (const std::string name = undefined_function(base::as_text(result_.code)); !name.empty())
      result_.failure = base::format("undefined function '{}' in the linked PTX", name);
  }

 private:
  bool check(std::string_view call, nvJitLinkResult status) {
    if (status != NVJITLINK_SUCCESS && result_.failure.empty())
      result_.failure = base::format("{}: {}", call, name_of(status));
    return status == NVJITLINK_SUCCESS;
  }

  // Passes a copy of the PTX with a terminating zero, because nvJitLink reads PTX up to a zero and would otherwise read
  // past the given size.
  void add_ptx(const LinkInput& input) {
    const std::string terminated(base::as_text(input.bytes));
    add_bytes(input, std::as_bytes(std::span(terminated.c_str(), terminated.size() + 1)));
  }

  void add_bytes(const LinkInput& input, std::span<const std::byte> bytes) {
    check(base::format("nvJitLinkAddData({})", input.name),
          linker_.add_data(handle_, input_type(input.kind), bytes.data(), bytes.size(), input.name.c_str()));
  }

  template <class Size, class Get>
  std::string read_log(Size* size_of, Get* copy) {
    std::size_t size = 0;
    if (size_of(handle_, &size) != NVJITLINK_SUCCESS || size == 0) return {};
    std::string text(size, '\0');
    if (copy(handle_, text.data()) != NVJITLINK_SUCCESS) return {};
    while (text.ends_with('\0')) text.pop_back();
    return text;
  }

  template <class Size, class Pointer>
  void get(std::string_view call, Size* size_of, nvJitLinkResult (*copy)(nvJitLinkHandle, Pointer*)) {
    std::size_t size = 0;
    if (!check(call, size_of(handle_, &size))) return;
    result_.code.resize(size);
    if (size == 0) result_.failure = base::format("{}: the linker returned no code", call);
    else check(call, copy(handle_, static_cast<Pointer*>(static_cast<void*>(result_.code.data()))));
  }

  const Functions& linker_;
  LinkResult& result_;
  nvJitLinkHandle handle_ = nullptr;
};

}  // namespace

bool is_driver_function(std::string_view name) {
  // The device code of printf calls vprintf, and that of assert calls __assertfail.
  static constexpr std::array<std::string_view, 4> kNames = {"vprintf", "__assertfail", "malloc", "free"};
  return std::ranges::find(kNames, name) != kNames.end();
}

std::vector<std::string> nvjitlink_options(std::vector<std::string> asked, LinkOutput output, Version nvjitlink) {
  constexpr Version kFirstWithNoCache{12, 5};
  if (nvjitlink >= kFirstWithNoCache) asked.emplace_back("-no-cache");
  if (output == LinkOutput::Ptx) asked.emplace_back("-ptx");
  return asked;
}

struct NvJitLink::Functions {
  SymbolLoader load;
  decltype(&::nvJitLinkCreate) create = load("nvJitLinkCreate");
  decltype(&::nvJitLinkDestroy) destroy = load("nvJitLinkDestroy");
  decltype(&::nvJitLinkAddData) add_data = load("nvJitLinkAddData");
  decltype(&::nvJitLinkComplete) complete = load("nvJitLinkComplete");
  decltype(&::nvJitLinkGetLinkedCubinSize) cubin_size = load("nvJitLinkGetLinkedCubinSize");
  decltype(&::nvJitLinkGetLinkedCubin) cubin = load("nvJitLinkGetLinkedCubin");
  decltype(&::nvJitLinkGetLinkedPtxSize) ptx_size = load("nvJitLinkGetLinkedPtxSize");
  decltype(&::nvJitLinkGetLinkedPtx) ptx = load("nvJitLinkGetLinkedPtx");
  decltype(&::nvJitLinkGetErrorLogSize) error_log_size = load("nvJitLinkGetErrorLogSize");
  decltype(&::nvJitLinkGetErrorLog) error_log = load("nvJitLinkGetErrorLog");
  decltype(&::nvJitLinkGetInfoLogSize) info_log_size = load("nvJitLinkGetInfoLogSize");
  decltype(&::nvJitLinkGetInfoLog) info_log = load("nvJitLinkGetInfoLog");
};

std::shared_ptr<const NvJitLink> NvJitLink::open(const std::filesystem::path& library, std::string& why,
                                                 LinkerLibrary kind) {
  const bool is_copy = kind == LinkerLibrary::Copy;
  const SharedLibrary shared = is_copy ? SharedLibrary::open_copy(library) : SharedLibrary::open(library);
  why = shared.failure();
  if (!shared.is_open()) return nullptr;

  auto linker = std::make_shared<NvJitLink>();
  linker->path_ = is_copy ? library : shared.path();
  decltype(&::nvJitLinkVersion) get_version = nullptr;  // nvJitLinkVersion is the only function without versioned names
  unsigned major = 0;
  unsigned minor = 0;
  if (!shared.load(get_version, "nvJitLinkVersion") || get_version(&major, &minor) != NVJITLINK_SUCCESS) {
    why = base::format(
        "{} does not report its version (nvJitLinkVersion is missing or failed); graft needs nvJitLink {} "
        "or newer",
        linker->path_.string(), kOldestTools.text());
    return nullptr;
  }
  linker->version_ = {static_cast<int>(major), static_cast<int>(minor)};
  if (linker->version_ < kOldestTools) {
    why = base::format("{} is nvJitLink {}, and graft needs nvJitLink {} or newer", linker->path_.string(),
                       linker->version_.text(), kOldestTools.text());
    return nullptr;
  }

  auto functions = std::make_shared<Functions>(Functions{SymbolLoader(
      [shared, version = linker->version_](const char* name) { return find_versioned(shared, version, name); })});
  if (const std::string& missing = functions->load.missing(); !missing.empty()) {
    why = base::format("{} has no function {}", linker->path_.string(), missing);
    return nullptr;
  }
  linker->functions_ = std::move(functions);
  return linker;
}

const void* NvJitLink::library() const noexcept {
  return reinterpret_cast<const void*>(functions_->create);
}

LinkResult NvJitLink::link(const LinkRequest& request) const {
  const ProfileRange range("graft: link");
  LinkResult result;
  JitLink link(*functions_, result);
  if (link.create(nvjitlink_options(request.options, request.output, version_))) {
    for (const LinkInput& input : request.inputs) link.add(input);
    link.complete();
  }
  link.read_logs();
  if (result.failure.empty()) link.get_code(request.output, request.may_be_incomplete);
  result.ok = result.failure.empty();
  if (!result.ok) result.code.clear();
  return result;
}

}  // namespace graft::toolchain
