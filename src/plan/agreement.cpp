// Compares the floating-point options that callbacks declare (Callback::with_floating_point). A composition consists of
// several callbacks, its parts: the options of each part are compared with those of the part that declared options
// before it.
#include "plan/agreement.hpp"

#include <string>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "core/option_table.hpp"

namespace graft::plan {
namespace {

struct Declaration {
  std::string by;
  FloatingPoint value;
};

void require_equal(const Declaration& one, const Declaration& other) {
  const std::string own = difference(one.value, other.value);
  if (own.empty()) return;
  refuse(base::format("{} has {}, and {} has {}: a kernel has one set of floating-point options", one.by, own, other.by,
                      difference(other.value, one.value)),
         "Give the same options to every Callback::with_floating_point; give them to Options::floating_point too, or "
         "leave it at its default.");
}

void agree(const Callback& callback, std::optional<Declaration>& agreed) {
  if (callback.floating_point()) {
    const Declaration own = {callback.name(), *callback.floating_point()};
    if (agreed) require_equal(*agreed, own);
    agreed = own;
  }
  if (callback.composition() == nullptr) return;
  for (const std::optional<Callback>& part : callback.composition()->parts)
    if (part) agree(*part, agreed);
}

}  // namespace

FloatingPoint effective(const FloatingPoint& fp) {
  return fp.fast_math ? FloatingPoint{.fast_math = true,
                                      .contraction = fp.contraction,
                                      .flush_to_zero = true,
                                      .precise_division = false,
                                      .precise_square_root = false}
                      : fp;
}

std::string difference(const FloatingPoint& own, const FloatingPoint& other) {
  const FloatingPoint a = effective(own);
  const FloatingPoint b = effective(other);
  std::string first;
  for_each_option<FloatingPoint>([&](const auto& row) {
    if (first.empty() && a.*row.member != b.*row.member)
      first = base::format("{} {}", row.name, a.*row.member ? "on" : "off");
  });
  return first;
}

FloatingPoint agreed_floating_point(const Callback& callback, const FloatingPoint& asked) {
  std::optional<Declaration> agreed;
  agree(callback, agreed);
  if (!agreed) return asked;
  if (asked != FloatingPoint{}) require_equal(*agreed, {"Options::floating_point", asked});
  return agreed->value;
}

}  // namespace graft::plan
