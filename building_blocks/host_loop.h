// The end of a program of the host route: what a building block is on the GPU, a plain loop is here.
#pragma once

#define GRAFT_EXPORT extern "C" __attribute__((visibility("default")))

// The mangled name of the probe's type: the same text that the GPU's lowered name carries, so the same code reads it.
GRAFT_EXPORT const char* graft_host_probe() {
  return typeid(graft_probe<graft_function, graft_facts>).name();
}

// Outputs go through a buffer: the adapter clears `T&` outputs before the callback reads, which may be in place.
GRAFT_EXPORT void graft_host_run(const void* parameter, unsigned long long begin, unsigned long long end) {
  const graft_launch* launch = static_cast<const graft_launch*>(parameter);
  unsigned char* const* arrays = reinterpret_cast<unsigned char* const*>(launch + 1);
  for (unsigned long long i = begin; i < end; ++i) {
    const void* in[GRAFT_MAX_INPUTS];
    void* out[GRAFT_MAX_OUTPUTS];
    alignas(GRAFT_MAX_ELEMENT_BYTES) unsigned char results[GRAFT_MAX_OUTPUTS][GRAFT_MAX_ELEMENT_BYTES];
    for (int k = 0; k < graft_input_count(); ++k) in[k] = arrays[k] + i * graft_input_size(k);
    for (int k = 0; k < graft_output_count(); ++k) out[k] = results[k];
    graft_apply(in, out, i, launch);
    for (int k = 0; k < graft_output_count(); ++k)
      __builtin_memcpy(arrays[graft_input_count() + k] + i * graft_output_size(k), results[k], graft_output_size(k));
  }
}
