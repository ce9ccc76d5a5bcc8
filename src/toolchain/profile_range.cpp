// NVTX, NVIDIA's interface for marking ranges, is header-only. Its headers open a library only if a profiler has set
// the environment variable that names the library.
#include "toolchain/profile_range.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define GRAFT_HAS_NVTX 1
#endif

namespace graft::toolchain {
namespace {

#ifdef GRAFT_HAS_NVTX
// graft has an NVTX domain of its own, so that a profiler can show or hide graft's ranges.
nvtxDomainHandle_t domain() {
  static nvtxDomainHandle_t const made = nvtxDomainCreateA("graft");
  return made;
}

void begin(const char* name) {
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = name;
  nvtxDomainRangePushEx(domain(), &attributes);
}

void end() {
  nvtxDomainRangePop(domain());
}
#else
void begin(const char*) {}
void end() {}
#endif

}  // namespace

ProfileRange::ProfileRange(const char* name) noexcept {
  begin(name);
}

ProfileRange::~ProfileRange() {
  end();
}

}  // namespace graft::toolchain
