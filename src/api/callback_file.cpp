// Defines Callback::file, which reads a file and finds the callback's form (source, PTX, pack, ...) from the content.
#include "api/callback_file.hpp"

#include <cstdint>
#include <filesystem>
#include <utility>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "base/format.hpp"
#include "base/seen_file.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"

namespace graft {
namespace {

Form form_of(format::FileKind kind) {
  switch (kind) {
    case format::FileKind::Source:
      break;
    case format::FileKind::LtoIr:
      return Form::LtoIr;
    case format::FileKind::Fatbin:
      return Form::Fatbin;
    case format::FileKind::Ptx:
      return Form::Ptx;
    case format::FileKind::Cubin:
    case format::FileKind::Object:
    case format::FileKind::Archive:
      return Form::Object;
    case format::FileKind::NvvmText:
    case format::FileKind::NvvmBitcode:
      return Form::Nvvm;
    case format::FileKind::Pack:
      return Form::Pack;
  }
  return Form::Source;
}

}  // namespace

CallbackFile read_callback_file(const std::filesystem::path& path, std::string_view noun) {
  base::FileContent read = base::read_file(path, format::kLargestCallback, format::largest_callback);
  if (!read)
    fail(ErrorCode::FileUnreadable, base::format("cannot read the {} file {}: {}", noun, path.string(), read.problem()),
         "Check that it exists, is a file or a pipe, and that this user may read it.");
  const format::Outcome<format::FileKind> kind = format::file_kind(base::as_bytes(*read));
  if (!kind)
    fail(ErrorCode::ImageRefused, base::format("{} is not a {}: {}", path.string(), noun, kind.error().message),
         "Give CUDA C++ source, LTO-IR, a fatbin, PTX, a relocatable cubin, an object, an archive, "
         "NVVM IR or a pack.");
  return {std::move(*read), *kind, form_of(*kind)};
}

Callback Callback::file(const std::filesystem::path& path) {
  CallbackFile read = read_callback_file(path, "callback");
  if (read.form == Form::Pack) return pack(base::as_bytes(read.bytes), path.string());
  Callback callback = made_of(read.form, std::move(read.bytes), path.string());
  return callback.form() == Form::Source ? callback.with_folder(base::folder_of(path.string())) : callback;
}

Callback Callback::file(const char* path) {
  return file(std::filesystem::path(checked_text(path, "the path of a callback file")));
}

}  // namespace graft
