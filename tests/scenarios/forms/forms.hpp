// Loads the compiled forms of gain.cu as callbacks.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/routes.hpp"

namespace graft::test {

inline std::string fixture(const std::string& name) {
  const std::optional<std::string> bytes = base::read_file(std::string(GRAFT_FORMS_FOLDER) + "/" + name);
  if (!bytes) throw std::runtime_error("no fixture " + name);
  return *bytes;
}

inline Callback compiled(Form form, const std::string& file) {
  const std::string bytes = fixture(file);
  switch (form) {
    case Form::Source:
    case Form::Composition:
      return Callback::source(bytes, file);
    case Form::LtoIr:
      return Callback::ltoir(base::as_bytes(bytes), file);
    case Form::Fatbin:
      return Callback::fatbin(base::as_bytes(bytes), file);
    case Form::Ptx:
      return Callback::ptx(bytes, file);
    case Form::Nvvm:
      return Callback::nvvm(bytes, Libdevice::Without, file);
    case Form::Pack:
      return Callback::pack(base::as_bytes(bytes), file);
    case Form::Object:
      break;
  }
  return Callback::object(base::as_bytes(bytes), file);
}

}  // namespace graft::test
