// A kernel's code as a linker or compiler made it, with the tool's log and the findings from code and log.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "link/link_log.hpp"
#include "link/machine_code.hpp"

namespace graft::link {

struct Linked {
  base::Bytes code;
  std::string log;
  LinkFindings findings;  // read from code and log
};

// Reads the findings from code and log. `kernel` is the kernel's name.
inline Linked read_linked(base::Bytes code, std::string log, std::string_view kernel) {
  LinkFindings findings = parse_link_log(log, kernel);
  add_machine_code(findings, code, kernel);
  return {std::move(code), std::move(log), std::move(findings)};
}

}  // namespace graft::link
