/* Makes a reduction through the C interface, for a test in C++: c_launch.h says why. */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Compiles a sum of floats for `architecture` as a pack, loads it, and makes of `count` numbers on the device: their
 * sum at out[0], the same in `parts` shards at out[1], sums of the first `rows` rows of 100 from out[2] on, and sums of
 * the segments from 0 to 3 and from 3 to `count` behind them. `partials` is memory on the device for 1,024 floats, and
 * `offsets` has 0, 3 and `count` there. Returns null, or what failed. */
const char* reduce_from_c(const char* architecture, void* stream, const float* x, size_t count, unsigned parts,
                          size_t rows, float* partials, const long long* offsets, float* out);

#ifdef __cplusplus
}
#endif
