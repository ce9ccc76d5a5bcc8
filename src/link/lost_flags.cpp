#include "link/lost_flags.hpp"

#include <array>
#include <optional>
#include <string_view>

#include "base/format.hpp"
#include "core/serves.hpp"
#include "format/device_code.hpp"
#include "plan/agreement.hpp"

namespace graft::link {
namespace {

struct Flag {
  std::string_view recorded;  // in a fatbin: "-fmad=0"
  std::string_view of_nvcc;
  bool FloatingPoint::*option;
};
constexpr std::array<Flag, 4> kFlags = {{{"-fmad=", "-fmad=", &FloatingPoint::contraction},
                                         {"-ftz=", "-ftz=", &FloatingPoint::flush_to_zero},
                                         {"-prec_div=", "-prec-div=", &FloatingPoint::precise_division},
                                         {"-prec_sqrt=", "-prec-sqrt=", &FloatingPoint::precise_square_root}}};

// Collects the flags of the LTO-IR for one architecture.
class Flags : public format::CodeVisitor {
 public:
  explicit Flags(Architecture architecture) : architecture_(architecture) {}

  std::optional<format::FormatError> visit(format::CodeUnit& unit) override {
    if (unit.code.kind == format::CodeKind::LtoIr && serves(unit.code.architecture, architecture_, false))
      recorded_ += unit.code.options;
    return std::nullopt;
  }

  // Returns the flags whose value differs: "-fmad=false -ftz=true".
  std::string other_than(const FloatingPoint& linked_with) const {
    std::vector<std::string> others;
    for (const Flag& flag : kFlags) {
      const std::size_t at = recorded_.find(flag.recorded);
      if (at == recorded_.npos) continue;
      const bool value = recorded_.substr(at + flag.recorded.size()).starts_with('1');
      if (value != linked_with.*flag.option)
        others.push_back(base::format("{}{}", flag.of_nvcc, value ? "true" : "false"));
    }
    return base::format("{}", base::join(others, " "));
  }

 private:
  Architecture architecture_;
  std::string recorded_;
};

format::FileKind kind_of(toolchain::LinkInputKind kind) {
  switch (kind) {
    case toolchain::LinkInputKind::Fatbin:
      return format::FileKind::Fatbin;
    case toolchain::LinkInputKind::Object:
      return format::FileKind::Object;
    case toolchain::LinkInputKind::Library:
      return format::FileKind::Archive;
    case toolchain::LinkInputKind::LtoIr:
    case toolchain::LinkInputKind::Ptx:
    case toolchain::LinkInputKind::Cubin:
      break;
  }
  return format::FileKind::Source;  // has no fatbin
}

}  // namespace

std::vector<std::string> lost_flags(std::span<const toolchain::LinkInput> inputs, Architecture architecture,
                                    const FloatingPoint& linked_with) {
  std::vector<std::string> notes;
  for (const toolchain::LinkInput& input : inputs) {
    const format::FileKind kind = kind_of(input.kind);
    if (kind == format::FileKind::Source) continue;
    Flags flags(architecture);
    // Damage was reported when the binary was examined.
    static_cast<void>(format::visit_code(kind, input.bytes, format::CodeScope::LinkerInputs, flags));
    if (const std::string lost = flags.other_than(plan::effective(linked_with)); !lost.empty())
      notes.push_back(
          base::format("{} was compiled with {}, which has no effect on LTO-IR: to link it so, declare it with "
                       "Callback::with_floating_point",
                       input.name, lost));
  }
  return notes;
}

}  // namespace graft::link
