#include "build/flags.hpp"

#include <fmt/format.h>

#include "graft/error.hpp"

namespace graft::building {
namespace {

// What is asked for, with fast_math spelled out.
FloatingPoint effective(const FloatingPoint& fp) {
  if (!fp.fast_math) return fp;
  return {.fast_math = true,
          .contraction = true,
          .flush_to_zero = true,
          .precise_division = false,
          .precise_square_root = false};
}

std::string_view on_off(bool value) {
  return value ? "true" : "false";
}

[[noreturn]] void refuse(std::string message, std::string remedy) {
  throw Error(ErrorCode::InvalidArgument,
              {.message = std::move(message), .remedy = std::move(remedy), .log = {}, .versions = {}});
}

}  // namespace

std::vector<std::string> compile_flags(const Options& options, Architecture architecture, bool minimal) {
  const FloatingPoint fp = effective(options.floating_point);
  std::vector<std::string> flags = {
      "-arch=" + architecture.compute(),
      "-dlto",
      "-rdc=true",
      fmt::format("-std=c++{}", static_cast<int>(options.standard)),
      fmt::format("-fmad={}", on_off(fp.contraction)),
      fmt::format("-ftz={}", on_off(fp.flush_to_zero)),
      fmt::format("-prec-div={}", on_off(fp.precise_division)),
      fmt::format("-prec-sqrt={}", on_off(fp.precise_square_root)),
  };
  if (fp.fast_math) flags.emplace_back("-use_fast_math");
  if (minimal) flags.emplace_back("--minimal");
  if (options.line_info) flags.emplace_back("-lineinfo");
  for (const Define& define : options.defines) flags.push_back(fmt::format("-D{}={}", define.name, define.value));
  for (const std::string& path : options.include_paths) flags.push_back("-I" + path);
  return flags;
}

std::vector<std::string> link_flags(const Options& options, Architecture architecture) {
  const FloatingPoint fp = effective(options.floating_point);
  std::vector<std::string> flags = {
      "-arch=" + architecture.sm(),
      "-lto",
      "-verbose",
      "-no-cache",  // what comes from the linker's own cache comes without its log, and the report is read from that
      fmt::format("-fma={:d}", fp.contraction),
      fmt::format("-ftz={:d}", fp.flush_to_zero),
      fmt::format("-prec-div={:d}", fp.precise_division),
      fmt::format("-prec-sqrt={:d}", fp.precise_square_root),
  };
  if (options.line_info) flags.emplace_back("-lineinfo");
  return flags;
}

void check_options(const Options& options) {
  if (options.max_registers != 0 && (options.max_registers < 16 || options.max_registers > 255))
    refuse(fmt::format("Options::max_registers is {}", options.max_registers), "Use 16 to 255, or 0 for no ceiling.");
  for (const Define& define : options.defines)
    if (define.name.empty()) refuse("a define in Options::defines has no name", "Give it one.");
  for (const Header& header : options.headers) {
    if (header.name.empty()) refuse("a header in Options::headers has no name", "Name it as the #include does.");
    if (header.name.starts_with("graft/"))
      refuse(fmt::format("the header \"{}\" in Options::headers would replace one of graft's own", header.name),
             "Names that begin with graft/ are graft's: choose another.");
  }
}

}  // namespace graft::building
