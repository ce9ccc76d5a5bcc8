#include "compile/read_signature.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "base/format.hpp"
#include "codegen/compose.hpp"
#include "contract.h"
#include "core/fail.hpp"
#include "families/registry.hpp"
#include "reflect/signature/probe.hpp"
#include "reflect/signature/refusal.hpp"

namespace graft::compile {
namespace {

constexpr std::size_t kOp = 1;  // the place of a chain that is no stage (SourceProgram::chains)

std::string spelled(const reflect::Probe& probe) {
  const std::vector<std::string> types = reflect::spellings(probe.function);
  const std::vector<std::string> parameters(types.begin() + 1, types.end());
  return base::format("{}({})", types[0], base::join(parameters, ", "));
}

// Throws Error(SignatureMismatch) if the declared signature is not that of the source.
void check_declared(const reflect::Probe& found, const reflect::Probe& declared, std::string_view title,
                    const std::vector<ToolVersion>& versions) {
  // Compare layouts and ignore spellings, because `long` and `long long`, or float2 and graft::complex<float>, are the
  // same to a kernel.
  if (found.facts == declared.facts) return;
  fail(ErrorCode::SignatureMismatch,
       base::format("{} has the signature {}, but {} was declared", title, spelled(found), spelled(declared)),
       "Declare what the source defines, or leave the declaration out: graft reads the signature from the source.", {},
       versions);
}

// What is known of a program's callbacks when the signature of the whole is read.
struct Members {
  std::vector<Signature> signatures;            // of each member; empty for callbacks of cuFFT's shape
  std::vector<std::vector<std::string>> types;  // of each member's result and parameters
};

// A chain that the facts of a composition are about.
struct RefusedChain {
  std::span<const std::size_t> parts;  // indices of members
  std::string title;                   // "callbacks of a.cu (...): the load callback"
};

// Throws Error(UnsupportedParameter) if an output of a part has another type than the input that receives it. `part` is
// the part that receives it.
void check_types(const codegen::SourceProgram& program, const RefusedChain& chain, std::size_t part,
                 const std::vector<Signature>& members) {
  if (part == 0 || part >= chain.parts.size()) return;
  const std::size_t giver = chain.parts[part - 1], taker = chain.parts[part];
  const std::vector<ElementType>&given = members[giver].outputs(), &taken = members[taker].inputs();
  for (std::size_t i = 0; i < std::min(given.size(), taken.size()); ++i)
    if (given[i].kind != taken[i].kind || given[i].size != taken[i].size || given[i].alignment != taken[i].alignment)
      fail(ErrorCode::UnsupportedParameter,
           base::format("{}: part {} ({}) takes {} as its input {}, but part {} ({}) gives {}", chain.title, part + 1,
                        program.members[taker].title, to_string(taken[i]), i, part, program.members[giver].title,
                        to_string(given[i])),
           "No value is converted between parts: give the output and the input the same type, or structs of the same "
           "size and alignment.");
}

// Throws Error(UnsupportedParameter) if the parts of a chain have too many inputs together, or too large a state. Names
// the parts, because the parameters of the whole chain are nowhere in the user's texts.
void check_joined(const codegen::SourceProgram& program, const RefusedChain& chain, graft_adapter::Refusal refusal,
                  const std::vector<Signature>& members) {
  const bool is_about_inputs = refusal == graft_adapter::kTooManyInputs;
  if (chain.parts.empty() || (!is_about_inputs && refusal != graft_adapter::kStateTooLarge)) return;
  std::vector<std::string> shares;
  std::size_t given = 0;  // the inputs that a part receives from the previous part
  for (std::size_t k = 0; k < chain.parts.size(); ++k) {
    const std::size_t member = chain.parts[k];
    const Signature& signature = members[member];
    const std::size_t share = is_about_inputs     ? signature.inputs().size() - given
                              : signature.state() ? signature.state()->size
                                                  : 0;
    given = signature.outputs().size();
    if (share != 0) shares.push_back(base::format("part {} ({}) {}", k + 1, program.members[member].title, share));
  }
  const std::string parts = base::join(shares, ", ");
  if (is_about_inputs)
    fail(
        ErrorCode::UnsupportedParameter,
        base::format("{}: the parts take more than {} inputs together: {}", chain.title, GRAFT_MAX_INPUTS, parts),
        "Combine several inputs into one struct per element, or run the first parts as a transform of their own, which "
        "writes an array.");
  fail(ErrorCode::UnsupportedParameter,
       base::format("{}: the states of the parts are larger than {} bytes together: {} bytes", chain.title,
                    GRAFT_MAX_STATE_BYTES, parts),
       "Put the data into device memory and pointers to it into the states.");
}

// Throws the error for what a family refuses, with its words: what is refused, and how it differs from what is needed.
[[noreturn]] void refuse_for_family(const codegen::SourceProgram& program, const reflect::Probe& probe,
                                    const Members& members, std::string_view title) {
  const families::Family& family = families::of(program.family);
  const unsigned refusal = probe.facts.at(0);
  const std::size_t stage = probe.facts.at(1);
  reflect::RefusalWords words = family.refusal(refusal);
  families::RefusedCallback callback{.stage = stage};
  if (stage < program.stages.size()) {
    const std::vector<std::size_t>& chain = program.chains[stage];
    const auto signature = [&](std::size_t member) {
      const Signature& read = members.signatures[member];
      return read == Signature() ? nullptr : &read;
    };
    if (const std::optional<std::size_t> member = program.stages[stage]) {
      callback.types = members.types[*member];
      callback.first = callback.last = signature(*member);
    } else if (!chain.empty()) {
      callback.first = signature(chain.front());
      callback.last = signature(chain.back());
    }
  }
  std::string reason(words.reason);
  if (const std::string difference = family.difference(program, refusal, callback); !difference.empty())
    base::append(reason, ": {}", difference);
  words.reason = reason;
  throw reflect::refusal_error(words, title);
}

// Converts a probe as reflect::to_signature does, with the names of the public types that take cuFFT's callbacks.
Signature signature_of(const reflect::Probe& probe, std::string_view title) {
  const bool is_cufft = probe.facts.at(0) == graft_adapter::kCufft;
  return reflect::to_signature(probe, title, is_cufft ? families::takers_of_cufft_callbacks() : std::string());
}

Signature bake_state(const Signature& signature, const codegen::SourceProgram& program, const Options& options) {
  const std::string_view title = program.title;
  const std::size_t baked_bytes = options.baked_state.size();
  if (baked_bytes == 0) return signature;
  if (program.members.empty() && !program.parts.composition.empty())
    refuse("there is no callback whose state could be baked", "Leave Options::baked_state empty, or give a callback.");
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

}  // namespace

std::vector<WantedProbe> wanted_probes(const codegen::SourceProgram& program) {
  std::vector<WantedProbe> probes;
  for (std::size_t i = 0; i < program.parts.members.size(); ++i) {
    probes.push_back({base::format("member_probe_{}", i), codegen::member_probe(i)});
    if (codegen::is_declared(program.parts.members[i]))
      probes.push_back({base::format("declared_member_probe_{}", i), codegen::declared_member_probe(i)});
  }
  probes.push_back({"probe", std::string(codegen::kProbe)});
  if (!program.parts.declared.empty()) probes.push_back({"declared_probe", std::string(codegen::kDeclaredProbe)});
  return probes;
}

Signature read_signature(const codegen::SourceProgram& program, const Options& options,
                         const std::vector<std::string>& names, const std::vector<ToolVersion>& versions) {
  std::size_t read = 0;
  const auto next = [&] {
    reflect::Probe probe = reflect::parse_probe(names.at(read++));
    reflect::check_length(probe, program.title);
    return probe;
  };
  // Check the callbacks of a composition first. A mistake in one callback also causes an error about the whole
  // composition, but the error about the callback says more.
  const families::Family& family = families::of(program.family);
  Members members{std::vector<Signature>(program.members.size()), {}};
  for (std::size_t i = 0; i < program.members.size(); ++i) {
    const codegen::SourceProgram::Member& member = program.members[i];
    const reflect::Probe found = next();
    members.types.push_back(reflect::spellings(found.function));
    // For some families, a load or store callback may have the signature of a callback of graft's instead of cuFFT's.
    const unsigned refusal = found.facts.at(0);
    const bool has_other_shape = !family.stages_need_cufft_signature() && refusal != graft_adapter::kCufft;
    const bool is_large = family.stages_pass_large_values() && refusal == graft_adapter::kTooLarge;
    if (!is_large && (member.is_op || has_other_shape || refusal == graft_adapter::kAlmostCufft))
      members.signatures[i] = signature_of(found, member.title);
    if (codegen::is_declared(program.parts.members[i])) check_declared(found, next(), member.title, versions);
  }
  reflect::Probe found = next();
  if (found.facts.at(0) >= graft_adapter::kFirstFamilyRefusal)
    refuse_for_family(program, found, members, program.title);
  std::string title = program.title;
  if (found.facts.at(0) != graft_adapter::kAccepted) {
    const auto refusal = static_cast<graft_adapter::Refusal>(found.facts.at(0));
    const unsigned stage = found.facts.at(1) >> graft_adapter::kPartBits;
    found.facts[1] %= 1u << graft_adapter::kPartBits;
    if (stage > 0) base::append(title, ": {}", family.stage_word(stage - 1));
    const RefusedChain chain{program.chains.at(stage > 0 ? stage - 1 : kOp), title};
    if (refusal == graft_adapter::kPartsTypesDiffer) check_types(program, chain, found.facts[1], members.signatures);
    check_joined(program, chain, refusal, members.signatures);
  }
  const Signature signature = signature_of(found, title);
  if (!program.parts.declared.empty()) check_declared(found, next(), program.title, versions);
  return bake_state(signature, program, options);
}

}  // namespace graft::compile
