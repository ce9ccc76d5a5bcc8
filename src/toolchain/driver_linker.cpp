// A link makes a context current, calls cuLinkCreate with its options, cuLinkAddData for each input and cuLinkComplete,
// and reads the logs. The destructors of LinkContext and Link release the context and the driver's link state.
#include "toolchain/driver_linker.hpp"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"

namespace graft::toolchain {
namespace {

// The size of each of the two buffers into which the driver writes its logs.
constexpr std::size_t kLogBytes = 65'536;

CUjitInputType type_of(LinkInputKind kind) {
  switch (kind) {
    case LinkInputKind::Ptx:
      return CU_JIT_INPUT_PTX;
    case LinkInputKind::Cubin:
      return CU_JIT_INPUT_CUBIN;
    case LinkInputKind::Fatbin:
      return CU_JIT_INPUT_FATBINARY;
    case LinkInputKind::Library:
      return CU_JIT_INPUT_LIBRARY;
    case LinkInputKind::Object:
    case LinkInputKind::LtoIr:
      break;
  }
  return CU_JIT_INPUT_OBJECT;
}

// Returns the architecture as a value of cuda.h's CUjit_target: 90 for sm_90, 90 + 0x10000 for sm_90a, 100 + 0x20000
// for sm_100f.
std::size_t target_of(Architecture architecture) {
  const std::size_t variant = architecture.suffix == 'a' ? 0x10000 : architecture.suffix == 'f' ? 0x20000 : 0;
  return static_cast<std::size_t>(architecture.number) + variant;
}

// Converts a number for the driver's option list, which contains numbers as void pointers.
void* as_value(std::size_t number) {
  return reinterpret_cast<void*>(number);  // NOLINT(performance-no-int-to-ptr)
}

// Makes sure that the thread has a current context during this object's lifetime. If no context is current already,
// makes device 0's primary context current.
class LinkContext {
 public:
  explicit LinkContext(const DriverFunctions& api) : api_(api) {
    CUcontext current = nullptr;
    result_ = api_.cuCtxGetCurrent(&current);
    if (result_ != CUDA_SUCCESS || current != nullptr) return;
    if ((result_ = api_.cuDeviceGet(&device_, 0)) != CUDA_SUCCESS) return;
    if ((result_ = api_.cuDevicePrimaryCtxRetain(&current, device_)) != CUDA_SUCCESS) return;
    retained_ = true;
    result_ = api_.cuCtxPushCurrent(current);
    pushed_ = result_ == CUDA_SUCCESS;
  }
  ~LinkContext() {
    CUcontext popped = nullptr;
    if (pushed_) api_.cuCtxPopCurrent(&popped);
    if (retained_) api_.cuDevicePrimaryCtxRelease(device_);
  }
  LinkContext(const LinkContext&) = delete;  // each push must be popped exactly once
  LinkContext& operator=(const LinkContext&) = delete;

  CUresult result() const noexcept { return result_; }

 private:
  const DriverFunctions& api_;
  CUresult result_ = CUDA_SUCCESS;
  CUdevice device_ = 0;
  bool retained_ = false;
  bool pushed_ = false;
};

// Makes one link, from cuLinkCreate to reading the code. The driver writes into the log buffers during the whole link,
// so the buffers are members, which live as long as the CUlinkState.
class Link {
 public:
  Link(const Driver& driver, LinkResult& result)
      : driver_(driver), result_(result), info_(kLogBytes, '\0'), error_(kLogBytes, '\0') {}
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  ~Link() {
    if (state_ != nullptr) driver_.api().cuLinkDestroy(state_);
  }

  bool create(const DriverLinkRequest& request) {
    std::vector<std::pair<CUjit_option, void*>> options = {
        {CU_JIT_TARGET, as_value(target_of(request.architecture))},
        {CU_JIT_LOG_VERBOSE, as_value(1)},
        {CU_JIT_INFO_LOG_BUFFER, info_.data()},
        {CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, as_value(info_.size())},
        {CU_JIT_ERROR_LOG_BUFFER, error_.data()},
        {CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, as_value(error_.size())}};
    if (request.max_registers != 0)
      options.emplace_back(CU_JIT_MAX_REGISTERS, as_value(static_cast<std::size_t>(request.max_registers)));
    if (request.line_info) options.emplace_back(CU_JIT_GENERATE_LINE_INFO, as_value(1));
    for (const auto& [name, value] : options) {
      names_.push_back(name);
      values_.push_back(value);
    }
    return check("cuLinkCreate", driver_.api().cuLinkCreate(static_cast<unsigned>(names_.size()), names_.data(),
                                                            values_.data(), &state_));
  }

  void add(const LinkInput& input) {
    // The copy gives PTX a terminating zero, which the driver requires and counts in the size. The copy also provides
    // the non-const pointer that cuLinkAddData takes. The driver copies the data during the call.
    std::string copy(base::as_text(input.bytes));
    const std::size_t size = copy.size() + (input.kind == LinkInputKind::Ptx ? 1 : 0);
    check(base::format("cuLinkAddData({})", input.name),
          driver_.api().cuLinkAddData(state_, type_of(input.kind), copy.data(), size, input.name.c_str(), 0, nullptr,
                                      nullptr));
  }

  void complete() {
    void* code = nullptr;
    std::size_t size = 0;
    if (!check("cuLinkComplete", driver_.api().cuLinkComplete(state_, &code, &size))) return;
    const auto* bytes = static_cast<const std::byte*>(code);
    result_.code.assign(bytes, bytes + size);
  }

  void read_logs() {
    result_.info_log = info_.substr(0, info_.find('\0'));
    result_.error_log = error_.substr(0, error_.find('\0'));
  }

 private:
  bool check(std::string_view call, CUresult status) {
    if (status != CUDA_SUCCESS && result_.failure.empty())
      result_.failure = base::format("{}: {}", call, driver_.describe(status));
    return status == CUDA_SUCCESS;
  }

  const Driver& driver_;
  LinkResult& result_;
  std::string info_;
  std::string error_;
  // The options are members like the log buffers, because until the link ends the driver writes the sizes of the logs
  // into `values_`.
  std::vector<CUjit_option> names_;
  std::vector<void*> values_;
  CUlinkState state_ = nullptr;
};

}  // namespace

LinkResult link_with_driver(const Driver& driver, const DriverLinkRequest& request) {
  LinkResult result;
  const LinkContext context(driver.api());
  if (context.result() != CUDA_SUCCESS) {
    result.failure = base::format("there is no CUDA context to link in: {}", driver.describe(context.result()));
    return result;
  }
  Link link(driver, result);
  if (link.create(request)) {
    for (const LinkInput& input : request.inputs) link.add(input);
    if (result.failure.empty()) link.complete();
  }
  link.read_logs();
  result.ok = result.failure.empty();
  if (!result.ok) result.code.clear();
  return result;
}

}  // namespace graft::toolchain
