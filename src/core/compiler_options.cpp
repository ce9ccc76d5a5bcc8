// The two tables list the options that graft passes on, and the options that it refuses with a remedy of their own. Any
// other option is refused too: an option that graft does not know could name a file, or change what NVRTC makes.
#include "core/compiler_options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <new>
#include <optional>
#include <set>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft {
namespace {

constexpr std::string_view kDisableWarnings = "disable-warnings";
constexpr std::string_view kDeviceByDefault = "device-as-default-execution-space";

// An option that graft passes on. The names are without dashes: NVRTC accepts one dash and two.
struct Passed {
  std::string_view name;
  std::string_view alias;    // a second name; empty if there is none
  bool has_numbers = false;  // the value is a list of the numbers of warnings
  bool holds_on_the_host = false;

  bool is(std::string_view other) const { return other == name || (!alias.empty() && other == alias); }
};
constexpr Passed kPassed[] = {
    {"diag-error", "", true},
    {"diag-suppress", "", true},
    {"diag-warn", "", true},
    {kDisableWarnings, "w", false, true},
    {kDeviceByDefault, "default-device", false, true},
    {"device-float128", ""},
    {"extra-device-vectorization", ""},
};

// Options that are refused for one reason. A name that ends in '*' stands for all names that begin with it.
struct Refused {
  std::array<std::string_view, 16> names;  // an empty name is unused
  const char* why;
  const char* remedy;
};
constexpr Refused kRefused[] = {
    {{"maxrregcount"}, "is set by a member of Options", "Set Options::max_registers."},
    {{"use_fast_math", "ftz", "prec-div", "prec-sqrt", "fmad"},
     "is set by a member of Options",
     "Set Options::floating_point, which the linker needs too."},
    {{"std"}, "is set by a member of Options", "Set Options::standard."},
    {{"define-macro", "D*"}, "is set by a member of Options", "Use Options::defines."},
    {{"undefine-macro", "U*"}, "is set by a member of Options", "Leave the macro out of Options::defines."},
    {{"include-path", "I*"}, "is set by a member of Options", "Use Options::include_paths or Options::headers."},
    {{"pre-include", "include"},
     "names a file",
     "Write the #include into the callback's text; Options::headers and Options::include_paths find the file."},
    {{"generate-line-info", "lineinfo"}, "is set by a member of Options", "Set Options::line_info."},
    {{"gpu-architecture", "arch", "gpu-code", "code", "gencode", "generate-code"},
     "is set by a member of Options",
     "Set Options::architecture, or give the architecture to graft::build or precompile."},
    {{"device-debug", "G", "dopt", "O*"},
     "changes how much kernels are optimised, which graft does not let you choose",
     "Leave it out; Options::line_info gives debuggers and profilers the source lines."},
    {{"dlink-time-opt", "dlto", "gen-opt-lto", "relocatable-device-code", "rdc", "device-c", "dc", "device-w", "dw",
      "extensible-whole-program", "ewp", "optix-ir", "ptx", "cubin", "fatbin", "fdevice-syntax-only"},
     "changes the form of code that the compiler makes, which follows from the route",
     "Choose the route by Options::routes; graft::precompile makes LTO-IR, PTX, cubins and fatbins."},
    {{"device-int128", "no-cache", "minimal", "no-source-include"},
     "is one that graft passes itself where it is of use",
     "Leave it out."},
    {{"restrict"},
     "speaks of the kernel's pointer parameters, and graft's kernels have none",
     "Write __restrict__ beside the pointers in the callback's text."},
    {{"ptxas-options", "Xptxas", "maxntid"},
     "is for the assembler, which runs in different tools on different routes",
     "Leave it out; Options::max_registers limits the registers."},
    {{"expt-relaxed-constexpr", "expt-extended-lambda", "extended-lambda"},
     "is an option of nvcc that NVRTC does not have",
     "Use --device-as-default-execution-space: functions without __device__ then are device functions."},
    {{"pch*", "create-pch", "use-pch", "fdevice-time-trace", "time", "keep*", "options-file", "optf"},
     "names or writes files",
     "Leave it out."},
    {{"brief-diagnostics", "display-error-number", "err-no", "no-display-error-number", "no-err-no"},
     "changes the form of the compiler's messages, which graft reads",
     "Leave it out; Error::diagnostics() has the messages as data."},
};

constexpr const char* kAllowed =
    "graft passes on --diag-suppress=N, --diag-warn=N, --diag-error=N, --disable-warnings, "
    "--device-as-default-execution-space, --device-float128 and --extra-device-vectorization. Write each option as one "
    "string, with = before its value.";

// The numbers of warnings that graft's own flags are about (compile/flags.hpp). Kernels depend on these flags.
constexpr std::array kOwnNumbers = {47, 117, 940};

// Shortens an option for a message to at most 60 characters, and replaces control characters.
std::string shown(std::string_view option) {
  std::string text;
  for (const char c : option.substr(0, 60)) text += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
  return text;
}

[[noreturn]] void refuse_option(std::string_view option, std::string_view why, std::string remedy) {
  refuse(base::format("`{}` in Options::compiler_options {}", shown(option), why), std::move(remedy));
}

bool is_named(const Refused& refused, std::string_view name) {
  return std::ranges::any_of(refused.names, [&](std::string_view other) {
    if (other.empty()) return false;
    return other.ends_with('*') ? name.starts_with(other.substr(0, other.size() - 1)) : name == other;
  });
}

// Collects the options of one request in their canonical form.
class Canonical {
 public:
  void add(const std::string& option) {
    const std::size_t dashes = option.starts_with("--") ? 2 : option.starts_with('-') ? 1 : 0;
    const std::size_t equals = option.find('=');
    const std::string_view name = std::string_view(option).substr(0, equals).substr(dashes);
    std::optional<std::string_view> value;
    if (equals != option.npos) value = std::string_view(option).substr(equals + 1);
    const auto* const passed = std::ranges::find_if(kPassed, [&](const Passed& one) { return one.is(name); });
    if (dashes == 0 || passed == std::end(kPassed)) refuse_unknown(option, dashes == 0 ? "" : name);
    if (passed->has_numbers) return add_numbers(option, *passed, value.value_or(""));
    if (value) refuse_option(option, "has a value, but the option takes none", "Leave the value out.");
    options_.insert(base::format("--{}", passed->name));
  }

  std::vector<std::string> list() const { return {options_.begin(), options_.end()}; }

 private:
  [[noreturn]] static void refuse_unknown(const std::string& option, std::string_view name) {
    for (const Refused& refused : kRefused)
      if (is_named(refused, name)) refuse_option(option, refused.why, refused.remedy);
    refuse_option(option, "is not an option that graft passes on", kAllowed);
  }

  void add_numbers(const std::string& option, const Passed& passed, std::string_view numbers) {
    for (;;) {
      const std::string_view word = numbers.substr(0, numbers.find(','));
      int number = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
      if (error != std::errc() || end != word.data() + word.size() || number < 1 || number > 99'999)
        refuse_option(option, "needs the numbers of warnings as its value",
                      "Write them like --diag-suppress=177,550; the compiler's messages show them: warning #177-D.");
      add_number(option, passed, number);
      if (word.size() == numbers.size()) return;
      numbers.remove_prefix(word.size() + 1);
    }
  }

  void add_number(const std::string& option, const Passed& passed, int number) {
    if (std::ranges::find(kOwnNumbers, number) != kOwnNumbers.end())
      refuse_option(option, base::format("is about warning {}, which graft's own options set", number),
                    "Leave the number out: 117 and 940 (a missing return) are errors, and 47 (a macro that is defined "
                    "again) is suppressed.");
    const auto [other, is_new] = by_number_.emplace(number, passed.name);
    if (!is_new && other->second != passed.name)
      refuse_option(option, base::format("contradicts --{}={}", other->second, number), "Leave one of the two out.");
    options_.insert(base::format("--{}={}", passed.name, number));
  }

  std::set<std::string> options_;
  std::map<int, std::string_view> by_number_;  // which option each warning's number was given to
};

bool contains(const std::vector<std::string>& given, std::string_view name) noexcept {
  const auto* const passed = std::ranges::find(kPassed, name, &Passed::name);
  return std::ranges::any_of(given, [&](std::string_view option) {
    option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
    return passed->is(option);
  });
}

}  // namespace

std::vector<std::string> canonical_compiler_options(const std::vector<std::string>& given) {
  if (given.empty()) return {};
  Canonical canonical;
  for (const std::string& option : given) canonical.add(option);
  return canonical.list();
}

bool are_canonical_compiler_options(const std::vector<std::string>& options) noexcept try {
  return canonical_compiler_options(options) == options;
} catch (const Error&) {
  return false;
} catch (const std::bad_alloc&) {
  return false;
}

bool makes_an_error(std::string_view option) noexcept {
  return option.starts_with("--diag-error=");
}

bool holds_on_the_host(std::string_view option) noexcept {
  return std::ranges::any_of(kPassed, [&](const Passed& passed) {
    return passed.holds_on_the_host && option.starts_with("--") && option.substr(2) == passed.name;
  });
}

bool has_warnings_disabled(const std::vector<std::string>& given) noexcept {
  return contains(given, kDisableWarnings);
}

bool are_device_by_default(const std::vector<std::string>& given) noexcept {
  return contains(given, kDeviceByDefault);
}

}  // namespace graft
