// Recognises failures by phrases in the logs of nvJitLink, ptxas and the driver's linker. A failure without a known
// phrase becomes an Error with code LinkFailed and the log.
#include "link/link_error.hpp"

#include <optional>
#include <span>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "compile/compile_log.hpp"

namespace graft::link {
namespace {

std::string exports(const CallbackBinary& callback) {
  std::vector<std::string> names;
  for (const std::string& symbol : callback.functions) names.push_back(base::readable(symbol));
  return names.empty() ? "none (compile it with -rdc=true)" : base::format("{}", base::join(names, ", "));
}

// Returns the error for a variable that the linker reports as undefined, or nothing if it reports none.
std::optional<Error> undefined_variable_error(const FailedLink& link) {
  const std::string symbol = compile::undefined_variable(link.log);
  if (symbol.empty()) return std::nullopt;
  return Error(ErrorCode::LinkFailed, {.message = base::format("{} does not link: `{}` is used, and nothing defines it",
                                                               link.program.title, base::readable(symbol)),
                                       .remedy = compile::kDefineVariable,
                                       .log = link.log,
                                       .versions = link.versions});
}

Error undefined_error(const FailedLink& link, const std::string& symbol, Error::Details details) {
  if (link.callback.has_own_inputs() && is_symbol_of(symbol, link.program.parts.entry)) {
    const std::string shown = base::readable(symbol);
    details.message = base::format("{} has no function `{}`", link.callback.material.name, shown);
    if (shown != symbol) details.message += base::format(" ({})", symbol);
    if (link.callback.lists_all_functions) details.message += "; it exports " + exports(link.callback);
    details.remedy = link.program.is_extern_c
                         ? "Check the name. For a C++ function leave extern \"C\" out of the signature."
                         : "Check name, namespace and parameter types: the mangled name contains all of them. For a "
                           "function that is extern \"C\", say so in the signature.";
    return {ErrorCode::NoSuchEntry, std::move(details)};
  }
  details.message = compile::undefined_message(link.program.title, symbol);
  details.remedy = link.callback.has_own_inputs()
                       ? "Link the functions that the callback calls into its binary, or pass the binary that defines "
                         "them to Callback::with_link_input."
                       : compile::kDefineFunction;
  return {ErrorCode::LinkFailed, std::move(details)};
}

// Returns the names of the binaries that may contain the first definition of a symbol that `image` defines again. The
// linker reads the binaries in order, so the first definition is in one of the binaries in front of `image`.
std::string images_before(const FailedLink& link, const std::string& image) {
  std::vector<std::string> names;
  if (!link.callback.has_own_inputs()) names.push_back(link.program.title);
  for (const toolchain::LinkInput& input : link.callback.inputs) {
    if (input.name == image) break;
    names.push_back(input.name);
  }
  return names.empty() ? link.program.title : base::format("{}", base::join(names, " or "));
}

// A symbol that two inputs of a link define. The log says: "four: link error: error: Linking globals named
// '_Z6helperf': symbol multiply defined!"
struct TwiceDefined {
  std::string symbol;  // empty if the log reports no such symbol
  std::string image;   // the second of the two inputs, by its name in the link: "four"
};

TwiceDefined twice_defined(std::string_view log) {
  constexpr std::string_view kBefore = ": link error: error: Linking globals named '";
  const std::size_t at = log.find(kBefore);
  if (at == std::string_view::npos || log.find("symbol multiply defined", at) == std::string_view::npos) return {};
  const std::string_view symbol = log.substr(at + kBefore.size());
  const std::string_view front = log.substr(0, at);
  return {std::string(symbol.substr(0, symbol.find('\''))), std::string(front.substr(front.rfind('\n') + 1))};
}

// Returns the symbol for which the log reports another prototype: "error   : Prototype doesn't match for 'gain' in
// 'ltoPtx', first defined in 'gain.ptx'". Empty if there is none.
std::string mismatched_symbol(std::string_view log) {
  constexpr std::string_view kBefore = "Prototype doesn't match for '";
  const std::size_t at = log.find(kBefore);
  if (at == log.npos) return {};
  const std::string_view symbol = log.substr(at + kBefore.size());
  return std::string(symbol.substr(0, symbol.find('\'')));
}

// Returns what the linker may have refused: the callback, and the link inputs.
std::string names_of(const FailedLink& link) {
  std::vector<std::string> names = {link.callback.has_own_inputs() ? link.callback.material.name : link.program.title};
  for (const toolchain::LinkInput& input : std::span(link.callback.inputs).last(link.callback.link_input_count))
    names.push_back(input.name);
  return base::format("{}", base::join(names, " or "));
}

}  // namespace

bool reports_mismatch(std::string_view log) {
  return !mismatched_symbol(log).empty();
}

void check_variables(const FailedLink& link) {
  if (const std::optional<Error> error = undefined_variable_error(link)) throw Error(*error);
}

bool is_symbol_of(const std::string& symbol, const std::string& entry) {
  if (symbol == entry) return true;
  const std::string name = base::readable(symbol);
  return name.starts_with(entry) && name.substr(entry.size()).starts_with('(');
}

Error link_error(const FailedLink& link) {
  if (const std::optional<Error> error = undefined_variable_error(link)) return *error;
  const auto says = [&](std::string_view words) { return link.log.find(words) != std::string::npos; };
  const std::string who = names_of(link);
  Error::Details details{{}, {}, link.log, link.versions};
  // Look first for reasons to refuse a binary: a linker that refuses a binary reports the binary's functions as
  // undefined too.
  if (says("may need newer version of nvJitLink") || says("Unsupported .version")) {
    details.message = base::format("{} was made by a newer CUDA version than the linker's", who);
    details.remedy =
        "Install a newer CUDA toolkit, point GRAFT_CUDA_PATH to one, or compile the callback with an older "
        "one.";
    return {ErrorCode::ToolTooOld, std::move(details)};
  }
  if (says("arch newer than target") || says("SM version specified by .target is higher") || says("ARCH_MISMATCH") ||
      says("different SM-family architecture") || link.failure.find("ARCH_MISMATCH") != std::string::npos) {
    details.message = base::format("{} is for another architecture than {}", who, link.architecture.sm());
    details.remedy = "Compile the callback for this architecture; LTO-IR and PTX for an older one work too.";
    return {ErrorCode::ImageRefused, std::move(details)};
  }
  if (says("does not match type") || says("bad input") || link.failure.find("INVALID_INPUT") != std::string::npos ||
      link.failure.find("UNRECOGNIZED_INPUT") != std::string::npos) {
    details.message =
        base::format("{} is damaged, or is not of the form (LTO-IR, PTX, ...) that it was passed as", who);
    details.remedy =
        "Pass the compiler's unchanged output to the function of graft::Callback for its form: ltoir, fatbin, ptx or "
        "object.";
    return {ErrorCode::ImageRefused, std::move(details)};
  }
  // A linker for which ptxas refuses the callback's PTX reports the callback's functions as undefined too.
  if (const std::string refused = compile::assembler_error(link.log); !refused.empty()) {
    details.message =
        base::format("{} does not link: ptxas refuses the PTX of the callback: {}", link.program.title, refused);
    details.remedy = std::string(compile::kCorrectAssembly);
    return {ErrorCode::LinkFailed, std::move(details)};
  }
  if (const std::string symbol = compile::undefined_function(link.log); !symbol.empty())
    return undefined_error(link, symbol, std::move(details));
  if (const TwiceDefined twice = twice_defined(link.log); !twice.symbol.empty()) {
    details.message = base::format("`{}` is defined by {} and by {} too", base::readable(twice.symbol),
                                   images_before(link, twice.image), twice.image);
    details.remedy = kOneDefinition;
    return {ErrorCode::LinkFailed, std::move(details)};
  }
  if (const std::string symbol = mismatched_symbol(link.log); !symbol.empty()) {
    details.message = base::format("{} declares `{}` with other parameters or another result than its definition has",
                                   link.program.title, base::readable(symbol));
    details.remedy = "Declare the function as its source does.";
    return {ErrorCode::LinkFailed, std::move(details)};
  }
  details.message = base::format("{} does not link: {}", link.program.title, link.failure);
  details.remedy = "The linker's log says why.";
  return {ErrorCode::LinkFailed, std::move(details)};
}

}  // namespace graft::link
