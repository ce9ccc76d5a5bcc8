#include "routes/attempts.hpp"

#include <utility>

namespace graft::routes {

using families::Code;
using families::Decided;
using families::TypesFrom;

Attempts::Attempts(const codegen::SourceProgram& program, Architecture architecture, Route route,
                   const Options& options)
    : program_(program),
      family_(families::of(program.family)),
      architecture_(architecture),
      route_(route),
      options_(options) {}

Decided Attempts::decide(const Signature& signature, bool writes_text) const {
  return families::decide({program_, signature, architecture_, route_, options_, writes_text});
}

std::optional<Code> Attempts::code(const KernelSpec* kernel, TypesFrom types) const {
  return family_.code({program_, kernel, types, route_ == Route::Program});
}

std::optional<Attempt> Attempts::next(const std::optional<Signature>& read) {
  if (read) read_ = *read;
  while (step_ != Step::End) {
    const Step step = std::exchange(step_, static_cast<Step>(static_cast<int>(step_) + 1));
    if (std::optional<Attempt> attempt = at(step)) return attempt;
  }
  return std::nullopt;
}

std::optional<Attempt> Attempts::at(Step step) {
  switch (step) {
    case Step::Shown: {
      const std::optional<Signature> shown = family_.shown_signature(program_, options_);
      return shown ? for_signature(*shown, TypesFrom::Text, true) : std::nullopt;
    }
    case Step::General: {
      std::optional<Code> general = code(nullptr, TypesFrom::Compiler);
      return general ? std::optional(Attempt{Attempt::General, std::move(*general)}) : std::nullopt;
    }
    case Step::Read:
      return Attempt{};
    case Step::ExactlyRead:
      return for_signature(read_, TypesFrom::Compiler, true);
    case Step::Fallback:
      return for_signature(read_, TypesFrom::Compiler, false);
    case Step::End:
      break;
  }
  return std::nullopt;
}

// General code on the program route contains the tuning, which is valid only for the signature. So the signature must
// be known, and the text of the callback may show a wrong one.
std::optional<Attempt> Attempts::for_signature(const Signature& signature, TypesFrom types, bool writes_text) const {
  Decided decided = decide(signature, writes_text);
  std::optional<Code> made = code(&decided.kernel, types);
  if (!made) return std::nullopt;
  const bool has_tuning = route_ == Route::Program;
  if (made->is_general && has_tuning && types == TypesFrom::Text) return std::nullopt;
  const Attempt::Kind kind = made->is_general && !has_tuning    ? Attempt::General
                             : made->is_general || !writes_text ? Attempt::Known
                                                                : Attempt::Exact;
  return Attempt{kind, std::move(*made), std::move(decided), types};
}

}  // namespace graft::routes
