// Refuses each text of a request in which reflect/callback/closed_text.hpp finds a word that the closed mode forbids.
// The texts are the sources, entry names and signatures of the callback and, for a composition, of all its parts.
#include "engine/closed_check.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "core/option_table.hpp"
#include "core/slots.hpp"
#include "families/kernel_check.hpp"
#include "graft/error.hpp"
#include "reflect/callback/closed_text.hpp"
#include "reflect/callback/ready_made.hpp"

namespace graft::engine {
namespace {

constexpr const char* kRemedy =
    "Remove it: a formula for the closed mode must not contain preprocessing or assembly, not even in comments and "
    "strings. The application can define macros in Options::defines.";

// `whose` names the text in the message and as the file of the diagnostic.
void check_text(std::string_view text, const std::string& whose) {
  const auto found = reflect::find_forbidden(text);
  if (!found) return;
  const std::string what = base::format("{} is refused in the closed mode", found->what);
  throw Error(ErrorCode::InvalidArgument,
              {.message = base::format("{}: line {}, column {}: {}", whose, found->line, found->column, what),
               .remedy = kRemedy,
               .log = {},
               .versions = {},
               .diagnostics = {{whose, found->line, found->column, Diagnostic::Severity::Error, what}}});
}

void check_callback(const Callback& callback) {
  if (!callback.link_inputs().empty())
    refuse(base::format("{} has the link input {}, but the closed mode takes only source", callback.name(),
                        callback.link_inputs().front().name()),
           "Leave the link input out: the closed mode cannot check compiled code.");
  if (const Callback::Composition* composition = callback.composition()) {
    // The code of own kernels is the application's, as its packs are.
    const bool has_code = has_slots(callback);
    for (std::size_t i = has_code ? 1 : 0; i < composition->parts.size(); ++i) {
      const std::optional<Callback>& part = composition->parts[i];
      if (part && !(has_code && part->form() == Form::Pack)) check_callback(*part);
    }
  } else if (callback.form() != Form::Source) {
    refuse(base::format("{} is {}, but the closed mode takes only source", callback.name(), name(callback.form())),
           "Give the callback's source: the closed mode cannot check compiled code.");
  } else if (!reflect::is_ready_made(callback.text())) {  // the texts of graft's own callbacks have #includes
    check_text(callback.text(), callback.name());
  }
  check_text(callback.entry(), base::format("the entry of {}", callback.name()));
  check_text(callback.signature(), base::format("the declared signature of {}", callback.name()));
}

void check_bounds(const Closed& closed) {
  if (closed.max_registers < kLeastClosedRegisters || closed.max_registers > families::kMostRegisters)
    refuse(base::format("Closed::max_registers is {}", closed.max_registers), "Use 24 to 255.");
  constexpr std::chrono::milliseconds kLongest = std::chrono::hours(1);
  if (closed.time <= closed.time.zero() || closed.time > kLongest)
    refuse(base::format("Closed::time is {} ms", closed.time.count()), "Use 1 ms to one hour.");
  if (closed.memory < kLeastClosedMemory)
    refuse(base::format("Closed::memory is {} bytes", closed.memory),
           base::format("Use {} or more: NVIDIA's compiler and linker need this much for any callback.",
                        kLeastClosedMemory));
}

}  // namespace

void check_closed(const Callback& callback, const Options& options) {
  if (options.closed) check_callback(callback);
}

void check_closed(const Options& options) {
  if (!options.closed) return;
  check_bounds(*options.closed);
  check_text(options.entry, "Options::entry");
  if (options.routes.required == Route::Host)
    refuse("the host route is refused in the closed mode: it would run the callback in this process",
           "Leave Options::routes.required unset, or name another route.");
  if (!options.headers.empty() || !options.include_paths.empty())
    refuse("the closed mode takes no headers and no include folders, since no text may include them",
           "Leave Options::headers and Options::include_paths empty; give macros in Options::defines.");
}

int closed_registers(const Options& options) noexcept {
  if (!options.closed) return options.max_registers;
  const int most = options.closed->max_registers;
  return options.max_registers == 0 ? most : std::min(most, options.max_registers);
}

}  // namespace graft::engine
