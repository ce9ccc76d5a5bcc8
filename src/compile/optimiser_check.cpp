// Keeps a Verdict for each library and architecture. Two libraries of nvJitLink in one process, for example a copy for
// graft alone, have variables of their own.
#include "compile/optimiser_check.hpp"

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/embedded.hpp"
#include "base/format.hpp"
#include "plan/route.hpp"

namespace graft::compile {
namespace {

constexpr std::string_view kSlow =
    "nvJitLink no longer optimises fully in this process, because some part of the process has linked with -O0: "
    "kernels may need more registers, and graft stores none of them (GRAFT_PRIVATE_LINKER=1 gives graft a copy of "
    "nvJitLink of its own)";

// Set when the process ends. nvJitLink's own variables are destroyed then, so nothing may be linked any more.
std::atomic<bool> is_ending{false};

// Whether PTX reads the kernel's parameter by its name, which only optimised PTX does.
bool reads_by_name(std::string_view ptx, std::string_view kernel) {
  return ptx.find(base::format("[{}_param_0", kernel)) != ptx.npos;
}

std::string canary_source() {
  return std::string(base::embedded_file("graft/canary.cu"));
}

}  // namespace

bool is_optimised(std::string_view ptx, std::string_view kernel, const toolchain::Nvrtc& nvrtc,
                  Architecture architecture) {
  // PTX that is not optimised makes a generic address of the parameter's. Other PTX does so too if a function takes the
  // state by reference and is not inlined.
  if (reads_by_name(ptx, kernel) || ptx.find("cvta.param") == ptx.npos) return true;
  const toolchain::NvrtcResult canary = nvrtc.compile({.source = canary_source(),
                                                       .name = "canary.cu",
                                                       .headers = {},
                                                       .options = {"-arch=" + architecture.sm()},
                                                       .name_expressions = {},
                                                       .output = toolchain::NvrtcOutput::Cubin});
  return reads_by_name(base::as_text(canary.ptx), "graft_canary");
}

struct OptimiserCheck::Verdict {
  std::mutex linking;  // held while the canary is linked
  std::mutex mutex;    // protects the members below
  bool is_known = false;
  Clock::time_point optimised_until;  // links that ended before this time were optimised
  std::string objection;              // once it is not empty, it stays
};

namespace {

// The pairs of a library and an architecture for which a canary has been linked.
std::atomic<std::size_t> linked_pairs{0};

}  // namespace

std::size_t OptimiserCheck::count_linked() {
  return linked_pairs;
}

OptimiserCheck::Verdict& OptimiserCheck::verdict_of(const void* library, const std::string& architecture) {
  static std::mutex mutex;
  static auto& verdicts = *new std::map<std::pair<const void*, std::string>, Verdict>;
  const std::lock_guard lock(mutex);
  return verdicts[{library, architecture}];
}

// Makes exit() wait for a canary of this verdict that is being linked. exit() calls the functions of std::atexit in
// reverse order, together with the destructors of variables. nvJitLink makes some of its variables during the first
// link for an architecture, so the function must be registered after this link.
void OptimiserCheck::wait_at_exit() const {
  static auto& mutex = *new std::mutex;  // neither is ever destroyed, because exit() uses both
  static auto& waited_for = *new std::vector<Verdict*>;
  {
    const std::lock_guard lock(mutex);
    waited_for.push_back(&verdict_);
  }
  std::atexit([] {
    is_ending = true;
    const std::vector<Verdict*> all = [] {
      const std::lock_guard lock(mutex);  // another thread may have just linked its first canary
      return waited_for;
    }();
    for (Verdict* verdict : all) const std::lock_guard wait(verdict->linking);
  });
}

OptimiserCheck::OptimiserCheck(const OpenTools& tools, Architecture architecture)
    : linker_(tools.nvjitlink),
      nvrtc_(tools.nvrtc),
      architecture_(architecture.sm()),
      verdict_(verdict_of(linker_->library(), architecture_)) {
  if (const auto copy = plan::choose_building_blocks(linker_->version(), tools.states.blocks))
    shipped_ = base::embedded_file(std::string(base::kBlockFolders[*copy]) + "canary.ltoir");
}

base::Bytes OptimiserCheck::canary() const {
  if (!shipped_.empty()) {
    const auto bytes = base::as_bytes(shipped_);
    return {bytes.begin(), bytes.end()};
  }
  if (!nvrtc_) return {};
  return nvrtc_
      ->compile({.source = canary_source(),
                 .name = "canary.cu",
                 .headers = {},
                 .options = {"-arch=compute_75", "-dlto", "-rdc=true"},
                 .name_expressions = {},
                 .output = toolchain::NvrtcOutput::LtoIr})
      .code;
}

// Returns what is wrong with the canary's PTX, or an empty text. A canary that cannot be linked proves nothing.
std::string OptimiserCheck::link_canary() const {
  if (is_ending) return "graft cannot find out whether nvJitLink optimises fully: the process ends";
  const base::Bytes code = canary();
  const toolchain::LinkResult result = linker_->link({{{toolchain::LinkInputKind::LtoIr, code, "graft/canary.cu"}},
                                                      {"-arch=" + architecture_, "-lto"},
                                                      toolchain::LinkOutput::Ptx});
  if (!result.ok) return base::format("graft cannot find out whether nvJitLink optimises fully: {}", result.failure);
  return reads_by_name(base::as_text(result.code), "graft_canary") ? std::string() : std::string(kSlow);
}

bool OptimiserCheck::is_known() const {
  const std::lock_guard lock(verdict_.mutex);
  return verdict_.is_known;
}

void OptimiserCheck::look() const {
  if (!is_known()) objection(Clock::now());
}

// Returns what is known about links up to `linked`, or nothing if a canary must be linked.
std::optional<std::string> OptimiserCheck::answer(Clock::time_point linked) const {
  const std::lock_guard lock(verdict_.mutex);
  if (!verdict_.objection.empty() || linked < verdict_.optimised_until) return verdict_.objection;
  return std::nullopt;
}

std::string OptimiserCheck::objection(Clock::time_point linked) const {
  const std::lock_guard lock(verdict_.linking);
  if (std::optional<std::string> known = answer(linked)) return std::move(*known);
  const Clock::time_point begin = Clock::now();
  std::string found = link_canary();
  if (!is_known()) {
    wait_at_exit();
    ++linked_pairs;
  }
  const std::lock_guard state(verdict_.mutex);
  verdict_.is_known = true;
  if (found.empty()) verdict_.optimised_until = begin;
  else if (found == kSlow) verdict_.objection = found;
  return found;
}

std::string OptimiserCheck::known_objection() const {
  const std::lock_guard lock(verdict_.mutex);
  return verdict_.objection;
}

std::future<void> look_at_linker(const OpenTools& tools, Architecture architecture) {
  const OptimiserCheck check(tools, architecture);
  return std::async(check.is_known() ? std::launch::deferred : std::launch::async, [check] { check.look(); });
}

void examine_before_storing(const OpenTools& tools, Architecture architecture, const std::future<void>& look,
                            Image::Data& image) {
  const auto linked = OptimiserCheck::Clock::now();
  look.wait();
  const OptimiserCheck check(tools, architecture);
  if (std::string known = check.known_objection(); !known.empty()) image.report.notes.push_back(std::move(known));
  image.objection_to_storing = [check, linked] { return check.objection(linked); };
}

}  // namespace graft::compile
