#include "engine/closed_answer_check.hpp"

#include <algorithm>
#include <climits>
#include <variant>
#include <vector>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "core/fail.hpp"
#include "core/option_table.hpp"
#include "families/kept_kernels.hpp"
#include "families/kernel_check.hpp"
#include "families/registry.hpp"
#include "format/cubin.hpp"
#include "format/elf.hpp"
#include "format/fatbin.hpp"
#include "format/ltoir.hpp"
#include "format/pack.hpp"
#include "format/ptx.hpp"
#include "graft/kernel_spec.hpp"

namespace graft::engine {
namespace {

// The functions that return a text say how the answer is wrong, as the end of the sentence "the answer of the child
// process ...". An empty text: it is right.

[[noreturn]] void fail_by_family(const families::FixedRegisters& fixed, std::string_view kernel, int registers,
                                 int most) {
  fail(ErrorCode::CompileFailed,
       base::format("the kernel {} of {} needs {} registers, but Closed::max_registers allows {}", kernel, fixed.whose,
                    registers, most),
       base::format("Raise Closed::max_registers (at most 255), or {}.", fixed.remedy));
}

// The bound of registers does not reach every function: not those that are compiled without a kernel, and not further
// kernels in the formula.
[[noreturn]] void fail_by_function(std::string_view function, int registers, int most) {
  fail(ErrorCode::CompileFailed,
       base::format("the function {} needs {} registers, but Closed::max_registers allows {}", base::readable(function),
                    registers, most),
       "Refuse the formula, or raise Closed::max_registers (at most 255).");
}

// Compares the registers of every function in the machine code with the bound. `kernel` is null for machine code that
// is to be linked with a kernel.
void check_registers(const KernelSpec* kernel, std::span<const std::byte> machine_code, const Options& options) {
  const int most = std::max(options.max_registers, kLeastClosedRegisters);
  const auto elf = format::read_elf(machine_code);
  if (!elf) return;  // the other checks refuse it
  const auto fixed = kernel == nullptr ? std::nullopt : families::of(kernel->family).fixed_registers();
  for (const format::CubinFunction& function : format::read_cubin(*elf).functions) {
    const int registers = static_cast<int>(std::min<std::uint32_t>(function.registers, INT_MAX));
    if (registers <= most) continue;
    if (fixed) fail_by_family(*fixed, kernel->name, registers, most);
    fail_by_function(function.name, registers, most);
  }
}

// Cubins, PTX and LTO-IR for sm_90a can be marked as code for sm_90, so suffixes are not compared.
bool is_among(Architecture architecture, const std::vector<Architecture>& wanted) {
  return std::ranges::find(wanted, architecture.number, &Architecture::number) != wanted.end();
}

std::string other_architecture(Architecture architecture) {
  return "holds code for " + architecture.sm() + ", which was not requested";
}

std::string check_cubin(std::span<const std::byte> bytes, Architecture wanted, bool is_relocatable) {
  const auto elf = format::read_elf(bytes);
  const bool is_good =
      elf && elf->is_cubin() && elf->is_relocatable == is_relocatable && elf->architecture().number == wanted.number;
  return is_good ? std::string() : "holds no machine code for " + wanted.sm();
}

std::string check_ltoir(std::span<const std::byte> bytes, Architecture wanted) {
  const auto ltoir = format::read_ltoir(bytes);
  return ltoir && ltoir->architecture.number == wanted.number ? std::string() : "holds no LTO-IR for " + wanted.sm();
}

std::string check_ptx(std::span<const std::byte> bytes, Architecture wanted) {
  const auto ptx = format::read_ptx(base::as_text(bytes));
  return ptx && ptx->target.number == wanted.number ? std::string() : "holds no PTX for " + wanted.sm();
}

std::string check_fatbin(std::span<const std::byte> bytes, const std::vector<Architecture>& wanted) {
  const auto entries = format::read_fatbin(bytes);
  if (!entries || entries->empty()) return "holds no fatbin";
  for (const format::FatbinEntry& entry : *entries)
    if (!is_among(entry.architecture, wanted)) return other_architecture(entry.architecture);
  return {};
}

std::string check_part(const format::PackedKernel& packed, const format::PackPart& part, const Options& options) {
  if (part.kind != format::PackPartKind::Cubin) return {};
  if (std::string why = check_cubin(part.bytes, part.architecture, false); !why.empty()) return why;
  const KernelSpec kernel = format::spec_of(packed, part);
  check_registers(&kernel, part.bytes, options);
  return {};
}

std::string check_pack(std::span<const std::byte> bytes, const std::vector<Architecture>& wanted,
                       const Options& options) {
  const auto pack = families::read_pack(bytes);
  if (!pack) return "holds no pack: " + pack.error().message;
  if (pack->jobs.size() != 1 || pack->jobs.front().kernels.size() != 1) return "holds a pack of several kernels";
  const format::PackedKernel& packed = pack->jobs.front().kernels.front();
  const bool is_bounded = packed.spec.max_registers != 0 && packed.spec.max_registers <= options.max_registers;
  if (!families::of(packed.spec.family).fixed_registers() && !is_bounded)
    return "holds a pack whose kernels have no bound on registers";
  for (const format::PackPart& part : packed.parts) {
    if (!is_among(part.architecture, wanted)) return other_architecture(part.architecture);
    if (std::string why = check_part(packed, part, options); !why.empty()) return why;
  }
  return {};
}

}  // namespace

std::string check_image(const Image::Data& image, Architecture wanted, const Options& options) {
  const KernelSpec& kernel = image.report.kernel;
  if (kernel.route == Route::Host || kernel.architecture != wanted) return "is not a kernel for " + wanted.sm();
  if (image.is_from_disk) return "is a kernel from a cache, which the child process does not open";
  if (const std::string objection = families::objection_to(image.report); !objection.empty())
    return "is not a kernel of graft's: " + objection;
  if (const std::string objection = families::objection_to_image(kernel, image.bytes); !objection.empty())
    return base::format("holds no machine code for {}: {}", wanted.sm(), objection);
  // What own kernels may have depends on what they need without callbacks (routes/slot_route.cpp).
  if (families::of(kernel.family).has_elements()) check_registers(&kernel, image.bytes, options);
  return {};
}

std::string check_precompiled(std::span<const std::byte> bytes, const Question& wanted) {
  const Options& options = wanted.options;
  if (wanted.architectures.empty()) return "was not requested for any architecture";
  const Architecture first = wanted.architectures.front();
  switch (wanted.format) {
    case PrecompileFormat::Pack:
    case PrecompileFormat::PackWithCubins:
      return check_pack(bytes, wanted.architectures, options);
    case PrecompileFormat::LtoIr:
      return check_ltoir(bytes, first);
    case PrecompileFormat::Fatbin:
      return check_fatbin(bytes, wanted.architectures);
    case PrecompileFormat::Ptx:
      return check_ptx(bytes, first);
    case PrecompileFormat::Cubin:
      break;
  }
  if (std::string why = check_cubin(bytes, first, true); !why.empty()) return why;
  check_registers(nullptr, bytes, options);
  return {};
}

}  // namespace graft::engine
