// Each tool has one function. The functions always write the floating-point flags, even if a value is the tool's
// default, so that a kernel's results do not depend on the defaults of a tool.
#include "compile/flags.hpp"

#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "core/compiler_options.hpp"
#include "plan/agreement.hpp"

namespace graft::compile {
namespace {

// Adds the floating-point flags. All tools have the same flags, with two exceptions: NVRTC calls the flag for
// contraction -fmad and the other tools call it -fma, and the values are false and true for NVRTC and 0 and 1 for the
// other tools.
void add_floating_point(std::vector<std::string>& flags, const FloatingPoint& fp, std::string_view contraction,
                        std::string_view off, std::string_view on) {
  const auto add = [&](std::string_view name, bool value) {
    flags.push_back(base::format("{}={}", name, value ? on : off));
  };
  add(contraction, fp.contraction);
  add("-ftz", fp.flush_to_zero);
  add("-prec-div", fp.precise_division);
  add("-prec-sqrt", fp.precise_square_root);
}

// The flags that depend on the kind of code. A cubin is compiled as a whole program, without -rdc=true. For a cubin, -v
// makes ptxas list the functions that were not inlined.
std::vector<std::string> kind_flags(Architecture architecture, CodeKind kind) {
  switch (kind) {
    case CodeKind::LtoIr:
      return {"-arch=" + architecture.compute(), "-dlto", "-rdc=true"};
    case CodeKind::Ptx:
      return {"-arch=" + architecture.compute(), "-rdc=true"};
    case CodeKind::Object:
      return {"-arch=" + architecture.sm(), "-rdc=true"};
    case CodeKind::WholePtx:
      return {"-arch=" + architecture.compute()};
    case CodeKind::Cubin:
      break;
  }
  return {"-arch=" + architecture.sm(), "--ptxas-options=-v"};
}

}  // namespace

std::vector<std::string> compile_flags(const Options& options, Architecture architecture, bool minimal, CodeKind kind) {
  const FloatingPoint fp = plan::effective(options.floating_point);
  std::vector<std::string> flags = kind_flags(architecture, kind);
  flags.push_back(base::format("-std=c++{}", static_cast<int>(options.standard)));
  add_floating_point(flags, fp, "-fmad", "false", "true");
  if (fp.fast_math) flags.emplace_back("-use_fast_math");
  if (minimal) flags.emplace_back("--minimal");
  else flags.emplace_back(kMacrosMayChange);
  flags.emplace_back(kReturnsRequired);
  flags.emplace_back(kWideIntegers);
  if (options.line_info) flags.emplace_back("-lineinfo");
  for (std::string& option : canonical_compiler_options(options.compiler_options)) flags.push_back(std::move(option));
  for (const std::string& path : options.include_paths) flags.push_back("-I" + path);
  return flags;
}

std::vector<std::string> link_flags(const Options& options, Architecture architecture, CodeKind kind) {
  std::vector<std::string> flags = {"-arch=" + architecture.sm()};
  if (kind == CodeKind::LtoIr) flags.emplace_back("-lto");
  flags.emplace_back("-verbose");  // makes nvJitLink log the figures that graft puts into the report
  add_floating_point(flags, plan::effective(options.floating_point), "-fma", "0", "1");
  if (!plan::effective(options.floating_point).contraction) flags.emplace_back("-Xptxas=-fmad=false");
  if (options.line_info) flags.emplace_back("-lineinfo");
  return flags;
}

std::vector<std::string> nvvm_flags(const Options& options, Architecture architecture) {
  std::vector<std::string> flags = {"-arch=" + architecture.compute(), "-gen-lto"};
  add_floating_point(flags, plan::effective(options.floating_point), "-fma", "0", "1");
  if (options.line_info) flags.emplace_back("-generate-line-info");
  return flags;
}

}  // namespace graft::compile
