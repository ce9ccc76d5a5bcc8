#include "toolchain/driver_timing.hpp"

#include "base/format.hpp"
#include "toolchain/driver_symbol.hpp"
#include "toolchain/shared_library.hpp"

namespace graft::toolchain {
namespace {

#define GRAFT_LOAD_TIMING(name) load(functions.name, GRAFT_DRIVER_SYMBOL(name))

struct Found {
  TimingFunctions functions{};
  std::string why;

  Found() {
    const SharedLibrary library = SharedLibrary::open_by_loader("libcuda.so.1");
    if (!library.is_open()) {
      why = base::format("no CUDA driver: {}", library.failure());
      return;
    }
    const auto load = [&](auto& function, const char* symbol) {
      if (!library.load(function, symbol) && why.empty())
        why = base::format("the CUDA driver {} has no function {}", library.path().string(), symbol);
    };
    GRAFT_LOAD_TIMING(cuStreamCreate);
    GRAFT_LOAD_TIMING(cuStreamDestroy);
    GRAFT_LOAD_TIMING(cuStreamSynchronize);
    GRAFT_LOAD_TIMING(cuLaunchHostFunc);
    GRAFT_LOAD_TIMING(cuEventCreate);
    GRAFT_LOAD_TIMING(cuEventDestroy);
    GRAFT_LOAD_TIMING(cuEventRecord);
    GRAFT_LOAD_TIMING(cuEventSynchronize);
    // By its first name: the cuda.h of CUDA 13 names version 2, which drivers before 570 (CUDA 12.8) lack. Both have
    // one type, and the same result for an event that has happened.
    load(functions.cuEventElapsedTime, "cuEventElapsedTime");
    GRAFT_LOAD_TIMING(cuMemcpyDtoDAsync);
    GRAFT_LOAD_TIMING(cuMemGetInfo);
  }
};

}  // namespace

const TimingFunctions* TimingFunctions::find(std::string& why) {
  static const Found& found = *new Found;
  why = found.why;
  return why.empty() ? &found.functions : nullptr;
}

}  // namespace graft::toolchain
