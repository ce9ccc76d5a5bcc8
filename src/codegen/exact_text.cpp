#include "codegen/exact_text.hpp"

#include <algorithm>

#include "codegen/compose.hpp"

namespace graft::codegen {
namespace {

constexpr Pair kPairs[] = {{"float2", "float", "x", "y"},
                           {"double2", "double", "x", "y"},
                           {"graft::complex<float>", "float", "re", "im"},
                           {"graft::complex<double>", "double", "re", "im"}};

}  // namespace

void write_type_checks(ProgramText& text) {
  text.raw(
      "template <class A, class B> struct graft_are { enum { graft_same = 0 }; };\n"
      "template <class A> struct graft_are<A, A> { enum { graft_same = 1 }; };\n"
      // Neither noexcept nor the const of a result changes what a call does.
      "template <class R, class... P> struct graft_are<const R(P...), R(P...)> { enum { graft_same = 1 }; };\n"
      "template <class R, class... P> struct graft_are<R(P...) noexcept, R(P...)> { enum { graft_same = 1 }; };\n"
      "template <class R, class... P> struct graft_are<const R(P...) noexcept, R(P...)> { enum { graft_same = 1 }; "
      "};\n");
}

void write_type_check(ProgramText& text, std::string_view function, std::string_view type, std::string_view shown) {
  text.line("static_assert(graft_are<decltype({}), {}>::graft_same, \"not {}\");", function, type, shown);
}

bool is_known_function(const ProgramParts& member, const std::string& function_type) {
  const bool is_function = !member.entry.empty() && !member.entry_is_expression && !member.pick_overload;
  return is_function && !function_type.empty() && member.named_like_cuda.empty() && !is_declared(member);
}

void include_headers_of(ProgramText& text, const std::vector<std::string>& types) {
  const auto has = [&](std::string_view begin) {
    return std::ranges::any_of(types, [&](const std::string& type) { return type.starts_with(begin); });
  };
  if (has("__half")) text.include("cuda_fp16.h");
  if (has("__nv_bfloat16")) text.include("cuda_bf16.h");
}

std::optional<Pair> pair_of(std::string_view type) {
  for (const Pair& pair : kPairs)
    if (pair.type == type) return pair;
  return std::nullopt;
}

void write_members_of(ProgramText& text, const Pair& pair) {
  text.line(
      "__device__ __forceinline__ {1} graft_first_of(const {0}& value) {{ return value.{2}; }}\n"
      "__device__ __forceinline__ {1} graft_second_of(const {0}& value) {{ return value.{3}; }}",
      pair.type, pair.member, pair.first, pair.second);
}

}  // namespace graft::codegen
