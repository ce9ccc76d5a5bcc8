// A kernel's code as a linker or compiler gave it, with what it said about it.
#pragma once

#include <string>

#include "base/bytes.hpp"
#include "build/link_log.hpp"

namespace graft::building {

struct Linked {
  base::Bytes code;
  std::string log;
  LinkFindings findings;  // read from the log
};

}  // namespace graft::building
