/* Launches an own kernel through the C interface, for a test in C++, where the namespace graft_fft of the building
 * blocks and the handle graft_fft of graft.h cannot be declared in one file. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Makes `combine`'s kernel and runs it on 64 elements: out[i] = combine(a, x[i], y[i]). Returns null, or what
 * failed. */
const char* launch_from_c(const char* kernel, const char* callback, float a, const float* x, const float* y,
                          float* out);

#ifdef __cplusplus
}
#endif
