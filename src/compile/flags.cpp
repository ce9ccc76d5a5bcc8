// Each tool has one function. The functions always write the floating-point flags, even if a value is the tool's
// default.
#include "compile/flags.hpp"

#include <string_view>

#include "base/format.hpp"
#include "compile/define_check.hpp"
#include "core/fail.hpp"
#include "families/kernel_check.hpp"
#include "graft/error.hpp"
#include "plan/agreement.hpp"

namespace graft::compile {
namespace {

std::string_view on_off(bool value) {
  return value ? "true" : "false";
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
  for (std::string flag : {
           base::format("-std=c++{}", static_cast<int>(options.standard)),
           base::format("-fmad={}", on_off(fp.contraction)),
           base::format("-ftz={}", on_off(fp.flush_to_zero)),
           base::format("-prec-div={}", on_off(fp.precise_division)),
           base::format("-prec-sqrt={}", on_off(fp.precise_square_root)),
       })
    flags.push_back(std::move(flag));
  if (fp.fast_math) flags.emplace_back("-use_fast_math");
  if (minimal) flags.emplace_back("--minimal");
  flags.emplace_back(kReturnsRequired);
  if (options.line_info) flags.emplace_back("-lineinfo");
  for (const std::string& path : options.include_paths) flags.push_back("-I" + path);
  return flags;
}

std::vector<std::string> link_flags(const Options& options, Architecture architecture, CodeKind kind) {
  const FloatingPoint fp = plan::effective(options.floating_point);
  std::vector<std::string> flags = {"-arch=" + architecture.sm()};
  if (kind == CodeKind::LtoIr) flags.emplace_back("-lto");
  flags.emplace_back("-verbose");  // graft reads the report from the log
  for (std::string flag : {
           base::format("-fma={:d}", fp.contraction),
           base::format("-ftz={:d}", fp.flush_to_zero),
           base::format("-prec-div={:d}", fp.precise_division),
           base::format("-prec-sqrt={:d}", fp.precise_square_root),
       })
    flags.push_back(std::move(flag));
  if (options.line_info) flags.emplace_back("-lineinfo");
  return flags;
}

void check_options(const Options& options) {
  if (options.max_registers != 0 && (options.max_registers < 16 || options.max_registers > 255))
    refuse(base::format("Options::max_registers is {}", options.max_registers), "Use 16 to 255, or 0 for no ceiling.");
  if (options.shared_bytes < 0 || options.shared_bytes > families::kMostSharedBytes)
    refuse(base::format("Options::shared_bytes is {}", options.shared_bytes), "Use 0 to 49,152.");
  for (const std::string& folder : options.include_paths)
    if (folder.empty())
      refuse("a folder in Options::include_paths is empty", "Name a folder; the working folder is \".\".");
  for (const Define& define : options.defines) check_define(define);
  for (const Header& header : options.headers) {
    if (header.name.empty()) refuse("a header in Options::headers has no name", "Name it as the #include does.");
    if (header.name.starts_with("graft/"))
      refuse(base::format("the header \"{}\" in Options::headers would replace one of graft's own", header.name),
             "Names that begin with graft/ are graft's: choose another.");
  }
}

}  // namespace graft::compile
