// Defines the driver's functions that graft loads, with the types and symbols of cuda.h, except for cuFuncLoad.
#include "support/fake_driver.hpp"

#include <cuda.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>
#include <utility>

namespace graft::test {

std::vector<std::string>& fake_driver_calls() {
  static std::vector<std::string> calls;
  return calls;
}

namespace {

thread_local std::vector<CUcontext> contexts;  // that were pushed
thread_local CUstreamCaptureMode capture_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
thread_local bool is_in_destructor = false;

struct Memory {
  std::size_t bytes = 0;
  unsigned long long id = 0;
};
std::map<CUdeviceptr, Memory> allocated;
std::vector<std::pair<CUhostFn, void*>> shares_of_graph;
// The function of the host that the stream runs. As with CUDA, it may wait for what the caller does next.
std::thread host_function;
void finish_host_function() {
  if (host_function.joinable()) host_function.join();
}
std::uint64_t launched_blocks = 0;        // since the last event
std::uint64_t blocks_between_events = 0;  // between the last two

CUdeviceptr allocate(std::size_t bytes) {
  static unsigned long long last_id = 0;
  const auto place = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));
  allocated[place] = {bytes, ++last_id};
  return place;
}

// Returns a handle that is not null. The handles are never dereferenced.
template <class Handle>
Handle handle() {
  static int place;
  return reinterpret_cast<Handle>(&place);
}

CUresult noted(const char* call) {
  fake_driver_calls().emplace_back(call);
  return CUDA_SUCCESS;
}

}  // namespace

FakeDriver& fake_driver() {
  static FakeDriver driver;
  return driver;
}

std::size_t FakeDriver::bytes() const {
  std::size_t sum = 0;
  for (const auto& [place, memory] : allocated) sum += memory.bytes;
  return sum;
}

void FakeDriver::reset() {
  static unsigned long long id_of_application = 1'000'000;
  for (auto& [place, memory] : allocated) memory.id = ++id_of_application;
  ++context;
}

void FakeDriver::destroy_graph() {
  // CUDA calls the destructors in a thread of its own.
  std::thread([shares = std::exchange(shares_of_graph, {})] {
    is_in_destructor = true;
    for (const auto& [destroy, object] : shares) destroy(object);
  }).join();
}

}  // namespace graft::test

using graft::test::allocated;
using graft::test::capture_mode;
using graft::test::contexts;
using graft::test::fake_driver;
using graft::test::handle;
using graft::test::noted;

extern "C" {

CUresult cuInit(unsigned) {
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  const char* const wanted = std::getenv("GRAFT_FAKE_DRIVER_VERSION");
  *version = wanted == nullptr ? 12020 : std::atoi(wanted);
  return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult, const char** name) {
  *name = "CUDA_ERROR_OF_THE_TEST";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** text) {
  *text = "an error of the test double";
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetCount(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int size, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(size), "Test double");
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR   ? 9
           : attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ? 0
                                                                       : 1024;
  return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice) {
  *bytes = std::size_t{1} << 30;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = handle<CUcontext>();
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  *context = contexts.empty() ? nullptr : contexts.back();
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  contexts = {context};
  return CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext context) {
  contexts.push_back(context);
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* context) {
  if (contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  *context = contexts.back();
  contexts.pop_back();
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetId(CUcontext, unsigned long long* id) {
  *id = fake_driver().context;
  return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* place, std::size_t bytes) {
  *place = graft::test::allocate(bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr place) {
  if (fake_driver().is_capturing && (capture_mode != CU_STREAM_CAPTURE_MODE_RELAXED || fake_driver().refuses_to_free))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const auto found = allocated.find(place);
  // After a reset, the memory belongs to the application.
  if (graft::test::is_in_destructor || found == allocated.end() || found->second.id > 1'000'000) {
    ++fake_driver().mistakes;
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::free(reinterpret_cast<void*>(place));
  allocated.erase(found);
  return CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr place) {
  const auto found = allocated.find(place);
  if (found == allocated.end()) return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_POINTER_ATTRIBUTE_BUFFER_ID) *static_cast<unsigned long long*>(value) = found->second.id;
  else *static_cast<CUcontext*>(value) = handle<CUcontext>();
  return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  std::swap(*mode, capture_mode);
  return CUDA_SUCCESS;
}
CUresult cuStreamGetCaptureInfo_v2(CUstream, CUstreamCaptureStatus* status, cuuint64_t*, CUgraph* graph,
                                   const CUgraphNode**, std::size_t*) {
  *status = fake_driver().is_capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  *graph = handle<CUgraph>();
  return CUDA_SUCCESS;
}
CUresult cuUserObjectCreate(CUuserObject* object, void* pointer, CUhostFn destroy, unsigned, unsigned) {
  *object = reinterpret_cast<CUuserObject>(new std::pair<CUhostFn, void*>(destroy, pointer));
  return CUDA_SUCCESS;
}
CUresult cuUserObjectRelease(CUuserObject, unsigned) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuGraphRetainUserObject(CUgraph, CUuserObject object, unsigned, unsigned) {
  auto* const share = reinterpret_cast<std::pair<CUhostFn, void*>*>(object);
  graft::test::shares_of_graph.push_back(*share);
  delete share;
  return CUDA_SUCCESS;
}
CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  *id = reinterpret_cast<std::uintptr_t>(stream);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
  std::memset(reinterpret_cast<void*>(to), value, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary* library, const void*, CUjit_option*, void**, unsigned, CUlibraryOption*, void**,
                           unsigned) {
  *library = handle<CUlibrary>();
  return noted("cuLibraryLoadData");
}
CUresult cuLibraryUnload(CUlibrary) {
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary, const char*) {
  *kernel = handle<CUkernel>();
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetGlobal(CUdeviceptr*, std::size_t*, CUlibrary, const char*) {
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuKernelGetFunction(CUfunction* function, CUkernel) {
  *function = handle<CUfunction>();
  return noted("cuKernelGetFunction");
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute, CUkernel, CUdevice) {
  *value = 1024;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  *value = 1024;
  return noted("cuFuncGetAttribute");
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction, unsigned blocks, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        CUstream, void**, void**) {
  graft::test::launched_blocks += blocks;
  return noted("cuLaunchKernel");
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction, void**, void**) {
  graft::test::launched_blocks += config->gridDimX;
  return noted("cuLaunchKernelEx");
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  *blocks = 1;
  return CUDA_SUCCESS;
}

CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState*) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuLinkAddData(CUlinkState, CUjitInputType, void*, std::size_t, const char*, unsigned, CUjit_option*, void**) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuLinkComplete(CUlinkState, void**, std::size_t*) {
  return CUDA_ERROR_NOT_SUPPORTED;
}
CUresult cuLinkDestroy(CUlinkState) {
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* stream, unsigned) {
  *stream = handle<CUstream>();
  return CUDA_SUCCESS;
}
CUresult cuStreamDestroy(CUstream) {
  return CUDA_SUCCESS;
}
CUresult cuStreamSynchronize(CUstream) {
  graft::test::finish_host_function();
  return CUDA_SUCCESS;
}
CUresult cuLaunchHostFunc(CUstream, CUhostFn function, void* data) {
  graft::test::finish_host_function();
  graft::test::host_function = std::thread(function, data);
  return CUDA_SUCCESS;
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = handle<CUevent>();
  return CUDA_SUCCESS;
}
CUresult cuEventDestroy(CUevent) {
  return CUDA_SUCCESS;
}
CUresult cuEventRecord(CUevent, CUstream) {
  graft::test::blocks_between_events = std::exchange(graft::test::launched_blocks, 0);
  return CUDA_SUCCESS;
}
CUresult cuEventSynchronize(CUevent) {
  graft::test::finish_host_function();
  return CUDA_SUCCESS;
}
// Version 1: driver 535 has no other, and the cuda.h of CUDA 13 gives its name to version 2.
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
  constexpr float kOfBlock = 1e-6F;  // one nanosecond
  const bool counts_blocks = std::getenv("GRAFT_FAKE_DRIVER_TIMES_BLOCKS") != nullptr;
  *milliseconds = counts_blocks ? static_cast<float>(graft::test::blocks_between_events) * kOfBlock + kOfBlock : 1;
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{1} << 31;
  return CUDA_SUCCESS;
}
}  // extern "C"
