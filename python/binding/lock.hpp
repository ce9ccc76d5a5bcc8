// Gives Python's lock up while graft works.
//
// A daemon thread may ask for the lock again when Python is ending. Up to version 3.13 Python then ends the thread by
// pthread_exit, which unwinds its frames, and the process aborts, because nanobind's frames let no exception through.
// Such a thread sleeps here until the process ends, as all threads do from Python 3.14 on.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

namespace graft_python {

class WithoutLock {
 public:
  WithoutLock() : state_(PyEval_SaveThread()) {}
  WithoutLock(const WithoutLock&) = delete;
  WithoutLock& operator=(const WithoutLock&) = delete;
  ~WithoutLock() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {  // the unwinding of pthread_exit, which must not leave a handler
      while (true) pause();
    }
  }

 private:
  PyThreadState* state_;
};

}  // namespace graft_python
