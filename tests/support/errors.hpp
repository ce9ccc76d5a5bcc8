// Catches the graft::Error that a call throws, for tests that check its code and its text.
#pragma once

#include <gtest/gtest.h>

#include "graft/error.hpp"

namespace graft::test {

// Returns the Error that the call throws. Fails the test if the call throws no Error.
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
