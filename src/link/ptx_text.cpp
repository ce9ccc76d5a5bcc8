// check_defined() needs all declarations, so it parses the PTX (format/ptx.hpp). ptx_frame_bytes() only searches the
// text for __local_depot, with_untyped_parameters() only for .param, and with_rounded_products() only for `mul`. A
// search is faster than parsing, and lets the functions that rewrite PTX copy all other text unchanged.
#include "link/ptx_text.hpp"

#include <charconv>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "format/ptx.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::link {
namespace {

// Whether the declaration at `at` belongs to a kernel. Compilers declare local memory first in a function's body, so
// the nearest .entry or .func in front of a declaration begins the function to which it belongs.
bool is_in_kernel(std::string_view ptx, std::size_t at) {
  const std::size_t kernel = ptx.rfind(".entry ", at);
  const std::size_t function = ptx.rfind(".func ", at);
  return kernel != std::string_view::npos && (function == std::string_view::npos || function < kernel);
}

constexpr std::string_view kSpaces = " \t\r\n";

bool is_number(std::string_view type) {
  return (type[1] == 'f' || type[1] == 's' || type[1] == 'u') && (type.ends_with("32") || type.ends_with("64"));
}

// Whether the parameter is a kernel's pointer, which is declared as `.param .u64 .ptr .global .align 16 p`. Such
// parameters are not rewritten, because PTX allows .ptr only behind a numeric type.
bool is_pointer(std::string_view ptx, std::size_t behind_type) {
  const std::size_t next = ptx.find_first_not_of(kSpaces, behind_type);
  return next != std::string_view::npos && ptx.substr(next).starts_with(".ptr");
}

// The characters that may stand in front of an instruction: the brace opens a scope, as in `{mul.f16x2 %r1,%r2,%r3;}`.
constexpr std::string_view kBeforeOpcode = " \t\r\n{};";

// Whether the modifiers of a product, such as ".ftz.f32", have a floating-point type and no rounding.
bool may_be_fused(std::string_view modifiers) {
  for (const std::string_view rounding : {".rn", ".rz", ".rm", ".rp"})
    if (modifiers.starts_with(rounding)) return false;
  const std::size_t type = modifiers.rfind('.');
  if (type == std::string_view::npos) return false;
  return modifiers.substr(type).starts_with(".f") || modifiers.substr(type).starts_with(".bf");
}

// Replaces every PTX among the inputs for which `rewritten` returns a text.
template <class Rewritten>
void rewrite(std::vector<toolchain::LinkInput>& inputs, std::deque<std::string>& texts, Rewritten rewritten) {
  for (toolchain::LinkInput& input : inputs) {
    if (input.kind != toolchain::LinkInputKind::Ptx) continue;
    std::optional<std::string> text = rewritten(base::as_text(input.bytes));
    if (text) input.bytes = base::as_bytes(texts.emplace_back(std::move(*text)));
  }
}

}  // namespace

void check_defined(const base::Bytes& ptx, const std::string& title) {
  const auto read = format::read_ptx(base::as_text(ptx));
  if (!read) return;
  for (const format::PtxFunction& function : read->functions)
    if (!function.is_defined && !toolchain::is_driver_function(function.name))
      fail(ErrorCode::LinkFailed, base::format("{} calls `{}`, and nothing defines it", title, function.name),
           "Define every function that the callback calls in its source or its headers.");
  if (const auto variables = format::undefined_variables(base::as_text(ptx)); !variables.empty())
    fail(ErrorCode::LinkFailed, base::format("{} uses `{}`, and nothing defines it", title, variables.front().name),
         "Define every variable that the callback uses in its source or its headers.");
}

std::uint64_t ptx_frame_bytes(std::string_view ptx) {
  constexpr std::string_view kDepot = "__local_depot";
  std::uint64_t bytes = 0;
  for (std::size_t at = ptx.find(kDepot); at != std::string_view::npos; at = ptx.find(kDepot, at + 1)) {
    const std::size_t name_end = ptx.find_first_not_of("0123456789", at + kDepot.size());
    // Skip an instruction that uses the variable. Only the declaration has a '[' and the size behind the name.
    if (name_end == std::string_view::npos || ptx[name_end] != '[') continue;
    if (!is_in_kernel(ptx, at)) continue;
    std::uint64_t size = 0;
    std::from_chars(ptx.data() + name_end + 1, ptx.data() + ptx.size(), size);
    bytes += size;
  }
  return bytes;
}

// A function's prototype says ".param .f32" in one compiler's PTX, and ".param .b32" in the adapter's. nvJitLink
// compares prototypes, and may crash where they differ.
std::optional<std::string> with_untyped_parameters(std::string_view ptx) {
  constexpr std::string_view kParameter = ".param";
  constexpr std::size_t kTypeSize = 4;  // bytes of a type such as ".f32"
  std::optional<std::string> text;
  for (std::size_t at = ptx.find(kParameter); at != std::string_view::npos; at = ptx.find(kParameter, at + 1)) {
    const std::size_t type = ptx.find_first_not_of(kSpaces, at + kParameter.size());
    // Skip an instruction such as ld.param.f32, in which no space separates .param and the type.
    if (type == std::string_view::npos || type == at + kParameter.size()) continue;
    const std::size_t behind = type + kTypeSize;
    if (behind >= ptx.size() || kSpaces.find(ptx[behind]) == std::string_view::npos) continue;
    if (ptx[type] != '.' || !is_number(ptx.substr(type, kTypeSize)) || is_pointer(ptx, behind)) continue;
    if (!text) text.emplace(ptx);
    (*text)[type + 1] = 'b';
  }
  return text;
}

std::vector<toolchain::LinkInput> with_untyped_parameters(std::vector<toolchain::LinkInput> inputs,
                                                          std::deque<std::string>& texts) {
  rewrite(inputs, texts, [](std::string_view ptx) { return with_untyped_parameters(ptx); });
  return inputs;
}

std::optional<std::string> with_rounded_products(std::string_view ptx) {
  constexpr std::string_view kProduct = "mul";
  std::string text;
  std::size_t copied = 0;
  for (std::size_t at = ptx.find(kProduct); at != std::string_view::npos; at = ptx.find(kProduct, at + 1)) {
    const std::size_t behind = at + kProduct.size();
    const bool is_opcode = at == 0 || kBeforeOpcode.find(ptx[at - 1]) != std::string_view::npos;
    if (!is_opcode || !may_be_fused(ptx.substr(behind, ptx.find_first_of(kSpaces, behind) - behind))) continue;
    text.append(ptx.substr(copied, behind - copied)).append(".rn");
    copied = behind;
  }
  if (copied == 0) return std::nullopt;
  return text.append(ptx.substr(copied));
}

std::vector<toolchain::LinkInput> with_rounded_products(std::vector<toolchain::LinkInput> inputs,
                                                        std::deque<std::string>& texts) {
  rewrite(inputs, texts, [](std::string_view ptx) { return with_rounded_products(ptx); });
  return inputs;
}

}  // namespace graft::link
