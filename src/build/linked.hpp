// A kernel's code as a linker or compiler gave it, with what it said about it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "build/link_log.hpp"
#include "build/machine_code.hpp"

namespace graft::building {

struct Linked {
  base::Bytes code;
  std::string log;
  LinkFindings findings;  // read from both
};

// `kernel` is its name.
inline Linked read_linked(base::Bytes code, std::string log, std::string_view kernel) {
  LinkFindings findings = parse_link_log(log, kernel);
  add_machine_code(findings, code, kernel);
  return {std::move(code), std::move(log), std::move(findings)};
}

}  // namespace graft::building
