// The error that a call throws, for tests that look at what it says.
#pragma once

#include <gtest/gtest.h>

#include "graft/error.hpp"

namespace graft::test {

// Fails the test when the call throws none.
template <class Call>
Error error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return Error(ErrorCode::InvalidArgument, {});
}

}  // namespace graft::test
