// Makes the Callback of a BuildRequest from a file, from bytes that were read from a file, or from source text.
//
// Callback::file also makes a Callback from a file, but it opens the path, and a pipe can be opened and read only once.
// So a command that must look at the bytes first keeps them in BuildRequest::content, and callback_of() makes the
// Callback from BuildRequest::content.

#include <filesystem>
#include <utility>

#include "base/format.hpp"
#include "base/read_file.hpp"
#include "base/seen_file.hpp"
#include "cli/commands/build_request.hpp"
#include "cli/output/printable.hpp"
#include "core/fail.hpp"
#include "format/file_kind.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

constexpr std::size_t kLongestTitle = 200;

// Returns the same Callback that Callback::file makes from a file with these bytes.
Callback callback_of(const std::string& content, const std::string& file) {
  const auto bytes = base::as_bytes(content);
  const auto kind = format::file_kind(bytes);
  if (!kind)
    fail(ErrorCode::ImageRefused, base::format("{} is not a callback: {}", file, kind.error().message),
         "Give CUDA C++ source, a compiled callback, or a pack.");
  switch (*kind) {
    case format::FileKind::Source:
      break;
    case format::FileKind::LtoIr:
      return Callback::ltoir(bytes, file);
    case format::FileKind::Fatbin:
      return Callback::fatbin(bytes, file);
    case format::FileKind::Ptx:
      return Callback::ptx(content, file);
    case format::FileKind::Cubin:
    case format::FileKind::Object:
    case format::FileKind::Archive:
      return Callback::object(bytes, file);
    case format::FileKind::NvvmText:
    case format::FileKind::NvvmBitcode:
      return Callback::nvvm(bytes, Libdevice::Without, file);
    case format::FileKind::Pack:
      return Callback::pack(bytes, file);
  }
  return Callback::source(content, file).with_folder(base::folder_of(file));
}

}  // namespace

bool BuildRequest::is_text() const {
  if (callback.find('(') == callback.npos) return false;
  if (callback.find('\0') != callback.npos) return true;  // a path has no zero byte
  std::error_code ignored;
  return !std::filesystem::exists(callback, ignored);
}

void BuildRequest::read_content() {
  base::FileContent read = base::read_file(callback);
  if (!read)
    fail(ErrorCode::FileUnreadable, base::format("cannot read the callback file {}: {}", callback, read.problem()),
         "Check that it exists, is a file or a pipe, and that this user may read it.");
  content = std::move(*read);
}

Callback BuildRequest::read_callback() const {
  Callback read = content     ? callback_of(*content, callback)
                  : is_text() ? Callback::source(callback)
                              : Callback::file(callback);
  if (libdevice && read.form() == Form::Nvvm) read = Callback::nvvm(read.bytes(), Libdevice::With, read.name());
  if (!signature.empty()) read = read.with_signature(signature);
  for (const std::string& path : link_inputs) read = read.with_link_input(Callback::file(path));
  return read;
}

std::string BuildRequest::title() const {
  return printable(std::string_view(callback).substr(0, callback.find('\n')), kLongestTitle);
}

}  // namespace graft::cli
