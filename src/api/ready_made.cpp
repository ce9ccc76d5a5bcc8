// Makes a callback of a ready-made one's name. The callback is the whole text of its file, with the function as entry,
// so that all callbacks of a file share one text.
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "base/shown_piece.hpp"
#include "core/fail.hpp"
#include "graft/callback.hpp"
#include "graft/error.hpp"
#include "reflect/callback/ready_made.hpp"

namespace graft {

Callback Callback::ready_made(std::string_view name) {
  std::string_view own = name;
  if (own.starts_with("::")) own.remove_prefix(2);
  if (own.starts_with(reflect::kReadyMadeNamespace)) own.remove_prefix(reflect::kReadyMadeNamespace.size());
  std::string_view function = own.substr(0, own.find('<'));
  while (function.ends_with(' ')) function.remove_suffix(1);
  const base::EmbeddedFile file = reflect::ready_made_file(function);
  if (file.name.empty()) {
    const std::vector<std::string> near = reflect::near_ready_made(function);
    fail(ErrorCode::NoSuchEntry, base::format("there is no ready-made callback `{}`", base::shortened(name)),
         near.empty() ? "callbacks/README.md lists the names."
                      : base::format("Did you mean {}? callbacks/README.md lists the names.", base::join(near, ", ")));
  }
  return source(std::string(file.text), std::string(file.name))
      .with_entry(base::format("{}{}", reflect::kReadyMadeNamespace, own));
}

Callback Callback::ready_made(const char* name) {
  return ready_made(std::string_view(checked_text(name, "the name of a ready-made callback")));
}

}  // namespace graft
