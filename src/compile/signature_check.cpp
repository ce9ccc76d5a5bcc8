#include "compile/signature_check.hpp"
#include "base/format.hpp"
#include "core/fail.hpp"

namespace graft::compile {
namespace {

std::string text(const reflect::Probe& probe) {
  const std::vector<std::string> types = reflect::spellings(probe.function);
  const std::vector<std::string> parameters(types.begin() + 1, types.end());
  return base::format("{}({})", types[0], base::join(parameters, ", "));
}

}  // namespace

void check_declared(const reflect::Probe& found, const reflect::Probe& declared, std::string_view title,
                    const std::vector<ToolVersion>& versions) {
  // Compare layouts and ignore spellings, because `long` and `long long`, or float2 and graft::complex<float>, are the
  // same to a kernel.
  if (found.facts == declared.facts) return;
  fail(ErrorCode::SignatureMismatch,
       base::format("{} has the signature {}, but {} was declared", title, text(found), text(declared)),
       "Declare what the source defines, or leave the declaration out: graft reads the signature from the source.", {},
       versions);
}

Signature bake_state(const Signature& signature, const Options& options, std::string_view title) {
  const std::size_t baked_bytes = options.baked_state.size();
  if (baked_bytes == 0) return signature;
  if (!signature.state())
    refuse(base::format("{} has no state to bake", title),
           "Leave Options::baked_state empty, or give the callback a `const T&` parameter.");
  if (signature.state()->size != baked_bytes)
    fail(ErrorCode::TypeMismatch,
         base::format("the state of {} has {} bytes, but {} bytes were baked", title, signature.state()->size,
                      baked_bytes),
         "Give Options::bake the struct that the callback takes as `const T&`, with the same members.");
  const ElementType& state = *signature.state();
  if (state.kind != ElementKind::Class && options.baked_type.size != 0 && !interchangeable(options.baked_type, state))
    fail(
        ErrorCode::TypeMismatch,
        base::format("the state of {} is {}, but {} was baked", title, to_string(state), to_string(options.baked_type)),
        "Give Options::bake a value of exactly that type; nothing is converted.");
  return signature.with_baked_state();
}

}  // namespace graft::compile
