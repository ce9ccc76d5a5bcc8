#include "plan/agreement.hpp"

#include <fmt/format.h>

#include <string>

#include "core/fail.hpp"

namespace graft::plan {
namespace {

struct Declaration {
  std::string by;
  FloatingPoint value;
};

// The first difference, as it is said of one of the two: "contraction off".
std::string difference(const FloatingPoint& own, const FloatingPoint& other) {
  const auto word = [](bool on) { return on ? "on" : "off"; };
  if (own.fast_math != other.fast_math) return fmt::format("fast_math {}", word(own.fast_math));
  if (own.contraction != other.contraction) return fmt::format("contraction {}", word(own.contraction));
  if (own.flush_to_zero != other.flush_to_zero) return fmt::format("flush_to_zero {}", word(own.flush_to_zero));
  if (own.precise_division != other.precise_division)
    return fmt::format("precise_division {}", word(own.precise_division));
  return fmt::format("precise_square_root {}", word(own.precise_square_root));
}

void require_equal(const Declaration& one, const Declaration& other) {
  const FloatingPoint a = effective(one.value);
  const FloatingPoint b = effective(other.value);
  if (a == b) return;
  refuse(fmt::format("{} has {}, and {} has {}: a kernel has one set of floating-point options", one.by,
                     difference(a, b), other.by, difference(b, a)),
         "Give the same to Callback::with_floating_point everywhere, and to Options::floating_point or nothing there.");
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
  return fp.fast_math ? FloatingPoint{true, true, true, false, false} : fp;
}

FloatingPoint agreed_floating_point(const Callback& callback, const FloatingPoint& asked) {
  std::optional<Declaration> agreed;
  agree(callback, agreed);
  if (!agreed) return asked;
  if (asked != FloatingPoint{}) require_equal(*agreed, {"Options::floating_point", asked});
  return agreed->value;
}

}  // namespace graft::plan
