// Finds out whether nvJitLink and NVRTC still optimise.
//
// nvJitLink 12.4 to 13.5 keep one setting from link to link: after a link with -O0 or -Xnvvm=-opt=0, by any part of
// the process, all later links make other code, even with -O3. A kernel reads its parameter through an address, and
// takes up to twice the registers: graft's relu 16 in place of 14, a kernel for particles 40 in place of 22. The
// setting never goes back. NVVM exists twice in nvJitLink, for sm_75 to sm_90 and for newer architectures, and each has
// a setting of its own.
//
// So graft links a canary (building_blocks/canary.cu), which takes 2 to 5 ms, to PTX, and looks at the PTX. Since the
// setting never goes back, a canary that is linked after a kernel and is optimised proves that the kernel is optimised
// too.
//
// NVRTC keeps such a setting too, after -G, -Xnvvm=-opt=0 or -Ofc=max, for cubins and PTX but not for LTO-IR. Most
// kernels that NVRTC makes are their own canaries: graft looks at the PTX that the cubin was assembled from.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "compile/open_tools.hpp"
#include "core/image_data.hpp"
#include "graft/architecture.hpp"

namespace graft::compile {

// Whether NVRTC optimised a kernel, of which this is the PTX. If the PTX leaves that open, compiles the canary, which
// takes some milliseconds.
bool is_optimised(std::string_view ptx, std::string_view kernel, const toolchain::Nvrtc& nvrtc,
                  Architecture architecture);

inline constexpr std::string_view kCompilerIsSlow =
    "NVRTC no longer optimises fully in this process, because some part of the process has compiled with -G, "
    "-Xnvvm=-opt=0 or -Ofc=max: kernels that it makes alone may need more registers, and graft stores none of them";

// Thread-safe. What is known about a library of nvJitLink is shared by the whole process.
class OptimiserCheck {
 public:
  using Clock = std::chrono::steady_clock;

  // `tools` has nvJitLink. If no copy of the canary that graft ships fits nvJitLink, NVRTC compiles the canary.
  OptimiserCheck(const OpenTools& tools, Architecture architecture);

  // Whether a canary was linked before for this library and architecture.
  bool is_known() const;

  // Links the canary, unless that has been done before for this library and architecture.
  void look() const;

  // Says why kernels that were linked up to `linked` may not be fully optimised. Empty if they are. Links the canary,
  // unless a link of the canary that began after `linked` has shown it already.
  std::string objection(Clock::time_point linked) const;

  // The number of pairs of a library and an architecture for which a canary has been linked. nvJitLink makes variables
  // during the first link of a pair, and exit() destroys them: what must run before that is registered with std::atexit
  // after that link.
  static std::size_t count_linked();

  // What objection() would say, as far as it is known without a link. is_known() and known_objection() do not wait for
  // a link that is running.
  std::string known_objection() const;

 private:
  struct Verdict;
  static Verdict& verdict_of(const void* library, const std::string& architecture);
  std::optional<std::string> answer(Clock::time_point linked) const;
  std::string link_canary() const;
  void wait_at_exit() const;
  base::Bytes canary() const;

  std::shared_ptr<const toolchain::NvJitLink> linker_;
  std::shared_ptr<const toolchain::Nvrtc> nvrtc_;
  std::string_view shipped_;  // the canary's LTO-IR; empty if NVRTC compiles it
  std::string architecture_;
  Verdict& verdict_;
};

// Starts to find out whether nvJitLink optimises, if that is not known yet.
std::future<void> look_at_linker(const OpenTools& tools, Architecture architecture);

// Call this after the link. `look` is the look at the linker that began before the link. Says in the image's report
// that nvJitLink did not optimise, if that is known; and has the kernel examined once more before it is stored, because
// another part of the process may have changed nvJitLink since then.
void examine_before_storing(const OpenTools& tools, Architecture architecture, const std::future<void>& look,
                            Image::Data& image);

}  // namespace graft::compile
